"""How far apart two series of readings are."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["GAP_CODE", "differing_readings", "warped_readings"]

GAP_CODE = -(2**31)


@exact_kernel
def _squared(x: int, y: int, scale: float) -> float:
    # A gap and a reading have nothing in common, and neither have readings that are the whole span apart.
    if x == y:
        return 0.0
    if GAP_CODE in (x, y):
        return 1.0
    share = abs(np.float64(x) - np.float64(y)) * scale
    return min(share * share, 1.0)


@exact_kernel
def differing_readings(
    a_codes: CodeArray,  # IN (readings of a,) int32, steps
    a_offsets: IntArray,  # IN (n_a + 1,) int64
    b_codes: CodeArray,  # IN (readings of b,) int32
    b_offsets: IntArray,  # IN (n_b + 1,) int64
    which: IntArray,  # IN (q,) int64, series of a
    among: IntArray,  # IN (m,) int64, series of b; m = q where paired
    paired: bool,  # IN whether the i-th of which meets the i-th of among only
    scale: float,  # IN one by the span in steps
) -> FloatArray:  # OUT (q · m,) float64, row by row, or (q,) where paired
    """Root of the mean squared difference, position by position; a position that only one series has counts 1."""
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
            longer = max(a1 - a0, b1 - b0)
            total = np.float64(longer - both)
            for p in range(both):
                total += _squared(a_codes[a0 + p], b_codes[b0 + p], scale)
            result[t] = np.sqrt(total / max(longer, 1))
            t += 1
    return result


@exact_kernel
def warped_readings(
    a_codes: CodeArray,  # IN as above
    a_offsets: IntArray,
    b_codes: CodeArray,
    b_offsets: IntArray,
    which: IntArray,
    among: IntArray,
    paired: bool,
    scale: float,
    window: float,  # IN how far positions may be shifted, by the longer length
    longest: int,  # IN the length of the longest series of b
) -> FloatArray:  # OUT as above
    """Least mean squared difference over all warpings within a band: O(length · band) time, O(length) memory.

    The path that stays nearest the diagonal has as many steps as the longer series has readings, and is within the
    band: so the least sum, by that length, is at most 1.
    """
    q, m = which.size, among.size
    result = np.empty(q if paired else q * m)
    lines = np.empty((2, longest + 1))
    t = 0
    for row in range(q):
        heed_stop()
        a0, a1 = a_offsets[which[row]], a_offsets[which[row] + 1]
        low, high = (row, row + 1) if paired else (0, m)
        for column in range(low, high):
            b0, b1 = b_offsets[among[column]], b_offsets[among[column] + 1]
            n, r = a1 - a0, b1 - b0
            longer = max(n, r)
            if n == 0 or r == 0:
                result[t] = 1.0 if longer > 0 else 0.0
                t += 1
                continue
            band = max(int(window * longer), abs(n - r))
            for p in range(r + 1):
                lines[0, p] = np.inf
            lines[0, 0] = 0.0
            for i in range(1, n + 1):
                before, now = lines[(i - 1) % 2], lines[i % 2]
                first, last = max(1, i - band), min(r, i + band)
                now[first - 1] = np.inf
                for p in range(first, last + 1):
                    # Outside the band of the line before, its last cell is of two lines before: it is not looked at.
                    above = before[p] if p <= i - 1 + band else np.inf
                    best = min(before[p - 1], above, now[p - 1])
                    now[p] = best + _squared(a_codes[a0 + i - 1], b_codes[b0 + p - 1], scale)
            result[t] = np.sqrt(lines[n % 2, r] / longer)
            t += 1
    return result
