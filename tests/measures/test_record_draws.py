"""Random numbers that belong to records."""

from __future__ import annotations

import numpy as np
from tests.statistics.small import table

from discreet.contracts.engine import InProcess
from discreet.contracts.measure import Pair
from discreet.measures.record_draws import record_draws

MASK = (1 << 64) - 1


def mixed(state):
    """The output function of SplitMix64, in whole numbers."""
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB & MASK
    return state ^ (state >> 31)


def twin(rows, seed, stream):
    """Draw for every record, one by one: rows hold its cells before and after, column by column."""
    states, seen, result = [], {}, []
    for row in rows:
        state = mixed(seed + 0x9E3779B97F4A7C15 & MASK)
        for cell in row:
            state = mixed(state ^ int(np.float64(cell + 0.0).view(np.uint64)))
        states.append(state)
    for state in states:
        number = seen.get(state, 0)
        seen[state] = number + 1
        result.append((mixed(state ^ mixed(number + 0x9E3779B97F4A7C15 & MASK) ^ stream) >> 11) * 2.0**-53)
    return result


BEFORE = table(x=[1.0, 2.0, 1.0, -0.0, 1.0], y=[5.0, 5.0, 5.0, 5.0, 6.0])
AFTER = table(x=[1.5, 2.5, 1.5, 0.5, 1.5], y=[7.0, 7.0, 7.0, 7.0, 7.0])
ROWS = [(1.0, 1.5, 5.0, 7.0), (2.0, 2.5, 5.0, 7.0), (1.0, 1.5, 5.0, 7.0), (0.0, 0.5, 5.0, 7.0), (1.0, 1.5, 6.0, 7.0)]


def pair(rows=slice(None)):
    places = np.arange(5)[rows]
    return Pair(BEFORE.take(places), AFTER.take(places), ("x", "y"), None, InProcess())


def test_draws_are_those_of_the_values_the_seed_and_the_stream():
    for seed, stream in ((0, 0), (7, 0), (7, 3), (2**64 - 1, 1)):
        assert record_draws(pair(), ("x", "y"), seed, stream).tolist() == twin(ROWS, seed, stream)
    assert record_draws(pair(), ("x", "y"), 7).tolist() == twin(ROWS, 7, 0)
    assert record_draws(pair(), ("x",), 2**64).tolist() == twin([row[:2] for row in ROWS], 0, 0)
    assert record_draws(pair(), ("y", "x"), 7).tolist() == twin([(*row[2:], *row[:2]) for row in ROWS], 7, 0)


def test_draws_follow_a_record_and_equal_records_differ():
    draws = record_draws(pair(), ("x", "y"), 5)
    assert len(set(draws.tolist())) == 5
    assert ((draws >= 0) & (draws < 1)).all()
    backwards = record_draws(pair(slice(None, None, -1)), ("x", "y"), 5)
    assert sorted(backwards.tolist()) == sorted(draws.tolist())
    assert backwards[[0, 1, 3]].tolist() == draws[[4, 3, 1]].tolist()
