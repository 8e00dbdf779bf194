"""Losses of numbers one by one: means, variances, scaled differences, squared error."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, Pair, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.schema import Schema
from discreet.errors import MissingValueError
from discreet.measures.number_pairs import (
    most_of,
    record_weights,
    says_change,
    weight_asked,
)
from discreet.parameters import Flag, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.moments import Comoments, MovedNumbers, Movements
from discreet.statistics.question import Need
from discreet.typing import FloatArray

__all__ = [
    "IL1s",
    "MeanDifference",
    "MovementLoss",
    "NumericLoss",
    "RelationLoss",
    "SquaredError",
    "VarianceDifference",
    "in_units",
    "spread",
    "weighted_mean",
]


class NumericLoss(Measure):
    """A loss that compares numeric attributes."""

    kind: ClassVar[str] = "loss"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric"})
    at_least: ClassVar[int] = 1
    """How many attributes there must be."""
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    weighted: bool = parameter(Flag(), default=False)

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        return names if len(names) >= self.at_least else ()

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:
        fitting = super()._comparable(names, before, after)
        return fitting if len(fitting) >= self.at_least else ()

    def _weights(self, pair: Pair) -> FloatArray:
        return record_weights(type(self).__name__, pair, self.weighted)


class MovementLoss(NumericLoss):
    """A loss of single attributes: what numbers were, what they became, how far they moved."""

    need: ClassVar[Need] = Need.RECORD
    record_by_record: ClassVar[bool] = False
    """Whether records with a value in both files count, or each file's own values."""

    @abstractmethod
    def losses(self, moved: MovedNumbers) -> Sequence[float]:
        """Return the loss of every attribute, in percent."""

    @abstractmethod
    def sentence(self, value: float, worst: str) -> str:
        """Say what the value means; `worst` is the attribute that lost most."""

    def question(self, scope: PairScope) -> Movements:
        return Movements(scope.names, weight_asked(type(self).__name__, scope, self.weighted))

    def conclude(self, statistics: MovedNumbers, scope: PairScope) -> Measurement:
        for name, *weights in zip(scope.names, *self._held(statistics), strict=True):
            if not all(weights):
                without = "record with a value in both files" if self.record_by_record else "value in one of the files"
                raise MissingValueError(f"{type(self).__name__}: column {name!r} has no {without}.")
        per_attribute = dict(zip(scope.names, map(float, self.losses(statistics)), strict=True))
        value = float(np.mean(list(per_attribute.values())))
        return self.result(value, self.sentence(value, most_of(per_attribute)), per_attribute)

    def _held(self, moved: MovedNumbers) -> tuple[FloatArray, ...]:
        return (moved.both.weight,) if self.record_by_record else (moved.before.weight, moved.after.weight)


class RelationLoss(NumericLoss):
    """A loss of every two attributes: how they hang together, before and after."""

    need: ClassVar[Need] = Need.RECORD
    at_least: ClassVar[int] = 2

    def question(self, scope: PairScope) -> Comoments:
        return Comoments(scope.names, weight_asked(type(self).__name__, scope, self.weighted))


def weighted_mean(values: FloatArray, weights: FloatArray) -> float:
    """Return Σ w x / Σ w, taken from the first value on, so that an offset of the numbers costs no digits."""
    return float(values[0] + ((values - values[0]) * weights).sum() / weights.sum())


def in_units(moved: float, unit: float) -> float:
    """Return 100 · moved / unit; a unit of 0 gives 0 where nothing moved and 100 where something did."""
    if unit > 0:
        return float(100.0 * moved / unit)
    return 0.0 if moved == 0 else 100.0


def spread(values: FloatArray, weights: FloatArray) -> float:
    """Return the standard deviation, divisor Σ w."""
    deviations = values - weighted_mean(values, weights)
    return float(np.sqrt((deviations**2 * weights).sum() / weights.sum()))


