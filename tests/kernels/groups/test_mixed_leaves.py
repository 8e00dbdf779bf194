"""Leaves hold every record once, in bundles neither crowded nor nearly empty, and their ranges enclose them."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.groups import mixed_leaves
from discreet.kernels.groups.mixed_leaves import (
    WIDTH,
    build_leaves,
    find_nearest,
    open_bundle,
    question_for,
    short_codes,
    take_record,
    weigh_ranges,
)

LEVELS = 5


def leaves_of(n, q, p, seed=0, remaining=None):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, LEVELS, (q, n)).astype(np.int32)
    numbers = rng.normal(size=(p, n))
    numbers[:, ::7] = np.nan
    apart = np.abs(np.subtract.outer(np.arange(LEVELS), np.arange(LEVELS))) / (LEVELS - 1)
    table = np.concatenate([apart.ravel()] * q) if q else np.zeros(0)
    starts = LEVELS * LEVELS * np.arange(q, dtype=np.int64)
    sizes, places = np.full(q, LEVELS, dtype=np.int64), LEVELS * np.arange(q + 1, dtype=np.int64)
    some = np.arange(n) if remaining is None else remaining
    return build_leaves(codes, numbers, table, starts, sizes, places, some), numbers


@pytest.mark.parametrize(
    ("n", "bundles"), [(1, 1), (16, 1), (256, 1), (257, 2), (512, 2), (600, 4), (1024, 4), (1025, 5)]
)
def test_numbers_are_halved_until_a_bundle_can_hold_them(n, bundles):
    leaves, _ = leaves_of(n, 0, 2)
    assert leaves.bundle_alive.size == bundles
    assert leaves.bundle_alive.sum() == n
    assert leaves.bundle_alive.max() <= WIDTH * WIDTH
    assert leaves.bundle_alive.min() >= min(n, WIDTH * WIDTH // 2)


@pytest.mark.parametrize(("q", "p"), [(2, 0), (0, 2), (3, 2)])
def test_every_record_is_in_one_place_and_within_the_ranges_of_its_leaf(q, p):
    remaining = np.sort(np.random.default_rng(5).choice(900, 700, replace=False))
    leaves, numbers = leaves_of(900, q, p, seed=1, remaining=remaining)
    held = leaves.records.ravel()
    assert sorted(held[held >= 0].tolist()) == remaining.tolist()
    assert np.array_equal(held[leaves.place[remaining]], remaining)
    assert np.array_equal((leaves.records >= 0).sum(axis=1), leaves.alive.ravel())
    assert np.array_equal(leaves.alive.sum(axis=1), leaves.bundle_alive)
    if p and not q:
        assert (leaves.alive[leaves.bundle_alive >= WIDTH] == 0).sum() <= leaves.alive.size // 2
    for i in remaining.tolist():
        leaf = leaves.place[i] // WIDTH
        b, c = leaf // WIDTH, leaf % WIDTH
        for a in range(p):
            if np.isnan(numbers[a, i]):
                assert leaves.lacks[b, a, c]
                assert leaves.bundle_lacks[a, b]
            else:
                assert leaves.bundle_low[a, b] <= leaves.low[b, a, c] <= numbers[a, i]
                assert numbers[a, i] <= leaves.high[b, a, c] <= leaves.bundle_high[a, b]


def test_a_record_that_is_taken_is_nowhere():
    leaves, _ = leaves_of(100, 2, 1)
    place = leaves.place[40]
    take_record(leaves, 40)
    assert leaves.records.ravel()[place] == -1
    assert leaves.bundle_alive.sum() == 99
    assert leaves.alive.sum() == 99
    assert leaves.stale.all()
    leaves.stale[:] = False
    take_record(leaves, 41)
    leaf = leaves.place[41] // WIDTH
    assert np.argwhere(leaves.stale).tolist() == [[leaf // WIDTH, leaf % WIDTH]]


def test_levels_stand_by_their_distance_from_the_farthest_and_then_by_how_near_they_are_to_all():
    """Of four different levels of which the second is rarest: from it all are as far, the rarer ones first."""
    codes = np.array([[0, 0, 0, 1, 2, 2, 3, 3, 3, 3, 1, 1, 1, 1]], dtype=np.int32)
    table = (1.0 - np.eye(4)).ravel()
    some = np.arange(10)  # the others are not looked at
    bins, bin_of, n_bins, apart = mixed_leaves._ordered_levels(codes, table, np.array([0]), np.array([4]), some)
    assert bin_of.tolist() == [2, 0, 1, 3]
    assert bins.tolist() == [[2, 2, 2, 0, 1, 1, 3, 3, 3, 3, 0, 0, 0, 0]]
    assert n_bins.tolist() == [4]
    assert apart.reshape(4, 4).tolist() == (1.0 - np.eye(4)).tolist()


def test_many_levels_share_bins_of_neighbours(monkeypatch):
    """Seven levels on a line in three bins: by their distance from the last, which is farthest from all."""
    monkeypatch.setattr(mixed_leaves, "MOST_BINS", 3)
    line = np.abs(np.subtract.outer(np.arange(7.0), np.arange(7.0)))
    codes = np.array([[0, 0, 1, 2, 3, 4, 5, 6], [0, 1, 1, 0, 0, 1, 1, 1]], dtype=np.int32)
    table = np.concatenate([line.ravel(), [0.0, 2.0, 2.0, 0.0]])
    starts, sizes = np.array([0, 49]), np.array([7, 2])
    bins, bin_of, n_bins, apart = mixed_leaves._ordered_levels(codes, table, starts, sizes, np.arange(8))
    assert n_bins.tolist() == [3, 2]
    assert bin_of.tolist() == [2, 2, 1, 1, 0, 0, 0, 0, 1]
    assert bins[0].tolist() == [2, 2, 2, 1, 1, 0, 0, 0]
    assert bins[1].tolist() == [0, 1, 1, 0, 0, 1, 1, 1]
    # In the midst of the bins stand the levels 5, 3 and 1.
    assert apart.tolist() == [0, 2, 4, 2, 0, 2, 4, 2, 0, 0, 2, 2, 0]


def test_codes_are_short_as_long_as_they_fit():
    assert short_codes(2**15) is np.int16
    assert short_codes(2**15 + 1) is np.int32


def assert_ranges_are_exact(leaves):
    """Every range of a leaf and of a bundle is that of the records it has, and no wider."""
    bundles, q, p = leaves.bundle_alive.size, leaves.n_bins.size, leaves.numbers.shape[1]
    for b in range(bundles):
        there = leaves.records[b * WIDTH : (b + 1) * WIDTH] >= 0
        assert there.sum() == leaves.bundle_alive[b]
        of_bundle = (leaves.bundle_cells, leaves.bundle_low, leaves.bundle_high, leaves.bundle_lacks)
        of_leaves = (leaves.cells, leaves.low, leaves.high, leaves.lacks)
        nodes = [(slice(None), *(one[:, b] for one in of_bundle))]
        nodes += [(c, *(one[b, :, c] for one in of_leaves)) for c in range(WIDTH)]
        for chosen, cells, low, high, lacks in nodes:
            inside = there[chosen]
            if not inside.any():
                continue
            for a in range(q):
                bins = leaves.bins[b * WIDTH : (b + 1) * WIDTH, a][chosen][inside]
                assert cells[a] == leaves.starts[a] + bins.min() * leaves.n_bins[a] + bins.max()
            for a in range(p):
                values = leaves.numbers[b * WIDTH : (b + 1) * WIDTH, a][chosen][inside]
                assert lacks[a] == np.isnan(values).any()
                present = values[~np.isnan(values)]
                if chosen == slice(None):
                    # A leaf without any number has the range of zero alone, which its bundle encloses.
                    ends = [(leaves.low[b, a, c], leaves.high[b, a, c]) for c in range(WIDTH) if there[c].any()]
                    assert (low[a], high[a]) == (min(x for x, _ in ends), max(x for _, x in ends))
                else:
                    expected = (present.min(), present.max()) if present.size else (0.0, 0.0)
                    assert (low[a], high[a]) == expected


def test_ranges_are_exact_and_stay_so_while_records_are_taken():
    leaves, _ = leaves_of(300, 2, 2, seed=3)
    assert_ranges_are_exact(leaves)
    for number, i in enumerate(np.random.default_rng(1).permutation(300)[:280].tolist()):
        take_record(leaves, i)
        if number % 40 == 0 or number > 274:
            assert_ranges_are_exact(leaves)


def asked(leaves, seed, far=False):
    """A question whose sums are exact."""
    rng = np.random.default_rng(seed)
    question, p = question_for(leaves), leaves.numbers.shape[1]
    question.weights[:] = rng.integers(0, 40, question.weights.size) / 8
    question.alpha[:] = (-1 if far else 1) * rng.integers(1, 5, p) / 4
    question.beta[:] = rng.integers(-4, 5, p) / 8
    question.gamma[:] = rng.integers(0, 9, p) / 8
    question.target[:] = rng.integers(-16, 17, p) / 8
    return question


def sums(leaves, question, i):
    leaf, lane = leaves.place[i] // WIDTH, leaves.place[i] % WIDTH
    total = sum(question.weights[code] for code in leaves.codes[leaf, :, lane])
    for a, value in enumerate(leaves.numbers[leaf, :, lane]):
        near = question.beta[a] + question.alpha[a] * abs(value - question.target[a])
        total += question.gamma[a] if np.isnan(value) else near
    return float(total)


def rounded_leaves(n, q, p, seed, levels=LEVELS):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, levels, (q, n)).astype(np.int32)
    numbers = np.round(16 * rng.normal(size=(p, n))) / 8
    numbers[:, ::7] = np.nan
    apart = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels))) / (levels - 1)
    table = np.concatenate([apart.ravel()] * q) if q else np.zeros(0)
    starts, places = levels**2 * np.arange(q, dtype=np.int64), levels * np.arange(q + 1, dtype=np.int64)
    leaves = build_leaves(codes, numbers, table, starts, np.full(q, levels, dtype=np.int64), places, np.arange(n))
    return leaves, places


@pytest.mark.parametrize(("q", "p", "levels"), [(2, 2, 5), (0, 2, 5), (3, 0, 5), (1, 1, 40)])
def test_the_nearest_are_those_of_all_sums(q, p, levels):
    leaves, places = rounded_leaves(1500, q, p, 2, levels)
    left = list(range(1500))
    for seed, size in enumerate((1, 3, 20, 7, 5)):
        question = asked(leaves, seed)
        weigh_ranges(leaves, places, False, question)
        values, winners = np.empty(size), np.empty(size, dtype=np.int64)
        find_nearest(leaves, seed % leaves.bundle_alive.size, question, size, values, winners)
        expected = sorted((sums(leaves, question, i), i) for i in left)[:size]
        assert list(zip(values.tolist(), winners.tolist(), strict=True)) == expected
        for i in winners.tolist():
            take_record(leaves, i)
            left.remove(i)


@pytest.mark.parametrize("far", [False, True])
def test_ranges_are_weighed_by_their_least_or_largest_level(far):
    leaves, places = rounded_leaves(300, 2, 0, 4, 40)
    question = asked(leaves, 3)
    weigh_ranges(leaves, places, far, question)
    for a in range(2):
        n_bins, levels = int(leaves.n_bins[a]), np.arange(places[a], places[a + 1])
        assert n_bins == 32
        for first in range(n_bins):
            for last in range(first, n_bins):
                inside = levels[(leaves.bin_of[levels] >= first) & (leaves.bin_of[levels] <= last)]
                found = question.ranges[leaves.starts[a] + first * n_bins + last]
                assert found == (max if far else min)(question.weights[inside])


def test_a_bundle_is_bounded_by_what_nothing_in_it_falls_below():
    """Numbers from 2 to 5: a target of 1 or 8 is one or three away, one between them not at all."""
    leaves, _ = rounded_leaves(20, 0, 1, 0)
    question = question_for(leaves)
    question.alpha[0], question.beta[0], question.gamma[0] = 2.0, 0.5, 1.0
    low, high = np.array([[2.0, 2.0, 2.0]]), np.array([[5.0, 5.0, 5.0]])
    lacks, cells = np.array([[False, True, False]]), np.zeros((0, 3), dtype=np.int16)
    for target, bound, lacking in ((1.0, 2.5, 1.0), (8.0, 6.5, 1.0), (3.0, 0.5, 0.5)):
        question.target[0] = target
        out = np.full(3, 9.0)
        mixed_leaves._bound(np.array([1, 1, 0]), cells, low, high, lacks, question, out)
        assert out.tolist() == [bound, lacking, np.inf]


def test_the_farthest_compete_with_the_other_sign():
    leaves, _ = rounded_leaves(100, 2, 1, 5)
    question = asked(leaves, 8)
    question.leaves[:] = np.where(leaves.alive[0] > 0, -1e9, np.inf)
    values, winners = np.full(4, np.inf), np.full(4, 2**40)
    open_bundle(leaves, 0, -1.0, question, 4, values, winners)
    expected = sorted((-sums(leaves, question, i), i) for i in range(100))[:4]
    assert list(zip(values.tolist(), winners.tolist(), strict=True)) == expected
    question.leaves[:] = expected[3][0] + 1.0
    open_bundle(leaves, 0, -1.0, question, 4, values, winners)
    assert winners.tolist() == [i for _, i in expected], "leaves that cannot win are passed over"


def test_how_much_distances_of_a_node_differ_by_hand():
    """Two bins, one apart, with one record and three: from either the distances are 0 and 1, of variance 3/16."""
    apart, counts = np.array([9.0, 0.0, 1.0, 1.0, 0.0]), np.array([7, 1, 3])
    for share, expected in (([9.0, 1.0, 0.0], 3 / 16), ([9.0, 0.25, 0.5], 0.75 * 3 / 16)):
        assert mixed_leaves._spread(counts, 4, apart, 1, 2, np.array(share), 1) == pytest.approx(expected)
    double = np.array([9.0, 0.0, 2.0, 2.0, 0.0])
    assert mixed_leaves._spread(counts, 4, double, 1, 2, np.array([9.0, 1.0, 0.0]), 1) == pytest.approx(12 / 16)
