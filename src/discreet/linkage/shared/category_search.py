"""Nearest records of files of categories: cells of records that agree on much, then a prefix tree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from discreet.contracts.engine import Engine
from discreet.kernels.linking.cell_index import index_cells
from discreet.kernels.linking.prefix_tree import nearest_in_tree, prefixes
from discreet.linkage.nearest import Nearest
from discreet.linkage.record_classes import Classes, Words, packed
from discreet.linkage.shared.answers import SearchAnswers, in_blocks
from discreet.linkage.shared.terms import Terms
from discreet.typing import CodeArray, FloatArray, IntArray, LevelArray

__all__ = ["search_categories"]

_ROWS = 8192
_SAMPLE = 50_000
_PAIRED = 500  # records of either file of which every pair is looked at
_MOST_ENTRIES = 20_000_000  # of an index of cells


def search_categories(terms: Terms, a: Classes, b: Classes, engine: Engine, *, second: bool = True) -> Nearest:
    """Return for every distinct record of B its nearest of A, where all attributes are categories.

    The second nearest are whoever was met on the way, unless they are looked for (`second`).
    """
    out = SearchAnswers(b.first.size)
    tied, order = _through_cells(terms, a, b, engine, out, second)
    return out.nearest(tied, order, a, terms)


def _through_cells(
    terms: Terms, a: Classes, b: Classes, engine: Engine, out: SearchAnswers, second: bool
) -> tuple[list[IntArray], IntArray]:
    """Answer every distinct record of B; return the tied classes in blocks, and the records in that order."""
    gaps, extra = _gaps(terms)
    # What costs much to disagree on comes first and makes the cells; then, what tells most apart, for its branches
    # fall away first.
    prefix = _prefix(terms, extra)
    rest = [p for p in range(len(terms.tables)) if p not in prefix]
    order = [*prefix, *sorted(rest, key=lambda p: -_mean_term(terms, p))]
    flat, starts, sizes = terms.flattened(len(order), order)
    (rows, a_sorted), (queries, waiting) = engine.map(
        lambda side: _ordered(*side, order), [(terms.a_codes, a.first), (terms.b_codes, b.first)]
    )
    rows = rows[a_sorted]
    levels, empty = np.zeros(len(order) + 1, dtype=np.int64), np.empty(1, dtype=np.int32)
    nodes = prefixes(rows, empty, empty, levels, False)
    firsts, children = np.empty(nodes + 1, dtype=np.int32), np.empty(nodes + 1, dtype=np.int32)
    prefixes(rows, firsts, children, levels, True)
    back = np.argsort(order).astype(np.int64)
    tree = (rows, a_sorted, a.size[a_sorted] > 1, firsts, children, levels, flat, starts, sizes, gaps[order], back)
    cells = _CellIndex.of(terms, prefix, rows, firsts, levels)
    tied, answered = [], []
    # Most records find two near ones in cells that differ in at most one place; the rest look further.
    for through in (False, True) if prefix else (True,):
        index = cells.indexed(1 + through if waiting.size else 0, engine)
        answer = partial(_answer, tree, terms.metric == 2, (*index, through, second), queries, out)
        tied += in_blocks(waiting, answer, engine)
        unanswered = out.counts[waiting] < 0
        answered.append(waiting[~unanswered])
        waiting = waiting[unanswered]
        del index, answer
    return tied, np.concatenate(answered).astype(np.int64)


def _answer(
    tree: tuple[Any, ...], largest: bool, index: tuple[Any, ...], queries: LevelArray, out: SearchAnswers,
    which: CodeArray,
) -> IntArray:  # fmt: skip
    arguments: tuple[Any, ...] = (*tree, largest, *index, queries, which, *out.arrays)
    return nearest_in_tree(*arguments)


def _gaps(terms: Terms) -> tuple[FloatArray, FloatArray]:
    """Return by attribute and code of B the least term to any other code of A, and by attribute its least excess."""
    gaps = np.full((len(terms.tables), max(t.shape[0] for t in terms.tables)), np.inf)
    extra = np.empty(len(terms.tables))
    for p, table in enumerate(terms.tables):
        if table.ndim == 1:
            reached = _least_steps(terms.a_codes[:, p], table.size)
            gaps[p, : table.size] = np.where(reached < table.size, table[np.minimum(reached, table.size - 1)], np.inf)
            extra[p] = (gaps[p, terms.b_codes[:, p]] - table[0]).min(initial=np.inf)
            continue
        others, square = table.copy(), min(table.shape)
        own = np.diagonal(table)
        others[np.arange(square), np.arange(square)] = np.inf
        gaps[p, : table.shape[0]] = others.min(axis=1)
        possible = np.isfinite(own)
        extra[p] = (gaps[p, :square][possible] - own[possible]).min(initial=np.inf)
    return gaps, extra


def _least_steps(places: LevelArray, size: int) -> IntArray:
    """Return by place how far the nearest other place is that occurs; `size` or more where there is none."""
    occurs = np.zeros(size, dtype=np.bool_)
    occurs[places] = True
    everywhere = np.arange(size)
    below = np.maximum.accumulate(np.append(-size, np.where(occurs, everywhere, -size)))[:-1]
    above = np.minimum.accumulate(np.append(np.where(occurs, everywhere, 2 * size), 2 * size)[::-1])[::-1][1:]
    return np.minimum(everywhere - below, above - everywhere)


def _prefix(terms: Terms, extra: FloatArray) -> list[int]:
    """Choose the attributes of the cells: those on which disagreeing costs most, as far as a key has bits."""
    if terms.metric == 2:
        return []  # many disagreements cost no more than one
    finite = extra[np.isfinite(extra)]
    costly = [p for p in range(extra.size) if extra[p] > 0 and extra[p] >= 0.5 * finite.max(initial=0.0)]
    result: list[int] = []
    bits = 0
    for p in sorted(costly, key=lambda p: -_mean_term(terms, p)):
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
class _CellIndex:
    """The nodes below the prefix, by their packed codes."""

    keys: Words
    shift: IntArray
    fields: tuple[int, ...]

    @classmethod
    def of(cls, terms: Terms, prefix: list[int], rows: LevelArray, firsts: CodeArray, levels: IntArray) -> _CellIndex:
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
        left_out = [fields for r in range(most + 1) for fields in combinations(range(depth), r)] if depth else []
        stages = np.cumsum([0, *(math.comb(depth, r) for r in range(most + 1))] if depth else [0]).astype(np.int64)
        apart = np.full((len(left_out), 2), -1, dtype=np.int64)
        for index, fields in enumerate(left_out):
            apart[index, : len(fields)] = fields
        everything = sum(self.fields)
        masks = np.array([everything - sum(self.fields[j] for j in fields) for fields in left_out], dtype=np.uint64)
        tables = np.empty((masks.size, 16 + self.keys.size * 5 // 4), dtype=np.int32)
        following = np.empty((masks.size, self.keys.size), dtype=np.int32)
        parts = [slice(low, low + 1) for low in range(masks.size)]
        engine.map(lambda part: index_cells(self.keys, masks[part], tables[part], following[part]), parts)
        return self.keys, self.shift, masks, apart, stages, tables, following


def _mean_term(terms: Terms, p: int) -> float:
    """Return the mean term of an attribute, from a sample at even steps: it only decides on an order."""
    if terms.tables[p].ndim == 1:
        some = [codes[:: 1 + len(codes) // _PAIRED, p] for codes in (terms.b_codes, terms.a_codes)]
        return float(np.minimum(terms.between(p, some[0][:, None], some[1][None, :]), 1e9).mean())
    table = np.minimum(terms.tables[p], 1e9)
    shares = []
    for codes, size in ((terms.b_codes, table.shape[0]), (terms.a_codes, table.shape[1])):
        sample = codes[:: 1 + len(codes) // _SAMPLE, p]
        shares.append(np.bincount(sample, minlength=size) / len(sample))
    return float(shares[0] @ table @ shares[1])