@register("means")
class MeanDifference(MovementLoss):
    """Difference of the means before and after, in standard deviations of the original, in percent.

    It sees a shift of a whole attribute and nothing that happens within it.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.
    weighted : bool
        Means with the survey weights.

    Notes
    -----
    ``100 · mean_j |x̄_j − x̄'_j| / S_j``. Dividing by the standard deviation keeps an attribute whose mean is near 0
    from ruling the figure. A constant attribute counts 0 where it stayed and 100 where it moved. Each file's own values
    count; missing ones do not. O(records × attributes).

    References
    ----------
    Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata (their IL2, there
    relative to the mean).

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 2.5, 0.5, 2.5]}), pl.DataFrame({"x": [0.5, 2.5, 1.5, 2.5]})
    >>> MeanDifference().measure(a, b).value  # 1.5 became 1.75; S = 1
    25.0
    """

    title: ClassVar[str] = "Shift of means"
    high: ClassVar[float] = float("inf")
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean_j |x̄ − x̄′| / S"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001"

    def losses(self, moved: MovedNumbers) -> list[float]:
        shift = np.abs(moved.after.mean - moved.before.mean)
        return [in_units(*one) for one in zip(shift, moved.before.spread, strict=True)]

    def sentence(self, value: float, worst: str) -> str:
        if not says_change(value):
            return "No mean moved."
        return f"Means moved by {value:.1f} % of a standard deviation on average, most in {worst}."


@register("variances")
class VarianceDifference(MovementLoss):
    """Relative difference of the variances before and after, in percent.

    It sees that an attribute was flattened or blown up; it does not see which records moved.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every numeric attribute that is released.
    weighted : bool
        Variances with the survey weights.

    Notes
    -----
    ``100 · mean_j |S_j² − S'_j²| / S_j²``. A constant attribute counts 0 where it stayed constant and 100 where it did
    not. Each file's own values count; missing ones do not. O(records × attributes).

    References
    ----------
    Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata (their IL4).

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 2.5, 0.5, 2.5]}), pl.DataFrame({"x": [1.0, 2.0, 1.0, 2.0]})
    >>> VarianceDifference().measure(a, b).value  # 1 became 0.25
    75.0
    """

    title: ClassVar[str] = "Change of variances"
    high: ClassVar[float] = float("inf")
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean_j |S² − S′²| / S²"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001"

    def losses(self, moved: MovedNumbers) -> list[float]:
        before, after = moved.before.variance, moved.after.variance
        return [in_units(*one) for one in zip(np.abs(after - before), before, strict=True)]

    def sentence(self, value: float, worst: str) -> str:
        if not says_change(value):
            return "No variance changed."
        return f"Variances changed by {value:.1f} % on average, most in {worst}."


@register("il1s")
class IL1s(MovementLoss):
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
    record_by_record: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · mean |x − x′| / (√2 S)"
    reference: ClassVar[str] = "Mateo-Sanz, Sebé and Domingo-Ferrer 2004"

    def losses(self, moved: MovedNumbers) -> list[float]:
        units = np.sqrt(2.0) * moved.before.spread
        return [in_units(*one) for one in zip(moved.moved / moved.both.weight, units, strict=True)]

    def sentence(self, value: float, worst: str) -> str:
        if not says_change(value):
            return "No number moved."
        return f"Numbers moved by {value:.1f} % of √2 standard deviations on average, most in {worst}."


@register("sse")
class SquaredError(MovementLoss):
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
    record_by_record: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · mean_j Σ (x − x′)² / Σ (x − x̄)²"
    reference: ClassVar[str] = "Domingo-Ferrer and Mateo-Sanz 2002"

    def losses(self, moved: MovedNumbers) -> list[float]:
        return [in_units(*one) for one in zip(moved.squared / moved.both.weight, moved.both.variance, strict=True)]

    def sentence(self, value: float, worst: str) -> str:
        if not says_change(value):
            return "No number moved."
        return f"Masking moved values by {value:.1f} % of their own variance, most in {worst}."
