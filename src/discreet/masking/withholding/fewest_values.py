"""The fewest values that have to go missing: lower bounds for both readings of a missing value.

Every programme here has an optimum that is not above the cost of any release (see the programmes for why), and what is
returned is a lower bound on that optimum. Where values cost whole numbers, so do releases, and a bound is rounded up.
"""

from __future__ import annotations

import time
from math import comb
from typing import NamedTuple

import numpy as np

from discreet.masking.running.quiet_solver import Programme
from discreet.masking.withholding.category_programme import CategoryProgramme, bounding_programme, exact_programme
from discreet.masking.withholding.hiding_classes import DistinctKeys, distinct_rows
from discreet.masking.withholding.wildcard_programme import RecordStates, record_states, wildcard_programme
from discreet.progress import report
from discreet.typing import FloatArray, IntArray

__all__ = ["LeastCost", "least_cost"]

# Pairs of a different record and a set of keys up to which every combination is listed, and up to which at once.
_LISTED, _SMALL = 150_000, 5_000
# Pairs that a linear programme is tried with.
_MOST = 1_500_000
# Part of the time for branching in the smaller programme, where the exact one is tried as well.
_SHARE = 0.6


class LeastCost(NamedTuple):
    """What no release stays below, and how that was found."""

    bound: float
    method: str


class _Clock:
    """The time, the best bound so far, and the cost that is known to be reached."""

    def __init__(self, seconds: float, costs: FloatArray, ceiling: float) -> None:
        self._begin, self._seconds = time.monotonic(), seconds
        self._whole = bool((costs == np.round(costs)).all())
        self.ceiling, self.best = ceiling, LeastCost(0.0, "none")

    @property
    def left(self) -> float:
        return self._seconds - (time.monotonic() - self._begin)

    @property
    def ends(self) -> bool:
        """Whether nothing is left to prove, or no time to do so."""
        return self.best.bound >= self.ceiling * (1.0 - 1e-12) or self.left <= 0

    def raise_to(self, bound: float, method: str) -> None:
        if self._whole:
            bound = float(np.ceil(bound - 1e-4))
        if bound > self.best.bound:
            self.best = LeastCost(bound, method)
        report("certifying", min(int(1000 * (1.0 - self.left / self._seconds)), 1000), 1000)


def least_cost(
    keys: IntArray,
    k: int,
    costs: FloatArray,
    *,
    wildcard: bool = False,
    ceiling: float = np.inf,
    seconds: float = 60.0,
) -> LeastCost:
    """Return a cost of hidden values that no release stays below, and how it was found.

    Parameters
    ----------
    keys : (n, d) int64
        Positive numbers, 0 for a missing value; at least k records.
    k : int
        How many records every record must match, itself included.
    costs : (d,) float64
        Of a hidden value of each key.
    wildcard : bool
        Whether a missing value matches everything, and no record loses more than it needs; otherwise it is a value of
        its own.
    ceiling : float
        The cost of a release that is known: a bound that reaches it ends the search.
    seconds : float

    Notes
    -----
    Linear programmes over ever more hidden keys, then branch and bound, while there is time; the best bound holds
    whenever it ends. With few different records the optimum itself.

    Examples
    --------
    >>> keys = np.array([[1, 1], [1, 1], [1, 1], [2, 1], [2, 3]])
    >>> least_cost(keys, 2, np.ones(2)).bound
    2.0
    >>> least_cost(keys, 2, np.ones(2), wildcard=True).bound
    1.0
    """
    clock = _Clock(seconds, costs, ceiling)
    distinct = distinct_rows(keys)
    if wildcard:
        states = record_states(distinct.rows, distinct.counts, k, costs)
        if not states.owners.size:
            return LeastCost(0.0, "nothing stands out")
        _raise_wildcard(distinct, k, states, clock)
    elif not (distinct.counts < k).any():
        return LeastCost(0.0, "nothing stands out")
    else:
        _raise_category(distinct, k, costs, clock)
    return clock.best


def _raise_category(distinct: DistinctKeys, k: int, costs: FloatArray, clock: _Clock) -> None:
    rows, counts, _ = distinct
    m, d = rows.shape
    pairs = float(m) * 2.0**d
    if pairs <= _SMALL:
        _branch(exact_programme(rows, counts, k, costs).programme, clock, clock.left)
        return
    listed: CategoryProgramme | None = None
    few = int((counts < k).sum())
    for size in range(1, d + 1):
        if size > 1 and few * sum(comb(d, s) for s in range(size + 1)) > _MOST:
            break
        candidate, cheapest = bounding_programme(rows, counts, k, costs, size)
        clock.raise_to(float(cheapest.sum()), "cheapest company")
        relaxed = None if clock.ends else candidate.programme.relaxed(clock.left)
        if relaxed is None:
            break
        clock.raise_to(relaxed.bound, "linear programme")
        listed = candidate
        if clock.ends or not candidate.loose or relaxed.values[-candidate.loose :].sum() < 1e-6:
            break
    if listed is not None and not clock.ends:
        exact = pairs <= _LISTED
        _branch(listed.programme, clock, clock.left * (_SHARE if exact else 1.0))
        if exact and not clock.ends:
            _branch(exact_programme(rows, counts, k, costs).programme, clock, clock.left)


def _branch(programme: Programme, clock: _Clock, seconds: float) -> None:
    """Raise the bound by branch and bound among what can be part of a release that costs no more than the known one."""
    begin = clock.left
    relaxation = programme.relaxed(seconds)
    if relaxation is None:
        return
    clock.raise_to(relaxation.bound, "linear programme")
    seconds -= begin - clock.left
    if clock.ends or seconds <= 0:
        return
    if np.isfinite(clock.ceiling):
        programme = programme.narrowed(relaxation, clock.ceiling)
    values, bound, finished = programme.solved(seconds)
    if finished and values is None:
        bound = np.inf  # nothing costs as little as the ceiling
    clock.raise_to(min(bound, clock.ceiling), "integer programme")


def _raise_wildcard(distinct: DistinctKeys, k: int, states: RecordStates, clock: _Clock) -> None:
    rows, counts, _ = distinct
    model = wildcard_programme(rows, counts, k, states)
    if model is None:
        model = wildcard_programme(rows, counts, k, states, lenient=True)
    if model is not None:
        _branch(model.programme, clock, clock.left)
