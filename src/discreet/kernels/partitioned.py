"""MDAV for millions of records: inside balanced blocks, then repaired across their borders.

Not the grouping of MDAV itself: records are first cut into blocks of about 4,096 by medians, MDAV groups each block, and a
cold refinement over neighbouring groups mends what the borders broke.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from discreet.kernels.blocks import arrange
from discreet.kernels.centring import centred
from discreet.kernels.mdav import mdav_of_points
from discreet.kernels.refine import Refinement
from discreet.typing import FloatArray, IntArray

__all__ = ["block_mdav", "partitioned_mdav"]

# Cuts fall on multiples of the square of this.
LEAF = 64


def block_mdav(points: FloatArray, k: int, workers: ThreadPoolExecutor) -> IntArray:
    """MDAV inside blocks of about 4,096 records of centred points; borders are left as they are."""
    n = points.shape[0]
    order = np.arange(n)
    arrange(points, order, LEAF)
    size = max(LEAF * LEAF, 2 * k)
    cuts = np.arange(0, max(n - size // 2, 1), size)
    blocks = [np.sort(block) for block in np.split(order, cuts[1:])]
    labels = np.empty(n, dtype=np.int64)
    group = 0
    for block, parts in zip(
        blocks, workers.map(lambda inside: mdav_of_points(points[inside], k), blocks), strict=True
    ):
        labels[block] = group + parts
        group += int(parts.max()) + 1
    return labels


def partitioned_mdav(
    values: FloatArray, k: int, *, seed: int, workers: ThreadPoolExecutor, steps_per_group: float = 8.0
) -> IntArray:
    """Groups of k to 2k−1 records by MDAV inside balanced blocks and a repair along the borders.

    Parameters
    ----------
    values : ndarray of shape (n, d), float64
        Finite, standardised as the caller wishes.
    k : int
        At least 2, at most n.
    seed : int
        For the order of the repairs.
    workers : ThreadPoolExecutor
        Runs blocks and repairs; how many threads it has changes the time only.
    steps_per_group : float
        Repairs tried for each group.

    Returns
    -------
    ndarray of shape (n,), int64
        Labels 0 … g−1.

    Notes
    -----
    O(n log n) time for a fixed block size, linear memory.
    """
    points = centred(values)
    labels = block_mdav(points, k, workers)
    if k < 2 or points.shape[0] < 2 * k:
        return labels
    repair = Refinement(points, k, labels, seed, workers, by_group=True)
    passes = 8
    for _ in range(passes):
        repair.anneal(int(steps_per_group * labels.max()) // passes + 1, 0.0)
    return repair.labels
