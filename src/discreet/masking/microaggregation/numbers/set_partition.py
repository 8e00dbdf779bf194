"""The least squared error of any grouping, bounded from below: prices of records by column generation.

Groups are columns of a set partitioning programme: min Σ c(G) x(G) with every record in one group. The dual of its
linear relaxation gives each record a price; prices that no group exceeds add up to a bound. Groups of exactly k suffice
(see :mod:`discreet.kernels.groups.pricing`). After every linear programme, prices between the best proven and the new
ones are tried; the groups that they exceed are all found, and lowering each record's price by its worst such group
proves what is left. So there is a valid bound at any moment.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.kernels.groups.pricing import group_costs, lower_prices, negative_groups
from discreet.typing import FloatArray, IntArray

__all__ = ["DENSE_UP_TO", "Prices", "incidence", "raise_prices", "subsets_of_groups"]

DENSE_UP_TO = 3000
"""Records up to which all squared distances are kept: 72 MB."""
# Columns of the linear programme for each record, beyond which those with the largest reduced cost are dropped.
_COLUMNS = 9
# New columns a record from every trial of prices.
_NEW = 6
# Groups that one trial of prices may exceed; more, and the trial is moved nearer to the proven prices.
_ROOM = 60_000
_MOVES = (1.0, 0.7, 0.4, 0.15)
# Rounding, relative to the prices: far above what sums of a few numbers can lose.
_ROUNDING = 1e-10


@dataclass(frozen=True, repr=False)
class Prices:
    """Proven prices, and where the search stands.

    Attributes
    ----------
    values : (n,) float64
        No group of at least k records costs less than the sum of its prices.
    relaxation : float
        The linear programme over the groups so far: the bound comes no higher than this.
    rounds : int
        Linear programmes solved.
    converged : bool
        Whether nothing is left to gain.
    columns : (m, k) int64
        The groups of the linear programme.
    """

    values: FloatArray
    relaxation: float
    rounds: int
    converged: bool
    columns: IntArray

    @property
    def bound(self) -> float:
        """A squared error that no grouping stays below, with a margin for rounding."""
        return float(max(self.values.sum() - _ROUNDING * np.abs(self.values).sum(), 0.0))


def subsets_of_groups(labels: IntArray, k: int) -> IntArray:
    """Return groups of exactly k within the groups of a partition, each record in one or more; (m, k)."""
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels))
    subsets = []
    for start, end in zip(np.r_[0, ends[:-1]], ends, strict=True):
        members = order[start:end]
        subsets += [np.take(members, np.arange(first, first + k), mode="wrap") for first in range(members.size)]
        if members.size == k:
            del subsets[-k + 1 :]
    return np.array(subsets, dtype=np.int64).reshape(-1, k)


def incidence(groups: list[IntArray], n: int) -> Any:
    """Return which records (rows) are in which groups (columns), groups given as arrays of one size each."""
    from scipy.sparse import csc_matrix

    sizes = np.concatenate([np.full(len(part), part.shape[1]) for part in groups])
    rows = np.concatenate([part.ravel() for part in groups])
    ends = np.concatenate([[0], np.cumsum(sizes)])
    return csc_matrix((np.ones(rows.size), rows, ends), shape=(n, sizes.size))


def _distinct(groups: IntArray) -> IntArray:
    return np.unique(np.sort(groups, axis=1), axis=0)


def _near_groups(D: FloatArray, k: int, others: int) -> tuple[IntArray, FloatArray]:
    """Return groups of near records, and prices of nearest distances: (1/2k) Σ d² to the k−1 nearest, never too high.

    The cost of G is the sum over its members of (1/2|G|) Σ d² to the others, and none of these is below the price.
    """
    n = D.shape[0]
    width = min(n, k + others)
    near = np.argpartition(D + np.diag(np.full(n, -1.0)), width - 1, axis=1)[:, :width]
    distances = np.take_along_axis(D + np.diag(np.full(n, -1.0)), near, axis=1)
    inner = np.argsort(distances, axis=1, kind="stable")
    near = np.take_along_axis(near, inner, axis=1)
    parts = [np.concatenate([near[:, : k - 1], near[:, t : t + 1]], axis=1) for t in range(k - 1, width)]
    prices = np.take_along_axis(D, near[:, 1:k], axis=1).sum(axis=1) / (2 * k)
    return np.concatenate(parts), prices


def _most_negative(groups: IntArray, reduced: FloatArray, n: int) -> IntArray:
    """Return the most negative groups, a few for each record."""
    order = np.argsort(reduced, kind="stable")[:20_000]
    groups_of = np.zeros(n, dtype=np.int64)
    selection = []
    for q, members in zip(order.tolist(), groups[order].tolist(), strict=True):
        if min(groups_of[i] for i in members) < _NEW:
            selection.append(q)
            for i in members:
                groups_of[i] += 1
    return groups[selection]


class _Master:
    """The linear programme over the groups found so far."""

    def __init__(self, D: FloatArray, k: int, groups: IntArray) -> None:
        self._D = D
        self.groups = _distinct(groups)
        self._k = k

    def solve(self, seconds: float | None) -> tuple[float, FloatArray] | None:
        """Return its value and the duals; None if there was no time."""
        from scipy.optimize import linprog

        n = self._D.shape[0]
        self._costs = group_costs(self._D, self.groups)
        limit = {} if seconds is None else {"time_limit": max(seconds, 0.01)}
        answer = linprog(
            self._costs, A_eq=incidence([self.groups], n), b_eq=np.ones(n), method="highs-ds", options=limit
        )
        if answer.status != 0:
            return None
        self._duals = np.asarray(answer.eqlin.marginals, dtype=np.float64)
        return float(answer.fun), self._duals

    def add(self, groups: list[IntArray]) -> None:
        """Take groups in; drop those that have become too dear, if there are too many."""
        n = self._D.shape[0]
        columns = self.groups
        if len(columns) > 1.5 * _COLUMNS * n:
            reduced = self._costs - self._duals[columns].sum(axis=1)
            columns = columns[np.argsort(reduced, kind="stable")[: _COLUMNS * n]]
        self.groups = _distinct(np.concatenate([columns, *groups]))


def _proven(
    D: FloatArray, k: int, prices: FloatArray, workers: ThreadPoolExecutor | None
) -> tuple[FloatArray, IntArray, FloatArray] | None:
    """Return what prices are proven after lowering, and the groups that they exceeded."""
    priced = negative_groups(D, prices, k, room=_ROOM, workers=workers)
    if priced is None:
        return None
    groups, reduced = priced
    order = np.argsort(reduced, kind="stable")
    groups, reduced = groups[order], reduced[order]
    lower = prices.copy()
    lower_prices(groups, reduced, lower, prices)
    return lower, groups, reduced


def raise_prices(
    D: FloatArray,
    k: int,
    start: IntArray | None = None,
    *,
    prices: FloatArray | None = None,
    seconds: float | None = None,
    rounds: int | None = None,
    tolerance: float = 1e-6,
    enough: float = np.inf,
    workers: ThreadPoolExecutor | None = None,
) -> Iterator[Prices]:
    """Raise prices round by round, until nothing is left to gain or the budget is used up.

    Parameters
    ----------
    D : ndarray of shape (n, n), float64
        Squared distances of at least k records.
    k : int
        At least 2.
    start : ndarray of shape (m, k), int64, optional
        Groups to begin with, such as those of a good partition.
    prices : ndarray of shape (n,), float64, optional
        Proven prices to begin with.
    seconds, rounds : optional
        When to stop.
    tolerance : float
        The part of the value that may be left.
    enough : float
        A bound beyond which there is nothing to gain.
    workers : ThreadPoolExecutor, optional
        For the search of groups; changes nothing in the result.

    Yields
    ------
    Prices
        Valid every time; the bound never falls.
    """
    begin = time.monotonic()
    n = D.shape[0]
    near, proven = _near_groups(D, k, 8)
    unit = float(proven.mean())
    if not unit > 0.0:  # every record has k − 1 equals
        unit = max(float(D.max()), 1.0)
    if prices is not None and prices.sum() > proven.sum():
        proven = prices
    D, proven = D / unit, proven / unit
    # One group a record around the whole file makes the programme solvable from the start.
    ring = np.add.outer(np.arange(n), np.arange(k)) % n
    master = _Master(D, k, np.concatenate([near, ring, *([] if start is None else [start])]))
    rounds_run, finished = 0, False
    yield Prices(proven * unit, np.inf, 0, converged=False, columns=master.groups)
    while not finished:
        seconds_left = None if seconds is None else seconds - (time.monotonic() - begin)
        solved = master.solve(seconds_left) if seconds_left is None or seconds_left > 0 else None
        if solved is None:
            return
        value, duals = solved
        fresh: list[IntArray] = []
        for move in (*_MOVES, *(0.15 * 0.4**p for p in range(1, 8))):
            if move < _MOVES[-1] and fresh:
                break
            trial = _proven(D, k, proven + move * (duals - proven), workers)
            if trial is None:
                continue
            better, groups, reduced = trial
            fresh.append(_most_negative(groups, reduced, n))
            if better.sum() > proven.sum():
                proven = better
        rounds_run += 1
        gap = value - proven.sum()
        added = sum(len(groups) for groups in fresh)
        converged = bool(gap <= tolerance * max(value, 1e-300))
        finished = converged or added == 0 or (rounds is not None and rounds_run >= rounds)
        answer = Prices(proven * unit, value * unit, rounds_run, converged, master.groups)
        yield answer
        finished |= answer.bound >= enough
        master.add(fresh)
