"""Nearest and second-nearest records over all pairs of two files of mixed attributes."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["nearest_two", "tied_with_nearest"]


@exact_kernel
def _squared(
    a_numbers: FloatArray,
    a_codes: CodeArray,
    i: int,
    b_numbers: FloatArray,
    b_codes: CodeArray,
    j: int,
    table: FloatArray,
    bound: float,
) -> float:
    # Stops once past the bound: the sum only grows, and what lies beyond the second nearest is of no interest.
    total = 0.0
    for p in range(a_codes.shape[1]):
        total += table[p, a_codes[i, p], b_codes[j, p]]
        if total > bound:
            return total
    for p in range(a_numbers.shape[1]):
        difference = a_numbers[i, p] - b_numbers[j, p]
        total += difference * difference
        if total > bound:
            return total
    return total


@exact_kernel
def nearest_two(
    a_numbers: FloatArray,  # IN (n_a, p) float64, standardised
    a_codes: CodeArray,  # IN (n_a, q) int32, a missing value has a row of its own in the table
    b_numbers: FloatArray,  # IN (n_b, p) float64
    b_codes: CodeArray,  # IN (n_b, q) int32
    table: FloatArray,  # IN (q, levels, levels) float64, squared distances
    start: int,  # IN first record of b
    stop: int,  # IN past the last record of b
    best: IntArray,  # OUT (n_b,) int64, lowest position on ties
    score: FloatArray,  # OUT (n_b,) float64, squared distance
    second: IntArray,  # OUT (n_b,) int64, −1 where a has one record
    second_score: FloatArray,  # OUT (n_b,) float64
    ties: IntArray,  # OUT (n_b,) int64, records of a at the best distance
) -> None:
    """Compare records ``start … stop − 1`` of b with all of a: O(n_a · n_b · attributes) time, no memory beyond OUT."""
    for j in range(start, stop):
        first, next_one = -1, -1
        d1, d2 = np.inf, np.inf
        tied = 0
        for i in range(a_numbers.shape[0]):
            d = _squared(a_numbers, a_codes, i, b_numbers, b_codes, j, table, d2)
            if d < d1:
                next_one, d2 = first, d1
                first, d1 = i, d
                tied = 1
            else:
                if d == d1:
                    tied += 1
                if d < d2:
                    next_one, d2 = i, d
        best[j], score[j], second[j], second_score[j], ties[j] = first, d1, next_one, d2, tied


@exact_kernel
def tied_with_nearest(
    a_numbers: FloatArray,  # IN as above
    a_codes: CodeArray,
    b_numbers: FloatArray,
    b_codes: CodeArray,
    table: FloatArray,
    score: FloatArray,  # IN (n_b,) float64, the best squared distances
    ties: IntArray,  # IN (n_b,) int64
    best: IntArray,  # IN (n_b,) int64
    offsets: IntArray,  # IN (n_b + 1,) int64, cumulated ties
    start: int,
    stop: int,
    tied: IntArray,  # OUT (offsets[-1],) int64, the records of a at the best distance, in order
) -> None:
    """List all nearest records; only records of b with a tie are compared again."""
    for j in range(start, stop):
        at = offsets[j]
        if ties[j] == 1:
            tied[at] = best[j]
            continue
        for i in range(best[j], a_numbers.shape[0]):
            d = _squared(a_numbers, a_codes, i, b_numbers, b_codes, j, table, score[j])
            if d == score[j]:
                tied[at] = i
                at += 1
