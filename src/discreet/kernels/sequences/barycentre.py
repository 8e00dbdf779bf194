"""The mean of a group of series under dynamic time warping."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.sequences.series_distances import GAP_CODE
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, IntArray

__all__ = ["warped_means"]


@exact_kernel
def warped_means(
    codes: CodeArray,  # IN (readings,) int32, series sorted by group
    offsets: IntArray,  # IN (n + 1,) int64
    weights: IntArray,  # IN (n,) int64, records that a series stands for
    groups: IntArray,  # IN (g + 1,) int64, where a group's series start
    starts: IntArray,  # IN (g + 1,) int64, where a group's prototype starts
    window: float,  # IN how far readings may be shifted, by the longer length
    rounds: int,  # IN the most that prototypes are improved
    longest: int,  # IN the length of the longest series, and of the longest prototype
    prototypes: CodeArray,  # IN OUT (starts[-1],) int32, the first guess and the result
) -> None:
    """Align every member with its group's prototype, replace each reading by the mean of what it was aligned with.

    A path touches every reading of the prototype, so that every member has a say in each. The sum of squares never
    grows but for rounding to whole steps; it ends when nothing moves. Ties prefer the diagonal: a group of equal series
    is aligned with itself and stays. O(rounds · Σ length²) time, O(length²) memory.
    """
    cost = np.empty((longest + 1, longest + 1))
    for g in range(groups.size - 1):
        n = starts[g + 1] - starts[g]
        prototype = prototypes[starts[g] : starts[g + 1]]
        sums, counts = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        for _ in range(rounds if n > 0 else 0):
            heed_stop()
            sums[:] = 0
            counts[:] = 0
            for i in range(groups[g], groups[g + 1]):
                member = codes[offsets[i] : offsets[i + 1]]
                r = member.size
                if r == 0:
                    continue
                band = max(int(window * max(n, r)), abs(n - r))
                cost[: n + 1, : r + 1] = np.inf
                cost[0, 0] = 0.0
                for p in range(1, n + 1):
                    for q in range(max(1, p - band), min(r, p + band) + 1):
                        x, y = prototype[p - 1], member[q - 1]
                        # A gap fits anything, and has no say below.
                        far = 0.0 if GAP_CODE in (x, y) else np.float64(x) - np.float64(y)
                        cost[p, q] = far * far + min(cost[p - 1, q - 1], cost[p - 1, q], cost[p, q - 1])
                p, q = n, r
                while p > 0:  # both end together: before the first of either everything is infinitely far
                    if member[q - 1] != GAP_CODE:
                        sums[p - 1] += weights[i] * member[q - 1]
                        counts[p - 1] += weights[i]
                    diagonal, up, left = cost[p - 1, q - 1], cost[p - 1, q], cost[p, q - 1]
                    if diagonal <= up and diagonal <= left:
                        p -= 1
                        q -= 1
                    elif up <= left:
                        p -= 1
                    else:
                        q -= 1
            moved = False
            for p in range(n):
                mean = GAP_CODE if counts[p] == 0 else (2 * sums[p] + counts[p]) // (2 * counts[p])
                if mean != prototype[p]:
                    moved = True
                    prototype[p] = mean
            if not moved:
                break
