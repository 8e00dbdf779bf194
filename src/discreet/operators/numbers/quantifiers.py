"""Quantifiers: how much it counts that a proportion of the sources agrees.

A quantifier is a non-decreasing function Q on [0, 1] with Q(0) = 0 and Q(1) = 1. It gives the weights of an OWA for
any number of values, ``w_i = Q(i/m) − Q((i − 1)/m)`` with the largest value first: the faster Q rises, the more the
large values count. One quantifier thus serves files of different widths.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from discreet.errors import ParameterError
from discreet.operators.operator import check_weights
from discreet.parameters import Choice, Constraint, Number, check_parameters
from discreet.typing import FloatArray

__all__ = [
    "Interpolated",
    "Linear",
    "PiecewiseLinear",
    "Power",
    "Quantifier",
    "Sigmoid",
    "Threshold",
]

# A cumulated proportion such as 0.1 + 0.1 + 0.1 may miss 0.3 by rounding: a step within this distance is not passed,
# and the end of the scale within this distance is reached.
_STEP = 1e-12


class Quantifier(ABC):
    """A non-decreasing function on [0, 1].

    Subclasses give the function in `evaluate`; calling, weights and orness follow from it.
    """

    @property
    def proper(self) -> bool:
        """Whether Q(0) = 0 and Q(1) = 1; only P2's plain sigmoid breaks this, and an OWA of it is not unanimous."""
        return True

    @abstractmethod
    def evaluate(self, x: FloatArray) -> FloatArray:
        """Return Q at proportions that are known to lie in [0, 1]."""

    def area(self) -> float:
        """Return the integral of Q over [0, 1], by the midpoint rule on 10,000 strips unless a subclass knows it."""
        return float(self.evaluate((np.arange(10_000) + 0.5) / 10_000).mean())

    def __call__(self, x: Any) -> Any:
        """Return Q(x), for one proportion or an array of them."""
        array = np.asarray(x, dtype=np.float64)
        if array.size and not (array.min() >= 0 and array.max() <= 1):
            raise ParameterError(f"{type(self).__name__}: a quantifier takes proportions between 0 and 1.")
        result = self.evaluate(np.atleast_1d(array)).reshape(array.shape)
        return result if array.ndim else float(result)

    def heights(self, m: int) -> FloatArray:
        """Return Q(1/m), Q(2/m), …, Q(1)."""
        return self.evaluate(np.arange(1, m + 1) / m)

    def weights(self, m: int) -> FloatArray:
        """Return the `m` weights of the OWA, that of the largest value first.

        Examples
        --------
        >>> Power(2).weights(2)
        array([0.25, 0.75])
        """
        if m < 1:
            raise ParameterError(f"{type(self).__name__}: m must be an integer of at least 1; got {m}.")
        return np.diff(self.heights(m), prepend=self.evaluate(np.zeros(1)))

    def orness(self, m: int | None = None) -> float:
        """Return how close the OWA is to the maximum: 1 for the maximum, 0 for the minimum, 1/2 for the mean.

        Parameters
        ----------
        m : int, optional
            The number of values; None gives the limit for many values, the integral of Q.

        Examples
        --------
        >>> Power(1).orness(5), Power(3).orness()
        (0.5, 0.25)
        """
        if m is None:
            return self.area() - float(self.evaluate(np.zeros(1))[0])
        if m < 2:
            raise ParameterError(f"{type(self).__name__}: m must be an integer of at least 2; got {m}.")
        return float(self.weights(m) @ np.arange(m - 1, -1, -1)) / (m - 1)

    def andness(self, m: int | None = None) -> float:
        """Return how close the OWA is to the minimum, ``1 − orness``."""
        return 1.0 - self.orness(m)


@dataclass(frozen=True)
class Power(Quantifier):
    """Q(x) = x^α: Yager's family. α < 1 leans to the maximum, α > 1 to the minimum.

    Examples
    --------
    >>> Power(2)(0.5)
    0.25
    """

    alpha: float = 1.0

    def __post_init__(self) -> None:
        check_parameters("Power", {"alpha": self.alpha}, {"alpha": Number(0, open_low=True)})

    def evaluate(self, x: FloatArray) -> FloatArray:
        return np.power(x, self.alpha)

    def area(self) -> float:
        return 1.0 / (1.0 + self.alpha)


