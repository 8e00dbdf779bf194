"""PIL: how improbable the released statistics would be as those of another sample."""

from __future__ import annotations

from itertools import combinations
from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Pair
from discreet.contracts.measurement import Measurement
from discreet.errors import MissingValueError
from discreet.measures.loss.numbers import NumericLoss
from discreet.typing import FloatArray

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
    a pair) are left out of its statistics. O(records × attributes²).

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

    title: ClassVar[str] = "Improbability of statistics (PIL)"
    formula: ClassVar[str] = "100 · mean 2 P(0 ≤ Z ≤ |θ − θ′| / √Var θ)"
    reference: ClassVar[str] = "Mateo-Sanz, Domingo-Ferrer and Sebé 2005"

    def _measure(self, pair: Pair) -> Measurement:
        weights = self._weights(pair)
        weights = weights / weights.mean()
        before, after = pair.original.numeric(pair.names), pair.masked.numeric(pair.names)
        by_kind: dict[str, list[float]] = {"quantiles": [], "means": [], "variances": []}
        per_attribute = {}
        for j, name in enumerate(pair.names):
            losses = self._single(name, before[:, j], after[:, j], weights)
            for kind, loss in losses.items():
                by_kind[kind].append(loss)
            per_attribute[name] = float(np.mean(list(losses.values())))
        for i, j in combinations(range(len(pair.names)), 2):
            first, second = _complete(before[:, [i, j]], weights), _complete(after[:, [i, j]], weights)
            if first[0].size and second[0].size:
                covariance, correlation = _crossed(*first, *second)
                by_kind.setdefault("covariances", []).append(covariance)
                by_kind.setdefault("correlations", []).append(correlation)
        parts = {kind: float(np.mean(losses)) for kind, losses in by_kind.items()}
        value = float(np.mean(list(parts.values())))
        worst = max(parts, key=lambda kind: parts[kind])
        sentence = (
            f"Another sample would have come closer to the original's statistics with a probability of {value:.1f} % "
            f"on average; worst for {worst} ({parts[worst]:.1f} %)."
            if value > 0
            else "Quantiles, means, variances and relations are unchanged."
        )
        return self.result(value, sentence, per_attribute, parts)

    def _single(self, name: str, before: FloatArray, after: FloatArray, weights: FloatArray) -> dict[str, float]:
        x, wx = _complete(before[:, None], weights)
        y, wy = _complete(after[:, None], weights)
        if not x.size or not y.size:
            raise MissingValueError(f"{type(self).__name__}: column {name!r} has no value in one of the files.")
        first, second = x[:, 0] - x[0, 0], y[:, 0] - x[0, 0]
        n = first.size
        mean, mean_after = _mean(first, wx), _mean(second, wy)
        variance, fourth = _mean((first - mean) ** 2, wx), _mean((first - mean) ** 4, wx)
        variance_after = _mean((second - mean_after) ** 2, wy)
        quantiles, quantiles_after = _quantiles(first, wx), _quantiles(second, wy)
        errors = np.zeros(_QUANTILES.size)
        if variance > 0:
            density = _density(first / np.sqrt(variance), wx, quantiles / np.sqrt(variance))
            errors = variance * _QUANTILES * (1 - _QUANTILES) / (n * density**2)
        moved = [_loss(a, b, e) for a, b, e in zip(quantiles, quantiles_after, errors, strict=True)]
        return {
            "quantiles": float(np.mean(moved)),
            "means": _loss(mean, mean_after, variance / n),
            "variances": _loss(variance, variance_after, (fourth - variance**2) / n),
        }


def _complete(numbers: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    there = ~np.isnan(numbers).any(axis=1)
    return numbers[there], weights[there]


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


def _density(values: FloatArray, weights: FloatArray, at: FloatArray) -> FloatArray:
    """Return the density of numbers of spread 1 at some of them, by a Gaussian kernel."""
    width = 1.06 * values.size**-0.2
    heights = [_mean(np.exp(-0.5 * ((values - point) / width) ** 2), weights) for point in at]
    return np.array(heights, dtype=np.float64) / float(width * np.sqrt(2.0 * np.pi))


def _crossed(x: FloatArray, wx: FloatArray, y: FloatArray, wy: FloatArray) -> tuple[float, float]:
    """Return the loss of the covariance and of the correlation of two attributes."""
    n = len(x)
    origin = x[0]
    first = (x - origin) - ((x - origin) * wx[:, None]).sum(axis=0) / wx.sum()
    second = (y - origin) - ((y - origin) * wy[:, None]).sum(axis=0) / wy.sum()
    a, b = first.T
    m20, m02, m11, m22 = (_mean(v, wx) for v in (a * a, b * b, a * b, a * a * b * b))
    after20, after02, after11 = (_mean(second[:, i] * second[:, j], wy) for i, j in ((0, 0), (1, 1), (0, 1)))
    covariance = _loss(m11, after11, (m22 - m11**2) / n)
    unit, unit_after = np.sqrt(m20 * m02), np.sqrt(after20 * after02)
    r = m11 / unit if unit > 0 else 0.0
    r_after = after11 / unit_after if unit_after > 0 else 0.0
    if not unit > 0:
        return covariance, 0.0 if abs(r - r_after) < 1e-12 else 100.0
    m40, m04, m31, m13 = (_mean(v, wx) for v in (a**4, b**4, a**3 * b, a * b**3))
    error = (
        m22 / (m20 * m02) * (1 + r * r / 2)
        + r * r / 4 * (m40 / m20**2 + m04 / m02**2)
        - r * (m31 / (m20 * unit) + m13 / (m02 * unit))
    ) / n
    return covariance, _loss(r, r_after, error)
