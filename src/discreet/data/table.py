"""Tables in files, and where a release is written: what io offers and engines run through."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from discreet.data.guarantees import Guarantee
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema

__all__ = ["StoredTable", "Target"]


class StoredTable(ABC):
    """A table in files, with its schema, that may be larger than memory."""

    schema: Schema
    files: tuple[str, ...]
    inputs: tuple[str, ...]
    """What it is read from, which nothing is written over: its files, their folder, the file of its schema."""
    sizes: tuple[int, ...]
    """The number of records of every file."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of records."""

    @abstractmethod
    def batches(self, size: int, names: Iterable[str] | None = None) -> Iterator[Microdata]:
        """Yield the records in their order, `size` at a time (the last batch may be smaller).

        With `names`, with these columns alone.
        """

    @abstractmethod
    def in_memory(self, names: Iterable[str]) -> Microdata:
        """Return some columns as one table, those among `names` that there are."""


class Target(ABC):
    """Where a release is written."""

    path: str
    guarantees: tuple[Guarantee, ...] = ()
    """What the release promises; counted again on what was written, before it is put in place."""

    @abstractmethod
    def write(self, tables: Iterable[Microdata]) -> None:
        """Write tables one after the other: all of them, or nothing."""

    @abstractmethod
    def count_again(self, written: str) -> None:
        """Refuse what lies at `written`, a file or folder that is not in place yet, unless it keeps `guarantees`."""
