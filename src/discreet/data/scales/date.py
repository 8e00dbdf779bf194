"""Days."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.scales.moment import Moment
from discreet.data.scales.precision import Fineness, fineness
from discreet.errors import DataError
from discreet.typing import BoolArray, FloatArray

__all__ = ["Date"]


@dataclass(frozen=True)
class Date(Moment):
    """A day: ordered, and so many days from another.

    Every method for numbers takes dates, as days since the beginning of 1970: a level of noise is in days, a mean is a
    whole day. They are written in the type and the format in which they came.

    Parameters
    ----------
    format : str, optional
        How text is written, as ``strftime`` has it: ``"%d.%m.%Y"``. Without it the format is found from the column; a
        column in which day and month may be exchanged is refused until it is said.

    Examples
    --------
    >>> Date().encode(["02.01.1970", None, "31.12.1969"])
    array([ 1., nan, -1.])
    >>> Date().distance([0.0], [31.0])
    array([31.])
    """

    kind: ClassVar[str] = "numeric"
    name: ClassVar[str] = "date"
    micros: ClassVar[int] = 86_400_000_000
    timed: ClassVar[bool] = False

    def _formats(self, distinct: pa.Array) -> Any:
        # Dates are also written as midnights: "2020-01-31 00:00:00".
        from discreet.data.scales.date_text import find_formats

        return find_formats(distinct, timed=False) or find_formats(distinct, timed=True)

    def _check(self, encoded: FloatArray, absent: BoolArray) -> None:
        timed = int(((np.floor(encoded) != encoded) & ~absent).sum())
        if timed:
            raise DataError(
                f"{timed} of {encoded.size} values have a time of day beside the date.",
                hint='Declare the attribute with scale = "datetime".',
            )

    def _local(self, column: pa.Array) -> pa.Array:
        return column if column.type.tz is None else pc.local_timestamp(column)

    def _zoned(self, column: pa.Array, zone: str | None) -> pa.Array:
        if zone is None:
            return column
        return pc.assume_timezone(column, zone, ambiguous="earliest", nonexistent="latest")

    def decode(self, encoded: Any) -> pa.Array:
        days = np.asarray(encoded, dtype=np.float64)
        absent = np.isnan(days)
        whole = np.clip(np.rint(np.where(absent, 0.0, days)), -719_162, 2_932_896)
        return pa.array(whole.astype(np.int32), mask=absent).cast(pa.date32())

    def fineness(self, encoded: FloatArray) -> Fineness:
        """Return that a date is a whole day, whichever days a column holds."""
        return replace(fineness(encoded), double=0, single=0, counts=())
