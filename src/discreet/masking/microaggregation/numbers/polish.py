"""Polish: the best partition out of many good groups at once, by integer programming.

Prices of records say which groups can be part of a good partition: those that cost little more than their prices. In a
small file, branching first settles the groups of records far from all others, which no exchange between neighbours
finds. Then the restricted programme over good groups is solved for the whole file, and for pools of neighbouring
groups, the ones with the largest gap first.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.data.keyed_draws import Draws
from discreet.kernels.centring import centred
from discreet.kernels.groups.bounds import ListedPrices
from discreet.kernels.groups.mdav import mdav, split_large_groups
from discreet.kernels.groups.pricing import group_costs, negative_groups, squared_distances
from discreet.kernels.groups.refine import nearest_records, refine
from discreet.masking.microaggregation.numbers.branching import Branching, Node
from discreet.masking.microaggregation.numbers.set_partition import incidence, raise_prices, subsets_of_groups
from discreet.masking.running.quiet_solver import solver_kept_quiet
from discreet.progress import report
from discreet.typing import FloatArray, IntArray

__all__ = ["polished"]

# Groups for each record in the programme over the whole file, and records and groups in that of a pool.
_WHOLE = 11
_POOL_RECORDS = 75
_POOL_GROUPS = 4000
# The largest file for the programme over all of it.
_WHOLE_UP_TO = 2000
# Shares of the time for its prices, for branching, for refining the rest of one node, and for the programme.
_PRICING, _BRANCHING, _REFINING, _PROGRAMME = 0.3, 0.3, 0.05, 0.5
# Branching begins if one group has this part of the gap, and goes on while so many steps close a part of it.
_ALONE = 0.15
_STEPS, _CLOSED = 12, 0.1
# Rounds of prices from lists of near records, to begin with.
_LISTED = 25
# Steps of refining for those who want the same result every time.
_REFINING_STEPS = 3000
# Seconds, or branch-and-bound nodes, for one pool.
_POOL_SECONDS, _POOL_NODES = 3.0, 60
# After so many pools without success they become twice as large, at most so often.
_POOLS_IN_VAIN, _DOUBLINGS = 25, 2


def candidate_groups(D: FloatArray, k: int, prices: FloatArray, room: int) -> list[IntArray]:
    """Return groups of every size from k to 2k − 1 that cost least beyond their prices, as many as there is room for.

    What counts is the excess relative to the prices, so that groups of outliers and of ordinary records both occur.
    """
    # A floor, for records that have many equals and so no price.
    slack = np.maximum(prices, 0.0) + max(0.02 * float(np.abs(prices).mean()), 1e-3 * float(D.mean()) / len(D))
    best: list[IntArray] = []
    share = 0.005
    while share < 1e4:
        by_size: list[IntArray] = []
        room_left = room
        for s in range(k, 2 * k):
            groups = negative_groups(D, prices + share * slack, s, room=room_left)
            if groups is None:
                return best
            by_size.append(groups[0])
            room_left -= len(groups[0])
            if room_left <= 0:
                return best
        best = by_size
        share *= 1.4 if share < 0.5 else 2.5
    return best


def best_of(
    D: FloatArray, k: int, groups: list[IntArray], own: list[IntArray], ceiling: float, options: dict[str, Any]
) -> list[IntArray] | None:
    """Return the best partition into the given groups, arrays of one size each, and ``own``, single groups.

    None if none cheaper than the ceiling was found.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    n = D.shape[0]
    by_size: list[list[IntArray]] = [[] for _ in range(k)]
    for group in own:
        by_size[group.size - k].append(group)
    parts = [np.array(part, dtype=np.int64) for part in by_size if part] + [part for part in groups if len(part)]
    if not parts:
        return None
    costs = np.concatenate([group_costs(D, part) for part in parts])
    with solver_kept_quiet():
        answer = milp(
            costs,
            constraints=LinearConstraint(incidence(parts, n), 1.0, 1.0),
            integrality=np.ones(costs.size),
            bounds=Bounds(0.0, 1.0),
            options={"mip_rel_gap": 1e-6, **options},
        )
    if answer.x is None:
        return None
    columns = np.flatnonzero(answer.x > 0.5)
    if not costs[columns].sum() < ceiling * (1.0 - 1e-12):
        return None
    members = [row for part in parts for row in part]
    partition = [members[q] for q in columns]
    # The solver's word is checked: every record in a group, none in two.
    return partition if np.array_equal(np.sort(np.concatenate(partition)), np.arange(n)) else None


