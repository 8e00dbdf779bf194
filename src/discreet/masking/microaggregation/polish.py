"""Polish: the best partition out of many good groups at once, by integer programming.

Prices of records say which groups can be part of a good partition: those that cost little more than their prices. The
restricted programme over these groups is solved for the whole file where it is small, and for pools of neighbouring
groups, the ones with the largest gap first.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from discreet.kernels.centring import centred
from discreet.kernels.mdav import split_large_groups
from discreet.kernels.pricing import group_costs, negative_groups, squared_distances
from discreet.kernels.refine import nearest_records
from discreet.masking.microaggregation.set_partition import (
    incidence,
    raise_prices,
    subsets_of_groups,
)
from discreet.progress import report
from discreet.typing import FloatArray, IntArray

__all__ = ["polished"]

# Groups for each record in the programme over the whole file, and records and groups in that of a pool.
_WHOLE = 11
_POOL_RECORDS = 75
_POOL_GROUPS = 4000
# The largest file for the programme over all of it.
_WHOLE_UP_TO = 2000
# Seconds, or branch-and-bound nodes, for one pool.
_POOL_SECONDS, _POOL_NODES = 3.0, 60


def candidate_groups(D: FloatArray, k: int, prices: FloatArray, room: int) -> list[IntArray]:
    """Return groups of every size from k to 2k − 1 that cost least beyond their prices, as many as there is room for.

    What counts is the excess relative to the prices, so that groups of outliers and of ordinary records both occur.
    """
    # A floor, for records that have many equals and so no price.
    slack = np.maximum(prices, 0.0) + max(0.02 * float(np.abs(prices).mean()), 1e-3 * float(D.mean()) / len(D))
    best: list[IntArray] = []
    share = 0.005
    while share < 1e4:
        found: list[IntArray] = []
        left = room
        for s in range(k, 2 * k):
            groups = negative_groups(D, prices + share * slack, s, room=left)
            if groups is None:
                return best
            found.append(groups[0])
            left -= len(groups[0])
            if left <= 0:
                return best
        best = found
        share *= 1.4 if share < 0.5 else 2.5
    return best


def best_of(
    D: FloatArray, k: int, groups: list[IntArray], labels: IntArray, options: dict[str, Any]
) -> IntArray | None:
    """Return the best partition into the given groups and those of `labels`; None if none better was found."""
    n = D.shape[0]
    sizes = np.bincount(labels)
    order, ends = np.argsort(labels, kind="stable"), np.cumsum(sizes)
    own: list[list[IntArray]] = [[] for _ in range(k)]
    for g, size in enumerate(sizes):
        own[size - k].append(order[ends[g] - size : ends[g]])
    parts = [np.array(part, dtype=np.int64) for part in own if part] + [part for part in groups if len(part)]
    costs = np.concatenate([group_costs(D, part) for part in parts])
    now = sum(float(group_costs(D, np.array(part, dtype=np.int64)).sum()) for part in own if part)
    with _solver_kept_quiet():
        answer = milp(
            costs,
            constraints=LinearConstraint(incidence(parts, n), 1.0, 1.0),
            integrality=np.ones(costs.size),
            bounds=Bounds(0.0, 1.0),
            options={"mip_rel_gap": 1e-6, **options},
        )
    if answer.x is None:
        return None
    taken = np.flatnonzero(answer.x > 0.5)
    if not costs[taken].sum() < now * (1.0 - 1e-12):
        return None
    result = np.full(n, -1, dtype=np.int64)
    members = [row for part in parts for row in part]
    for g, q in enumerate(taken):
        result[members[q]] = g
    # The solver's word is checked: every record in a group, none in two.
    return result if (result >= 0).all() and sum(members[q].size for q in taken) == n else None


@contextmanager
def _solver_kept_quiet() -> Iterator[None]:
    """Keep the solver's own words off standard output: it has some that no option turns off."""
    try:
        kept = os.dup(1)
    except OSError:  # there is no standard output to keep clean
        yield
        return
    sys.stdout.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


class _Clock:
    """Seconds from now, or rounds for those who want the same result every time."""

    def __init__(self, seconds: float | None, rounds: int) -> None:
        self._begin = time.monotonic()
        self.seconds = seconds
        self.rounds = rounds

    def left(self) -> float:
        return np.inf if self.seconds is None else self.seconds - (time.monotonic() - self._begin)

    def options(self, seconds: float, nodes: int) -> dict[str, Any]:
        if self.seconds is None:
            return {"node_limit": nodes}
        return {"time_limit": max(min(seconds, self.left()), 0.05)}

    def tell(self, done: int) -> None:
        if self.seconds is None:
            report("polishing", done, self.rounds)
        else:
            report("polishing", min(1000 - int(1000 * self.left() / self.seconds), 1000), 1000)


