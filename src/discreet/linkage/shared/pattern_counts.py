"""How many pairs of two files agree on what: exact counts over all pairs, without looking at any pair.

An attribute agrees at a *level*: state 0 is no agreement, higher states are finer agreement (same coarse class, same
value). Each level is "being in the same class", so the number of pairs that agree at least so far on every attribute is
a sum over groups of count · count; differences along the levels (Möbius inversion) give the pairs of every pattern.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.contracts.engine import Engine
from discreet.errors import DataError
from discreet.kernels.linking.patterns import coarsen, refine
from discreet.linkage.record_classes import Words, distinct_rows, table_bits
from discreet.linkage.shared.agreement import Agreement
from discreet.linkage.shared.packed_records import Layout, PackedFiles
from discreet.linkage.shared.pattern_sums import PatternSums
from discreet.linkage.shared.plain_pairs import are_few, tabulate_plainly
from discreet.linkage.shared.tabulated_pairs import own_patterns, tabulate_pairs
from discreet.progress import report
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["MOST_PATTERNS", "PatternCounts", "count_patterns"]

MOST_PATTERNS = 1 << 20
"""More patterns than this are not counted at once but met by comparing records: 20 attributes with two states each."""

_PAIRS_A_ROW = 2  # pairs that are compared in the time that a row takes while it has a partner, and less after
_MOST_RECORDS = 2**31 - 1  # counts of distinct records are 32 bits wide
_CACHED = 30_000  # rows whose tables fit into a core's own cache
_WAITING = 64  # short lists that are worked off together
_MOST_SUMS = 1 << 22  # of all of them together
_MOST_PAIR_SUMS = 1 << 20  # attributes · patterns, up to which pairs of small groups are looked at


@dataclass(frozen=True, repr=False)
class PatternCounts(PatternSums):
    """Exact numbers of pairs by agreement pattern: one axis an attribute, one position a state.

    Attributes
    ----------
    between : int64 tensor
        Pairs of a record of A and a record of B.
    within : int64 tensor
        Ordered pairs of different records of A.
    own : int64 tensor
        Records of A by the pattern with which they agree with themselves: the finest, but for missing values.
    n_a, n_b : int
    """

    between: IntArray
    within: IntArray
    own: IntArray
    n_a: int
    n_b: int
    names: tuple[str, ...] = field(default=())

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of states of every attribute."""
        return self.between.shape

    def margin(self, values: FloatArray | IntArray, j: int) -> FloatArray:
        """Sum over everything but attribute `j`."""
        if values.dtype.kind == "i":
            # Whole numbers may be added in any sequence: then a long tensor is three axes.
            summed = values.reshape(math.prod(values.shape[:j]), values.shape[j], -1).sum(axis=2).sum(axis=0)
            return np.asarray(summed, dtype=np.float64)
        others = tuple(i for i in range(values.ndim) if i != j)
        return np.asarray(values.sum(axis=others), dtype=np.float64)

    def product(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Return by pattern the product of one number for each attribute's state."""
        result = np.ones(self.shape)
        for j, part in enumerate(parts):
            result *= part.reshape([-1 if i == j else 1 for i in range(len(parts))])
        return result

    def total(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Return by pattern the sum of one number for each attribute's state."""
        result = np.zeros(self.shape)
        for j, part in enumerate(parts):
            result += part.reshape([-1 if i == j else 1 for i in range(len(parts))])
        return result

    def collapsed(self, values: FloatArray, from_state: Sequence[int]) -> FloatArray:
        """Keep of every attribute whether its state is at least the given one; one entry a set of attributes."""
        for axis, first in enumerate(from_state):
            if (first, values.shape[axis]) == (1, 2):
                continue  # that is all that its states say
            along = np.moveaxis(values, axis, 0)
            values = np.moveaxis(np.stack([along[:first].sum(axis=0), along[first:].sum(axis=0)]), 0, axis)
        return np.ascontiguousarray(values).ravel()

    def margin_agreeing(self, values: FloatArray, j: int, from_state: Sequence[int]) -> FloatArray:
        """Sum as in `margin`, over patterns that agree on everything else."""
        return self.margin(
            values[tuple(slice(None) if i == j else slice(first, None) for i, first in enumerate(from_state))], j
        )

    def __repr__(self) -> str:
        return f"PatternCounts({self.between.size} patterns of {self.n_a} × {self.n_b} pairs)"


def count_patterns(files: PackedFiles, engine: Engine) -> PatternCounts:
    """Count the pairs of every agreement pattern, exactly, from distinct records and how many there are of each.

    Notes
    -----
    Rows are cut into groups that agree on one attribute more, for each of the Π states combinations of levels, and
    those that are left without a pair are not looked at again: O(n · Π states) at worst, far less once groups are
    small; memory linear in n. A long list is first cut into the classes of one attribute, which hold all pairs that
    agree on it, so that the work stays in the processor's cache. Small groups are not cut further: looking at their
    pairs takes less. Where two files have so few pairs that looking at
    them takes less than the rows of all group-bys, that is done, on all cores.
    """
    agreements, first, second = files.agreements, files.first, files.second
    shape = tuple(agreement.states for agreement in agreements)
    patterns = math.prod(shape)
    if patterns > MOST_PATTERNS:
        raise DataError(f"{patterns} agreement patterns are too many; at most {MOST_PATTERNS} can be counted.")
    n_a, n_b = int(first.size.sum()), int(second.size.sum())
    if max(n_a, n_b) > _MOST_RECORDS:
        raise DataError(f"Pairs of {n_a} and {n_b} records are too many to count; at most {_MOST_RECORDS} of each.")
    names = tuple(agreement.name for agreement in agreements)
    own = own_patterns(files, shape)
    if are_few(files, 2):
        between, within = tabulate_plainly(files, shape)
        return PatternCounts(between, within - own, own, n_a, n_b, names)
    distinct_a, distinct_b = first.first.size, second.first.size
    pairs = distinct_a * distinct_b + distinct_a * distinct_a // 2
    if pairs <= _PAIRS_A_ROW * _grouped_rows(agreements, distinct_a + distinct_b):
        between, within = tabulate_pairs(files, shape, engine)
        return PatternCounts(between, within - own, own, n_a, n_b, names)
    layout = files.layout
    # What has the most classes is coarsened first, so that most of the tree works on short lists.
    order = sorted(range(len(agreements)), key=lambda j: -agreements[j].size)
    words = np.concatenate(files.finest)
    counts = np.zeros((len(words), 2), dtype=np.int32)
    counts[:distinct_a, 0], counts[distinct_a:, 1] = first.size, second.size
    rows = _merged(layout, words, counts, 0, np.arange(1 << layout.width[0], dtype=np.int64))
    del words, counts
    sums = _Cube(layout, shape, engine).count(rows, order)
    between, within = (_exact(sums[:, i].reshape(shape)) for i in range(2))
    return PatternCounts(between, within - own, own, n_a, n_b, names)


def _grouped_rows(agreements: Sequence[Agreement], n: int) -> float:
    """Return about how many rows all group-bys have together: of `n`, no more than there are combinations."""
    rows = np.ones(1)
    for agreement in agreements:
        classes = [1.0, *(float(level.max(initial=0)) + 1 for level in agreement.classes)]
        rows = np.minimum(np.multiply.outer(rows, classes).ravel(), n)
    return float(rows.sum())


def _exact(at_least: IntArray) -> IntArray:
    """Turn pairs that agree at least so far into pairs that agree exactly so far."""
    tensor = at_least.copy()
    for axis in range(tensor.ndim):
        along = np.moveaxis(tensor, axis, 0)
        along[:-1] -= along[1:].copy()
    return tensor


Rows = tuple[Words, CodeArray]


def _merged(layout: Layout, words: Words, counts: CodeArray, j: int, up: IntArray) -> Rows:
    n = len(words)
    bits = table_bits(n)
    out, out_counts = np.empty_like(words), np.empty_like(counts)
    table = np.empty(1 << bits, dtype=np.int32)
    ones = (1 << layout.width[j]) - 1
    m = coarsen(words, counts, layout.word[j], layout.shift[j], ones, up, bits, table, out, out_counts)
    return (out[:m], out_counts[:m]) if m > 0.9 * n else (out[:m].copy(), out_counts[:m].copy())


class _Cube:
    """Sums of agreeing pairs for every combination of levels."""

    def __init__(self, layout: Layout, shape: tuple[int, ...], engine: Engine) -> None:
        self.layout, self.shape, self.engine = layout, shape, engine
        self.strides = [math.prod(shape[j + 1 :]) for j in range(len(shape))]
        self.walked = 0
        self.waiting: list[tuple[Rows, list[int], int]] = []

    def count(self, rows: Rows, order: list[int]) -> IntArray:
        sums = np.zeros((math.prod(self.shape), 2), dtype=np.int64)
        self._count(rows, order, 0, sums)
        self._work_off(sums)
        return sums

    def _count(self, rows: Rows, order: list[int], base: int, sums: IntArray) -> None:
        if len(rows[0]) <= _CACHED or not order:
            self._put_off([rows], order, base, sums)
            return
        j, *rest = order
        for level in range(self.shape[j] - 1, 0, -1):
            at = base + level * self.strides[j]
            small, large = self._classes(rows, j)
            for part in large:
                self._count(part, rest, at, sums)
            self._put_off(small, rest, at, sums)
            rows = _merged(self.layout, *rows, j, self.layout.ups[j][level - 1])
        self._count(rows, rest, base, sums)

    def _put_off(self, parts: Sequence[Rows], order: list[int], base: int, sums: IntArray) -> None:
        """Leave short lists for later, so that there are always many to share among the cores."""
        for part in parts:
            self.waiting.append((part, order, base))
            if len(self.waiting) >= min(_WAITING, max(2, _MOST_SUMS // sums.size)):
                self._work_off(sums)

    def _work_off(self, sums: IntArray) -> None:
        for part_sums in self.engine.map(self._walked, self.waiting):
            sums += part_sums
        self.waiting = []

    def _classes(self, rows: Rows, j: int) -> tuple[list[Rows], list[Rows]]:
        """Cut rows into the classes of attribute j: small ones in bundles, then large ones.

        Rows of a bundle keep the field of attribute j, so that those of different classes never become one.
        """
        words, counts = rows
        layout = self.layout
        ones = np.uint64((1 << layout.width[j]) - 1)
        values = ((words[:, layout.word[j]] >> np.uint64(layout.shift[j])) & ones).astype(np.int64)
        agreeing = values < 1 << (layout.width[j] - 1)
        order = np.argsort(values, kind="stable")[: int(agreeing.sum())]
        edges = np.flatnonzero(np.diff(values[order], prepend=-1))
        sizes = np.diff(np.append(edges, order.size))
        large = [order[low : low + size] for low, size in zip(edges, sizes, strict=True) if size > _CACHED]
        few = order[np.repeat(sizes <= _CACHED, sizes)]
        ends = np.cumsum(sizes[sizes <= _CACHED])
        small, low = [], 0
        while low < few.size:
            high = int(ends[np.searchsorted(ends, low + _CACHED, side="right") - 1])
            small.append(few[low:high])
            low = high
        return [(words[part], counts[part]) for part in small], [(words[part], counts[part]) for part in large]

    def _walked(self, work: tuple[Rows, list[int], int]) -> IntArray:
        """Return by combination of levels the pairs of some rows that agree at least so far on the attributes left."""
        (words, counts), order, base = work
        sums = np.zeros((math.prod(self.shape), 2), dtype=np.int64)
        values, own = self._values(words, order)
        # A row agrees with itself as finely as it can: whatever is coarser adds up those that are finer.
        squares = np.stack([counts[:, 0].astype(np.int64) * counts[:, side] for side in (1, 0)], axis=1)
        np.add.at(sums, base + own, squares)
        tensor = sums.reshape(*self.shape, 2)
        for j in order:
            along = np.moveaxis(tensor, j, 0)
            for level in range(self.shape[j] - 2, -1, -1):
                along[level] += along[level + 1]
        labels = distinct_rows(self._without(words, order)).label
        groups = np.cumsum(np.bincount(labels)).astype(np.int32)
        rows = np.argsort(labels, kind="stable").astype(np.int32)
        finer = np.array([level > 0 for j in order for level in range(self.shape[j] - 1)], dtype=np.int64)
        strides = np.array([self.strides[j] for j in order for _ in range(self.shape[j] - 1)], dtype=np.int64)
        place = np.array([at for at, j in enumerate(order) for _ in range(self.shape[j] - 1)], dtype=np.int64)
        patterns = len(sums) if len(order) * len(sums) <= _MOST_PAIR_SUMS else 0
        pairs = np.zeros((len(order), patterns, 2), dtype=np.int64)
        refine(values, counts, finer, strides, place, rows, groups, base, sums, pairs)
        if patterns:
            sums += self._at_least(pairs, order)
        self.walked += 1
        report("counting patterns", self.walked, self.walked + 1)
        return sums

    def _at_least(self, pairs: IntArray, order: Sequence[int]) -> IntArray:
        """Add up pairs that agree exactly so far on the attributes after the one they stand with, in `order`."""
        total = np.zeros((*self.shape, 2), dtype=np.int64)
        for j, exact in zip(order, pairs, strict=True):
            along = np.moveaxis(total, j, 0)
            for level in range(self.shape[j] - 2, -1, -1):
                along[level] += along[level + 1]
            total += exact.reshape(total.shape)
        return total.reshape(-1, 2)

    def _values(self, words: Words, order: Sequence[int]) -> tuple[CodeArray, IntArray]:
        """Return the class of every row at every level of attributes, −1 for one that agrees with nobody.

        Then by row where it agrees with itself: what its states add to the position of a pattern.
        """
        layout = self.layout
        columns: list[CodeArray] = []
        own = np.zeros(len(words), dtype=np.int64)
        for j in order:
            flag = 1 << (layout.width[j] - 1)
            ones = np.uint64((1 << layout.width[j]) - 1)
            fields = ((words[:, layout.word[j]] >> np.uint64(layout.shift[j])) & ones).astype(np.int64)
            levels = []
            for up in layout.ups[j][::-1]:
                levels.append(np.where(fields < flag, fields, -1).astype(np.int32))
                own += self.strides[j] * (fields < flag)
                fields = up[fields]
            columns += levels[::-1]
        return np.ascontiguousarray(np.stack(columns)) if columns else np.empty((0, len(words)), np.int32), own

    def _without(self, words: Words, order: Sequence[int]) -> Words:
        """Return rows without the fields of some attributes."""
        rest = words.copy()
        for j in order:
            ones = ((1 << self.layout.width[j]) - 1) << self.layout.shift[j]
            rest[:, self.layout.word[j]] &= np.uint64(~ones & (1 << 64) - 1)
        return rest
