"""What measures see of two tables: the columns of both, with the weights that count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from discreet.base import Pair
from discreet.errors import MissingValueError, SchemaError
from discreet.microdata import Microdata
from discreet.scales import Categorical
from discreet.typing import FloatArray, IntArray

__all__ = [
    "LevelPair",
    "NumberPair",
    "WrittenLevels",
    "each_present",
    "level_codes",
    "levels_of_both",
    "most_of",
    "present_in_both",
    "record_weights",
    "written_levels",
]


@dataclass(frozen=True, repr=False)
class NumberPair:
    """Numbers of an attribute before and after, without missing ones, and the weights of their records."""

    before: FloatArray
    after: FloatArray
    before_weights: FloatArray
    after_weights: FloatArray


@dataclass(frozen=True, repr=False)
class LevelPair:
    """Levels of an attribute before and after, as positions in one common list; the last one is the missing value.

    Attributes
    ----------
    before, after : (n,) int64
    size : int
        Levels of the original, then those that only the release has, then one for the missing value.
    declared : int
        How many levels the original declares.
    """

    before: IntArray
    after: IntArray
    size: int
    declared: int


def record_weights(owner: str, pair: Pair, weighted: bool) -> FloatArray:
    """Return the survey weights of the original where they are asked for, and ones otherwise."""
    if not weighted:
        return np.ones(len(pair.original))
    weights = pair.weights
    if weights is None:
        raise SchemaError(
            f"{owner}: weighted is True, and the schema names no weight.",
            hint='Give role = "weight" to the survey weight, or leave weighted out.',
        )
    return weights


def present_in_both(owner: str, pair: Pair, name: str, weights: FloatArray) -> NumberPair:
    """Return the numbers of the records that have one in both files."""
    before, after = pair.original.encoded(name), pair.masked.encoded(name)
    both = ~(np.isnan(before) | np.isnan(after))
    if not both.any():
        raise MissingValueError(f"{owner}: column {name!r} has no record with a value in both files.")
    return NumberPair(before[both], after[both], weights[both], weights[both])


def each_present(owner: str, pair: Pair, name: str, weights: FloatArray) -> NumberPair:
    """Return the numbers that each file has, whichever records they belong to."""
    before, after = pair.original.encoded(name), pair.masked.encoded(name)
    there, still = ~np.isnan(before), ~np.isnan(after)
    if not there.any() or not still.any():
        raise MissingValueError(f"{owner}: column {name!r} has no value in one of the files.")
    return NumberPair(before[there], after[still], weights[there], weights[still])


def levels_of_both(pair: Pair, name: str) -> LevelPair:
    """Return an attribute of both files on one list of levels; two levels are the same if they are written the same."""
    first = cast("Categorical", pair.original.schema[name].scale)
    second = cast("Categorical", pair.masked.schema[name].scale)
    if first.levels == second.levels:
        size = len(first)
        translation = np.arange(size, dtype=np.int64)
    else:
        places = {str(level): place for place, level in enumerate(first.levels)}
        for level in second.levels:
            places.setdefault(str(level), len(places))
        size = len(places)
        translation = np.array([places[str(level)] for level in second.levels], dtype=np.int64)
    before = pair.original.encoded(name).astype(np.int64)
    after = np.append(translation, size)[pair.masked.encoded(name)]  # the code −1 finds the last place
    before[before < 0] = size
    return LevelPair(before, after, size + 1, len(first))


def level_codes(data: Microdata, name: str) -> tuple[IntArray, int]:
    """Return any attribute but a sequence as codes 0 … size − 1, and the size; the last code is the missing value."""
    scale, encoded = data.schema[name].scale, data.encoded(name)
    if isinstance(scale, Categorical):
        codes = encoded.astype(np.int64)
        codes[codes < 0] = len(scale)
        return codes, len(scale) + 1
    absent = np.isnan(encoded)
    values, found = np.unique(encoded[~absent], return_inverse=True)
    codes = np.full(encoded.size, values.size, dtype=np.int64)
    codes[~absent] = found
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
    written = data.as_written(name)
    values, kinds = int(written.max(initial=-1)) + 1, max(-int(written.min(initial=0)), 0)
    codes = np.where(written < 0, values - 1 - written, written) if kinds else written
    return WrittenLevels(codes, values + kinds, values)


def most_of(per_attribute: dict[str, float]) -> str:
    """Return the attribute with the largest value, the first one on ties."""
    return max(per_attribute, key=lambda name: per_attribute[name])
