"""Operations on whole vectors give what their plain definitions give, but for the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels import lanes
from discreet.kernels.jit import lean_kernel
from discreet.kernels.lanes import STEP, box_lanes, call_up, lowest_bit, near_lanes, shift_lanes, swap_lanes


@lean_kernel
def near(coordinates, row, target, least, most):
    return near_lanes(coordinates, row, target, least, most)


@lean_kernel
def boxes(low, high, row, target, most, distances):
    return box_lanes(low, high, row, target, most, distances)


@lean_kernel
def shifted(coordinates, group, size, shift, place, into, norms, largest):
    shift_lanes(coordinates, group, size, shift, place, into, norms, largest)


@lean_kernel
def swap(into, norms, means, a, size, b, weight, room):
    return swap_lanes(into, norms, means, a, size, b, weight, room)


@lean_kernel
def lowest(bits):
    return lowest_bit(bits)


@lean_kernel
def called_up(array, row):
    call_up(array, row)
    return array[row, 0]


def numbers(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("d", [1, 2, 7, 10, 17])
def test_records_of_a_leaf_are_told_by_their_distance(d):
    coordinates, target = numbers(1, 5, d, lanes.LEAF), numbers(2, d)
    coordinates[3, 0, 4] = np.nan
    for least, most in ((-np.inf, 1.5 * d), (d, np.inf), (d, 2.0 * d), (-np.inf, np.inf)):
        bits = near(coordinates, 3, target, least, most)
        assert bits == near_lanes(coordinates, 3, target, least, most)
        assert not bits & (1 << 4)


@pytest.mark.parametrize("d", [1, 3, 10])
def test_boxes_are_told_by_their_distance(d):
    low = numbers(1, 4, d, lanes.LEAF)
    high = low + np.abs(numbers(2, 4, d, lanes.LEAF))
    low[2, :, 5], high[2, :, 5] = np.inf, -np.inf
    target, here, there = numbers(3, d), np.empty((2, lanes.LEAF), np.float32), np.empty((2, lanes.LEAF), np.float32)
    for most in (0.0, 0.5 * d, 1e30):
        bits = boxes(low, high, 2, target, most, here[0])
        assert bits == box_lanes(low, high, 2, target, most, there[0])
        assert not bits & (1 << 5)
    np.testing.assert_allclose(here[0], there[0], rtol=1e-5)


@pytest.mark.parametrize(("d", "width", "sizes"), [(1, 8, (2, 3)), (7, 8, (5, 8)), (4, 16, (10, 13)), (3, 24, (6, 24))])
def test_exchanges_are_told_by_what_they_change(d, width, sizes):
    groups = numbers(1, 3, d, width)
    pools = []
    for operation in (shifted, shift_lanes):
        into, norms = np.zeros((2, d, width), np.float32), np.zeros((2, width), np.float32)
        largest = np.zeros(STEP, np.float32)
        for place, size in enumerate(sizes):
            operation(groups, place + 1, size, numbers(place, d), place, into, norms, largest)
        pools.append((into, norms, largest))
    for one, other in zip(*pools, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
    into, norms, largest = pools[0]
    assert largest.max() == norms.max()
    # By the definition: the squared errors of both groups before and after, in full precision.
    x, y = (into[place, :, :size].T.astype(float) for place, size in enumerate(sizes))
    means = np.stack([x.mean(axis=0), y.mean(axis=0)]).astype(np.float32)

    def error(records):
        return ((records - records.mean(axis=0)) ** 2).sum()

    changes = []
    for i, own in enumerate(x):
        for j, other in enumerate(y):
            after = np.vstack([np.delete(x, i, 0), other]), np.vstack([np.delete(y, j, 0), own])
            changes.append(error(after[0]) + error(after[1]) - error(x) - error(y))
    weight = 0.5 / sizes[0] + 0.5 / sizes[1]
    for room in (min(changes) - 1e-3, min(changes) + 1e-3):
        answers = {
            operation(into, norms, means, 0, sizes[0], 1, weight, 0.5 * room) for operation in (swap, swap_lanes)
        }
        assert answers == {room > min(changes)}


def test_what_cannot_be_compared_is_not_ruled_out():
    into, norms, means = numbers(1, 2, 3, 8), np.zeros((2, 8), np.float32), np.zeros((2, 3), np.float32)
    into[1, 0, 2] = np.nan
    assert swap(into, norms, means, 0, 5, 1, 0.2, -1e30)


def test_bits_are_taken_from_below():
    for bits in (1, 2, 12, 1 << 15, (1 << 40) + (1 << 7)):
        assert lowest(bits) == lowest_bit(bits)


def test_calling_up_reads_nothing_else():
    assert called_up(np.arange(6.0).reshape(3, 2), 2) == 4.0
    assert call_up(np.zeros((1, 1)), 0) is None
