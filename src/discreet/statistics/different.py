"""The different records on some attributes, with how often each occurs and what it weighs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.data.block import Block
from discreet.data.scales import EncodedSequences
from discreet.typing import FloatArray, IntArray

__all__ = ["COUNT", "TOTAL", "Different", "DifferentRecords", "comparable"]

COUNT, TOTAL = "#count", "#total"
_DIGITS = 12
"""Of a sum of weights: sums of blocks of another size differ by less."""


@dataclass(frozen=True)
class DifferentRecords:
    """Columns of different records, with :data:`COUNT` and :data:`TOTAL`; not sorted yet where blocks were merged."""

    names: tuple[str, ...]
    columns: Mapping[str, Any]

    def merge(self, later: DifferentRecords, /) -> DifferentRecords:
        both = {name: np.concatenate([column, later.columns[name]]) for name, column in self.columns.items()}
        return counted(self.names, both)

    def ordered(self) -> dict[str, Any]:
        """Return the columns, sorted by the attributes, a missing value first; totals to twelve digits."""
        order = np.lexsort([_sortable(self.columns[name]) for name in reversed(self.names)])
        result = {name: column[order] for name, column in self.columns.items()}
        return result | {TOTAL: _shortened(result[TOTAL])}


@dataclass(frozen=True)
class Different:
    """The different records on `names`; `weight` is summed, or records are counted. Engines may count natively."""

    names: tuple[str, ...]
    weight: str | None = None

    @property
    def original(self) -> tuple[str, ...]:
        return (*self.names, *([self.weight] if self.weight else []))

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> DifferentRecords:
        columns = {name: _flat(block.original.encoded(name)) for name in self.names}
        ones = np.ones(len(block), dtype=np.int64)
        weights = ones.astype(np.float64) if self.weight is None else block.original.encoded(self.weight)
        return counted(self.names, {**columns, COUNT: ones, TOTAL: weights})


def counted(names: tuple[str, ...], columns: Mapping[str, Any]) -> DifferentRecords:
    """Return each combination once, with the sums of its counts and totals."""
    labels: IntArray = np.zeros(len(columns[COUNT]), dtype=np.int64)
    for name in names:
        places = np.unique(_sortable(columns[name]), return_inverse=True)[1].ravel()
        pairs = labels * (int(places.max(initial=0)) + 1) + places
        labels = np.unique(pairs, return_inverse=True)[1].ravel()
    first = np.unique(labels, return_index=True)[1]
    result = {name: columns[name][first] for name in names}
    result[COUNT] = np.bincount(labels, weights=columns[COUNT]).astype(np.int64)
    result[TOTAL] = np.bincount(labels, weights=columns[TOTAL])
    return DifferentRecords(names, result)


def comparable(column: Any) -> FloatArray:
    """Return codes or numbers so that they can be compared: NaN and −1, the missing values, as −inf and −1."""
    return np.where(np.isnan(column), -np.inf, column + 0.0) if column.dtype.kind == "f" else column.astype(np.float64)


def _flat(column: Any) -> Any:
    if not isinstance(column, EncodedSequences):
        return column
    texts = np.empty(len(column), dtype=object)
    texts[:] = column.keys()
    return texts


def _sortable(column: Any) -> Any:
    return np.unique(column, return_inverse=True)[1].ravel() if column.dtype == object else comparable(column)


def _shortened(totals: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        places = _DIGITS - 1 - np.floor(np.log10(np.abs(totals)))
    factor = 10.0 ** np.where(np.isfinite(places), np.clip(places, -290, 290), 0.0)
    return np.asarray(np.rint(totals * factor) / factor)
