"""Quantiles of numbers, exactly, in two passes: a sample tells where to look, and there all numbers are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.data.block import Block
from discreet.statistics.question import Inquiry
from discreet.typing import FloatArray, IntArray

__all__ = ["Between", "NumberSample", "NumbersBetween", "SampleOfNumbers", "at_ranks", "exact_quantiles"]

_SAMPLE = 200_000
"""Records that tell where to look; tables of no more need no second pass."""


def at_ranks(ordered: FloatArray, probabilities: Sequence[float]) -> FloatArray:
    """Return the values of rank ⌈q · n⌉ (at least 1) of ascending numbers; NaN where there are none.

    Examples
    --------
    >>> at_ranks(np.array([1.5, 2.5, 7.5]), [0.0, 0.5]).tolist()
    [1.5, 2.5]
    """
    if not ordered.size:
        return np.full(len(probabilities), np.nan)
    ranks = np.ceil(np.array(probabilities) * ordered.size).astype(np.int64)
    return np.asarray(ordered[np.clip(ranks, 1, ordered.size) - 1])


@dataclass(frozen=True, repr=False)
class NumberSample:
    """The numbers of the records with the smallest draws, which are the same in any blocks; all where they are few."""

    n: int
    present: IntArray
    rows: IntArray
    values: FloatArray

    def merge(self, later: NumberSample, /) -> NumberSample:
        rows: IntArray = np.concatenate([self.rows, later.rows])
        values: FloatArray = np.concatenate([self.values, later.values])
        return NumberSample(self.n + later.n, self.present + later.present, *_smallest(rows, values))

    def ordered(self, place: int) -> FloatArray:
        """Return a column's numbers, ascending."""
        column = self.values[:, place]
        return np.sort(column[~np.isnan(column)])


def _smallest(rows: IntArray, values: FloatArray) -> tuple[IntArray, FloatArray]:
    if rows.size <= _SAMPLE:
        return rows, values
    from discreet.data.keyed_draws import Draws  # compiled code, loaded when there is work for it

    draws = Draws.of(0, None, "sample").uniform(rows)
    first = np.argsort(draws, kind="stable")[:_SAMPLE]
    return rows[first], values[first]


@dataclass(frozen=True)
class SampleOfNumbers:
    """Ask for a sample of numbers of the original."""

    names: tuple[str, ...]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    @property
    def released(self) -> tuple[str, ...]:
        return ()

    def summarise(self, block: Block, /) -> NumberSample:
        values = block.original.numeric(self.names)
        present = (~np.isnan(values)).sum(axis=0).astype(np.int64)
        return NumberSample(len(block), present, *_smallest(np.asarray(block.rows), values))


@dataclass(frozen=True, repr=False)
class NumbersBetween:
    """By column, how many numbers lie below each interval, and the different ones inside with how often they occur."""

    below: tuple[IntArray, ...]
    values: tuple[FloatArray, ...]
    counts: tuple[IntArray, ...]

    def merge(self, later: NumbersBetween, /) -> NumbersBetween:
        values, counts = [], []
        columns = zip(self.values, later.values, self.counts, later.counts, strict=True)
        for mine, theirs, times, more in columns:
            distinct, place = np.unique(np.concatenate([mine, theirs]), return_inverse=True)
            values.append(distinct)
            counts.append(np.bincount(place, weights=np.concatenate([times, more])).astype(np.int64))
        below = tuple(first + second for first, second in zip(self.below, later.below, strict=True))
        return NumbersBetween(below, tuple(values), tuple(counts))


@dataclass(frozen=True)
class Between:
    """Ask for what lies in some intervals of numbers of the original."""

    names: tuple[str, ...]
    intervals: tuple[tuple[tuple[float, float], ...], ...]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    @property
    def released(self) -> tuple[str, ...]:
        return ()

    def summarise(self, block: Block, /) -> NumbersBetween:
        below, values, counts = [], [], []
        for name, intervals in zip(self.names, self.intervals, strict=True):
            column = block.original.encoded(name)
            column = np.sort(column[~np.isnan(column)])
            inside = np.zeros(column.size, dtype=np.bool_)
            for low, high in intervals:
                inside |= (column >= low) & (column <= high)
            distinct, times = np.unique(column[inside], return_counts=True)
            below.append(np.searchsorted(column, [low for low, _ in intervals], side="left").astype(np.int64))
            values.append(distinct)
            counts.append(times.astype(np.int64))
        return NumbersBetween(tuple(below), tuple(values), tuple(counts))


def exact_quantiles(
    names: tuple[str, ...], probabilities: Callable[[int], Sequence[float]]
) -> Inquiry[dict[str, FloatArray]]:
    """Inquire for quantiles of numbers of the original.

    Parameters
    ----------
    names : tuple of str
    probabilities : callable
        Given how many numbers a column has, the probabilities of its quantiles.

    Notes
    -----
    The quantile of probability q is the value of rank ⌈q · present⌉, at least 1; NaN where a column has no number. The
    sample misses an interval with a chance below 10⁻³⁰.
    """
    sample: NumberSample = yield SampleOfNumbers(names)
    chances = [list(probabilities(int(count))) for count in sample.present]
    ordered = [sample.ordered(place) for place in range(len(names))]
    if sample.n <= _SAMPLE:
        return {name: at_ranks(ordered[place], chances[place]) for place, name in enumerate(names)}
    around = tuple(_around(column, own) for column, own in zip(ordered, chances, strict=True))
    between: NumbersBetween = yield Between(names, around)
    result = {}
    for place, name in enumerate(names):
        present, last = int(sample.present[place]), np.cumsum(between.counts[place])
        quantiles = []
        for (low, _), q, below in zip(around[place], chances[place], between.below[place], strict=False):
            rank = min(max(int(np.ceil(q * present)), 1), present) - int(below)
            first = int(np.searchsorted(between.values[place], low, side="left"))
            before = int(last[first - 1]) if first else 0
            quantiles.append(float(between.values[place][np.searchsorted(last, rank + before)]))
        result[name] = np.array(quantiles) if present else np.full(len(chances[place]), np.nan)
    return result


def _around(ordered: FloatArray, probabilities: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """Return for every quantile an interval that it lies in, from the ranks of a sample."""
    if not ordered.size:
        # A column with next to no number: all that there are.
        return tuple((-np.inf, np.inf) for _ in probabilities)
    reach = 6.0 / np.sqrt(ordered.size)
    low = at_ranks(ordered, [q - reach for q in probabilities])
    high = at_ranks(ordered, [q + reach for q in probabilities])
    ends = zip(probabilities, low.tolist(), high.tolist(), strict=True)
    return tuple((a if q > reach else -np.inf, b if q < 1.0 - reach else np.inf) for q, a, b in ends)
