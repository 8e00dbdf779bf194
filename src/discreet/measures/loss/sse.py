"""Within-group variance: the sum of squares that masking adds, as a share of the total."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import NumberPair, most_of
from discreet.measures.loss.numeric import NumericLoss, in_units, spread, weighted_mean
from discreet.results import Measurement

__all__ = ["SquaredError"]


@register("sse")
class SquaredError(NumericLoss):
    """Squared differences of original and masked values, in percent of the total sum of squares (SSE/SST).

    What microaggregation minimises: 100 means that as much variance was destroyed or added as there was. It is blind
    to where the values went.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.
    weighted : bool
        Count records by their survey weight.

    Notes
    -----
    ``100 · mean_j Σ_i (x_ij − x'_ij)² / Σ_i (x_ij − x̄_j)²``: the figure of the literature, where every attribute is
    standardised first. A constant attribute counts 0 where it stayed and 100 where it moved. A cell that is missing in
    either file is left out. O(records × attributes).

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation for statistical disclosure control.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 2.5, 4.5, 6.5]}), pl.DataFrame({"x": [1.5, 1.5, 5.5, 5.5]})
    >>> round(SquaredError().measure(a, b).value, 9)  # 4 · 1² of 9 + 1 + 1 + 9
    20.0
    """

    title: ClassVar[str] = "Variance destroyed (SSE/SST)"
    high: ClassVar[float] = float("inf")
    formula: ClassVar[str] = "100 · mean_j Σ (x − x′)² / Σ (x − x̄)²"
    reference: ClassVar[str] = "Domingo-Ferrer and Mateo-Sanz 2002"

    def _measure(self, pair: Pair) -> Measurement:
        per_attribute = self._by_attribute(pair, _share, record_by_record=True)
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Masking moved values by {value:.1f} % of their own variance, most in {most_of(per_attribute)}."
            if value > 0
            else "No number moved."
        )
        return self.result(value, sentence, per_attribute)


def _share(numbers: NumberPair) -> float:
    error = weighted_mean((numbers.before - numbers.after) ** 2, numbers.before_weights)
    return in_units(error, spread(numbers.before, numbers.before_weights) ** 2)
