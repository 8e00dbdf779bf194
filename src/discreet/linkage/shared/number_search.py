"""Nearest records of files with numbers: a k-d tree that also splits by category."""

from __future__ import annotations

import numpy as np

from discreet.contracts.engine import Engine
from discreet.kernels.jit import PlainTwin
from discreet.kernels.linking.mixed_tree import build, leaf_of, search
from discreet.linkage.nearest import Nearest
from discreet.linkage.record_classes import Classes
from discreet.linkage.shared.answers import SearchAnswers, in_blocks
from discreet.linkage.shared.plain_search import search_plainly, work_of
from discreet.linkage.shared.terms import Terms
from discreet.typing import FloatArray, IntArray

__all__ = ["search_numbers"]

_MOST_ROUGH = 1e15  # beyond, products of weights and numbers may not fit single precision
_VECTOR = 32  # rows that are compared roughly at a time: there are so many more behind the last
_TWIN = PlainTwin(2e8, search)


def search_numbers(
    terms: Terms,
    a: Classes,
    b: Classes,
    limits: tuple[FloatArray, FloatArray] | None,
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
    if _TWIN.takes(work_of(terms, a, b)):
        return search_plainly(terms, a, b, limits)
    columns = np.concatenate([terms.a_codes[a.first].T.astype(np.float64), terms.a_numbers[a.first].T])
    queries = np.ascontiguousarray(
        np.concatenate([terms.b_codes[b.first].astype(np.float64), terms.b_numbers[b.first]], axis=1)
    )
    columns = np.ascontiguousarray(columns)
    dims, n = columns.shape
    flat, starts, sizes = terms.flattened(dims)
    # A leaf is compared as a whole, many rows at a time: the more dimensions, the less a split saves.
    roughly = terms.metric == 0 and not terms.tables
    leaf = int(np.clip(12 * dims, 8, 512) if roughly else np.clip(6 * dims, 8, 64))
    room = 2 * n + 1
    rows, attribute = np.empty(n, dtype=np.int64), np.empty(room, dtype=np.int64)
    child, ranges = np.empty((room, 2), dtype=np.int64), np.empty((room, 4))
    nodes = build(columns, flat, starts, sizes, leaf, rows, attribute, child, ranges)
    tree = (flat, starts, sizes, attribute[:nodes].copy(), child[:nodes].copy(), ranges[:nodes].copy(), terms.metric)
    leaves = np.empty(len(queries), dtype=np.int64)
    leaf_of(queries, *tree, leaves)
    order = np.argsort(leaves, kind="stable").astype(np.int64)
    columns = np.ascontiguousarray(columns[:, rows])
    norm = float(np.sqrt(np.einsum("pi,pi->i", columns, columns).max(initial=0.0)))
    rough = np.zeros((-(-dims // 4) * 4 if roughly and norm <= _MOST_ROUGH else 0, n + _VECTOR), dtype=np.float32)
    if len(rough):
        rough[:dims, :n] = columns
    sorted_sizes = a.size[rows]
    none = np.empty((0, len(terms.numbers)))
    lowest, highest = (none, none) if limits is None else (x[b.first] for x in limits)
    slack = terms.slack(b.first)
    answers = SearchAnswers(len(queries))

    def answer(which: IntArray) -> IntArray:
        return search(
            columns, rough, norm, rows, sorted_sizes, *tree, queries, which, lowest, highest, slack, second,
            *answers.arrays,
        )  # fmt: skip

    return answers.nearest(in_blocks(order, answer, engine), order, a, terms)