class _Clock:
    """Seconds from now, or rounds for those who want the same result every time."""

    def __init__(self, seconds: float | None, rounds: int) -> None:
        self._begin = time.monotonic()
        self.seconds = seconds
        self.rounds = rounds

    def seconds_left(self) -> float:
        return np.inf if self.seconds is None else self.seconds - (time.monotonic() - self._begin)

    def share(self, part: float) -> float | None:
        """Return a part of all the seconds, at most what is left; None without a limit."""
        return None if self.seconds is None else max(min(part * self.seconds, self.seconds_left()), 0.05)

    def options(self, seconds: float, nodes: int) -> dict[str, Any]:
        if self.seconds is None:
            return {"node_limit": nodes}
        return {"time_limit": max(min(seconds, self.seconds_left()), 0.05)}

    def tell(self, done: int) -> None:
        if self.seconds is None:
            report("polishing", done, self.rounds)
        else:
            report("polishing", min(1000 - int(1000 * self.seconds_left() / self.seconds), 1000), 1000)


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
    Up to 2,000 records prices come from :func:`~discreet.masking.microaggregation.numbers.set_partition.raise_prices`
    and the whole file is solved first; beyond, each pool has prices of its own.
    """
    points = centred(values)
    labels = _numbered(split_large_groups(points, labels, k))
    n = len(points)
    if n < 2 * k or k < 2:
        return labels
    clock = _Clock(seconds, rounds)
    state = _State(points, k, labels)
    with ThreadPoolExecutor(os.cpu_count() or 1) as workers:
        if n <= _WHOLE_UP_TO:
            _polish_whole(state, clock, workers, seed)
        _polish_pools(state, clock, workers, Draws.of(seed, None, "polish").generator())
    return state.labels


class _State:
    """A partition that gets better, with prices where there are any."""

    def __init__(self, points: FloatArray, k: int, labels: IntArray) -> None:
        self.points = points
        self.k = k
        self.labels = labels
        self.prices: FloatArray | None = None

    def costs(self) -> FloatArray:
        """Return the squared error of each group."""
        sizes = np.maximum(np.bincount(self.labels), 1)
        total = np.zeros(sizes.size)
        for column in self.points.T:
            centres = np.bincount(self.labels, column, sizes.size) / sizes
            total += np.bincount(self.labels, (column - centres[self.labels]) ** 2, sizes.size)
        return total

    def gaps(self) -> FloatArray:
        """Return by how much each group costs more than its prices, or what it costs where there are none."""
        total = self.costs()
        if self.prices is not None:
            total -= np.bincount(self.labels, self.prices, total.size)
        return np.maximum(total, 0.0)

    def groups(self, inside: NDArray[np.bool_]) -> list[IntArray]:
        """Return the groups that lie inside as a whole."""
        order = np.argsort(self.labels, kind="stable")
        groups = np.split(order, np.cumsum(np.bincount(self.labels))[:-1])
        return [group for group in groups if inside[group].all()]

    def replace(self, inside: IntArray, labels: IntArray) -> None:
        """Put the records inside into groups of their own."""
        new = self.labels.copy()
        new[inside] = self.labels.max() + 1 + labels
        self.labels = _numbered(new)


def _numbered(labels: IntArray) -> IntArray:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _labels_of(groups: Iterable[IntArray], n: int) -> IntArray:
    labels = np.full(n, -1, dtype=np.int64)
    for g, group in enumerate(groups):
        labels[group] = g
    return labels


def _polish_whole(state: _State, clock: _Clock, workers: ThreadPoolExecutor, seed: int) -> None:
    D = squared_distances(state.points)
    n = len(D)
    listed = ListedPrices(state.points, state.k, workers)
    turns = 0
    while turns < _LISTED and listed.raise_once():
        turns += 1
    prices = None
    for raised in raise_prices(
        D,
        state.k,
        subsets_of_groups(state.labels, state.k),
        prices=listed.values,
        seconds=clock.share(_PRICING),
        rounds=12 if clock.seconds is None else None,
        tolerance=1e-4,
        workers=workers,
    ):
        prices = raised
        clock.tell(0)
    if prices is None or prices.rounds == 0:
        return
    state.prices = prices.values
    node = Node((), np.arange(n), prices.values, prices.columns, prices.bound)
    gaps = state.gaps()
    if gaps.max() > _ALONE * gaps.sum():
        search = Branching(D, state.k, prices.values, prices.columns, float(state.costs().sum()), workers)
        node = _settled(state, search, clock, workers, seed) or node
    state.prices = np.empty(n)
    state.prices[node.uncovered] = node.prices
    for group in node.fixed:
        state.prices[group] = group_costs(D, group[None, :])[0] / group.size
    # The group that branching settled first had most of the gap; those after it may still change.
    inside = np.ones(n, dtype=bool)
    inside[node.fixed[0] if node.fixed else []] = False
    _solve_whole(state, inside, state.prices, clock)


def _solve_whole(state: _State, inside: NDArray[np.bool_], prices: FloatArray, clock: _Clock) -> None:
    """Solve the programme over the records inside, with more groups each time while that is quick."""
    records = np.flatnonzero(inside)
    D, prices = squared_distances(state.points[records]), prices[records]
    end = clock.seconds_left() - (clock.share(_PROGRAMME) or 0.0)
    room = _WHOLE * len(D)
    while clock.seconds_left() > end or clock.seconds is None:
        groups = candidate_groups(D, state.k, prices, room)
        own = [np.searchsorted(records, group) for group in state.groups(inside)]
        now = sum(float(group_costs(D, group[None, :])[0]) for group in own)
        begin = clock.seconds_left()
        better = best_of(D, state.k, groups, own, now, clock.options(begin - end, 20))
        if better is not None:
            state.replace(records, _labels_of(better, records.size))
        clock.tell(0)
        if clock.seconds is None or 3.0 * (begin - clock.seconds_left()) > clock.seconds_left() - end:
            return
        room *= 2


def _settled(state: _State, search: Branching, clock: _Clock, workers: ThreadPoolExecutor, seed: int) -> Node | None:
    """Branch while that closes the gap, and refine what the lowest nodes leave open; returns the best one's node."""
    tried: list[Node] = []  # kept, so that no later node can be taken for one of them
    best: Node | None = None
    limit = clock.share(_BRANCHING)
    begin = clock.seconds_left()
    gap, steps = search.ceiling - search.bound, 0
    while not search.finished and steps < _STEPS and (limit is None or begin - clock.seconds_left() < limit):
        node = search.lowest
        if (
            node is not None
            and node.fixed
            and node.uncovered.size >= 2 * state.k
            and all(node is not one for one in tried)
        ):
            tried.append(node)
            labels = _refined_rest(state, node, clock, workers, seed)
            trial = _State(state.points, state.k, labels)
            cost = float(trial.costs().sum())
            if cost < search.ceiling:
                state.labels, search.ceiling, best = labels, cost, node
        search.step(None if limit is None else max(limit - (begin - clock.seconds_left()), 0.05))
        if search.best is not None:  # the optimum: no part with a lower bound is left
            state.labels = _labels_of(search.best, len(state.labels))
        steps += 1
        if search.ceiling - search.bound < (1.0 - _CLOSED) * gap:
            gap, steps = search.ceiling - search.bound, 0
        clock.tell(0)
    return best


