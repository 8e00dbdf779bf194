"""The different records of two files, each with its counterpart, how often it occurs and what it weighs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.data.block import Block
from discreet.data.microdata import Microdata, joined_records
from discreet.statistics.value_counts import check_different
from discreet.typing import FloatArray, IntArray

__all__ = ["DifferentPairs", "PairRows"]

_FEW = 1 << 16
"""Rows that are not worth comparing with each other yet."""


@dataclass(frozen=True)
class DifferentPairs:
    """Ask for the different records on some attributes of either file, or of both.

    Parameters
    ----------
    before, after : tuple of str
        What is looked at in the original and in the release.
    weight : str, optional
        The survey weight, a column of the original, which is summed.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    weight: str | None = None

    @property
    def original(self) -> tuple[str, ...]:
        return self.before if self.weight is None else (*self.before, self.weight)

    @property
    def released(self) -> tuple[str, ...]:
        return self.after

    def summarise(self, block: Block, /) -> PairRows:
        weights = None if self.weight is None else block.original.weights()
        return PairRows(self, block.original, block.release, {}, None, weights)


@dataclass(frozen=True, repr=False)
class PairRows:
    """Rows of two files that belong together, each of which stands for some records.

    What one block holds is handed on as it is, so that a table in memory costs nothing; equal rows become one where
    blocks are merged, each time that there are twice as many as the last time: O(n log n) for any number of blocks.

    Attributes
    ----------
    question : DifferentPairs
        What was asked for; the tables of a single block may have more columns.
    original, release : Microdata
        The rows of either file.
    written : dict of str to array
        Of the release, numbers that are equal exactly where a written file shows the same; filled when blocks merge.
    counts : (m,) int64, optional
        The records that a row stands for; None where it is one.
    totals : (m,) float64, optional
        What they weigh; None where no weight was asked for.
    different : int
        The rows that were left the last time that equal ones became one.
    """

    question: DifferentPairs
    original: Microdata
    release: Microdata
    written: dict[str, IntArray]
    counts: IntArray | None
    totals: FloatArray | None
    different: int = 0

    def __len__(self) -> int:
        return len(self.original)

    @property
    def records(self) -> IntArray:
        """The records that every row stands for."""
        return np.ones(len(self), dtype=np.int64) if self.counts is None else self.counts

    @property
    def weights(self) -> FloatArray | None:
        """What every row counts for: its weight, or the records that it stands for; None where all count alike."""
        return self.totals if self.totals is not None or self.counts is None else self.counts.astype(np.float64)

    def cell_keys(self, name: str) -> IntArray:
        """Return for every row a number of what the written release shows."""
        return self.written[name] if name in self.written else self.release.cell_keys(name)

    def merge(self, later: PairRows, /) -> PairRows:
        # A table without columns has no rows: where nothing was asked of a file, the columns of the other stand in.
        before = self.question.original or self.original.names[:1]
        after = self.question.after or self.release.names[:1]
        both = PairRows(
            self.question,
            joined_records([one.original.select(before) for one in (self, later)]),
            joined_records([one.release.select(after) for one in (self, later)]),
            {name: np.concatenate([self.cell_keys(name), later.cell_keys(name)]) for name in self.question.after},
            np.concatenate([self.records, later.records]),
            None if self.totals is None or later.totals is None else np.concatenate([self.totals, later.totals]),
            max(self.different, later.different),
        )
        return both.distinct() if len(both) > max(2 * both.different, _FEW) else both

    def distinct(self) -> PairRows:
        """Return equal rows as one."""
        labels: IntArray = np.zeros(len(self), dtype=np.int64)
        written = {name: self.cell_keys(name) for name in self.question.after}
        for column in (*written.values(), *(_identities(self.original, name) for name in self.question.before)):
            places = np.unique(column, return_inverse=True)[1].ravel()
            labels = np.unique(labels * (int(places.max(initial=0)) + 1) + places, return_inverse=True)[1].ravel()
        first = np.unique(labels, return_index=True)[1]
        check_different("records", first.size)
        return PairRows(
            self.question,
            self.original.take(first),
            self.release.take(first),
            {name: keys[first] for name, keys in written.items()},
            np.bincount(labels, weights=self.records).astype(np.int64),
            None if self.totals is None else np.bincount(labels, weights=self.totals).astype(np.float64),
            first.size,
        )


def _identities(table: Microdata, name: str) -> Any:
    """Return what tells the values of a column apart; an identifier has no scale, and is its text."""
    if table.schema[name].role != "identifier":
        return table.cell_keys(name)
    return table.column(name).to_numpy(zero_copy_only=False).astype(str)
