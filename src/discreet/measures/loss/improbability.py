"""PIL: how improbable the released statistics would be as those of another sample."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.block import Block
from discreet.errors import MissingValueError
from discreet.measures.loss.numbers import NumericLoss
from discreet.measures.number_pairs import most_of, weight_asked
from discreet.statistics.moments import Comoments, RelatedNumbers
from discreet.statistics.question import Answers, Inquiry, Need, Together
from discreet.statistics.value_counts import CountedValues, ValueCounts
from discreet.typing import FloatArray, IntArray

__all__ = ["ProbabilisticLoss"]

_QUANTILES = np.arange(1, 10) / 10.0


@register("pil")
class ProbabilisticLoss(NumericLoss):
    """Probability that statistics of another sample would differ less than those of the release do, in percent (PIL).

    Every discrepancy is put on one scale between 0 and 100 by the sampling error of the statistic: near 0 the release
    is as good as the sample, near 100 it is further off than any sample would be. It grows with the number of records,
    because larger samples say more.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.
    weighted : bool
        Count records by their survey weight.

    Notes
    -----
    ``PIL(θ) = 100 · 2 · P(0 ≤ Z ≤ |θ − θ'| / √Var θ)`` for the quantiles 10 %, 20 %, …, 90 %, the means, variances,
    covariances and correlations (the last two from two attributes on); the value is the mean of these five, each the
    mean over attributes or pairs. Variances of statistics are those of large samples, of any distribution: μ₄ − σ⁴ over
    n for a variance, and so on; q(1−q)/(n f²) for a quantile, the density f by a Gaussian kernel. A statistic without
    sampling error counts 0 where it stayed and 100 where it moved. Records with a missing value of an attribute (or of
    a pair) are left out of its statistics. Two passes; O(records × (log records + attributes) × attributes).

    References
    ----------
    Mateo-Sanz, Domingo-Ferrer and Sebé (2005), Probabilistic information loss measures in confidentiality protection of
    continuous microdata.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 2.5] * 50}), pl.DataFrame({"x": [0.6, 2.6] * 50})
    >>> round(ProbabilisticLoss().measure(a, b).details["means"], 2)  # moved by 0.1 = one standard error: 68.27 %
    68.27
    """

    need: ClassVar[Need] = Need.ORDER
    title: ClassVar[str] = "Improbability of statistics (PIL)"
    formula: ClassVar[str] = "100 · mean 2 P(0 ≤ Z ≤ |θ − θ′| / √Var θ)"
    reference: ClassVar[str] = "Mateo-Sanz, Domingo-Ferrer and Sebé 2005"

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        weight = weight_asked(type(self).__name__, scope, self.weighted)
        answers: Answers = yield Together((ValueCounts(scope.names, weight), Comoments(scope.names, weight)))
        counted, related = answers.statistics
        by_kind: dict[str, list[float]] = {"quantiles": [], "means": [], "variances": []}
        per_attribute = {}
        for name in scope.names:
            losses = self._single(name, *counted.parts[name])
            for kind, loss in losses.items():
                by_kind[kind].append(loss)
            per_attribute[name] = float(np.mean(list(losses.values())))
        if len(scope.names) > 1:
            centres = related.before.origin[:, None] + related.before.mean
            powers = yield FourthPowers(scope.names, tuple(map(tuple, centres.tolist())), weight)
            for i, j in combinations(range(len(scope.names)), 2):
                if related.before.weight[i, j] > 0 and related.after.weight[i, j] > 0:
                    covariance, correlation = _crossed(related, powers, i, j)
                    by_kind.setdefault("covariances", []).append(covariance)
                    by_kind.setdefault("correlations", []).append(correlation)
        parts = {kind: float(np.mean(losses)) for kind, losses in by_kind.items()}
        value = float(np.mean(list(parts.values())))
        worst = most_of(parts)
        sentence = (
            f"Another sample would have come closer to the original's statistics with a probability of {value:.1f} % "
            f"on average; worst for {worst} ({parts[worst]:.1f} %)."
            if value > 0
            else "Quantiles, means, variances and relations are unchanged."
        )
        return self.result(value, sentence, per_attribute, parts)

    def _single(self, name: str, before: CountedValues, after: CountedValues) -> dict[str, float]:
        if not before.n or not after.n:
            raise MissingValueError(f"{type(self).__name__}: column {name!r} has no value in one of the files.")
        origin = before.rows[0, 0]
        first, second = before.rows[:, 0] - origin, after.rows[:, 0] - origin
        wx, wy, n = before.weights, after.weights, before.n
        mean, mean_after = _mean(first, wx), _mean(second, wy)
        variance, fourth = _mean((first - mean) ** 2, wx), _mean((first - mean) ** 4, wx)
        variance_after = _mean((second - mean_after) ** 2, wy)
        quantiles, quantiles_after = _quantiles(first, wx), _quantiles(second, wy)
        errors = np.zeros(_QUANTILES.size)
        if variance > 0:
            density = _density(first / np.sqrt(variance), wx, quantiles / np.sqrt(variance), n)
            errors = variance * _QUANTILES * (1 - _QUANTILES) / (n * density**2)
        moved = [_loss(a, b, e) for a, b, e in zip(quantiles, quantiles_after, errors, strict=True)]
        return {
            "quantiles": float(np.mean(moved)),
            "means": _loss(mean, mean_after, variance / n),
            "variances": _loss(variance, variance_after, (fourth - variance**2) / n),
        }


def _mean(values: FloatArray, weights: FloatArray) -> float:
    return float((values * weights).sum() / weights.sum())


def _loss(before: float, after: float, variance: float) -> float:
    """Return 100 · 2 · P(0 ≤ Z ≤ |before − after| / √variance)."""
    from scipy.special import erf

    moved = abs(before - after)
    if moved <= 1e-12 * max(abs(before), abs(after)):
        return 0.0
    return float(100.0 * erf(moved / np.sqrt(2.0 * variance))) if variance > 0 else 100.0


def _quantiles(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the deciles: the first value at which the share of records reaches them."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    return np.asarray(values[order][np.searchsorted(reached, _QUANTILES - 1e-12)])


def _density(values: FloatArray, weights: FloatArray, at: FloatArray, n: int) -> FloatArray:
    """Return the density of `n` numbers of spread 1 at some of them, by a Gaussian kernel."""
    width = 1.06 * n**-0.2
    heights = [_mean(np.exp(-0.5 * ((values - point) / width) ** 2), weights) for point in at]
    return np.array(heights, dtype=np.float64) / float(width * np.sqrt(2.0 * np.pi))


def _crossed(related: RelatedNumbers, powers: PowerSums, i: int, j: int) -> tuple[float, float]:
    """Return the loss of the covariance and of the correlation of two attributes."""
    weight, after_weight = related.before.weight[i, j], related.after.weight[i, j]
    n = int(powers.records[i, j])
    m20, m02, m11 = (
        float(m / weight)
        for m in (related.before.squares[i, j], related.before.squares[j, i], related.before.products[i, j])
    )
    after20, after02, after11 = (
        float(m / after_weight)
        for m in (related.after.squares[i, j], related.after.squares[j, i], related.after.products[i, j])
    )
    m22 = float(powers.two_two[i, j] / weight)
    covariance = _loss(m11, after11, (m22 - m11**2) / n)
    unit, unit_after = np.sqrt(m20 * m02), np.sqrt(after20 * after02)
    r = m11 / unit if unit > 0 else 0.0
    r_after = after11 / unit_after if unit_after > 0 else 0.0
    if not unit > 0:
        return covariance, 0.0 if abs(r - r_after) < 1e-12 else 100.0
    m40, m04, m31, m13 = (
        float(m / weight)
        for m in (powers.four[i, j], powers.four[j, i], powers.three_one[i, j], powers.three_one[j, i])
    )
    error = (
        m22 / (m20 * m02) * (1 + r * r / 2)
        + r * r / 4 * (m40 / m20**2 + m04 / m02**2)
        - r * (m31 / (m20 * unit) + m13 / (m02 * unit))
    ) / n
    return covariance, _loss(r, r_after, error)


@dataclass(frozen=True, repr=False)
class PowerSums:
    """Sums of products of four deviations of every two columns, over the records that have both; all are (p, p).

    Attributes
    ----------
    records : how many have both
    four : Σ w a⁴, of the row's column
    three_one : Σ w a³ b, of the row's column and the other one
    two_two : Σ w a² b²
    """

    records: IntArray
    four: FloatArray
    three_one: FloatArray
    two_two: FloatArray

    def merge(self, later: PowerSums, /) -> PowerSums:
        return PowerSums(
            self.records + later.records,
            self.four + later.four,
            self.three_one + later.three_one,
            self.two_two + later.two_two,
        )


@dataclass(frozen=True)
class FourthPowers:
    """Ask how numbers of the original deviate from known means, in products of four.

    `centres` is, for every two columns, the mean of the row's column over the records that have both.
    """

    names: tuple[str, ...]
    centres: tuple[tuple[float, ...], ...]
    weight: str | None = None

    @property
    def original(self) -> tuple[str, ...]:
        return self.names if self.weight is None else (*self.names, self.weight)

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> PowerSums:
        held = None if self.weight is None else block.original.weights()
        weights = np.ones(len(block)) if held is None else held
        columns, centres = block.original.numeric(self.names), np.array(self.centres)
        size = len(self.names)
        records = np.zeros((size, size), dtype=np.int64)
        four, three_one, two_two = (np.zeros((size, size)) for _ in range(3))
        for i, j in combinations(range(size), 2):
            both = ~(np.isnan(columns[:, i]) | np.isnan(columns[:, j]))
            a, b, w = columns[both, i] - centres[i, j], columns[both, j] - centres[j, i], weights[both]
            records[i, j] = records[j, i] = int(both.sum())
            four[i, j], four[j, i] = float(a**4 @ w), float(b**4 @ w)
            three_one[i, j], three_one[j, i] = float(a**3 * b @ w), float(a * b**3 @ w)
            two_two[i, j] = two_two[j, i] = float(a**2 * b**2 @ w)
        return PowerSums(records, four, three_one, two_two)
