"""How far the principal axes of the data stretched or shrank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.base import Pair, register
from discreet.measures.loss.numeric import NumericLoss
from discreet.measures.moments import correlations, covariances, ranks
from discreet.parameters import Constraint, Flag
from discreet.results import Measurement

__all__ = ["EigenvalueDifference"]


@register("eigenvalues")
class EigenvalueDifference(NumericLoss):
    """Difference of the eigenvalues of the covariance matrices, in percent of their sum.

    It sees whether the cloud of records kept its shape, whichever way its axes point.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released. There must be two.
    weighted : bool
        With the survey weights.
    robust : bool
        Eigenvalues of the rank correlations instead, which a few outliers cannot move.

    Notes
    -----
    ``100 · Σ_j |λ_j − λ'_j| / Σ_j λ_j``, eigenvalues in descending order, of covariances of both files in standard
    deviations of the original. O(records × attributes² + attributes³).

    References
    ----------
    Templ, Kowarik and Meindl (2015), Statistical disclosure control for micro-data using the R package sdcMicro.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"x": [0.5, 2.5, 0.5, 2.5], "y": [0.5, 0.5, 2.5, 2.5]})  # unrelated: eigenvalues 1, 1
    >>> EigenvalueDifference().measure(a, a.with_columns(y="x")).value  # the same: eigenvalues 2, 0
    100.0
    """

    title: ClassVar[str] = "Change of shape (eigenvalues)"
    high: ClassVar[float] = float("inf")
    at_least: ClassVar[int] = 2
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · Σ |λ − λ′| / Σ λ"
    reference: ClassVar[str] = "Templ, Kowarik and Meindl 2015"
    parameters: ClassVar[Mapping[str, Constraint]] = {**NumericLoss.parameters, "robust": Flag()}

    def __init__(
        self, *, attributes: Sequence[str] | None = None, weighted: bool = False, robust: bool = False
    ) -> None:
        super().__init__(attributes=attributes, weighted=weighted)
        self.robust = robust

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(robust=True)]

    def _measure(self, pair: Pair) -> Measurement:
        weights = self._weights(pair)
        before, after = pair.original.numeric(pair.names), pair.masked.numeric(pair.names)
        if self.robust:
            first, second = (correlations(ranks(numbers), weights) for numbers in (before, after))
        else:
            first, second = covariances(before, weights), covariances(after, weights)
            spread = np.sqrt(np.diagonal(first))
            unit = np.outer(*(np.where(spread > 0, spread, 1.0),) * 2)
            first, second = first / unit, second / unit
        lengths, released = np.linalg.eigvalsh(first)[::-1], np.linalg.eigvalsh(second)[::-1]
        value = float(100.0 * np.abs(lengths - released).sum() / max(lengths.sum(), np.finfo(float).tiny))
        what = "rank correlations" if self.robust else "covariances"
        sentence = (
            f"The eigenvalues of the {what} changed by {value:.1f} % of their sum."
            if value > 0
            else f"The eigenvalues of the {what} did not change."
        )
        details = {"before": lengths.tolist(), "after": released.tolist(), "robust": self.robust}
        return self.result(value, sentence, details=details)
