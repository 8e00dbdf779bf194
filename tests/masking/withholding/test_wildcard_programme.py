"""States of records and their programme, written out by hand and against the definition."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from tests.masking.withholding.test_category_programme import written_out

from discreet.masking.withholding import wildcard_programme as module
from discreet.masking.withholding.hiding_classes import distinct_rows
from discreet.masking.withholding.wildcard_programme import record_states, wildcard_programme


def matches(one, two):
    return all(a == b or a == 0 or b == 0 for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_states_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    distinct = distinct_rows(rng.integers(seed % 2, 4, (7, 3)))
    k, costs = 2 + seed % 2, [np.ones(3), np.array([1.0, 2.5, 4.0])][seed // 2 % 2]
    rows, counts = distinct.rows.tolist(), distinct.counts.tolist()
    expected, needs = set(), []
    for owner, row in enumerate(rows):
        present = [j for j in range(3) if row[j]]
        ways = []
        for keys in chain.from_iterable(combinations(present, size) for size in range(len(present) + 1)):
            shown = tuple(0 if j in keys else value for j, value in enumerate(row))
            number = sum(count for other, count in zip(rows, counts, strict=True) if matches(shown, other))
            ways.append((float(costs[list(keys)].sum()), shown, number >= k))
        need = min((price for price, _, enough in ways if enough), default=np.inf)
        needs.append(need)
        expected |= {(owner, shown, price) for price, shown, _ in ways if need > 0 and price <= need + 1e-9}
    states = record_states(distinct.rows, distinct.counts, k, costs)
    found = [
        (int(owner), tuple(row), float(price))
        for owner, row, price in zip(states.owners, states.rows.tolist(), states.prices, strict=True)
    ]
    assert sorted(found) == sorted(expected)
    assert states.needs.tolist() == needs


ROWS, COUNTS = np.array([[1], [2], [3]]), np.array([1, 1, 2])


def test_a_programme_by_hand():
    """Values 1, 2 and twice 3: the first two show themselves, where each lacks one other, or nothing."""
    states = record_states(ROWS, COUNTS, 2, np.ones(1))
    assert states.owners.tolist() == [0, 1, 0, 1]
    assert states.rows.tolist() == [[1], [2], [0], [0]]
    model = wildcard_programme(ROWS, COUNTS, 2, states)
    assert model.states is states
    assert written_out(model.programme) == {
        "cost": [0, 0, 1, 1, 0, 0],
        "lower": [0] * 6,
        "upper": [1] * 6,
        "whole": [True] * 6,
        "rows": [
            [0, 0, 0, 1, -1, 0],  # who shows 1 needs the other to show nothing
            [0, 0, 1, 0, 0, -1],
            [-1, 0, 0, 0, 1, 0],
            [0, -1, 0, 0, 0, 1],
        ],
        "at_least": [0] * 4,
        "sums": [[1, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0]],
        "equal": [1, 1],
    }
    assert float(model.programme.cost @ model.programme.solved()[0]) == pytest.approx(1.0)


def test_a_programme_of_some_records_while_others_rely_on_them():
    """Only the first is decided about; the second shows 2 and lacks one, whom only the first can be."""
    states = record_states(ROWS, COUNTS, 2, np.ones(1))
    mine = states._replace(**{name: getattr(states, name)[states.owners == 0] for name in ("owners", "rows", "prices")})
    fixed = np.array([[2], [3]]), np.array([1, 2])
    model = wildcard_programme(ROWS, COUNTS, 2, mine, fixed=fixed)
    assert written_out(model.programme) == {
        "cost": [0, 1, 0],
        "lower": [0] * 3,
        "upper": [1] * 3,
        "whole": [True] * 3,
        "rows": [[0, 0, -1], [0, 1, 0], [-1, 0, 1]],
        "at_least": [0, 1, 0],
        "sums": [[1, 1, 0]],
        "equal": [1],
    }
    nobody = np.zeros((0, 1), np.int64), np.zeros(0, np.int64)
    assert wildcard_programme(ROWS, COUNTS, 2, mine, fixed=nobody).programme.at_least.tolist() == [0, 0, 0, 0]


def test_lenient_programmes_ask_nothing_of_those_who_hide():
    rows, counts = np.array([[1, 1], [2, 2], [3, 3]]), np.array([1, 1, 1])
    states = record_states(rows, counts, 3, np.ones(2))
    strict = wildcard_programme(rows, counts, 3, states)
    lenient = wildcard_programme(rows, counts, 3, states, lenient=True)
    showing = int((states.prices == 0).sum())
    assert lenient.programme.cost.size == states.owners.size + showing
    assert strict.programme.cost.size > lenient.programme.cost.size


def test_too_many_meetings_give_no_programme(monkeypatch):
    states = record_states(ROWS, COUNTS, 2, np.ones(1))
    for most, there in ((2, True), (1, False)):
        monkeypatch.setattr(module, "_MOST_MEETINGS", most)
        assert (wildcard_programme(ROWS, COUNTS, 2, states) is not None) == there


@pytest.mark.parametrize("seed", range(4))
def test_meetings_are_all_pairs_that_match(seed):
    rng = np.random.default_rng(seed)
    probes, rows = rng.integers(0, 3, (6, 2)), rng.integers(0, 3, (8, 2))
    found = [
        (int(probe), int(row))
        for owns, others in module._meetings(probes, rows)
        for probe, row in zip(owns, others, strict=True)
    ]
    assert sorted(found) == [
        (i, j) for i in range(6) for j in range(8) if matches(probes[i].tolist(), rows[j].tolist())
    ]
