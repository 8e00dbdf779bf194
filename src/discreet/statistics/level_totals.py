"""How many records stand at every level of some attributes, or what they weigh together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from discreet.data.block import Block
from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.statistics.exact_sum import exact_sums, nearest
from discreet.typing import FloatArray

__all__ = ["LevelTotals", "Totals"]


@dataclass(frozen=True)
class Totals:
    """By attribute, the total of every level: a number of records, or an exact sum of weights."""

    names: tuple[str, ...]
    sums: tuple[tuple[int, ...], ...]
    weighted: bool

    def merge(self, later: Totals, /) -> Totals:
        sums = (
            tuple(a + b for a, b in zip(mine, theirs, strict=True))
            for mine, theirs in zip(self.sums, later.sums, strict=True)
        )
        return Totals(self.names, tuple(sums), self.weighted)

    def of(self, name: str) -> FloatArray:
        """Return the totals of an attribute's levels."""
        sums = self.sums[self.names.index(name)]
        return np.array([nearest(total) if self.weighted else float(total) for total in sums])


@dataclass(frozen=True)
class LevelTotals:
    """The totals of every level of some categorical attributes; a missing value is not counted."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    weight: str | None = None

    @classmethod
    def of_schema(cls, schema: Schema, names: tuple[str, ...], weight: str | None) -> LevelTotals:
        """Return the question for attributes of a schema."""
        return cls(names, tuple(len(cast("Categorical", schema[name].scale)) for name in names), weight)

    @property
    def original(self) -> tuple[str, ...]:
        return (*self.names, *([self.weight] if self.weight else []))

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> Totals:
        weights = None if self.weight is None else block.original.encoded(self.weight)
        sums = []
        for name, size in zip(self.names, self.sizes, strict=True):
            codes = block.original.encoded(name)
            present = codes >= 0
            if weights is None:
                sums.append(tuple(np.bincount(codes[present], minlength=size).tolist()))
            else:
                sums.append(exact_sums(weights[present], codes[present].astype(np.int64), size))
        return Totals(self.names, tuple(sums), weights is not None)
