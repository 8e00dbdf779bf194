"""How far correlations moved."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import most_of
from discreet.measures.loss.numeric import NumericLoss
from discreet.measures.moments import correlations, off_diagonal
from discreet.results import Measurement

__all__ = ["CorrelationDifference"]


@register("correlations")
class CorrelationDifference(NumericLoss):
    """Mean absolute difference of the correlations of every two attributes, in percent.

    It sees linear relations alone: neither a shift nor a change of scale of an attribute counts.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released. There must be two.
    weighted : bool
        Correlations with the survey weights.

    Notes
    -----
    ``100 · mean_{i<j} |r_ij − r'_ij|``; 200 would be every perfect relation turned round. An attribute without spread
    is related to none. Each correlation is of the records that have both values. O(records × attributes²).

    References
    ----------
    Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata (their IL5).

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"x": [0.5, 2.5, 0.5, 2.5], "y": [0.5, 2.5, 0.5, 2.5]})
    >>> CorrelationDifference().measure(a, a.with_columns(y=pl.Series([0.5, 2.5, 2.5, 0.5]))).value  # 1 became 0
    100.0
    """

    title: ClassVar[str] = "Change of correlations"
    high: ClassVar[float] = 200.0
    at_least: ClassVar[int] = 2
    formula: ClassVar[str] = "100 · mean_{i<j} |r − r′|"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001"

    def _measure(self, pair: Pair) -> Measurement:
        weights = self._weights(pair)
        before = correlations(pair.original.numeric(pair.names), weights)
        after = correlations(pair.masked.numeric(pair.names), weights)
        difference = 100.0 * np.abs(before - after)
        value = float(off_diagonal(difference).mean())
        means = difference.sum(axis=1) / (len(pair.names) - 1)
        per_attribute = dict(zip(pair.names, means.tolist(), strict=True))
        sentence = (
            f"Correlations changed by {value / 100:.3f} on average, most those of {most_of(per_attribute)}."
            if value > 0
            else "No correlation changed."
        )
        return self.result(value, sentence, per_attribute, {"largest": float(difference.max()) / 100.0})
