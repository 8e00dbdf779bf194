"""Losses of a distribution: Hellinger, Kolmogorov–Smirnov, Wasserstein."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.errors import MissingValueError
from discreet.measures.loss.numbers import NumericLoss, in_units, spread
from discreet.measures.number_pairs import NumberPair, most_of, weight_asked
from discreet.parameters import Choice, Flag, Integer, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.histograms import BothEnds, Histograms
from discreet.statistics.question import Inquiry, Need
from discreet.statistics.tallies import LevelTransitions, count_levels
from discreet.statistics.value_counts import ValueCounts, ValuePairs
from discreet.typing import FloatArray, Json

__all__ = ["DistributionDistance", "HistogramDistance", "QuantileDistance"]


@register("hellinger")
class HistogramDistance(Measure):
    """Distance of the histograms before and after, in percent: Hellinger's, or by the Kullback–Leibler divergence.

    It sees each attribute's own distribution, numbers in bins and categories by level, on one scale: 0 the same, 100
    nothing in common. Exchanging values between records costs nothing.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default everything that is released.
    weighted : bool
        Count records by their survey weight.
    bins : int
        Number of bins of equal width between the smallest and the largest number of both files.
    distance : {"hellinger", "kl", "jensen-shannon"}
        ``"kl"``: ``100 · (1 − 2^−D)`` for D bits of divergence of the original from the release, where every bin that
        either file has gets half a record more, so that none is impossible; the mean of D stands in `details`.
        ``"jensen-shannon"``: the root of the mean divergence, in bits, of both from the histogram of both together.

    Notes
    -----
    ``100 · mean_j √(1 − Σ_b √(p_b p'_b))``. The missing value is a level of categories; missing numbers do not count.
    O(records × attributes).

    References
    ----------
    Hellinger (1909); Gomatam, Karr and Sanil (2005), Data swapping as a decision problem; Kullback and Leibler (1951);
    Lin (1991), Divergence measures based on the Shannon entropy.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key")])
    >>> a, b = pl.DataFrame({"fuel": ["gas", "gas", "oil", "oil"]}), pl.DataFrame({"fuel": ["gas"] * 4})
    >>> round(HistogramDistance().measure(a, b, schema).value, 2)  # √(1 − √(½ · 1))
    54.12
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Distance of histograms (Hellinger)"
    need: ClassVar[Need] = Need.RECORD
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean_j √(1 − Σ √(p p′))"
    reference: ClassVar[str] = "Gomatam, Karr and Sanil 2005"
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    weighted: bool = parameter(Flag(), default=False)
    bins: int = parameter(Integer(1), default=20)
    distance: Literal["hellinger", "kl", "jensen-shannon"] = parameter(
        Choice(("hellinger", "kl", "jensen-shannon")), default="hellinger"
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(distance="kl")]

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        weight = weight_asked(type(self).__name__, scope, self.weighted)
        numbers = scope.before.of_scale("numeric", among=scope.names)
        categories = tuple(name for name in scope.names if name not in numbers)
        distances: dict[str, float] = {}
        if numbers:
            distances |= yield from self._numbers(numbers, weight)
        if categories:
            levels = tuple(scope.levels(name) for name in categories)
            changes = yield LevelTransitions(categories, levels, weight)
            for name, cells in changes.cells.items():
                sides = (count_levels(side, changes.sizes[name], cells.counts) for side in (cells.rows, cells.columns))
                distances[name] = _apart(self.distance, *sides)
        per_attribute = {name: distances[name] for name in scope.names}
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Histograms before and after are {value:.1f} % apart on average (0 the same, 100 nothing in common), "
            f"most in {most_of(per_attribute)}."
            if value > 0
            else "No histogram changed."
        )
        details: Json = {}
        if self.distance == "kl":
            details["mean_divergence"] = float(np.mean([_bits(percent) for percent in per_attribute.values()]))
        return self.result(value, sentence, per_attribute, details)

    def _numbers(self, names: tuple[str, ...], weight: str | None) -> Inquiry[dict[str, float]]:
        ends = yield BothEnds(names)
        for place, name in enumerate(names):
            if not np.isfinite(ends.low[:, place]).all():
                raise MissingValueError(_NO_VALUE.format(type(self).__name__, name))
        lowest, highest = ends.low.min(axis=0).tolist(), ends.high.max(axis=0).tolist()
        between = {name: two for name, *two in zip(names, lowest, highest, strict=True) if two[1] > two[0]}
        distances = dict.fromkeys(names, 0.0)
        if between:
            histogram = yield Histograms(
                tuple(between), tuple((low, high) for low, high in between.values()), self.bins, weight
            )
            distances |= {name: _apart(self.distance, *counts) for name, counts in histogram.counts.items()}
        return distances


_NO_VALUE = "{}: column {!r} has no value in one of the files."


def _apart(distance: str, before: FloatArray, after: FloatArray) -> float:
    """Return how far two histograms are apart, in percent."""
    if distance == "hellinger" or np.array_equal(before, after):
        return _hellinger(before, after)
    either = (before > 0) | (after > 0)
    first, second = before[either], after[either]
    if distance == "kl":
        first, second = first + 0.5, second + 0.5
    p, q = first / first.sum(), second / second.sum()
    if distance == "kl":
        return float(100.0 * (1.0 - 2.0 ** -_divergence(p, q)))
    middle = (p + q) / 2.0
    return float(100.0 * np.sqrt(min((_divergence(p, middle) + _divergence(q, middle)) / 2.0, 1.0)))


def _divergence(p: FloatArray, q: FloatArray) -> float:
    """Return Σ p log₂ (p/q); what rounding leaves of equal shares is nothing."""
    some = p > 0
    total = float((p[some] * np.log2(p[some] / q[some])).sum())
    return total if total > 1e-14 else 0.0


def _bits(percent: float) -> float:
    return float(-np.log2(1.0 - percent / 100.0))


def _hellinger(before: FloatArray, after: FloatArray) -> float:
    # Half the squared difference of the roots equals 1 − Σ √(p p′), and is exactly 0 for equal histograms.
    roots = np.sqrt(before / before.sum()) - np.sqrt(after / after.sum())
    distance = np.sqrt((roots**2).sum() / 2.0)
    return float(min(100.0 * distance, 100.0)) if distance > 1e-12 else 0.0


class DistributionLoss(NumericLoss):
    """A loss of each attribute's own distribution: values with how often they occur."""

    need: ClassVar[Need] = Need.ORDER

    def question(self, scope: PairScope) -> ValueCounts:
        return ValueCounts(scope.names, weight_asked(type(self).__name__, scope, self.weighted))

    def _by_name(self, counted: ValuePairs, loss: Callable[[NumberPair], float]) -> dict[str, float]:
        """Return the loss of every attribute; of each file's own values, each once with all its weight."""
        losses = {}
        for name, (before, after) in counted.parts.items():
            if not before.n or not after.n:
                raise MissingValueError(_NO_VALUE.format(type(self).__name__, name))
            pair = NumberPair(before.rows[:, 0], after.rows[:, 0], before.weights, after.weights)
            losses[name] = loss(pair)
        return losses


@register("kolmogorov-smirnov")
class DistributionDistance(DistributionLoss):
    """Largest difference of the distribution functions before and after (Kolmogorov–Smirnov), in percent.

    It sees each attribute's own distribution: exchanging values between records costs nothing.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.
    weighted : bool
        Count records by their survey weight.

    Notes
    -----
    ``100 · mean_j max_t |F_j(t) − F'_j(t)|``. Each file's own values count; missing ones do not. O(records log records
    × attributes).

    References
    ----------
    Smirnov (1948), Table for estimating the goodness of fit of empirical distributions.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 1.5, 2.5, 3.5]}), pl.DataFrame({"x": [1.5, 1.5, 2.5, 3.5]})
    >>> DistributionDistance().measure(a, b).value  # at 0.5, one of four has been passed, and none
    25.0
    """

    title: ClassVar[str] = "Distance of distributions (Kolmogorov–Smirnov)"
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean_j max |F − F′|"
    reference: ClassVar[str] = "Smirnov 1948"

    def conclude(self, statistics: ValuePairs, scope: PairScope) -> Measurement:  # noqa: ARG002
        per_attribute = self._by_name(statistics, _largest_gap)
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"At most {max(per_attribute.values()):.1f} % of records changed sides of any threshold (net), in "
            f"{most_of(per_attribute)}; {value:.1f} % on average over attributes."
            if value > 0
            else "No distribution changed."
        )
        return self.result(value, sentence, per_attribute)


