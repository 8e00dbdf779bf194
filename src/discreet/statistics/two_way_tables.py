"""The tables of every two attributes, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from discreet.data.block import Block
from discreet.data.levels import JoinedLevels
from discreet.statistics.question import OfBothFiles
from discreet.statistics.tallies import Cells, count_cells
from discreet.typing import FloatArray

__all__ = ["TwoWayCells", "TwoWayTables"]


@dataclass(frozen=True, repr=False)
class TwoWayCells:
    """By two attributes, the cells of their table before and after, that are not empty."""

    tables: dict[tuple[str, str], tuple[Cells, Cells]]
    sizes: dict[str, int]

    def merge(self, later: TwoWayCells, /) -> TwoWayCells:
        tables = {}
        for names, mine in self.tables.items():
            sides = [self._merged(names, *two) for two in zip(mine, later.tables[names], strict=True)]
            tables[names] = (sides[0], sides[1])
        return TwoWayCells(tables, self.sizes)

    def _merged(self, names: tuple[str, str], mine: Cells, theirs: Cells) -> Cells:
        rows, columns, counts = (
            np.concatenate([getattr(one, part) for one in (mine, theirs)]) for part in ("rows", "columns", "counts")
        )
        return count_cells(rows, columns, self.sizes[names[1]], self.sizes[names[0]], counts)


@dataclass(frozen=True)
class TwoWayTables(OfBothFiles):
    """Ask for the tables of every two attributes.

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

    def summarise(self, block: Block, /) -> TwoWayCells:
        held = None if self.weight is None else block.original.weights()
        weights: FloatArray = np.ones(len(block)) if held is None else held
        joined = dict(zip(self.names, self.levels, strict=True))
        codes = {name: block.levels(name, joined[name]) for name in self.names}
        tables = {}
        for one, two in combinations(self.names, 2):
            sides = [
                count_cells(codes[one][side], codes[two][side], joined[two].size, joined[one].size, weights)
                for side in (0, 1)
            ]
            tables[one, two] = (sides[0], sides[1])
        return TwoWayCells(tables, {name: levels.size for name, levels in joined.items()})
