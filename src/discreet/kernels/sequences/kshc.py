"""k-sized hierarchical clustering: merge the closest pair until every cluster has k records."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["AVERAGE", "COMPLETE", "MEDIAN", "SINGLE", "kshc"]

SINGLE, COMPLETE, AVERAGE, MEDIAN = 0, 1, 2, 3


@exact_kernel
def _nearest(matrix: FloatArray, open_: BoolArray, i: int) -> int:
    """Return the open cluster after ``i`` that is nearest to it, the lowest on ties; −1 where there is none."""
    best, winner = np.inf, -1
    for j in range(i + 1, open_.size):
        if open_[j] and matrix[i, j] < best:
            best = matrix[i, j]
            winner = j
    return winner


@exact_kernel
def kshc(
    matrix: FloatArray,  # IN SCRATCH (n, n) float64, symmetric; distances of clusters are written over it
    sizes: IntArray,  # IN (n,) int64, records that each item stands for
    k: int,
    linkage: int,  # IN SINGLE, COMPLETE, AVERAGE or MEDIAN
    labels: IntArray,  # OUT (n,) int64, clusters numbered in the order in which they closed; −1 for what is left over
) -> int:  # OUT the number of closed clusters
    """Merge the closest two open clusters, again and again; a cluster of at least ``k`` records closes and leaves.

    An item of ``k`` records or more is closed from the start. Ties go to the pair with the lowest positions, a cluster
    standing at its lowest item. Every open cluster remembers its nearest: O(n²) time in practice, O(n³) at worst.
    """
    n = sizes.size
    open_ = np.empty(n, dtype=np.bool_)
    nearest = np.empty(n, dtype=np.int64)
    total = sizes.copy()
    owner = np.arange(n)
    closed = 0
    for i in range(n):
        open_[i] = sizes[i] < k
        labels[i] = -1
        if not open_[i]:
            labels[i] = closed
            closed += 1
    for i in range(n):
        heed_stop()
        nearest[i] = _nearest(matrix, open_, i) if open_[i] else -1
    while True:
        heed_stop()
        i, best = -1, np.inf
        for h in range(n):
            if open_[h] and nearest[h] >= 0 and matrix[h, nearest[h]] < best:
                best = matrix[h, nearest[h]]
                i = h
        if i < 0:
            return closed
        j = nearest[i]
        open_[j] = False
        apart = matrix[i, j]
        closes = total[i] + total[j] >= k
        if closes:
            open_[i] = False
        for h in range(n):
            if owner[h] == j:
                owner[h] = i
            if closes and owner[h] == i:
                labels[h] = closed
            if not open_[h] or h == i:
                continue
            if not closes:
                if linkage == SINGLE:
                    joint = min(matrix[i, h], matrix[j, h])
                elif linkage == COMPLETE:
                    joint = max(matrix[i, h], matrix[j, h])
                elif linkage == MEDIAN:
                    joint = 0.5 * matrix[i, h] + 0.5 * matrix[j, h] - 0.25 * apart
                else:
                    joint = (total[i] * matrix[i, h] + total[j] * matrix[j, h]) / (total[i] + total[j])
                matrix[i, h] = joint
                matrix[h, i] = joint
        total[i] += total[j]
        closed += closes
        for h in range(j):
            if not open_[h]:
                continue
            if nearest[h] == i or nearest[h] == j or h == i:
                nearest[h] = _nearest(matrix, open_, h)
            elif h < i and not closes:
                least = matrix[h, nearest[h]] if nearest[h] >= 0 else np.inf
                if matrix[h, i] < least or (matrix[h, i] == least and i < nearest[h]):
                    nearest[h] = i
