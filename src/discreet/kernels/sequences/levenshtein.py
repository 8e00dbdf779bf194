"""Edit distance of event sequences."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["edit_distances"]


@exact_kernel
def edit_distances(
    a_codes: CodeArray,  # IN (events of a,) int32
    a_offsets: IntArray,  # IN (n_a + 1,) int64
    b_codes: CodeArray,  # IN (events of b,) int32
    b_offsets: IntArray,  # IN (n_b + 1,) int64
    n_events: int,  # IN size of the alphabet
    which: IntArray,  # IN (q,) int64, sequences of a
    among: IntArray,  # IN (m,) int64, sequences of b; m = q where paired
    paired: bool,  # IN whether the i-th of which meets the i-th of among only
    longest: int,  # IN the length of the longest sequence of b
) -> FloatArray:  # OUT (q · m,) float64, row by row, or (q,) where paired: edits
    """Count insertions, deletions and substitutions of each pair, and divide by the longer length.

    Up to 64 events, a column of the dynamic programme is two machine words, the places where it rises and where it
    falls by one (Myers 1999, Hyyrö 2003): O(length) a pair. Longer ones go row by row: O(length²), memory O(length).
    """
    q, m = which.size, among.size
    result = np.empty(q if paired else q * m)
    line = np.empty(longest + 1, dtype=np.int64)
    masks = np.zeros(n_events, dtype=np.uint64)
    one, none = np.uint64(1), np.uint64(0)
    t = 0
    for row in range(q):
        heed_stop()
        a0, a1 = a_offsets[which[row]], a_offsets[which[row] + 1]
        n = a1 - a0
        short = 0 < n <= 64
        if short:
            for i in range(n):
                masks[a_codes[a0 + i]] |= one << np.uint64(i)
            top = one << np.uint64(n - 1)
        low, high = (row, row + 1) if paired else (0, m)
        for column in range(low, high):
            b0, b1 = b_offsets[among[column]], b_offsets[among[column] + 1]
            if short:
                rises, falls, edits = ~none, none, n
                for p in range(b0, b1):
                    equal = masks[b_codes[p]]
                    diagonal = (((equal & rises) + rises) ^ rises) | equal | falls
                    up = falls | ~(diagonal | rises)
                    down = rises & diagonal
                    if up & top:
                        edits += 1
                    if down & top:
                        edits -= 1
                    up = (up << one) | one
                    rises = (down << one) | ~(diagonal | up)
                    falls = up & diagonal
                result[t] = edits / max(n, b1 - b0)
            else:
                for p in range(b1 - b0 + 1):
                    line[p] = p
                for i in range(a0, a1):
                    corner = line[0]
                    line[0] += 1
                    for p in range(b1 - b0):
                        substituted = corner + (0 if a_codes[i] == b_codes[b0 + p] else 1)
                        corner = line[p + 1]
                        line[p + 1] = min(substituted, min(line[p], corner) + 1)
                result[t] = line[b1 - b0] / max(n, b1 - b0, 1)
            t += 1
        if short:
            for i in range(n):
                masks[a_codes[a0 + i]] = none
    return result
