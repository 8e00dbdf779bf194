"""Means and standard deviations to the last bit, however the records were cut into blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.data.block import Block
from discreet.errors import DataError
from discreet.statistics.exact_sum import exact_sums, nearest
from discreet.statistics.question import Inquiry
from discreet.typing import FloatArray

__all__ = ["ColumnSums", "ColumnTotals", "moments"]


@dataclass(frozen=True)
class ColumnTotals:
    """By column, how many values are present, how many of them have no finite square, and the exact sum."""

    present: tuple[int, ...]
    beyond: tuple[int, ...]
    sums: tuple[int, ...]

    def merge(self, later: ColumnTotals, /) -> ColumnTotals:
        mine, theirs = (self.present, self.beyond, self.sums), (later.present, later.beyond, later.sums)
        return ColumnTotals(
            *(
                tuple(a + b for a, b in zip(first, second, strict=True))
                for first, second in zip(mine, theirs, strict=True)
            )
        )


@dataclass(frozen=True, eq=False)
class ColumnSums:
    """The sums of columns or, around `centre`, of their squares; a missing value has no say.

    `values` gives the columns of a block, one a name, NaN where a value is missing.
    """

    names: tuple[str, ...]
    values: Callable[[Block], FloatArray]
    centre: FloatArray | None = None

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> ColumnTotals:
        present, beyond = [], []
        sums: list[int] = []
        values = self.values(block)
        for j in range(len(self.names)):
            column = values[:, j][~np.isnan(values[:, j])]
            present.append(int(column.size))
            if self.centre is not None:
                with np.errstate(over="ignore"):
                    column = (column - self.centre[j]) ** 2
            finite = np.isfinite(column)
            beyond.append(int((~finite).sum()))
            column = column[finite]
            sums += exact_sums(column, np.zeros(column.size, dtype=np.int64), 1)
        return ColumnTotals(tuple(present), tuple(beyond), tuple(sums))


def moments(names: tuple[str, ...], values: Callable[[Block], Any]) -> Inquiry[tuple[FloatArray, FloatArray]]:
    """Ask for the mean and the standard deviation of columns; both are 0 of one without a value."""
    totals: ColumnTotals = yield ColumnSums(names, values)
    counts = [max(count, 1) for count in totals.present]
    means = np.array([nearest(total, n) for total, n in zip(totals.sums, counts, strict=True)])
    squares: ColumnTotals = yield ColumnSums(names, values, means)
    for name, present, beyond in zip(names, squares.present, squares.beyond, strict=True):
        if beyond:
            raise DataError(f"Column {name!r}: {beyond} of {present} values are too large for a standard deviation.")
    variances = [nearest(total, n) for total, n in zip(squares.sums, counts, strict=True)]
    return means, np.sqrt(np.array(variances))
