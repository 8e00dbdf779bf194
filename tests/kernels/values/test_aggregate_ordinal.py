from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from tests.reference import operators_ordinal as reference

from discreet.kernels.values import aggregate_ordinal as kernels


@pytest.fixture
def groups():
    rng = np.random.default_rng(11)
    sizes = rng.integers(1, 90, size=60)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    values = rng.integers(0, 25, size=offsets[-1]).astype(np.int32)
    return values, offsets, rng.integers(1, 6, size=offsets[-1]).astype(float)


def _levels(values, offsets):
    lows = np.minimum.reduceat(values, offsets[:-1])
    spans = np.maximum.reduceat(values, offsets[:-1]).astype(np.int64) - lows + 1
    return lows, np.concatenate([[0], np.cumsum(spans)])


@pytest.mark.parametrize("convex", [False, True])
def test_cumulate_levels(groups, convex):
    values, offsets, weights = groups
    lows, starts = _levels(values, offsets)
    cumulated = np.full(starts[-1], np.nan)
    kernels.cumulate_levels(values, offsets, weights, convex, lows, starts, cumulated)
    for g in range(lows.size):
        inside = slice(offsets[g], offsets[g + 1])
        acc = reference.accumulate(values[inside].tolist(), weights[inside].tolist(), int(values[inside].max()) + 1)
        if convex:
            acc = reference.make_convex(acc)
        expected = np.cumsum([float(amount) for amount in acc])[lows[g] :]
        assert cumulated[starts[g] : starts[g + 1]].tolist() == expected.tolist()


def test_order_within_is_a_stable_sort(groups):
    values, offsets, _ = groups
    order = np.empty(values.size, dtype=np.int64)
    kernels.order_within(values, offsets, np.empty(26, dtype=np.int64), order)
    for first, last in pairwise(offsets):
        expected = first + np.argsort(values[first:last], kind="stable")
        assert order[first:last].tolist() == expected.tolist()


def test_first_above_and_largest_step():
    cumulated = np.array([1.0, 2.0, 4.0, 3.0, 3.0, 6.0])
    starts, lows = np.array([0, 3, 6]), np.array([5, 0], dtype=np.int32)
    out = np.empty(2, dtype=np.int32)
    kernels.first_above(cumulated, starts, lows, np.array([0.5, 0.5]), out)
    assert out.tolist() == [7, 2]
    kernels.first_above(cumulated, starts, lows, np.array([0.49, 1.0]), out)
    assert out.tolist() == [6, 2]
    kernels.largest_step(cumulated, starts, lows, out)
    assert out.tolist() == [7, 0]


def test_cumulate_within_starts_anew():
    out = np.empty(4)
    kernels.cumulate_within(np.array([1, 0, 2, 3]), np.array([0, 2, 4]), np.array([1.0, 2.0, 4.0, 8.0]), out)
    assert out.tolist() == [2.0, 3.0, 4.0, 12.0]


def test_upper_set_measures():
    chain = np.empty(4, dtype=np.int64)
    kernels.upper_set_measures(np.array([1, 0, 2, 3]), 2, np.array([0, 1, 2, 3]), chain)
    assert chain.tolist() == [3, 1, 3, 2]


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 130])
@pytest.mark.parametrize("levels", [1, 2, 200])
def test_order_within_is_stable_for_every_size_and_leaves_other_groups(size, levels):
    values = np.random.default_rng(size).integers(3, 3 + levels, 2 * size + 3).astype(np.int32)
    offsets = np.array([0, size, size, size + 3, 2 * size + 3])
    order = np.full(values.size, -1)
    # What an earlier call left in the buffer does not matter.
    kernels.order_within(values, offsets, np.full(3 + levels + 1, 77), order)
    expected = [i for a, b in pairwise(offsets) for i in sorted(range(a, b), key=lambda i: (values[i], i))]
    assert order.tolist() == expected


def test_first_above_and_largest_step_at_their_borders():
    def called(kernel, cumulated, starts, lows, *further):
        out = np.full(len(lows), -1, dtype=np.int32)
        kernel(np.array(cumulated, dtype=float), np.array(starts), np.array(lows, dtype=np.int32), *further, out)
        return out.tolist()

    # Steps 1 1 1; 1 2 2; 3; 0 1 1 4: the lowest of equals, and groups after each other.
    cumulated, starts, lows = [1, 2, 3, 1, 3, 5, 3, 0, 1, 2, 6], [0, 3, 6, 7, 11], [4, 0, 9, 2]
    assert called(kernels.largest_step, cumulated, starts, lows) == [4, 1, 9, 5]
    # More than nothing, than exactly a third, than half, than everything.
    for share, expected in ((0.0, [4, 0, 9, 3]), (1 / 3, [5, 1, 9, 5]), (0.5, [5, 1, 9, 5]), (1.0, [6, 2, 9, 5])):
        assert called(kernels.first_above, cumulated, starts, lows, np.full(4, share)) == expected


