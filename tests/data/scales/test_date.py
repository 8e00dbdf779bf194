"""Dates and times: read from every usual form, numbers in between, written in the very form that came in."""

# ruff: noqa: DTZ001 - times without a zone are what is tested

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.scales.date_text import DateFormat, find_formats, read_text, write_text
from discreet.data.scales.precision import clock_fineness, joined_fineness

DAYS = [dt.date(1957, 12, 31), dt.date(1999, 1, 7), dt.date(2020, 2, 29), dt.date(2023, 11, 5)]
TEXTS = {
    "%Y-%m-%d": ["1957-12-31", "1999-01-07", "2020-02-29", "2023-11-05"],
    "%Y/%m/%d": ["1957/12/31", "1999/01/07", "2020/02/29", "2023/11/05"],
    "%Y%m%d": ["19571231", "19990107", "20200229", "20231105"],
    "%d.%m.%Y": ["31.12.1957", "07.01.1999", "29.02.2020", "05.11.2023"],
    "%-d.%-m.%Y": ["31.12.1957", "7.1.1999", "29.2.2020", "5.11.2023"],
    "%d/%m/%Y": ["31/12/1957", "07/01/1999", "29/02/2020", "05/11/2023"],
    "%m/%d/%Y": ["12/31/1957", "01/07/1999", "02/29/2020", "11/05/2023"],
    "%-m/%-d/%Y": ["12/31/1957", "1/7/1999", "2/29/2020", "11/5/2023"],
    "%d-%m-%Y": ["31-12-1957", "07-01-1999", "29-02-2020", "05-11-2023"],
    "%d %b %Y": ["31 Dec 1957", "07 Jan 1999", "29 Feb 2020", "05 Nov 2023"],
    "%d%^b%Y": ["31DEC1957", "07JAN1999", "29FEB2020", "05NOV2023"],
    "%B %-d, %Y": ["December 31, 1957", "January 7, 1999", "February 29, 2020", "November 5, 2023"],
    "%Y-%m-%d %H:%M:%S": [f"{day} 00:00:00" for day in DAYS],
}
MOMENTS = {
    "%Y-%m-%d %H:%M": ["1957-12-31 23:59", "2020-02-29 00:00"],
    "%Y-%m-%dT%H:%M:%S": ["1957-12-31T23:59:58", "2020-02-29T00:00:00"],
    "%Y-%m-%dT%H:%M:%SZ": ["1957-12-31T23:59:58Z", "2020-02-29T00:00:00Z"],
    "%Y-%m-%d %H:%M:%S.%3f": ["1957-12-31 23:59:58.125", "2020-02-29 00:00:00.500"],
    "%Y-%m-%dT%H:%M:%S%:z": ["1957-12-31T23:59:58+02:00", "2020-02-29T00:00:00+02:00"],
    "%Y-%m-%d %H:%M:%S%z": ["1957-12-31 23:59:58-0330", "2020-02-29 00:00:00-0330"],
    "%d.%m.%Y %H:%M": ["31.12.1957 23:59", "29.02.2020 00:00"],
    "%-m/%-d/%Y %-I:%M %p": ["12/31/1957 11:59 PM", "2/9/2020 1:00 AM"],
    "%Y%m%d%H%M%S": ["19571231235958", "20200229000000"],
    "%d%^b%Y:%H:%M:%S": ["31DEC1957:23:59:58", "29FEB2020:00:00:00"],
}


def table(column: object, scale: object, **more: object) -> dc.Microdata:
    return dc.Microdata(pa.table({"day": column}), dc.Schema([dc.Attribute("day", scale, "key", **more)]))


@pytest.mark.parametrize("text", TEXTS, ids=str)
def test_every_usual_text_is_found_read_and_written_again(text: str) -> None:
    original = table(pa.array(TEXTS[text]), dc.Date())
    assert original.schema["day"].scale.format == text
    assert original.encoded("day").tolist() == [(day - dt.date(1970, 1, 1)).days for day in DAYS]
    swapped = original.replacing({"day": original.encoded("day")[::-1]})
    assert swapped.column("day").to_pylist() == TEXTS[text][::-1]


@pytest.mark.parametrize("text", MOMENTS, ids=str)
def test_every_usual_text_of_a_time_is_found_read_and_written_again(text: str) -> None:
    original = table(pa.array(MOMENTS[text]), dc.DateTime())
    assert original.schema["day"].scale.format == text
    again = original.replacing({"day": original.encoded("day")[::-1]})
    assert again.column("day").to_pylist() == MOMENTS[text][::-1]


def test_offsets_are_instants_and_several_of_them_are_written_in_utc() -> None:
    original = table(pa.array(["2020-06-01T12:00:00+02:00", "2020-06-01T10:00:00Z"]), dc.DateTime())
    first, second = original.encoded("day")
    assert first == second == dt.datetime(2020, 6, 1, 10, tzinfo=dt.UTC).timestamp()
    assert original.replacing({"day": original.encoded("day")}).column("day").to_pylist() == (
        ["2020-06-01T10:00:00+00:00"] * 2
    )


