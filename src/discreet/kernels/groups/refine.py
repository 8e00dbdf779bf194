"""Refinement: destroy and repair small pools of neighbouring groups, accepted by simulated annealing.

A step takes two to five neighbouring groups apart, regroups their records (with as many groups as before, one more or
one fewer: splits and merges), relocates and swaps records within the pool until nothing improves, and keeps the result
if the squared error falls or the temperature allows it. Steps run in slices. In every slice the groups are cut into
regions by a random direction; each region has its own random numbers and touches only its own groups, so regions run in
parallel and the result does not depend on the number of threads.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.centring import centred
from discreet.kernels.draws import below, uniform
from discreet.kernels.groups.mdav import split_large_groups
from discreet.kernels.groups.pool import descend, gather, measure, pairwise, regroup, shake, write_back
from discreet.kernels.groups.settle import Views, room_for, settle, views_for
from discreet.kernels.groups.shrinking_blocks import (
    BEST_FIRST,
    WIDTH,
    Blocks,
    Scratch,
    build_blocks,
    find_neighbours,
    scratch_for,
)
from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["Refinement", "nearest_records", "refine"]

MOST_GROUPS = 5
# Share of the steps that take costly groups together wherever they lie.
FAR_SHARE = 0.15
# Share of the steps that start at any group; the others start where the squared error is.
EVEN_SHARE = 0.5
# Share of the steps that exchange a few records instead of regrouping all of the pool.
SHAKE_SHARE = 0.15
# First temperature, times the root of the steps for each group, and its limits: with few steps, what a hot start
# stirs up is never settled again.
HEAT = 0.004
COOL_START, HOT_START = 0.01, 0.4
# From this number of records the search for every record's neighbours takes too large a part of a minute.
BY_GROUP_FROM = 150_000


@exact_kernel
def _nearest_lists(blocks: Blocks, scratch: Scratch, start: int, stop: int, lists: NDArray[np.int32]) -> None:
    # OUT lists (n, m) int32, rows of the records of leaves start … stop−1: the other records, nearest first
    m = lists.shape[1]
    near, neighbours = np.empty((WIDTH, m + 1)), np.empty((WIDTH, m + 1), np.int64)
    bounds, places = np.empty((WIDTH, blocks.blur.size)), np.empty((WIDTH, BEST_FIRST), np.int64)
    for leaf in range(start, stop):
        heed_stop()
        find_neighbours(blocks, leaf, m + 1, near, neighbours, bounds, places, scratch)
        for lane in range(WIDTH):
            i = blocks.records[leaf, lane]
            c = 0
            for p in range(m + 1):
                if i >= 0 and neighbours[lane, p] != i and c < m:
                    lists[i, c] = neighbours[lane, p]
                    c += 1


def nearest_records(points: FloatArray, m: int, workers: ThreadPoolExecutor | None) -> NDArray[np.int32]:
    """Find the ``m`` records nearest to each record, nearest first; (n, m) int32."""
    n = points.shape[0]
    blocks = build_blocks(points, np.arange(n), np.zeros(points.shape[1]))
    lists = np.empty((n, m), dtype=np.int32)
    cuts = np.linspace(0, len(blocks.records), 17).astype(np.int64)
    jobs = [(blocks, scratch_for(blocks), start, stop, lists) for start, stop in itertools.pairwise(cuts)]
    _run(workers, _nearest_lists, jobs)
    return lists


def _run(workers: ThreadPoolExecutor | None, work: Callable[..., Any], jobs: list[tuple[Any, ...]]) -> None:
    """Do what can be done at the same time, here if nobody else is there."""
    if workers is None:
        for job in jobs:
            work(*job)
        return
    for future in [workers.submit(work, *job) for job in jobs]:
        future.result()


@exact_kernel
def _costly(ids: IntArray, cumulative: FloatArray, state: NDArray[np.uint64]) -> int:
    """Draw a group in proportion to the squared error it had at the start of the slice."""
    # IN  ids (r,) int64; cumulative (r,) float64, running sums of their squared errors
    target = uniform(state) * cumulative[-1]
    low, high = 0, ids.size - 1
    while low < high:
        middle = (low + high) >> 1
        if cumulative[middle] > target:
            high = middle
        else:
            low = middle + 1
    return int(ids[low])


@exact_kernel
def _gather_costly(
    ids: IntArray,
    cumulative: FloatArray,
    sizes: IntArray,
    state: NDArray[np.uint64],
    pool_size: int,
    pool_groups: IntArray,
) -> int:
    """Costly groups anywhere in the region: records far from everything have few useful neighbours."""
    n_pooled = 1
    for _ in range(2 * pool_size):
        g = _costly(ids, cumulative, state)
        repeated = sizes[g] == 0
        for q in range(n_pooled):
            repeated |= pool_groups[q] == g
        if not repeated:
            pool_groups[n_pooled] = g
            n_pooled += 1
            if n_pooled == pool_size:
                break
    return n_pooled


@exact_kernel
def _anneal(
    points: FloatArray,
    k: int,
    row: IntArray,
    lists: NDArray[np.int32],
    labels: IntArray,
    members: IntArray,
    sizes: IntArray,
    costs: FloatArray,
    region: NDArray[np.int32],
    here: int,
    ids: IntArray,
    cumulative: FloatArray,
    free: IntArray,
    empty: int,
    state: NDArray[np.uint64],
    steps: int,
    temperature: float,
) -> float:
    """Run ``steps`` steps on the groups of one region; returns the change of the squared error."""
    # IN  points (n, d) float64; row (n,) int64, its line in lists (r, m) int32; region (G,) int32; here int;
    #     ids (r,) int64, groups of the region, and cumulative (r,) float64, running sums of their costs;
    #     free (r,) int64, of which the first ``empty`` are its empty groups
    # OUT labels (n,) int64; members (G, 2k−1) int64; sizes (G,) int64; costs (G,) float64; state (1,) uint64
    d = points.shape[1]
    P = MOST_GROUPS * (2 * k - 1)
    G = P // k + 1
    D, columns, R = np.empty((P, P)), np.empty((d, P)), np.empty((G, P))
    T, count = np.empty(G), np.empty(G, np.int64)
    records, group, near = np.empty(P, np.int64), np.empty(P, np.int64), np.empty(P, np.int64)
    pool = np.empty(G, np.int64)
    change = 0.0
    for _ in range(steps):
        heed_stop()
        first = _costly(ids, cumulative, state)
        if uniform(state) < EVEN_SHARE:
            first = ids[below(state, ids.size)]
        if sizes[first] == 0:
            continue
        draw = uniform(state)
        pool_size = 2 if draw < 0.2 else (3 if draw < 0.6 else (4 if draw < 0.85 else 5))
        if uniform(state) < FAR_SHARE:
            pool[0] = first
            old_groups = _gather_costly(ids, cumulative, sizes, state, pool_size, pool)
        else:
            start = members[first, below(state, sizes[first])]
            old_groups = gather(labels, region, here, start, row, lists, state, pool_size, pool)
        size, old = 0, 0.0
        for q in range(old_groups):
            g = pool[q]
            old += costs[g]
            for p in range(sizes[g]):
                records[size] = members[g, p]
                group[size] = q
                size += 1
        fewest, largest = -(-size // (2 * k - 1)), size // k
        groups = old_groups
        draw = uniform(state)
        if draw < 0.15 and groups > fewest:
            groups -= 1
        elif draw > 0.7 and groups < largest and groups - old_groups < empty:
            groups += 1
        if groups == 1 and old_groups == 1:
            continue
        pairwise(points, records, size, columns, D)
        if groups == old_groups and uniform(state) < SHAKE_SHARE:
            shake(size, state, group)
        else:
            regroup(D, size, groups, k, state, group, near)
        measure(D, size, groups, group, R, T, count)
        new = descend(D, size, groups, k, group, R, T, count)
        gain = old - new
        if gain < -40.0 * temperature or (gain < 0.0 and uniform(state) >= np.exp(gain / max(temperature, 1e-300))):
            continue
        if abs(gain) <= 1e-13 * old:
            continue
        for q in range(old_groups, groups):
            empty -= 1
            pool[q] = free[empty]
        for q in range(groups, old_groups):
            sizes[pool[q]] = 0
            costs[pool[q]] = 0.0
            free[empty] = pool[q]
            empty += 1
        write_back(records, size, groups, group, T, count, pool, labels, members, sizes, costs)
        change -= gain
    return change


@exact_kernel
def _fill(points: FloatArray, labels: IntArray, members: IntArray, sizes: IntArray, costs: FloatArray) -> None:
    """Member lists, sizes and squared errors of the groups."""
    # IN  points (n, d) float64; labels (n,) int64
    # OUT members (G, 2k−1) int64; sizes (G,) int64; costs (G,) float64
    d = points.shape[1]
    sizes[:] = 0
    for i in range(labels.size):
        g = labels[i]
        members[g, sizes[g]] = i
        sizes[g] += 1
    for g in range(sizes.size):
        costs[g] = 0.0
        for j in range(d):
            mean = 0.0
            for p in range(sizes[g]):
                mean += points[members[g, p], j]
            mean /= max(sizes[g], 1)
            for p in range(sizes[g]):
                costs[g] += (points[members[g, p], j] - mean) ** 2


class Refinement:
    """A partition under refinement; every call of :meth:`anneal` is one slice.

    Parameters
    ----------
    values : ndarray of shape (n, d), float64
        Finite, standardised as for the partition.
    k : int
        At least 2.
    labels : ndarray of shape (n,), int64
        A partition into groups of at least ``k``.
    seed : int
        From which all draws follow.
    workers : ThreadPoolExecutor, optional
        Runs the regions; how many threads it has changes the time only. None: the thread that calls.
    by_group : bool, optional
        Find neighbours from group to group instead of from record to record: k times quicker to prepare, a little
        coarser. Without it, done for more than 150,000 records.

    Attributes
    ----------
    labels : ndarray of shape (n,), int64
        The best partition so far, groups of k to 2k−1, labels 0 … g−1.
    cost : float
        Its squared error, in the scale of the centred points.
    """

    def __init__(
        self,
        values: FloatArray,
        k: int,
        labels: IntArray,
        seed: int,
        workers: ThreadPoolExecutor | None,
        *,
        by_group: bool | None = None,
    ) -> None:
        self._points = centred(values)
        self._k = k
        self._workers = workers
        n = self._points.shape[0]
        groups = max(n // k, 1)
        self._current = split_large_groups(self._points, labels, k)
        self._members = np.zeros((groups, 2 * k - 1), dtype=np.int64)
        self._sizes = np.zeros(groups, dtype=np.int64)
        self._costs = np.zeros(groups)
        _fill(self._points, self._current, self._members, self._sizes, self._costs)
        if by_group if by_group is not None else n > BY_GROUP_FROM:
            self._row = self._current.copy()
            self._lists = self._nearest_groups(min(groups - 1, 12))
        else:
            self._row = np.arange(n)
            self._lists = nearest_records(self._points, min(n - 1, 4 * k + 12), workers)
        self._views: Views | None = None
        self._draws = np.random.default_rng(seed)
        # Of the number of records only, so that the result is the same on any machine.
        self._regions = int(np.clip(n // 400, 1, 16))
        self._best = self._current.copy()
        self.cost = self.start = float(self._costs.sum())
        # How much dearer a group is where the squared error sits than on average: 3 for even data, 30 with outliers.
        self.spread = float(np.sum(self._costs**2)) * groups / self.start**2 if self.start**2 > 0.0 else 1.0

    @property
    def groups(self) -> int:
        """How many groups there can be."""
        return int(self._sizes.size)

    @property
    def labels(self) -> IntArray:
        return np.unique(self._best, return_inverse=True)[1].astype(np.int64)

    def _nearest_groups(self, m: int) -> NDArray[np.int32]:
        """Find a record of each of the ``m`` groups whose centroids are nearest to a group's own."""
        filled = np.flatnonzero(self._sizes)
        columns = [np.bincount(self._current, column, self._sizes.size) for column in self._points.T]
        sums = np.stack(columns, axis=1)
        lists = np.zeros((self._sizes.size, m), dtype=np.int32)
        near = nearest_records(sums[filled] / self._sizes[filled, None], min(m, filled.size - 1), self._workers)
        lists[filled, : near.shape[1]] = self._members[filled[near], 0]
        return lists

    def _cut(self) -> tuple[NDArray[np.int32], IntArray, IntArray]:
        """Regions of the groups: slabs of equal numbers of groups along a random direction.

        Returns the region of every group, the groups region by region, and where each region begins.
        """
        groups = self._sizes.size
        direction = self._draws.standard_normal(self._points.shape[1])
        position = self._points[self._members[:, 0]] @ direction
        offsets = -(-np.arange(self._regions + 1) * groups // self._regions)
        ordered = np.sort(position)
        inner = offsets[1:-1]
        if (ordered[inner - 1] < ordered[inner]).all():
            region = np.zeros(groups, dtype=np.int8)
            for least in ordered[inner]:
                region += position >= least
        else:
            # Groups at the same place are told apart by their number.
            region = np.empty(groups, dtype=np.int8)
            region[position.argsort(kind="stable")] = np.arange(groups) * self._regions // groups
        return region.astype(np.int32), region.argsort(kind="stable"), offsets

    def _states(self) -> NDArray[np.uint64]:
        """Draw where the random numbers of every region begin."""
        return self._draws.integers(0, 2**63, size=self._regions, dtype=np.uint64)

    def settle(self) -> float:
        """Visit every group once and relocate and swap records between it and its neighbours while that helps."""
        region, ids, offsets = self._cut()
        if self._views is None:
            self._views = views_for(self.groups, self._points.shape[1], self._k)
        # One after the other, they need one room and one call.
        cuts = range(self._regions + 1) if self._workers is not None else (0, self._regions)
        rooms = [room_for(self._points.shape[1], self._k, self._views) for _ in cuts[1:]]
        arrays = (self._row, self._lists, self._current, self._members, self._sizes, self._costs, self._views)
        states, steps = self._states(), self.groups // self._regions + 1
        common = (self._points, self._k, *arrays, region, ids, offsets, states, steps)
        jobs = [(*common, *places, room) for places, room in zip(itertools.pairwise(cuts), rooms, strict=True)]
        _run(self._workers, settle, jobs)
        return self._kept_if_best()

    def anneal(self, steps: int, temperature: float) -> float:
        """Run ``steps`` steps in all, at a temperature relative to the mean squared error of a starting group."""
        region, ids, offsets = self._cut()
        self._views = None
        arrays = (self._row, self._lists, self._current, self._members, self._sizes, self._costs)
        states, heat = self._states(), temperature * self.start / self.groups
        jobs: list[tuple[Any, ...]] = []
        for here, (start, stop) in enumerate(itertools.pairwise(offsets)):
            own = ids[start:stop]
            empty = own[self._sizes[own] == 0]
            free = np.zeros(own.size, dtype=np.int64)
            free[: empty.size] = empty
            places = (region, here, own, np.cumsum(self._costs[own]), free, empty.size)
            jobs.append(
                (self._points, self._k, *arrays, *places, states[here : here + 1], steps // self._regions, heat)
            )
        _run(self._workers, _anneal, jobs)
        return self._kept_if_best()

    def _kept_if_best(self) -> float:
        cost = float(self._costs.sum())
        if cost < self.cost:
            self.cost = cost
            self._best[:] = self._current
        return cost


def refine(
    values: FloatArray,
    k: int,
    labels: IntArray,
    *,
    seed: int,
    workers: ThreadPoolExecutor,
    steps: int | None = None,
    seconds: float | None = None,
    hot: float | None = None,
    cold: float = 1e-3,
) -> Iterator[Refinement]:
    """Refine a partition, one slice at a time, until the steps or the seconds are used up.

    Parameters
    ----------
    values, k, labels, seed, workers
        As for :class:`Refinement`.
    steps : int, optional
        Destroy-and-repair steps in all. The same seed and steps give the same partition with any number of threads.
    seconds : float, optional
        Time to spend, with the preparation. At least one of the two is needed; the one that ends first counts.
    hot, cold : float, optional
        First temperature, relative to the squared error of the groups where most of it sits, and last temperature,
        relative to the mean one; in between it falls geometrically with the share of the budget that is used. Without
        ``hot``, more steps a group start hotter.

    Yields
    ------
    Refinement
        The same object after every slice. Stop the iteration whenever you wish: it holds the best partition so far.

    Notes
    -----
    A step costs O(p²d) for a pool of p ≤ 5(2k−1) records, whatever n is. Preparation finds the 4k + 12 nearest records
    of each record; memory is linear, 4(4k + 12) bytes a record for these lists.
    """
    begin = time.perf_counter()
    refinement = Refinement(values, k, labels, seed, workers)
    groups = refinement.groups
    part = max(200_000 // k, 2 * groups) if steps is None else max(1, min(steps, max(1000, steps // 200)))
    ready = time.perf_counter()
    steps_run, progress = 0, 0.0
    while progress < 1.0:
        expected = steps
        if expected is None:
            # Before the first slice nothing is known about the speed; it runs cold enough for any budget.
            seconds_left = max((seconds or 0.0) - (ready - begin), 0.0)
            expected = int(steps_run / max(time.perf_counter() - ready, 1e-9) * seconds_left) if steps_run else groups
        start = hot if hot is not None else float(np.clip(HEAT * np.sqrt(expected / groups), COOL_START, HOT_START))
        start *= refinement.spread
        refinement.anneal(part, start * (cold / start) ** progress if start > cold else start)
        yield refinement
        steps_run += part
        shares = [0.0] if steps is None else [steps_run / steps]
        if seconds is not None:
            shares.append((time.perf_counter() - ready) / max(seconds - (ready - begin), 1e-9))
        progress = max(shares)
