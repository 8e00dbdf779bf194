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
from discreet.masking.recoding.date_coarsening import _refuse_beyond, unit_labels

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


DAY = dc.Attribute("day", dc.Date(), "key", missing=("2020", "?"))


@pytest.mark.parametrize(
    ("unit", "low", "high", "scale", "first"),
    [
        ("year", "2019-12-31", "2021-01-01", dc.Ordinal(("2019", "2020", "2021")), 2019),
        ("quarter", "2019-12-31", "2020-01-01", dc.Ordinal(("2019-Q4", "2020-Q1")), None),
        ("month", "2020-02-29", "2020-02-01", dc.Ordinal(("",)), 0),  # not a single date
        ("month", "2020-02-29", "2020-02-29", dc.Ordinal(("2020-02",)), None),
        ("season", "2020-02-29", "2020-03-01", dc.Nominal(("winter", "spring", "summer", "autumn")), 0),
        ("weekday", "2020-02-29", "2020-03-01", None, 0),
    ],
)
def test_labels_are_declared_from_the_first_to_the_last(unit, low, high, scale, first) -> None:
    ends = dc.Date().encode([low, high]).tolist()
    declared, number = unit_labels(DAY, CalendarUnit(unit), *ends)
    if scale is None:
        assert declared.scale.ordered
        assert len(declared.scale.levels) == 7
    else:
        assert declared.scale == scale
    assert first is None or number == first
    # A code of missing values that is a label now is none any more.
    assert declared.missing == (("?",) if unit == "year" else ("2020", "?"))
    assert (declared.name, declared.role) == ("day", "key")


def test_dates_that_are_named_and_those_that_are_keys() -> None:
    schema = dc.Schema(
        [
            dc.Attribute("a", dc.Date(), "key"),
            dc.Attribute("b", dc.Date(), "other"),
            dc.Attribute("c", dc.DateTime(), "key"),
            dc.Attribute("x", dc.Numeric(), "key"),
        ]
    )
    assert dc.DateCoarsening("year").columns_for(schema) == ("a", "c")
    assert dc.DateCoarsening("year", attributes=["c", "b"]).columns_for(schema) == ("b", "c")
    assert dc.DateCoarsening({"b": "year"}).columns_for(schema) == ("b",)
    with pytest.raises(dc.errors.ParameterError, match="DateCoarsening: to names 'b', which is not masked"):
        dc.DateCoarsening({"a": "year", "b": "year"}, attributes=["a"]).columns_for(schema)
    with pytest.raises(dc.errors.ParameterError, match="attribute 'x' is numeric; the method masks dates and times"):
        dc.DateCoarsening("year", attributes=["a", "x"]).columns_for(schema)
    with pytest.raises(dc.errors.ParameterError, match="where dates become a season, which has no first day"):
        dc.DateCoarsening({"a": "year", "c": "season"}, release="first").columns_for(schema)


def test_missing_dates_stay_and_a_column_without_any_is_released() -> None:
    days = table(pa.array([None, dt.date(2020, 1, 1), dt.date(2021, 5, 1)]), dc.Date())
    for release, expected in (
        ("label", [None, "2020", "2021"]),
        ("first", [None, dt.date(2020, 1, 1), dt.date(2021, 1, 1)]),
    ):
        assert dc.DateCoarsening("year", release=release).mask(days).microdata.column("day").to_pylist() == expected
    nothing = table(pa.array([None, None], pa.date32()), dc.Date())
    assert dc.DateCoarsening("year").mask(nothing).microdata.column("day").to_pylist() == [None, None]


def test_dates_beyond_the_labels_are_counted() -> None:
    encoded = np.array([0.0, 1.0, 2.0, np.nan, 3.0])
    _refuse_beyond("day", np.array([0, 1, 2, -1, 2]), encoded, 3)
    for places in ([0, 1, 2, -1, 3], [-1, 1, 2, -1, 2]):
        with pytest.raises(
            dc.errors.DataError, match="DateCoarsening: 1 of 4 dates of column 'day' lie before the first"
        ):
            _refuse_beyond("day", np.array(places), encoded, 3)
