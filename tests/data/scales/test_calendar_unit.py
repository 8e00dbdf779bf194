"""Units of the calendar against the standard library."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from discreet.data.scales.calendar_unit import CYCLES, UNITS, CalendarUnit

EPOCH = dt.date(1970, 1, 1)
DAYS = [EPOCH + dt.timedelta(days=days) for days in (*range(-800, 1200, 13), -719_162, 2_932_896, 0, -1, 10_957)]
SEASONS = {12: 0, 1: 0, 2: 0, 3: 1, 4: 1, 5: 1, 6: 2, 7: 2, 8: 2, 9: 3, 10: 3, 11: 3}
LABELS = {
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: f"{day.year // 10 * 10:04d}s",
    "season": lambda day: ("winter", "spring", "summer", "autumn")[SEASONS[day.month]],
    "weekday": lambda day: day.strftime("%A"),
}


@pytest.mark.parametrize("name", UNITS)
def test_every_day_belongs_to_its_unit(name):
    unit = CalendarUnit(name)
    numbers = unit.numbers(np.array([float((day - EPOCH).days) for day in DAYS]))
    assert [unit.label(number) for number in numbers.tolist()] == [LABELS[name](day) for day in DAYS]
    assert unit.comes_again is (name in ("season", "weekday"))
    assert unit.numbers(np.array([np.nan])).tolist() == unit.numbers(np.array([0.0])).tolist()


@pytest.mark.parametrize(("name", "months"), [("month", 1), ("quarter", 3), ("year", 12), ("decade", 120)])
def test_the_first_day_of_a_unit(name, months):
    unit = CalendarUnit(name)
    days = [day for day in DAYS if day.year >= 10]
    numbers = unit.numbers(np.array([float((day - EPOCH).days) for day in days]))
    counted = [(12 * day.year + day.month - 1) // months * months for day in days]
    first = [dt.date(month // 12, month % 12 + 1, 1) for month in counted]
    assert unit.first_days(numbers).tolist() == [float((day - EPOCH).days) for day in first]


def test_units_that_come_again_list_their_labels():
    assert {name: len(labels) for name, labels in CYCLES.items()} == {"season": 4, "weekday": 7}
