"""Losses of what numbers have to do with each other: covariances, correlations, ranks, eigenvalues."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Pair, PairScope
from discreet.contracts.measurement import Measurement
from discreet.errors import MissingValueError
from discreet.measures.loss.numbers import NumericLoss, RelationLoss
from discreet.measures.number_pairs import most_of, says_change, weight_asked
from discreet.parameters import Flag
from discreet.parameters.declaration import parameter
from discreet.statistics.correlations import correlations, off_diagonal, ranks
from discreet.statistics.moments import Comoments, RelatedNumbers
from discreet.statistics.question import Everything, Need
from discreet.statistics.value_counts import CountedValues, PairCounts, ValuePairs
from discreet.typing import FloatArray, IntArray

__all__ = ["CorrelationDifference", "CovarianceDifference", "EigenvalueDifference", "RankLoss"]


@register("covariances")
class CovarianceDifference(RelationLoss):
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
    formula: ClassVar[str] = "100 · mean_{i<j} |c − c′| / (S_i S_j)"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001"

    def conclude(self, statistics: RelatedNumbers, scope: PairScope) -> Measurement:
        before = statistics.before.covariances
        after = statistics.after.covariances
        spread = np.sqrt(np.diagonal(before))
        spread = np.where(spread > 0, spread, 1.0)
        difference = 100.0 * np.abs(before - after) / np.outer(spread, spread)
        np.fill_diagonal(difference, 0.0)
        value = float(off_diagonal(difference).mean())
        means = difference.sum(axis=1) / (len(scope.names) - 1)
        per_attribute = dict(zip(scope.names, means.tolist(), strict=True))
        sentence = (
            f"Covariances changed by {value:.1f} % of what full dependence would be, most those of "
            f"{most_of(per_attribute)}."
            if says_change(value)
            else "No covariance changed."
        )
        return self.result(value, sentence, per_attribute)


@register("correlations")
class CorrelationDifference(RelationLoss):
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
    formula: ClassVar[str] = "100 · mean_{i<j} |r − r′|"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001"

    def conclude(self, statistics: RelatedNumbers, scope: PairScope) -> Measurement:
        before = statistics.before.correlations
        after = statistics.after.correlations
        difference = 100.0 * np.abs(before - after)
        value = float(off_diagonal(difference).mean())
        means = difference.sum(axis=1) / (len(scope.names) - 1)
        per_attribute = dict(zip(scope.names, means.tolist(), strict=True))
        sentence = (
            f"Correlations changed by {value / 100:.3f} on average, most those of {most_of(per_attribute)}."
            if says_change(value)
            else "No correlation changed."
        )
        return self.result(value, sentence, per_attribute, {"largest": float(difference.max()) / 100.0})


@register("rank-correlation")
class RankLoss(NumericLoss):
    """What Spearman's correlation of original and masked values lacks to 1, in percent.

    It sees whether the records keep their order; any rescaling that keeps the order costs nothing.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.
    weighted : bool
        Count records by their survey weight (the ranks themselves are not weighted).

    Notes
    -----
    ``100 · mean_j (1 − ρ_j)``: 0 same order, 100 no order left, 200 order turned round. Equal values share their rank.
    An attribute that is constant in one of the files counts 100 unless it is unchanged. A cell that is missing in
    either file is left out. O(records log records × attributes).

    References
    ----------
    Spearman (1904), The proof and measurement of association between two things.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [1.5, 2.5, 3.5]}), pl.DataFrame({"x": [1.5, 9.5, 3.5]})
    >>> RankLoss().measure(a, b).value  # ranks 1 2 3 became 1 3 2: ρ = 1 − 6 · 2 / (3 · 8) = 0.5
    50.0
    """

    need: ClassVar[Need] = Need.ORDER
    title: ClassVar[str] = "Order lost (rank correlation)"
    high: ClassVar[float] = 200.0
    formula: ClassVar[str] = "100 · mean_j (1 − ρ)"
    reference: ClassVar[str] = "Spearman 1904"

    def question(self, scope: PairScope) -> PairCounts:
        return PairCounts(scope.names, weight_asked(type(self).__name__, scope, self.weighted))

    def conclude(self, statistics: ValuePairs, scope: PairScope) -> Measurement:  # noqa: ARG002
        per_attribute = {}
        for name, (pairs,) in statistics.parts.items():
            if not pairs.n:
                owner = type(self).__name__
                raise MissingValueError(f"{owner}: column {name!r} has no record with a value in both files.")
            per_attribute[name] = _disorder(pairs)
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"The rank correlation of original and released numbers is {1 - value / 100:.3f} on average, lowest in "
            f"{most_of(per_attribute)}."
            if value > 0
            else "Numbers kept their order."
        )
        return self.result(value, sentence, per_attribute)


def _disorder(pairs: CountedValues) -> float:
    before, after = pairs.rows.T
    if np.array_equal(before, after):
        return 0.0
    ranked = np.stack([_ranks(before, pairs.counts), _ranks(after, pairs.counts)], axis=1)
    loss = 100.0 * (1.0 - float(correlations(ranked, pairs.weights)[0, 1]))
    return loss if loss > 1e-10 else 0.0  # the same order: what is left is rounding


def _ranks(numbers: FloatArray, counts: IntArray) -> FloatArray:
    """Return the ranks of numbers that `counts` records have; equal numbers share theirs."""
    values, place = np.unique(numbers, return_inverse=True)
    records = np.bincount(place, weights=counts, minlength=values.size)
    last = np.cumsum(records)
    return np.asarray((last - 0.5 * (records - 1.0))[place])


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
    deviations of the original. O(records × attributes² + attributes³). With `robust` it needs all records at once: a
    rank is a place among all of them, in every attribute of a record together.

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
    instead: ClassVar[str] = (
        "A rank is a place among all records, in every attribute of a record together. Leave robust out, or take it of "
        "a sample of the records."
    )
    robust: bool = parameter(Flag(), default=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(robust=True)]

    @property
    def need(self) -> Need:  # type: ignore[override]
        """Ranks of every two attributes at once are those of all records."""
        return Need.ALL if self.robust else Need.RECORD

    def question(self, scope: PairScope) -> Comoments | Everything:
        if self.robust:
            return Everything(type(self).__name__, *scope.everything, self.instead)
        return Comoments(scope.names, weight_asked(type(self).__name__, scope, self.weighted))

    def conclude(self, statistics: RelatedNumbers, scope: PairScope) -> Measurement:
        if self.robust:
            return super().conclude(statistics, scope)
        first, second = statistics.before.covariances, statistics.after.covariances
        spread = np.sqrt(np.diagonal(first))
        unit = np.outer(*(np.where(spread > 0, spread, 1.0),) * 2)
        return self._compared(first / unit, second / unit)

    def _measure(self, pair: Pair) -> Measurement:
        weights = self._weights(pair)
        before, after = pair.original.numeric(pair.names), pair.masked.numeric(pair.names)
        return self._compared(*(correlations(ranks(numbers), weights) for numbers in (before, after)))

    def _compared(self, first: FloatArray, second: FloatArray) -> Measurement:
        lengths, released = np.linalg.eigvalsh(first)[::-1], np.linalg.eigvalsh(second)[::-1]
        value = float(100.0 * np.abs(lengths - released).sum() / max(lengths.sum(), np.finfo(float).tiny))
        what = "rank correlations" if self.robust else "covariances"
        sentence = (
            f"The eigenvalues of the {what} changed by {value:.1f} % of their sum."
            if says_change(value)
            else f"The eigenvalues of the {what} did not change."
        )
        details = {"before": lengths.tolist(), "after": released.tolist(), "robust": self.robust}
        return self.result(value, sentence, details=details)
