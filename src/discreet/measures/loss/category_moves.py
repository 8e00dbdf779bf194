"""Losses of categories record by record: how far a category moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.levels import JoinedLevels
from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.measures.number_pairs import most_of, says_change, weight_asked
from discreet.parameters import Flag, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need
from discreet.statistics.tallies import Cells, LevelChanges, LevelTransitions
from discreet.typing import FloatArray, IntArray

__all__ = ["CategoricalLoss", "CategoryDistance"]


class CategoricalLoss(Measure):
    """A loss that compares ordinal and nominal attributes."""

    kind: ClassVar[str] = "loss"
    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    at_least: ClassVar[int] = 1
    """How many attributes there must be."""
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    weighted: bool = parameter(Flag(), default=False)

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        return names if len(names) >= self.at_least else ()

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:
        fitting = super()._comparable(names, before, after)
        return fitting if len(fitting) >= self.at_least else ()

    def transitions(self, scope: PairScope) -> LevelTransitions:
        """Ask what every level became."""
        levels = tuple(scope.levels(name) for name in scope.names)
        return LevelTransitions(scope.names, levels, weight_asked(type(self).__name__, scope, self.weighted))


@register("dist")
class CategoryDistance(CategoricalLoss):
    """Mean distance of original and released categories, in percent (Dist).

    It sees every single change: two records that exchange their values count twice, although no table shows it.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every categorical attribute that is released.
    weighted : bool
        Count records by their survey weight.

    Notes
    -----
    Unordered levels are at distance 0 or 1, ordered ones at the difference of their positions divided by the number of
    levels. A suppressed value is at distance 1. A level that only the release has (a merged category) stands for the
    values it was given to: its distance from one of them is the mean over all records that were released so, which is
    0 for a level that was only renamed. `details` holds the papers' sum over attributes as a mean over records.
    O(records × attributes).

    References
    ----------
    Domingo-Ferrer and Torra (2002), Distance-based and probabilistic record linkage, Definition 1 and section 3.4
    (with distance 0 of a category from itself); Torra (2004), section 4.1.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Ordinal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("size", Ordinal(["s", "m", "l", "xl"]), "key")])
    >>> a, b = pl.DataFrame({"size": ["s", "m", "l", "xl"]}), pl.DataFrame({"size": ["s", "l", "l", "m"]})
    >>> CategoryDistance().measure(a, b, schema).value  # (0 + 1/4 + 0 + 2/4) / 4
    18.75
    """

    title: ClassVar[str] = "Movement of categories (Dist)"
    need: ClassVar[Need] = Need.RECORD
    in_score: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · mean d(v, v′)"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2002"

    def question(self, scope: PairScope) -> LevelTransitions:
        return self.transitions(scope)

    def conclude(self, statistics: LevelChanges, scope: PairScope) -> Measurement:
        per_attribute = {}
        for name, cells in statistics.cells.items():
            ordered = cast("Categorical", scope.before[name].scale).ordered
            per_attribute[name] = 100.0 * _distance(cells, scope.levels(name), ordered) / statistics.weight
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Categories moved by {value:.1f} % of their range on average, most in {most_of(per_attribute)}."
            if says_change(value)
            else "No category changed."
        )
        details = {"mean_sum_over_attributes": sum(per_attribute.values()) / 100.0}
        return self.result(value, sentence, per_attribute, details)


def _distance(cells: Cells, levels: JoinedLevels, ordered: bool) -> float:
    """Return the sum of the distances of all records."""
    # The original has these released levels as well; the missing value is one of them.
    shared = (cells.columns < levels.declared) | (cells.columns == levels.size - 1)
    distance = (cells.rows != cells.columns).astype(np.float64)
    if ordered:
        declared = (cells.rows < levels.declared) & (cells.columns < levels.declared)
        distance[declared] = np.abs(cells.rows[declared] - cells.columns[declared]) / levels.declared
    total = float((distance * cells.counts)[shared].sum())
    for column in np.unique(cells.columns[~shared]):
        made_of = cells.columns == column
        total += _within(cells.rows[made_of], cells.counts[made_of], levels, ordered)
    return total


def _within(rows: IntArray, counts: FloatArray, levels: JoinedLevels, ordered: bool) -> float:
    """Return the sum over records of their mean distance from the records released like them; rows are ascending."""
    n = counts.sum()
    if not ordered or (rows >= levels.declared).any():
        return float(n - (counts**2).sum() / n)
    below = np.cumsum(counts) - counts
    sum_below = np.cumsum(counts * rows) - counts * rows
    return float(2.0 * (counts * (rows * below - sum_below)).sum() / levels.declared / n)
