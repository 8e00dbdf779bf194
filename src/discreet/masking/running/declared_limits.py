"""Bounds that released numbers keep to, and how what lies beyond is folded back."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from typing import Any

import numpy as np

from discreet.parameters import Constraint
from discreet.typing import BoolArray, FloatArray

__all__ = ["LimitInterval", "folded", "interval_of", "outside"]


class LimitInterval(Constraint):
    """Two numbers, or ``low:high`` as text, one of which may be left out.

    Examples
    --------
    >>> [LimitInterval().accepts(value) for value in ("0:", "0:110", [0, 110], ":", [3, 1], "low:high", None)]
    [True, True, True, False, False, False, False]
    """

    def accepts(self, value: Any) -> bool:
        try:
            low, high = interval_of(value)
        except (TypeError, ValueError):
            return False
        return low < high and (isfinite(low) or isfinite(high))

    def describe(self) -> str:
        return 'an interval such as "0:", ":100" or [0, 100]'

    def parse(self, text: str) -> str:
        if not self.accepts(text):
            raise ValueError(text)
        return text


def interval_of(value: Any) -> tuple[float, float]:
    """Return the ends of an interval; infinite where one is left out.

    Examples
    --------
    >>> interval_of("0:"), interval_of([1, 2.5])
    ((0.0, inf), (1.0, 2.5))
    """
    if isinstance(value, str):
        low, colon, high = (part.strip() for part in value.partition(":"))
        if not colon:
            raise ValueError(value)
        return _number(low) if low else -inf, _number(high) if high else inf
    if not isinstance(value, Sequence) or len(value) != 2 or any(isinstance(end, (str, bool)) for end in value):
        raise ValueError(value)
    return _number(value[0]), _number(value[1])


def _number(end: Any) -> float:
    number = float(end)
    if not isfinite(number):
        raise ValueError(end)
    return number


def outside(values: FloatArray, low: float, high: float) -> BoolArray:
    """Say which numbers lie beyond the ends; a missing one does not."""
    return np.asarray((values < low) | (values > high))


def folded(values: FloatArray, low: float, high: float) -> FloatArray:
    """Return numbers reflected at the ends of an interval as often as it takes.

    Examples
    --------
    >>> folded(np.array([-3.0, 4.0, 12.0, 25.0]), 0.0, 10.0).tolist()
    [3.0, 4.0, 8.0, 5.0]
    >>> folded(np.array([-3.0, 4.0]), 0.0, np.inf).tolist()
    [3.0, 4.0]
    """
    if not isfinite(high):
        return np.where(values < low, 2 * low - values, values)
    if not isfinite(low):
        return np.where(values > high, 2 * high - values, values)
    width = high - low
    away = np.mod(values - low, 2 * width)
    result = low + np.minimum(away, 2 * width - away)
    # What lies inside is left as it is, to the last digit.
    return np.where(outside(values, low, high), np.clip(result, low, high), values)
