"""Values within classes of equal keys: the different records of a release by their keys and some values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.data.block import Block
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical
from discreet.data.scales.written import absent_of
from discreet.data.schema import Schema
from discreet.statistics.value_counts import check_different
from discreet.statistics.written_levels import level_codes
from discreet.typing import FloatArray, IntArray

__all__ = ["ClassRecords", "ClassValues", "Classified"]


@dataclass(frozen=True, repr=False)
class Classified:
    """Records, or different records with counts, by class of equal keys and by the levels of some attributes.

    Attributes
    ----------
    labels : (m,) int64
        The class of each.
    counts : (m,) int64
        How many records each stands for.
    codes : dict of str to pair of array and int
        The levels of each, and how many there are; the last one is the missing value.
    gaps : bool
        Whether a key is missing anywhere.
    """

    labels: IntArray
    counts: IntArray
    codes: dict[str, tuple[IntArray, int]]
    gaps: bool

    @classmethod
    def of(cls, labels: IntArray, data: Microdata, values: tuple[str, ...]) -> Classified:
        """Return the records of a table whose classes are known, one by one."""
        ones = np.ones(labels.size, dtype=np.int64)
        return cls(labels, ones, {name: level_codes(data, name) for name in values}, gaps=False)

    @property
    def groups(self) -> int:
        """The number of classes."""
        return int(self.labels.max()) + 1

    @property
    def n(self) -> int:
        """The number of records."""
        return int(self.counts.sum())


@dataclass(frozen=True, repr=False)
class ClassRecords:
    """The different records by keys and values, with counts.

    Attributes
    ----------
    keys : (m, keys) int64
        Equal exactly where a written file shows the same.
    values : (m, values) float64
        Encoded; NaN where missing.
    counts : (m,) int64
    gaps : bool
    """

    keys: IntArray
    values: FloatArray
    counts: IntArray
    gaps: bool

    @classmethod
    def of(cls, keys: IntArray, values: FloatArray, counts: IntArray, *, gaps: bool) -> ClassRecords:
        """Bring equal records together."""
        values = np.where(np.isnan(values), np.nan, values + 0.0)  # one nought, and one way to be missing
        rows = np.concatenate([keys, np.ascontiguousarray(values).view(np.int64)], axis=1)
        _, first, place = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        check_different("records", first.size)
        sums = np.bincount(place.ravel(), weights=counts, minlength=first.size).astype(np.int64)
        return cls(keys[first], values[first], sums, gaps)

    def merge(self, later: ClassRecords, /) -> ClassRecords:
        return ClassRecords.of(
            np.concatenate([self.keys, later.keys]),
            np.concatenate([self.values, later.values]),
            np.concatenate([self.counts, later.counts]),
            gaps=self.gaps or later.gaps,
        )

    def classified(self, names: tuple[str, ...], schema: Schema) -> Classified:
        """Return them by class and level; `names` are those of the values, declared in `schema`."""
        labels = np.unique(self.keys, axis=0, return_inverse=True)[1].ravel().astype(np.int64)
        codes = {}
        for name, column in zip(names, self.values.T, strict=True):
            scale, absent = schema[name].scale, np.isnan(column)
            if isinstance(scale, Categorical):
                size, levels = len(scale), np.where(absent, 0.0, column)
            else:
                different = np.unique(column[~absent])
                size, levels = different.size, np.searchsorted(different, column)
            codes[name] = (np.where(absent, size, levels).astype(np.int64), size + 1)
        return Classified(labels, self.counts, codes, self.gaps)


@dataclass(frozen=True)
class ClassValues:
    """Ask which values occur in which classes of equal keys of the release, and how often."""

    keys: tuple[str, ...]
    values: tuple[str, ...]
    original: ClassVar[tuple[str, ...]] = ()

    @property
    def released(self) -> tuple[str, ...]:
        return (*self.keys, *self.values)

    def summarise(self, block: Block, /) -> ClassRecords:
        table = block.release
        keys = np.stack([table.cell_keys(name) for name in self.keys], axis=1)
        values = np.stack([_as_float(table.encoded(name)) for name in self.values], axis=1)
        gaps = any(bool(absent_of(table.encoded(name)).any()) for name in self.keys)
        return ClassRecords.of(keys, values, np.ones(len(block), dtype=np.int64), gaps=gaps)


def _as_float(encoded: FloatArray | IntArray) -> FloatArray:
    if encoded.dtype.kind == "f":
        return np.asarray(encoded, dtype=np.float64)
    return np.where(encoded < 0, np.nan, encoded.astype(np.float64))
