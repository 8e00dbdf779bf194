"""The nearest candidates of one record while a search goes on: those tied for the first place, and the second.

Two candidates that are equally far are seldom so to the last bit: the mean of two values, their standardised
coordinates and the sum of the terms are rounded. A candidate is therefore tied with the nearest one if it is farther by
no more than rounding can explain. That is said of the nearest of all, not of any two candidates, so the tied ones do
not depend on the sequence in which candidates are met.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.typing import FloatArray, IntArray

__all__ = ["SUMMING", "enter", "lengthened", "tied_up_to", "tied_up_to_each"]

SUMMING = 2.0**-42
"""What rounding in a sum of terms explains, relatively: that of a thousand additions."""


@exact_kernel
def tied_up_to(nearest: float, slack: float, squared: bool) -> float:
    """Return the largest sum of terms that counts as equal to the nearest one.

    A record that is met exactly, at distance zero, is tied with its equals alone: nothing was rounded.
    """
    if not 0.0 < nearest < np.inf:
        return nearest
    limit = nearest * (1.0 + SUMMING)
    if not squared or slack == 0.0:
        return limit + slack
    root = np.sqrt(limit) + slack
    return float(root * root)


def tied_up_to_each(nearest: FloatArray, slack: FloatArray, squared: bool) -> FloatArray:
    """Return :func:`tied_up_to` of many, to the last bit."""
    limit = nearest * (1.0 + SUMMING)
    root = np.sqrt(limit) + slack
    wider = np.where(slack == 0.0, limit, root * root) if squared else limit + slack
    return np.where((nearest > 0.0) & (nearest < np.inf), wider, nearest)


@exact_kernel
def lengthened(sums: FloatArray, size: int) -> FloatArray:
    """Return a copy of a list with room for more."""
    result = np.empty(size)
    for e in range(sums.size):
        result[e] = sums[e]
    return result


@exact_kernel
def enter(
    c: int,  # IN a class
    d: float,  # IN its sum of terms, finite and at most near[2]
    several: bool,  # IN whether it has more than one record, and is its own second nearest
    slack: float,  # IN what rounding of coordinates explains of a distance
    squared: bool,  # IN whether sums of terms are squared distances
    second: bool,  # IN whether the second place counts; if not, a row must only be tied
    near: FloatArray,  # IN/OUT (4,) float64: nearest, second nearest, what a row must not exceed, what is still tied
    who: IntArray,  # IN/OUT (2,) int64: second-nearest class, the lowest on equal sums, and how many classes are tied
    mine: IntArray,  # IN/OUT int64, the tied classes, with room for one more
    sums: FloatArray,  # IN/OUT float64, their sums of terms, as many
) -> None:
    """Let a class compete for the first and the second place."""
    other, tied = who[0], who[1]
    if d > near[3]:
        if d < near[1] or (d == near[1] and c < other):
            who[0], near[1] = c, d
            near[2] = min(near[2], d)
        return
    if d < near[0]:
        # A new nearest one: what was tied with the old one stays, or competes for the second place.
        near[0], near[3] = d, tied_up_to(d, slack, squared)
        n_tied = 0
        for j in range(tied):
            if sums[j] <= near[3]:
                mine[n_tied], sums[n_tied] = mine[j], sums[j]
                n_tied += 1
            elif sums[j] < near[1] or (sums[j] == near[1] and mine[j] < other):
                other, near[1] = mine[j], sums[j]
        tied = n_tied
    mine[tied], sums[tied] = c, d
    tied += 1
    who[0], who[1] = other, tied
    near[2] = near[3] if tied > 1 or several or not second else near[1]
