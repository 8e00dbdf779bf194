"""A sample of the records, the same however they are cut into blocks: those with the smallest draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.data.block import Block
from discreet.data.keyed_draws import Draws
from discreet.typing import FloatArray, IntArray

__all__ = ["Sample", "SampledRecords"]


@dataclass(frozen=True)
class SampledRecords:
    """Some records by position, with their draws."""

    size: int
    rows: IntArray
    draws: FloatArray
    columns: Mapping[str, Any]

    def merge(self, later: SampledRecords, /) -> SampledRecords:
        return SampledRecords(
            self.size,
            np.concatenate([self.rows, later.rows]),
            np.concatenate([self.draws, later.draws]),
            {name: np.concatenate([column, later.columns[name]]) for name, column in self.columns.items()},
        )

    def records(self) -> dict[str, Any]:
        """Return the columns of the `size` records with the smallest draws, in the order of their positions."""
        smallest = np.argsort(self.draws, kind="stable")[: self.size]
        order = smallest[np.argsort(self.rows[smallest], kind="stable")]
        return {name: column[order] for name, column in self.columns.items()}


@dataclass(frozen=True)
class Sample:
    """`size` of `of` records, or all where there are no more."""

    names: tuple[str, ...]
    size: int
    of: int
    seed: int

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> SampledRecords:
        draws = Draws.of(self.seed, None, "sample").uniform(block.rows)
        # Draws are uniform: with this share, fewer than asked for are found once in ten thousand samples.
        share = 1.0 if self.size >= self.of else min(1.0, (self.size + 4.0 * np.sqrt(self.size) + 8.0) / self.of)
        inside = np.flatnonzero(draws < share)
        columns = {name: block.original.encoded(name)[inside] for name in self.names}
        return SampledRecords(self.size, np.asarray(block.rows)[inside], draws[inside], columns)
