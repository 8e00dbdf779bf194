"""A sample of the records as they are in both tables, the same however they are cut into blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.data.block import Block
from discreet.data.keyed_draws import Draws
from discreet.data.microdata import Microdata, joined_records
from discreet.typing import FloatArray, IntArray

__all__ = ["DrawnPairs", "PairSample"]


@dataclass(frozen=True, repr=False)
class DrawnPairs:
    """Some records by position, with their draws, before and after; blocks are put together at the end."""

    size: int
    rows: IntArray
    draws: FloatArray
    before: tuple[Microdata, ...]
    after: tuple[Microdata, ...]

    def merge(self, later: DrawnPairs, /) -> DrawnPairs:
        return DrawnPairs(
            self.size,
            np.concatenate([self.rows, later.rows]),
            np.concatenate([self.draws, later.draws]),
            self.before + later.before,
            self.after + later.after,
        )

    @property
    def positions(self) -> IntArray:
        """The positions of the `size` records with the smallest draws, rising: those of :meth:`tables`."""
        return np.asarray(self.rows[self.order])

    def tables(self) -> tuple[Microdata, Microdata]:
        """Return the `size` records with the smallest draws in the order of their positions, before and after."""
        order = self.order
        before, after = (joined_records(parts).take(order) for parts in (self.before, self.after))
        return before, after

    @property
    def order(self) -> IntArray:
        """Where the `size` records with the smallest draws stand among those that were drawn, by their positions."""
        smallest = np.argsort(self.draws, kind="stable")[: self.size]
        return np.asarray(smallest[np.argsort(self.rows[smallest], kind="stable")])


@dataclass(frozen=True)
class PairSample:
    """`size` of `of` records, or all where there are no more; `names` must be released."""

    names: tuple[str, ...]
    size: int
    of: int
    seed: int = 0

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released = original

    def summarise(self, block: Block, /) -> DrawnPairs:
        draws = Draws.of(self.seed, None, "sample").uniform(block.rows)
        # Draws are uniform: with this share, fewer than asked for are found once in ten thousand samples.
        share = 1.0 if self.size >= self.of else min(1.0, (self.size + 4.0 * np.sqrt(self.size) + 8.0) / self.of)
        inside = np.flatnonzero(draws < share)
        before, after = (table.select(self.names).take(inside) for table in (block.original, block.release))
        return DrawnPairs(self.size, np.asarray(block.rows)[inside], draws[inside], (before,), (after,))
