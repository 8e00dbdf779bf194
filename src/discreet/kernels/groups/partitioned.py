"""MDAV for millions of records: inside balanced blocks, then repaired across their borders.

Not the grouping of MDAV itself: records are first cut at medians into blocks of at most 65,536, MDAV groups each block,
and a cold refinement over neighbouring groups mends what the borders broke.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from discreet.kernels.centring import centred
from discreet.kernels.groups.mdav import mdav_of_points
from discreet.kernels.groups.refine import Refinement
from discreet.typing import FloatArray, IntArray

__all__ = ["block_mdav", "partitioned_mdav"]

# The largest block: smaller ones are faster, but have more borders.
BLOCK = 65_536


def _blocks(points: FloatArray, size: int) -> list[IntArray]:
    """Cut records into blocks of at most ``size`` at medians of the widest column."""
    blocks: list[IntArray] = []
    todo = [np.arange(points.shape[0])]
    while todo:
        inside = todo.pop()
        if inside.size <= size:
            blocks.append(np.sort(inside))
            continue
        rows = points[inside]
        widest = int(np.argmax(np.ptp(rows, axis=0)))
        middle = inside.size // 2
        halves = np.argpartition(rows[:, widest], middle)
        todo += [inside[halves[:middle]], inside[halves[middle:]]]
    return blocks


def block_mdav(points: FloatArray, k: int, workers: ThreadPoolExecutor, block: int = BLOCK) -> IntArray:
    """Run MDAV inside blocks of centred points; borders are left as they are."""
    n = points.shape[0]
    blocks = _blocks(points, max(block, 4 * k))
    labels = np.empty(n, dtype=np.int64)
    group = 0
    for inside, parts in zip(
        blocks, workers.map(lambda records: mdav_of_points(points[records], k), blocks), strict=True
    ):
        labels[inside] = group + parts
        group += int(parts.max()) + 1
    return labels


def partitioned_mdav(
    values: FloatArray,
    k: int,
    *,
    seed: int,
    workers: ThreadPoolExecutor,
    block: int = BLOCK,
    passes: int = 40,
) -> IntArray:
    """Form groups of k to 2k−1 records by MDAV inside balanced blocks and repair them along the borders.

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
    block : int
        Most records in a block.
    passes : int
        How often every group and its neighbours are searched for relocations and swaps that help.

    Returns
    -------
    ndarray of shape (n,), int64
        Labels 0 … g−1.

    Notes
    -----
    O(n log n) time for a fixed block size, linear memory.
    """
    points = centred(values)
    labels = block_mdav(points, k, workers, block)
    if k < 2 or points.shape[0] < 2 * k:
        return labels
    repair = Refinement(points, k, labels, seed, workers, by_group=True)
    for _ in range(passes):
        repair.settle()
    return repair.labels
