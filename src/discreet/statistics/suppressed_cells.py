"""Which cells are there before and missing after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.data.block import Block
from discreet.statistics.question import OfBothFiles
from discreet.typing import FloatArray, IntArray

__all__ = ["SuppressedCells", "Suppressions"]


@dataclass(frozen=True, repr=False)
class SuppressedCells:
    """By column, the weight of the values that are there before, of those that are gone, and how many are gone."""

    present: FloatArray
    gone: FloatArray
    cells: IntArray

    def merge(self, later: SuppressedCells, /) -> SuppressedCells:
        return SuppressedCells(self.present + later.present, self.gone + later.gone, self.cells + later.cells)


@dataclass(frozen=True)
class Suppressions(OfBothFiles):
    """Ask what is gone."""

    names: tuple[str, ...]
    weight: str | None = None

    def summarise(self, block: Block, /) -> SuppressedCells:
        held = None if self.weight is None else block.original.weights()
        weights: FloatArray = np.ones(len(block)) if held is None else held
        present, gone, cells = [], [], []
        for name in self.names:
            there = ~block.original.missing(name)
            absent = there & block.release.missing(name)
            present.append(float(weights[there].sum()))
            gone.append(float(weights[absent].sum()))
            cells.append(int(absent.sum()))
        return SuppressedCells(np.array(present), np.array(gone), np.array(cells, dtype=np.int64))
