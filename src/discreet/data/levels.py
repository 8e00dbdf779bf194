"""The levels of an attribute before and after, on one list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.data.scales import Categorical
from discreet.typing import IntArray

__all__ = ["JoinedLevels", "join_levels"]


@dataclass(frozen=True)
class JoinedLevels:
    """The levels of the original, then those that only the release has, then one for the missing value.

    Attributes
    ----------
    declared : int
        How many levels the original declares.
    size : int
        How many there are in all, the missing value among them.
    places : tuple of int, optional
        Where each level of the release stands on the list; None where both files have the same levels.
    """

    declared: int
    size: int
    places: tuple[int, ...] | None = None

    def before(self, codes: Any) -> IntArray:
        """Return encoded levels of the original as positions on the list."""
        result = np.asarray(codes).astype(np.int64)
        result[result < 0] = self.size - 1
        return result

    def after(self, codes: Any) -> IntArray:
        """Return encoded levels of the release as positions on the list."""
        places = range(self.declared) if self.places is None else self.places
        # The code −1 finds the last place, that of the missing value.
        return np.asarray(np.array([*places, self.size - 1], dtype=np.int64)[codes])


def join_levels(before: Categorical, after: Categorical) -> JoinedLevels:
    """Join the levels of two files; two levels are the same if they are written the same.

    Examples
    --------
    >>> from discreet.data.scales import Nominal
    >>> join_levels(Nominal(["gas", "oil"]), Nominal(["oil", "rest"]))
    JoinedLevels(declared=2, size=4, places=(1, 2))
    """
    if before.levels == after.levels:
        return JoinedLevels(len(before), len(before) + 1)
    places = {str(level): place for place, level in enumerate(before.levels)}
    for level in after.levels:
        places.setdefault(str(level), len(places))
    return JoinedLevels(len(before), len(places) + 1, tuple(places[str(level)] for level in after.levels))
