"""Instants: a day and a time of day."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from discreet.data.scales.moment import Moment
from discreet.data.scales.precision import Fineness, clock_fineness
from discreet.data.scales.scale import as_arrow
from discreet.errors import SchemaError
from discreet.typing import FloatArray, Json, Level

__all__ = ["DateTime"]


@dataclass(frozen=True)
class DateTime(Moment):
    """A day and a time of day.

    Every method for numbers takes them, as seconds since the beginning of 1970 (in UTC where the column has a time zone
    or an offset), to the microsecond. What is released goes in the steps of the column: whole days, hours, minutes,
    seconds, or decimals of a second. The distance of two of them is in days.

    Parameters
    ----------
    format : str, optional
        How text is written, as ``strftime`` has it: ``"%d.%m.%Y %H:%M"``. Without it the format is found.
    timezone : str, optional
        In which hours and days are counted where a method looks at them; that of the column where it has one.

    Examples
    --------
    >>> DateTime().encode(["1970-01-01 00:01", "1970-01-02 00:00"])
    array([6.00e+01, 8.64e+04])
    >>> DateTime().distance([0.0], [43200.0])
    array([0.5])
    """

    timezone: str | None = field(default=None, compare=False)
    kind: ClassVar[str] = "numeric"
    name: ClassVar[str] = "datetime"
    micros: ClassVar[int] = 1_000_000
    timed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.timezone is not None:
            try:
                pa.array([0], pa.timestamp("us")).cast(pa.timestamp("us", self.timezone)).cast(pa.string())
            except (pa.ArrowInvalid, TypeError):
                raise SchemaError("There is no such time zone.", hint='Such as timezone = "Europe/Vienna".') from None

    def completed(self, values: Any, missing: tuple[Level, ...] = ()) -> Self:
        column = as_arrow(values)
        if self.timezone is None and pa.types.is_timestamp(column.type) and column.type.tz is not None:
            return replace(self, timezone=column.type.tz)
        return super().completed(column, missing)

    def decode(self, encoded: Any) -> pa.Array:
        seconds = np.asarray(encoded, dtype=np.float64)
        absent = np.isnan(seconds)
        micros = np.rint(np.where(absent, 0.0, seconds) * self.micros).astype(np.int64)
        return pa.array(micros, mask=absent).cast(pa.timestamp("us", "UTC" if self.timezone else None))

    def distance(self, a: Any, b: Any) -> FloatArray:
        """Return |a − b| in days; NaN where either is missing."""
        return super().distance(a, b) / 86_400.0

    def fineness(self, encoded: FloatArray) -> Fineness:
        """Return whether the column goes in days, hours, minutes, seconds or less."""
        return clock_fineness(encoded)

    def to_dict(self) -> Json:
        return super().to_dict() | ({} if self.timezone is None else {"timezone": self.timezone})
