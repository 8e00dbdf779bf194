"""Whether a number is missing, as a category of its own beside the number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from discreet.data.scales.nominal import Nominal
from discreet.typing import Level

__all__ = ["GapFlag", "flagged_by"]


@dataclass(frozen=True)
class GapFlag(Nominal):
    """The scale of a column that says where another one is missing, for methods that have no rule for a gap.

    Such a column belongs to the attribute that it speaks of: methods compare it, and nobody counts or names it. It is
    told by its scale and not by its name, which a column of the user's own may have.

    Examples
    --------
    >>> GapFlag().levels
    ('no', 'yes')
    """

    def __init__(self, levels: Iterable[Level] = ("no", "yes")) -> None:
        super().__init__(levels)


def flagged_by(flag: str) -> str:
    """Return the number of which a column with this scale says where it is missing."""
    return flag.rstrip("?").removesuffix(" is missing")
