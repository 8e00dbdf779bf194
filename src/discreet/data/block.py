"""Some records of a table, with the same records of its release: what a question is asked of."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np

from discreet.data.levels import JoinedLevels
from discreet.data.microdata import Microdata
from discreet.typing import IntArray, LevelArray

__all__ = ["Block"]

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class Block:
    """Some records, or all of them: a table in memory is one block.

    Attributes
    ----------
    rows : (n,) int64
        The positions of the records in their table.
    original : Microdata
        The records; at least the columns that were asked for.
    released : Microdata, optional
        The same records of the release.
    beside : dict of str to array
        What an earlier stage left for each record: its group, its part.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> from discreet.data.microdata import table_of_numbers
    >>> Block(np.arange(2), table_of_numbers({"x": np.array([0.5, 1.5])}))
    Block(2 records)
    """

    rows: IntArray
    original: Microdata
    released: Microdata | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)
    _once: dict[Hashable, Any] = field(default_factory=dict, compare=False)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Block({len(self)} records)"

    @property
    def release(self) -> Microdata:
        """The same records of the release, where a question is about both tables."""
        return cast("Microdata", self.released)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` gives, made at the first call and kept: several questions look at the same records."""
        if key not in self._once:
            self._once[key] = make()
        return cast("T", self._once[key])

    def levels(self, name: str, joined: JoinedLevels) -> tuple[LevelArray, LevelArray]:
        """Return a categorical attribute before and after, as positions on one list of levels.

        They are kept, and therefore in as few bytes as they need: whoever reckons with them says how wide a product is.
        """
        kind = np.int8 if joined.size <= 128 else np.int16 if joined.size <= 32_768 else np.int32

        def positions() -> tuple[LevelArray, LevelArray]:
            before, after = joined.before(self.original.encoded(name)), joined.after(self.release.encoded(name))
            return before.astype(kind), after.astype(kind)

        return self.once(("levels", name), positions)