def _largest_gap(numbers: NumberPair) -> float:
    values = np.concatenate([numbers.before, numbers.after])
    steps = np.concatenate(
        [numbers.before_weights / numbers.before_weights.sum(), -numbers.after_weights / numbers.after_weights.sum()]
    )
    order = np.argsort(values, kind="stable")
    last = np.append(np.diff(values[order]) > 0, True)  # both functions are read after all steps at a value
    gap = float(np.abs(np.cumsum(steps[order])[last]).max())
    return min(100.0 * gap, 100.0) if gap > 1e-12 else 0.0


@register("wasserstein")
class QuantileDistance(DistributionLoss):
    """Mean difference of the quantiles before and after (Wasserstein distance), in √2 standard deviations, in percent.

    It sees each attribute's own distribution: exchanging values between records costs nothing. Without missing values
    it never exceeds IL1s, which is on the same scale; what lies between the two is movement that histograms do not
    show.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.
    weighted : bool
        Count records by their survey weight.

    Notes
    -----
    ``100 · mean_j W₁(x_j, x'_j) / (√2 S_j)``. Each file's own values count; missing ones do not. A constant attribute
    counts 0 where it stayed and 100 where it moved. O(records log records × attributes).

    References
    ----------
    Kantorovich (1942), On the translocation of masses; Mateo-Sanz, Sebé and Domingo-Ferrer (2004) for the unit.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 2.5, 0.5, 2.5]}), pl.DataFrame({"x": [2.5, 1.5, 0.5, 1.5]})
    >>> round(QuantileDistance().measure(a, b).value, 2)  # quantiles .5 .5 2.5 2.5 became .5 1.5 1.5 2.5; S = 1
    35.36
    """

    title: ClassVar[str] = "Movement of quantiles (Wasserstein)"
    high: ClassVar[float] = float("inf")
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean_j W₁ / (√2 S)"
    reference: ClassVar[str] = "Kantorovich 1942"

    def conclude(self, statistics: ValuePairs, scope: PairScope) -> Measurement:  # noqa: ARG002
        per_attribute = self._by_name(statistics, _distance)
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Quantiles moved by {value:.1f} % of √2 standard deviations on average, most in {most_of(per_attribute)}."
            if value > 0
            else "No quantile moved."
        )
        return self.result(value, sentence, per_attribute)


def _distance(numbers: NumberPair) -> float:
    origin = numbers.before[0]
    distance = _between_quantiles(
        numbers.before - origin, numbers.after - origin, numbers.before_weights, numbers.after_weights
    )
    unit = np.sqrt(2.0) * spread(numbers.before, numbers.before_weights)
    return in_units(distance if distance > 1e-14 * unit else 0.0, unit)


def _between_quantiles(
    before: FloatArray, after: FloatArray, before_weights: FloatArray, after_weights: FloatArray
) -> float:
    """Return the area between two distribution functions, which is what quantiles moved on average."""
    numbers = np.concatenate((before, after))
    numbers.sort(kind="mergesort")
    shares = _share_up_to(numbers[:-1], before, before_weights) - _share_up_to(numbers[:-1], after, after_weights)
    return float(np.abs(shares) @ np.diff(numbers))


def _share_up_to(numbers: FloatArray, values: FloatArray, weights: FloatArray) -> FloatArray:
    order = np.argsort(values)
    cumulated = np.concatenate(([0.0], np.cumsum(weights[order])))
    return np.asarray(cumulated[values[order].searchsorted(numbers, "right")] / cumulated[-1])
