"""Pairs compared one by one, in blocks of distinct records: where agreement is no lattice, or the lattice is too large.

The exact fallback of :mod:`discreet.linkage.shared.pattern_counts`. Patterns that occur are counted in a table that
grows with their number, not with that of pairs; best links come from a second pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from discreet.contracts.engine import Engine
from discreet.errors import DataError
from discreet.kernels.linking.pairwise import best_by_sum, count_sums, rehash
from discreet.linkage.record_classes import Classes
from discreet.linkage.shared.agreement import Agreement, Graded
from discreet.linkage.shared.packed_records import Layout, PackedFiles
from discreet.linkage.shared.pattern_sums import PatternSums
from discreet.linkage.shared.tabulated_pairs import own_patterns, tabulate_pairs
from discreet.progress import report
from discreet.typing import CodeArray, FloatArray, IntArray, LevelArray

__all__ = ["PatternList", "best_by_comparison", "compare_patterns"]

_PAIRS = 1 << 25  # pairs to a block: a second of work, after which the run can be stopped
_WAVE = 16  # blocks between two reports
_FIRST_BITS = 12
_MOST_TABULATED = 1 << 18  # patterns that have a table in which every one has its place
_SCALE = float(1 << 30)  # weights are summed as whole multiples of a billionth, so that ties are exact


@dataclass(frozen=True, repr=False)
class PatternList(PatternSums):
    """Exact numbers of pairs by agreement pattern, for the patterns that occur.

    Attributes
    ----------
    states : (patterns, attributes) int64
    between, within, own : (patterns,) int64
        As in :class:`~discreet.linkage.shared.pattern_counts.PatternCounts`.
    n_a, n_b : int
    shape : tuple of int
        The number of states of every attribute.
    """

    states: IntArray
    between: IntArray
    within: IntArray
    own: IntArray
    n_a: int
    n_b: int
    names: tuple[str, ...]
    shape: tuple[int, ...]

    def margin(self, values: FloatArray | IntArray, j: int) -> FloatArray:
        """Sum over everything but attribute `j`."""
        return _summed(self.states[:, j], values, self.shape[j])

    def product(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Return by pattern the product of one number for each attribute's state."""
        result = np.ones(len(self.states))
        for j, part in enumerate(parts):
            result *= part[self.states[:, j]]
        return result

    def total(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Return by pattern the sum of one number for each attribute's state."""
        return np.asarray(sum(part[self.states[:, j]] for j, part in enumerate(parts)), dtype=np.float64)

    def collapsed(self, values: FloatArray, from_state: Sequence[int]) -> FloatArray:
        """Keep of every attribute whether its state is at least the given one; one entry a set of attributes."""
        at = np.zeros(len(self.states), dtype=np.int64)
        for j, first in enumerate(from_state):
            at = 2 * at + (self.states[:, j] >= first)
        return _summed(at, values, 1 << len(self.shape))

    def margin_agreeing(self, values: FloatArray, j: int, from_state: Sequence[int]) -> FloatArray:
        """Sum as in `margin`, over patterns that agree on everything else."""
        agreeing = np.ones(len(self.states), dtype=np.bool_)
        for i, first in enumerate(from_state):
            if i != j:
                agreeing &= self.states[:, i] >= first
        return _summed(self.states[agreeing, j], values[agreeing], self.shape[j])

    def __repr__(self) -> str:
        return f"PatternList({len(self.states)} patterns of {self.n_a} × {self.n_b} pairs)"


def _summed(at: IntArray, values: FloatArray | IntArray, size: int) -> FloatArray:
    return np.asarray(np.bincount(at, weights=values, minlength=size), dtype=np.float64)


@dataclass(frozen=True, repr=False)
class _ComparedCodes:
    """Distinct records as the kernels see them: classes by level, and codes of graded attributes."""

    agreements: tuple[Agreement, ...]

    @property
    def nested(self) -> list[int]:
        return [j for j, agreement in enumerate(self.agreements) if not isinstance(agreement, Graded)]

    @property
    def graded(self) -> list[int]:
        return [j for j, agreement in enumerate(self.agreements) if isinstance(agreement, Graded)]

    def classes(self, codes: Sequence[LevelArray], nobody: int) -> CodeArray:
        columns = [level[codes[j]] for j in self.nested for level in self.agreements[j].classes]
        table = (
            np.stack([np.where(c < 0, nobody, c) for c in columns], axis=1) if columns else np.empty((len(codes[0]), 0))
        )
        return np.ascontiguousarray(table, dtype=np.int32)

    def codes(self, codes: Sequence[LevelArray]) -> CodeArray:
        columns = [codes[j] for j in self.graded]
        table = np.stack(columns, axis=1) if columns else np.empty((len(codes[0]), 0))
        return np.ascontiguousarray(table, dtype=np.int32)

    def summed(self, values: Sequence[IntArray]) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return what agreement adds where `values` says by attribute what each state is worth."""
        steps = [np.diff(values[j]) for j in self.nested]
        tables = [values[j][self.agreements[j].table].ravel() for j in self.graded]  # type: ignore[attr-defined]
        sizes = [self.agreements[j].size for j in self.graded]
        none = np.empty(0, dtype=np.int64)
        starts = np.cumsum([0, *(t.size for t in tables)])[:-1].astype(np.int64)
        return (
            np.concatenate([none, *steps]).astype(np.int64),
            np.concatenate([none, *tables]).astype(np.int64),
            starts,
            np.array(sizes, dtype=np.int64),
        )


def compare_patterns(agreements: Sequence[Agreement], a: Classes, b: Classes, engine: Engine) -> PatternList:
    """Count the pairs of every agreement pattern that occurs, exactly, by comparing distinct records.

    Notes
    -----
    O(distinct of A · (distinct of A + distinct of B) · attributes) time; memory linear in records and patterns.
    """
    shape = tuple(agreement.states for agreement in agreements)
    widths = [max(1, (size - 1).bit_length()) for size in shape]
    if sum(widths) > 62:
        raise DataError(
            f"The levels of {len(agreements)} attributes need {sum(widths)} bits a pair; at most 62 can be used.",
            hint="Pass fewer attributes, or bins=None.",
        )
    names = tuple(agreement.name for agreement in agreements)
    n_a, n_b = int(a.size.sum()), int(b.size.sum())
    if math.prod(shape) <= _MOST_TABULATED and all(agreement.has_classes for agreement in agreements):
        tables, states = _occurring(PackedFiles(tuple(agreements), Layout.of(agreements), a, b), shape, engine)
        return PatternList(states, tables[0], tables[1] - tables[2], tables[2], n_a, n_b, names, shape)
    shifts = np.cumsum([0, *widths[:-1]])
    sides = _ComparedCodes(tuple(agreements))
    values = [np.arange(size, dtype=np.int64) << int(shift) for size, shift in zip(shape, shifts, strict=True)]
    first = [agreement.a[a.first] for agreement in agreements]
    second = [agreement.b[b.first] for agreement in agreements]
    pairs = (
        np.ascontiguousarray(sides.classes(first, -1).T),
        np.ascontiguousarray(sides.codes(first).T),
        *sides.summed(values),
        a.size,
    )
    between = _counted(pairs, sides.classes(second, -2), sides.codes(second), b.size, engine, "comparing the files")
    within = _counted(pairs, sides.classes(first, -2), sides.codes(first), a.size, engine, "comparing the first file")
    own_key = np.zeros(a.first.size, dtype=np.int64)
    for agreement, codes, shift in zip(agreements, first, shifts, strict=True):
        own_key |= agreement.state(codes, codes) << int(shift)
    keys, place = np.unique(own_key, return_inverse=True)
    counts = np.zeros(keys.size, dtype=np.int64)
    np.add.at(counts, place, a.size)
    every = np.unique(np.concatenate([between[0], within[0], keys]))
    tables = np.zeros((3, every.size), dtype=np.int64)
    for row, (some, numbers) in enumerate((between, within, (keys, counts))):
        tables[row, np.searchsorted(every, some)] = numbers
    tables[1] -= tables[2]
    states = np.stack([(every >> int(s)) & ((1 << w) - 1) for s, w in zip(shifts, widths, strict=True)], axis=1)
    return PatternList(states, tables[0], tables[1], tables[2], n_a, n_b, names, shape)


def _occurring(files: PackedFiles, shape: tuple[int, ...], engine: Engine) -> tuple[IntArray, IntArray]:
    """Return the pairs between the files, within the first and of records with themselves, and their patterns.

    The patterns have the sequence of their keys, in which the first attribute changes fastest.
    """
    tables = np.stack([*tabulate_pairs(files, shape, engine), own_patterns(files, shape)])
    backwards = tables.transpose(0, *range(len(shape), 0, -1)).reshape(3, -1)
    occurring = np.flatnonzero(backwards.any(axis=0))
    states = np.stack(np.unravel_index(occurring, shape[::-1])[::-1], axis=1)
    return backwards[:, occurring], states.astype(np.int64)


def _counted(
    pairs: tuple[Any, ...], classes: CodeArray, codes: CodeArray, sizes: IntArray, engine: Engine, what: str
) -> tuple[IntArray, IntArray]:
    rows = max(1, _PAIRS // max(pairs[-1].size, 1))
    blocks = [slice(low, low + rows) for low in range(0, sizes.size, rows)]
    keys, counts = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    for low in range(0, len(blocks), _WAVE):
        parts = engine.map(partial(_count_block, pairs, classes, codes, sizes), blocks[low : low + _WAVE])
        every = np.concatenate([keys, *(part[0] for part in parts)])
        numbers = np.concatenate([counts, *(part[1] for part in parts)])
        keys, place = np.unique(every, return_inverse=True)
        counts = np.zeros(keys.size, dtype=np.int64)
        np.add.at(counts, place, numbers)
        report(what, min(low + _WAVE, len(blocks)), len(blocks))
    return keys, counts


def _count_block(
    pairs: tuple[Any, ...], classes: CodeArray, codes: CodeArray, sizes: IntArray, block: slice
) -> tuple[IntArray, IntArray]:
    state = np.zeros(3, dtype=np.int64)
    bits = _FIRST_BITS
    keys, counts = np.full(1 << bits, -1, dtype=np.int64), np.zeros(1 << bits, dtype=np.int64)
    few = (*pairs, classes[block], codes[block], sizes[block], state)
    arguments: tuple[Any, ...] = (*few, bits, keys, counts)
    while not count_sums(*arguments):
        bits += 2
        more = np.empty(1 << bits, dtype=np.int64), np.empty(1 << bits, dtype=np.int64)
        rehash(keys, counts, bits, *more)
        keys, counts = more
        arguments = (*few, bits, keys, counts)
    occupied = keys >= 0
    return keys[occupied], counts[occupied]


def best_by_comparison(
    agreements: Sequence[Agreement], weights: Sequence[FloatArray], a: Classes, b: Classes, engine: Engine
) -> tuple[tuple[IntArray, FloatArray, IntArray, FloatArray, IntArray], list[IntArray], IntArray]:
    """Return by distinct record of B its heaviest and second-heaviest pair.

    Returns
    -------
    arrays : best class of A, minus its weight, second class, minus its weight, number of classes tied
    tied : list of int64
        The classes tied with the best, block by block.
    order : (distinct of B,) int64
        The records of B in the sequence of these lists.
    """
    sides = _ComparedCodes(tuple(agreements))
    values = [np.round(np.asarray(weight) * _SCALE).astype(np.int64) for weight in weights]
    lightest = int(sum(int(values[j][0]) for j in sides.nested))
    first, second = (
        [agreement.a[a.first] for agreement in agreements],
        [agreement.b[b.first] for agreement in agreements],
    )
    pairs = (
        np.ascontiguousarray(sides.classes(first, -1).T),
        np.ascontiguousarray(sides.codes(first).T),
        *sides.summed(values),
    )
    sought = (sides.classes(second, -2), sides.codes(second))
    n = b.first.size
    best, score, other, other_score, counts = (np.empty(n, dtype=np.int64) for _ in range(5))
    order = np.arange(n, dtype=np.int64)
    rows = max(1, _PAIRS // max(a.first.size, 1))
    blocks = [order[low : low + rows] for low in range(0, n, rows)]
    tied: list[IntArray] = []
    for low in range(0, len(blocks), _WAVE):
        tied += engine.map(
            lambda which: best_by_sum(*pairs, *sought, which, best, score, other, other_score, counts),
            blocks[low : low + _WAVE],
        )
        report("linking", min(low + _WAVE, len(blocks)), len(blocks))
    cost, other_cost = -(score + lightest) / _SCALE, -(other_score + lightest) / _SCALE
    return (best, cost, other, np.where(other < 0, np.inf, other_cost), counts), tied, order
