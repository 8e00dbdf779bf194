"""What dates and times share: read from any kind of column, numbers to every method, written as they came."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.scales.date_text import DateFormat, find_formats, read_text, write_text
from discreet.data.scales.numeric import Numeric
from discreet.data.scales.scale import as_arrow, hide_missing, is_text, to_level_type
from discreet.errors import DataError, SchemaError
from discreet.typing import BoolArray, FloatArray, IntArray, Json, Level

__all__ = ["Moment"]

_DAY = 86_400_000_000
_FIRST, _LAST = -719_162 * _DAY, 2_932_897 * _DAY - 1  # the years 1 to 9999
_NANOSECONDS = (2**63 - 1) // 1000


@dataclass(frozen=True)
class Moment(Numeric):
    """A date or a time: an instant on a line, which methods see as a number.

    Parameters
    ----------
    format : str, optional
        How text is written, as ``strftime`` has it; found from the column where it is left out. It says nothing about
        what a value is: scales that differ in it alone are equal.
    """

    format: str | None = field(default=None, compare=False)
    micros: ClassVar[int]
    """Microseconds in one unit of the encoding."""
    timed: ClassVar[bool]

    def __post_init__(self) -> None:
        if self.format is not None:
            if not isinstance(self.format, str):
                raise SchemaError("A date's format must be text.", hint='Such as format = "%d.%m.%Y".')
            DateFormat(self.format)

    @property
    def is_settled(self) -> bool:
        return False  # how its dates are written, every column says anew

    # ---------------------------------------------------------------------------------------------------------- reading

    def encode(self, values: Any, missing: tuple[Level, ...] = ()) -> FloatArray:
        """Return ``float64`` with NaN for missing; what is no date is refused by count."""
        column = hide_missing(as_arrow(values), missing)
        micros, absent = self._instants(column)
        result = np.where(absent, np.nan, micros / self.micros)
        self._check(result, absent)
        return np.asarray(result, dtype=np.float64)

    def _check(self, encoded: FloatArray, absent: BoolArray) -> None:
        """Refuse instants that the scale has no place for."""

    def _instants(self, column: pa.Array) -> tuple[IntArray, BoolArray]:
        """Return microseconds since 1970 and which values are missing."""
        kind = column.type
        absent = np.array(column.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)
        if pa.types.is_null(kind):
            return np.zeros(len(column), dtype=np.int64), absent
        if pa.types.is_date(kind):
            days = pc.fill_null(column.cast(pa.date32()).cast(pa.int32()), 0).to_numpy(zero_copy_only=False)
            return days.astype(np.int64) * _DAY, absent
        if pa.types.is_timestamp(kind):
            column = self._local(column)
            micros = column.cast(pa.timestamp("us", column.type.tz), safe=False).cast(pa.int64())
            return np.array(pc.fill_null(micros, 0).to_numpy(zero_copy_only=False), dtype=np.int64), absent
        if is_text(column) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
            return self._read(column, absent)
        raise self._refusal(len(column) - column.null_count, len(column))

    def _local(self, column: pa.Array) -> pa.Array:
        """Return timestamps as the scale counts them."""
        return column

    def _read(self, column: pa.Array, absent: BoolArray) -> tuple[IntArray, BoolArray]:
        texts = column if is_text(column) else to_level_type(column, pa.string())
        listed = texts.cast(pa.string()).dictionary_encode()
        distinct = listed.dictionary
        written = self._format(distinct, len(column), listed.indices)
        if written is None or not len(distinct):
            return np.zeros(len(column), dtype=np.int64), absent
        micros, readable, _ = read_text(distinct, written)
        places = pc.fill_null(listed.indices, 0).to_numpy(zero_copy_only=False)
        unreadable = int((~readable[places] & ~absent).sum())
        if unreadable:
            raise self._refusal(unreadable, len(column))
        return micros[places], absent

    def _refusal(self, unreadable: int, total: int) -> DataError:
        what = f"are no {self.name}s in the format {self.format}" if self.format else f"are no {self.name}s"
        return DataError(
            f"{unreadable} of {total} values {what}.",
            hint='Say how they are written, such as format = "%d.%m.%Y", or list those values as missing codes.',
        )

    def _format(self, distinct: pa.Array, total: int, indices: pa.Array) -> DateFormat | None:
        """Return the format of different texts, or say why there is none; None where there are no texts."""
        if self.format is not None:
            return DateFormat(self.format)
        if not len(distinct):
            return None
        formats = self._formats(distinct)
        if not formats:
            raise self._refusal(_unread(distinct, indices, timed=self.timed), total)
        if len(formats) > 1:
            listed = " or ".join(f'"{one.text}"' for one in formats)
            raise DataError(
                "The texts can be read in two ways: nothing tells the day from the month or the year.",
                hint=f"Say how they are written: format = {listed}.",
            )
        if "y" in formats[0].order:
            raise DataError(
                "The years have two digits: nothing tells the century.",
                hint=f'Say so with format = "{formats[0].text}", which reads 69 to 99 as 1969 to 1999, all others as '
                "2000 to 2068; or write years with four digits.",
            )
        return formats[0]

    def _formats(self, distinct: pa.Array) -> tuple[DateFormat, ...]:
        return (find_formats(distinct, timed=True) if self.timed else ()) or find_formats(distinct, timed=False)

    def completed(self, values: Any, missing: tuple[Level, ...] = ()) -> Self:
        """Return the scale with what the column tells about how it is written; itself where that is nothing.

        A column that cannot be read, or in two ways, is refused when it is encoded, not here.
        """
        if self.format is not None:
            return self
        column = hide_missing(as_arrow(values), missing)
        if not (is_text(column) or pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            return self
        texts = column if is_text(column) else to_level_type(column, pa.string())
        formats = self._formats(texts.cast(pa.string()).unique().drop_null())
        if len(formats) != 1 or "y" in formats[0].order:
            return self
        return replace(self, format=formats[0].text)

    # ---------------------------------------------------------------------------------------------------------- writing

    def written(self, encoded: Any, before: pa.Array) -> pa.Array:
        """Return new values in the type and the format of the column that held `before`."""
        numbers = np.asarray(encoded, dtype=np.float64)
        absent = np.isnan(numbers)
        micros = np.rint(np.where(absent, 0.0, numbers) * self.micros)
        kind = before.type
        low, high = _FIRST, _LAST
        if pa.types.is_timestamp(kind) and kind.unit == "ns":
            low, high = -_NANOSECONDS, _NANOSECONDS
        # Once more in whole numbers: the ends have more digits than a float, which lies a step beyond them.
        instants = np.clip(np.clip(micros, low, high).astype(np.int64), low, high)
        if is_text(before) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
            return self._as_text(instants, absent, before)
        column = pa.array(instants, pa.int64(), mask=absent).cast(pa.timestamp("us"))
        if pa.types.is_timestamp(kind):
            return self._zoned(column, kind.tz).cast(kind, safe=False)
        return column.cast(pa.date32(), safe=False).cast(kind) if pa.types.is_date(kind) else self.decode(encoded)

    def _zoned(self, column: pa.Array, zone: str | None) -> pa.Array:
        """Return instants in a time zone."""
        return column if zone is None else column.cast(pa.timestamp("us", "UTC")).cast(pa.timestamp("us", zone))

    def _as_text(self, instants: IntArray, absent: BoolArray, before: pa.Array) -> pa.Array:
        present = before if is_text(before) else to_level_type(before, pa.string())
        distinct = present.cast(pa.string()).unique().drop_null()
        formats = (DateFormat(self.format),) if self.format else self._formats(distinct)
        style = formats[0] if formats else DateFormat("%Y-%m-%dT%H:%M:%S" if self.timed else "%Y-%m-%d")
        offset = 0
        if "z" in style.text.replace("%%", ""):
            _, readable, offsets = read_text(distinct, style)
            zones = np.unique(offsets[readable])
            offset = int(zones[0]) if zones.size == 1 else 0  # several: all are written in UTC
        values, places = np.unique(instants, return_inverse=True)
        texts = pa.array(write_text(values, style, offset), pa.string())
        column = texts.take(pa.array(places.ravel(), mask=absent))
        return column if is_text(before) else column.cast(pa.int64()).cast(before.type)

    # ----------------------------------------------------------------------------------------------------- the calendar

    def days(self, encoded: FloatArray) -> FloatArray:
        """Return the day of every instant, counted from the beginning of 1970; NaN where it is missing."""
        return np.asarray(np.floor(encoded * (self.micros / _DAY)))

    def of_days(self, days: FloatArray) -> FloatArray:
        """Return the beginning of days as encoded instants."""
        return np.asarray(days * (_DAY / self.micros))

    def to_dict(self) -> Json:
        return {} if self.format is None else {"format": self.format}


def _unread(distinct: pa.Array, indices: pa.Array, *, timed: bool) -> int:
    """Return how many values do not fit the format that most of them fit."""
    counts = np.bincount(indices.drop_null().to_numpy(zero_copy_only=False), minlength=len(distinct))
    best = 0
    tried: set[str] = set()
    for start in np.argsort(-counts, kind="stable")[:5].tolist():
        one = distinct.slice(start, 1)
        for written in (*(find_formats(one, timed=True) if timed else ()), *find_formats(one, timed=False)):
            plain = written.text.replace("%-", "%")
            if plain not in tried:
                tried.add(plain)
                best = max(best, int(counts[read_text(distinct, DateFormat(plain))[1]].sum()))
    return int(counts.sum()) - best
