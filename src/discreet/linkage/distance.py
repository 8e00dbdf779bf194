"""Distance-based record linkage: every released record belongs to the nearest original."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.base import Engine, Linker, register
from discreet.kernels.mixed_tree import build, leaf_of, search
from discreet.kernels.prefix_tree import nearest_in_tree, prefixes
from discreet.linkage.assignment import assigned
from discreet.linkage.pattern_links import Classes, Found
from discreet.linkage.results import links_of
from discreet.linkage.terms import METRICS, Terms, classes_of, prepare
from discreet.microdata import Microdata
from discreet.parameters import ByName, Choice, Constraint, Flag, Names, Number, Optional
from discreet.progress import report
from discreet.results import Links
from discreet.typing import FloatArray, IntArray

__all__ = ["DistanceLinkage", "link_by_terms"]

_BLOCK = 4096


@register("distance")
class DistanceLinkage(Linker):
    """Link each record to the nearest one over all pairs.

    The squared distance is a sum over attributes: numbers differ by their difference in standard deviations of the
    first file, ordered levels by their positions divided by the number of levels, unordered ones by 0 or 1. Every
    attribute counts alike unless weights say otherwise.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder knows; by default the keys that both files have.
    metric : {"euclidean", "mahalanobis", "manhattan", "max"}
        The root of the sum of squared differences, the same on uncorrelated directions of the numbers, the sum of
        differences, or the largest difference.
    weights : mapping of str to float, optional
        What an attribute counts for; 1 where it is not named.
    one_to_one : bool
        Whether every record of the first file is taken at most once: the assignment with the least sum of distances.

    Notes
    -----
    Exact: the result is that of comparing all pairs. Categories alone are searched by branch and bound in a prefix
    tree of distinct records, files with numbers in a k-d tree; both are far below n_a · n_b in time where records are
    not too far from their nearest, and O(n) in memory. An assignment compares all pairs and is limited to 5,000
    records. The records of the first file that are equal on the attributes are one class, so a tie among them costs
    nothing. Ties go to the lowest position. A missing category is a category of its own; missing numbers are refused.
    Under ``"mahalanobis"`` a direction in which the first file does not vary is left out.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Distance-based and probabilistic record linkage for categorical data.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"size": [1.0, 2.0, 9.0]})
    >>> links = DistanceLinkage().link(a, pl.DataFrame({"size": [1.1, 1.5, 8.0]}))
    >>> links.best.tolist(), links.ties.tolist()
    ([0, 0, 2], [1, 2, 1])
    """

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    joins_levels: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "attributes": Optional(Names()),
        "metric": Choice(METRICS),
        "weights": Optional(ByName(Number(0, open_low=True))),
        "one_to_one": Flag(),
    }

    def __init__(
        self,
        *,
        attributes: Sequence[str] | None = None,
        metric: str = "euclidean",
        weights: Mapping[str, float] | None = None,
        one_to_one: bool = False,
    ) -> None:
        self.attributes = attributes
        self.metric = metric
        self.weights = weights
        self.one_to_one = one_to_one

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(metric="mahalanobis"), cls(metric="manhattan"), cls(metric="max"), cls(one_to_one=True)]

    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        terms = prepare(type(self).__name__, a, b, names, self.metric, self.weights)
        return link_by_terms(type(self), terms, names, engine, one_to_one=self.one_to_one)


def link_by_terms(
    linker: type[Linker],
    terms: Terms,
    names: tuple[str, ...],
    engine: Engine,
    *,
    one_to_one: bool = False,
    limits: tuple[FloatArray, FloatArray] | None = None,
) -> Links:
    """Search the nearest records and put them into links.

    Parameters
    ----------
    limits : pair of (n_b, numbers) float64, optional
        The least and the largest coordinate of A that every record of B can come from.
    """
    classes = classes_of(terms.a_codes, terms.a_numbers)
    if one_to_one:
        return assigned(linker, terms, classes, names, limits)
    # Records of B with different limits are different questions even where their values are equal.
    asked = terms.b_numbers if limits is None else np.concatenate([terms.b_numbers, *limits], axis=1)
    questions = classes_of(terms.b_codes, asked)
    if terms.numbers:
        found = _search_numbers(terms, classes, questions, limits, engine)
    else:
        found = _search_categories(terms, classes, questions, engine)
    return links_of(found.records(questions.label), classes, names, linker.name)


def _search_numbers(
    terms: Terms, a: Classes, b: Classes, limits: tuple[FloatArray, FloatArray] | None, engine: Engine
) -> Found:
    columns = np.concatenate([terms.a_codes[a.first].T.astype(np.float64), terms.a_numbers[a.first].T])
    queries = np.ascontiguousarray(
        np.concatenate([terms.b_codes[b.first].astype(np.float64), terms.b_numbers[b.first]], axis=1)
    )
    columns = np.ascontiguousarray(columns)
    dims, n = columns.shape
    flat, starts, sizes = _flattened(terms, dims)
    # A leaf is compared as a whole, many rows at a time: the more dimensions, the less a split saves.
    leaf = int(np.clip(6 * dims, 8, 64))
    room = 2 * n + 1
    rows, attribute = np.empty(n, dtype=np.int64), np.empty(room, dtype=np.int64)
    child, ranges = np.empty((room, 2), dtype=np.int64), np.empty((room, 4))
    nodes = build(columns, flat, starts, sizes, leaf, rows, attribute, child, ranges)
    tree = (flat, starts, sizes, attribute[:nodes].copy(), child[:nodes].copy(), ranges[:nodes].copy(), terms.metric)
    leaves = np.empty(len(queries), dtype=np.int64)
    leaf_of(queries, *tree, leaves)
    order = np.argsort(leaves, kind="stable").astype(np.int64)
    columns = np.ascontiguousarray(columns[:, rows])
    sorted_sizes = a.size[rows]
    none = np.empty((0, len(terms.numbers)))
    lowest, highest = (none, none) if limits is None else (x[b.first] for x in limits)
    out = _Out(len(queries))

    def answer(which: IntArray) -> IntArray:
        return search(columns, rows, sorted_sizes, *tree, queries, which, lowest, highest, *out.arrays)

    return out.found(_in_blocks(order, answer, engine), order, a, terms)


def _search_categories(terms: Terms, a: Classes, b: Classes, engine: Engine) -> Found:
    # The attribute that tells most apart comes first in the tree: its branches fall away first.
    order = sorted(range(len(terms.tables)), key=lambda p: -_mean_term(terms, p))
    flat, starts, sizes = _flattened(terms, len(order), order)
    gaps = np.full((len(order), max(t.shape[0] for t in terms.tables)), np.inf)
    for place, p in enumerate(order):
        others = terms.tables[p].copy()
        square = min(others.shape)
        others[np.arange(square), np.arange(square)] = np.inf
        gaps[place, : others.shape[0]] = others.min(axis=1)
    a_codes, b_codes = terms.a_codes[a.first][:, order], terms.b_codes[b.first][:, order]
    a_sorted, b_sorted = np.lexsort(a_codes.T[::-1]), np.lexsort(b_codes.T[::-1])
    rows, queries = np.ascontiguousarray(a_codes[a_sorted]), np.ascontiguousarray(b_codes)
    levels, empty = np.zeros(len(order) + 1, dtype=np.int64), np.empty(1, dtype=np.int32)
    nodes = prefixes(rows, empty, empty, levels, False)
    firsts, children = np.empty(nodes + 1, dtype=np.int32), np.empty(nodes + 1, dtype=np.int32)
    prefixes(rows, firsts, children, levels, True)
    back = np.argsort(order).astype(np.int64)
    ids = a_sorted.astype(np.int64)
    tree = (rows, ids, a.size[ids], firsts, children, levels, flat, starts, sizes, gaps, back)
    out = _Out(len(queries))

    def answer(which: IntArray) -> IntArray:
        return nearest_in_tree(*tree, terms.metric == 2, queries, which, *out.arrays)

    b_order = b_sorted.astype(np.int64)
    return out.found(_in_blocks(b_order, answer, engine), b_order, a, terms)


def _mean_term(terms: Terms, p: int) -> float:
    table = np.minimum(terms.tables[p], 1e9)
    a = np.bincount(terms.a_codes[:, p], minlength=table.shape[1]) / len(terms.a_codes)
    b = np.bincount(terms.b_codes[:, p], minlength=table.shape[0]) / len(terms.b_codes)
    return float(b @ table @ a)


def _flattened(terms: Terms, dims: int, order: Sequence[int] | None = None) -> tuple[FloatArray, IntArray, IntArray]:
    tables = [terms.tables[p] for p in (range(len(terms.tables)) if order is None else order)]
    flat = np.concatenate([np.empty(0), *(t.ravel() for t in tables)])
    starts = np.full(dims + 1, flat.size, dtype=np.int64)
    starts[: len(tables)] = np.cumsum([0, *(t.size for t in tables)])[:-1]
    return flat, starts, np.array([t.shape[1] for t in tables], dtype=np.int64)


def _in_blocks(order: IntArray, answer: Callable[[IntArray], IntArray], engine: Engine) -> list[IntArray]:
    blocks = [order[low : low + _BLOCK] for low in range(0, order.size, _BLOCK)]
    done = [0]

    def run(which: IntArray) -> IntArray:
        result = answer(which)
        done[0] += 1
        report("linking", done[0], len(blocks))
        return result

    return engine.map(run, blocks)


class _Out:
    """Arrays that the kernels write the answers into, by class of B."""

    def __init__(self, n: int) -> None:
        self.best, self.second, self.counts = (np.empty(n, dtype=np.int64) for _ in range(3))
        self.score, self.second_score = np.empty(n), np.empty(n)

    @property
    def arrays(self) -> tuple[IntArray, FloatArray, IntArray, FloatArray, IntArray]:
        return self.best, self.score, self.second, self.second_score, self.counts

    def found(self, tied: list[IntArray], order: IntArray, a: Classes, terms: Terms) -> Found:
        """Turn classes of A into records: a class of several records is its own second nearest."""
        all_tied = np.concatenate([np.empty(0, dtype=np.int64), *tied])
        row_offsets = np.concatenate([[0], np.cumsum(self.counts[order])]).astype(np.int64)
        row = np.empty(order.size, dtype=np.int64)
        row[order] = np.arange(order.size)
        # The records at the best distance, class by class: their number and the two lowest positions.
        sums = np.concatenate([[0], np.cumsum(a.size[all_tied])])
        ties = (sums[row_offsets[1:]] - sums[row_offsets[:-1]])[row]
        nobody, alone = self.best < 0, self.second < 0
        best, second = np.where(nobody, 0, self.best), np.where(alone, 0, self.second)
        far = np.iinfo(np.int64).max
        mate = np.where(nobody, far, a.following[best])
        tied_second = ~alone & (self.second_score == self.score)
        other = np.where(tied_second, a.first[second], far)
        crowded = np.minimum(mate, other)
        tie = (crowded < far) & ~nobody
        second_position = np.where(tie, crowded, np.where(alone, -1, a.first[second]))
        return Found(
            np.where(nobody, -1, a.first[best]),
            second_position,
            terms.scores(self.score),
            terms.scores(np.where(tie, self.score, self.second_score)),
            ties,
            np.where(nobody, -1, row),
            row_offsets,
            all_tied,
        )
