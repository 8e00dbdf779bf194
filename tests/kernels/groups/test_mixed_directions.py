"""The record farthest from another one is that of the plain definition, and no bound falls below what it bounds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from discreet.kernels.groups import mixed_directions
from discreet.kernels.groups.mixed_directions import _profiles_of_levels, build_directions, find_opposite
from discreet.kernels.groups.mixed_groups import _ask_from
from discreet.kernels.groups.mixed_leaves import build_leaves, question_for, take_record, weigh_ranges


def ordered(size):
    return np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / (size - 1.0)


def different(size):
    return 1.0 - np.eye(size)


def bent(size):
    """An order whose ends are farther apart than the steps between them say."""
    return ordered(size) ** 2


def drawn(size):
    table = np.triu(np.random.default_rng(size).random((size, size)), 1)
    return table + table.T


SQUARES = {
    "an order": [ordered(7), different(5), ordered(4)],
    "levels that are merely different": [different(4), different(3)],
    "no geometry": [bent(30), drawn(9), drawn(40)],
    "numbers alone": [],
}


@pytest.mark.parametrize(
    "square", [ordered(9), bent(25), different(6), drawn(50)], ids=["line", "bent", "other", "drawn"]
)
def test_profiles_bound_every_distance_and_more_of_them_do_so_better(square):
    counts = np.random.default_rng(0).integers(0, 4, len(square))
    present = counts > 0
    options = _profiles_of_levels(square, counts)
    for profiles in options:
        bound = (profiles.aims[:, :, None] + profiles.reach[:, None, :]).max(axis=0)
        assert (bound[:, present] >= square[:, present] - 1e-12).all()
    excess = [profiles.excess for profiles in options]
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(excess))


def test_poles_are_exact_on_a_line():
    assert _profiles_of_levels(ordered(9), np.arange(1, 10))[1].excess == pytest.approx(0.0, abs=1e-12)


class Records:
    def __init__(self, n, squares, seed, share=0.15, p=3, factor=1.0):
        rng = np.random.default_rng(seed)
        self.squares, self.absent = squares, np.array([1.0, 0.5, 2.0, *[1.0] * p])[:p]
        self.codes = np.array([rng.integers(0, len(one), n) for one in squares], dtype=np.int32).reshape(-1, n)
        self.numbers = factor * np.round(rng.standard_t(3, (p, n)), 1)
        self.numbers[rng.random((p, n)) < share] = np.nan
        self.sizes = np.array([len(one) for one in squares], dtype=np.int64)
        self.places = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        lengths = self.sizes * self.sizes
        self.starts = np.cumsum(lengths) - lengths
        self.table = np.concatenate([one.ravel() for one in squares]) if squares else np.zeros(0)
        some = np.arange(n)
        geometry = self.codes, self.numbers, self.table, self.starts
        self.leaves = build_leaves(*geometry, self.sizes, self.places, some)
        self.directions = build_directions(*geometry, self.places, self.absent, some, self.leaves)
        self.question = question_for(self.leaves)

    def opposite(self, i):
        _ask_from(
            self.codes, self.numbers, i, self.table, self.starts, self.places, self.absent, self.question
        )  # fmt: skip
        weigh_ranges(self.leaves, self.places, True, self.question)
        buffers = np.empty(1), np.empty(1, dtype=np.int64)
        return find_opposite(self.leaves, self.directions, i, self.question, *buffers)

    def distances(self, i, others):
        total = np.zeros(others.size)
        for square, codes in zip(self.squares, self.codes, strict=True):
            total += square[codes[i]][codes[others]]
        for values, gap in zip(self.numbers, self.absent, strict=True):
            lacks = np.isnan(values[others])
            part = np.where(lacks, 0.0, gap) if np.isnan(values[i]) else np.abs(values[others] - values[i])
            total += part if np.isnan(values[i]) else np.where(lacks, gap, part)
        return total


@pytest.mark.parametrize("name", SQUARES)
@pytest.mark.parametrize(
    ("n", "share", "p", "factor"), [(2, 0, 3, 1), (700, 0.15, 3, 1), (700, 0, 9, 1e35), (90, 1, 1, 1)]
)
def test_opposite_is_the_first_of_the_farthest_while_records_leave(name, n, share, p, factor):
    records = Records(n, SQUARES[name], n, share, p, factor)
    rng, alive = np.random.default_rng(1), np.arange(n)
    while alive.size > 1:
        seed = rng.choice(alive)
        take_record(records.leaves, seed)
        alive = alive[alive != seed]
        farthest = records.opposite(seed)
        assert farthest == alive[np.argmax(records.distances(seed, alive))]
        # Those at the border leave, so that what leaves knew of them is out of date.
        leaving = {int(farthest), *rng.choice(alive, min(6, alive.size - 1), replace=False).tolist()}
        for i in leaving:
            take_record(records.leaves, i)
        alive = alive[~np.isin(alive, list(leaving))]


def test_few_leaves_are_looked_into(monkeypatch):
    squares = [ordered(9), bent(25), different(6)]
    records = Records(6000, squares, 3, share=0.0)
    assert records.directions.n_profiles.tolist() == [2, 2, 1, 2, 2, 2]
    monkeypatch.setattr(mixed_directions, "MOST_DOUBLINGS", 0)
    plain = Records(6000, squares, 3, share=0.0)
    assert plain.directions.n_profiles.tolist() == [1] * 6
    reached = {}
    for which in (records, plain):
        counts = []
        for i in range(40):
            best = which.distances(i, np.arange(6000)).max()
            assert which.distances(i, np.array([which.opposite(i)]))[0] == best
            counts.append(int((which.question.bundles == np.inf).sum()))
        reached[which is records] = np.mean(counts)
    assert reached[True] < 0.7 * reached[False]


def test_by_how_much_the_largest_distance_is_above_the_usual_one():
    """From 0, 1, 2 and 5 the farthest is 5, 4, 3 and 5 away; the ones half a round further are 2, 4, 2 and 4 away."""
    values = np.array([0.0, 1.0, 2.0, 5.0])
    assert mixed_directions._excess_of_numbers(values) == (5 + 4 + 3 + 5) / 4 - (2 + 4 + 2 + 4) / 4
    assert mixed_directions._excess_of_numbers(np.array([0.0, 1e30])) == 0.0, "too far for single precision"
    assert mixed_directions._excess_of_numbers(np.array([0.0, 9e29, 0.0, 0.0])) > 0.0


def test_poles_are_the_farthest_level_that_occurs_and_the_one_farthest_from_it():
    square, counts = ordered(5) * 4, np.array([1, 4, 2, 2, 0])
    share = counts / counts.sum()
    poles = mixed_directions._poles(square, counts > 0, share, share)
    # From 0, of those that occur, all are farthest; from there 3 is.
    assert poles.reach.tolist() == [[0, 1, 2, 3, 4], [3, 2, 1, 0, 1]]
    bound = (poles.aims[:, :, None] + poles.reach[:, None, :]).max(axis=0)
    assert np.array_equal(bound[:4, :4], square[:4, :4])
    assert poles.excess == pytest.approx(0.0)
