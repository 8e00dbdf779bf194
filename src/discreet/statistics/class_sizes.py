"""How large the classes of records with equal keys are, and what chance they give a guess."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from discreet.statistics.counts import Combinations
from discreet.typing import FloatArray, IntArray

__all__ = ["Chances", "ClassSizes", "GuessChances", "SizeTable", "median_of"]

A = TypeVar("A", FloatArray, IntArray)

_MOST_VALUES = 1_000_000
"""Different chances that are kept for their median."""


def median_of(values: FloatArray | IntArray, records: IntArray) -> float:
    """Return the median of values that are ascending and occur `records` times.

    Examples
    --------
    >>> median_of(np.array([1, 4]), np.array([2, 2]))
    2.5
    """
    last = np.cumsum(records)
    n = int(last[-1])
    middle = np.searchsorted(last, [(n + 1) // 2, n // 2 + 1])
    return float(0.5 * (values[middle[0]] + values[middle[1]]))


def _added(values: A, *numbers: IntArray) -> tuple[A, list[IntArray]]:
    """Return the different values, ascending, and the sums of the numbers that belong to them."""
    distinct, place = np.unique(values, return_inverse=True)
    return distinct, [np.bincount(place, weights=n, minlength=distinct.size).astype(np.int64) for n in numbers]


@dataclass(frozen=True, repr=False)
class SizeTable:
    """How many combinations and records there are of every size of a class.

    Attributes
    ----------
    sizes : (s,) int64
        Ascending; at most √(2 n) of them.
    combinations, records : (s,) int64
    gaps : int
        Combinations in which a key is missing.
    alone : float
        Σ 1/weight over the records that are alone: how many of them are expected to be alone in the population.
    """

    sizes: IntArray
    combinations: IntArray
    records: IntArray
    gaps: int
    alone: float

    def merge(self, later: SizeTable, /) -> SizeTable:
        both: IntArray = np.concatenate([self.sizes, later.sizes])
        sizes, (combinations, records) = _added(
            both,
            np.concatenate([self.combinations, later.combinations]),
            np.concatenate([self.records, later.records]),
        )
        return SizeTable(sizes, combinations, records, self.gaps + later.gaps, self.alone + later.alone)

    @property
    def n(self) -> int:
        """The number of records."""
        return int(self.records.sum())

    def below(self, k: int) -> int:
        """Return the records in classes smaller than `k`."""
        return int(self.records[self.sizes < k].sum())


@dataclass(frozen=True)
class ClassSizes:
    """Ask how large the classes are.

    Parameters
    ----------
    missing : {"category", "any"}
        Whether a missing cell is a value of its own or agrees with all of them.
    """

    missing: str = "category"

    @property
    def whole(self) -> bool:
        return self.missing == "any"

    def summarise(self, combinations: Combinations, /) -> SizeTable:
        size, total = _sizes(combinations, self.missing)
        sizes, (number, records) = _added(size, np.ones(size.size, dtype=np.int64), combinations.counts)
        alone = (combinations.counts / total.clip(min=1.0))[size == 1]
        return SizeTable(sizes, number, records, int(combinations.absent.any(axis=1).sum()), float(alone.sum()))


@dataclass(frozen=True, repr=False)
class GuessChances:
    """The chance of a correct guess over all records.

    Attributes
    ----------
    n : int
    total, highest : float
        The sum over records, and the largest.
    above : (limits,) int64
        The records whose chance is above each limit.
    values, records : arrays, optional
        The different chances, ascending, and how many records have them; None where there are too many to keep.
    gaps : int
        Combinations in which a key is missing.
    """

    n: int
    total: float
    highest: float
    above: IntArray
    values: FloatArray | None
    records: IntArray | None
    gaps: int

    @classmethod
    def of(cls, chances: FloatArray, counts: IntArray, limits: tuple[float, ...], gaps: int) -> GuessChances:
        """Return the figures of chances that `counts` records have."""
        above = np.array([int(counts[chances > limit].sum()) for limit in limits], dtype=np.int64)
        total, highest = float((chances * counts).sum()), float(chances.max())
        return cls(int(counts.sum()), total, highest, above, *_values_unless_many(chances, counts), gaps)

    def merge(self, later: GuessChances, /) -> GuessChances:
        values: FloatArray | None = None
        records: IntArray | None = None
        if self.values is not None and later.values is not None:
            mine, theirs = self.records, later.records
            assert mine is not None and theirs is not None  # noqa: S101, PT018 - kept or dropped with the values
            values, records = _values_unless_many(
                np.concatenate([self.values, later.values]), np.concatenate([mine, theirs])
            )
        return GuessChances(
            self.n + later.n,
            self.total + later.total,
            max(self.highest, later.highest),
            self.above + later.above,
            values,
            records,
            self.gaps + later.gaps,
        )

    @property
    def median(self) -> float | None:
        """The median over records, where it could be kept."""
        return None if self.values is None or self.records is None else median_of(self.values, self.records)


@dataclass(frozen=True)
class Chances:
    """Ask what chance an intruder has.

    Parameters
    ----------
    rule : callable
        Takes the sizes of classes and the sums of their weights, and gives the chance of each; a function of a module.
    limits : tuple of float
        The chances above which records are counted.
    missing : {"category", "any"}
    """

    rule: Callable[[IntArray, FloatArray], FloatArray]
    limits: tuple[float, ...]
    missing: str = "category"

    @property
    def whole(self) -> bool:
        return self.missing == "any"

    def summarise(self, combinations: Combinations, /) -> GuessChances:
        chances = self.rule(*_sizes(combinations, self.missing))
        gaps = int(combinations.absent.any(axis=1).sum())
        return GuessChances.of(chances, combinations.counts, self.limits, gaps)


def _values_unless_many(chances: FloatArray, counts: IntArray) -> tuple[FloatArray | None, IntArray | None]:
    values, (records,) = _added(chances, counts)
    return (values, records) if values.size <= _MOST_VALUES else (None, None)


def _sizes(combinations: Combinations, missing: str) -> tuple[IntArray, FloatArray]:
    return combinations.agreeing() if missing == "any" else (combinations.counts, combinations.totals)
