"""How many items two sets share."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["JACCARD", "SORENSEN", "unshared_items", "unshared_weight"]

JACCARD, SORENSEN = 0, 1


@exact_kernel
def unshared_items(
    a_codes: CodeArray,  # IN (items of a,) int32, sorted within every set, none twice
    a_offsets: IntArray,  # IN (n_a + 1,) int64
    b_codes: CodeArray,  # IN (items of b,) int32, as those of a
    b_offsets: IntArray,  # IN (n_b + 1,) int64
    which: IntArray,  # IN (q,) int64, sets of a
    among: IntArray,  # IN (m,) int64, sets of b; m = q where paired
    paired: bool,  # IN whether the i-th of which meets the i-th of among only
    divisor: int,  # IN by all different items (JACCARD) or by the items of both together (SORENSEN)
) -> FloatArray:  # OUT (q · m,) float64, row by row, or (q,) where paired
    """Count the items that only one of two sets has, by merging their sorted codes; two empty sets are equal."""
    q, m = which.size, among.size
    result = np.empty(q if paired else q * m)
    t = 0
    for row in range(q):
        heed_stop()
        a0, a1 = a_offsets[which[row]], a_offsets[which[row] + 1]
        low, high = (row, row + 1) if paired else (0, m)
        for column in range(low, high):
            b0, b1 = b_offsets[among[column]], b_offsets[among[column] + 1]
            i, j, shared = a0, b0, 0
            while i < a1 and j < b1:
                if a_codes[i] == b_codes[j]:
                    shared += 1
                    i += 1
                    j += 1
                elif a_codes[i] < b_codes[j]:
                    i += 1
                else:
                    j += 1
            both = (a1 - a0) + (b1 - b0)
            total = both - shared if divisor == JACCARD else both
            result[t] = (both - 2 * shared) / max(total, 1)
            t += 1
    return result


@exact_kernel
def unshared_weight(
    a_codes: CodeArray,  # IN as above
    a_offsets: IntArray,
    b_codes: CodeArray,
    b_offsets: IntArray,
    which: IntArray,
    among: IntArray,
    paired: bool,
    weights: FloatArray,  # IN (items,) float64, above 0
) -> FloatArray:  # OUT as above
    """Weigh the items that only one of two sets has, by all items of either; two empty sets are equal.

    Weights are added in the order of codes, whichever set holds them, so that both ways give the same number.
    """
    q, m = which.size, among.size
    result = np.empty(q if paired else q * m)
    t = 0
    for row in range(q):
        heed_stop()
        a0, a1 = a_offsets[which[row]], a_offsets[which[row] + 1]
        low, high = (row, row + 1) if paired else (0, m)
        for column in range(low, high):
            b0, b1 = b_offsets[among[column]], b_offsets[among[column] + 1]
            i, j, alone, total = a0, b0, 0.0, 0.0
            while i < a1 or j < b1:
                if j == b1 or (i < a1 and a_codes[i] < b_codes[j]):
                    alone += weights[a_codes[i]]
                    total += weights[a_codes[i]]
                    i += 1
                elif i == a1 or b_codes[j] < a_codes[i]:
                    alone += weights[b_codes[j]]
                    total += weights[b_codes[j]]
                    j += 1
                else:
                    total += weights[a_codes[i]]
                    i += 1
                    j += 1
            result[t] = alone / total if total > 0.0 else 0.0
            t += 1
    return result
