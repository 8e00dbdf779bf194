"""Means and order statistics of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from discreet.errors import DataError, ParameterError
from discreet.kernels.values.aggregate_numeric import mean_by_label, mean_groups, weighted_mean_groups
from discreet.operators.numbers.generators import Generator, as_generator, log_generator, power_generator
from discreet.operators.numbers.ordering import order_down, ordered_sums, require_domain, require_size, take_groups
from discreet.operators.operator import Operator, check_group_weights, check_weights, refuse_weights, register_operator
from discreet.parameters import Choice, Integer, Number
from discreet.parameters.declaration import parameter
from discreet.typing import FloatArray, IntArray

__all__ = [
    "ArithmeticMean",
    "NumericMedian",
    "NumericOrderStatistic",
    "QuasiArithmeticMean",
    "QuasiWeightedMean",
    "TrimmedMean",
    "WeightedMean",
]

_MANY = 100_000  # values whose sums are not put in order first


def _means(values: FloatArray, offsets: IntArray, weights: FloatArray | None = None) -> FloatArray:
    out = np.empty(offsets.size - 1)
    if weights is None:
        mean_groups(values, offsets, out)
    else:
        weighted_mean_groups(values, weights, offsets, out)
    return out


def source_weights(owner: str, own: FloatArray | None, given: Any, offsets: IntArray) -> FloatArray | None:
    """Return one weight a value: those of the call, or those of the operator repeated for each group, or None."""
    if own is None:
        return None if given is None else check_group_weights(owner, given, offsets)
    if given is not None:
        raise ParameterError(f"{owner}: weights were given twice, to the operator and to the call.")
    require_size(owner, offsets, own.size)
    return np.tile(own, offsets.size - 1)


def own_weights(owner: str, weights: Sequence[float] | FloatArray | None) -> FloatArray | None:
    """Return the weights an operator is made with, which must sum to 1, or None."""
    return None if weights is None else check_weights(owner, weights, len(weights), total=1.0)


@register_operator("mean")
class ArithmeticMean(Operator):
    """The sum over the number of values.

    Examples
    --------
    >>> ArithmeticMean()([1, 2, 6])
    3.0
    """

    properties = frozenset({"unanimous", "bounded", "monotone", "symmetric"})

    def batch(self, values: Any, offsets: Any, weights: Any = None) -> FloatArray:
        refuse_weights("ArithmeticMean", weights)
        return _means(*take_groups("ArithmeticMean", values, offsets))

    def by_label(self, values: Any, labels: Any, weights: Any = None, *, n_groups: int | None = None) -> FloatArray:
        """Aggregate the values of each label; a mean of many values is summed where they stand, without a sort."""
        groups = np.asarray(labels)
        if weights is None and groups.dtype == np.int64 and groups.size >= _MANY:
            array = self._as_values(values)
            size = int(groups.max()) + 1
            if array.shape == groups.shape and size == (n_groups or size) and size <= groups.size:
                out = np.empty(size)
                if mean_by_label(array, np.ascontiguousarray(groups), np.zeros((size, 4)), out):
                    return out
        return super().by_label(values, labels, weights, n_groups=n_groups)


@register_operator("weighted-mean")
class WeightedMean(Operator):
    """The mean in which each source has its weight.

    Parameters
    ----------
    weights : sequence of float, optional
        One weight a source, summing to 1. Without them a call brings its own, which are divided by their sum; a call
        without any is the arithmetic mean.

    Examples
    --------
    >>> WeightedMean([0.75, 0.25])([2, 6])
    3.0
    >>> WeightedMean()([2, 6], weights=[3, 1])
    3.0
    """

    weighted = True

    def __init__(self, weights: Sequence[float] | FloatArray | None = None) -> None:
        self.weights = own_weights("WeightedMean", weights)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(), cls([0.5, 0.3, 0.2])]

    @property
    def arity(self) -> int | None:
        return None if self.weights is None else self.weights.size

    def batch(self, values: Any, offsets: Any, weights: Any = None) -> FloatArray:
        array, bounds = take_groups("WeightedMean", values, offsets)
        return _means(array, bounds, source_weights("WeightedMean", self.weights, weights, bounds))


class _QuasiMean(Operator):
    """A mean taken on the scale of a generator and brought back."""

    def __init__(self, generator: Generator | str = "log") -> None:
        self.generator = as_generator(generator)

    @property
    def domain(self) -> tuple[float, float]:
        return (self.generator.low, self.generator.high)

    def _quasi_means(self, values: FloatArray, offsets: IntArray, weights: FloatArray | None) -> FloatArray:
        owner = type(self).__name__
        hint = f"The generator {self.generator.label} is not defined elsewhere."
        require_domain(owner, values, self.domain, hint)
        with np.errstate(over="ignore"):
            scaled = np.ascontiguousarray(self.generator.forward(values), dtype=np.float64)
        if not np.isfinite(scaled).all():
            raise DataError(
                f"{owner}: the generator {self.generator.label} overflows on {int((~np.isfinite(scaled)).sum())} of "
                f"{values.size} values.",
                hint="Divide the values by their scale first.",
            )
        back = self.generator.inverse(_means(scaled, offsets, weights))
        # Going there and back costs a rounding error, which must not carry a mean out of the range of its group.
        low = np.minimum.reduceat(values, offsets[:-1])
        high = np.maximum.reduceat(values, offsets[:-1])
        return np.clip(np.asarray(back, dtype=np.float64), low, high)


@register_operator("quasi-mean")
class QuasiArithmeticMean(_QuasiMean):
    """``f⁻¹((f(a_1) + … + f(a_n)) / n)`` for a generator f.

    Parameters
    ----------
    generator : Generator or str
        ``"log"`` (geometric mean), ``"power:r"`` (−1 harmonic, 2 quadratic), ``"exponential:r"``, or one's own.

    Examples
    --------
    >>> round(QuasiArithmeticMean("log")([1, 4]), 12), round(QuasiArithmeticMean("power:-1")([1, 3]), 12)
    (2.0, 1.5)
    """

    properties = frozenset({"unanimous", "bounded", "monotone", "symmetric"})

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(source) for source in ("log", "power:-1", "power:2", "exponential:0.5")]

    def batch(self, values: Any, offsets: Any, weights: Any = None) -> FloatArray:
        refuse_weights("QuasiArithmeticMean", weights)
        return self._quasi_means(*take_groups("QuasiArithmeticMean", values, offsets), None)


@register_operator("quasi-weighted-mean")
class QuasiWeightedMean(_QuasiMean):
    """``f⁻¹(w_1·f(a_1) + … + w_n·f(a_n))`` for a generator f.

    Parameters
    ----------
    generator : Generator or str
        As for `QuasiArithmeticMean`.
    weights : sequence of float, optional
        As for `WeightedMean`.

    Examples
    --------
    >>> round(QuasiWeightedMean("log", [0.5, 0.5])([2, 8]), 12)
    4.0
    """

    weighted = True

    def __init__(self, generator: Generator | str = "log", weights: Sequence[float] | FloatArray | None = None) -> None:
        super().__init__(generator)
        self.weights = own_weights("QuasiWeightedMean", weights)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(log_generator()), cls(power_generator(2.0), [0.2, 0.8])]

    @property
    def arity(self) -> int | None:
        return None if self.weights is None else self.weights.size

    def batch(self, values: Any, offsets: Any, weights: Any = None) -> FloatArray:
        array, bounds = take_groups("QuasiWeightedMean", values, offsets)
        return self._quasi_means(array, bounds, source_weights("QuasiWeightedMean", self.weights, weights, bounds))


@register_operator("trimmed-mean")
class TrimmedMean(Operator):
    """The mean without the ``⌊proportion · n⌋`` smallest and as many largest values.

    Examples
    --------
    >>> TrimmedMean(0.2)([1, 2, 3, 4, 100])
    3.0
    """

    properties = frozenset({"unanimous", "bounded", "monotone", "symmetric"})

    proportion: float = parameter(Number(0, 0.5, open_high=True), default=0.1, kw_only=False)

    def __post_init__(self) -> None:
        self.check_parameters()

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(0.0), cls(0.25)]

    def batch(self, values: Any, offsets: Any, weights: Any = None) -> FloatArray:
        refuse_weights("TrimmedMean", weights)
        return ordered_sums(*take_groups("TrimmedMean", values, offsets), self._heights)

    def _heights(self, size: int) -> FloatArray:
        # The product of two decimals, such as 0.1 · 30, must not fall below the integer it stands for.
        cut = int(np.floor(self.proportion * size + 1e-9))
        return np.clip((np.arange(1, size + 1) - cut) / (size - 2 * cut), 0.0, 1.0)


@register_operator("numeric-median")
class NumericMedian(Operator):
    """The middle value; of an even number of values, the mean of the middle two, or the lower or upper of them.

    Examples
    --------
    >>> NumericMedian()([3, 1, 2, 10]), NumericMedian("lower")([3, 1, 2, 10])
    (2.5, 2.0)
    """

    properties = frozenset({"unanimous", "bounded", "monotone", "symmetric"})

    middle: Literal["mean", "lower", "upper"] = parameter(
        Choice(("mean", "lower", "upper")), default="mean", kw_only=False
    )

    def __post_init__(self) -> None:
        self.check_parameters()

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls("mean"), cls("lower"), cls("upper")]

    def batch(self, values: Any, offsets: Any, weights: Any = None) -> FloatArray:
        refuse_weights("NumericMedian", weights)
        array, bounds = take_groups("NumericMedian", values, offsets)
        order = order_down(array, bounds)
        sizes = np.diff(bounds)
        upper: FloatArray = array[order[bounds[:-1] + (sizes - 1) // 2]]
        lower: FloatArray = array[order[bounds[:-1] + sizes // 2]]
        if self.middle == "mean":
            # Halves first: the sum of two large numbers could overflow. Between lower and upper by construction.
            return np.clip(0.5 * lower + 0.5 * upper, lower, upper)
        return lower if self.middle == "lower" else upper


@register_operator("numeric-order-statistic")
class NumericOrderStatistic(Operator):
    """The value at a place in the order: ``rank`` 1 is the smallest, −1 the largest.

    Examples
    --------
    >>> NumericOrderStatistic(2)([5, 1, 3]), NumericOrderStatistic(-1)([5, 1, 3])
    (3.0, 5.0)
    """

    properties = frozenset({"unanimous", "bounded", "monotone", "symmetric"})

    rank: int = parameter(Integer(), default=1, kw_only=False)

    def __post_init__(self) -> None:
        self.check_parameters()
        if self.rank == 0:
            raise ParameterError("NumericOrderStatistic: rank must be counted from 1 or from −1; got 0.")

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(1), cls(-1)]

    def batch(self, values: Any, offsets: Any, weights: Any = None) -> FloatArray:
        refuse_weights("NumericOrderStatistic", weights)
        array, bounds = take_groups("NumericOrderStatistic", values, offsets)
        short = int((np.diff(bounds) < abs(self.rank)).sum())
        if short:
            raise DataError(
                f"NumericOrderStatistic: rank {self.rank} needs {abs(self.rank)} values; "
                f"{short} of {bounds.size - 1} collections have fewer."
            )
        place = bounds[1:] - self.rank if self.rank > 0 else bounds[:-1] - self.rank - 1
        at_rank: FloatArray = array[order_down(array, bounds)[place]]
        return at_rank
