"""Groups that prices pay too much for: every one of them, found through negative subsets.

A price a record, π, bounds the squared error of every grouping from below by Σπ if no group of k records has prices
that add up to more than its squared error, (1/k) Σ d² over its pairs. Larger groups need not be looked at: the mean
over the k-subsets S of a group G of s ≥ k records is Σπ(S) = (k/s) Σπ(G) and cost(S) = (k−1)/(s−1) cost(G), so that
Σπ(S) ≤ cost(S) for all of them gives Σπ(G) ≤ s(k−1)/(k(s−1)) cost(G) ≤ cost(G).

With e(i, j) = (k−1)/k d²(i, j) − π(i) − π(j) the sum E of e over the pairs of a group of k is (k−1)(cost − Σπ), so the
groups wanted are the sets of k records with E < 0. Taking one record out of a set of a records leaves (a−2)/a of E on
average; taking out the record with the largest share leaves no more. So every set wanted is reached from a pair by
adding, each time, the record that has the largest share of the new set, through sets that all have E < 0, and along one
path only. For n around a thousand and good prices there are a few thousand such sets in all.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["group_costs", "lower_prices", "negative_groups", "squared_distances"]

PARTS = 16


@exact_kernel
def squared_distances(points: FloatArray) -> FloatArray:
    """Squared distances of all pairs; n² numbers, for small files and pools of records."""
    # IN  points (n, d) float64
    # OUT (n, n) float64
    n, d = points.shape
    D = np.zeros((n, n))
    for i in range(n):
        heed_stop()
        for j in range(i):
            total = 0.0
            for c in range(d):
                difference = points[i, c] - points[j, c]
                total += difference * difference
            D[i, j] = total
            D[j, i] = total
    return D


@exact_kernel
def group_costs(D: FloatArray, groups: IntArray) -> FloatArray:
    """Squared errors of groups of one size."""
    # IN  D (n, n) float64; groups (m, s) int64
    # OUT (m,) float64
    m, s = groups.shape
    costs = np.zeros(m)
    for q in range(m):
        for a in range(s):
            for b in range(a):
                costs[q] += D[groups[q, a], groups[q, b]]
        costs[q] /= s
    return costs


@exact_kernel
def lower_prices(groups: IntArray, reduced: FloatArray, prices: FloatArray, fixed: FloatArray) -> None:
    """Lower prices, group after group, until none of the groups is exceeded.

    Prices only fall, so what was not exceeded before is not exceeded after. High prices give way before low ones.
    """
    # IN  groups (m, s) int64, the worst first; reduced (m,) float64, cost − Σ fixed; fixed (n,) float64, prices before
    # OUT prices (n,) float64, at first equal to fixed
    s = groups.shape[1]
    for q in range(groups.shape[0]):
        excess, weight = -reduced[q], 0.0
        for p in range(s):
            i = groups[q, p]
            excess += prices[i] - fixed[i]
            weight += abs(prices[i])
        if excess > 0.0:
            for p in range(s):
                i = groups[q, p]
                part = abs(prices[i]) / weight if weight > 0.0 else 1.0 / s
                prices[i] -= excess * (0.5 * part + 0.5 / s)


@exact_kernel
def _last(D: FloatArray, prices: FloatArray, share: float, group: IntArray, a: int, j: int) -> bool:
    """Say whether j has the largest share of the chosen records and itself, the highest index among equals.

    Shares are summed over members in the order of their indices, so that they are the same to the last bit whichever
    way a set is reached: otherwise a set with ties might be reached along no path at all.
    """
    # IN  D (n, n), prices (n,) float64; group (≥ a,) int64, in any order, without j
    for p in range(a):
        if group[p] == j:
            return False
    if a == 1:
        return True
    members = np.empty(a + 1, np.int64)
    for p in range(a):
        members[p] = group[p]
    members[a] = j
    for p in range(1, a + 1):
        x = members[p]
        q = p
        while q > 0 and members[q - 1] > x:
            members[q] = members[q - 1]
            q -= 1
        members[q] = x
    largest, who = -np.inf, -1
    for p in range(a + 1):
        i = members[p]
        total = 0.0
        for q in range(a + 1):
            if q != p:
                total += share * D[i, members[q]] - prices[i] - prices[members[q]]
        if total >= largest:
            largest, who = total, i
    return bool(who == j)


@exact_kernel
def _search(
    D: FloatArray, prices: FloatArray, s: int, start: int, stop: int, most: int, groups: IntArray, reduced: FloatArray
) -> int:
    """Find the groups of s whose prices exceed their cost and whose path begins at a record start … stop−1.

    Returns how many there are; −1 if there is no room for them, or after ``most`` sets looked at.
    """
    # IN  D (n, n) float64; prices (n,) float64; s ≥ 2
    # OUT groups (m, s) int64; reduced (m,) float64, cost − Σ prices
    n = D.shape[0]
    share = (s - 1) / s
    group = np.empty(s, np.int64)
    sums = np.empty((s, n))  # of e between the group and every other record, by size of the group
    total = np.zeros(s + 1)
    position = np.zeros(s + 1, np.int64)
    count, visits = 0, 0
    for i in range(start, stop):
        heed_stop()
        for j in range(n):
            sums[1 % s, j] = share * D[i, j] - prices[i] - prices[j]
        group[0] = i
        total[1] = 0.0
        position[1] = i + 1
        a = 1
        while a >= 1:
            heed_stop()
            now = sums[a]
            limit = -total[a]
            j = position[a]
            while j < n:
                if now[j] < limit and _last(D, prices, share, group, a, j):
                    break
                j += 1
            if j == n:
                a -= 1
                continue
            position[a] = j + 1
            visits += 1
            if visits > most:
                return -1
            if a + 1 == s:
                if count == groups.shape[0]:
                    return -1
                for p in range(a):
                    groups[count, p] = group[p]
                groups[count, a] = j
                reduced[count] = (total[a] + now[j]) / (s - 1)
                count += 1
                continue
            total[a + 1] = total[a] + now[j]
            group[a] = j
            later = sums[a + 1]
            for q in range(n):
                later[q] = now[q] + share * D[j, q] - prices[j] - prices[q]
            a += 1
            position[a] = 0
    return count


def negative_groups(
    D: FloatArray, prices: FloatArray, s: int, *, room: int, workers: ThreadPoolExecutor | None = None
) -> tuple[IntArray, FloatArray] | None:
    """Find every group of ``s`` records whose prices add up to more than its squared error.

    Parameters
    ----------
    D : ndarray of shape (n, n), float64
        Squared distances.
    prices : ndarray of shape (n,), float64
    s : int
        At least 2.
    room : int
        How many groups there may be.
    workers : ThreadPoolExecutor, optional
        How many threads it has changes the time only.

    Returns
    -------
    groups : ndarray of shape (m, s), int64
    reduced : ndarray of shape (m,), float64
        Cost less prices, all negative. None in place of both if there are too many.
    """
    n = D.shape[0]
    if n < s:
        return np.empty((0, s), dtype=np.int64), np.empty(0)
    parts = 1 if workers is None else min(n, PARTS)
    part = max(room // parts, 1) if parts == 1 else max(4 * room // parts, 64)
    cuts = np.linspace(0, n, parts + 1).astype(np.int64)

    def run(start: int, stop: int) -> tuple[IntArray, FloatArray] | None:
        groups, reduced = np.empty((part, s), dtype=np.int64), np.empty(part)
        count = _search(D, prices, s, start, stop, 10 * part + 10_000, groups, reduced)
        return None if count < 0 else (groups[:count].copy(), reduced[:count].copy())

    pairs = [(int(cuts[p]), int(cuts[p + 1])) for p in range(parts)]
    searches = [run(*pair) for pair in pairs] if workers is None else list(workers.map(lambda pair: run(*pair), pairs))
    complete = [part for part in searches if part is not None]
    if len(complete) < len(searches):
        return None
    groups, reduced = np.concatenate([g for g, _ in complete]), np.concatenate([r for _, r in complete])
    return None if len(groups) > room else (groups, reduced)
