"""Maximum distance to average vector (MDAV), by its definition and fast.

Every group starts from the record farthest from the centroid of what is left, or from the record farthest from that
one, and takes the k − 1 nearest. Here the centroid is exact (integer sums in fixed point, so the order in which records
leave cannot change it), the farthest from it is found through the bound d(x, c₀) + ‖c − c₀‖ on a sorted list, and the
nearest and farthest records through blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from discreet.kernels.groups.lattice import centred_on_lattices
from discreet.kernels.groups.shrinking_blocks import (
    WIDTH,
    Blocks,
    Scratch,
    build_blocks,
    delete_record,
    find_farthest,
    find_nearest,
    scratch_for,
)
from discreet.kernels.jit import PlainTwin, lean_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["mdav", "mdav_of_points", "split_large_groups"]

# Rebuild when this share of the records is left: later, blocks are half empty; sooner, building dominates.
REBUILD = 0.75
# Look-ups in the sorted list, per record, after which it is sorted anew around the present centroid.
LOOKUPS = 4
# What rounding explains of a squared distance to a centroid, relatively, and of the distance itself.
SUMMING, CENTRING = 2.0**-44, 2.0**-49


@lean_kernel
def _take(exact: IntArray, blocks: Blocks, i: int, group: int, total: IntArray, labels: IntArray) -> None:
    labels[i] = group
    for j in range(total.size):
        total[j] -= exact[i, j]
    delete_record(blocks, i)


@lean_kernel
def _group(
    points: FloatArray,
    exact: IntArray,
    blocks: Blocks,
    i: int,
    k: int,
    group: int,
    total: IntArray,
    labels: IntArray,
    near: FloatArray,
    neighbours: IntArray,
    scratch: Scratch,
) -> None:
    """Close a group of record ``i`` and its k − 1 nearest."""
    home = blocks.place[i] // (WIDTH * WIDTH)
    _take(exact, blocks, i, group, total, labels)
    if k > 1:
        find_nearest(blocks, points[i], home, k - 1, near, neighbours, scratch)
        for p in range(k - 1):
            _take(exact, blocks, neighbours[p], group, total, labels)


@lean_kernel
def _squared(points: FloatArray, i: int, centre: FloatArray) -> float:
    value = 0.0
    for j in range(centre.size):
        difference = points[i, j] - centre[j]
        value += difference * difference
    return value


@lean_kernel
def _tied_down_to(farthest: float) -> float:
    # The least squared distance to a centroid that rounding alone may have told apart from the farthest one.
    return float(max(farthest * (1.0 - SUMMING) - 2.0 * CENTRING * np.sqrt(max(farthest, 0.0)), 0.0))


@lean_kernel
def _farthest_from_centroid(
    points: FloatArray,
    labels: IntArray,
    order: IntArray,
    reach: FloatArray,
    start: int,
    origin: FloatArray,
    centre: FloatArray,
) -> tuple[int, int]:
    """Farthest record from ``centre`` on a list sorted by the distance to ``origin``, and the number of look-ups.

    A centroid is rounded where records are not: those that are as far but for rounding are tied, and the lowest wins.
    """
    drift = 0.0
    for j in range(centre.size):
        drift += (centre[j] - origin[j]) ** 2
    drift = np.sqrt(drift)
    best, below, winner, p = -1.0, -1.0, np.int64(-1), start
    while p < order.size:
        i = order[p]
        p += 1
        if labels[i] >= 0:
            continue
        # The bound is rounded, so it is widened before it may end the search.
        if (reach[p - 1] + drift) * (1.0 + 1e-12) < np.sqrt(_tied_down_to(best)):
            break
        value = _squared(points, i, centre)
        if value > best:
            best, below = value, best
            winner = i
        elif value == best:
            winner = min(winner, i)
        else:
            below = max(below, value)
    limit = _tied_down_to(best)
    if below >= limit:
        for q in range(start, p):
            i = order[q]
            if labels[i] < 0 and i < winner and _squared(points, i, centre) >= limit:
                winner = i
    return int(winner), p - start


@lean_kernel
def _run(
    points: FloatArray,
    exact: IntArray,
    unit: float,
    k: int,
    blocks: Blocks,
    scratch: Scratch,
    order: IntArray,
    reach: FloatArray,
    origin: FloatArray,
    remaining: int,
    stop_at: int,
    budget: int,
    group: int,
    total: IntArray,
    labels: IntArray,
    near: FloatArray,
    neighbours: IntArray,
    centre: FloatArray,
) -> tuple[int, int]:
    """Close pairs of groups until ``stop_at`` records are left or ``budget`` look-ups are spent."""
    # IN  points (n, d) float64; exact (n, d) int64, points in units; order (m,) int64 and reach (m,) float64, the list;
    #     origin (d,) float64, the centre of the list; remaining, stop_at, budget, group int
    # OUT total (d,) int64, sums of the remaining; labels (n,) int64; returns remaining, group;
    #     near (k,) float64, neighbours (k,) int64 and centre (d,) float64, scratch
    d = points.shape[1]
    last = 0
    start = 0
    while remaining >= 2 * k and remaining > stop_at and budget > 0:
        heed_stop()
        for j in range(d):
            centre[j] = total[j] * unit / remaining
        while start < order.size and labels[order[start]] >= 0:
            start += 1
        first, spent = _farthest_from_centroid(points, labels, order, reach, start, origin, centre)
        budget -= spent
        _group(points, exact, blocks, first, k, group, total, labels, near, neighbours, scratch)
        group += 1
        remaining -= k
        if remaining < 2 * k:
            break
        find_farthest(blocks, points[first], last, 1, near, neighbours, scratch)
        second = neighbours[0]
        last = blocks.place[second] // (WIDTH * WIDTH)
        _group(points, exact, blocks, second, k, group, total, labels, near, neighbours, scratch)
        group += 1
        remaining -= k
    return remaining, group


_TWIN = PlainTwin(6e7, _run)


def _sorted_by_reach(points: FloatArray, remaining: IntArray, centre: FloatArray) -> tuple[IntArray, FloatArray]:
    distance = np.zeros(remaining.size)
    for j in range(points.shape[1]):
        distance += (points[remaining, j] - centre[j]) ** 2
    order = np.argsort(-distance)
    return remaining[order], np.sqrt(distance[order])


def _mdav_plainly(points: FloatArray, exact: IntArray, unit: float, k: int, labels: IntArray) -> None:
    """Do what the kernels do, without them: all distances of what is left, group after group; O(n² d / k)."""
    free = np.arange(len(points))
    columns = np.ascontiguousarray(points.T)
    total = exact.sum(axis=0)
    group = 0

    def squared(target: FloatArray) -> FloatArray:
        distance = np.zeros(free.size)
        for column, coordinate in zip(columns, target, strict=True):
            gap = column - coordinate
            gap *= gap
            distance += gap
        return distance

    while free.size >= 2 * k:
        heed_stop()
        distance = squared(total.astype(np.float64) * unit / free.size)
        limit = _tied_down_to.py_func(float(distance.max()))  # type: ignore[attr-defined]
        seed = int(np.argmax(distance >= limit))
        for _ in range(2):
            distance = squared(columns[:, seed])
            distance[seed] = -1.0
            reach = np.partition(distance, k - 1)[k - 1]
            inside = distance < reach
            inside[np.flatnonzero(distance == reach)[: k - int(np.count_nonzero(inside))]] = True
            labels[free[inside]] = group
            group += 1
            total -= exact[free[inside]].sum(axis=0)
            distance, free, columns = distance[~inside], free[~inside], columns[:, ~inside]
            if free.size < 2 * k:
                break
            seed = int(np.argmax(distance))
    labels[free] = group


def mdav_of_points(points: FloatArray, k: int, tell: Callable[[int, int], None] | None = None) -> IntArray:
    """MDAV on coordinates that are already centred and scaled; see :func:`mdav`."""
    n = points.shape[0]
    labels = np.full(n, -1, dtype=np.int64)
    bits = 62 - math.ceil(math.log2(n + 1))
    unit = math.ldexp(1.0, -bits)
    exact = np.rint(np.ldexp(points, bits)).astype(np.int64)
    if _TWIN.takes(n * n * points.shape[1] / k):
        _mdav_plainly(points, exact, unit, k, labels)
        return labels
    total = exact.sum(axis=0)
    n_free, group, stop_at = n, 0, -1
    blocks: Blocks | None = None
    room = np.empty(k), np.empty(k, dtype=np.int64), np.empty(points.shape[1])
    while n_free >= 2 * k:
        remaining = np.flatnonzero(labels < 0)
        centre = total.astype(np.float64) * unit / n_free
        if blocks is None or n_free <= stop_at:
            blocks = build_blocks(points, remaining, centre)
            scratch = scratch_for(blocks)
            stop_at = int(REBUILD * n_free) if n_free > 1024 else 0
        order, reach = _sorted_by_reach(points, remaining, centre)
        start, limits = (order, reach, centre), (n_free, stop_at, LOOKUPS * n_free + 1000)
        n_free, group = _run(points, exact, unit, k, blocks, scratch, *start, *limits, group, total, labels, *room)
        if tell is not None:
            tell(n - n_free, n)
    labels[labels < 0] = group
    return labels


def split_large_groups(points: FloatArray, labels: IntArray, k: int) -> IntArray:
    """Cut every group of 2k or more records by MDAV, so that groups have k to 2k−1; others keep their labels."""
    labels = labels.copy()
    top = int(labels.max()) + 1
    for g in np.flatnonzero(np.bincount(labels) >= 2 * k):
        inside = np.flatnonzero(labels == g)
        parts = mdav_of_points(points[inside], k)
        labels[inside[parts > 0]] = top + parts[parts > 0] - 1
        top += int(parts.max())
    return labels


def mdav(values: FloatArray, k: int, tell: Callable[[int, int], None] | None = None) -> IntArray:
    """Form groups of exactly ``k`` records by MDAV; the last one takes what is left, fewer than 2k.

    Parameters
    ----------
    values : ndarray of shape (n, d), float64
        Finite, standardised as the caller wishes.
    k : int
        At least 1, at most n.
    tell : callable, optional
        Called now and then with the number of records that are in a group and the number of all.

    Returns
    -------
    ndarray of shape (n,), int64
        Labels 0 … g−1 in the order in which the groups were closed.

    Notes
    -----
    Ties go to the record with the lowest index. Columns of equal steps, such as integers, however scaled, are compared
    in whole steps, so records that differ by as many steps in every column are tied as in exact numbers; between
    integers that are not scaled every tie is exact. Records are tied in their distance to a centroid, which is rounded,
    if that differs by no more than rounding explains. Other distances are tied if they are the same floating-point
    number: with continuous columns, or scaled ones of equal spread that exchange their differences, rounding of the sum
    may break what is a tie in exact numbers. Far below n² in time on data with few effective dimensions, n²/k in the
    worst case; memory is linear, about 5·8·n·d bytes. Centroids are means of coordinates rounded to 62 − log₂ n bits
    below the largest, which makes them independent of the order of summation.

    References
    ----------
    Domingo-Ferrer & Torra 2005, "Ordinal, continuous and heterogeneous k-anonymity through microaggregation".

    Examples
    --------
    >>> mdav(np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]), 3).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    return mdav_of_points(centred_on_lattices(values), k, tell)
