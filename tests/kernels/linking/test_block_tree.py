"""What blocks promise about themselves, and the search in them against all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.linking.block_tree import arrange, lay_out, node_of, search_blocks
from discreet.kernels.linking.query_lanes import LANES, ROWS

NODE = LANES * ROWS
SIZES = [1, 2, 31, 32, 33, 511, 513, 600, 8192, 9000]


def arranged(points):
    rows = np.empty(len(points), dtype=np.int64)
    arrange(np.ascontiguousarray(points.T), rows)
    return rows


def searched(points, queries, *, sizes=None, limits=None, slack=0.0, second=True):
    n, m = len(points), len(queries)
    rows = arranged(points)
    norm = float(np.sqrt((points**2).sum(axis=1).max(initial=0.0)))
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
def test_every_row_lies_in_its_leaf_and_in_its_boxes(n):
    points = np.random.default_rng(n).normal(size=(n, 3)) * [1.0, 5.0, 0.2] + [0.0, 50.0, 0.0]
    rows = arranged(points)
    assert sorted(rows.tolist()) == list(range(n))
    layout = lay_out(points[rows])
    nodes = -(-n // NODE)
    codes = layout.rows.reshape(nodes * LANES, 2, ROWS, 2).transpose(0, 2, 1, 3).reshape(-1, 4).astype(np.int64)
    assert (codes[:, 3] == 0).all()
    # A unit is where it was said to be, and a record is half a unit from its code at most.
    node = np.arange(n) // NODE
    middles = layout.middles.reshape(nodes, LANES)
    assert (middles[:, 3:] == 0).all()
    units = (points[rows] - middles[node, :3]) * layout.per_unit[node, None].astype(float)
    assert np.abs(codes[:n, :3] - units).max() <= 0.5 + 1e-9
    largest = np.abs(codes).max()
    assert 3 * largest <= layout.farthest <= 2**15 - 1 - largest
    assert 4 * (layout.farthest + largest) ** 2 <= 2**31 - 1
    ends = layout.leaves.reshape(nodes, 2, 2, LANES, 2).transpose(0, 3, 2, 1, 4).reshape(-1, 2, 4)
    parts = codes.reshape(-1, ROWS, 4)
    assert (ends[:, 0] == parts.min(axis=1)).all()
    assert (ends[:, 1] == parts.max(axis=1)).all()
    level_ends = [*layout.starts[1:].tolist(), layout.boxes.size]
    for level, (start, end) in enumerate(zip(layout.starts, level_ends, strict=True)):
        ranges = layout.boxes[start:end].reshape(-1, 4, 2, LANES).transpose(0, 3, 2, 1).reshape(-1, 2, 4)[:, :, :3]
        whole = NODE * LANES**level
        for number, (low, high) in enumerate(ranges):
            part = points[rows][number * whole : (number + 1) * whole].astype(np.float32)
            assert (low == (part.min(axis=0) if len(part) else np.inf)).all()
            assert (high == (part.max(axis=0) if len(part) else -np.inf)).all()
    assert level_ends[-1] - layout.starts[-1] == 4 * 2 * LANES


@pytest.mark.parametrize("dims", [1, 2, 9, 64, 200])
def test_sums_of_squares_fit_however_many_attributes_there_are(dims):
    points = np.random.default_rng(dims).choice([-1.0, 1.0], (600, dims))
    layout = lay_out(points)
    largest = int(np.abs(layout.rows.astype(np.int64)).max())
    assert largest > 50
    assert (dims + dims % 2) * (int(layout.farthest) + largest) ** 2 <= 2**31 - 1
    best, score, *_ = searched(points, 1000.0 * points[:5])
    sums = sums_of_squares(points, 1000.0 * points[:5])
    assert (best.tolist(), score.tolist()) == (sums.argmin(axis=1).tolist(), sums.min(axis=1).tolist())


def test_leaves_are_cut_by_the_attribute_that_varies_most():
    points = np.random.default_rng(0).normal(size=(2048, 2)) * [10.0, 0.01]
    first = points[arranged(points)][:, 0].reshape(-1, ROWS)
    assert (np.sort(first.max(axis=1)[:-1]) <= np.sort(first.min(axis=1))[1:]).all()


@pytest.mark.parametrize("n", [1, 33, 20000])
def test_a_query_goes_to_a_node_that_exists(n):
    points = np.random.default_rng(n).normal(size=(n, 2))
    rows = arranged(points)
    layout = lay_out(points[rows])
    queries = np.concatenate([points[rows], [[np.inf, 0.0], [np.nan, np.nan], [1e300, -1e300]]])
    nearby = np.empty(len(queries), dtype=np.int64)
    node_of(layout.boxes, layout.starts, n, queries, nearby)
    assert nearby.min() >= 0
    assert nearby.max() <= (n - 1) // NODE
    assert (nearby[:n] == np.arange(n) // NODE).mean() > 0.8  # the others lie in two boxes


def test_nobody_is_near_where_there_is_nobody():
    best, score, other, other_score, counts, tied = searched(np.empty((0, 3)), np.zeros((2, 3)))
    assert best.tolist() == other.tolist() == [-1, -1]
    assert score.tolist() == other_score.tolist() == [np.inf, np.inf]
    assert counts.tolist() == [0, 0]
    assert not tied.size


def test_queries_that_are_far_away_or_nowhere():
    points = np.random.default_rng(8).normal(size=(700, 3))
    queries = np.array([[1e300, 0, 0], [1e30, 1e30, 0], [0, np.nan, 0], [-1e7, 0, 1e7], [np.inf, 0, 0]])
    best, score, *_ = searched(points, queries)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = sums_of_squares(points, queries)
    assert best[[0, 2, 4]].tolist() == [-1, -1, -1]
    assert score[[1, 3]].tolist() == sums[[1, 3]].min(axis=1).tolist()
    assert best[[1, 3]].tolist() == sums[[1, 3]].argmin(axis=1).tolist()


# Where one record of a node is far away, all others have the same code.
@pytest.mark.parametrize("outlier", [1e2, 1e6, 1e12])
def test_records_in_the_shadow_of_one_that_is_far_away(outlier):
    rng = np.random.default_rng(9)
    points = np.concatenate([rng.normal(size=(900, 4)), [[outlier, 0, 0, 0], [0, -outlier, 0, 0]]])
    queries = points[:60] + 1e-3 * rng.normal(size=(60, 4))
    best, score, other, other_score, _, _ = searched(points, queries)
    sums = sums_of_squares(points, queries)
    order = np.argsort(sums, axis=1, kind="stable")
    assert best.tolist() == order[:, 0].tolist()
    assert other.tolist() == order[:, 1].tolist()
    assert score.tolist() == sums.min(axis=1).tolist()
    assert other_score.tolist() == sums[np.arange(60), order[:, 1]].tolist()


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
@pytest.mark.parametrize("offset", [0.0, 1.0, 1e5, 3e6])
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


def test_limits_of_one_query_include_their_ends():
    points, queries = (
        np.array([[0.0, 0.0], [1.0, 2.0], [1.0, 3.0], [4.0, 2.0], [4.0, 3.0], [5.0, 3.0]]),
        np.zeros((1, 2)),
    )
    limits = np.array([[1.0, 2.0]]), np.array([[4.0, 3.0]])
    best, score, other, other_score, counts, _ = searched(points, queries, limits=limits)
    assert (best[0], score[0], other[0], other_score[0], counts[0]) == (1, 5.0, 2, 10.0, 1)


def test_queries_are_answered_in_any_sequence_with_their_own_limits_and_slack():
    points, queries = np.array([[0.0], [1.0], [2.5], [9.0]]), np.array([[0.9], [0.4], [8.0], [2.0]])
    lowest, highest = np.array([[0.0], [0.5], [0.0], [-1.0]]), np.array([[9.0], [9.0], [2.5], [0.0]])
    slack = np.array([0.0, 5.0, 2.0, 1.0])
    rows = arranged(points)
    best, other, counts = (np.full(4, -7) for _ in range(3))
    score, other_score = np.full(4, -7.0), np.full(4, -7.0)
    tied = search_blocks(
        points[rows], *lay_out(points[rows]), 9.0, rows, np.ones(4, dtype=np.int64), queries, np.array([3, 1, 2]),
        lowest, highest, slack, True, best, score, other, other_score, counts,
    )  # fmt: skip
    assert tied.tolist() == [0, 1, 2, 1, 2]
    assert (best.tolist(), counts.tolist(), other.tolist()) == ([-7, 1, 1, 0], [-7, 2, 2, 1], [-7, 2, 2, -1])
    assert score == pytest.approx([-7.0, 0.36, 30.25, 4.0])
    assert other_score == pytest.approx([-7.0, 0.36, 30.25, np.inf])
