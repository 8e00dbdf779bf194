"""Minimal sample uniques: the smallest sets of keys that single a record out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.kernels.suda import gather_minimal, refine_cells
from discreet.measures.contingency import pack
from discreet.progress import report
from discreet.typing import CodeArray, IntArray

__all__ = ["MinimalUniques", "minimal_uniques"]

# Cells are counted in a table up to this many; beyond, combinations are numbered anew by sorting.
_TABLE = 1 << 22


@dataclass(frozen=True, repr=False)
class MinimalUniques:
    """Every minimal sample unique of a file.

    Attributes
    ----------
    records : (u,) int64
        The record it belongs to, ascending.
    subsets : (u,) int64
        Its attributes, as bits: bit j is attribute j.
    sizes : (u,) int64
        How many attributes those are.
    """

    records: IntArray
    subsets: IntArray
    sizes: IntArray


class _Search:
    """A walk over the sets of attributes, deepest first, that drops every row once it is alone."""

    def __init__(self, columns: Sequence[CodeArray], sizes: Sequence[int], frequency: CodeArray, deepest: int) -> None:
        self.columns, self.sizes, self.frequency, self.deepest = columns, sizes, frequency, deepest
        self.found_rows: list[CodeArray] = []
        self.found_subsets: list[IntArray] = []
        self.counts = np.zeros(1, dtype=np.int32)
        self.places = np.empty(frequency.size, dtype=np.int32)
        # Attributes with many levels first: they leave the fewest rows to go on with.
        self.order = sorted(range(len(columns)), key=lambda j: (-sizes[j], j))

    def walk(self, rows: CodeArray, cells: CodeArray, groups: int, subset: int, first: int, depth: int) -> None:
        for place in range(first, len(self.order)):
            j = self.order[place]
            last = depth + 1 == self.deepest or place + 1 == len(self.order)
            alone, left, left_cells, left_groups = self._refine(rows, cells, groups, j, last=last)
            if alone.size:
                self.found_rows.append(alone)
                self.found_subsets.append(np.full(alone.size, subset | (1 << j), dtype=np.int64))
            if not last and left.size:
                self.walk(left, left_cells, left_groups, subset | (1 << j), place + 1, depth + 1)
            if depth == 0:
                report("looking for special uniques", place + 1, len(self.order))

    def _refine(
        self, rows: CodeArray, cells: CodeArray, groups: int, j: int, *, last: bool
    ) -> tuple[CodeArray, CodeArray, CodeArray, int]:
        """Split the cells by attribute j; return the rows that are alone, the others, and their cells."""
        column, size = self.columns[j], int(self.sizes[j])
        if groups * size > max(_TABLE, 4 * rows.size):
            packed = cells.astype(np.int64) * size + column[rows]
            cells = np.unique(packed, return_inverse=True)[1].astype(np.int32)
            column, size, groups = np.zeros_like(column), 1, int(cells.max()) + 1
        if self.counts.size < groups * size:
            self.counts = np.zeros(groups * size, dtype=np.int32)
        alone, left, left_cells = (np.empty(rows.size, dtype=np.int32) for _ in range(3))
        n_alone, n_left, left_groups = refine_cells(
            rows, cells, column, size, self.frequency, last, self.counts, self.places, alone, left, left_cells
        )
        return alone[:n_alone].copy(), left[:n_left], left_cells[:n_left], left_groups


def minimal_uniques(columns: Sequence[IntArray], sizes: Sequence[int], deepest: int) -> MinimalUniques:
    """Find every minimal sample unique of at most `deepest` attributes.

    Parameters
    ----------
    columns : sequence of (n,) int64
        At most 62 attributes as codes 0 … size − 1; a missing cell is a value like any other.
    sizes : sequence of int
    deepest : int

    Notes
    -----
    A record that is alone on a set of attributes is alone on every larger one, so it is dropped from that branch of the
    walk. A minimal set is never missed: on none of its parts is the record alone. What is found beside the minimal sets
    holds one of them, and is sorted out at the end. At most Σ_{s ≤ deepest} C(attributes, s) passes over the distinct
    records.
    """
    packed, _ = pack(columns, sizes)
    _, first, labels = np.unique(packed, return_index=True, return_inverse=True)
    frequency = np.bincount(labels).astype(np.int32)
    rows = [np.ascontiguousarray(column[first], dtype=np.int32) for column in columns]
    search = _Search(rows, sizes, frequency, deepest)
    everybody = np.arange(first.size, dtype=np.int32)
    search.walk(everybody, np.zeros(first.size, dtype=np.int32), 1, 0, 0, 0)
    if not search.found_rows:
        none = np.zeros(0, dtype=np.int64)
        return MinimalUniques(none, none, none)
    # A row that is alone stands for one record: the first with its keys.
    rows_found, subsets = np.concatenate(search.found_rows), np.concatenate(search.found_subsets)
    records, kept = np.empty(subsets.size, dtype=np.int64), np.empty(subsets.size, dtype=np.int64)
    starts = np.zeros(labels.size + 1, dtype=np.int64)
    count = gather_minimal(rows_found, subsets, first.astype(np.int64, copy=False), starts, records, kept)
    records, kept = records[:count].copy(), kept[:count].copy()
    return MinimalUniques(records, kept, np.bitwise_count(kept).astype(np.int64))
