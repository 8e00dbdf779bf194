"""Prices of records for files of any size: never too high, raised round after round, in linear memory.

The search for groups that prices exceed is that of :mod:`discreet.kernels.groups.pricing`, over lists of near records
instead of all pairs. Records i and j that are in neither's list are at least as far apart as the farther end of both
lists: with r = (k−1)/k ρ², e(i, j) ≥ max(r(i), r(j)) − π(i) − π(j). Prices are kept at most κ r, κ < 1/2, so that this
is positive, and a record outside the lists of all members of a set S adds at least Σ ((1 − κ) r − π) over S to E(S),
because max(r(i), r(j)) − κ r(j) ≥ (1 − κ) r(i). A set for which that leaves E negative is *open*, and prices are proven
only by a search that met no open set.

A record far from all others needs more: in its group it costs about (k−1)/k d² alone, whichever the others are, so its
price may be near r and not κ r. Files whose error is mostly that of such records have a set of *far* records, at most
√(nm) for lists of m: every far record lists all the others, and its own r is that of the nearest record listed by
neither. With R the largest r of the rest, a far record's price is kept at most r − (1 − κ) R, and the rest as before.
Then for i and j listed by neither, at least one of them not far, what j leaves to i is still

    max(r(i), r(j)) − π(j) ≥ (1 − κ) r(i)           if i is not far: it is ≥ (1 − κ) R if j is far,
    max(r(i), r(j)) − π(j) ≥ r(i) − κ min(r(i), R)  if i is far, as r(j) ≤ R,

and no such pair is negative. Far records are priced first, alone, which takes little time, and then all together.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.groups.pricing import lower_prices
from discreet.kernels.groups.refine import nearest_records
from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["ListedPrices"]

PARTS = 32
STACK = 400_000
# κ above: high enough for the prices of evenly spread records, low enough for few open sets.
CAP = 0.42
# Far records are set apart if their prices might so gain this part of the first bound; then as few of them as keep
# nearly all of that, each with so many times the usual list.
GAIN, KEPT, LONGER = 0.2, 0.95, 5


@exact_kernel
def _distance(points: FloatArray, i: int, j: int) -> float:
    total = 0.0
    for c in range(points.shape[1]):
        difference = points[i, c] - points[j, c]
        total += difference * difference
    return total


@exact_kernel
def _is_last(
    points: FloatArray,
    prices: FloatArray,
    share: float,
    members: IntArray,
    a: int,
    j: int,
    squares: FloatArray,
    order: IntArray,
) -> bool:
    """Say whether j has the largest share of the chosen records and itself.

    As in :mod:`discreet.kernels.groups.pricing`.
    """
    # IN  members (k,) int64, the first a of them; squares (k, k) float64, squared distances of these
    # OUT members and squares at a, those of j; order (k,) int64 scratch
    if a == 1:
        return True
    members[a] = j
    for p in range(a):
        squares[p, a] = squares[a, p] = _distance(points, members[p], j)
    for p in range(a + 1):
        q = p
        while q > 0 and members[order[q - 1]] > members[p]:
            order[q] = order[q - 1]
            q -= 1
        order[q] = p
    largest, who = -np.inf, -1
    for p in range(a + 1):
        x = order[p]
        i = members[x]
        total = 0.0
        for q in range(a + 1):
            if q != p:
                y = order[q]
                total += share * squares[x, y] - prices[i] - prices[members[y]]
        if total >= largest:
            largest, who = total, i
    return bool(who == j)


@exact_kernel
def _search_lists(
    points: FloatArray,
    offsets: IntArray,
    neighbours: NDArray[np.int32],
    reach: FloatArray,
    prices: FloatArray,
    k: int,
    start: int,
    stop: int,
    most: int,
    given_up: NDArray[np.uint8],
    stamp: IntArray,
    groups: NDArray[np.int32],
    reduced: FloatArray,
    surplus: FloatArray,
) -> int:
    """Find the groups of k that prices exceed, from records start … stop−1; −1 if there are too many."""
    # IN  points (n, d) float64; neighbours (offsets[n],) int32; reach (n,) float64, what a record listed with none of a
    #     set leaves to each member; prices (n,) so low that no pair that is not listed is negative;
    #     given_up (1,) uint8, shared by all searches: nothing is worth finding if one of them has too many;
    #     stamp (n,) int64 scratch, below zero
    # OUT groups (m, k) int32; reduced (m,) float64; surplus (n,) float64, by how much an open set's prices are too high
    share = (k - 1) / k
    members, order = np.empty(k, np.int64), np.empty(k, np.int64)
    squares = np.zeros((k, k))
    total, free = np.zeros(k + 1), np.zeros(k + 1)
    low, high = np.zeros(k + 1, np.int64), np.zeros(k + 1, np.int64)
    stack, sums = np.empty(STACK, np.int64), np.empty(STACK)
    # All that is listed with one of the first a members, and its sum with them, at ends[a - 1] … ends[a] - 1.
    ends = np.zeros(k + 1, np.int64)
    listed, parts = np.empty(STACK, np.int64), np.empty(STACK)
    count, visits, mark = 0, 0, 0
    for i in range(start, stop):
        heed_stop()
        members[0] = i
        total[1] = 0.0
        free[1] = reach[i] - prices[i]
        a = 1
        entering = True
        high[0] = 0
        while a >= 1:
            heed_stop()
            if entering:
                # What may be added to the a members: listed with one of them, negative with all, last in share.
                low[a] = high[a - 1]
                top = low[a]
                mark += 1
                for p in range(a):
                    stamp[members[p]] = mark
                last = members[a - 1]
                before = ends[a - 1] - ends[a - 2] if a > 1 else 0
                end = ends[a - 1]
                for t in range(before + offsets[last + 1] - offsets[last]):
                    if t < before:
                        j = listed[ends[a - 2] + t]
                        if j == last:
                            continue
                        new = parts[ends[a - 2] + t] + (share * _distance(points, last, j) - prices[last] - prices[j])
                    else:
                        j = int(neighbours[offsets[last] + t - before])
                        if stamp[j] == mark:
                            continue
                        new = 0.0
                        for q in range(a):
                            new += share * _distance(points, members[q], j) - prices[members[q]] - prices[j]
                    stamp[j] = mark
                    if max(top, end) == STACK:
                        given_up[0] = 1
                        return -1
                    if a + 1 < k:
                        listed[end] = j
                        parts[end] = new
                        end += 1
                    if a == 1 and j < i:
                        continue
                    if total[a] + new < 0.0 and _is_last(points, prices, share, members, a, j, squares, order):
                        stack[top] = j
                        sums[top] = new
                        top += 1
                ends[a] = end
                high[a] = top
                entering = False
            if low[a] == high[a]:
                a -= 1
                if a >= 1:
                    high[a] -= 1
                continue
            j = stack[high[a] - 1]
            new = sums[high[a] - 1]
            visits += 1
            if given_up[0] or visits > most or (a + 1 == k and count == groups.shape[0]):
                given_up[0] = 1
                return -1
            if a + 1 == k:
                for p in range(a):
                    groups[count, p] = members[p]
                groups[count, a] = j
                reduced[count] = (total[a] + new) / (k - 1)
                count += 1
                high[a] -= 1
                continue
            members[a] = j
            for p in range(a):
                squares[p, a] = squares[a, p] = _distance(points, members[p], j)
            total[a + 1] = total[a] + new
            free[a + 1] = free[a] + reach[j] - prices[j]
            a += 1
            beyond = total[a] + free[a]
            if beyond < 0.0:
                for p in range(a):
                    surplus[members[p]] = max(surplus[members[p]], -beyond / (a * a))
            entering = True
    return count


@exact_kernel
def _balance(
    groups: IntArray, costs: FloatArray, ceiling: FloatArray, prices: FloatArray, heat: float, passes: int
) -> None:
    """Move prices towards those of a linear programme over the groups, softened by a temperature.

    A record whose groups leave room is raised, one whose groups ask for more than one place is lowered. Nothing is
    proven here: prices are lowered properly afterwards.
    """
    # IN  groups (m, k) int64; costs (m,) float64; ceiling (n,) float64
    # OUT prices (n,) float64
    n = prices.size
    m, k = groups.shape
    demand, mean_costs, memberships = np.empty(n), np.zeros(n), np.zeros(n)
    for q in range(m):
        heed_stop()
        for p in range(k):
            mean_costs[groups[q, p]] += costs[q]
            memberships[groups[q, p]] += 1.0
    for i in range(n):
        mean_costs[i] = mean_costs[i] / max(memberships[i], 1.0)
    for _ in range(passes):
        heed_stop()
        for i in range(n):
            demand[i] = 0.0
        for q in range(m):
            sum_ = 0.0
            for p in range(k):
                sum_ += prices[groups[q, p]]
            weight = np.exp(min((sum_ - costs[q]) / (heat * max(costs[q], 1e-300)), 30.0))
            for p in range(k):
                demand[groups[q, p]] += weight
        for i in range(n):
            if memberships[i] > 0.0:
                prices[i] = min(ceiling[i], prices[i] - 0.7 * heat * mean_costs[i] / k * np.log(max(demand[i], 1e-12)))
            else:
                prices[i] = ceiling[i]


@exact_kernel
def _raise(
    groups: IntArray, costs: FloatArray, starts: IntArray, columns: IntArray, ceiling: FloatArray, prices: FloatArray
) -> None:
    """Raise every price by what its groups leave, the record with the most to gain in no particular order."""
    # IN  groups (m, k) int64; costs (m,), ceiling (n,) float64; columns (m k,) int64, the groups of record i at
    #     starts[i] … starts[i+1]−1
    # OUT prices (n,) float64
    k = groups.shape[1]
    for i in range(prices.size):
        room = ceiling[i] - prices[i]
        for t in range(starts[i], starts[i + 1]):
            q = columns[t]
            slack = costs[q]
            for p in range(k):
                slack -= prices[groups[q, p]]
            room = min(room, slack)
        if room > 0.0:
            prices[i] += room


@exact_kernel
def _distances(points: FloatArray, i: int, squares: FloatArray) -> None:
    """Squared distances from one record to all."""
    # IN  points (n, d) float64
    # OUT squares (n,) float64
    for j in range(squares.size):
        squares[j] = _distance(points, i, j)


def _far_records(ends: FloatArray, bound: float, m: int) -> IntArray:
    """Return the records whose lists end farthest out, if few of them carry much of the error; at most √(nm)."""
    order = np.argsort(-ends, kind="stable")
    highest = ends[order[: int(np.sqrt(ends.size * m)) + 1]]
    count = np.arange(1, highest.size)
    gain = (1.0 - CAP) * (np.cumsum(highest[:-1]) - count * highest[1:])
    if not gain[-1] > GAIN * bound:
        return np.empty(0, dtype=np.int64)
    return np.sort(order[: 1 + int(np.argmax(gain >= KEPT * gain[-1]))])


class ListedPrices:
    """Proven prices of all records of a file, to be raised round after round.

    Parameters
    ----------
    points : ndarray of shape (n, d), float64
        At least 2k records.
    k : int
        At least 2.
    workers : ThreadPoolExecutor
        How many threads it has changes the time only.
    width : int, optional
        How many near records a record lists, at least k − 1; by default 4k + 20.

    Attributes
    ----------
    values : ndarray of shape (n,), float64
        No group of at least k records has a squared error below the sum of its prices.
    far : ndarray of int64
        The records with longer lists; none if no few records carry much of the error.

    Notes
    -----
    At first (1/2k) Σ d² to the k−1 nearest: the squared error of G is the sum over its members of (1/2|G|) Σ d² to the
    others, and none of these is below the price. Memory is linear: about 8k + 40 near records a record, and at most
    half as many again for the far ones, whose lists take O(n √(nk)) distances.
    """

    def __init__(self, points: FloatArray, k: int, workers: ThreadPoolExecutor, width: int | None = None) -> None:
        n = len(points)
        # Row by row, as others have them: loops are compiled once for both.
        self._points, self._k, self._workers = np.ascontiguousarray(points), k, workers
        lists = nearest_records(self._points, min(n - 1, width or 4 * k + 20), workers)
        squares = np.zeros((n, k - 1))
        for p in range(k - 1):
            squares[:, p] = ((points - points[lists[:, p]]) ** 2).sum(axis=1)
        whole = lists.shape[1] == n - 1
        last = np.full(n, np.inf) if whole else ((points - points[lists[:, -1]]) ** 2).sum(axis=1)
        # A little less than the distance, so that rounding cannot make a list longer than it is.
        ends = (k - 1) / k * last * (1.0 - 1e-12)
        self.values = squares.sum(axis=1) / (2 * k) * (1.0 - 1e-12)
        rows = np.arange(n, dtype=np.int64)[:, None]
        pairs = [(rows * n + lists).ravel(), (lists.astype(np.int64) * n + rows).ravel()]
        self._reach, self._most = (1.0 - CAP) * ends, CAP * ends
        self.far = (
            np.empty(0, dtype=np.int64) if whole else _far_records(ends, float(self.values.sum()), lists.shape[1])
        )
        if self.far.size:
            rest = float(np.delete(ends, self.far).max())
            more, last = self._far_lists(min(LONGER * lists.shape[1], n - self.far.size))
            pairs += [more, more % n * n + more // n]
            own = (k - 1) / k * last * (1.0 - 1e-12)
            self._reach[self.far] = own - CAP * np.minimum(own, rest)
            self._most[self.far] = own - (1.0 - CAP) * rest
        keys = np.concatenate(pairs)
        keys.sort()
        keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
        self._neighbours = (keys % n).astype(np.int32)
        self._offsets = np.concatenate([[0], np.cumsum(np.bincount(keys // n, minlength=n))]).astype(np.int64)
        self._share = 0.3
        # With prices of at most half the cost of the nearest pair, only pairs with a far record can be negative.
        alone = (k - 1) / (2 * k) * squares[:, 0] * (1.0 - 1e-12)
        alone[self.far] = np.inf
        self._first = self.values
        self._prices = self._start = np.minimum(self.values, alone) if self.far.size else self.values
        self._alone = bool(self.far.size)

    def _far_lists(self, m: int) -> tuple[IntArray, FloatArray]:
        """Return what far records list, all others of them and the m nearest of the rest; and the next one's distance.

        A pair i, j is i n + j.
        """
        n = len(self._points)

        def run(i: int) -> tuple[IntArray, float]:
            squares = np.empty(n)
            _distances(self._points, i, squares)
            squares[self.far] = np.inf
            near = np.argpartition(squares, m)
            return np.concatenate([near[:m], self.far[self.far != i]]) + i * n, float(squares[near[m]])

        lists = list(self._workers.map(run, self.far.tolist()))
        return np.concatenate([pairs for pairs, _ in lists]), np.array([last for _, last in lists])

    def _exceeded(self, prices: FloatArray) -> tuple[IntArray, FloatArray, FloatArray] | None:
        """Find the groups that prices exceed, and the open surplus of every record; None if there are too many."""
        n, k = self._points.shape[0], self._k
        cuts = np.linspace(0, n, min(n, PARTS) + 1).astype(np.int64)
        room = 500 + 200 * self.far.size // PARTS if self._alone else 2000 + 25 * n // PARTS
        given_up = np.zeros(1, dtype=np.uint8)

        def run(part: int) -> tuple[int, NDArray[np.int32], FloatArray, FloatArray]:
            groups, reduced, surplus = np.empty((room, k), dtype=np.int32), np.empty(room), np.zeros(n)
            stamp = np.full(n, -1, dtype=np.int64)
            count = _search_lists(
                self._points, self._offsets, self._neighbours, self._reach, prices, k,
                int(cuts[part]), int(cuts[part + 1]), 12 * room, given_up, stamp, groups, reduced, surplus,
            )  # fmt: skip
            return count, groups[: max(count, 0)].copy(), reduced[: max(count, 0)].copy(), surplus

        surplus = np.zeros(n)
        parts = []
        complete = True
        for search in self._workers.map(run, range(cuts.size - 1)):
            complete &= search[0] >= 0
            parts.append(search[1:3])
            np.maximum(surplus, search[3], out=surplus)
        if not complete:
            return None
        groups = np.concatenate([g for g, _ in parts]).astype(np.int64)
        return groups, np.concatenate([r for _, r in parts]), surplus

    def raise_once(self) -> bool:
        """Raise the prices where that can be proven; says whether another round may gain more."""
        shares = np.full(len(self._start), 0.0 if self._alone else self._share)
        shares[self.far] = self._share if self._alone else 0.0
        ceiling = np.minimum(self._start * (1.0 + shares), self._most)
        for _ in range(6):
            exceeded = self._exceeded(ceiling)
            if exceeded is None or not exceeded[2].any():
                break
            # What an open set hides is not known: its records stay lower, and the search is repeated.
            ceiling = np.where(exceeded[2] > 0.0, np.minimum(ceiling - 1.5 * exceeded[2], self._start), ceiling)
        if exceeded is None or exceeded[2].any():
            self._share *= 0.5
            return self._goes_on()
        groups, reduced, _ = exceeded
        prices = self._fitted(groups, reduced, ceiling)
        gain = float(prices.sum() - self._prices.sum())
        # Prices that have become good leave less room; a higher trial would only meet too many groups.
        relative = gain / max(float(self._prices.sum()), 1e-300)
        self._share = min(self._share, max(relative, 0.6 * self._share))
        if gain > 0.0:
            self._prices = self._start = prices
            if prices.sum() > self.values.sum():
                self.values = prices
        return self._goes_on()

    def _goes_on(self) -> bool:
        """Say whether there is more to try; after the far records, all together."""
        if self._share <= 1e-3 and self._alone:
            self._alone, self._share = False, 0.3
            self._start = self._first.copy()
            self._start[self.far] = self._prices[self.far]
        return self._share > 1e-3

    def _fitted(self, groups: IntArray, reduced: FloatArray, ceiling: FloatArray) -> FloatArray:
        """Return prices below the ceiling that none of the groups is exceeded by; all others cannot be."""
        if not len(groups):
            return ceiling
        costs = reduced + ceiling[groups].sum(axis=1)
        prices = ceiling.copy()
        for heat in (0.1, 0.03, 0.01):
            _balance(groups, costs, ceiling, prices, heat, 30)
        slack = costs - prices[groups].sum(axis=1)
        order = np.argsort(slack, kind="stable")
        fixed = prices.copy()
        lower_prices(groups[order], slack[order], prices, fixed)
        columns = np.argsort(groups.ravel(), kind="stable") // self._k
        starts = np.concatenate([[0], np.cumsum(np.bincount(groups.ravel(), minlength=ceiling.size))]).astype(np.int64)
        _raise(groups, costs, starts, columns, ceiling, prices)
        return prices