@pytest.mark.parametrize(
    "column",
    [
        pa.array(DAYS, pa.date32()),
        pa.array(DAYS, pa.date64()),
        pa.array(DAYS, pa.date32()).cast(pa.timestamp("s")),
        pa.array(DAYS, pa.date32()).cast(pa.timestamp("ns")),
        pa.array([int(text) for text in TEXTS["%Y%m%d"]], pa.int64()),
        pa.array([int(text) for text in TEXTS["%Y%m%d"]], pa.int32()),
        pa.array([float(text) for text in TEXTS["%Y%m%d"]], pa.float64()),
    ],
    ids=lambda column: str(column.type),
)
def test_every_type_comes_back_as_it_went_in(column: pa.Array) -> None:
    original = table(column, dc.Date())
    assert original.encoded("day").tolist() == [(day - dt.date(1970, 1, 1)).days for day in DAYS]
    again = original.replacing({"day": original.encoded("day")}).column("day")
    assert again.type == column.type
    assert again.equals(column)


def test_a_zoned_column_is_of_local_days_and_of_instants() -> None:
    berlin = pa.array([dt.datetime(2020, 6, 1), dt.datetime(2020, 12, 1)], pa.timestamp("us"))
    zoned = berlin.cast(pa.timestamp("us", "UTC")).cast(pa.timestamp("us", "Europe/Berlin"))
    midnights = pa.compute.assume_timezone(berlin, "Europe/Berlin")
    days = table(midnights, dc.Date())
    assert days.encoded("day").tolist() == [18414, 18597]
    assert days.replacing({"day": days.encoded("day")}).column("day").equals(midnights)
    instants = table(zoned, dc.DateTime())
    assert instants.schema["day"].scale.timezone == "Europe/Berlin"
    assert instants.encoded("day").tolist() == [18414 * 86400, 18597 * 86400]
    assert instants.replacing({"day": instants.encoded("day")}).column("day").equals(zoned)


def test_frames_of_pandas_and_polars_keep_their_types() -> None:
    stamps = pd.to_datetime(["2020-06-01 10:00", "2021-06-01 11:30", None]).tz_localize("America/New_York")
    frame = pd.DataFrame({"at": stamps, "plain": stamps.tz_localize(None)})
    schema = dc.Schema([dc.Attribute("at", dc.DateTime(), "key"), dc.Attribute("plain", dc.DateTime(), "key")])
    original = dc.Microdata(frame, schema)
    again = original.replacing({name: original.encoded(name) for name in ("at", "plain")}).to_native()
    pd.testing.assert_frame_equal(again, frame)
    days = pl.DataFrame(
        {"day": DAYS, "at": pl.Series([dt.datetime(2020, 1, 1, 5)] * 4, dtype=pl.Datetime("ms", "UTC"))}
    )
    schema = dc.Schema([dc.Attribute("day", dc.Date(), "key"), dc.Attribute("at", dc.DateTime(), "key")])
    original = dc.Microdata(days, schema)
    assert original.replacing({name: original.encoded(name) for name in ("day", "at")}).to_native().equals(days)


def test_day_and_month_that_may_be_exchanged_are_asked_about() -> None:
    texts = pa.array(["03/04/2020", "05/06/2020"])
    with pytest.raises(dc.errors.DataError, match=r"Column 'day'.*two ways") as refusal:
        table(texts, dc.Date()).encoded("day")
    assert "%d/%m/%Y" in str(refusal.value)
    assert "03/04" not in str(refusal.value)
    assert table(texts, dc.Date("%d/%m/%Y")).encoded("day")[0] == (dt.date(2020, 4, 3) - dt.date(1970, 1, 1)).days
    assert table(texts, dc.Date("%m/%d/%Y")).encoded("day")[0] == (dt.date(2020, 3, 4) - dt.date(1970, 1, 1)).days


def test_a_format_that_a_release_cannot_show_is_kept() -> None:
    original = table(pa.array(["03/04/2020", "25/06/2020"]), dc.Date())
    released = original.replacing({"day": original.encoded("day")[[0, 0]]})
    assert released.column("day").to_pylist() == ["03/04/2020"] * 2
    assert released.encoded("day").tolist() == original.encoded("day")[[0, 0]].tolist()


def test_two_digits_of_a_year_are_asked_about() -> None:
    with pytest.raises(dc.errors.DataError, match="century"):
        table(pa.array(["25.12.57", "24.12.03"]), dc.Date()).encoded("day")
    original = table(pa.array(["25.12.77", "24.12.03"]), dc.Date("%d.%m.%y"))
    assert original.replacing({"day": original.encoded("day")}).column("day").to_pylist() == ["25.12.77", "24.12.03"]


