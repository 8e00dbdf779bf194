"""Successive halving: many candidates on few records, few of them on all, and figures of the whole file alone.

What a candidate risks and loses on a sample is not what it risks and loses on the file: on fewer records neighbours are
further apart, and more must be suppressed. A sample therefore only says whom to look at next. What is stated, and what
a threshold is held against, is measured on every record.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.evaluation.limits import penalty
from discreet.typing import IntArray, Json

__all__ = ["Deadline", "Rung", "keep_best", "objective", "plan_rungs", "sample_rows", "spread_over_families"]

SHRINK = 4
"""How many times fewer candidates a rung keeps, and how many times more records the next one has."""

LEAST_RECORDS = 500
"""Below which a sample says too little to leave a candidate out by it."""

_MOST_RUNGS = 3


@dataclass(frozen=True)
class Rung:
    """How many candidates are judged on how many records.

    Attributes
    ----------
    records : int
    candidates : int
        At most, as planned; as judged once it is done.
    whole : bool
        Whether these are all records of the file.
    """

    records: int
    candidates: int
    whole: bool


@dataclass
class Deadline:
    """When to stop: the seconds of a budget in time, or never.

    Parameters
    ----------
    seconds : float, optional
    clock : callable
        Told once a batch; tests give one of their own.
    """

    seconds: float | None = None
    clock: Callable[[], float] = time.monotonic
    _start: float = field(init=False)

    def __post_init__(self) -> None:
        self._start = self.clock()

    @property
    def left(self) -> float | None:
        """How many seconds are left; None where there is no limit."""
        return None if self.seconds is None else max(self.seconds - (self.clock() - self._start), 0.0)

    def past(self, share: float = 1.0) -> bool:
        """Say whether this share of the time is over."""
        return self.seconds is not None and self.clock() - self._start >= share * self.seconds


def plan_rungs(candidates: int, records: int, budget: int | None) -> list[Rung]:
    """Return the rungs of a search.

    Parameters
    ----------
    candidates, records : int
        How many there are.
    budget : int, optional
        The most experiments, one on a part of the records counted by that part. Without one a time is the limit, and
        candidates begin on the smallest sample that says something.

    Notes
    -----
    As few rungs below the whole file as the budget allows, because a sample may mislead; each costs about the same.
    Where even that is too much, fewer candidates begin.

    Examples
    --------
    >>> [(rung.records, rung.candidates) for rung in plan_rungs(100, 32_000, 30)]
    [(2000, 100), (8000, 25), (32000, 6)]
    >>> [(rung.records, rung.candidates) for rung in plan_rungs(100, 900, 30)]
    [(900, 30)]
    """
    deepest = 0
    while deepest < _MOST_RUNGS and records // SHRINK ** (deepest + 1) >= LEAST_RECORDS:
        deepest += 1
    if budget is None:
        depth, first = (deepest if candidates > 1 else 0), candidates
    elif candidates <= budget:
        depth, first = 0, candidates
    else:
        costs = {depth: (depth + 1) * candidates / SHRINK**depth for depth in range(1, deepest + 1)}
        depth = next((depth for depth, cost in costs.items() if cost <= budget), deepest)
        first = min(candidates, max(1, budget * SHRINK**depth // (depth + 1)))
    return [
        Rung(-(-records // SHRINK ** (depth - place)), max(1, first // SHRINK**place), place == depth)
        for place in range(depth + 1)
    ]


def sample_rows(records: int, size: int, seed: int) -> IntArray:
    """Return which records a rung has, in the order of the file; a larger rung has those of every smaller one."""
    order = np.random.default_rng([seed, records]).permutation(records)
    return np.sort(order[:size]).astype(np.int64)


def objective(row: Json, thresholds: Mapping[str, float]) -> float:
    """Return what candidates are put in order by: loss and what thresholds are missed by, or the score without any."""
    if row.get("error") is not None:
        return float("inf")
    return float(row["loss"] + penalty(row, thresholds)) if thresholds else float(row["score"])


def keep_best(values: Mapping[int, float], families: Sequence[str], count: int) -> list[int]:
    """Return the candidates that go on, the best first.

    Half of the places go to the best of each family of methods: a sample treats families unequally, those worst that
    suppress what is rare in it. The others go to the best of all. Who failed does not go on.

    Examples
    --------
    >>> keep_best({0: 5.0, 1: 6.0, 2: 7.0, 3: 9.0}, ["mdav", "mdav", "mdav", "pram"], 2)
    [0, 1]
    >>> keep_best({0: 5.0, 1: 6.0, 2: 7.0, 3: 9.0}, ["mdav", "mdav", "mdav", "pram"], 4)
    [0, 1, 2, 3]
    """
    order = sorted((place for place, value in values.items() if np.isfinite(value)), key=lambda p: (values[p], p))
    leaders = list({families[place]: place for place in reversed(order)}.values())
    leaders = sorted(leaders, key=lambda p: (values[p], p))[: max(1, count // 2)]
    chosen = [*leaders, *(place for place in order if place not in set(leaders))][:count]
    return sorted(chosen, key=lambda p: (values[p], p))


def spread_over_families(families: Sequence[str], seed: int) -> list[int]:
    """Return all candidates in the order in which they begin: families take turns, within one by chance.

    Examples
    --------
    >>> [["a", "a", "b"][place] for place in spread_over_families(["a", "a", "b"], 0)][:2]
    ['a', 'b']
    """
    rng = np.random.default_rng([seed, len(families)])
    turns: dict[int, tuple[int, int]] = {}
    for number, family in enumerate(dict.fromkeys(families)):
        own = [place for place, one in enumerate(families) if one == family]
        for turn, place in enumerate(rng.permutation(own).tolist()):
            turns[place] = (turn, number)
    return sorted(turns, key=lambda place: turns[place])
