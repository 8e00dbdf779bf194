"""A column of text in parts: whole where it is held in memory, or a part at a time from a temporary file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["Texts"]


@dataclass(frozen=True, repr=False)
class Texts:
    """A column of text that can be looked at as often as is needed, and is never held by who looks.

    What is asked of it does not depend on how it is cut. A look ends with the first part that decides it: most columns
    of words are known by their first ones.
    """

    parts: Callable[[], Iterable[Any]]

    @classmethod
    def of(cls, column: pa.ChunkedArray | pa.Array) -> Texts:
        """Return a column that is held as one part."""
        return cls(lambda: [column])

    def all(self, pattern: str) -> bool:
        """Say whether every value matches, of those that there are; no column without values does."""
        any_value = False
        for part in self.parts():
            matches = pc.all(pc.match_substring_regex(part, pattern)).as_py()
            if matches is False:
                return False
            any_value = any_value or bool(matches)
        return any_value

    def any(self, pattern: str) -> bool:
        """Say whether some value matches."""
        return any(pc.any(pc.match_substring_regex(part, pattern)).as_py() for part in self.parts())

    def empty(self) -> bool:
        """Say whether there is no value in it."""
        return all(part.null_count == len(part) for part in self.parts())

    def first(self, count: int) -> list[str]:
        """Return the different values of the first records."""
        values: dict[str, None] = {}
        for part in self.parts():
            values |= dict.fromkeys(part.slice(0, count).unique().drop_null().to_pylist())
            count -= len(part)
            if count <= 0:
                break
        return list(values)

    def different(self) -> Texts:
        """Return every value, and none twice in a part."""
        parts = self.parts()
        if isinstance(parts, list) and len(parts) == 1:
            distinct = parts[0].unique().drop_null()
            return Texts(lambda: [distinct])
        return self.changed(lambda part: part.unique().drop_null())

    def changed(self, function: Callable[[Any], Any]) -> Texts:
        """Return what a function makes of it, part by part."""
        return Texts(lambda: map(function, self.parts()))

    def values(self) -> Iterable[str]:
        """Return the different values, one part's after the other's."""
        return chain.from_iterable(part.unique().drop_null().to_pylist() for part in self.parts())

    def count(self, value: str) -> int:
        """Return how many records have a value."""
        return sum(pc.sum(pc.equal(part, value)).as_py() or 0 for part in self.parts())
