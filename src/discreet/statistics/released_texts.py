"""The different records of a release by the text of their keys, which another table can be compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.data.block import Block
from discreet.data.microdata import Microdata
from discreet.data.promised_rules import plain_text
from discreet.data.scales import Categorical
from discreet.statistics.value_counts import check_different
from discreet.typing import IntArray

__all__ = ["ReleasedTexts", "TextRecords", "texts_of"]


@dataclass(frozen=True, repr=False)
class TextRecords:
    """How many records have each combination of texts; a missing cell is the empty text."""

    counts: Mapping[tuple[str, ...], int]

    @property
    def n(self) -> int:
        """The number of records."""
        return sum(self.counts.values())

    def merge(self, later: TextRecords, /) -> TextRecords:
        both = dict(self.counts)
        for record, count in later.counts.items():
            both[record] = both.get(record, 0) + count
        check_different("combinations of keys", len(both))
        return TextRecords(both)


def texts_of(table: Microdata, name: str) -> tuple[IntArray, list[str]]:
    """Return a number for every cell of a column, and the text that each number stands for."""
    encoded, scale = table.encoded(name), table.schema[name].scale
    if isinstance(scale, Categorical):
        numbers = all(isinstance(level, (int, float)) for level in scale.levels)
        texts = [plain_text(level, number=numbers) for level in scale.levels]
        return np.where(encoded < 0, len(texts), encoded).astype(np.int64), [*texts, ""]
    absent = np.isnan(encoded)
    values, places = np.unique(encoded[~absent], return_inverse=True)
    codes = np.full(encoded.size, values.size, dtype=np.int64)
    codes[~absent] = places
    return codes, [*(plain_text(value, number=True) for value in values.tolist()), ""]


@dataclass(frozen=True)
class ReleasedTexts:
    """Ask which combinations of some keys the release has, as text, and how often."""

    keys: tuple[str, ...]
    original: ClassVar[tuple[str, ...]] = ()

    @property
    def released(self) -> tuple[str, ...]:
        return self.keys

    def records(self, table: Microdata) -> list[tuple[str, ...]]:
        """Return the combination of every record."""
        columns = [np.array(texts, dtype=object)[codes] for codes, texts in (texts_of(table, n) for n in self.keys)]
        return list(zip(*columns, strict=True))

    def summarise(self, block: Block, /) -> TextRecords:
        columns = [texts_of(block.release, name) for name in self.keys]
        rows, counts = np.unique(np.stack([codes for codes, _ in columns], axis=1), axis=0, return_counts=True)
        check_different("combinations of keys", len(rows))
        records = (tuple(texts[code] for code, (_, texts) in zip(row, columns, strict=True)) for row in rows.tolist())
        result: dict[tuple[str, ...], int] = {}
        for record, count in zip(records, counts.tolist(), strict=True):
            result[record] = result.get(record, 0) + count
        return TextRecords(result)