def _refined_rest(state: _State, node: Node, clock: _Clock, workers: ThreadPoolExecutor, seed: int) -> IntArray:
    """Return a partition that has the groups of a node: the present one, mended around them and refined."""
    points = np.ascontiguousarray(state.points[node.uncovered])
    inside = np.zeros(len(state.points), dtype=bool)
    inside[node.uncovered] = True
    labels = np.full(len(state.points), -1, dtype=np.int64)
    for g, group in enumerate(state.groups(inside)):
        labels[group] = g
    labels = labels[node.uncovered]
    whole = labels >= 0
    if whole.any():
        sizes = np.bincount(labels[whole])
        centres = np.array([np.bincount(labels[whole], x[whole]) / sizes for x in points.T]).T
        for i in np.flatnonzero(~whole):
            labels[i] = np.argmin(((centres - points[i]) ** 2).sum(axis=1))
        labels = _numbered(split_large_groups(points, labels, state.k))
    else:
        labels = mdav(points, state.k)
    seconds = clock.share(_REFINING)
    for refinement in refine(
        points,
        state.k,
        labels,
        seed=seed,
        workers=workers,
        **({"steps": _REFINING_STEPS} if seconds is None else {"seconds": seconds}),
    ):
        labels = refinement.labels
    result = np.empty(len(state.points), dtype=np.int64)
    result[node.uncovered] = labels
    for g, group in enumerate(node.fixed, start=int(labels.max()) + 1):
        result[group] = g
    return result