@pytest.mark.parametrize(
    ("values", "weights", "expected"),
    [
        ([4], [1.0], 4),
        ([4, 1], [0.5, 0.5], 3),  # half of 3 steps is 1.5, rounded up
        ([4, 1], [0.25, 0.75], 2),  # 0.75 of a step
        ([5, 1], [0.1, 0.9], 1),  # 0.4 of a step
        ([5, 1], [0.125, 0.875], 2),  # half a step
        ([5, 1], [0.0, 1.0], 1),
        ([5, 1], [1.0, 0.0], 5),
        ([5, 3, 1], [0.5, 0.5, 0.0], 4),  # first 1 and 3: 3; then half of 2 steps
        ([5, 3, 1], [1.0, 0.0, 0.0], 5),  # without any weight a step is not made
        ([6, 2, 0], [0.5, 0.25, 0.25], 4),  # half of 2 steps: 1; then half of 5: 2.5, rounded up
        ([3, 3, 3], [0.2, 0.3, 0.5], 3),
    ],
)
def test_linguistic_means_are_rounded_after_every_step(values, weights, expected):
    out = np.full(3, -1, dtype=np.int32)
    # Between two groups, so that nothing is read of them.
    values, weights = np.array([9, *values, 0, 0], dtype=np.int32), np.array([1.0, *weights, 0.5, 0.5])
    kernels.linguistic_means(values, np.array([0, 1, values.size - 2, values.size]), weights, out)
    assert out.tolist() == [9, expected, 0]


LEVELS = np.arange(6)
LUKASIEWICZ = (np.maximum(LEVELS[:, None] + LEVELS - 5, 0), np.minimum(LEVELS[:, None] + LEVELS, 5))
LARGEST = (np.minimum(LEVELS[:, None], LEVELS), np.maximum(LEVELS[:, None], LEVELS))


def chain_means(groups, norms, upwards, counts=None):
    values = np.concatenate([np.array(g, dtype=np.int32) for g in groups])
    counts = np.ones(values.size, dtype=np.int64) if counts is None else np.concatenate(counts)
    offsets = np.cumsum([0, *map(len, groups)])
    most = max(int(counts[a:b].sum()) for a, b in pairwise(offsets))
    out = np.full(len(groups), -1, dtype=np.int32)
    tables = [table.astype(np.int32) for table in norms]
    buffers = np.full(most, 9, np.int32), np.full((6, most), 9, np.int32), np.zeros(6, dtype=np.int64)
    kernels.means_on_chain(values, offsets, counts, *tables, upwards, *buffers, out)
    return out.tolist()


@pytest.mark.parametrize("upwards", [False, True])
def test_means_on_a_chain_with_sums_that_carry_are_rounded_means(upwards):
    # With these two norms a number of the extended scale is a plain sum in digits of up to 5.
    groups = [[0], [5], [3], [1, 2], [1, 3], [0, 5], [0, 0, 1], [4, 5, 5], [1, 1, 1], [2, 2, 5, 5], [0, 0, 0, 1, 5]]
    whole = [(-(-sum(g) // len(g)) if upwards else sum(g) // len(g)) for g in groups]
    assert chain_means(groups, LUKASIEWICZ, upwards) == whole
    counts = [np.arange(1, len(g) + 1) for g in groups]
    repeated = [np.repeat(g, c) for g, c in zip(groups, counts, strict=True)]
    whole = [int(-(-g.sum() // g.size) if upwards else g.sum() // g.size) for g in repeated]
    assert chain_means(groups, LUKASIEWICZ, upwards, counts) == whole


def test_means_on_a_chain_leave_out_who_has_no_weight():
    groups, counts = [[0, 2, 3], [1, 2, 5], [1, 4]], [np.array(c) for c in ([0, 1, 1], [1, 1, 0], [0, 2])]
    assert chain_means(groups, LUKASIEWICZ, False, counts) == [2, 1, 4]
    assert chain_means(groups, LUKASIEWICZ, True, counts) == [3, 2, 4]


def test_means_on_a_chain_of_minima_and_maxima():
    # The sum of labels is their descending list, and n times a label the label n times over.
    assert chain_means([[1, 4], [2, 2], [0, 3, 5]], LARGEST, False) == [1, 2, 0]
    assert chain_means([[1, 4], [2, 2], [0, 3, 5]], LARGEST, True) == [4, 2, 5]