@pytest.mark.parametrize(
    ("column", "count"),
    [
        (pa.array(["2020-01-01", "2020-02-30", "never", "2020-01-02"]), 2),
        (pa.array(["x", "y"]), 2),
        (pa.array([1985, 1990, 20200101]), 2),
        (pa.array([True, False]), 2),
    ],
)
def test_what_is_no_date_is_refused_by_count(column: pa.Array, count: int) -> None:
    with pytest.raises(
        dc.errors.DataError, match=f"Column 'day': {count} of {len(column)} values are no dates"
    ) as refusal:
        table(column, dc.Date()).encoded("day")
    assert "never" not in str(refusal.value)


def test_a_date_with_a_time_of_day_is_refused() -> None:
    with pytest.raises(dc.errors.DataError, match="1 of 2 values have a time of day"):
        table(pa.array([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 6)]), dc.Date()).encoded("day")


def test_missing_codes_stay() -> None:
    original = table(pa.array(["?", "01.02.2020", None, "03.02.2020"]), dc.Date(), missing=("?",))
    assert np.isnan(original.encoded("day")).tolist() == [True, False, True, False]
    middle = np.where(np.isnan(original.encoded("day")), np.nan, np.nanmean(original.encoded("day")))
    assert original.replacing({"day": middle}).column("day").to_pylist() == ["?", "02.02.2020", None, "02.02.2020"]


def test_declared_in_toml_and_back() -> None:
    schema = dc.Schema.from_toml('[[attribute]]\nname = "day"\nrole = "key"\nscale = "date"\nformat = "%d.%m.%Y"\n')
    assert schema["day"].scale.format == "%d.%m.%Y"
    assert dc.Schema.from_toml(schema.to_toml()).to_toml() == schema.to_toml()
    zoned = dc.Schema([dc.Attribute("at", dc.DateTime(timezone="Europe/Vienna"))])
    assert dc.Schema.from_toml(zoned.to_toml())["at"].scale.timezone == "Europe/Vienna"
    for wrong in ('format = "%d.%m"', 'format = "%Q"', "format = 3", 'timezone = "Mars/North"'):
        with pytest.raises(dc.errors.SchemaError):
            dc.Schema.from_toml(f'[[attribute]]\nname = "day"\nscale = "datetime"\n{wrong}\n')
    with pytest.raises(dc.errors.SchemaError, match="weight"):
        dc.Attribute("day", dc.Date(), "weight")


@given(st.lists(st.dates(), min_size=1, max_size=30), st.sampled_from(sorted(TEXTS)))
def test_text_is_read_as_it_is_written(days: list[dt.date], text: str) -> None:
    micros = np.array([(day - dt.date(1970, 1, 1)).days * 86_400_000_000 for day in days])
    written = DateFormat(text)
    again, readable, _ = read_text(pa.array(write_text(micros, written)), written)
    assert readable.all()
    assert again.tolist() == micros.tolist()


@given(st.lists(st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)), min_size=1, max_size=20))
def test_written_texts_are_those_of_the_standard_library(moments: list[dt.datetime]) -> None:
    micros = np.array([(m - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1) for m in moments])
    for text in ("%Y-%m-%d %H:%M:%S.%f", "%d %b %y %I:%M %p", "%B %d %Y"):
        assert write_text(micros, DateFormat(text)) == [m.strftime(text) for m in moments]
    (found,) = find_formats(pa.array([m.isoformat(sep=" ", timespec="seconds") for m in moments]), timed=True)
    assert found.text == "%Y-%m-%d %H:%M:%S"


def test_a_mean_of_dates_is_a_day_and_one_of_times_goes_in_the_steps_of_the_column() -> None:
    rng = np.random.default_rng(7)
    day = pa.array(rng.integers(0, 20_000, 60).astype(np.int32)).cast(pa.date32())
    hour = pa.array(rng.integers(0, 300_000, 60) * 3600 * 1_000_000, pa.timestamp("us"))
    schema = dc.Schema([dc.Attribute("day", dc.Date(), "key"), dc.Attribute("hour", dc.DateTime(), "key")])
    masked = dc.MDAV(k=3).mask(dc.Microdata(pa.table({"day": day, "hour": hour}), schema)).microdata.to_arrow()
    assert masked["day"].type == pa.date32()
    assert masked["hour"].type == pa.timestamp("us")
    assert all(moment.minute == moment.second == 0 for moment in masked["hour"].to_pylist())
    sizes = masked.group_by(["day", "hour"]).aggregate([([], "count_all")])["count_all"]
    assert min(sizes.to_pylist()) >= 3


def test_steps_of_parts_are_those_of_the_whole() -> None:
    minutes, hours = np.array([60.0, 120.0, 180.0]), np.array([3600.0] * 40)
    assert clock_fineness(hours).unit == 3600.0
    assert joined_fineness([clock_fineness(minutes), clock_fineness(hours)]).unit == 60.0
    assert clock_fineness(np.array([np.nan, 0.25])).unit == 0.01
