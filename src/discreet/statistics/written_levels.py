"""Columns as levels, and as a written file shows them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical
from discreet.statistics.counts import written_codes
from discreet.typing import IntArray

__all__ = ["WrittenLevels", "level_codes", "written_levels"]


def level_codes(data: Microdata, name: str) -> tuple[IntArray, int]:
    """Return any attribute but a sequence as codes 0 … size − 1, and the size; the last code is the missing value."""
    scale, encoded = data.schema[name].scale, data.encoded(name)
    if isinstance(scale, Categorical):
        codes = encoded.astype(np.int64)
        codes[codes < 0] = len(scale)
        return codes, len(scale) + 1
    absent = np.isnan(encoded)
    values, places = np.unique(encoded[~absent], return_inverse=True)
    codes = np.full(encoded.size, values.size, dtype=np.int64)
    codes[~absent] = places
    return codes, values.size + 1


@dataclass(frozen=True, repr=False)
class WrittenLevels:
    """An attribute as a written file shows it: codes 0 … size − 1, of which those from `values` on are missing cells.

    Missing cells that the file tells apart (empty, −8, −9) have codes of their own.
    """

    codes: IntArray
    size: int
    values: int


def written_levels(data: Microdata, name: str) -> WrittenLevels:
    """Return any attribute as codes that are equal exactly where a written file shows the same."""
    codes, size, values = written_codes(data, name)
    return WrittenLevels(codes.astype(np.int64), size, values)
