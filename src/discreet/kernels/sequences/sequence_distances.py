"""Distances of event sequences by position and by alignment."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["common_subsequences", "differing_positions", "optimal_matching"]


@exact_kernel
def differing_positions(
    a_codes: CodeArray,  # IN (events of a,) int32
    a_offsets: IntArray,  # IN (n_a + 1,) int64
    b_codes: CodeArray,  # IN (events of b,) int32
    b_offsets: IntArray,  # IN (n_b + 1,) int64
    which: IntArray,  # IN (q,) int64, sequences of a
    among: IntArray,  # IN (m,) int64, sequences of b; m = q where paired
    paired: bool,  # IN whether the i-th of which meets the i-th of among only
) -> FloatArray:  # OUT (q · m,) float64, row by row, or (q,) where paired
    """Count the positions with different events, one-sided ones too, and divide by the longer length."""
    q, m = which.size, among.size
    result = np.empty(q if paired else q * m)
    t = 0
    for row in range(q):
        heed_stop()
        a0, a1 = a_offsets[which[row]], a_offsets[which[row] + 1]
        low, high = (row, row + 1) if paired else (0, m)
        for column in range(low, high):
            b0, b1 = b_offsets[among[column]], b_offsets[among[column] + 1]
            both = min(a1 - a0, b1 - b0)
            different = max(a1 - a0, b1 - b0) - both
            for p in range(both):
                if a_codes[a0 + p] != b_codes[b0 + p]:
                    different += 1
            result[t] = different / max(a1 - a0, b1 - b0, 1)
            t += 1
    return result


@exact_kernel
def common_subsequences(
    a_codes: CodeArray,  # IN as above
    a_offsets: IntArray,
    b_codes: CodeArray,
    b_offsets: IntArray,
    which: IntArray,
    among: IntArray,
    paired: bool,
    longest: int,  # IN the length of the longest sequence of b
) -> FloatArray:  # OUT as above: share of events outside the longest common subsequence
    """Find the length of the longest common subsequence of each pair: O(length²) time, O(length) memory."""
    q, m = which.size, among.size
    result = np.empty(q if paired else q * m)
    line = np.empty(longest + 1, dtype=np.int64)
    t = 0
    for row in range(q):
        heed_stop()
        a0, a1 = a_offsets[which[row]], a_offsets[which[row] + 1]
        low, high = (row, row + 1) if paired else (0, m)
        for column in range(low, high):
            b0, b1 = b_offsets[among[column]], b_offsets[among[column] + 1]
            for p in range(b1 - b0 + 1):
                line[p] = 0
            for i in range(a0, a1):
                diagonal = 0
                for p in range(b1 - b0):
                    above = line[p + 1]
                    if a_codes[i] == b_codes[b0 + p]:
                        line[p + 1] = diagonal + 1
                    else:
                        line[p + 1] = max(above, line[p])
                    diagonal = above
            total = a1 - a0 + b1 - b0
            result[t] = (total - 2 * line[b1 - b0]) / max(total, 1)
            t += 1
    return result


@exact_kernel
def optimal_matching(
    a_codes: CodeArray,  # IN as above
    a_offsets: IntArray,
    b_codes: CodeArray,
    b_offsets: IntArray,
    which: IntArray,
    among: IntArray,
    paired: bool,
    longest: int,
    indel: float,  # IN cost of an insertion or deletion
    costs: FloatArray,  # IN (events, events) float64, or (1, 1) where all substitutions cost the same
) -> FloatArray:  # OUT as above: the least total cost over that of indels only
    """Find the cheapest way from one sequence to the other: O(length²) time, O(length) memory."""
    q, m = which.size, among.size
    result = np.empty(q if paired else q * m)
    line = np.empty(longest + 1)
    uniform = costs.shape[0] == 1
    t = 0
    for row in range(q):
        heed_stop()
        a0, a1 = a_offsets[which[row]], a_offsets[which[row] + 1]
        low, high = (row, row + 1) if paired else (0, m)
        for column in range(low, high):
            b0, b1 = b_offsets[among[column]], b_offsets[among[column] + 1]
            for p in range(b1 - b0 + 1):
                line[p] = p * indel
            for i in range(a0, a1):
                x = a_codes[i]
                diagonal = line[0]
                line[0] = (i - a0 + 1) * indel
                for p in range(b1 - b0):
                    y = b_codes[b0 + p]
                    price = 0.0
                    if x != y:
                        price = costs[0, 0] if uniform else costs[x, y]
                    above = line[p + 1]
                    line[p + 1] = min(diagonal + price, min(above, line[p]) + indel)
                    diagonal = above
            result[t] = line[b1 - b0] / (indel * max(a1 - a0 + b1 - b0, 1))
            t += 1
    return result
