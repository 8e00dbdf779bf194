"""Refinement: from any groups to better ones, for as long as one likes to wait."""

from __future__ import annotations

import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from discreet.contracts.estimator import register
from discreet.errors import ParameterError
from discreet.kernels.groups.refine import refine
from discreet.masking.microaggregation.numbers.number_groups import (
    JointMicroaggregation,
    NumericMicroaggregation,
    Points,
)
from discreet.parameters import AnyOf, Constraint, Flag, Instance, Integer, Optional, Seed, Text
from discreet.parameters.declaration import parameter
from discreet.progress import report
from discreet.typing import FloatArray, IntArray, RandomState

__all__ = ["BUDGET", "Refine", "check_budget", "refined"]

BUDGET: Constraint = AnyOf(Integer(1), Text("a time such as '10s' or '2m'"))
"""Steps (the same groups every time for a seed) or a time (as good as the machine allows)."""

_TIME = re.compile(r"^\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|s|min|m|h)\s*$")
_SECONDS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def check_budget(owner: str, budget: int | str) -> float | None:
    """Return the seconds of a time, None for a number of steps; refuse anything else."""
    if not isinstance(budget, str):
        return None
    match = _TIME.match(budget)
    if match is None or float(match[1]) <= 0:
        raise ParameterError(f"{owner}: a time must look like '10s', '500ms' or '2m'; got {budget!r}.")
    return float(match[1]) * _SECONDS[match[2]]


# Share of a time that is left for polishing, where that is wanted.
_POLISH = 0.85
# Where polishing is worth its time by itself: groups of few, the records of a small file, and these seconds.
_POLISH_K, _POLISH_RECORDS, _POLISH_SECONDS = 4, 2000, 20.0
# One pool is polished for so many steps.
_STEPS_A_POOL = 250


def refined(
    owner: str,
    points: FloatArray,
    k: int,
    labels: IntArray,
    budget: int | str,
    seed: int,
    *,
    polish: bool | None = False,
) -> IntArray:
    """Return groups of k to 2k − 1 with a squared error at most that of `labels`.

    An interrupt (Ctrl-C) ends the search without a result, as it ends any other work.
    """
    seconds = check_budget(owner, budget)
    if len(points) < 2 * k or k < 2:
        return labels
    if polish is None:
        polish = (
            seconds is not None and seconds >= _POLISH_SECONDS and k <= _POLISH_K and len(points) <= _POLISH_RECORDS
        )
    if polish:
        from discreet.masking.microaggregation.numbers.polish import polished

        begin = time.monotonic()
        first = budget if seconds is None else f"{(1.0 - _POLISH) * seconds}s"
        labels = refined(owner, points, k, labels, first, seed)
        if seconds is None:
            return polished(points, k, labels, seed=seed, rounds=min(max(1, int(budget) // _STEPS_A_POOL), 40))
        return polished(points, k, labels, seed=seed, seconds=max(seconds - (time.monotonic() - begin), 0.1))
    best = labels
    start = time.monotonic()
    with ThreadPoolExecutor(os.cpu_count() or 1) as workers:
        limits: dict[str, Any] = {"steps": int(budget)} if seconds is None else {"seconds": seconds}
        for number, refinement in enumerate(refine(points, k, labels, seed=seed, workers=workers, **limits), start=1):
            best = refinement.labels
            if seconds is not None:
                report("refining", min(int(1000 * (time.monotonic() - start) / seconds), 1000), 1000)
            else:
                report("refining", number, max(1, min(200, int(budget) // 1000)))
    return best


@register("refine")
class Refine(JointMicroaggregation):
    """Groups of another method, improved by local search and destroy-and-repair with annealing.

    Loses the least information of all numeric microaggregations, for the time it is given; the guarantee of at least
    `k` records a group is that of the start.

    Parameters
    ----------
    k : int
        The smallest group.
    start : NumericMicroaggregation, optional
        Where the groups come from; MDAV by default. Its `k` and other parameters are not used.
    budget : int or str
        Steps, or a time such as ``"10s"``. With steps, the same seed gives the same groups.
    polish : bool, optional
        Whether to spend most of the time on the best choice among many good groups, by integer programming; by default
        where it pays: k up to 4, 2,000 records and a time of at least 20 seconds.
    random_state : int, Generator or None

    Notes
    -----
    Records move between neighbouring groups (relocate, swap, split, merge) with incremental sums; then two to five
    neighbouring groups are formed anew at random and kept by the rule of simulated annealing. A step costs O(k² d)
    whatever n is. Independent regions of the data run on several threads, which changes nothing in the result.
    An interrupt ends it without a release: who wants what can be had in a time gives that time as the budget.

    References
    ----------
    Laszlo and Mukherjee (2005) for local search on groups of bounded size; Kirkpatrick, Gelatt and Vecchi (1983).

    Examples
    --------
    >>> from discreet.datasets import business
    >>> data = business(60)
    >>> better = Refine(k=3, budget=2000, random_state=0).mask(data).provenance.details["sse"]
    >>> better < Refine(k=3, budget=1, random_state=0).mask(data).provenance.details["sse"]
    True
    """

    start: NumericMicroaggregation | None = parameter(
        Optional(Instance(NumericMicroaggregation, "a numeric microaggregation")), default=None
    )
    budget: int | str = parameter(BUDGET, default="10s")
    polish: bool | None = parameter(Optional(Flag()), default=None)
    random_state: RandomState = parameter(Seed(), default=None)

    @classmethod
    def examples(cls) -> list[Refine]:
        """Return a few steps, so that results can be compared."""
        return [cls(k=3, budget=2000), cls(k=4, budget=1000, blocks=2, missing="pattern")]

    def _partition(self, points: Points) -> IntArray:
        check_budget(type(self).__name__, self.budget)
        if self.start is None:
            from discreet.masking.microaggregation.numbers.mdav import MDAV

            start: NumericMicroaggregation = MDAV(self.k)
        else:
            start = self.start.clone().set_params(k=self.k)
        labels = start._partition(points)  # noqa: SLF001 - one microaggregation inside another
        seed = int(points.rng.integers(2**63))
        return refined(type(self).__name__, points.values, self.k, labels, self.budget, seed, polish=self.polish)
