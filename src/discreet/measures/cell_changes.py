"""What is asked for the loss of cells: sums, and tables of what levels became, column by column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from discreet.data.block import Block
from discreet.data.scales import Categorical, Succession
from discreet.data.schema import Attribute, Schema
from discreet.measures.loss.cells_lost import band_sums, number_unit, numbers_lost, sequences_lost
from discreet.statistics.moments import ColumnMoments, first_values
from discreet.statistics.tallies import Cells, count_cells
from discreet.typing import BoolArray, FloatArray

__all__ = ["CellChanges", "ChangedCells", "ClippedNumbers", "Spreads", "change_of"]


def change_of(before: Schema, after: Schema, name: str) -> tuple[str, str]:
    """Return the kinds of scale before and after; the second is empty where the column is not released."""
    return _kind(before[name]), _kind(after[name]) if name in after else ""


def _kind(attribute: Attribute) -> str:
    return "categorical" if isinstance(attribute.scale, Categorical) else attribute.scale.kind


@dataclass(frozen=True, repr=False)
class Spreads:
    """The moments of numbers as they are, and clipped."""

    whole: ColumnMoments
    clipped: ColumnMoments

    def merge(self, later: Spreads, /) -> Spreads:
        return Spreads(self.whole.merge(later.whole), self.clipped.merge(later.clipped))

    def units(self, varies: BoolArray) -> FloatArray:
        """Return the change of a number that counts as lost; `varies` says whether the clipped numbers do."""
        inner = np.where(varies, self.clipped.spread, 0.0)
        return np.array([number_unit(float(a), float(b)) for a, b in zip(inner, self.whole.spread, strict=True)])

    @property
    def middles(self) -> FloatArray:
        """A point near the middle of every column."""
        return np.asarray(self.whole.origin + self.whole.mean)


@dataclass(frozen=True)
class ClippedNumbers:
    """Ask for the spread of numbers of the original, clipped at given ends."""

    names: tuple[str, ...]
    ends: tuple[tuple[float, float], ...]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    @property
    def released(self) -> tuple[str, ...]:
        return ()

    def summarise(self, block: Block, /) -> Spreads:
        numbers, weights = block.original.numeric(self.names), np.ones(len(block))
        low, high = np.array(self.ends).T
        clipped = np.clip(numbers, low, high)
        return Spreads(
            ColumnMoments.of(numbers, weights, first_values(numbers)),
            ColumnMoments.of(clipped, weights, first_values(clipped)),
        )


@dataclass(frozen=True, repr=False)
class ChangedCells:
    """By column, sums of what its cells lost or, of levels, the table of what they became."""

    sums: dict[str, FloatArray]
    cells: dict[str, Cells]
    sizes: dict[str, tuple[int, int]]

    def merge(self, later: ChangedCells, /) -> ChangedCells:
        sums = {name: mine + later.sums[name] for name, mine in self.sums.items()}
        cells = {}
        for name, mine in self.cells.items():
            rows, columns, counts = (
                np.concatenate([getattr(one, part) for one in (mine, later.cells[name])])
                for part in ("rows", "columns", "counts")
            )
            cells[name] = count_cells(rows, columns, self.sizes[name][1], self.sizes[name][0], counts)
        return ChangedCells(sums, cells, self.sizes)


@dataclass(frozen=True, eq=False)  # asked by one measure alone: which of two is the same is nobody's question
class CellChanges:
    """Ask what the cells of every column lost.

    Parameters
    ----------
    names : tuple of str
    before, after : Schema
    units, middles : dict of str to float
        Of numbers, the change that counts as lost, and a point near their middle.
    """

    names: tuple[str, ...]
    before: Schema
    after: Schema
    units: Mapping[str, float]
    middles: Mapping[str, float]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    @property
    def released(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name in self.after)

    def summarise(self, block: Block, /) -> ChangedCells:
        sums: dict[str, FloatArray] = {}
        cells, sizes = {}, {}
        for name in self.names:
            kinds = change_of(self.before, self.after, name)
            if kinds == ("categorical", "categorical"):
                sizes[name] = self._levels(self.before, name) + 1, self._levels(self.after, name) + 1
                cells[name] = _levels_became(block, name, *sizes[name])
            else:
                sums[name] = self._sums(block, name, kinds)
        return ChangedCells(sums, cells, sizes)

    @staticmethod
    def _levels(schema: Schema, name: str) -> int:
        return len(cast("Categorical", schema[name].scale))

    def _sums(self, block: Block, name: str, kinds: tuple[str, str]) -> FloatArray:
        if kinds[1] == "":
            present = float((~block.original.missing(name)).sum())
            return np.array([present, present])
        first, second = block.original.encoded(name), block.release.encoded(name)
        if kinds == ("numeric", "numeric"):
            return np.array(numbers_lost(first, second, self.units[name]))
        if kinds == ("numeric", "categorical"):
            levels = self._levels(self.after, name)
            return band_sums(first, np.asarray(second, dtype=np.int64), levels, self.middles[name])
        if kinds == ("sequence", "sequence"):
            old, new = (schema[name].scale for schema in (self.before, self.after))
            released = old.translated(new, second) if isinstance(old, Succession) else second
            return np.array(sequences_lost(first, released, old))
        filled = float((~(block.original.missing(name) & block.release.missing(name))).sum())
        return np.array([filled, filled])


def _levels_became(block: Block, name: str, rows: int, columns: int) -> Cells:
    """Count what levels became; the last row and column are the missing value."""
    first, second = block.original.encoded(name), block.release.encoded(name)
    return count_cells(
        np.where(first < 0, rows - 1, first).astype(np.int64),
        np.where(second < 0, columns - 1, second).astype(np.int64),
        columns,
        rows,
        np.ones(len(block)),
    )