def polished(
    values: FloatArray, k: int, labels: IntArray, *, seed: int, seconds: float | None = None, rounds: int = 20
) -> IntArray:
    """Return groups of k to 2k − 1 with a squared error at most that of `labels`.

    Parameters
    ----------
    values : ndarray of shape (n, d), float64
    k : int
        At least 2.
    labels : ndarray of shape (n,), int64
        Groups of at least k.
    seed : int
    seconds : float, optional
        Time to spend; without it, `rounds` pools are solved with a fixed amount of work, the same every time.

    Notes
    -----
    Up to 2,000 records prices come from :func:`~discreet.masking.microaggregation.set_partition.raise_prices` and the
    whole file is solved first; beyond, each pool has prices of its own. An interrupt returns the best groups so far.
    """
    points = centred(values)
    labels = np.unique(split_large_groups(points, labels, k), return_inverse=True)[1].astype(np.int64)
    n = len(points)
    if n < 2 * k or k < 2:
        return labels
    clock = _Clock(seconds, rounds)
    state = _State(points, k, labels)
    with ThreadPoolExecutor(os.cpu_count() or 1) as workers, suppress(KeyboardInterrupt):
        if n <= _WHOLE_UP_TO:
            _polish_whole(state, clock, workers)
        _polish_pools(state, clock, workers, np.random.default_rng(seed))
    return np.unique(state.labels, return_inverse=True)[1].astype(np.int64)


class _State:
    """A partition that gets better, with prices where there are any."""

    def __init__(self, points: FloatArray, k: int, labels: IntArray) -> None:
        self.points = points
        self.k = k
        self.labels = labels
        self.prices: FloatArray | None = None

    def gaps(self) -> FloatArray:
        """Return by how much each group costs more than its prices, or what it costs where there are none."""
        sizes = np.maximum(np.bincount(self.labels), 1)
        total = np.zeros(sizes.size)
        for column in self.points.T:
            centres = np.bincount(self.labels, column, sizes.size) / sizes
            total += np.bincount(self.labels, (column - centres[self.labels]) ** 2, sizes.size)
        if self.prices is not None:
            total -= np.bincount(self.labels, self.prices, sizes.size)
        return np.maximum(total, 0.0)


def _polish_whole(state: _State, clock: _Clock, workers: ThreadPoolExecutor) -> None:
    D = squared_distances(state.points)
    limit = None if clock.seconds is None else 0.35 * clock.seconds
    start = subsets_of_groups(state.labels, state.k)
    prices = None
    for raised in raise_prices(
        D, state.k, start, seconds=limit, rounds=12 if limit is None else None, tolerance=1e-3, workers=workers
    ):
        prices = raised
        clock.tell(0)
    if prices is None or prices.rounds == 0:
        return
    state.prices = prices.values
    groups = candidate_groups(D, state.k, prices.values, _WHOLE * len(D))
    better = best_of(D, state.k, groups, state.labels, clock.options(0.6 * max(clock.left(), 0.0), 20))
    if better is not None:
        state.labels = better


def _polish_pools(state: _State, clock: _Clock, workers: ThreadPoolExecutor, rng: np.random.Generator) -> None:
    n = len(state.points)
    lists = nearest_records(state.points, min(n - 1, 4 * _POOL_RECORDS), workers)
    tired = np.zeros(n)  # records whose pools brought nothing are looked at less often
    done = 0
    while clock.left() > 0.0 and (clock.seconds is not None or done < clock.rounds):
        gaps = state.gaps()
        weight = gaps[state.labels] * 0.3**tired
        if not weight.sum() > 0.0:
            return
        first = int(rng.choice(n, p=weight / weight.sum()))
        pool = _pool(state.labels, first, lists, rng)
        inside = np.flatnonzero(np.isin(state.labels, pool))
        better = _solved_pool(state, inside, clock)
        if better is None:
            tired[state.labels == state.labels[first]] += 1.0
            tired[inside] += 0.2
        else:
            state.labels[inside] = state.labels.max() + 1 + better
            state.labels = np.unique(state.labels, return_inverse=True)[1].astype(np.int64)
            tired[inside] = 0.0
        done += 1
        clock.tell(done)


def _pool(labels: IntArray, first: int, lists: Any, rng: np.random.Generator) -> IntArray:
    """Return the groups of the records nearest to one record, some passed over, until there are enough records."""
    near = labels[np.concatenate([[first], lists[first]])]
    kinds, at = np.unique(near, return_index=True)
    kinds = kinds[np.argsort(at)]
    kept = np.concatenate([kinds[:1], kinds[1:][rng.random(kinds.size - 1) > 0.15]])
    sizes = np.bincount(labels)[kept]
    return kept[: 1 + int(np.searchsorted(np.cumsum(sizes), _POOL_RECORDS))]


def _solved_pool(state: _State, inside: IntArray, clock: _Clock) -> IntArray | None:
    D = squared_distances(state.points[inside])
    labels = np.unique(state.labels[inside], return_inverse=True)[1].astype(np.int64)
    if labels.max() == 0:
        return None
    if state.prices is None:
        prices = np.zeros(inside.size)
        for raised in raise_prices(D, state.k, subsets_of_groups(labels, state.k), rounds=8, tolerance=1e-3):
            prices = raised.values
    else:
        prices = state.prices[inside]
    groups = candidate_groups(D, state.k, prices, _POOL_GROUPS)
    return best_of(D, state.k, groups, labels, clock.options(_POOL_SECONDS, _POOL_NODES))
