"""Sums that do not depend on the order of what is added: whole numbers of the smallest binary step.

A plan that reads a sum must be the same however a table was cut into blocks, to the last bit; sums of floating-point
numbers are not. Every finite number is a whole multiple of 2⁻¹⁰⁷⁴, so that a wide integer adds them exactly.
"""

from __future__ import annotations

import numpy as np

from discreet.typing import FloatArray, IntArray

__all__ = ["exact_sums", "nearest"]

_BITS = 53
_LOWEST = 1074 + _BITS
"""So many bits below one lies the last bit of any number's 53-bit fraction."""
_LOW = 26
_MOST = 1 << 25
"""Records that are added at a time: halves of fractions have 27 bits, and their sums must stay below 2⁵³."""


def exact_sums(values: FloatArray, groups: IntArray, size: int) -> tuple[int, ...]:
    """Return the sum of every group 0 … size − 1 of finite numbers, in steps of 2⁻¹¹²⁷.

    Examples
    --------
    >>> [nearest(total) for total in exact_sums(np.array([1e16, 1.0, -1e16, 2.5]), np.array([0, 0, 0, 1]), 2)]
    [1.0, 2.5]
    """
    totals = [0] * size
    for first in range(0, values.size, _MOST):
        fractions, exponents = np.frexp(values[first : first + _MOST])
        lowest = int(exponents.min(initial=0))
        span = int(exponents.max(initial=0)) - lowest + 1
        whole = np.ldexp(fractions, _BITS).astype(np.int64)
        cells = groups[first : first + _MOST] * span + (exponents - lowest)
        high = np.bincount(cells, weights=whole >> _LOW, minlength=size * span)
        low = np.bincount(cells, weights=whole & ((1 << _LOW) - 1), minlength=size * span)
        for cell in np.flatnonzero((high != 0) | (low != 0)).tolist():
            group, exponent = divmod(cell, span)
            shift = exponent + lowest - _BITS + _LOWEST
            totals[group] += ((int(high[cell]) << _LOW) + int(low[cell])) << shift
    return tuple(totals)


def nearest(total: int, over: int = 1) -> float:
    """Return an exact sum, or its `over`-th part, as the nearest floating-point number."""
    return total / (over << _LOWEST)
