"""Exact ranks of some values of a column, from which a bound on the distance of any two follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.data.block import Block
from discreet.kernels.groups.univariate import sorted_values
from discreet.statistics.question import Inquiry
from discreet.statistics.sample import Sample, SampledRecords
from discreet.typing import FloatArray, IntArray

__all__ = ["RankGrid", "rank_grids"]

# Values whose exact ranks are counted: the bound on a rank difference is loose by the records between two of them.
_GRID = 4000
_SAMPLE = 200_000


@dataclass(frozen=True)
class RankGrid:
    """Exact ranks of some values of a column, the last of them infinity.

    Attributes
    ----------
    values : (m,) float64
    below, up_to : (m,) int64
        How many records are smaller, and how many are at most that large.
    """

    values: FloatArray
    below: IntArray
    up_to: IntArray

    def apart(self, ranked: FloatArray, lower: IntArray, upper: IntArray) -> IntArray:
        """Return how many records can lie between two values at most, those equal to either not counted.

        Parameters
        ----------
        ranked : (n,) float64
            Values in ascending order.
        lower, upper : (m,) int64
            Places among them, of the smaller and of the larger value.
        """
        places = np.searchsorted(self.values, ranked, side="left")
        below = self.below[places]
        under = places - (self.values[places] != ranked)  # no value of a grid stands there twice
        not_above = np.where(under >= 0, self.up_to[under], 0)
        return np.asarray(np.maximum(below[upper] - not_above[lower], 0))


@dataclass(frozen=True)
class _Ranks:
    """By column, how many records lie below every value of a grid, and how many at or below it."""

    counts: Mapping[str, IntArray]

    def merge(self, later: _Ranks, /) -> _Ranks:
        return _Ranks({name: counts + later.counts[name] for name, counts in self.counts.items()})


@dataclass(frozen=True, eq=False)
class _CountGrid:
    grids: Mapping[str, FloatArray]

    @property
    def original(self) -> tuple[str, ...]:
        return tuple(self.grids)

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> _Ranks:
        counts = {}
        for name, grid in self.grids.items():
            column = sorted_values(_numbers(block.original.encoded(name)))[1]
            counts[name] = np.stack([np.searchsorted(column, grid, side=side) for side in ("left", "right")])
        return _Ranks(counts)


def rank_grids(names: tuple[str, ...], n: int, seed: int) -> Inquiry[dict[str, RankGrid]]:
    """Ask for a sample of the `n` records, and for the exact ranks of its values."""
    sampled: SampledRecords = yield Sample(names, _SAMPLE, n, seed)
    sample = sampled.records()
    grids = {}
    for name in names:
        values = np.unique(_numbers(sample[name]))
        if values.size > _GRID:
            values = values[np.unique(np.linspace(0, values.size - 1, _GRID).astype(np.int64))]
        grids[name] = np.append(values, np.inf)
    ranks: _Ranks = yield _CountGrid(grids)
    return {name: RankGrid(grids[name], *ranks.counts[name].astype(np.int64)) for name in names}


def _numbers(column: Any) -> FloatArray:
    if column.dtype.kind == "i":
        return np.asarray(column[column >= 0], dtype=np.float64)
    return np.asarray(column[~np.isnan(column)])
