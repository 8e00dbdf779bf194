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
