"""The different rows of two files on one list, with how many records of either have each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.data.block import Block
from discreet.data.levels import JoinedLevels
from discreet.data.microdata import Microdata
from discreet.data.scales import EncodedSequences
from discreet.statistics.value_counts import check_different
from discreet.typing import BoolArray, IntArray

__all__ = ["BothRows", "RowCounts"]

_STEP = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, repr=False)
class RowCounts:
    """The different rows of either file, as numbers of 64 bits, and the records that have them.

    Attributes
    ----------
    rows : (m,) uint64
        Ascending.
    before, after : (m,) int64
        0 where a file has no such row.
    blank : int
        The released records of which no cell is left.
    """

    rows: NDArray[np.uint64]
    before: IntArray
    after: IntArray
    blank: int

    def merge(self, later: RowCounts, /) -> RowCounts:
        rows, place = np.unique(np.concatenate([self.rows, later.rows]), return_inverse=True)
        check_different("records", rows.size)
        before, after = (
            np.bincount(place, weights=np.concatenate(both), minlength=rows.size).astype(np.int64)
            for both in ((self.before, later.before), (self.after, later.after))
        )
        return RowCounts(rows, before, after, self.blank + later.blank)


@dataclass(frozen=True)
class BothRows:
    """Ask for the different rows of both files.

    Parameters
    ----------
    names : tuple of str
        The attributes of a row, all of them columns of the original.
    levels : tuple of JoinedLevels or None
        Of each that has levels in both files; others are compared by value.
    released : tuple of str
        Those that the release has; any other is a missing cell there.

    Notes
    -----
    Rows are told apart by 64 bits: two of a million different ones meet with a chance of one in 10⁷.
    """

    names: tuple[str, ...]
    levels: tuple[JoinedLevels | None, ...]
    released: tuple[str, ...]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    def summarise(self, block: Block, /) -> RowCounts:
        sides = []
        empty: BoolArray = np.ones(len(block), dtype=np.bool_)
        for side, table in enumerate((block.original, block.release)):
            state = np.full(len(block), _STEP, dtype=np.uint64)
            for name, levels in zip(self.names, self.levels, strict=True):
                if side and name not in self.released:
                    state = _mixed(state ^ _MISSING)
                    continue
                codes = None if levels is None else block.levels(name, levels)[side]
                numbers = _cells(table, name) if codes is None else codes.astype(np.uint64)
                absent = table.missing(name)
                state = _mixed(state ^ np.where(absent, _MISSING, _mixed(numbers + _STEP)))
                if side:
                    empty &= absent
            sides.append(state)
        n = len(block)
        rows, place = np.unique(np.concatenate(sides), return_inverse=True)
        before, after = (np.bincount(part, minlength=rows.size) for part in (place[:n], place[n:]))
        return RowCounts(rows, before, after, int(empty.sum()))


_MISSING = np.uint64(0xD1B54A32D192ED03)


def _cells(table: Microdata, name: str) -> NDArray[np.uint64]:
    """Return a number for every cell, the same where cells are equal."""
    encoded: Any = table.encoded(name)
    if isinstance(encoded, EncodedSequences):
        return table.cell_keys(name).view(np.uint64)
    if encoded.dtype.kind == "f":
        return np.ascontiguousarray(encoded.astype(np.float64) + 0.0).view(np.uint64)
    return np.asarray(encoded.astype(np.int64)).view(np.uint64)


def _mixed(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the output function of SplitMix64."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(state ^ (state >> np.uint64(31)))
