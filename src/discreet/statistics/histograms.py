"""Histograms of numbers in both files: first between what they lie, then how many are in every bin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.data.block import Block
from discreet.statistics.question import OfBothFiles
from discreet.typing import FloatArray

__all__ = ["BothEnds", "EndsOfBoth", "Histogram", "Histograms"]


@dataclass(frozen=True)
class EndsOfBoth:
    """The smallest and the largest number of each column, of either file; infinite the wrong way where none is.

    Attributes
    ----------
    low, high : (2, columns) float64
        Before, after.
    """

    low: FloatArray
    high: FloatArray

    def merge(self, later: EndsOfBoth, /) -> EndsOfBoth:
        return EndsOfBoth(np.minimum(self.low, later.low), np.maximum(self.high, later.high))


@dataclass(frozen=True)
class BothEnds:
    """Ask between what the numbers of both files lie."""

    names: tuple[str, ...]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released = original

    def summarise(self, block: Block, /) -> EndsOfBoth:
        low, high = [], []
        for table in (block.original, block.release):
            numbers = table.numeric(self.names)
            low.append(np.where(np.isnan(numbers), np.inf, numbers).min(axis=0, initial=np.inf))
            high.append(np.where(np.isnan(numbers), -np.inf, numbers).max(axis=0, initial=-np.inf))
        return EndsOfBoth(np.stack(low), np.stack(high))


@dataclass(frozen=True, repr=False)
class Histogram:
    """By column, the weight in every bin, before and after."""

    counts: dict[str, tuple[FloatArray, FloatArray]]

    def merge(self, later: Histogram, /) -> Histogram:
        both = {name: (mine, later.counts[name]) for name, mine in self.counts.items()}
        return Histogram({name: (a[0] + b[0], a[1] + b[1]) for name, (a, b) in both.items()})


@dataclass(frozen=True)
class Histograms(OfBothFiles):
    """Ask how many numbers are in every bin of equal width.

    Parameters
    ----------
    names : tuple of str
    ends : tuple of pair of float
        Of each column, the low and the high end.
    bins : int
    weight : str, optional
    """

    names: tuple[str, ...]
    ends: tuple[tuple[float, float], ...]
    bins: int
    weight: str | None = None

    def summarise(self, block: Block, /) -> Histogram:
        weights = None if self.weight is None else block.original.weights()
        weights = np.ones(len(block)) if weights is None else weights
        counts = {}
        for name, (low, high) in zip(self.names, self.ends, strict=True):
            edges = np.linspace(low, high, self.bins + 1)
            sides = []
            for table in (block.original, block.release):
                numbers = table.encoded(name)
                there = ~np.isnan(numbers)
                sides.append(np.histogram(numbers[there], edges, weights=weights[there])[0])
            counts[name] = (sides[0], sides[1])
        return Histogram(counts)
