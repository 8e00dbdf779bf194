"""Counts of combinations of levels, dense where the table is small and sparse where it is not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.typing import FloatArray, IntArray

__all__ = ["Cells", "count_cells", "count_levels", "cramers_v", "pack", "table_difference"]

_LARGEST = 1 << 62
_DENSE = 1 << 16


@dataclass(frozen=True, repr=False)
class Cells:
    """The cells of a two-way table that are not empty: row, column and count."""

    rows: IntArray
    columns: IntArray
    counts: FloatArray


def pack(columns: Sequence[IntArray], sizes: Sequence[int]) -> tuple[IntArray, int]:
    """Return one code a record for the combination of its codes, and how many codes there may be.

    Where the product of the sizes does not fit into 62 bits, the combinations so far are numbered anew.
    """
    packed, cells = columns[0].astype(np.int64), int(sizes[0])
    for codes, size in zip(columns[1:], sizes[1:], strict=True):
        if cells * size > _LARGEST:
            found, packed = np.unique(packed, return_inverse=True)
            cells = found.size
        packed = packed * size + codes
        cells *= int(size)
    return packed, cells


def count_levels(codes: IntArray, size: int, weights: FloatArray) -> FloatArray:
    """Return the (weighted) records at every level."""
    return np.bincount(codes, weights=weights, minlength=size).astype(np.float64)


def count_cells(rows: IntArray, columns: IntArray, n_columns: int, n_rows: int, weights: FloatArray) -> Cells:
    """Return the cells of a two-way table that are not empty, row after row."""
    packed = rows * n_columns + columns
    if n_rows * n_columns <= max(_DENSE, 4 * packed.size):
        counts = np.bincount(packed, weights=weights, minlength=n_rows * n_columns)
        taken = np.flatnonzero(counts > 0)
        counts = counts[taken]
    else:
        taken, place = np.unique(packed, return_inverse=True)
        counts = np.bincount(place, weights=weights)
    return Cells(taken // n_columns, taken % n_columns, counts.astype(np.float64))


def table_difference(
    before: Sequence[IntArray], after: Sequence[IntArray], sizes: Sequence[int], weights: FloatArray
) -> float:
    """Return Σ |x^F − x^G| over the cells of the two tables that these attributes span."""
    cells = math.prod(int(size) for size in sizes)
    n = weights.size
    if cells <= max(_DENSE, 4 * n):
        first, second = pack(before, sizes)[0], pack(after, sizes)[0]
        difference = np.bincount(first, weights=weights, minlength=cells)
        difference -= np.bincount(second, weights=weights, minlength=cells)
        return float(np.abs(difference).sum())
    both = [np.concatenate([a, b]) for a, b in zip(before, after, strict=True)]
    _, place = np.unique(pack(both, sizes)[0], return_inverse=True)
    return float(np.abs(np.bincount(place, weights=np.concatenate([weights, -weights]))).sum())


def cramers_v(cells: Cells) -> float:
    """Return Cramér's V of a two-way table; 0 where one of the attributes has a single level.

    χ²/n is Σ n_ij² / (n_i n_j) − 1, and empty cells add nothing to it.
    """
    by_row = np.bincount(cells.rows, weights=cells.counts)
    by_column = np.bincount(cells.columns, weights=cells.counts)
    smaller = min(np.count_nonzero(by_row), np.count_nonzero(by_column)) - 1
    if smaller < 1:
        return 0.0
    share = (cells.counts**2 / (by_row[cells.rows] * by_column[cells.columns])).sum() - 1.0
    return float(np.sqrt(min(max(share, 0.0) / smaller, 1.0)))
