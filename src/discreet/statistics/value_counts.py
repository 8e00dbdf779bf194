"""Values with counts: whole distributions, as far as their different values fit in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.data.block import Block
from discreet.errors import DataError
from discreet.statistics.question import OfBothFiles
from discreet.typing import FloatArray, IntArray

__all__ = ["MOST_DIFFERENT", "CountedValues", "PairCounts", "ValueCounts", "ValuePairs", "check_different"]

MOST_DIFFERENT = 20_000_000
"""Different values, or records, that are brought into memory together."""


def check_different(what: str, count: int) -> None:
    """Refuse more different values than fit in memory for certain."""
    if count > MOST_DIFFERENT:
        raise DataError(
            f"There are {count:,} different {what}, and up to {MOST_DIFFERENT:,} are brought together.",
            hint="Take it of a sample of the records, or of rounded values.",
        )


@dataclass(frozen=True, repr=False)
class CountedValues:
    """Different rows of numbers, ascending, with how many records have each and their weight.

    Attributes
    ----------
    rows : (m, width) float64
    counts : (m,) int64
    weights : (m,) float64
    """

    rows: FloatArray
    counts: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, rows: FloatArray, counts: IntArray, weights: FloatArray) -> CountedValues:
        """Bring equal rows together."""
        order = np.lexsort(rows.T[::-1])
        rows = rows[order] + 0.0  # one nought
        starts = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]).any(axis=1))) if len(rows) else order
        check_different("values", starts.size)
        if not len(rows):
            return cls(rows, counts, weights)
        return cls(rows[starts], np.add.reduceat(counts[order], starts), np.add.reduceat(weights[order], starts))

    def merge(self, later: CountedValues, /) -> CountedValues:
        return CountedValues.of(
            np.concatenate([self.rows, later.rows]),
            np.concatenate([self.counts, later.counts]),
            np.concatenate([self.weights, later.weights]),
        )

    @property
    def n(self) -> int:
        """The number of records."""
        return int(self.counts.sum())


def _weights(block: Block, weight: str | None) -> FloatArray:
    weights = None if weight is None else block.original.weights()
    return np.ones(len(block)) if weights is None else weights


def _counted(columns: list[FloatArray], weights: FloatArray) -> CountedValues:
    rows = np.stack(columns, axis=1)
    there = ~np.isnan(rows).any(axis=1)
    return CountedValues.of(rows[there], np.ones(int(there.sum()), dtype=np.int64), weights[there])


@dataclass(frozen=True, repr=False)
class ValuePairs:
    """Counted values by attribute, of each file or of both together."""

    parts: dict[str, tuple[CountedValues, ...]]

    def merge(self, later: ValuePairs, /) -> ValuePairs:
        both = {name: zip(mine, later.parts[name], strict=True) for name, mine in self.parts.items()}
        return ValuePairs({name: tuple(one.merge(two) for one, two in pairs) for name, pairs in both.items()})


@dataclass(frozen=True)
class ValueCounts(OfBothFiles):
    """Ask which numbers each file has and how often; missing ones do not count.

    Of every attribute there are two parts, before and after, a column each.
    """

    names: tuple[str, ...]
    weight: str | None = None

    def summarise(self, block: Block, /) -> ValuePairs:
        weights = _weights(block, self.weight)
        sides = block.original, block.release
        return ValuePairs(
            {name: tuple(_counted([side.encoded(name)], weights) for side in sides) for name in self.names}
        )


@dataclass(frozen=True)
class PairCounts(OfBothFiles):
    """Ask which numbers became which and how often; a record that lacks one of them does not count.

    Of every attribute there is one part with two columns, before and after.
    """

    names: tuple[str, ...]
    weight: str | None = None

    def summarise(self, block: Block, /) -> ValuePairs:
        weights = _weights(block, self.weight)
        return ValuePairs(
            {
                name: (_counted([block.original.encoded(name), block.release.encoded(name)], weights),)
                for name in self.names
            }
        )
