"""Dates to units of the calendar: against the standard library, in text and in types, and what is refused."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.scales.calendar_unit import UNITS, CalendarUnit

SEASONS = ("winter", "winter", "spring", "spring", "spring", "summer", "summer", "summer", "autumn", "autumn", "autumn")
LABELS = {
    "month": lambda day: f"{day:%Y-%m}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month - 1) // 3 + 1}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: f"{day.year // 10 * 10:04d}s",
    "season": lambda day: (*SEASONS, "winter")[day.month - 1],
    "weekday": lambda day: f"{day:%A}",
}


def table(column: pa.Array, scale: dc.scales.Scale) -> dc.Microdata:
    return dc.Microdata(pa.table({"day": column}), dc.Schema([dc.Attribute("day", scale, "key")]))


@pytest.mark.parametrize("unit", UNITS)
@given(days=st.lists(st.dates(dt.date(1000, 1, 1), dt.date(2999, 12, 31)), min_size=2, max_size=20))
def test_labels_are_those_of_the_standard_library(unit: str, days: list[dt.date]) -> None:
    numbers = CalendarUnit(unit).numbers(np.array([(day - dt.date(1970, 1, 1)).days for day in days], dtype=float))
    assert [CalendarUnit(unit).label(number) for number in numbers.tolist()] == [LABELS[unit](day) for day in days]


@pytest.mark.parametrize("unit", ["month", "quarter", "year", "decade"])
def test_the_first_day_of_a_unit_stays_a_date_of_the_column(unit: str) -> None:
    days = [dt.date(1957, 12, 31), dt.date(1999, 8, 7), dt.date(2020, 2, 29)]
    texts = pa.array([f"{day:%d.%m.%Y}" for day in days])
    released = dc.DateCoarsening(unit, release="first").mask(table(texts, dc.Date()))
    written = [dt.datetime.strptime(text, "%d.%m.%Y").date() for text in released.microdata.column("day").to_pylist()]  # noqa: DTZ007
    assert [LABELS[unit](day) for day in written] == [LABELS[unit](day) for day in days]
    assert all(day.day == 1 and LABELS[unit](day - dt.timedelta(1)) != LABELS[unit](day) for day in written)
    typed = dc.DateCoarsening(unit, release="first").mask(table(pa.array(days), dc.Date())).microdata.column("day")
    assert typed.type == pa.date32()
    assert typed.to_pylist() == written


def test_a_time_is_of_the_day_it_has_in_its_zone() -> None:
    moment = pa.array([dt.datetime(2020, 1, 1, 3, tzinfo=dt.UTC)] * 2, pa.timestamp("us", "America/New_York"))
    assert (
        dc.DateCoarsening("year").mask(table(moment, dc.DateTime())).microdata.column("day").to_pylist() == ["2019"] * 2
    )
    first = dc.DateCoarsening("month", release="first").mask(table(moment, dc.DateTime())).microdata.column("day")
    assert first.type == moment.type
    assert first[0].as_py().isoformat() == "2019-12-01T00:00:00-05:00"


def test_what_is_refused() -> None:
    days = table(pa.array([dt.date(2020, 1, 1)] * 3), dc.Date())
    with pytest.raises(dc.errors.ParameterError, match="has no first day"):
        dc.DateCoarsening("weekday", release="first").mask(days)
    with pytest.raises(dc.errors.ParameterError, match="to must be"):
        dc.DateCoarsening("week").mask(days)
    numbers = dc.Microdata(pa.table({"x": [1.5, 2.5]}), dc.Schema([dc.Attribute("x", dc.Numeric(), "key")]))
    with pytest.raises(dc.errors.SchemaError, match="none of the 1"):
        dc.DateCoarsening("year").mask(numbers)
    with pytest.raises(dc.errors.ParameterError, match="'x' is numeric"):
        dc.DateCoarsening({"x": "year"}).mask(numbers)
