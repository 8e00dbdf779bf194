"""IL1s: how far values moved, in standard deviations."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import NumberPair, most_of
from discreet.measures.loss.numeric import NumericLoss, in_units, spread, weighted_mean
from discreet.results import Measurement

__all__ = ["IL1s"]


@register("il1s")
class IL1s(NumericLoss):
    """Mean absolute difference of original and masked values, in units of √2 standard deviations, in percent.

    Zero for an unmasked file; it does not grow with the number of records or attributes. 100 would mean that values
    moved, on average, by about as much as those of two records drawn at random differ.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.
    weighted : bool
        Count records by their survey weight.

    Notes
    -----
    ``100 · mean_ij |x_ij − x'_ij| / (√2 · S_j)`` with S_j the standard deviation (divisor n) of original attribute j.
    A constant attribute that stays constant counts 0; one that moved cannot be scaled and counts 100. A cell that is
    missing in either file is left out. O(records × attributes).

    References
    ----------
    Mateo-Sanz, Sebé and Domingo-Ferrer (2004), Outlier protection in continuous microdata masking.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.0, 2.0, 0.0, 2.0, 1.5]}), pl.DataFrame({"x": [1.0, 1.0, 1.0, 1.0, 1.5]})
    >>> round(IL1s().measure(a, b).value, 2)  # mean |difference| 0.8, S = 0.9165
    61.72
    """

    title: ClassVar[str] = "Movement of numbers (IL1s)"
    high: ClassVar[float] = float("inf")
    in_score: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · mean |x − x′| / (√2 S)"
    reference: ClassVar[str] = "Mateo-Sanz, Sebé and Domingo-Ferrer 2004"

    def _measure(self, pair: Pair) -> Measurement:
        weights = self._weights(pair)
        units = {}
        for name in pair.names:
            numbers = pair.original.encoded(name)
            there = ~np.isnan(numbers)
            units[name] = spread(numbers[there], weights[there]) if there.any() else 0.0
        moved = self._by_attribute(pair, _movement, record_by_record=True)
        per_attribute = {name: in_units(moved[name], np.sqrt(2.0) * units[name]) for name in pair.names}
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Numbers moved by {value:.1f} % of √2 standard deviations on average, most in {most_of(per_attribute)}."
            if value > 0
            else "No number moved."
        )
        return self.result(value, sentence, per_attribute)


def _movement(numbers: NumberPair) -> float:
    return weighted_mean(np.abs(numbers.before - numbers.after), numbers.before_weights)