def _polish_pools(state: _State, clock: _Clock, workers: ThreadPoolExecutor, rng: np.random.Generator) -> None:
    n = len(state.points)
    lists = nearest_records(state.points, min(n - 1, 8 * _POOL_RECORDS), workers)
    tired = np.zeros(n)  # records whose pools brought nothing are looked at less often
    rounds, in_vain = 0, 0
    while clock.seconds_left() > 0.0 and (clock.seconds is not None or rounds < clock.rounds):
        gaps = state.gaps()
        weight = gaps[state.labels] * 0.3**tired
        if not weight.sum() > 0.0:
            return
        first = int(rng.choice(n, p=weight / weight.sum()))
        factor = 2 ** (in_vain // _POOLS_IN_VAIN)
        pool = _pool(state.labels, first, lists, factor * _POOL_RECORDS, rng)
        inside = np.flatnonzero(np.isin(state.labels, pool))
        better = _solved_pool(state, inside, factor, clock)
        in_vain = 0 if better is not None else min(in_vain + 1, _POOLS_IN_VAIN * _DOUBLINGS)
        if better is None:
            tired[state.labels == state.labels[first]] += 1.0
            tired[inside] += 0.2
        else:
            state.replace(inside, better)
            tired[inside] = 0.0
        rounds += 1
        clock.tell(rounds)


def _pool(labels: IntArray, first: int, lists: Any, records: int, rng: np.random.Generator) -> IntArray:
    """Return the groups of the records nearest to one record, some passed over, until there are enough records."""
    near = labels[np.concatenate([[first], lists[first]])]
    kinds, at = np.unique(near, return_index=True)
    kinds = kinds[np.argsort(at)]
    pool = np.concatenate([kinds[:1], kinds[1:][rng.random(kinds.size - 1) > 0.15]])
    sizes = np.bincount(labels)[pool]
    return pool[: 1 + int(np.searchsorted(np.cumsum(sizes), records))]


def _solved_pool(state: _State, inside: IntArray, factor: int, clock: _Clock) -> IntArray | None:
    D = squared_distances(state.points[inside])
    labels = _numbered(state.labels[inside])
    if labels.max() == 0:
        return None
    if state.prices is None:
        prices = np.zeros(inside.size)
        for raised in raise_prices(D, state.k, subsets_of_groups(labels, state.k), rounds=8, tolerance=1e-3):
            prices = raised.values
    else:
        prices = state.prices[inside]
    own = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
    now = sum(float(group_costs(D, group[None, :])[0]) for group in own)
    groups = candidate_groups(D, state.k, prices, factor * _POOL_GROUPS)
    better = best_of(D, state.k, groups, own, now, clock.options(factor * _POOL_SECONDS, _POOL_NODES))
    return None if better is None else _labels_of(better, inside.size)
