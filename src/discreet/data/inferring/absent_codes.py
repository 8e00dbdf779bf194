"""Codes for no value: words, and numbers that stand apart from all others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.scales.scale import hide_missing, is_text, to_level_type
from discreet.typing import Level

__all__ = ["AMONG_NUMBERS", "MISSING_WORDS", "find_missing_codes"]

MISSING_WORDS: tuple[str, ...] = (
    "", "?", ".", "NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "null", "NULL", "None", "#NULL!", "#DIV/0!",
    "#VALUE!", "#REF!", "#NUM!",
)  # fmt: skip
"""Words that stand for no value, in any column."""
AMONG_NUMBERS: tuple[str, ...] = ("-", "--", "–", "—", "..", "…", "na", "n.a.", "N.A.", "none", "missing", "unknown")
"""Words that stand for no value where everything else is a number; among words they may be categories."""
_AMONG_WORDS = ("-8", "-9", "-99", "-999")
_NEGATIVE = (-1, -2, -3, -7, -8, -9, -77, -88, -97, -98, -99, -997, -998, -999, -9999)
_NINES = (97, 98, 99, 997, 998, 999, 9997, 9998, 9999)
_FEWEST = 20
"""Records below which a number is never taken for a missing code."""


def find_missing_codes(column: pa.Array, *, numbers: bool = True) -> tuple[Level, ...]:
    """Return the codes of a column that stand for no value, as they are written.

    Among numbers that are otherwise none below zero, −9 and its like are codes; 99 and 999 are where all others are far
    below. A blank before a word, as after ", ", makes no difference. Without `numbers`, those that are numbers are not
    looked for: a file that lists missing numbers itself means all others.

    Examples
    --------
    >>> find_missing_codes(pa.array([1, 2, 3, -9] * 10))
    (-9,)
    >>> find_missing_codes(pa.array([" Private", " ?", " State-gov"]))
    (' ?',)
    """
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return () if not numbers else _among_numbers(column.drop_null().to_numpy(zero_copy_only=False))
    if not is_text(column):
        return ()
    texts = pc.unique(column.cast(pa.string())).drop_null().to_pylist()
    stripped = {text: text.strip() for text in texts}
    codes = _written(stripped, MISSING_WORDS)
    rest = hide_missing(column, codes).drop_null()
    loose = _written(stripped, AMONG_NUMBERS)
    read = to_level_type(hide_missing(rest, loose).drop_null(), pa.float64())
    if len(read) and not read.null_count:
        found = {int(code) for code in _among_numbers(read.to_numpy(zero_copy_only=False))} if numbers else set()
        apart = tuple(text for text, word in stripped.items() if word.lstrip("-").isdigit() and int(word) in found)
        return (*codes, *loose, *sorted(apart))
    # "-9" is a number among numbers, but a missing code among words.
    return (*codes, *_written(stripped, _AMONG_WORDS)) if len(rest) else codes


def _written(stripped: dict[str, str], words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text for word in words for text, bare in stripped.items() if bare == word)


def _among_numbers(numbers: np.ndarray) -> tuple[int, ...]:
    if numbers.size < _FEWEST:
        return ()
    levels = np.unique(numbers[np.isfinite(numbers)])
    below = levels[levels < 0]
    codes: list[int] = []
    if below.size and below.size <= 6 and np.isin(below, _NEGATIVE).all() and (levels >= 0).any():
        codes += [int(code) for code in below]
    rest = levels[levels >= 0]
    nines = rest[np.isin(rest, _NINES)]
    others = rest[~np.isin(rest, _NINES)]
    whole = bool((rest == np.floor(rest)).all())
    # Ninety-nine among ages or percentages is a number; among eight categories it is not.
    if nines.size and others.size > 1 and whole:
        highest = float(others.max())
        limit = 20 if nines.max() < 100 else 120 if nines.max() < 1000 else 300
        if highest <= limit and not _goes_on(others, nines):
            codes += [int(code) for code in nines]
    return tuple(codes)


def _goes_on(others: np.ndarray, nines: np.ndarray) -> bool:
    """Say whether the numbers run on up to the nines, which then are numbers like them."""
    return bool(nines.min() - others.max() < 0.5 * nines.min())
