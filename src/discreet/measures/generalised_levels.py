"""What a released level stands for: how many original levels, and how far up its hierarchy it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from discreet.contracts.measure import PairScope
from discreet.data.scales import Categorical
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.statistics.tallies import Cells
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["Coverage", "coverage"]


@dataclass(frozen=True, repr=False)
class Coverage:
    """What became of the cells of one attribute, by original and released level.

    Attributes
    ----------
    leaves : int
        The levels that there are: those of the hierarchy or, without one, those that occur in the original.
    rows, columns : (c,) int64
        Positions on the joined list of levels; the last is the missing value.
    counts : (c,) float64
        Records, or their weight.
    covered : (c,) float64
        How many levels the cell may be, as it is released.
    climbed : (c,) float64
        The share of the way up to where it says nothing; 1 where it is untrue.
    held : (c,) bool
        Whether there was a value.
    """

    leaves: int
    rows: IntArray
    columns: IntArray
    counts: FloatArray
    covered: FloatArray
    climbed: FloatArray
    held: BoolArray

    def intensity(self, figures: FloatArray, absent: float = 0.0) -> float:
        """Return the mean of figures over the cells that had a value, in percent; `absent` ones count 1."""
        counts = np.where(self.held, self.counts, 0.0)
        total = float(counts.sum()) + absent
        return 100.0 * (float((counts * figures).sum()) + absent) / total if total > 0 else 0.0

    @property
    def shares(self) -> FloatArray:
        """(covered − 1) / (leaves − 1), the loss metric of a cell."""
        return np.asarray((self.covered - 1.0) / max(self.leaves - 1, 1))


def coverage(scope: PairScope, name: str, cells: Cells, hierarchy: Hierarchy | None) -> Coverage:
    """Return what the released levels of an attribute stand for.

    With a hierarchy, a level stands for the leaves below it, and for all of them where the cell's own is not among
    these; without one, for the original levels whose records became it. A missing cell stands for all of them.
    """
    levels = scope.levels(name)
    gap = levels.size - 1
    held, gone = cells.rows != gap, cells.columns == gap
    pairs = held & ~gone
    origins = np.bincount(cells.columns[pairs], minlength=levels.size)
    leaves = int(np.unique(cells.rows[held]).size)
    covered = np.maximum(origins[cells.columns], 1).astype(np.float64)
    climbed = (cells.rows != cells.columns).astype(np.float64)
    if hierarchy is not None:
        leaves = len(hierarchy.rows)
        covered, climbed = _in_tree(scope, name, cells, hierarchy)
    covered[held & gone], climbed[held & gone] = max(leaves, 1), 1.0
    covered[~held], climbed[~held] = 1.0, 0.0
    return Coverage(leaves, cells.rows, cells.columns, cells.counts, covered, climbed, held)


def _in_tree(scope: PairScope, name: str, cells: Cells, hierarchy: Hierarchy) -> tuple[FloatArray, FloatArray]:
    """Return the leaves below every cell's released level, and the step it stands on over the height."""
    old, new = (cast("Categorical", schema[name].scale) for schema in (scope.before, scope.after))
    before = {place: str(level) for place, level in enumerate(old.levels)}
    places = scope.levels(name).places or range(len(new.levels))
    after = dict(before) | {place: str(level) for place, level in zip(places, new.levels, strict=True)}
    below: Mapping[int, dict[str, int]] = {step: {} for step in range(hierarchy.height + 1)}
    for row in hierarchy.rows.values():
        for step, group in enumerate(row):
            below[step][group] = below[step].get(group, 0) + 1
    covered, climbed = np.full(cells.rows.size, float(len(hierarchy.rows))), np.ones(cells.rows.size)
    for place, (first, second) in enumerate(zip(cells.rows.tolist(), cells.columns.tolist(), strict=True)):
        row = hierarchy.rows.get(before.get(first, ""), ())
        if after.get(second) in row:
            step = row.index(after[second])
            covered[place], climbed[place] = below[step][after[second]], step / max(hierarchy.height, 1)
    return covered, climbed
