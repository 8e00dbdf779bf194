"""Cells that other columns determine: sums, products, monotone functions, one-to-one codes, sub-totals of units.

A masked column comes back whole where a column left as it was is a function of it. Which functions hold is looked up
in the original: an intruder reads it off the questionnaire, or finds it in the records that are not masked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.data.scales import Numeric
from discreet.data.scales.precision import Fineness
from discreet.measures.risk.within_rounding import formula_within_rounding
from discreet.typing import BoolArray, CodeArray, FloatArray

__all__ = ["ReleasedColumn", "determined_by_columns"]

_SLACK = 1e-9
"""How far a linear relation may be off, beside the spread of the column: what sums lose to rounding of the machine."""
_CHANCE = 1e-6
"""A relation that would come about by chance more often than this is none."""
_SPARE = 20
"""Records beyond the coefficients that a linear relation must hold for."""
_LOOKED_AT = 512


_NUMBERS = Numeric()


@dataclass(frozen=True, repr=False)
class ReleasedColumn:
    """A column before and after masking, as numbers or positions of levels; NaN is missing.

    Attributes
    ----------
    numeric : bool
    masked : (n,) bool
        The cells that are masked; none in a column that is released as it came.
    shown : (n,) bool
        The cells that an intruder knows to be as they were.
    scale : Numeric
        In which steps numbers are released; a date goes in days.
    """

    name: str
    numeric: bool
    before: FloatArray
    after: FloatArray
    masked: BoolArray
    shown: BoolArray
    scale: Numeric = _NUMBERS

    @cached_property
    def ranks(self) -> CodeArray:
        """The dense rank of every original value; a missing one has the last."""
        return np.unique(self.before, return_inverse=True)[1].ravel().astype(np.int32)

    @cached_property
    def levels(self) -> int:
        """How many different values there are."""
        return int(self.ranks.max()) + 1

    @cached_property
    def grain(self) -> Fineness:
        """The steps of the original numbers."""
        return self.scale.fineness(self.before)

    @cached_property
    def agreement(self) -> float:
        """The chance that two records drawn at random have the same value."""
        shares = np.bincount(self.ranks) / self.ranks.size
        return float(shares @ shares)


def determined_by_columns(target: ReleasedColumn, others: Sequence[ReleasedColumn]) -> tuple[FloatArray, list[str]]:
    """Return what other columns say about the masked cells of one, NaN where nothing, and which columns say it.

    Time is O(records × columns²) for sums and products and O(records) for every other column; memory
    O(records × columns).
    """
    claims = np.full(target.before.size, np.nan)
    if target.levels < 2:
        return claims, []
    whole = [column for column in others if column.shown.all()]
    for column in whole:
        if _is_code(column, target) or _is_monotone(column, target):
            return target.before.copy(), [column.name]
    if not target.numeric:
        return claims, []
    numbers = [column for column in whole if column.numeric]
    partly = [column for column in others if column.numeric and column.shown.any()]
    for relation in (_linear, _rounded_formula):
        for candidates in (numbers, partly) if len(partly) > len(numbers) else (numbers,):
            formula = relation(target, candidates)
            if formula is not None:
                sources, values, visible = formula
                return np.where(visible, values, np.nan), sources
    return _sub_totals(target, whole)


def _is_code(column: ReleasedColumn, target: ReleasedColumn) -> bool:
    """Say whether equal values of a column go with equal values of the target, more often than by chance."""
    confirmed = column.ranks.size - column.levels
    if confirmed <= 0 or target.agreement ** min(confirmed, 10_000) > _CHANCE:
        return False
    return _maps(column.ranks, target.ranks, column.levels)


def _maps(keys: CodeArray, values: CodeArray, levels: int) -> bool:
    for part in (slice(0, _LOOKED_AT), slice(None)):  # most pairs fail within the first few records
        first = np.empty(levels, dtype=np.int32)
        first[keys[part]] = values[part]
        if not np.array_equal(first[keys[part]], values[part]):
            return False
    return True


def _is_monotone(column: ReleasedColumn, target: ReleasedColumn) -> bool:
    """Say whether two numbers rise together, or one as the other falls, without exception."""
    if not (column.numeric and target.numeric) or column.levels != target.levels:
        return False
    if target.levels < _SPARE:
        return False
    missing = np.isnan(target.before)
    if not np.array_equal(missing, np.isnan(column.before)):
        return False
    up = column.ranks[~missing]
    down = target.levels - 1 - int(missing.any()) - up
    return bool(np.array_equal(up, target.ranks[~missing]) or np.array_equal(down, target.ranks[~missing]))


def _linear(
    target: ReleasedColumn, columns: Sequence[ReleasedColumn]
) -> tuple[list[str], FloatArray, BoolArray] | None:
    """Return the columns of an exact linear relation, what it gives, and for which cells all of them are shown."""
    if not columns:
        return None
    block = np.stack([column.before for column in columns], axis=1)
    complete = ~(np.isnan(block).any(axis=1) | np.isnan(target.before))
    if complete.sum() < block.shape[1] + 1 + _SPARE:
        return None
    regressors, response = block[complete], target.before[complete]
    middle, spread = regressors.mean(axis=0), regressors.std(axis=0)
    varies = spread > 0
    if not varies.any() or not response.std() > 0:
        return None
    design = (regressors[:, varies] - middle[varies]) / spread[varies]
    level, width = response.mean(), response.std()
    # The crossproducts say at once whether a relation may hold; they are small whatever the number of records is.
    slopes = np.linalg.lstsq(design.T @ design, design.T @ ((response - level) / width), rcond=None)[0]
    if np.abs(design @ slopes - (response - level) / width).max() > 1e3 * _SLACK:
        return None
    terms = np.flatnonzero(varies)[np.abs(slopes) > 1e3 * _SLACK]
    # Once more on the columns that matter, by a decomposition that keeps all digits.
    design = np.column_stack([np.ones(len(regressors)), (regressors[:, terms] - middle[terms]) / spread[terms]])
    slopes = np.linalg.lstsq(design, response, rcond=None)[0]
    if np.abs(design @ slopes - response).max() > _SLACK * max(width, float(np.abs(response).max())):
        return None
    values = np.column_stack([np.ones(len(block)), (block[:, terms] - middle[terms]) / spread[terms]]) @ slopes
    visible = np.logical_and.reduce([columns[j].shown for j in terms]) & ~np.isnan(values)
    return [columns[j].name for j in terms], values, visible


def _rounded_formula(
    target: ReleasedColumn, columns: Sequence[ReleasedColumn]
) -> tuple[list[str], FloatArray, BoolArray] | None:
    """Return the same for a sum, product, ratio or power of up to three columns that holds but for rounding."""
    if not columns:
        return None
    block = np.stack([column.before for column in columns], axis=1)
    formula = formula_within_rounding(target.before, target.grain, block, [column.grain for column in columns])
    if formula is None:
        return None
    terms, values = formula
    visible = np.logical_and.reduce([columns[j].shown for j in terms]) & ~np.isnan(values)
    return [columns[j].name for j in terms], values, visible


def _sub_totals(target: ReleasedColumn, whole: Sequence[ReleasedColumn]) -> tuple[FloatArray, list[str]]:
    """Return the cells that are the last unknown ones of a unit whose total is released."""
    claims = np.full(target.before.size, np.nan)
    if np.isnan(target.before).any():
        return claims, []
    for unit in whole:
        sizes = np.bincount(unit.ranks)
        if not 2 <= sizes.size < unit.ranks.size or (sizes > 1).sum() < _SPARE:
            continue
        totals = np.bincount(unit.ranks, weights=target.before)
        for column in whole:
            if column is unit or not column.numeric:
                continue
            gap = np.abs(column.before - totals[unit.ranks])
            if not gap[:_LOOKED_AT].max() <= _SLACK * np.abs(totals).max() or not (
                gap.max() <= _SLACK * np.abs(totals).max()
            ):
                continue
            hidden = np.bincount(unit.ranks, weights=~target.shown)
            others = np.bincount(unit.ranks, weights=np.where(target.shown, target.before, 0.0))
            last = ~target.shown & (hidden[unit.ranks] == 1)
            claims[last] = (column.before - others[unit.ranks])[last]
            return claims, [column.name, unit.name]
    return claims, []
