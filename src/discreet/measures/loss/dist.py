"""Dist: how far categories moved, record by record."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import LevelPair, most_of
from discreet.measures.contingency import count_cells
from discreet.measures.loss.categorical import CategoricalLoss
from discreet.results import Measurement
from discreet.typing import FloatArray, IntArray

__all__ = ["CategoryDistance"]


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
    >>> from discreet.scales import Ordinal
    >>> from discreet.schema import Attribute, Schema
    >>> schema = Schema([Attribute("size", Ordinal(["s", "m", "l", "xl"]), "key")])
    >>> a, b = pl.DataFrame({"size": ["s", "m", "l", "xl"]}), pl.DataFrame({"size": ["s", "l", "l", "m"]})
    >>> CategoryDistance().measure(a, b, schema).value  # (0 + 1/4 + 0 + 2/4) / 4
    18.75
    """

    title: ClassVar[str] = "Movement of categories (Dist)"
    in_score: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · mean d(v, v′)"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2002"

    def _measure(self, pair: Pair) -> Measurement:
        weights = self._weights(pair)
        per_attribute = {
            name: 100.0 * _mean_distance(levels, pair.original.schema[name].scale.ordered, weights)
            for name, levels in self._levels(pair).items()
        }
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Categories moved by {value:.1f} % of their range on average, most in {most_of(per_attribute)}."
            if value > 0
            else "No category changed."
        )
        details = {"mean_sum_over_attributes": sum(per_attribute.values()) / 100.0}
        return self.result(value, sentence, per_attribute, details)


def _mean_distance(levels: LevelPair, ordered: bool, weights: FloatArray) -> float:
    cells = count_cells(levels.before, levels.after, levels.size, levels.size, weights)
    # The original has these released levels as well; the missing value is one of them.
    shared = (cells.columns < levels.declared) | (cells.columns == levels.size - 1)
    distance = (cells.rows != cells.columns).astype(np.float64)
    if ordered:
        known = (cells.rows < levels.declared) & (cells.columns < levels.declared)
        distance[known] = np.abs(cells.rows[known] - cells.columns[known]) / levels.declared
    total = float((distance * cells.counts)[shared].sum())
    for column in np.unique(cells.columns[~shared]):
        made_of = cells.columns == column
        total += _within(cells.rows[made_of], cells.counts[made_of], levels, ordered)
    return total / float(weights.sum())


def _within(rows: IntArray, counts: FloatArray, levels: LevelPair, ordered: bool) -> float:
    """Return the sum over records of their mean distance from the records released like them; rows are ascending."""
    n = counts.sum()
    if not ordered or (rows >= levels.declared).any():
        return float(n - (counts**2).sum() / n)
    below = np.cumsum(counts) - counts
    sum_below = np.cumsum(counts * rows) - counts * rows
    return float(2.0 * (counts * (rows * below - sum_below)).sum() / levels.declared / n)
