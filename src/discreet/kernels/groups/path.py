"""Optimal partition of records along a path, and the path through given groups (MHM)."""

from __future__ import annotations

import numpy as np

from discreet.kernels.centring import centred
from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["group_tour", "optimal_along", "repartition_along_tour"]


@exact_kernel
def _shortest(points: FloatArray, order: IntArray, k: int, path: IntArray) -> None:
    """Hansen–Mukherjee recursion with squared errors in d columns; O(nkd)."""
    # IN  points (n, d) float64; order (n,) int64
    # OUT path (n+1,) int64, length of the last run of the best partition of the first j records
    n, d = points.shape
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    total = np.empty(d)
    for j in range(k, n + 1):
        heed_stop()
        # Sums are taken about the last record of the run, so they are as small as the run itself.
        end = order[j - 1]
        total[:] = 0.0
        square = 0.0
        value, size = np.inf, 0
        for m in range(2, min(2 * k - 1, j) + 1):
            i = order[j - m]
            norm = 0.0
            for c in range(d):
                gap = points[i, c] - points[end, c]
                total[c] += gap
                square += gap * gap
                norm += total[c] * total[c]
            if m >= k and best[j - m] + max(square - norm / m, 0.0) < value:
                value = best[j - m] + max(square - norm / m, 0.0)
                size = m
        if k == 1 and best[j - 1] <= value:
            value, size = best[j - 1], 1
        best[j] = value
        path[j] = size


def optimal_along(points: FloatArray, order: IntArray, k: int) -> IntArray:
    """Find the best partition into runs of k to 2k−1 consecutive records of a path.

    Parameters
    ----------
    points : ndarray of shape (n, d), float64
        Centred coordinates.
    order : ndarray of shape (n,), int64
        The path.
    k : int
        At least 1, at most n.

    Returns
    -------
    ndarray of shape (n,), int64
        Labels 0 … g−1 along the path.

    Notes
    -----
    O(nkd) time, linear memory. The costs on a path obey no quadrangle inequality, so all k lengths are tried.
    """
    n = order.size
    path = np.zeros(n + 1, dtype=np.int64)
    _shortest(points, order, k, path)
    ends = [n]
    while ends[-1] > 0:
        ends.append(int(ends[-1] - path[ends[-1]]))
    sizes = -np.diff(ends)[::-1]
    labels = np.empty(n, dtype=np.int64)
    labels[order] = np.repeat(np.arange(sizes.size), sizes)
    return labels


@exact_kernel
def _nearest_neighbour_tour(centres: FloatArray, start: int, tour: IntArray) -> None:
    # IN  centres (g, d) float64; start int
    # OUT tour (g,) int64
    g, d = centres.shape
    visited = np.zeros(g, np.bool_)
    here = start
    for step in range(g):
        heed_stop()
        tour[step] = here
        visited[here] = True
        best, after = np.inf, here
        for c in range(g):
            if visited[c]:
                continue
            distance = 0.0
            for j in range(d):
                distance += (centres[c, j] - centres[here, j]) ** 2
            if distance < best:
                best, after = distance, c
        here = after


@exact_kernel
def _walk(
    points: FloatArray, members: IntArray, starts: IntArray, tour: IntArray, centres: FloatArray, order: IntArray
) -> None:
    """Inside each group, from the record nearest to where the walk comes from; always on to the nearest one left."""
    # IN  members (n,) int64, records group by group; starts (g+1,) int64; tour (g,) int64; centres (g, d) float64
    # OUT order (n,) int64
    d = points.shape[1]
    p = 0
    here = centres[tour[0]].copy()
    if tour.size > 1:
        # The first group is entered from the side away from the second.
        for j in range(d):
            here[j] = 2.0 * centres[tour[0], j] - centres[tour[1], j]
    for g in tour:
        heed_stop()
        unvisited = members[starts[g] : starts[g + 1]].copy()
        size = unvisited.size
        while size:
            best, where = np.inf, 0
            for c in range(size):
                distance = 0.0
                for j in range(d):
                    distance += (points[unvisited[c], j] - here[j]) ** 2
                if distance < best:
                    best, where = distance, c
            order[p] = unvisited[where]
            for e in range(here.size):
                here[e] = points[unvisited[where], e]
            p += 1
            size -= 1
            for c in range(where, size):
                unvisited[c] = unvisited[c + 1]


def group_tour(points: FloatArray, labels: IntArray) -> IntArray:
    """Order all records along a tour that goes on from each group to the one with the nearest centroid.

    It starts at the group whose centroid is farthest from the mean. O(g²d + nkd) time for g groups, linear memory; ties
    go to the lowest group and record.
    """
    groups = int(labels.max()) + 1
    sizes = np.bincount(labels, minlength=groups)
    sums = np.zeros((groups, points.shape[1]))
    np.add.at(sums, labels, points)
    centres = sums / sizes[:, None]
    start = int(np.argmax(((centres - points.mean(axis=0)) ** 2).sum(axis=1)))
    tour = np.empty(groups, dtype=np.int64)
    _nearest_neighbour_tour(centres, start, tour)
    members = np.argsort(labels, kind="stable")
    starts = np.concatenate(([0], np.cumsum(sizes)))
    order = np.empty(labels.size, dtype=np.int64)
    _walk(points, members, starts, tour, centres, order)
    return order


def repartition_along_tour(values: FloatArray, labels: IntArray, k: int) -> IntArray:
    """Find the best partition along the tour of given groups (MHM); groups of k to 2k−1.

    Parameters
    ----------
    values : ndarray of shape (n, d), float64
        Finite, standardised as the caller wishes.
    labels : ndarray of shape (n,), int64
        Groups 0 … g−1, for example of MDAV.
    k : int
        At least 1, at most n.

    Returns
    -------
    ndarray of shape (n,), int64
        Labels 0 … g−1 along the tour. If the given groups have k to 2k−1 records, the squared error does not rise: they
        are one of the partitions compared.

    References
    ----------
    Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz & Sebé 2006, "Efficient multivariate data-oriented microaggregation".
    """
    points = centred(values)
    return optimal_along(points, group_tour(points, labels), k)
