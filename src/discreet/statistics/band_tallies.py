"""How many numbers of a column lie in each of its bands, what they add up to, and which there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from discreet.data.block import Block
from discreet.statistics.exact_sum import exact_sums
from discreet.statistics.value_counts import check_different
from discreet.typing import FloatArray, IntArray

__all__ = ["BandTallies", "BandTally", "DistinctNumbers", "NumberCounts"]


class BandPlaces(Protocol):
    """Where numbers lie: a band each, −1 where one is missing, −2 where no band holds it."""

    @property
    def size(self) -> int: ...

    def places(self, numbers: FloatArray) -> IntArray: ...


@dataclass(frozen=True, repr=False)
class BandTally:
    """By column, the number of records and the exact sum of every band, and how many numbers no band holds."""

    counts: Mapping[str, IntArray]
    sums: Mapping[str, tuple[int, ...]]
    outside: Mapping[str, int]

    def merge(self, later: BandTally, /) -> BandTally:
        return BandTally(
            {name: counts + later.counts[name] for name, counts in self.counts.items()},
            {
                name: tuple(a + b for a, b in zip(sums, later.sums[name], strict=True))
                for name, sums in self.sums.items()
            },
            {name: count + later.outside[name] for name, count in self.outside.items()},
        )


@dataclass(frozen=True)
class BandTallies:
    """Ask how the numbers of some columns lie in bands."""

    bands: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, bands: Mapping[str, BandPlaces]) -> BandTallies:
        """Return the question for the bands of some columns."""
        return cls(tuple(bands.items()))

    @property
    def original(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.bands)

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> BandTally:
        counts, sums, outside = {}, {}, {}
        for name, bands in self.bands:
            numbers = block.original.encoded(name)
            places = bands.places(numbers)
            held = places >= 0
            counts[name] = np.bincount(places[held], minlength=bands.size).astype(np.int64)
            sums[name] = exact_sums(numbers[held], places[held], bands.size)
            outside[name] = int((places == -2).sum())
        return BandTally(counts, sums, outside)


@dataclass(frozen=True, repr=False)
class NumberCounts:
    """By column, its different numbers, ascending, and how many records have each."""

    columns: Mapping[str, tuple[FloatArray, IntArray]]

    def merge(self, later: NumberCounts, /) -> NumberCounts:
        merged = {}
        for name, (numbers, counts) in self.columns.items():
            others, more = later.columns[name]
            values, places = np.unique(np.concatenate([numbers, others]), return_inverse=True)
            check_different("numbers", values.size)
            sums = np.bincount(places.ravel(), weights=np.concatenate([counts, more]), minlength=values.size)
            merged[name] = values, sums.astype(np.int64)
        return NumberCounts(merged)


@dataclass(frozen=True)
class DistinctNumbers:
    """Ask which numbers some columns have and how often; missing ones do not count."""

    names: tuple[str, ...]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> NumberCounts:
        columns = {}
        for name in self.names:
            numbers = block.original.encoded(name)
            values, counts = np.unique(numbers[~np.isnan(numbers)] + 0.0, return_counts=True)
            columns[name] = values, counts.astype(np.int64)
        return NumberCounts(columns)
