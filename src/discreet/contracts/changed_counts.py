"""How many cells of a release differ, asked of blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.data.block import Block
from discreet.data.microdata import Microdata
from discreet.data.scales import EncodedSequences

__all__ = ["ChangedCounts", "CountChanged", "count_changed"]


@dataclass(frozen=True)
class ChangedCounts:
    """By attribute, how many cells differ."""

    counts: dict[str, int]

    def merge(self, later: ChangedCounts, /) -> ChangedCounts:
        return ChangedCounts({name: count + later.counts[name] for name, count in self.counts.items()})


@dataclass(frozen=True)
class CountChanged:
    """Ask how many cells of some attributes differ; all of them must be released."""

    names: tuple[str, ...]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released = original

    def summarise(self, block: Block, /) -> ChangedCounts:
        before, after = block.original, block.release
        return ChangedCounts({name: count_changed(before, after, name, after.encoded(name)) for name in self.names})


def count_changed(original: Microdata, replaced: Microdata, name: str, values: Any) -> int:
    """Return how many cells of an attribute differ; `values` are those of `replaced`, encoded."""
    if original.schema[name].scale != replaced.schema[name].scale:
        # Codes of two scales mean different things: the values are compared as they stand in the tables.
        pairs = zip(original.column(name).to_pylist(), replaced.column(name).to_pylist(), strict=True)
        return sum(a != b and not _is_written_alike(a, b) for a, b in pairs)
    return _count_different(original.encoded(name), values)


def _is_written_alike(before: Any, after: Any) -> bool:
    """Say whether a number became the text of the same number: a missing code of a column that has labels now."""
    if not isinstance(after, str) or isinstance(before, (str, bool)) or not isinstance(before, (int, float)):
        return False
    try:
        return float(after) == before
    except ValueError:
        return False


def _count_different(before: Any, after: Any) -> int:
    if isinstance(before, EncodedSequences):
        return sum(
            not np.array_equal(before.codes[b0:b1], after.codes[a0:a1])
            for b0, b1, a0, a1 in zip(
                before.offsets[:-1], before.offsets[1:], after.offsets[:-1], after.offsets[1:], strict=True
            )
        )
    same = (before == after) | (np.isnan(before) & np.isnan(after) if before.dtype.kind == "f" else False)
    return int((~same).sum())
