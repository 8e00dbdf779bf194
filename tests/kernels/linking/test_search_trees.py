"""What the trees of the linkage kernels promise about themselves."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from discreet.kernels.linking.cell_index import index_cells
from discreet.kernels.linking.mixed_tree import build, halve, leaf_of, search, spread
from discreet.kernels.linking.nearest_list import tied_up_to
from discreet.kernels.linking.prefix_tree import nearest_in_tree, prefixes


def built(columns, terms, sizes, leaf):
    dims, n = columns.shape
    starts = np.full(dims + 1, terms.size, dtype=np.int64)
    starts[: sizes.size] = np.concatenate([[0], np.cumsum(sizes**2)])[: sizes.size]
    rows, attribute = np.empty(n, dtype=np.int64), np.empty(2 * n + 1, dtype=np.int64)
    child, ranges = np.empty((2 * n + 1, 2), dtype=np.int64), np.empty((2 * n + 1, 4))
    nodes = build(columns, terms, starts, sizes, leaf, rows, attribute, child, ranges)
    return rows, attribute[:nodes], child[:nodes], ranges[:nodes], starts


@pytest.mark.parametrize("n", [1, 5, 64, 1000])
def test_leaves_hold_every_row_once_and_ranges_are_tight(n):
    rng = np.random.default_rng(n)
    columns = np.stack([rng.integers(0, 5, n).astype(float), rng.normal(size=n), np.round(rng.normal(size=n))])
    nominal = 1.0 - np.eye(5)
    rows, attribute, child, ranges, _ = built(columns, nominal.ravel(), np.array([5]), 8)
    assert sorted(rows.tolist()) == list(range(n))

    def members(node):
        if attribute[node] < 0:
            return rows[child[node, 0] : child[node, 1]]
        return np.concatenate([members(child[node, 0]), members(child[node, 1])])

    for node in np.flatnonzero(attribute >= 0):
        left, right = (columns[attribute[node], members(c)] for c in child[node])
        assert ranges[node].tolist() == [left.min(), left.max(), right.min(), right.max()]
        assert left.max() <= right.min()
        if attribute[node] == 0:
            assert left.max() < right.min(), "a code goes to one side as a whole"
    leaves = attribute < 0
    covered = np.sort(child[leaves, 0])
    assert covered[0] == 0
    assert (child[leaves, 1] > child[leaves, 0]).all()
    assert (child[leaves, 1] - child[leaves, 0]).sum() == n


def test_equal_rows_stay_in_one_leaf():
    _, attribute, child, _, _ = built(np.ones((2, 100)), np.empty(0), np.empty(0, dtype=np.int64), 8)
    assert attribute.tolist() == [-1]
    assert child[0].tolist() == [0, 100]


def test_a_query_falls_into_the_leaf_of_its_own_row():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(3, 400))
    none = np.empty(0, dtype=np.int64)
    rows, attribute, child, ranges, starts = built(columns, np.empty(0), none, 8)
    leaves = np.empty(400, dtype=np.int64)
    leaf_of(np.ascontiguousarray(columns.T), np.empty(0), starts, none, attribute, child, ranges, 0, leaves)
    first = {int(c[0]): c for c, a in zip(child, attribute, strict=True) if a < 0}
    for query in range(400):
        low, high = first[int(leaves[query])]
        assert query in rows[low:high]


def test_the_mean_term_of_neighbours_by_table_by_steps_and_by_number():
    column, rows = np.array([0.0, 2.0, 1.0, 4.0]), np.arange(4)
    steps = np.array([0.0, 0.5, 2.0, np.inf])
    assert spread(column, rows, 0, 4, steps, 0) == (2.0 + 0.5 + 1e9) / 3
    assert spread(column, rows, 0, 4, np.empty(0), -1) == (4.0 + 1.0 + 9.0) / 3
    # A table has a row for a code of a query: beyond its last row nothing is read.
    table = np.arange(10.0)
    assert spread(column, rows, 0, 4, table, 5) == (2.0 + 6.0 + 9.0) / 3


def test_a_query_goes_to_the_side_with_the_nearer_place():
    columns = np.array([[0.0, 1.0, 2.0, 10.0, 11.0, 12.0]])
    terms, table, steps = np.append(np.arange(0.0, 20.0), 0.0), np.array([0, 20]), np.zeros(1, dtype=np.int64)
    rows, attribute = np.empty(6, dtype=np.int64), np.empty(13, dtype=np.int64)
    child, ranges = np.empty((13, 2), dtype=np.int64), np.empty((13, 4))
    nodes = build(columns, terms, table, steps, 3, rows, attribute, child, ranges)
    leaves = np.empty(4, dtype=np.int64)
    tree = attribute[:nodes], child[:nodes], ranges[:nodes]
    leaf_of(np.array([[0.0], [5.0], [7.0], [19.0]]), terms, table, steps, *tree, 0, leaves)
    assert leaves.tolist() == [0, 0, 3, 3]


def test_prefixes_of_sorted_rows():
    codes = np.array([[0, 0, 1], [0, 2, 0], [0, 2, 3], [4, 0, 0]], dtype=np.int32)
    levels, empty = np.zeros(4, dtype=np.int64), np.empty(1, dtype=np.int32)
    nodes = prefixes(codes, empty, empty, levels, False)
    assert nodes == 2 + 3 + 4
    starts, children = np.empty(nodes + 1, dtype=np.int32), np.empty(nodes + 1, dtype=np.int32)
    prefixes(codes, starts, children, levels, True)
    assert levels.tolist() == [0, 2, 5, 9]
    assert starts.tolist() == [0, 3, 0, 1, 3, 0, 1, 2, 3, 4]
    assert children[:5].tolist() == [2, 4, 5, 6, 8]


TABLES = [np.array([[0.0, 1.0, np.inf, 2.0], [1.0, 0.0, 3.0, 2.5], [2.0, 1.5, 0.0, np.inf]]), np.arange(6.0) ** 2 / 4]


def mixed_files(n, n_b, seed):
    """A nominal attribute of 4 codes, 3 of them with queries, an ordered one of 6, and two numbers on a grid."""
    rng = np.random.default_rng(seed)
    columns = np.stack([rng.integers(0, 4, n), rng.integers(0, 6, n), *rng.integers(-3, 4, (2, n)) / 2])
    queries = np.column_stack([rng.integers(0, 3, n_b), rng.integers(0, 6, n_b), *rng.integers(-3, 4, (2, n_b)) / 2])
    return columns, queries


def distances(columns, query, metric):
    rows = [TABLES[0][int(query[0])][columns[0].astype(int)], TABLES[1][abs(columns[1] - query[1]).astype(int)]]
    for p in (2, 3):
        gap = abs(columns[p] - query[p])
        rows.append(gap * gap if metric == 0 else gap)
    return np.max(rows, axis=0) if metric == 2 else rows[0] + rows[1] + rows[2] + rows[3]


def found(columns, queries, metric, leaf, limits, slack, sizes, *, second=True):
    dims, n = columns.shape
    terms = np.concatenate([table.ravel() for table in TABLES])
    table, codes_of = np.array([0, 12, 18, 18, 18])[: dims + 1], np.array([4, 0])
    rows, attribute = np.empty(n, dtype=np.int64), np.empty(2 * n + 1, dtype=np.int64)
    child, ranges = np.empty((2 * n + 1, 2), dtype=np.int64), np.empty((2 * n + 1, 4))
    nodes = build(columns, terms, table, codes_of, leaf, rows, attribute, child, ranges)
    tree = terms, table, codes_of, attribute[:nodes], child[:nodes], ranges[:nodes]
    m = len(queries)
    answers = np.full(m, -9), np.full(m, -9.0), np.full(m, -9), np.full(m, -9.0), np.full(m, -9)
    which = np.arange(m)[::-1].copy()
    tied = search(
        np.ascontiguousarray(columns[:, rows]), rows, sizes[rows], *tree, metric, queries, which, *limits, slack,
        second, *answers,
    )  # fmt: skip
    ends = np.cumsum(answers[4][which])
    assert ends[-1] == tied.size
    return answers, {int(k): tied[end - answers[4][k] : end].tolist() for k, end in zip(which, ends, strict=True)}


@pytest.mark.parametrize("limited", [True, False])
@pytest.mark.parametrize("metric", [0, 1, 2])
@pytest.mark.parametrize(("n", "leaf"), [(1, 1), (40, 1), (300, 8)])
def test_nearest_in_a_mixed_tree_are_those_of_all_rows(n, leaf, metric, limited):
    columns, queries = mixed_files(n, 60, n)
    rng = np.random.default_rng(metric)
    slack = rng.choice([0.0, 0.6], 60)
    none = np.empty((0, 2))
    limits = (queries[:, 2:] - 0.5, queries[:, 2:] + rng.choice([0.0, 1.0], (60, 2))) if limited else (none, none)
    answers, tied = found(columns, queries, metric, leaf, limits, slack, np.ones(n, dtype=np.int64))
    for k, query in enumerate(queries):
        d = distances(columns, query, metric)
        if limited:
            inside = [(limits[0][k, j] <= columns[2 + j]) & (columns[2 + j] <= limits[1][k, j]) for j in range(2)]
            d = np.where(inside[0] & inside[1], d, np.inf)
        nearest = float(d.min())
        limit = tied_up_to(nearest, slack[k], metric == 0)
        ties = np.flatnonzero((d <= limit) & (d < np.inf)).tolist()
        others = sorted((x, c) for c, x in enumerate(d.tolist()) if limit < x < np.inf)
        runner = (nearest, ties[1]) if len(ties) > 1 else (others or [(np.inf, -1)])[0]
        assert tied[k] == ties
        assert tuple(answer[k] for answer in answers) == (
            ties[0] if ties else -1,
            nearest,
            runner[1],
            runner[0],
            len(ties),
        )


def test_a_class_of_several_records_asks_for_no_second_one():
    columns, queries = mixed_files(120, 40, 5)
    none, many = (np.empty((0, 2)),) * 2, np.full(120, 2)
    for sizes, second in ((many, True), (many // 2, False)):
        (best, score, _, second_score, counts), tied = found(
            columns, queries, 0, 4, none, np.zeros(40), sizes, second=second
        )
        for k, query in enumerate(queries):
            d = distances(columns, query, 0)
            assert tied[k] == np.flatnonzero(d == d.min()).tolist()
            assert (best[k], score[k], counts[k]) == (tied[k][0], d.min(), len(tied[k]))
            assert second_score[k] >= score[k]


def test_thousands_are_tied_in_one_leaf_and_the_next_is_beyond_them():
    # More than are compared at a time, and more than a list has room for at first.
    columns = np.zeros((4, 9000))
    columns[3, 8999] = 1.5
    queries = np.array([[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0]])
    answers, tied = found(columns, queries, 0, 9000, (np.empty((0, 2)),) * 2, np.zeros(2), np.ones(9000, dtype=int))
    assert tied == {0: list(range(8999)), 1: [8999]}
    assert [answer.tolist() for answer in answers] == [[0, 8999], [0.0, 0.25], [1, 0], [0.0, 4.0], [8999, 1]]


@pytest.mark.parametrize("middle", [0, 1, 4, 8])
def test_halves_are_told_apart_by_value(middle):
    column = np.array([5.0, 1.0, 4.0, 4.0, 9.0, 1.0, 0.0, 7.0, 4.0, -3.0])
    rows = np.arange(10)
    halve(column, rows, 0, 9, middle)
    assert rows[9] == 9, "rows outside stay where they are"
    assert sorted(rows.tolist()) == list(range(10))
    assert max(column[rows[:middle]], default=-9.0) <= min(column[rows[middle:9]])


CATEGORIES = [
    np.array([[0.0, 2.0, 3.0], [2.0, 0.0, np.inf], [2.5, 2.0, 0.5], [2.0, 4.0, 2.0]]),  # nobody has a query's last code
    np.array([[0.0, 1.5, 1.5, 2.0], [1.5, 0.0, 1.0, 1.0], [1.0, 3.0, 0.0, 1.0], [2.0, 1.0, 1.0, 0.0]]),
    np.array([0.0, 0.25, 0.25, 1.0, np.inf]),  # by steps
]


def found_by_prefix(rows, queries, stages, *, largest=False, through=True, second=True, several=False):
    """Search in a tree of the rows: without cells (0 stages), or whose cells are of the first two attributes."""
    n, m = len(rows), len(queries)
    levels, empty = np.zeros(4, dtype=np.int64), np.empty(1, dtype=np.int32)
    nodes = prefixes(rows, empty, empty, levels, False)
    starts, children = np.empty(nodes + 1, dtype=np.int32), np.empty(nodes + 1, dtype=np.int32)
    prefixes(rows, starts, children, levels, True)
    gaps = np.full((3, 5), np.inf)
    for p, table in enumerate(CATEGORIES):
        for own in range(len(table)):
            others = {int(code) for code in rows[:, p]} - {own}
            reached = [table[abs(own - code)] if table.ndim == 1 else table[own, code] for code in others]
            gaps[p, own] = min(reached, default=np.inf)
    heads = rows[starts[levels[1] : levels[2]]].astype(np.uint64)
    keys = (heads[:, 0] | heads[:, 1] << np.uint64(4)) if stages else np.empty(0, dtype=np.uint64)
    left_out = {0: [], 1: [()], 2: [(), (0,), (1,)], 3: [(), (0,), (1,), (0, 1)]}[stages]
    masks = np.array([255 - sum((15, 240)[j] for j in fields) for fields in left_out], dtype=np.uint64)
    apart = np.array([[*fields, -1, -1][:2] for fields in left_out], dtype=np.int64).reshape(-1, 2)
    cells = np.empty((masks.size, keys.size + 3), dtype=np.int32)
    following = np.empty((masks.size, keys.size), dtype=np.int32)
    index_cells(keys, masks, cells, following)
    answers = np.full(m, -9), np.full(m, -9.0), np.full(m, -9), np.full(m, -9.0), np.full(m, -9)
    which = np.arange(m, dtype=np.int32)[::-1].copy()
    tied = nearest_in_tree(
        rows, np.arange(n, dtype=np.int32)[::-1].copy(), np.full(n, several), starts, children, levels,
        np.concatenate([table.ravel() for table in CATEGORIES]), np.array([0, 12, 28]), np.array([3, 4, 0]), gaps,
        np.arange(3), largest, keys, np.array([0, 4] if stages else [], dtype=np.int64), masks, apart,
        np.array([0, 1, 3, 4][: stages + 1]), cells, following, through, second, queries, which, *answers,
    )  # fmt: skip
    ends = np.cumsum(np.maximum(answers[4][which], 0))
    assert ends[-1] == tied.size
    parts = {int(k): tied[end - max(answers[4][k], 0) : end].tolist() for k, end in zip(which, ends, strict=True)}
    return answers, parts


def far_from(rows, query, largest):
    terms = [CATEGORIES[p][query[p]][rows[:, p]] for p in range(2)]
    terms.append(CATEGORIES[2][abs(rows[:, 2] - query[2])])
    return (np.max(terms, axis=0) if largest else terms[0] + terms[1] + terms[2])[::-1]


def distinct_rows(n, seed):
    every = np.array(list(product(range(3), range(4), range(5))), dtype=np.int32)
    return every[np.sort(np.random.default_rng(seed).choice(60, n, replace=False))]


@pytest.mark.parametrize(("stages", "largest"), [(0, False), (0, True), (1, False), (2, False), (3, False)])
@pytest.mark.parametrize("n", [1, 2, 5, 9, 30, 60])
def test_nearest_in_a_prefix_tree_are_those_of_all_rows(n, stages, largest):
    queries = np.array(list(product(range(4), range(4), range(5))), dtype=np.int32)
    for seed in range(3):
        rows = distinct_rows(n, seed)
        answers, tied = found_by_prefix(rows, queries, stages, largest=largest)
        in_cells, _ = found_by_prefix(rows, queries, stages, largest=largest, through=False)
        for k, query in enumerate(queries):
            d = far_from(rows, query, largest)
            nearest = float(d.min())
            ties = np.flatnonzero((d == nearest) & (d < np.inf)).tolist()
            others = sorted((x, c) for c, x in enumerate(d.tolist()) if nearest < x < np.inf)
            runner = (nearest, ties[1]) if len(ties) > 1 else (others or [(np.inf, -1)])[0]
            expected = (ties[0] if ties else -1, nearest, runner[1], runner[0], len(ties))
            assert tied[k] == ties
            assert tuple(answer[k] for answer in answers) == expected
            if stages == 0 or query[0] == 3:
                assert in_cells[4][k] == -1, "cells are of no use"
            elif in_cells[4][k] != -1:
                assert tuple(answer[k] for answer in in_cells) == expected


def test_cells_suffice_where_two_are_near_and_the_others_are_surely_farther():
    rows = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0], [2, 3, 3]], dtype=np.int32)
    queries = np.array([[0, 0, 0], [1, 0, 0], [2, 3, 3], [1, 1, 1]], dtype=np.int32)
    # Of its own cell the first has two; with one disagreement allowed, the second one has another.
    for stages, counts in ((1, [1, -1, -1, -1]), (2, [1, 1, -1, -1]), (3, [1, 1, 1, 1])):
        answers, _ = found_by_prefix(rows, queries, stages, through=False)
        assert answers[4].tolist() == counts
    for several, second in ((True, True), (False, False)):
        answers, tied = found_by_prefix(rows, queries, 1, through=False, several=several, second=second)
        assert answers[4].tolist() == [1, 1, 1, -1], "who asks for one alone finds it in its own cell"
        assert tied == {0: [3], 1: [1], 2: [0], 3: []}
        assert answers[1][:3].tolist() == [0.0, 0.0, 0.5]


def test_one_query_alone_has_limits():
    columns, queries = mixed_files(50, 1, 8)
    limits = np.full((1, 2), -9.0), np.full((1, 2), -8.0)
    answers, tied = found(columns, queries, 1, 4, limits, np.zeros(1), np.ones(50, dtype=np.int64))
    assert tied == {0: []}
    assert [answer.tolist() for answer in answers] == [[-1], [np.inf], [-1], [np.inf], [0]]