@dataclass(frozen=True)
class Sigmoid(Quantifier):
    """Q(x) = 1 / (1 + e^(slope·(α − x))): a soft step at α.

    Parameters
    ----------
    alpha : float
        Where the step is, between 0 and 1.
    slope : float
        How steep it is; the papers use 10.
    ends : {"pinned", "plain"}
        "pinned" sets Q(0) = 0 and Q(1) = 1 and follows the formula in between, as Torra et al. do for sequences
        (P3, equation 2). "plain" is the formula everywhere (P2, section 4.3): the OWA weights then sum to
        Q(1) − Q(0), less than 1, so that the OWA is not unanimous.

    Examples
    --------
    >>> Sigmoid(0.5)(0.5), Sigmoid(0.5)(1)
    (0.5, 1.0)
    >>> round(Sigmoid(0.5, ends="plain")(1), 4)
    0.9933
    """

    alpha: float = 0.5
    slope: float = 10.0
    ends: Literal["pinned", "plain"] = "pinned"

    def __post_init__(self) -> None:
        allowed: dict[str, Constraint] = {
            "alpha": Number(0, 1),
            "slope": Number(0, open_low=True),
            "ends": Choice(("pinned", "plain")),
        }
        check_parameters("Sigmoid", vars(self), allowed)

    @property
    def proper(self) -> bool:
        return self.ends == "pinned"

    def evaluate(self, x: FloatArray) -> FloatArray:
        # 1 / (1 + e^−t) = (1 + tanh(t / 2)) / 2, which cannot overflow.
        inside = 0.5 * (1.0 + np.tanh(0.5 * self.slope * (x - self.alpha)))
        if self.ends == "plain":
            return inside
        return np.where(x <= 0, 0.0, np.where(x >= 1 - _STEP, 1.0, inside))

    def area(self) -> float:
        upper, lower = np.logaddexp(0.0, self.slope * (np.array([1.0, 0.0]) - self.alpha))
        return float(upper - lower) / self.slope


@dataclass(frozen=True)
class Threshold(Quantifier):
    """Q(x) = 0 up to α, 1 above it: the OWA is an order statistic. α = 0 is "at least one".

    Examples
    --------
    >>> Threshold(0.5)([0.5, 0.6, 1])
    array([0., 1., 1.])
    """

    alpha: float = 0.0

    def __post_init__(self) -> None:
        check_parameters("Threshold", {"alpha": self.alpha}, {"alpha": Number(0, 1, open_high=True)})

    def evaluate(self, x: FloatArray) -> FloatArray:
        # Q(1) = 1 whatever the tolerance swallows, as for an α just below 1.
        return np.where((x > self.alpha + _STEP) | (x >= 1), 1.0, 0.0)

    def area(self) -> float:
        return 1.0 - self.alpha


@dataclass(frozen=True)
class Linear(Quantifier):
    """Q rises linearly from 0 at `low` to 1 at `high`, Yager's "most" and its kin.

    Examples
    --------
    >>> Linear(0.25, 0.75)([0.25, 0.5, 0.75])
    array([0. , 0.5, 1. ])
    """

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        check_parameters("Linear", {"low": self.low}, {"low": Number(0, 1, open_high=True)})
        check_parameters("Linear", {"high": self.high}, {"high": Number(self.low, 1, open_low=True)})

    def evaluate(self, x: FloatArray) -> FloatArray:
        return np.clip((x - self.low) / (self.high - self.low), 0.0, 1.0)

    def area(self) -> float:
        return 1.0 - 0.5 * (self.low + self.high)


