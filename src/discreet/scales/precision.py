"""How fine a column of numbers is: its decimals, and numbers rounded to no more than that.

A mean of whole numbers with fifteen digits is an equation that its members solve. What is released of a column carries
no more digits than the column had.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.typing import FloatArray

__all__ = ["MOST_DECIMALS", "SIGNIFICANT", "Fineness", "fineness", "joined_fineness", "rounded"]

MOST_DECIMALS = 15
SIGNIFICANT = 6
"""Digits of what is released of a column whose numbers have all the digits that binary numbers can have."""

_DOUBLE_DIGITS, _SINGLE_DIGITS = 1e15, 1e7
_EXACT_POWERS = 22  # ten to this is the largest power of ten that a binary number holds exactly
_POWERS = np.array([float(10**d) for d in range(_EXACT_POWERS + 1)])


@dataclass(frozen=True)
class Fineness:
    """What is to be known of a whole column before anything of it is rounded.

    Attributes
    ----------
    double : int or None
        The least number of decimals that writes every number of the column; None where none up to 15 does.
    low, high : float
        The smallest and the largest number; infinite the wrong way round where the column has none.
    single : int or None
        The same where all numbers were held in single precision, which keeps 12.35 as 12.350000381…: digits that are
        no measurement, and tell the members of a sum apart.
    """

    double: int | None
    low: float
    high: float
    single: int | None = None

    @property
    def decimals(self) -> int | None:
        """The decimals of the column, or None where its numbers have all binary digits."""
        return self.single if self.double is None else self.double

    @property
    def unit(self) -> float | None:
        """The step between two numbers that the column could hold, or None where it has all digits."""
        return None if self.decimals is None else float(f"1e{-self.decimals}")


def fineness(values: FloatArray) -> Fineness:
    """Return how fine a column is; missing values have no say.

    Examples
    --------
    >>> fineness(np.array([31.0, 45.0, np.nan])).decimals
    0
    >>> fineness(np.array([0.5, 12.25])).decimals
    2
    >>> fineness(np.array([12.35, 9.47], dtype=np.float32).astype(np.float64)).decimals
    2
    >>> fineness(np.array([1 / 3, 2.0])).decimals is None
    True
    """
    present = values[np.isfinite(values)]
    if not present.size:
        return Fineness(0, np.inf, -np.inf, 0)
    low, high = float(present.min()), float(present.max())
    single = None
    if max(abs(low), abs(high)) < _SINGLE_DIGITS:
        narrow = present.astype(np.float32)
        if (narrow == present).all():
            single = _decimals(present, narrow, _SINGLE_DIGITS)
    return Fineness(_decimals(present, present, _DOUBLE_DIGITS), low, high, single)


def joined_fineness(parts: Iterable[Fineness]) -> Fineness:
    """Return the fineness of a column from that of its parts.

    Examples
    --------
    >>> joined_fineness([Fineness(0, 1.0, 3.0), Fineness(2, -1.25, 2.0)])
    Fineness(double=2, low=-1.25, high=3.0, single=None)
    """
    found = list(parts)
    low = min((part.low for part in found), default=np.inf)
    high = max((part.high for part in found), default=-np.inf)
    return Fineness(_finest(part.double for part in found), low, high, _finest(part.single for part in found))


def _finest(decimals: Iterable[int | None]) -> int | None:
    most = 0
    for one in decimals:
        if one is None:
            return None
        most = max(most, one)
    return most


def _decimals(present: FloatArray, stored: NDArray[Any], digits: float) -> int | None:
    """Return the least number of decimals that gives back every number as it is stored, or None.

    `digits` bounds what the kind of number tells apart; beyond it every decimal would seem to fit.
    """
    rest = np.arange(present.size)
    for d in range(MOST_DECIMALS + 1):
        with np.errstate(over="ignore"):
            steps = present[rest] * _POWERS[d]
        fits = np.abs(steps) < digits
        fits[fits] = (np.rint(steps[fits]) / _POWERS[d]).astype(stored.dtype) == stored[rest][fits]
        if d == 0:
            fits |= np.abs(present[rest]) >= 2.0**52  # no binary number of this size has a fraction
        rest = rest[~fits]
        if not rest.size:
            return d
    return None


def rounded(values: FloatArray, column: Fineness, decimals: int | None = None) -> FloatArray:
    """Return numbers with no more digits than a column has, or than `decimals` allows where that is fewer.

    Of a column with all binary digits, six significant ones are kept: of the number, or of the column's range where
    that is the smaller (a number far from zero keeps what tells it from its neighbours). Missing stays missing; halves
    go to the even neighbour.

    Examples
    --------
    >>> rounded(np.array([11.4, np.nan]), Fineness(0, 1.0, 90.0)).tolist()
    [11.0, nan]
    >>> rounded(np.array([1234.5]), Fineness(2, 0.0, 5000.0), -2).tolist()
    [1200.0]
    >>> rounded(np.array([1000 / 3]), Fineness(None, 0.0, 900.0)).tolist()
    [333.333]
    """
    if column.decimals is not None:
        places = np.full(values.shape, column.decimals, dtype=np.int64)
    else:
        spread = column.high - column.low
        with np.errstate(divide="ignore"):
            own = np.floor(np.log10(np.abs(values)))
        top = np.floor(np.log10(spread)) if spread > 0 else np.inf
        exponent = np.minimum(own, top)
        places = np.where(np.isfinite(exponent), SIGNIFICANT - 1 - exponent, _EXACT_POWERS + 1).astype(np.int64)
    if decimals is not None:
        places = np.minimum(places, decimals)
    factor = _POWERS[np.minimum(np.abs(places), _EXACT_POWERS)]
    with np.errstate(over="ignore"):
        finer = np.rint(values * factor) / factor
    coarser = np.rint(values / factor) * factor
    result = np.where(places >= 0, finer, coarser)
    # What is beyond exact powers of ten, or would overflow, has no such digits.
    safe = (np.abs(places) <= _EXACT_POWERS) & np.isfinite(result)
    return np.asarray(np.where(safe, result, values) + 0.0)  # no negative zero: it would be told apart
