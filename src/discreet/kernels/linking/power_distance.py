"""Distances of two files of numbers under a power, and the nearest records by them, over all pairs.

`power` says which: 0 the squared Euclidean distance, 1 the sum of differences, 2 the sum of their square roots. Records
are tied with the nearest one if they are farther by no more than rounding can explain.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.linking.nearest_list import tied_up_to
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["nearest_by_power", "nearest_many_by_power", "power_distances", "tied_by_power"]


@exact_kernel
def _distance(a: FloatArray, i: int, b: FloatArray, j: int, power: int, bound: float) -> float:
    # Stops once past the bound: the sum only grows.
    total = 0.0
    for k in range(a.shape[1]):
        difference = float(abs(a[i, k] - b[j, k]))
        if power == 0:
            total += difference * difference
        elif power == 1:
            total += difference
        else:
            total += np.sqrt(difference)
        if total > bound:
            return total
    return total


@exact_kernel
def power_distances(
    a: FloatArray,  # IN (n_a, k) float64
    b: FloatArray,  # IN (n_b, k) float64
    power: int,  # IN as above
    out: FloatArray,  # OUT (n_b, n_a) float64
) -> None:
    """Fill the table of all distances: O(n_a · n_b · k)."""
    for j in range(b.shape[0]):
        heed_stop()
        for i in range(a.shape[0]):
            out[j, i] = _distance(a, i, b, j, power, np.inf)


@exact_kernel
def nearest_by_power(
    a: FloatArray,  # IN (n_a, k) float64
    b: FloatArray,  # IN (n_b, k) float64
    power: int,  # IN as above
    start: int,  # IN first record of b
    stop: int,  # IN past the last record of b
    slack: FloatArray,  # IN (n_b,) float64, what rounding of the numbers explains of a distance
    best: IntArray,  # OUT (n_b,) int64, lowest position on ties
    score: FloatArray,  # OUT (n_b,) float64
    second: IntArray,  # OUT (n_b,) int64, −1 where a has one record
    second_score: FloatArray,  # OUT (n_b,) float64
    limit: FloatArray,  # OUT (n_b,) float64, the largest distance that is tied with the best
    ties: IntArray,  # OUT (n_b,) int64, records of a at the best distance
) -> None:
    """Find the two nearest records of a for records ``start … stop − 1`` of b; no memory beyond OUT."""
    for j in range(start, stop):
        heed_stop()
        first, next_one = -1, -1
        d1, d2 = np.inf, np.inf
        for i in range(a.shape[0]):
            d = _distance(a, i, b, j, power, d2)
            if d < d1:
                next_one, d2 = first, d1
                first, d1 = i, d
            elif d < d2:
                next_one, d2 = i, d
        limit[j] = tied_up_to(d1, slack[j], power == 0)
        tied = 1 if first >= 0 else 0
        if next_one >= 0 and d2 <= limit[j]:
            # Only where the second is tied may others be: they are counted in a pass of their own.
            tied = 0
            for i in range(a.shape[0]):
                if _distance(a, i, b, j, power, limit[j]) <= limit[j]:
                    if tied == 0:
                        first = i
                    elif tied == 1:
                        next_one = i
                    tied += 1
            d2 = d1
        best[j], score[j], second[j], second_score[j], ties[j] = first, d1, next_one, d2, tied


@exact_kernel
def tied_by_power(
    a: FloatArray,  # IN as above
    b: FloatArray,
    power: int,
    limit: FloatArray,  # IN (n_b,) float64, the largest tied distances
    ties: IntArray,  # IN (n_b,) int64
    best: IntArray,  # IN (n_b,) int64
    offsets: IntArray,  # IN (n_b + 1,) int64, cumulated ties
    start: int,
    stop: int,
    tied: IntArray,  # OUT (offsets[-1],) int64, the records of a at the best distance, in order
) -> None:
    """List all nearest records; only records of b with a tie are compared again."""
    for j in range(start, stop):
        heed_stop()
        at = offsets[j]
        if ties[j] == 0:
            continue
        if ties[j] == 1:
            tied[at] = best[j]
            continue
        for i in range(best[j], a.shape[0]):
            if _distance(a, i, b, j, power, limit[j]) <= limit[j]:
                tied[at] = i
                at += 1


@exact_kernel
def nearest_many_by_power(
    a: FloatArray,  # IN (n_a, k) float64
    b: FloatArray,  # IN (n_b, k) float64
    power: int,  # IN as above
    start: int,  # IN first record of b
    stop: int,  # IN past the last record of b
    nearest: IntArray,  # OUT (n_b, m) int64, the m ≤ n_a nearest records of a, nearest first
    scores: FloatArray,  # OUT (n_b, m) float64
) -> None:
    """List the m nearest records of a for every record of b, ties by position: O(n_a · n_b · k)."""
    m = nearest.shape[1]
    for j in range(start, stop):
        heed_stop()
        for slot in range(m):
            scores[j, slot] = np.inf
            nearest[j, slot] = -1
        for i in range(a.shape[0]):
            d = _distance(a, i, b, j, power, scores[j, m - 1])
            if d >= scores[j, m - 1]:
                continue
            slot = m - 1
            while slot > 0 and scores[j, slot - 1] > d:
                scores[j, slot] = scores[j, slot - 1]
                nearest[j, slot] = nearest[j, slot - 1]
                slot -= 1
            scores[j, slot] = d
            nearest[j, slot] = i
