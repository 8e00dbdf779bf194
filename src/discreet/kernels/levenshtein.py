"""Edit distance of event sequences."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import kernel
from discreet.typing import CodeArray, IntArray

__all__ = ["edit_distances"]


@kernel
def edit_distances(
    a_codes: CodeArray,  # IN (events of a,) int32
    a_offsets: IntArray,  # IN (n + 1,) int64
    b_codes: CodeArray,  # IN (events of b,) int32
    b_offsets: IntArray,  # IN (n + 1,) int64
) -> IntArray:  # OUT (n,) int64: insertions, deletions and substitutions from a[i] to b[i]
    """Return the edit distance of each pair by one row of the dynamic programme: O(length²) time, O(length) memory."""
    n = a_offsets.size - 1
    result = np.empty(n, dtype=np.int64)
    longest = 0
    for i in range(n):
        longest = max(longest, b_offsets[i + 1] - b_offsets[i])
    row = np.empty(longest + 1, dtype=np.int64)
    for i in range(n):
        a0, a1 = a_offsets[i], a_offsets[i + 1]
        b0, b1 = b_offsets[i], b_offsets[i + 1]
        m = b1 - b0
        for q in range(m + 1):
            row[q] = q
        for p in range(a0, a1):
            diagonal = row[0]
            row[0] += 1
            for q in range(m):
                substituted = diagonal + (0 if a_codes[p] == b_codes[b0 + q] else 1)
                diagonal = row[q + 1]
                row[q + 1] = min(substituted, min(row[q], diagonal) + 1)
        result[i] = row[m]
    return result
