"""What blocks of sixteen promise about themselves, and the search in them against all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.linking.block_tree import arrange, block_of, lay_out, search_blocks
from discreet.kernels.linking.query_lanes import LANES

SIZES = [1, 2, 15, 16, 17, 255, 257, 300, 4096, 5000]


def arranged(points):
    rows = np.empty(len(points), dtype=np.int64)
    arrange(np.ascontiguousarray(points.T), rows)
    return rows


def searched(points, queries, *, sizes=None, limits=None, slack=0.0, second=True):
    n, m = len(points), len(queries)
    rows = arranged(points)
    norm = float(np.sqrt((points**2).sum(axis=1).max()))
    none = np.empty((0, points.shape[1]))
    lowest, highest = limits or (none, none)
    best, other, counts = (np.empty(m, dtype=np.int64) for _ in range(3))
    score, other_score = np.empty(m), np.empty(m)
    sizes = np.ones(n, dtype=np.int64) if sizes is None else sizes
    tied = search_blocks(
        points[rows], *lay_out(points[rows]), norm, rows, sizes[rows], queries, np.arange(m), lowest, highest,
        np.full(m, slack), second, best, score, other, other_score, counts,
    )  # fmt: skip
    return best, score, other, other_score, counts, tied


def sums_of_squares(points, queries):
    sums = np.zeros((len(queries), len(points)))
    for p in range(points.shape[1]):
        sums += (points[:, p] - queries[:, p, None]) ** 2
    return sums


@pytest.mark.parametrize("n", SIZES)
def test_every_row_lies_in_one_block_and_in_its_boxes(n):
    points = np.random.default_rng(n).normal(size=(n, 3))
    rows = arranged(points)
    assert sorted(rows.tolist()) == list(range(n))
    blocks, boxes, starts = lay_out(points[rows])
    rounded = points[rows].astype(np.float32)
    lanes = blocks.reshape(-1, 4, LANES)
    assert (lanes[:, 3] == 0).all()
    assert (lanes[:, :3].transpose(0, 2, 1).reshape(-1, 3)[:n] == rounded).all()
    ends = [*starts[1:].tolist(), boxes.size]
    for level, (start, end) in enumerate(zip(starts, ends, strict=True)):
        ranges = boxes[start:end].reshape(-1, 4, 2, LANES).transpose(0, 3, 2, 1).reshape(-1, 2, 4)[:, :, :3]
        whole = LANES ** (level + 1)
        for number, (low, high) in enumerate(ranges):
            part = rounded[number * whole : (number + 1) * whole]
            assert (low == (part.min(axis=0) if len(part) else np.inf)).all()
            assert (high == (part.max(axis=0) if len(part) else -np.inf)).all()
    assert ends[-1] - starts[-1] == 4 * 2 * LANES


def test_blocks_are_cut_by_the_attribute_that_varies_most():
    points = np.random.default_rng(0).normal(size=(1024, 2)) * [10.0, 0.01]
    first = points[arranged(points)][:, 0].reshape(-1, LANES)
    assert (np.sort(first.max(axis=1)[:-1]) <= np.sort(first.min(axis=1))[1:]).all()


@pytest.mark.parametrize("n", [1, 17, 5000])
def test_a_query_goes_to_a_block_that_exists(n):
    points = np.random.default_rng(n).normal(size=(n, 2))
    rows = arranged(points)
    _, boxes, starts = lay_out(points[rows])
    queries = np.concatenate([points[rows], [[np.inf, 0.0], [np.nan, np.nan], [1e300, -1e300]]])
    nearby = np.empty(len(queries), dtype=np.int64)
    block_of(boxes, starts, n, queries, nearby)
    assert nearby.min() >= 0
    assert nearby.max() <= (n - 1) // LANES
    assert (nearby[:n] == np.arange(n) // LANES).mean() > 0.8  # the others lie in two boxes


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dims", [1, 2, 5, 13])
@pytest.mark.parametrize("grid", [False, True])
def test_nearest_second_and_ties_are_those_of_all_pairs(n, dims, grid):
    rng = np.random.default_rng(100 * n + dims)
    points = rng.normal(size=(n, dims))
    queries = points[rng.integers(0, n, 40)] + 0.5 * rng.normal(size=(40, dims))
    if grid:
        points, queries = np.unique(np.round(points), axis=0), np.round(queries)
    best, score, other, other_score, counts, tied = searched(points, queries)
    for k, sums in enumerate(sums_of_squares(points, queries)):
        least = sums.min()
        ties = np.flatnonzero(sums <= (least if least == 0 else least * (1 + 2.0**-42)))
        assert (best[k], score[k], counts[k]) == (ties[0], least, ties.size)
        assert tied[: ties.size].tolist() == ties.tolist()
        tied = tied[ties.size :]
        if ties.size > 1:
            assert (other[k], other_score[k]) == (ties[1], least)
            continue
        sums[ties] = np.inf
        assert other_score[k] == sums.min()
        assert other[k] == (np.argmin(sums) if len(points) > 1 else -1)
    assert not tied.size


@pytest.mark.parametrize("scale", [1e-150, 1e-38, 1e-22, 1e-19, 1e-8, 1e8, 1e14])
@pytest.mark.parametrize("offset", [0.0, 1.0, 1e5])
def test_numbers_of_any_size(scale, offset):
    rng = np.random.default_rng(3)
    points = (rng.normal(size=(600, 3)) + offset) * scale
    queries = points[:50] + 1e-3 * scale * rng.normal(size=(50, 3))
    best, score, other, other_score, _, _ = searched(points, queries)
    sums = sums_of_squares(points, queries)
    order = np.argsort(sums, axis=1, kind="stable")
    rows = np.arange(50)
    assert score.tolist() == sums.min(axis=1).tolist()
    if scale > 1e-150:  # where squares do not vanish
        assert best.tolist() == order[:, 0].tolist()
        assert other.tolist() == order[:, 1].tolist()
        assert other_score.tolist() == sums[rows, order[:, 1]].tolist()


def test_everybody_may_be_tied():
    points = np.arange(3000.0)[:, None]
    _, _, _, _, counts, tied = searched(points, np.array([[-1.0], [7.2]]), slack=1e9)
    assert counts.tolist() == [3000, 3000]
    assert tied.tolist() == [*range(3000), *range(3000)]


def test_who_is_outside_the_limits_is_passed_over():
    rng = np.random.default_rng(4)
    points, queries = rng.normal(size=(700, 2)), rng.normal(size=(60, 2))
    width = rng.choice([0.0, 0.05, 3.0], (60, 2))
    best, _, other, _, counts, _ = searched(points, queries, limits=(queries + 0.02, queries + width))
    sums = sums_of_squares(points, queries)
    inside = (points >= queries[:, None] + 0.02) & (points <= (queries + width)[:, None])
    sums[~inside.all(axis=2)] = np.inf
    order = np.argsort(sums, axis=1)
    reached = np.sort(sums, axis=1)[:, :2] < np.inf
    assert (counts == reached[:, 0]).all()
    assert best.tolist() == np.where(reached[:, 0], order[:, 0], -1).tolist()
    assert other.tolist() == np.where(reached[:, 1], order[:, 1], -1).tolist()
    assert 0 < reached[:, 1].sum() < reached[:, 0].sum() < 60


def test_the_nearest_alone():
    rng = np.random.default_rng(5)
    points, queries = rng.normal(size=(900, 4)), rng.normal(size=(80, 4))
    both, alone = searched(points, queries), searched(points, queries, second=False)
    several = searched(points, queries, sizes=np.full(900, 2))
    for result in (0, 1, 4, 5):
        assert both[result].tolist() == alone[result].tolist() == several[result].tolist()
