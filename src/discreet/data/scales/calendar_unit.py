"""Units of the calendar that a day belongs to: months, quarters, years, decades; seasons and days of the week."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from discreet.typing import FloatArray, IntArray

__all__ = ["CYCLES", "UNITS", "CalendarUnit", "UnitName"]

UnitName: TypeAlias = Literal["month", "quarter", "year", "decade", "season", "weekday"]
UNITS: Final = ("month", "quarter", "year", "decade", "season", "weekday")
CYCLES: Final = {
    "season": ("winter", "spring", "summer", "autumn"),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
"""Units that come again: all their labels, in order."""
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_YEAR = 1970


@dataclass(frozen=True)
class CalendarUnit:
    """One unit of the calendar.

    Examples
    --------
    >>> quarter = CalendarUnit("quarter")
    >>> numbers = quarter.numbers(np.array([0.0, 31.0, 100.0]))
    >>> [quarter.label(number) for number in numbers.tolist()]
    ['1970-Q1', '1970-Q1', '1970-Q2']
    >>> quarter.first_days(numbers).tolist()
    [0.0, 0.0, 90.0]
    """

    name: UnitName

    @property
    def comes_again(self) -> bool:
        """Whether the unit says nothing about the year."""
        return self.name in CYCLES

    def numbers(self, days: FloatArray) -> IntArray:
        """Return the number of the unit that each day belongs to; 0 where a day is missing.

        Seasons are those of whole months, winter from December to February. Months, quarters, years and decades are
        counted from the beginning of the year 0 on, so that their numbers are in order.
        """
        whole = np.where(np.isnan(days), 0.0, days).astype(np.int64)
        if self.name == "weekday":
            return (whole + 3) % 7  # the first day of 1970 was a Thursday
        months = whole.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
        if self.name == "season":
            return (months % 12 + 1) % 12 // 3
        return (months + 12 * _YEAR) // _MONTHS[self.name]

    def label(self, number: int) -> str:
        """Return how a unit is written."""
        if self.comes_again:
            return CYCLES[self.name][number]
        year, month = divmod(number * _MONTHS[self.name], 12)
        words = {"month": f"{year:04d}-{month + 1:02d}", "quarter": f"{year:04d}-Q{month // 3 + 1}"}
        return words.get(self.name, f"{year:04d}" + ("s" if self.name == "decade" else ""))

    def first_days(self, numbers: IntArray) -> FloatArray:
        """Return the first day of every unit, counted from the beginning of 1970."""
        months = numbers * _MONTHS[self.name] - 12 * _YEAR
        return months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64).astype(np.float64)
