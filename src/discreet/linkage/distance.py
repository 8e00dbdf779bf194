"""Distance-based record linkage: every released record belongs to the nearest original."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np

from discreet.base import Engine, Linker, register
from discreet.kernels.cell_index import index_cells
from discreet.kernels.mixed_tree import build, leaf_of, search
from discreet.kernels.prefix_tree import nearest_in_tree, prefixes
from discreet.kernels.tied_rows import name_records
from discreet.linkage.assignment import assigned
from discreet.linkage.pattern_links import Classes, Found
from discreet.linkage.patterns import Words
from discreet.linkage.results import links_of
from discreet.linkage.terms import METRICS, Terms, classes_of, packed, prepare
from discreet.microdata import Microdata
from discreet.parameters import ByName, Choice, Constraint, Flag, Names, Number, Optional
from discreet.progress import report
from discreet.results import Links
from discreet.typing import CodeArray, FloatArray, IntArray, LevelArray

__all__ = ["DistanceLinkage", "link_by_terms", "nearest_found"]

_BLOCK = 4096
_ROWS = 8192
_SAMPLE = 50_000
_MOST_ROUGH = 1e15  # beyond, products of weights and numbers may not fit single precision
_MOST_ENTRIES = 20_000_000  # of an index of cells


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
    not too far from their nearest, and O(n) in memory. An assignment looks at all pairs and is limited to
    50,000 records. The records of the first file that are equal on the attributes are one class, so a tie among them
    costs nothing. Ties go to the lowest position. Records are tied with the nearest one where they are farther by no
    more than rounding of numbers, coordinates and sums explains: the mean of two values is equally far from both,
    though not to the last bit. A record that is met exactly is tied with its equals alone. A missing category is a
    category of its own; missing numbers are refused. Under ``"mahalanobis"`` a direction in which the first file does
    not vary is left out. In both directions (``link_both``) distances are the same, in standard deviations of the
    first file; every record of either file is asked for the nearest of the other.

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

    def _link_both(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> tuple[Links, Links]:
        # One table of distances, in standard deviations of what the intruder holds, read by rows and by columns.
        terms = prepare(type(self).__name__, a, b, names, self.metric, self.weights)
        release = link_by_terms(type(self), terms, names, engine, one_to_one=self.one_to_one)
        return release, link_by_terms(type(self), terms.swapped(), names, engine, one_to_one=self.one_to_one)


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
    if one_to_one:
        return assigned(linker, terms, classes_of(terms.a_codes, terms.a_numbers), names, limits)
    # Records of B with different limits are different questions even where their values are equal.
    asked = terms.b_numbers if limits is None else np.concatenate([terms.b_numbers, *limits], axis=1)
    classes, questions = engine.map(
        lambda side: classes_of(*side), [(terms.a_codes, terms.a_numbers), (terms.b_codes, asked)]
    )
    if terms.numbers:
        found = _search_numbers(terms, classes, questions, limits, engine)
    else:
        found = _search_categories(terms, classes, questions, engine)
    found = found.records(questions.label)  # and no longer by class of B, which would take as much memory again
    return links_of(found, classes, names, linker.name)


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
    rough = (columns if roughly and norm <= _MOST_ROUGH else columns[:0]).astype(np.float32)
    sorted_sizes = a.size[rows]
    none = np.empty((0, len(terms.numbers)))
    lowest, highest = (none, none) if limits is None else (x[b.first] for x in limits)
    slack = terms.slack(b.first)
    out = _Out(len(queries))

    def answer(which: IntArray) -> IntArray:
        return search(
            columns, rough, norm, rows, sorted_sizes, *tree, queries, which, lowest, highest, slack, *out.arrays
        )

    return out.found(_in_blocks(order, answer, engine), order, a, terms)


def _search_categories(terms: Terms, a: Classes, b: Classes, engine: Engine) -> Found:
    out = _Out(b.first.size)
    tied, asked = _through_cells(terms, a, b, engine, out)
    return out.found(tied, asked, a, terms)


def _through_cells(terms: Terms, a: Classes, b: Classes, engine: Engine, out: _Out) -> tuple[list[IntArray], IntArray]:
    """Answer every distinct record of B; return the tied classes in blocks, and the records in that order."""
    gaps, extra = _gaps(terms)
    # What costs much to disagree on comes first and makes the cells; then, what tells most apart, for its branches
    # fall away first.
    prefix = _prefix(terms, extra)
    rest = [p for p in range(len(terms.tables)) if p not in prefix]
    order = [*prefix, *sorted(rest, key=lambda p: -_mean_term(terms, p))]
    flat, starts, sizes = _flattened(terms, len(order), order)
    (rows, a_sorted), (queries, left) = engine.map(
        lambda side: _ordered(*side, order), [(terms.a_codes, a.first), (terms.b_codes, b.first)]
    )
    rows = rows[a_sorted]
    levels, empty = np.zeros(len(order) + 1, dtype=np.int64), np.empty(1, dtype=np.int32)
    nodes = prefixes(rows, empty, empty, levels, False)
    firsts, children = np.empty(nodes + 1, dtype=np.int32), np.empty(nodes + 1, dtype=np.int32)
    prefixes(rows, firsts, children, levels, True)
    back = np.argsort(order).astype(np.int64)
    tree = (rows, a_sorted, a.size[a_sorted] > 1, firsts, children, levels, flat, starts, sizes, gaps[order], back)
    cells = _Cells.of(terms, prefix, rows, firsts, levels)
    tied, asked = [], []
    # Most records find two near ones in cells that differ in at most one place; the rest look further.
    for through in (False, True) if prefix else (True,):
        index = cells.indexed(1 + through if left.size else 0, engine)
        answer = partial(_answer, tree, terms.metric == 2, index, through, queries, out)
        tied += _in_blocks(left, answer, engine)
        unanswered = out.counts[left] < 0
        asked.append(left[~unanswered])
        left = left[unanswered]
        del index, answer
    return tied, np.concatenate(asked).astype(np.int64)


def _answer(
    tree: tuple[Any, ...], largest: bool, index: tuple[Any, ...], through: bool, queries: LevelArray, out: _Out,
    which: CodeArray,
) -> IntArray:  # fmt: skip
    arguments: tuple[Any, ...] = (*tree, largest, *index, through, queries, which, *out.arrays)
    return nearest_in_tree(*arguments)


def _gaps(terms: Terms) -> tuple[FloatArray, FloatArray]:
    """Return by attribute and code of B the least term to any other code, and by attribute its least excess."""
    gaps = np.full((len(terms.tables), max(t.shape[0] for t in terms.tables)), np.inf)
    extra = np.empty(len(terms.tables))
    for p, table in enumerate(terms.tables):
        others, square = table.copy(), min(table.shape)
        own = np.diagonal(table)
        others[np.arange(square), np.arange(square)] = np.inf
        gaps[p, : table.shape[0]] = others.min(axis=1)
        possible = np.isfinite(own)
        extra[p] = (gaps[p, :square][possible] - own[possible]).min(initial=np.inf)
    return gaps, extra


def _prefix(terms: Terms, extra: FloatArray) -> list[int]:
    """Choose the attributes of the cells: those on which disagreeing costs most, as far as a key has bits."""
    if terms.metric == 2:
        return []  # many disagreements cost no more than one
    finite = extra[np.isfinite(extra)]
    chosen = [p for p in range(extra.size) if extra[p] > 0 and extra[p] >= 0.5 * finite.max(initial=0.0)]
    result: list[int] = []
    bits = 0
    for p in sorted(chosen, key=lambda p: -_mean_term(terms, p)):
        bits += _width(terms, p)
        if bits > 64:
            break
        result.append(p)
    return result


def _width(terms: Terms, p: int) -> int:
    return max(1, int(max(terms.tables[p].shape) - 1).bit_length())


def _ordered(codes: LevelArray, first: IntArray, order: Sequence[int]) -> tuple[LevelArray, CodeArray]:
    """Return the distinct records with their attributes in another order, and their own order by these."""
    result = np.empty((first.size, len(order)), dtype=codes.dtype)
    for low in range(0, first.size, _ROWS):  # so many rows stay in a core's own cache
        rows = first[low : low + _ROWS]
        for place, p in enumerate(order):
            result[low : low + _ROWS, place] = codes[:, p][rows]
    return result, _sorted(result)


def _sorted(codes: LevelArray) -> CodeArray:
    """Return the order of distinct rows by their codes, the first column first."""
    words = packed(codes)
    order = np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])
    return order.astype(np.int32)


@dataclass(frozen=True, repr=False)
class _Cells:
    """The nodes below the prefix, by their packed codes."""

    keys: Words
    shift: IntArray
    fields: tuple[int, ...]

    @classmethod
    def of(cls, terms: Terms, prefix: list[int], rows: LevelArray, firsts: CodeArray, levels: IntArray) -> _Cells:
        widths = [_width(terms, p) for p in prefix]
        shift = np.cumsum([0, *widths]).astype(np.int64)[:-1]
        fields = tuple(((1 << width) - 1) << int(s) for width, s in zip(widths, shift, strict=True))
        depth = len(prefix)
        heads = rows[firsts[levels[depth - 1] : levels[depth]] if prefix else slice(0), :depth]
        keys = np.zeros(len(heads), dtype=np.uint64)
        for j, s in enumerate(shift):
            keys |= heads[:, j].astype(np.uint64) << np.uint64(s)
        return cls(keys, shift, fields)

    def indexed(self, most: int, engine: Engine) -> tuple[Any, ...]:
        """Index the cells by whole keys and with up to `most` attributes left out, as far as memory allows."""
        depth = len(self.fields)
        while most and math.comb(depth, most) * self.keys.size > _MOST_ENTRIES:
            most -= 1
        left_out = [chosen for r in range(most + 1) for chosen in combinations(range(depth), r)] if depth else []
        stages = np.cumsum([0, *(math.comb(depth, r) for r in range(most + 1))] if depth else [0]).astype(np.int64)
        apart = np.full((len(left_out), 2), -1, dtype=np.int64)
        for index, chosen in enumerate(left_out):
            apart[index, : len(chosen)] = chosen
        everything = sum(self.fields)
        masks = np.array([everything - sum(self.fields[j] for j in chosen) for chosen in left_out], dtype=np.uint64)
        tables = np.empty((masks.size, 16 + self.keys.size * 5 // 4), dtype=np.int32)
        following = np.empty((masks.size, self.keys.size), dtype=np.int32)
        parts = [slice(low, low + 1) for low in range(masks.size)]
        engine.map(lambda part: index_cells(self.keys, masks[part], tables[part], following[part]), parts)
        return self.keys, self.shift, masks, apart, stages, tables, following


def _mean_term(terms: Terms, p: int) -> float:
    """Return the mean term of an attribute, from a sample at even steps: it only decides on an order."""
    table = np.minimum(terms.tables[p], 1e9)
    shares = []
    for codes, size in ((terms.b_codes, table.shape[0]), (terms.a_codes, table.shape[1])):
        sample = codes[:: 1 + len(codes) // _SAMPLE, p]
        shares.append(np.bincount(sample, minlength=size) / len(sample))
    return float(shares[0] @ table @ shares[1])


def _flattened(terms: Terms, dims: int, order: Sequence[int] | None = None) -> tuple[FloatArray, IntArray, IntArray]:
    tables = [terms.tables[p] for p in (range(len(terms.tables)) if order is None else order)]
    flat = np.concatenate([np.empty(0), *(t.ravel() for t in tables)])
    starts = np.full(dims + 1, flat.size, dtype=np.int64)
    starts[: len(tables)] = np.cumsum([0, *(t.size for t in tables)])[:-1]
    return flat, starts, np.array([t.shape[1] for t in tables], dtype=np.int64)


def _in_blocks(order: LevelArray, answer: Callable[[Any], IntArray], engine: Engine) -> list[IntArray]:
    blocks = [order[low : low + _BLOCK] for low in range(0, order.size, _BLOCK)]
    done = [0]

    def run(which: LevelArray) -> IntArray:
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
        """Turn classes of A into records, and sums of terms into distances."""
        found = nearest_found(self.arrays, tied, order, a)
        return replace(found, score=terms.scores(found.score), second_score=terms.scores(found.second_score))


def nearest_found(
    arrays: tuple[IntArray, FloatArray, IntArray, FloatArray, IntArray],
    tied: list[IntArray],
    order: IntArray,
    a: Classes,
) -> Found:
    """Turn classes of A into records: a class of several records is its own second nearest.

    Parameters
    ----------
    arrays : best class, its distance, second class, its distance, number of tied classes
        Become part of what is found; they are not for use afterwards.
    tied : list of int64
        The tied classes of the queries in `order`, one after the other.
    """
    best, score, second, second_score, counts = arrays
    all_tied = np.concatenate([np.empty(0, dtype=np.int64), *tied])
    row_offsets = np.zeros(order.size + 1, dtype=np.int64)
    np.cumsum(counts[order], out=row_offsets[1:])
    row, ties = np.empty(order.size, dtype=np.int64), np.empty(order.size, dtype=np.int64)
    row[order] = np.arange(order.size)
    name_records(a.first, a.following, a.size, row_offsets, all_tied, best, score, second, second_score, row, ties)
    return Found(best, second, score, second_score, ties, row, row_offsets, all_tied)
