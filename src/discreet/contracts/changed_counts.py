"""How many cells of a release differ, asked of blocks."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.contracts.masker import count_changed
from discreet.data.block import Block

__all__ = ["ChangedCounts", "CountChanged"]


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
