"""The contract of a scale: what a value is, how values are ordered, how far apart two of them are.

A scale turns a column into an array that kernels understand and back again. Numbers become ``float64`` with NaN for
a missing value; categories become ``int32`` positions of their levels with −1 for a missing value. A scale never
averages: that is what operators are for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.errors import DataError, SchemaError, wrong_type
from discreet.typing import CodeArray, FloatArray, Json, Level

__all__ = ["Categorical", "Scale", "as_arrow", "hide_missing", "is_text", "is_whole", "level_type", "to_level_type"]

_INTEGER = r"^\s*[+-]?[0-9]{1,19}\s*$"
"""More digits than these are never a number of 64 bits."""
_DECIMAL = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"


class Scale(ABC):
    """What a value is."""

    kind: ClassVar[str]
    """What methods ask for: numbers, ordered or unordered categories, sequences."""
    name: ClassVar[str]
    """What a schema calls it. Dates are numbers to a method, and dates to a reader."""
    ordered: ClassVar[bool]
    answers: ClassVar[frozenset[str]] = frozenset()
    """The words by which methods ask for it: its kind, and of sequences what they are made of."""
    own_distance: ClassVar[str] = ""
    """Of sequences: the dissimilarity that they are compared by where nobody names another."""
    own_prototype: ClassVar[str] = ""
    """Of sequences: what a group is released as where nobody says otherwise."""
    tells_all: ClassVar[bool] = True
    """Whether encoded values tell all that a cell shows; not where they are rounded."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "kind" in cls.__dict__ and "name" not in cls.__dict__:
            cls.name = cls.kind
        if "kind" in cls.__dict__ and "answers" not in cls.__dict__:
            cls.answers = frozenset({cls.kind})

    @abstractmethod
    def encode(self, values: Any, missing: tuple[Level, ...] = ()) -> Any:
        """Turn a column into the array that kernels see; `missing` lists the codes that stand for no value."""

    @abstractmethod
    def decode(self, encoded: Any) -> pa.Array:
        """Turn encoded values back into a column; missing values become nulls."""

    @abstractmethod
    def distance(self, a: Any, b: Any) -> FloatArray:
        """Return the distance of encoded values, element by element (arrays broadcast)."""

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left that only a column can tell."""
        return True

    def completed(self, values: Any, missing: tuple[Level, ...] = ()) -> Scale:  # noqa: ARG002 - a subclass reads them
        """Return the scale with what a column tells that the declaration left open."""
        return self

    def to_dict(self) -> Json:
        """Return what a TOML file keeps of the scale."""
        return {}

    @classmethod
    def from_dict(cls, fields: Json) -> Scale:
        """Make a scale from what :meth:`to_dict` gave."""
        return cls(**fields)


class Categorical(Scale):
    """A scale with a finite list of levels: what ordinal and nominal scales share."""

    levels: tuple[Level, ...]

    def _set_levels(self, levels: Any) -> None:
        if not isinstance(levels, Iterable):
            raise wrong_type(type(self).__name__, "levels must be a list", levels, 'Nominal(["gas", "oil"])')
        levels = tuple(levels)
        if any(isinstance(level, Iterable) and not isinstance(level, (str, bytes)) for level in levels):
            raise SchemaError(f"{type(self).__name__}: levels must be text or numbers.")
        listing = tuple(level.item() if isinstance(level, np.generic) else level for level in levels)
        if not listing:
            raise SchemaError(f"{type(self).__name__}: levels must name at least one category.")
        if len(set(listing)) != len(listing):
            raise SchemaError(f"{type(self).__name__}: {len(listing) - len(set(listing))} levels are listed twice.")
        object.__setattr__(self, "levels", listing)
        level_type(listing)

    def __len__(self) -> int:
        return len(self.levels)

    def encode(self, values: Any, missing: tuple[Level, ...] = ()) -> CodeArray:
        column = hide_missing(as_arrow(values), missing)
        target = level_type(self.levels)
        codes = pc.index_in(to_level_type(column, target), value_set=pa.array(self.levels, type=target))
        undeclared = codes.null_count - column.null_count
        if undeclared:
            raise DataError(
                f"{undeclared} of {len(column)} values are not among the {len(self.levels)} declared levels.",
                hint="Add the levels to the schema, or list the values as missing codes.",
            )
        filled = pc.fill_null(codes, pa.scalar(-1, pa.int32()))
        return np.ascontiguousarray(filled.to_numpy(zero_copy_only=False), dtype=np.int32)

    def decode(self, encoded: Any) -> pa.Array:
        codes = np.asarray(encoded, dtype=np.int32)
        if codes.size and (codes.max() >= len(self.levels) or codes.min() < -1):
            raise DataError(f"Codes must lie between −1 and {len(self.levels) - 1}.")
        levels = pa.array(self.levels, type=level_type(self.levels))
        return levels.take(pa.array(codes, mask=codes < 0))

    def distance_matrix(self) -> FloatArray:
        """Return the distance of every pair of levels, shape (levels, levels)."""
        codes = np.arange(len(self.levels), dtype=np.int32)
        return self.distance(codes[:, None], codes[None, :])

    def distance(self, a: Any, b: Any) -> FloatArray:
        """Return the distance of codes, element by element.

        A missing value (−1) is at distance 0 from a missing value and at the scale's largest distance from any level.
        """
        first, second = np.broadcast_arrays(np.asarray(a, dtype=np.int32), np.asarray(b, dtype=np.int32))
        result = np.array(self._level_distance(first, second), dtype=np.float64)
        absent = (first < 0) != (second < 0)
        if absent.any():
            result[absent] = self.largest_distance
        result[(first < 0) & (second < 0)] = 0.0
        return result

    @property
    @abstractmethod
    def largest_distance(self) -> float:
        """The distance of the two levels that are farthest apart, told without comparing each with each."""

    @abstractmethod
    def _level_distance(self, a: CodeArray, b: CodeArray) -> FloatArray:
        """Return the distance of two arrays of codes of equal shape, none of them missing."""


def as_arrow(values: Any) -> pa.Array:
    """Return a column as one plain Arrow array: chunks joined, dictionaries resolved, NaN of floats made null."""
    if isinstance(values, pa.ChunkedArray):
        column = values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()
    elif isinstance(values, pa.Array):
        column = values
    else:
        column = pa.array(values)
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type):
        unknown = pc.is_nan(column)
        if unknown.true_count:
            column = pc.if_else(unknown, pa.scalar(None, column.type), column)
    return column


def level_type(levels: tuple[Level, ...]) -> pa.DataType:
    """Return the Arrow type in which levels are compared: text, whole numbers, numbers or truth values."""
    if all(isinstance(level, bool) for level in levels):
        return pa.bool_()
    if all(isinstance(level, str) for level in levels):
        return pa.string()
    if all(isinstance(level, int) and not isinstance(level, bool) for level in levels):
        if not all(-(2**63) <= level < 2**63 for level in levels):  # type: ignore[operator]
            raise SchemaError("A whole number has at most 64 bits.", hint="Quote longer ones: they are text.")
        return pa.int64()
    if all(isinstance(level, (int, float)) and not isinstance(level, bool) for level in levels):
        return pa.float64()
    raise SchemaError("Levels must be all text, all numbers, or all truth values.", hint="Quote numbers to mix them.")


def is_text(column: pa.Array) -> bool:
    """Say whether a column holds text."""
    kind = column.type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view())


def to_level_type(column: pa.Array, target: pa.DataType) -> pa.Array:
    """Convert a column to a type for comparison; a value that has no such form becomes null."""
    if is_text(column):
        column = column.cast(pa.string())
        if target == pa.string():
            return column
        if target == pa.bool_():
            truth = pc.utf8_lower(column)
            return pc.if_else(
                pc.equal(truth, "true"),
                pa.scalar(True),
                pc.if_else(pc.equal(truth, "false"), pa.scalar(False), pa.scalar(None, pa.bool_())),
            )
        whole = pa.types.is_integer(target)
        looks_right = pc.match_substring_regex(column, _INTEGER if whole else _DECIMAL)
        digits = pc.utf8_trim_whitespace(_keep(column, looks_right))
        return _read_whole(digits).cast(target) if whole else digits.cast(target, safe=False)
    if pa.types.is_floating(column.type) and (pa.types.is_integer(target) or target == pa.string()):
        whole = is_whole(column)
        if target == pa.string() and not pc.all(whole, skip_nulls=True).as_py():
            return column.cast(pa.string())
        return _keep(column, whole).cast(pa.int64()).cast(target)
    if pa.types.is_nested(column.type):
        return pa.nulls(len(column), target)
    try:
        return column.cast(target)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return pa.nulls(len(column), target)


def _read_whole(digits: pa.Array) -> pa.Array:
    """Return texts of up to 19 digits as numbers; what has no place in 64 bits becomes null."""
    texts = pc.utf8_ltrim(digits, "+")
    try:
        return texts.cast(pa.int64())
    except pa.ArrowInvalid:
        numbers = [None if text is None else int(text) for text in texts.to_pylist()]
        return pa.array([n if n is not None and -(2**63) <= n < 2**63 else None for n in numbers], pa.int64())


def is_whole(numbers: pa.Array) -> pa.Array:
    """Say of every number whether it is whole, and small enough for neighbours to be told apart."""
    exact = pc.less(pc.abs(numbers), pa.scalar(2.0**53, pa.float64()))
    return pc.and_(exact, pc.equal(numbers, pc.floor(numbers)))


def _keep(column: pa.Array, condition: pa.Array) -> pa.Array:
    return pc.if_else(condition, column, pa.scalar(None, column.type))


def hide_missing(column: pa.Array, missing: tuple[Level, ...]) -> pa.Array:
    """Make the values listed in `missing` null; a code written as text matches a number and the other way round."""
    if not missing or pa.types.is_nested(column.type):
        return column
    absent = None
    for code in missing:
        target = pa.string() if isinstance(code, str) else level_type((code,))
        same = pc.equal(to_level_type(column, target), pa.scalar(code, target))
        absent = same if absent is None else pc.or_kleene(absent, same)
    return pc.if_else(pc.fill_null(absent, False), pa.scalar(None, column.type), column)
