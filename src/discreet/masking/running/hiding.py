"""Whether a column has values enough, in every stratum, for one of them to be hidden among the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.errors import DataError
from discreet.typing import IntArray

__all__ = ["present_values", "too_few"]


def present_values(encoded: Any) -> IntArray:
    """Return the records whose value is not missing."""
    return np.flatnonzero(encoded >= 0 if encoded.dtype.kind == "i" else ~np.isnan(encoded))


def too_few(owner: str, name: str, count: int, fewest: int) -> DataError:
    """Return the refusal of a whole column that has too few values."""
    return DataError(
        f"{owner}: {name!r} has {count} values; it takes {fewest} to hide one among the others.",
        hint="Leave the column out of the release, or protect it in another way.",
    )
