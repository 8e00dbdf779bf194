"""Ward's clustering with a least group size (k-Ward)."""

from __future__ import annotations

import numpy as np

from discreet.kernels.centring import centred
from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["ward"]


@exact_kernel
def _partner(centres: FloatArray, sizes: IntArray, active: IntArray, count: int, a: int, k: int) -> tuple[float, int]:
    """Cheapest cluster that ``a`` may join: never two that both have k records; ties to the lowest."""
    best, where = np.inf, np.int64(-1)
    for q in range(count):
        b = active[q]
        if b == a or (sizes[a] >= k and sizes[b] >= k):
            continue
        distance = 0.0
        for j in range(centres.shape[1]):
            difference = centres[a, j] - centres[b, j]
            distance += difference * difference
        distance *= sizes[a] * sizes[b] / (sizes[a] + sizes[b])
        if distance < best or (distance == best and b < where):
            best, where = distance, b
    return best, int(where)


@exact_kernel
def _agglomerate(centres: FloatArray, sizes: IntArray, k: int, parent: IntArray) -> None:
    """Join the two clusters that raise the squared error least until every cluster has k records."""
    # IN  centres (m, d) float64 and sizes (m,) int64, changed in place
    # OUT parent (m,) int64, the cluster each start cluster ends in
    m, d = centres.shape
    active = np.arange(m)
    count = m
    price, partner = np.empty(m), np.empty(m, np.int64)
    small = 0
    for a in range(m):
        heed_stop()
        parent[a] = a
        small += sizes[a] < k
        price[a], partner[a] = _partner(centres, sizes, active, count, a, k)
    while small > 0:
        heed_stop()
        a = active[0]
        for q in range(1, count):
            if price[active[q]] < price[a]:
                a = active[q]
        b = partner[a]
        if b < a:
            a, b = b, a
        small -= (sizes[a] < k) + (sizes[b] < k)
        total = sizes[a] + sizes[b]
        for j in range(d):
            centres[a, j] += (centres[b, j] - centres[a, j]) * (sizes[b] / total)
        sizes[a] = total
        small += total < k
        parent[b] = a
        p = 0
        for q in range(count):
            if active[q] != b:
                active[p] = active[q]
                p += 1
        count = p
        for q in range(count):
            c = active[q]
            if c == a or partner[c] == a or partner[c] == b:
                price[c], partner[c] = _partner(centres, sizes, active, count, c, k)
            elif sizes[c] < k or total < k:
                distance = 0.0
                for j in range(d):
                    difference = centres[c, j] - centres[a, j]
                    distance += difference * difference
                distance *= sizes[c] * total / (sizes[c] + total)
                if distance < price[c] or (distance == price[c] and a < partner[c]):
                    price[c], partner[c] = distance, a
    for a in range(m):
        heed_stop()
        root = parent[a]
        while parent[root] != root:
            root = parent[root]
        parent[a] = root


def _two_ends(points: FloatArray, k: int) -> tuple[IntArray, IntArray]:
    """Take the k records around the one farthest from the centroid, and the k around the one farthest from that."""
    first = int(np.argmax(((points - points.mean(axis=0)) ** 2).sum(axis=1)))
    distance = ((points - points[first]) ** 2).sum(axis=1)
    distance[first] = -1.0
    near = np.argsort(distance, kind="stable")[:k]
    rest = np.setdiff1d(np.arange(points.shape[0]), near)
    second = rest[np.argmax(distance[rest])]
    distance = ((points[rest] - points[second]) ** 2).sum(axis=1)
    distance[rest == second] = -1.0
    return near, rest[np.argsort(distance, kind="stable")[:k]]


def _split(points: FloatArray, k: int) -> IntArray:
    """One round on at least 2k records: two groups to start with, all others single."""
    n = points.shape[0]
    ends = _two_ends(points, k)
    cluster = np.full(n, -1, dtype=np.int64)
    cluster[ends[0]], cluster[ends[1]] = 0, 1
    cluster[cluster < 0] = np.arange(2, n - 2 * k + 2)
    sizes = np.bincount(cluster)
    centres = np.zeros((sizes.size, points.shape[1]))
    np.add.at(centres, cluster, points)
    centres /= sizes[:, None]
    parent = np.empty(sizes.size, dtype=np.int64)
    _agglomerate(centres, sizes, k, parent)
    return parent[cluster]


def ward(values: FloatArray, k: int) -> IntArray:
    """Form groups of k to 2k−1 records by Ward's method with a least group size.

    Two groups of k records are formed at opposite ends of the data. Then the two clusters whose union raises the
    squared error least are joined, never two that both have k records, until every record is in a cluster
    of k. Clusters of 2k or more are treated the same way again.

    Parameters
    ----------
    values : ndarray of shape (n, d), float64
        Finite, standardised as the caller wishes.
    k : int
        At least 1, at most n.

    Returns
    -------
    ndarray of shape (n,), int64
        Labels 0 … g−1 in the order of their first records.

    Notes
    -----
    About n²d time, n³d in the worst case; linear memory. Ties go to the lowest index.

    References
    ----------
    Domingo-Ferrer & Mateo-Sanz 2002, "Practical data-oriented microaggregation for statistical disclosure control",
    section 4.2 (k-Ward).

    Examples
    --------
    >>> ward(np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0]]), 3).tolist()
    [0, 0, 0, 0, 1, 1, 1]
    """
    points = centred(values)
    labels = np.empty(points.shape[0], dtype=np.int64)
    stack = [np.arange(points.shape[0])]
    group = 0
    while stack:
        inside = stack.pop()
        if inside.size < 2 * k:
            labels[inside] = group
            group += 1
            continue
        parts = _split(points[inside], k)
        stack += [inside[parts == part] for part in np.unique(parts)]
    # Number the groups by their first records.
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]
