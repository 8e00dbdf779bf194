"""Vectors of sixteen against the plain functions that say what they do."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from discreet.kernels.jit import _teach_compiler
from discreet.kernels.lanes import lowest_bit
from discreet.kernels.linking.query_lanes import (
    LANES,
    ROWS,
    aligned,
    code_query,
    near_boxes,
    near_leaves,
    near_rows,
    nearest_lane,
    still_near,
)


@pytest.fixture(scope="module")
def compiled():
    import numba

    _teach_compiler()

    @numba.njit
    def codes(query, origins, start, per_unit, most, out):
        return code_query(query, origins, start, per_unit, most, out)

    @numba.njit
    def rows(blocks, start, query, pairs, most, sums, at):
        return near_rows(blocks, start, query, pairs, most, sums, at)

    @numba.njit
    def leaves(ends, start, query, pairs, most, sums, at):
        return near_leaves(ends, start, query, pairs, most, sums, at)

    @numba.njit
    def boxes(bounds_of, start, query, attributes, limit, bounds, at):
        return near_boxes(bounds_of, start, query, attributes, limit, bounds, at)

    @numba.njit
    def still(sums, at, most):
        return still_near(sums, at, most)

    @numba.njit
    def nearest(bounds, at, lanes):
        return nearest_lane(bounds, at, lanes)

    @numba.njit
    def first(lanes):
        return lowest_bit(lanes)

    return SimpleNamespace(
        codes=codes, rows=rows, leaves=leaves, boxes=boxes, still=still, nearest=nearest, first=first
    )


@pytest.mark.parametrize("per_unit", [0.0, 1.0, 37.3, 1e30])
def test_a_query_in_units(compiled, per_unit):
    rng = np.random.default_rng(1)
    origins = rng.normal(size=96).astype(np.float32)
    query = rng.normal(size=32).astype(np.float32) * np.float32(10.0)
    query[:5] = [np.nan, np.inf, -np.inf, origins[36], origins[36] + 0.5]
    ours, codes = np.zeros(32, dtype=np.int16), np.zeros(32, dtype=np.int16)
    most = np.float32(300.0)
    with np.errstate(invalid="ignore", over="ignore"):
        code_query(query, origins, 32, np.float32(per_unit), most, codes)
    compiled.codes(query, origins, 32, np.float32(per_unit), most, ours)
    assert ours.tolist() == codes.tolist()
    assert (np.abs(ours.astype(int)) <= 300).all()


@pytest.mark.parametrize("pairs", [1, 2, 5, 6, 19])
@pytest.mark.parametrize("largest", [4, 1800])
def test_rows_in_units(compiled, pairs, largest):
    rng = np.random.default_rng(pairs)
    blocks = rng.integers(-largest, largest + 1, 3 * 2 * ROWS * pairs).astype(np.int16)
    sums, ours = np.zeros(ROWS + 3, dtype=np.float32), np.zeros(ROWS + 3, dtype=np.float32)
    seen = set()
    for share in (0.0, 0.3, 0.7, 0.9, 1.0, 1.3, 100.0):
        query = rng.integers(-3 * largest, 3 * largest + 1, 2 * pairs + 6).astype(np.int16)
        most = int(min(20 / 3 * largest**2 * pairs * share, 2**31 - 1))
        for start in range(0, blocks.size, 2 * ROWS * pairs):
            lanes = near_rows(blocks, start, query, pairs, most, sums, 3)
            assert compiled.rows(blocks, start, query, pairs, most, ours, 3) == lanes
            assert ours.view(np.int32).tolist() == sums.view(np.int32).tolist()
            assert compiled.still(ours, 3, most // 2) == still_near(sums, 3, most // 2)
            seen.add(lanes)
    assert {0, 2**ROWS - 1} < seen


@pytest.mark.parametrize("pairs", [1, 5, 13])
def test_leaves_in_units(compiled, pairs):
    rng = np.random.default_rng(pairs)
    ends = np.sort(rng.integers(-900, 901, (2, pairs, 2, LANES, 2)), axis=2).astype(np.int16)
    sums, ours = np.zeros(3 * LANES, dtype=np.float32), np.zeros(3 * LANES, dtype=np.float32)
    for number in range(40):
        query = rng.integers(-2700, 2701, 2 * pairs).astype(np.int16)
        most = number * pairs * 100_000
        start = (number % 2) * 4 * LANES * pairs
        lanes = near_leaves(ends.ravel(), start, query, pairs, most, sums, LANES)
        assert compiled.leaves(ends.ravel(), start, query, pairs, most, ours, LANES) == lanes
        assert ours.view(np.int32).tolist() == sums.view(np.int32).tolist()


# Whole numbers, so that no sum depends on its order.
@pytest.mark.parametrize("attributes", [2, 10, 12, 26])
def test_boxes_within_the_limit(compiled, attributes):
    rng = np.random.default_rng(attributes)
    ends = np.sort(rng.integers(-9, 10, (2, attributes, 2, LANES)), axis=2).astype(np.float32)
    ends[1, :, 0, 5:], ends[1, :, 1, 5:] = np.inf, -np.inf  # where there is no box
    bounds, ours = np.zeros(3 * LANES, dtype=np.float32), np.zeros(3 * LANES, dtype=np.float32)
    for number in range(40):
        query = rng.integers(-9, 10, attributes + 3).astype(np.float32)
        limit = np.float32(number * attributes)
        start = (number % 2) * 2 * LANES * attributes
        lanes = near_boxes(ends.ravel(), start, query, attributes, limit, bounds, LANES)
        assert compiled.boxes(ends.ravel(), start, query, attributes, limit, ours, LANES) == lanes
        assert ours.tolist() == bounds.tolist()


def test_the_nearest_and_the_lowest_bit(compiled):
    rng = np.random.default_rng(1)
    bounds = np.zeros(2 * LANES, dtype=np.float32)
    for _ in range(200):
        bounds[LANES:] = rng.choice([0.0, 1e-40, 0.5, 0.50001, 3.0, 1e30, np.inf], LANES)
        lanes = int(rng.integers(1, 2**LANES))
        lane = compiled.nearest(bounds, LANES, lanes)
        assert lane == nearest_lane(bounds, LANES, lanes)
        among = [i for i in range(LANES) if lanes >> i & 1]
        assert lane in among
        assert bounds[LANES + lane] == min(bounds[LANES + i] for i in among)
        assert compiled.first(lanes) == lowest_bit(lanes) == among[0]


@pytest.mark.parametrize("kind", [np.float32, np.int16])
def test_vectors_are_fetched_at_a_time(kind):
    for size in (16, 48, 1600):
        values = np.arange(size, dtype=kind).reshape(2, -1).T
        flat = aligned(values)
        assert flat.tolist() == values.ravel().tolist()
        assert flat.ctypes.data % 64 == 0
