"""What the trees of the linkage kernels promise about themselves."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.linking.mixed_tree import build, leaf_of, spread
from discreet.kernels.linking.prefix_tree import prefixes


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
