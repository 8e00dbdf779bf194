"""Columns of equal steps, as coordinates whose differences are exact.

Integers, and integers that were centred and scaled, have many ties: two records are as far from a third in exact
numbers, though not after rounding. On a lattice whose step has few bits the difference of two coordinates is exact, so
records that differ by as many steps in every column are at one distance to the last bit; and integers that were only
shifted are integers again.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.centring import centred
from discreet.typing import FloatArray

__all__ = ["centred_on_lattices"]

# The most steps of a column, and the bits of a step: differences of coordinates have fewer than 53 bits.
_STEPS, _BITS = 2**20, 26
# How far a value may be from its place, in steps; rounding explains an eighth of it.
_OFF = 2.0**-28
# The smallest difference of two values may be as many steps.
_MOST_APART = 12


def _step(distinct: FloatArray) -> float:
    """Return the step between the values of a column, in rising order, or 0 where steps are not equal."""
    if distinct.size < 2:
        return 0.0
    width, least = float(distinct[-1] - distinct[0]), float(np.diff(distinct).min())
    for apart in range(1, _MOST_APART + 1):
        steps = np.rint(width / least * apart)
        if steps > _STEPS:
            break
        places = (distinct - distinct[0]) / (width / steps)
        if np.abs(places - np.rint(places)).max() <= _OFF:
            return float(width / steps)
    return 0.0


def centred_on_lattices(values: FloatArray) -> FloatArray:
    """Centre and scale as `centred` does, but put every column of equal steps on a lattice of exact differences.

    Such a column has at most about a million steps; its middle is the value nearest to its mean, and its step is
    rounded to 26 bits, which changes distances by less than a part in a hundred million. Other columns, those of
    continuous numbers, are left as they are.

    Examples
    --------
    >>> thirds = np.array([[1.0], [2.0], [5.0]]) / 3
    >>> np.diff(centred_on_lattices(thirds).ravel(), axis=0) @ [3, -1]
    np.float64(0.0)
    """
    points = centred(values)
    for j in range(points.shape[1]):
        distinct = np.unique(points[:, j])
        step = _step(distinct)
        if step > 0.0:
            places = np.rint((points[:, j] - distinct[0]) / step)
            mantissa, exponent = np.frexp(step)
            short = np.ldexp(np.rint(np.ldexp(mantissa, _BITS)), int(exponent) - _BITS)
            points[:, j] = short * (places - np.rint(places.mean()))
    largest = float(np.max(np.abs(points), initial=0.0))
    return np.ldexp(points, -int(np.frexp(largest)[1])) if largest > 0.0 else points