@dataclass(frozen=True)
class PiecewiseLinear(Quantifier):
    """Q through given points ``(x, Q(x))``, straight between them. (0, 0) and (1, 1) are added where absent.

    Two points with one x are a jump; at the jump Q takes the lower value (the upper one at x = 1).

    Examples
    --------
    >>> PiecewiseLinear([(0.5, 0.25)])(0.75)
    0.625
    """

    points: Sequence[tuple[float, float]] = ()
    _x: FloatArray = field(init=False, repr=False, compare=False)
    _y: FloatArray = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        table = np.asarray([*self.points], dtype=np.float64).reshape(-1, 2)
        if not np.isfinite(table).all() or (table.size and (table.min() < 0 or table.max() > 1)):
            raise ParameterError("PiecewiseLinear: points must be pairs of numbers between 0 and 1.")
        if not table.size or tuple(table[0]) != (0.0, 0.0):
            table = np.vstack([[0.0, 0.0], table])
        if tuple(table[-1]) != (1.0, 1.0):
            table = np.vstack([table, [1.0, 1.0]])
        falls = np.flatnonzero((np.diff(table, axis=0) < 0).any(axis=1))
        if falls.size:
            raise ParameterError(
                f"PiecewiseLinear: points must not decrease; point {int(falls[0]) + 2} of {len(table)} does.",
                hint="(0, 0) and (1, 1) are counted among the points.",
            )
        object.__setattr__(self, "points", tuple((float(x), float(y)) for x, y in table))
        object.__setattr__(self, "_x", table[:, 0].copy())
        object.__setattr__(self, "_y", table[:, 1].copy())

    def evaluate(self, x: FloatArray) -> FloatArray:
        after = np.clip(np.searchsorted(self._x, x - _STEP, side="left"), 1, self._x.size - 1)
        run = self._x[after] - self._x[after - 1]
        share = np.clip((x - self._x[after - 1]) / np.where(run > 0, run, 1.0), 0.0, 1.0)
        inside = self._y[after - 1] + share * (self._y[after] - self._y[after - 1])
        return np.where(x <= 0, 0.0, np.where(x >= 1 - _STEP, 1.0, inside))

    def area(self) -> float:
        return float(np.trapezoid(self._y, self._x))


@dataclass(frozen=True)
class Interpolated(Quantifier):
    """Q through the cumulated weights of an OWA, ``Q(i/n) = w_1 + … + w_i``: what turns an OWA into a WOWA.

    Parameters
    ----------
    vector : sequence of float
        The n weights of the OWA, which sum to 1, that of the largest value first.
    smooth : bool
        False joins the points by straight lines. True joins them by a monotone curve with a continuous slope: two
        parabolas between neighbouring points, in the manner of McAllister and Roulier that Chen and Otto, and after
        them Torra (2000), use. With equal weights both are Q(x) = x.

    Notes
    -----
    The slope at an inner point is the harmonic mean of the two secants beside it, never above twice the smaller one;
    the slope at the middle of an interval, ``2·secant − (s_1 + s_2)/2``, is then never negative, and Q is monotone.

    Examples
    --------
    >>> Interpolated([0.5, 0.5, 0, 0])([0.25, 0.375, 0.5, 1])
    array([0.5 , 0.75, 1. , 1. ])
    """

    vector: Sequence[float]
    smooth: bool = False
    _knots: FloatArray = field(init=False, repr=False, compare=False)
    _slopes: FloatArray = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        array = check_weights("Interpolated", self.vector, len(self.vector), total=1.0)
        knots = np.concatenate([[0.0], np.cumsum(array)])
        knots[-1] = 1.0
        object.__setattr__(self, "vector", tuple(float(weight) for weight in array))
        object.__setattr__(self, "_knots", np.minimum(knots, 1.0))
        object.__setattr__(self, "_slopes", _knot_slopes(array * array.size))

    def evaluate(self, x: FloatArray) -> FloatArray:
        n = len(self.vector)
        interval = np.clip(np.floor(x * n + _STEP).astype(np.int64), 0, n - 1)
        share = np.clip(x * n - interval, 0.0, 1.0)
        low, high = self._knots[interval], self._knots[interval + 1]
        if not self.smooth:
            return low + share * (high - low)
        # In units of one interval: slopes s1, s2 at its ends and `middle` at its centre, linear between them.
        s1, s2 = self._slopes[interval] / n, self._slopes[interval + 1] / n
        middle = 2.0 * (high - low) - 0.5 * (s1 + s2)
        rest = 1.0 - share
        rising = low + share * s1 + share**2 * (middle - s1)
        falling = high - rest * s2 - rest**2 * (middle - s2)
        return np.clip(np.where(share <= 0.5, rising, falling), low, high)

    def area(self) -> float:
        return float(np.trapezoid(self._knots)) / len(self.vector) if not self.smooth else super().area()


def _knot_slopes(secants: FloatArray) -> FloatArray:
    before, after = secants[:-1], secants[1:]
    flat = (before <= 0) | (after <= 0)
    total = np.where(flat, 1.0, before + after)
    inner = np.where(flat, 0.0, 2.0 * before * after / total)
    return np.concatenate([secants[:1], inner, secants[-1:]])
