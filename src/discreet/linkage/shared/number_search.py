"""Nearest records of files with numbers: in blocks by sums of squares, else a k-d tree that also splits by category."""

from __future__ import annotations

import numpy as np

from discreet.contracts.engine import Engine
from discreet.kernels.jit import PlainTwin
from discreet.kernels.linking.block_tree import arrange, lay_out, node_of, search_blocks
from discreet.kernels.linking.mixed_tree import build, leaf_of, search
from discreet.linkage.nearest import Nearest
from discreet.linkage.record_classes import Classes
from discreet.linkage.shared.answers import SearchAnswers, in_blocks
from discreet.linkage.shared.plain_search import search_plainly, work_of
from discreet.linkage.shared.terms import Terms
from discreet.typing import FloatArray, IntArray, LevelArray

__all__ = ["search_numbers"]

_MOST_ROUGH = 1e15  # beyond, products of weights and numbers may not fit single precision
_TOGETHER = 1 << 14  # questions that are put together at a time
_TWIN, _TWIN_OF_BLOCKS = PlainTwin(2e8, search), PlainTwin(2e8, search_blocks)

Limits = tuple[FloatArray, FloatArray]

Tree = tuple[FloatArray, IntArray, IntArray, IntArray, IntArray, FloatArray, int]
"""Tables of terms, where each starts, its codes; what nodes split by, their children and ranges; the metric."""


def search_numbers(
    terms: Terms,
    a: Classes,
    b: Classes,
    limits: Limits | None,
    engine: Engine,
    *,
    second: bool = True,
) -> Nearest:
    """Return for every distinct record of B its nearest of A, where some attributes are numbers.

    Parameters
    ----------
    limits : pair of (n_b, numbers) float64, optional
        The least and the largest coordinate of A that every record of B can come from.
    second : bool
        Whether the second nearest are looked for.
    """
    squares_alone = terms.metric == 0 and not terms.tables
    if (_TWIN_OF_BLOCKS if squares_alone else _TWIN).takes(work_of(terms, a, b)):
        return search_plainly(terms, a, b, limits)
    if squares_alone:
        points = terms.a_numbers[a.taken]
        norm = float(np.sqrt(np.einsum("ip,ip->i", points, points).max(initial=0.0)))
        if norm <= _MOST_ROUGH:
            return _search_in_blocks(terms, a, b, limits, engine, points, norm, second=second)
    return _search_in_tree(terms, a, b, limits, engine, second=second)


def _search_in_blocks(
    terms: Terms,
    a: Classes,
    b: Classes,
    limits: Limits | None,
    engine: Engine,
    points: FloatArray,
    norm: float,
    *,
    second: bool,
) -> Nearest:
    queries = np.ascontiguousarray(terms.b_numbers[b.taken])
    rows = np.empty(len(points), dtype=np.int64)
    arrange(np.ascontiguousarray(points.T), rows)
    points = points[rows]
    tree = lay_out(points)
    nearby = np.empty(len(queries), dtype=np.int64)
    node_of(tree.boxes, tree.starts, len(points), queries, nearby)
    order = np.argsort(nearby, kind="stable").astype(np.int64)
    sizes, slack = a.size[rows], terms.slack(b.taken)
    lowest, highest = _rows_of(limits, terms, b.first)
    answers = SearchAnswers(len(queries))

    def answer(which: IntArray) -> IntArray:
        return search_blocks(
            points, *tree, norm, rows, sizes, queries, which, lowest, highest, slack, second,
            *answers.arrays,
        )  # fmt: skip

    return answers.nearest(in_blocks(order, answer, engine), order, a, terms)


def _search_in_tree(
    terms: Terms, a: Classes, b: Classes, limits: Limits | None, engine: Engine, *, second: bool
) -> Nearest:
    columns = np.ascontiguousarray(_points(terms.a_codes, terms.a_numbers, a.first).T)
    rows, tree = _grown(columns, terms)
    for column in columns:  # one after the other, so that never two copies of all are held
        column[:] = column[rows]
    sorted_sizes, slack = a.size[rows], terms.slack(b.first)
    answers = SearchAnswers(b.first.size)

    # Questions are put together when they are asked, a block at a time: all of them would be as large as the tree.
    def leaves_of(block: IntArray) -> IntArray:
        leaves = np.empty(block.size, dtype=np.int64)
        leaf_of(_points(terms.b_codes, terms.b_numbers, block), *tree, leaves)
        return leaves

    def answer(which: IntArray) -> IntArray:
        block, some = b.first[which], SearchAnswers(which.size)
        lowest, highest = _rows_of(limits, terms, block)
        tied = search(
            columns, rows, sorted_sizes, *tree, _points(terms.b_codes, terms.b_numbers, block), np.arange(which.size),
            lowest, highest, slack[which], second, *some.arrays,
        )  # fmt: skip
        answers.enter(which, some)
        return tied

    leaves = engine.map(leaves_of, np.array_split(b.first, 1 + b.first.size // _TOGETHER))
    order = np.argsort(np.concatenate(leaves), kind="stable")
    return answers.nearest(in_blocks(order, answer, engine), order, a, terms)


def _points(codes: LevelArray, numbers: FloatArray, rows: IntArray) -> FloatArray:
    """Return some records as the tree sees them: categories as codes, then the numbers."""
    result = np.empty((rows.size, codes.shape[1] + numbers.shape[1]))
    for p, column in enumerate(codes.T):
        result[:, p] = column[rows]
    result[:, codes.shape[1] :] = numbers[rows]
    return result


def _grown(columns: FloatArray, terms: Terms) -> tuple[IntArray, Tree]:
    """Build the tree: return the rows in the order of its leaves, and what kernels read of it."""
    dims, n = columns.shape
    flat, starts, sizes = terms.flattened(dims)
    # A leaf is compared as a whole, many rows at a time: the more dimensions, the less a split saves.
    leaf = int(np.clip(6 * dims, 8, 64))
    room = 2 * n + 1
    rows, attribute = np.empty(n, dtype=np.int64), np.empty(room, dtype=np.int64)
    child, ranges = np.empty((room, 2), dtype=np.int64), np.empty((room, 4))
    nodes = build(columns, flat, starts, sizes, leaf, rows, attribute, child, ranges)
    tree = (flat, starts, sizes, attribute[:nodes].copy(), child[:nodes].copy(), ranges[:nodes].copy(), terms.metric)
    return rows, tree


def _rows_of(limits: Limits | None, terms: Terms, rows: IntArray) -> Limits:
    """Return the limits of some records of B; no rows where there are none."""
    if limits is None:
        none = np.empty((0, len(terms.numbers)))
        return none, none
    return limits[0][rows], limits[1][rows]
