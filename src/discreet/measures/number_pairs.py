"""Columns of an original and its release in pairs: numbers and levels of the same records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from discreet.contracts.measure import Pair, PairScope
from discreet.data.levels import join_levels
from discreet.data.scales import Categorical
from discreet.errors import SchemaError
from discreet.typing import FloatArray, IntArray

__all__ = [
    "LevelPair",
    "NumberPair",
    "levels_of_both",
    "most_of",
    "record_weights",
    "says_change",
    "weight_asked",
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


def weight_asked(owner: str, scope: PairScope, weighted: bool) -> str | None:
    """Return the name of the survey weight where it is asked for."""
    if weighted and scope.weight is None:
        raise SchemaError(
            f"{owner}: weighted is True, and the schema names no weight.",
            hint='Give role = "weight" to the survey weight, or leave weighted out.',
        )
    return scope.weight if weighted else None


def levels_of_both(pair: Pair, name: str) -> LevelPair:
    """Return an attribute of both files on one list of levels; two levels are the same if they are written the same."""
    scales = (table.schema[name].scale for table in (pair.original, pair.masked))
    joined = join_levels(*(cast("Categorical", scale) for scale in scales))
    before, after = joined.before(pair.original.encoded(name)), joined.after(pair.masked.encoded(name))
    return LevelPair(before, after, joined.size, joined.declared)


def says_change(value: float) -> bool:
    """Say whether a loss is one: rounding alone, which depends on the order of sums, changes nothing."""
    return value > 1e-9


def most_of(per_attribute: dict[str, float]) -> str:
    """Return the attribute with the largest value, the first one on ties; rounding breaks none."""
    close = max(per_attribute.values()) * (1.0 - 1e-9)
    return next(name for name, value in per_attribute.items() if value >= close)
