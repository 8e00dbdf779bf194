"""How far covariances moved."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from discreet.base import Pair, register
from discreet.measures.columns import most_of
from discreet.measures.loss.numeric import NumericLoss
from discreet.measures.moments import covariances, off_diagonal
from discreet.results import Measurement

__all__ = ["CovarianceDifference"]


@register("covariances")
class CovarianceDifference(NumericLoss):
    """Difference of the covariances of every two attributes, in units of their standard deviations, in percent.

    It sees how much linear relations weakened or strengthened, changes of scale included.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released. There must be two.
    weighted : bool
        Covariances with the survey weights.

    Notes
    -----
    ``100 · mean_{i<j} |c_ij − c'_ij| / (S_i S_j)`` with S the original's standard deviations; an attribute without
    spread is left at unit 1. Each covariance is of the records that have both values. O(records × attributes²).

    References
    ----------
    Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata (their IL3, there
    relative to the covariance itself).

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"x": [0.5, 2.5, 0.5, 2.5], "y": [0.5, 2.5, 0.5, 2.5]})
    >>> CovarianceDifference().measure(a, a.with_columns(y=a["y"] * 0.5)).value  # 1 became 0.5; S = 1
    50.0
    """

    title: ClassVar[str] = "Change of covariances"
    high: ClassVar[float] = float("inf")
    at_least: ClassVar[int] = 2
    formula: ClassVar[str] = "100 · mean_{i<j} |c − c′| / (S_i S_j)"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001"

    def _measure(self, pair: Pair) -> Measurement:
        weights = self._weights(pair)
        before = covariances(pair.original.numeric(pair.names), weights)
        after = covariances(pair.masked.numeric(pair.names), weights)
        spread = np.sqrt(np.diagonal(before))
        spread = np.where(spread > 0, spread, 1.0)
        difference = 100.0 * np.abs(before - after) / np.outer(spread, spread)
        np.fill_diagonal(difference, 0.0)
        value = float(off_diagonal(difference).mean())
        means = difference.sum(axis=1) / (len(pair.names) - 1)
        per_attribute = dict(zip(pair.names, means.tolist(), strict=True))
        sentence = (
            f"Covariances changed by {value:.1f} % of what full dependence would be, most those of "
            f"{most_of(per_attribute)}."
            if value > 0
            else "No covariance changed."
        )
        return self.result(value, sentence, per_attribute)
