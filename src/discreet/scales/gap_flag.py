"""Whether a number is missing, as a category of its own beside the number."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.scales.nominal import Nominal
from discreet.typing import Level

__all__ = ["GapFlag"]


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

    levels: tuple[Level, ...] = ("no", "yes")
