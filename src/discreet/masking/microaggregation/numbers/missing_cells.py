"""Two rules for missing numbers: fill them for the grouping, or group by what is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["Filled", "by_pattern", "filled"]

Filled: TypeAlias = FloatArray
"""Points without missing cells."""


def filled(points: FloatArray) -> Filled:
    """Return the points with every missing cell at its column's median, so that it pulls the record nowhere."""
    result = points.copy()
    for j in range(points.shape[1]):
        absent = np.isnan(points[:, j])
        if absent.any():
            result[absent, j] = np.median(points[~absent, j]) if not absent.all() else 0.0
    return result


def by_pattern(
    points: FloatArray, k: int, partition: Callable[[IntArray, FloatArray], IntArray]
) -> tuple[IntArray, BoolArray]:
    """Return groups of records that lack the same cells, and which cells are released as missing.

    A pattern that fewer than `k` records share is joined to the one with which the fewest present cells have to be
    suppressed. `partition` is handed the records of a pattern and their present columns.
    """
    absent = np.isnan(points)
    patterns, owner = np.unique(absent, axis=0, return_inverse=True)
    owner = owner.ravel()
    masks = [patterns[p].copy() for p in range(len(patterns))]
    counts = np.bincount(owner).tolist()
    alive = set(range(len(masks)))
    while len(alive) > 1 and min(counts[p] for p in alive) < k:
        small = min(alive, key=lambda p: (counts[p], p))

        def cost(p: int, small: int = small) -> tuple[int, int]:
            union = masks[p] | masks[small]
            extra = (union & ~masks[p]).sum() * counts[p] + (union & ~masks[small]).sum() * counts[small]
            return int(extra), p

        into = min(alive - {small}, key=cost)
        masks[into] |= masks[small]
        counts[into] += counts[small]
        owner[owner == small] = into
        alive.remove(small)
    labels = np.empty(len(points), dtype=np.int64)
    released_absent = np.empty_like(absent)
    first = 0
    for p in sorted(alive):
        rows = np.flatnonzero(owner == p)
        labels[rows] = first + partition(rows, np.ascontiguousarray(points[np.ix_(rows, np.flatnonzero(~masks[p]))]))
        released_absent[rows] = masks[p]
        first = int(labels[rows].max()) + 1
    return labels, released_absent
