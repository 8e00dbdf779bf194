"""A look at one column: what rules ask of it, counted once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.inferring.vocabulary import subject_of
from discreet.data.scales.scale import is_text, is_whole, to_level_type
from discreet.typing import FloatArray, IntArray, Level

__all__ = ["Guess", "Look", "strays_among_numbers"]

HEAD = 20_000
"""Records that columns are compared on."""

_YEAR_MONTH = r"^\s*((18|19|20)[0-9]{2}[-/.](0[1-9]|1[0-2])|(0?[1-9]|1[0-2])[-/.](18|19|20)[0-9]{2})\s*$"
_CODE = r"^0[0-9]|^-?[0-9]{17,}$|[0-9][eE]\+?[0-9]{3,}$"
"""A text of digits is a code where it begins with a zero, or where a float would not give all of it back."""


_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]*)([.,][0-9]+)?")
_NUMBERS_AT_LEAST, _NUMBERS_SHARE = 20, 0.95
"""Of different texts, how many have to be numbers, and which share of them, so that the others are strays."""


def strays_among_numbers(texts: Sequence[str]) -> int:
    """Return how many of different texts are no numbers, where nearly all others are; else 0.

    Examples
    --------
    >>> numbers = [str(number) for number in range(100)]
    >>> strays_among_numbers([*numbers, "see below"]), strays_among_numbers(numbers), strays_among_numbers(["1", "a"])
    (1, 0, 0)
    """
    numbers = sum(bool(_NUMBER.fullmatch(text.strip())) for text in texts)
    nearly_all = numbers > _NUMBERS_AT_LEAST and numbers >= _NUMBERS_SHARE * len(texts)
    return len(texts) - numbers if nearly_all else 0


@dataclass(frozen=True, eq=False)
class Look:
    """What is seen of a column: its name, what the file says of it, and its values without those that are missing.

    Attributes
    ----------
    name, label : str
    column : pyarrow.Array
        As it came, missing codes in it.
    values : pyarrow.Array
        What is not missing.
    order : tuple of str
        The levels in order, where the type of the column says it.
    codes : tuple
        Missing codes.
    positions : tuple of str
        The columns of the table, where the column was gathered from several.
    """

    name: str
    column: pa.Array
    values: pa.Array
    label: str = ""
    order: tuple[str, ...] = ()
    codes: tuple[Level, ...] = ()
    positions: tuple[str, ...] = ()
    subjects: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "subjects", subject_of(self.name, self.label))

    def speaks_of(self, *subjects: str) -> bool:
        """Say whether the name or the label speaks of one of these."""
        return bool(self.subjects & set(subjects))

    @cached_property
    def distinct(self) -> pa.Array:
        """The different values; none of lists."""
        return self.values.slice(0, 0) if pa.types.is_nested(self.values.type) else pc.unique(self.values)

    @cached_property
    def is_temporal(self) -> bool:
        """Whether the type of the column is one of dates or times."""
        return bool(pa.types.is_temporal(self.column.type))

    @cached_property
    def is_text(self) -> bool:
        """Whether the type of the column is text."""
        return is_text(self.column)

    @cached_property
    def is_year_month(self) -> bool:
        """Whether all values are months of a year, as 2004-05 or 05/2004."""
        if not self.is_text or not len(self.values):
            return False
        return bool(pc.all(pc.match_substring_regex(self.distinct.cast(pa.string()), _YEAR_MONTH)).as_py())

    @cached_property
    def texts(self) -> list[str]:
        """The different values as text."""
        return [str(value) for value in self.distinct.cast(pa.string()).to_pylist()]

    @cached_property
    def numbers(self) -> FloatArray | None:
        """The values as numbers, or None where one is none or is written as a code."""
        if (
            self.is_temporal
            or pa.types.is_nested(self.column.type)
            or not len(self.values)
            or pa.types.is_boolean(self.values.type)
        ):
            return None
        if is_text(self.values) and pc.any(pc.match_substring_regex(self.values.cast(pa.string()), _CODE)).as_py():
            return None
        read = to_level_type(self.values, pa.float64())
        return None if read.null_count else np.asarray(read.to_numpy(zero_copy_only=False), dtype=np.float64)

    @cached_property
    def whole(self) -> bool:
        """Whether all values are whole numbers."""
        return self.numbers is not None and bool(pc.all(is_whole(pa.array(self.numbers))).as_py())

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The different whole numbers, in order."""
        return tuple(int(number) for number in np.unique(self.numbers)) if self.numbers is not None else ()

    @property
    def share_distinct(self) -> float:
        """How many values are different, by how many there are."""
        return len(self.distinct) / len(self.values) if len(self.values) else 0.0

    @cached_property
    def head_codes(self) -> IntArray:
        """A number for each value of the first records, −1 where it is missing, for comparisons between columns."""
        head = self.column.slice(0, HEAD)
        if pa.types.is_nested(head.type):
            return np.arange(len(head), dtype=np.int64)
        codes = head.dictionary_encode().indices.fill_null(-1)
        return np.asarray(codes.to_numpy(zero_copy_only=False), dtype=np.int64)


@dataclass(frozen=True)
class Guess:
    """What a rule takes a column for.

    Attributes
    ----------
    role, scale : str or Scale
        None where the rule says nothing of it.
    reason : str
        Why, without a value.
    confidence : float
    question : str
        What a person should answer.
    holds_for : str
        What numbers are that must not be averaged.
    """

    reason: str
    confidence: float
    role: str | None = None
    scale: Any = None
    question: str = ""
    holds_for: str = ""
    household: bool = False
