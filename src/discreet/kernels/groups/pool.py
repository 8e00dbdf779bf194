"""The records of a few neighbouring groups, taken out of the table and regrouped.

With the pairwise squared distances D of the pool, the squared error of a group is Σ D over its pairs, divided by its
size. From the sums R[i, g] of D between record i and group g, every relocation and every swap has its price in O(1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.draws import below, uniform
from discreet.kernels.jit import lean_kernel
from discreet.typing import FloatArray, IntArray

__all__ = ["descend", "gather", "measure", "pairwise", "regroup", "shake", "write_back"]

# Below this share of the present cost a gain is rounding, and accepting it could go on for ever.
LEAST_GAIN = 1e-12


@lean_kernel
def gather(
    labels: IntArray,
    region: NDArray[np.int32],
    here: int,
    start: int,
    row: IntArray,
    lists: NDArray[np.int32],
    state: NDArray[np.uint64],
    pool_size: int,
    pool_groups: IntArray,
) -> int:
    """Collect groups of this region near record ``start``; returns how many."""
    pool_groups[0] = labels[start]
    n_pooled = 1
    for p in range(lists.shape[1]):
        g = labels[lists[row[start], p]]
        if region[g] != here:
            continue
        repeated = False
        for q in range(n_pooled):
            repeated |= pool_groups[q] == g
        # Passing some over lets every near group meet every other.
        if repeated or uniform(state) < 0.25:
            continue
        pool_groups[n_pooled] = g
        n_pooled += 1
        if n_pooled == pool_size:
            break
    return n_pooled


@lean_kernel
def pairwise(points: FloatArray, records: IntArray, size: int, columns: FloatArray, D: FloatArray) -> None:
    """Squared distances of a pool."""
    # IN  points (n, d) float64; records (≥ size,) int64; columns (d, ≥ size) float64 scratch
    # OUT D (≥ size, ≥ size) float64
    d = points.shape[1]
    for p in range(size):
        i = records[p]
        for j in range(d):
            columns[j, p] = points[i, j]
    for p in range(size):
        row = D[p]
        for q in range(size):
            row[q] = 0.0
        for j in range(d):
            x = columns[j, p]
            column = columns[j]
            for q in range(size):
                difference = column[q] - x
                row[q] += difference * difference


@lean_kernel
def measure(
    D: FloatArray, size: int, groups: int, group: IntArray, R: FloatArray, T: FloatArray, count: IntArray
) -> float:
    """Sum the distances of a grouping; returns its squared error."""
    # IN  D (P, P) float64; group (P,) int64 in 0 … groups−1
    # OUT R (G, P) float64; T (G,) float64 pair sums; count (G,) int64
    for g in range(groups):
        T[g] = 0.0
        count[g] = 0
        row = R[g]
        for p in range(size):
            row[p] = 0.0
    for q in range(size):
        row = R[group[q]]
        distances = D[q]
        count[group[q]] += 1
        for p in range(size):
            row[p] += distances[p]
    for p in range(size):
        T[group[p]] += 0.5 * R[group[p], p]
    total = 0.0
    for g in range(groups):
        total += T[g] / count[g]
    return total


@lean_kernel
def _move(
    D: FloatArray, size: int, R: FloatArray, T: FloatArray, count: IntArray, group: IntArray, i: int, b: int
) -> None:
    """Put record i into group b."""
    a = group[i]
    T[a] -= R[a, i]
    T[b] += R[b, i]
    count[a] -= 1
    count[b] += 1
    group[i] = b
    distances = D[i]
    leave, enter = R[a], R[b]
    for p in range(size):
        leave[p] -= distances[p]
        enter[p] += distances[p]


@lean_kernel
def descend(
    D: FloatArray, size: int, groups: int, k: int, group: IntArray, R: FloatArray, T: FloatArray, count: IntArray
) -> float:
    """Relocate and swap records while that lowers the squared error; returns it."""
    # IN  D, R, T, count as measured
    # OUT group (P,) int64 and the sums, changed in place
    most = 2 * k - 1
    total = 0.0
    for g in range(groups):
        total += T[g] / count[g]
    least = -LEAST_GAIN * total
    improved = True
    while improved:
        improved = False
        for i in range(size):
            a = group[i]
            m = count[a]
            best, target, partner = least, -1, -1
            without = (T[a] - R[a, i]) / (m - 1) - T[a] / m if m > k else 0.0
            for b in range(groups):
                if b == a:
                    continue
                c = count[b]
                if m > k and c < most:
                    change = without + (T[b] + R[b, i]) / (c + 1) - T[b] / c
                    if change < best:
                        best, target, partner = change, b, -1
            leave = (T[a] - R[a, i]) / m - T[a] / m
            for j in range(size):
                b = group[j]
                if b == a:
                    continue
                change = leave + (R[a, j] - D[i, j]) / m + (R[b, i] - R[b, j] - D[i, j]) / count[b]
                if change < best:
                    best, target, partner = change, b, j
            if target >= 0:
                _move(D, size, R, T, count, group, i, target)
                if partner >= 0:
                    _move(D, size, R, T, count, group, partner, a)
                improved = True
    total = 0.0
    for g in range(groups):
        total += max(T[g], 0.0) / count[g]
    return total


@lean_kernel
def regroup(
    D: FloatArray, size: int, groups: int, k: int, state: NDArray[np.uint64], group: IntArray, near: IntArray
) -> None:
    """Draw a new grouping: random seeds with their nearest records, the rest to the nearest seed with room."""
    # IN  D (P, P) float64; state (1,) uint64; near (P,) int64 scratch
    # OUT group (P,) int64
    most = 2 * k - 1
    for p in range(size):
        group[p] = -1
    free = size
    anchor = below(state, size)
    for g in range(groups):
        # Half of the seeds lie far from the previous one, the others anywhere.
        seed = -1
        if g > 0 and uniform(state) < 0.5:
            for p in range(size):
                if group[p] < 0 and (seed < 0 or D[anchor, p] > D[anchor, seed]):
                    seed = p
        else:
            pick = below(state, free)
            for p in range(size):
                if group[p] < 0:
                    if pick == 0:
                        seed = p
                        break
                    pick -= 1
        anchor = seed
        near[g] = seed
        group[seed] = g
        free -= 1
        distances = D[seed]
        for _ in range(k - 1):
            closest = -1
            for p in range(size):
                if group[p] < 0 and (closest < 0 or distances[p] < distances[closest]):
                    closest = p
            group[closest] = g
            free -= 1
    for p in range(size):
        if group[p] < 0:
            target = -1
            for g in range(groups):
                room = 0
                for q in range(size):
                    room += group[q] == g
                if room < most and (target < 0 or D[near[g], p] < D[near[target], p]):
                    target = g
            group[p] = target


@lean_kernel
def shake(size: int, state: NDArray[np.uint64], group: IntArray) -> None:
    """Exchange a few records of different groups."""
    # IN  state (1,) uint64
    # OUT group (P,) int64
    for _ in range(1 + below(state, 3)):
        p, q = below(state, size), below(state, size)
        group[p], group[q] = group[q], group[p]


@lean_kernel
def write_back(
    records: IntArray,
    size: int,
    groups: int,
    group: IntArray,
    T: FloatArray,
    count: IntArray,
    pool: IntArray,
    labels: IntArray,
    members: IntArray,
    sizes: IntArray,
    costs: FloatArray,
) -> None:
    """Put the records of a pool back into the table, in the groups that they have now."""
    # IN  records, group (≥ size,) int64; T (G,) float64; count (G,) int64; pool (≥ groups,) int64, names of its groups
    # OUT labels (n,) int64; members (G, 2k−1) int64; sizes (G,) int64; costs (G,) float64
    for q in range(groups):
        sizes[pool[q]] = 0
        costs[pool[q]] = max(T[q], 0.0) / count[q]
    for p in range(size):
        g = pool[group[p]]
        labels[records[p]] = g
        members[g, sizes[g]] = records[p]
        sizes[g] += 1
