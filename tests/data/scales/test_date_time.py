"""Instants against the standard library's own calendar and time zones."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.scales import DateTime
from discreet.errors import SchemaError

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
ZONES = ["Europe/Vienna", "America/New_York", "Asia/Kolkata", "Pacific/Auckland"]
# Summer and winter, the hours around both changes of 2024 in Vienna and New York, and before 1970.
INSTANTS = [
    dt.datetime.fromisoformat(text)
    for text in ("2024-07-01T23:30:00", "2024-12-31T23:59:59.500000", "2024-03-31T00:59:00", "2024-03-31T01:01:00",
                 "2024-10-27T00:30:00", "2024-11-03T05:30:00", "1965-02-03T04:05:06")
]  # fmt: skip


def seconds(moment):
    return (moment.replace(tzinfo=dt.UTC) - EPOCH).total_seconds()


def test_there_and_back_with_a_missing_value():
    scale = DateTime()
    column = pa.array([*INSTANTS, None], pa.timestamp("us"))
    encoded = np.asarray(scale.encode(column))
    assert encoded[:-1].tolist() == [seconds(one) for one in INSTANTS]
    assert np.isnan(encoded[-1])
    assert scale.decode(encoded).to_pylist() == [*INSTANTS, None]


@pytest.mark.parametrize("zone", ZONES)
def test_the_day_of_an_instant_is_the_day_on_the_spot(zone):
    scale = DateTime(timezone=zone)
    encoded = np.array([*(seconds(one) for one in INSTANTS), np.nan])
    days = scale.days(encoded)
    spot = [one.replace(tzinfo=dt.UTC).astimezone(ZoneInfo(zone)).date() for one in INSTANTS]
    assert days[:-1].tolist() == [(day - dt.date(1970, 1, 1)).days for day in spot]
    assert np.isnan(days[-1])
    # And a day begins at midnight on the spot.
    begins = scale.of_days(days)
    midnights = [dt.datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)) for day in spot]
    assert begins[:-1].tolist() == [(one - EPOCH).total_seconds() for one in midnights]
    assert np.isnan(begins[-1])


def test_without_a_zone_days_are_those_that_are_written():
    scale = DateTime()
    encoded = np.array([seconds(one) for one in INSTANTS])
    assert scale.days(encoded).tolist() == [(one.date() - dt.date(1970, 1, 1)).days for one in INSTANTS]
    assert scale.of_days(np.array([1.0])).tolist() == [86_400.0]


def test_a_zone_is_taken_from_the_column_and_decoded_in_it():
    column = pa.array([INSTANTS[0]], pa.timestamp("us", "Asia/Kolkata"))
    scale = DateTime().completed(column)
    assert scale.timezone == "Asia/Kolkata"
    assert DateTime(timezone="Europe/Vienna").completed(column).timezone == "Europe/Vienna"
    assert DateTime().completed(pa.array([INSTANTS[0]])).timezone is None
    assert str(scale.decode(np.array([0.0])).type) == "timestamp[us, tz=UTC]"
    with pytest.raises(SchemaError, match="There is no such time zone"):
        DateTime(timezone="Mars/Olympus")


def test_distances_are_in_days():
    scale = DateTime()
    assert scale.distance(np.array([0.0, 86_400.0, np.nan]), np.array([43_200.0, 0.0, 1.0])).tolist()[:2] == [0.5, 1.0]
    assert np.isnan(scale.distance([0.0], [np.nan])[0])
