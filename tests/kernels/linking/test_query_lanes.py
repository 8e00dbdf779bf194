"""Vectors of sixteen against the plain functions that say what they do."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.jit import _teach_compiler
from discreet.kernels.lanes import lowest_bit
from discreet.kernels.linking.query_lanes import LANES, aligned, near_boxes, near_rows, nearest_lane


@pytest.fixture(scope="module")
def compiled():
    import numba

    _teach_compiler()

    @numba.njit
    def rows(blocks, start, query, limit):
        return near_rows(blocks, start, query, limit)

    @numba.njit
    def boxes(bounds_of, start, query, limit, bounds, at):
        return near_boxes(bounds_of, start, query, limit, bounds, at)

    @numba.njit
    def nearest(bounds, at, lanes):
        return nearest_lane(bounds, at, lanes)

    @numba.njit
    def first(lanes):
        return lowest_bit(lanes)

    return rows, boxes, nearest, first


# Whole numbers, so that no sum depends on its order; beyond twelve attributes a block may be left early.
@pytest.mark.parametrize("attributes", [2, 4, 10, 12, 14, 24, 38])
def test_rows_within_the_limit(compiled, attributes):
    rng = np.random.default_rng(attributes)
    blocks = rng.integers(-4, 5, 3 * LANES * attributes).astype(np.float32)
    seen = set()
    for share in (0.0, 0.3, 0.7, 0.9, 1.0, 1.3, np.inf):
        query = rng.integers(-4, 5, attributes).astype(np.float32)
        limit = np.float32(np.round(13.3 * attributes * share))
        for start in range(0, blocks.size, LANES * attributes):
            lanes = near_rows(blocks, start, query, limit)
            assert compiled[0](blocks, start, query, limit) == lanes
            seen.add(lanes)
    assert {0, 2**LANES - 1} < seen


@pytest.mark.parametrize("attributes", [2, 10, 12, 26])
def test_boxes_within_the_limit(compiled, attributes):
    rng = np.random.default_rng(attributes)
    ends = np.sort(rng.integers(-9, 10, (2, attributes, 2, LANES)), axis=2).astype(np.float32)
    ends[1, :, 0, 5:], ends[1, :, 1, 5:] = np.inf, -np.inf  # where there is no box
    bounds, ours = np.zeros(3 * LANES, dtype=np.float32), np.zeros(3 * LANES, dtype=np.float32)
    for number in range(40):
        query = rng.integers(-9, 10, attributes).astype(np.float32)
        limit = np.float32(number * attributes)
        start = (number % 2) * 2 * LANES * attributes
        assert compiled[1](ends.ravel(), start, query, limit, ours, LANES) == near_boxes(
            ends.ravel(), start, query, limit, bounds, LANES
        )
        assert ours.tolist() == bounds.tolist()


def test_the_nearest_and_the_lowest_bit(compiled):
    rng = np.random.default_rng(1)
    bounds = np.zeros(2 * LANES, dtype=np.float32)
    for _ in range(200):
        bounds[LANES:] = rng.choice([0.0, 1e-40, 0.5, 0.50001, 3.0, 1e30, np.inf], LANES)
        lanes = int(rng.integers(1, 2**LANES))
        lane = compiled[2](bounds, LANES, lanes)
        assert lane == nearest_lane(bounds, LANES, lanes)
        among = [i for i in range(LANES) if lanes >> i & 1]
        assert lane in among
        assert bounds[LANES + lane] == min(bounds[LANES + i] for i in among)
        assert compiled[3](lanes) == lowest_bit(lanes) == among[0]


def test_sixteen_numbers_are_fetched_at_a_time():
    for size in (16, 48, 1600):
        assert aligned(size).size == size
        assert aligned(size).ctypes.data % 64 == 0
