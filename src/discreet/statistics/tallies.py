"""Tables of counts: of levels, of cells of several attributes, and how far two of them are apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

import numpy as np

from discreet.data.block import Block
from discreet.data.keys import LARGEST, pack
from discreet.data.levels import JoinedLevels
from discreet.statistics.question import OfBothFiles
from discreet.typing import FloatArray, IntArray, LevelArray

__all__ = [
    "Cells",
    "LevelChanges",
    "LevelTransitions",
    "TableDifferences",
    "TableSums",
    "count_cells",
    "count_levels",
    "cramers_v",
    "pack",
]

_DENSE = 1 << 16


@dataclass(frozen=True, repr=False)
class Cells:
    """The cells of a two-way table that are not empty: row, column and count."""

    rows: IntArray
    columns: IntArray
    counts: FloatArray


def count_cells(rows: LevelArray, columns: LevelArray, n_columns: int, n_rows: int, weights: FloatArray) -> Cells:
    """Return the cells of a two-way table that are not empty, row after row."""
    packed = np.multiply(rows, n_columns, dtype=np.int64)
    packed += columns
    if n_rows * n_columns <= max(_DENSE, 4 * packed.size):
        counts = np.bincount(packed, weights=weights, minlength=n_rows * n_columns)
        occupied = np.flatnonzero(counts > 0)
        counts = counts[occupied]
    else:
        occupied, place = np.unique(packed, return_inverse=True)
        counts = np.bincount(place, weights=weights)
    return Cells(occupied // n_columns, occupied % n_columns, counts.astype(np.float64))


def _weights(block: Block, weight: str | None) -> FloatArray:
    weights = None if weight is None else block.original.weights()
    return np.ones(len(block)) if weights is None else weights


@dataclass(frozen=True, repr=False)
class LevelChanges:
    """By attribute, the table of what every level became; positions on the joined list of levels."""

    cells: dict[str, Cells]
    sizes: dict[str, int]
    weight: float

    def merge(self, later: LevelChanges, /) -> LevelChanges:
        cells = {name: self._merged(name, mine, later.cells[name]) for name, mine in self.cells.items()}
        return LevelChanges(cells, self.sizes, self.weight + later.weight)

    def _merged(self, name: str, mine: Cells, theirs: Cells) -> Cells:
        rows, columns, counts = (
            np.concatenate([getattr(one, part) for one in (mine, theirs)]) for part in ("rows", "columns", "counts")
        )
        return count_cells(rows, columns, self.sizes[name], self.sizes[name], counts)


@dataclass(frozen=True)
class LevelTransitions(OfBothFiles):
    """Ask what every level of each attribute became.

    Parameters
    ----------
    names : tuple of str
    levels : tuple of JoinedLevels
        Of each attribute.
    weight : str, optional
        The survey weight, a column of the original.
    """

    names: tuple[str, ...]
    levels: tuple[JoinedLevels, ...]
    weight: str | None = None

    def summarise(self, block: Block, /) -> LevelChanges:
        weights, cells = _weights(block, self.weight), {}
        for name, joined in zip(self.names, self.levels, strict=True):
            before, after = block.levels(name, joined)
            cells[name] = count_cells(before, after, joined.size, joined.size, weights)
        sizes = {name: joined.size for name, joined in zip(self.names, self.levels, strict=True)}
        return LevelChanges(cells, sizes, float(weights.sum()))


@dataclass(frozen=True, repr=False)
class TableSums:
    """By set of attributes, the cells in which the tables of both files differ, and by how much.

    Attributes
    ----------
    cells : dict of names to array
        The cells, as one number each or, where a table has too many for that, as the bytes of their codes.
    differences : dict of names to (c,) float64
        Count before minus count after; those that cancel may still be listed.
    gaps : dict of str to bool
        Whether the attribute is missing in one of the files.
    weight : float
    """

    cells: dict[tuple[str, ...], IntArray]
    differences: dict[tuple[str, ...], FloatArray]
    gaps: dict[str, bool]
    weight: float

    def merge(self, later: TableSums, /) -> TableSums:
        cells, differences = {}, {}
        for names, mine in self.cells.items():
            cells[names], place = np.unique(np.concatenate([mine, later.cells[names]]), return_inverse=True)
            both = np.concatenate([self.differences[names], later.differences[names]])
            differences[names] = _summed(place, both)
        gaps = {name: gap or later.gaps[name] for name, gap in self.gaps.items()}
        return TableSums(cells, differences, gaps, self.weight + later.weight)


@dataclass(frozen=True)
class TableDifferences(OfBothFiles):
    """Ask by how much the tables of counts of both files differ, for several sets of attributes.

    Parameters
    ----------
    names : tuple of str
    levels : tuple of JoinedLevels
        Of each attribute.
    tables : tuple of tuples of str
        The attributes that span each table.
    weight : str, optional
        The survey weight, a column of the original.
    """

    names: tuple[str, ...]
    levels: tuple[JoinedLevels, ...]
    tables: tuple[tuple[str, ...], ...]
    weight: str | None = None

    def summarise(self, block: Block, /) -> TableSums:
        weights = _weights(block, self.weight)
        joined = dict(zip(self.names, self.levels, strict=True))
        codes = {name: block.levels(name, joined[name]) for name in self.names}
        cells, differences = {}, {}
        for names in self.tables:
            sizes = [joined[name].size for name in names]
            cells[names], differences[names] = _difference([codes[name] for name in names], sizes, weights)
        gaps = {name: any(bool((c == joined[name].size - 1).any()) for c in codes[name]) for name in self.names}
        return TableSums(cells, differences, gaps, float(weights.sum()))


def _difference(
    codes: Sequence[tuple[LevelArray, LevelArray]], sizes: Sequence[int], weights: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return the cells that one of two tables has, and the difference of their counts."""
    size = prod(sizes)
    if size > LARGEST:
        first, second = (np.stack(side, axis=1, dtype=np.int64) for side in zip(*codes, strict=True))
        rows = np.concatenate([first, second]).view(np.dtype((np.void, 8 * len(sizes)))).ravel()
        distinct, place = np.unique(rows, return_inverse=True)
        return cast("IntArray", distinct), _summed(place, np.concatenate([weights, -weights]))
    before, after = (np.ravel_multi_index(side, tuple(sizes)) for side in zip(*codes, strict=True))
    if size <= max(_DENSE, 4 * weights.size):
        difference = np.bincount(before, weights=weights, minlength=size)
        difference -= np.bincount(after, weights=weights, minlength=size)
        cells = np.flatnonzero(difference)
        return cells, np.asarray(difference[cells], dtype=np.float64)
    packed, place = np.unique(np.concatenate([before, after]), return_inverse=True)
    return packed, _summed(place, np.concatenate([weights, -weights]))


def _summed(place: IntArray, numbers: FloatArray) -> FloatArray:
    return np.bincount(place, weights=numbers).astype(np.float64)


def count_levels(codes: IntArray, size: int, weights: FloatArray) -> FloatArray:
    """Return the (weighted) records at every level."""
    return np.bincount(codes, weights=weights, minlength=size).astype(np.float64)


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
