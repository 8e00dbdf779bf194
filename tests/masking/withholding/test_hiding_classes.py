"""Combinations that hiding can give: against everything that a handful of records can show."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from discreet.masking.withholding.hiding_classes import (
    HidingClasses,
    count_matches,
    distinct_rows,
    hiding_classes,
    patterns_up_to,
)


def test_different_rows_come_in_order_with_their_records():
    distinct = distinct_rows(np.array([[2, 1], [1, 3], [2, 1], [0, 9], [2, 0]]))
    assert distinct.rows.tolist() == [[0, 9], [1, 3], [2, 0], [2, 1]]
    assert distinct.counts.tolist() == [1, 1, 1, 2]
    assert distinct.of_record.tolist() == [3, 1, 3, 0, 2]


@pytest.mark.parametrize(
    ("absent", "size", "expected"),
    [
        (["..."], 0, ["..."]),
        (["..."], 1, ["...", "..x", ".x.", "x.."]),
        (["..."], 2, ["...", "..x", ".x.", ".xx", "x..", "x.x", "xx."]),
        (["..."], 3, ["...", "..x", ".x.", ".xx", "x..", "x.x", "xx.", "xxx"]),
        (["..."], 9, ["...", "..x", ".x.", ".xx", "x..", "x.x", "xx.", "xxx"]),
        (["x..", "x..", ".xx"], 0, [".xx", "x.."]),
        (["x..", "x..", ".xx"], 1, [".xx", "x..", "x.x", "xx.", "xxx"]),
    ],
)
def test_patterns_that_rows_can_have(absent, size, expected):
    found = patterns_up_to(np.array([[c == "x" for c in row] for row in absent]), size)
    assert ["".join("x" if gone else "." for gone in row) for row in found] == expected


def pairs_of(classes):
    assert isinstance(classes, HidingClasses)
    assert len(np.unique(classes.released, axis=0)) == len(classes.released), "every combination is there once"
    pairs = {}
    for member, place, price in zip(classes.members, classes.places, classes.prices, strict=True):
        pairs.setdefault(tuple(classes.released[place].tolist()), {})[int(member)] = round(float(price), 9)
    fixed = dict(zip(map(tuple, classes.released.tolist()), classes.fixed.tolist(), strict=True))
    assert set(pairs) == set(fixed)
    return pairs, fixed


def twin(rows, counts, k, costs, patterns, wanted, fixed, *, closed):
    """Go through every row with these missing keys, and through everybody who could show it."""
    pairs, base = {}, {}
    for released in product(*({0, *column} for column in zip(*rows, strict=True))):
        if tuple(value == 0 for value in released) not in patterns:
            continue
        able = [i for i, row in enumerate(rows) if all(r in (0, v) for r, v in zip(released, row, strict=True))]
        there = sum(number for row, number in fixed if row == released)
        if sum(counts[i] for i in able) + there < k or not any(wanted[i] for i in able):
            continue
        agreed = any(
            value == 0 and len({rows[i][j] for i in able}) == 1 and rows[able[0]][j] > 0
            for j, value in enumerate(released)
        )
        if closed and agreed and not there:
            continue
        base[released] = there
        pairs[released] = {
            i: round(sum(c for c, r, v in zip(costs, released, rows[i], strict=True) if r == 0 < v), 9) for i in able
        }
    return pairs, base


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_combinations_are_those_of_the_definition(seed, closed):
    rng = np.random.default_rng(seed)
    distinct = distinct_rows(rng.integers(seed % 2, 4, (9, 3)))
    rows, counts = distinct.rows, distinct.counts
    costs = np.array([1.0, 2.0, 4.5])
    k = 2 + seed % 3
    patterns = patterns_up_to(rows == 0, 1 + seed % 3)
    wanted = counts < 2 if seed % 4 > 1 else None
    still = distinct_rows(rng.integers(0, 4, (5, 3))) if seed % 3 else None
    found = hiding_classes(
        rows,
        counts,
        k,
        costs,
        patterns,
        wanted=wanted,
        fixed=None if still is None else (still.rows, still.counts),
        closed=closed,
    )
    expected = twin(
        [tuple(row) for row in rows.tolist()],
        counts.tolist(),
        k,
        costs.tolist(),
        {tuple(row) for row in patterns.tolist()},
        [True] * len(rows) if wanted is None else wanted.tolist(),
        [] if still is None else list(zip(map(tuple, still.rows.tolist()), still.counts.tolist(), strict=True)),
        closed=closed,
    )
    assert pairs_of(found) == expected


@pytest.mark.parametrize("seed", range(4))
def test_matches_are_counted_as_they_are_defined(seed):
    rng = np.random.default_rng(seed)
    probes, rows, counts = rng.integers(0, 3, (7, 3)), rng.integers(0, 3, (9, 3)), rng.integers(1, 5, 9)
    expected = [
        sum(
            int(count)
            for row, count in zip(rows, counts, strict=True)
            if ((row == probe) | (row == 0) | (probe == 0)).all()
        )
        for probe in probes
    ]
    assert count_matches(probes, rows, counts).tolist() == expected
