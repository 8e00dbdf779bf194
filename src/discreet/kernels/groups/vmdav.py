"""V-MDAV: MDAV whose groups grow while a near record is nearer to the group than to the records outside."""

from __future__ import annotations

import numpy as np

from discreet.kernels.centring import centred
from discreet.kernels.groups.mdav import REBUILD, split_large_groups
from discreet.kernels.groups.shrinking_blocks import (
    WIDTH,
    Blocks,
    Scratch,
    build_blocks,
    delete_record,
    find_nearest,
    scratch_for,
)
from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["vmdav"]


@exact_kernel
def _closest_outside(
    points: FloatArray, blocks: Blocks, i: int, count: int, near: FloatArray, neighbours: IntArray, scratch: Scratch
) -> tuple[float, int]:
    """Squared distance and record of the nearest free record to record ``i`` that is not ``i`` itself."""
    find_nearest(blocks, points[i], blocks.place[i] // (WIDTH * WIDTH), count, near, neighbours, scratch)
    for p in range(count):
        if neighbours[p] != i:
            return float(near[p]), int(neighbours[p])
    return np.inf, -1


@exact_kernel
def _run(
    points: FloatArray,
    k: int,
    gamma: float,
    blocks: Blocks,
    scratch: Scratch,
    order: IntArray,
    start: int,
    remaining: int,
    stop_at: int,
    group: int,
    labels: IntArray,
) -> tuple[int, int, int]:
    """Close groups until fewer than k records, or ``stop_at``, are left."""
    # IN  points (n, d) float64; gamma float; order (n,) int64, farthest from the centroid first; start, remaining,
    #     stop_at, group int
    # OUT labels (n,) int64; returns start, remaining, group
    most = 2 * k - 1
    near, neighbours = np.empty(k + 1), np.empty(k + 1, np.int64)
    members = np.empty(most, np.int64)
    gaps, nearest = np.empty(most), np.empty(most, np.int64)
    while remaining >= k and remaining > stop_at:
        heed_stop()
        while labels[order[start]] >= 0:
            start += 1
        first = order[start]
        home = blocks.place[first] // (WIDTH * WIDTH)
        delete_record(blocks, first)
        if k > 1:
            find_nearest(blocks, points[first], home, k - 1, near, neighbours, scratch)
        members[0] = first
        for p in range(k - 1):
            members[p + 1] = neighbours[p]
            delete_record(blocks, neighbours[p])
        for p in range(k):
            labels[members[p]] = group
            nearest[p] = -1
        size = k
        remaining -= k
        while size < most and remaining > 0:
            best = 0
            for p in range(size):
                # Only a member whose nearest free record has been taken looks again.
                if nearest[p] < 0 or labels[nearest[p]] >= 0:
                    gaps[p], nearest[p] = _closest_outside(points, blocks, members[p], 1, near, neighbours, scratch)
                if gaps[p] < gaps[best] or (gaps[p] == gaps[best] and nearest[p] < nearest[best]):
                    best = p
            candidate = nearest[best]
            outside = np.inf
            if remaining > 1:
                outside, _ = _closest_outside(points, blocks, candidate, 2, near, neighbours, scratch)
            if not gaps[best] < gamma * gamma * outside:
                break
            labels[candidate] = group
            delete_record(blocks, candidate)
            members[size] = candidate
            nearest[size] = -1
            size += 1
            remaining -= 1
        group += 1
    return start, remaining, group


@exact_kernel
def _nearest_centres(points: FloatArray, records: IntArray, centres: FloatArray, out: IntArray) -> None:
    # IN  points (n, d), centres (g, d) float64; records (m,) int64
    # OUT out (m,) int64
    for p in range(records.size):
        heed_stop()
        best = np.inf
        for g in range(centres.shape[0]):
            distance = 0.0
            for j in range(points.shape[1]):
                difference = points[records[p], j] - centres[g, j]
                distance += difference * difference
            if distance < best:
                best = distance
                out[p] = g


def vmdav(values: FloatArray, k: int, gamma: float = 0.2) -> IntArray:
    """Form groups of k to 2k−1 records by V-MDAV.

    Parameters
    ----------
    values : ndarray of shape (n, d), float64
        Finite, standardised as the caller wishes.
    k : int
        At least 1, at most n.
    gamma : float
        A free record joins a group when its distance to the nearest member is below ``gamma`` times its distance to the
        nearest free record. 0 gives groups of k; about 0.2 suits scattered data, about 1.1 clustered data.

    Returns
    -------
    ndarray of shape (n,), int64
        Labels 0 … g−1.

    Notes
    -----
    Fewer than k records are left at the end; each joins the group with the nearest centroid, and a group that reaches
    2k records this way is cut in two by MDAV. Ties go to the lowest index. Time as for MDAV; memory linear.

    References
    ----------
    Solanas & Martínez-Ballesté 2006, "V-MDAV: a multivariate microaggregation with variable group size".

    Examples
    --------
    >>> vmdav(np.array([[0.0], [1.0], [1.5], [9.0], [10.0], [11.0], [12.0]]), 3, gamma=1.1).tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """
    points = centred(values)
    n = points.shape[0]
    labels = np.full(n, -1, dtype=np.int64)
    centre = points.mean(axis=0)
    distance = np.zeros(n)
    for j in range(points.shape[1]):
        distance += (points[:, j] - centre[j]) ** 2
    order = np.argsort(-distance, kind="stable")
    start, n_free, group = 0, n, 0
    while n_free >= k:
        blocks: Blocks = build_blocks(points, np.flatnonzero(labels < 0), centre)
        scratch: Scratch = scratch_for(blocks)
        stop_at = int(REBUILD * n_free) if n_free > 1024 else 0
        start, n_free, group = _run(points, k, gamma, blocks, scratch, order, start, n_free, stop_at, group, labels)
    rest = np.flatnonzero(labels < 0)
    if rest.size:
        placed = labels >= 0
        sums = np.zeros((group, points.shape[1]))
        np.add.at(sums, labels[placed], points[placed])
        target = np.empty(rest.size, dtype=np.int64)
        _nearest_centres(points, rest, sums / np.bincount(labels[placed])[:, None], target)
        labels[rest] = target
    return split_large_groups(points, labels, k)
