"""Whether a column has values enough, in every stratum, for one of them to be hidden among the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.errors import DataError
from discreet.microdata import Microdata
from discreet.typing import IntArray

__all__ = ["present_values", "refuse_few", "still_parts", "too_few"]


def present_values(encoded: Any) -> IntArray:
    """Return the records whose value is not missing."""
    return np.flatnonzero(encoded >= 0 if encoded.dtype.kind == "i" else ~np.isnan(encoded))


def refuse_few(owner: str, table: Microdata, names: tuple[str, ...], parts: list[IntArray], fewest: int) -> None:
    """Refuse columns with some values, but fewer than `fewest`, in a stratum; one with none has nothing to hide."""
    for name in names:
        encoded = table.encoded(name)
        counts = [present_values(encoded[rows]).size for rows in parts]
        small = sum(0 < count < fewest for count in counts)
        if small and len(parts) == 1:
            raise too_few(owner, name, counts[0], fewest)
        if small:
            raise DataError(
                f"{owner}: {name!r} has values, but fewer than {fewest}, in {small} of {len(parts)} strata, so that "
                "none is hidden among the others.",
                hint="Merge strata, or leave the column out of attributes and protect it in another way.",
            )


def too_few(owner: str, name: str, count: int, fewest: int) -> DataError:
    """Return the refusal of a whole column that has too few values."""
    return DataError(
        f"{owner}: {name!r} has {count} values; it takes {fewest} to hide one among the others.",
        hint="Leave the column out of the release, or protect it in another way.",
    )


def still_parts(table: Microdata, name: str, parts: list[IntArray]) -> int:
    """Return in how many strata all values of a column are equal."""
    encoded = table.encoded(name)
    columns = (encoded[rows][present_values(encoded[rows])] for rows in parts)
    return sum(column.size > 0 and bool((column == column[0]).all()) for column in columns)
