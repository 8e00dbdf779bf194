"""Dates as people write them, text by text: read, found and written, the limits of every part among them."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.scales.date_text import DateFormat, find_formats, read_text, write_text
from discreet.errors import SchemaError


def micros_of(*moment):
    """Microseconds since the beginning of 1970, by the standard library."""
    return (dt.datetime(*moment) - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)  # noqa: DTZ001 - no zone


@pytest.mark.parametrize(
    ("form", "text", "moment"),
    [
        ("%Y-%m-%d", "2004-02-29", (2004, 2, 29)),
        ("%Y-%m-%d", " 1969-12-31 ", (1969, 12, 31)),
        ("%Y-%m-%d", "0001-01-01", (1, 1, 1)),
        ("%Y-%m-%d", "9999-12-31", (9999, 12, 31)),
        ("%Y-%m-%d", "2003-02-29", None),
        ("%Y-%m-%d", "2004-04-31", None),
        ("%Y-%m-%d", "2004-13-01", None),
        ("%Y-%m-%d", "2004-00-01", None),
        ("%Y-%m-%d", "2004-01-00", None),
        ("%Y-%m-%d", "0000-01-01", None),
        ("%Y-%m-%d", "2004-01-01x", None),
        ("%Y-%m-%d", None, None),
        ("%d.%m.%y", "1.2.68", (2068, 2, 1)),
        ("%d.%m.%y", "1.2.69", (1969, 2, 1)),
        ("%d.%m.%y", "1.2.00", (2000, 2, 1)),
        ("%d.%m.%y", "1.2.99", (1999, 2, 1)),
        ("%d %b %Y", "3 sept. 2004", (2004, 9, 3)),
        ("%d %b %Y", "3 DEC 2004", (2004, 12, 3)),
        ("%d %b %Y", "3 Jan 2004", (2004, 1, 3)),
        ("%d %b %Y", "3 Janu 2004", None),
        ("%d %B %Y", "3 december 2004", (2004, 12, 3)),
        ("%d %B %Y", "3 Decemb 2004", None),
        ("%Y-%m-%d %H:%M:%S", "2004-05-06 23:59:59", (2004, 5, 6, 23, 59, 59)),
        ("%Y-%m-%d %H:%M:%S", "2004-05-06 24:00:00", None),
        ("%Y-%m-%d %H:%M:%S", "2004-05-06 23:60:00", None),
        ("%Y-%m-%d %H:%M:%S", "2004-05-06 23:00:60", None),
        ("%Y-%m-%d %I:%M %p", "2004-05-06 12:00 AM", (2004, 5, 6, 0, 0)),
        ("%Y-%m-%d %I:%M %p", "2004-05-06 12:30 p.m.", (2004, 5, 6, 12, 30)),
        ("%Y-%m-%d %I:%M %p", "2004-05-06 1:05 am", (2004, 5, 6, 1, 5)),
        ("%Y-%m-%d %I:%M %p", "2004-05-06 11:05 PM", (2004, 5, 6, 23, 5)),
        ("%Y-%m-%d %I:%M %p", "2004-05-06 0:05 PM", None),
        ("%Y-%m-%d %I:%M %p", "2004-05-06 13:05 PM", None),
        ("%Y-%m-%d %I:%M", "2004-05-06 11:05", (2004, 5, 6, 11, 5)),
        ("%Y-%m-%d %H:%M:%S.%f", "2004-05-06 01:02:03.5", (2004, 5, 6, 1, 2, 3, 500_000)),
        ("%Y-%m-%d %H:%M:%S.%f", "2004-05-06 01:02:03.123456789", (2004, 5, 6, 1, 2, 3, 123_456)),
        ("%Y-%m-%d %H:%M%z", "2004-05-06 01:02Z", (2004, 5, 6, 1, 2)),
        ("%Y-%m-%d %H:%M%z", "2004-05-06 01:02+02", (2004, 5, 5, 23, 2)),
        ("%Y-%m-%d %H:%M%z", "2004-05-06 01:02-0130", (2004, 5, 6, 2, 32)),
        ("%Y-%m-%d %H:%M%z", "2004-05-06 01:02+05:45", (2004, 5, 5, 19, 17)),
        ("%Y%m%d", "20040506", (2004, 5, 6)),
        ("%Y%m%d", "2004056", None),  # where numbers touch, each has all its digits
        ("%d%b%Y", "6may2004", (2004, 5, 6)),
        ("100%% %d.%m.%Y", "100% 6.5.2004", (2004, 5, 6)),
    ],
)
def test_a_text_in_one_format(form, text, moment):
    micros, readable, _ = read_text(pa.array([text, None], pa.string()), DateFormat(form))
    assert readable.tolist() == [moment is not None, False]
    assert micros.tolist() == [0 if moment is None else micros_of(*moment), 0]


def test_offsets_in_minutes():
    texts = pa.array(["2004-05-06 01:02+0200", "2004-05-06 01:02Z", "x", None, "2004-05-06 01:02-01:30"])
    _, readable, offsets = read_text(texts, DateFormat("%Y-%m-%d %H:%M%z"))
    assert readable.tolist() == [True, True, False, False, True]
    assert offsets.tolist() == [120, 0, 0, 0, -90]


@pytest.mark.parametrize(
    ("form", "order", "timed"),
    [
        ("%Y-%m-%d", "Ymd", False),
        ("%-d.%-m.%y", "dmy", False),
        ("%^b %d, %Y", "mdY", False),
        ("%d %B %Y %-H:%M", "dmY", True),
        ("%d%b%Y:%I:%M %p", "dmY", True),
    ],
)
def test_what_a_format_names(form, order, timed):
    assert DateFormat(form).order == order
    assert DateFormat(form).has_time is timed


@pytest.mark.parametrize(
    "form", ["", "%Y-%m", "%d.%m", "%Y-%m-%d %d", "%Y-%m-%m", "%Y-%y-%d", "%Y %B %m", "%Y-%m-%d %", "%Y-%m-%d %Q"]
)
def test_a_format_names_year_month_and_day_once_each(form):
    with pytest.raises(SchemaError, match="must name its year, month and day once each"):
        DateFormat(form)


@pytest.mark.parametrize(
    ("texts", "timed", "forms"),
    [
        ([], False, []),
        (["x"], False, []),
        (["2004-05-06"], False, ["%Y-%m-%d"]),
        (["2004-05-06"], True, []),
        (["2004-05-06", "2004-13-06"], False, []),
        (["6.5.2004", "16.12.2004"], False, ["%-d.%-m.%Y"]),
        (["06.05.2004", "6.5.2004"], False, ["%d.%m.%Y"]),
        (["06.12.2004", "16.5.2004"], False, ["%d.%-m.%Y"]),
        (["05/06/2004"], False, ["%d/%m/%Y", "%m/%d/%Y"]),
        (["05/16/2004"], False, ["%m/%d/%Y"]),
        (["06.05.04"], False, ["%d.%m.%y"]),
        (["04-05-06"], False, ["%y-%m-%d", "%d-%m-%y"]),
        (["6 MAY 2004"], False, ["%-d %^b %Y"]),
        (["6 MAY 2004", "7 Jun 2004"], False, ["%-d %b %Y"]),
        (["6 May 2004", "16 June 2004"], False, ["%-d %B %Y"]),  # spelt in full, though no longer than others are short
        (["6 may 2004", "16 july 2004"], False, ["%-d %B %Y"]),
        (["6-July-2004"], False, ["%-d-%B-%Y"]),
        (["6 May 2004"], False, ["%-d %b %Y"]),  # nothing tells
        (["6 June 2004", "7 Jan 2004"], False, ["%-d %b %Y"]),
        (["6 June 2004", "7 Sept 2004"], False, ["%-d %b %Y"]),
        (["6 June. 2004"], False, ["%-d %b %Y"]),
        (["6 JUNE 2004"], False, ["%-d %^b %Y"]),
        (["6 June 2004", "7 September 2004"], False, ["%-d %B %Y"]),
        (["May 6, 2004", "Jun 16, 2004"], False, ["%b %-d, %Y"]),
        (["2004-05-06 01:02", "2004-05-06 11:02"], True, ["%Y-%m-%d %H:%M"]),
        (["2004-05-06 1:02", "2004-05-06 11:02"], True, ["%Y-%m-%d %-H:%M"]),
        (["2004-05-06T01:02:03Z"], True, ["%Y-%m-%dT%H:%M:%SZ"]),
        (["2004-05-06T01:02:03+0200", "2004-05-06T01:02:03Z"], True, ["%Y-%m-%dT%H:%M:%S%z"]),
        (["2004-05-06T01:02:03 +02:00"], True, ["%Y-%m-%dT%H:%M:%S %:z"]),
        (["2004-05-06 01:02:03.25", "2004-05-06 01:02:03.125"], True, ["%Y-%m-%d %H:%M:%S.%3f"]),
        (["2004-05-06 01:02:03.123456789"], True, ["%Y-%m-%d %H:%M:%S.%6f"]),
        (["2004-05-06, 1:02 pm"], True, ["%Y-%m-%d, %-I:%M %p"]),
        (["20040506010203"], True, ["%Y%m%d%H%M%S"]),
        (["06MAY2004:01:02:03"], True, ["%d%^b%Y:%H:%M:%S"]),
    ],
)
def test_the_formats_in_which_all_texts_can_be_read(texts, timed, forms):
    assert [one.text for one in find_formats(pa.array(texts, pa.string()), timed=timed)] == forms


def test_every_text_counts_and_not_only_the_first_ones():
    texts = [f"{day:02d}/01/2004" for day in range(1, 13)] * 3
    assert len(find_formats(pa.array(texts), timed=False)) == 2
    assert [one.order for one in find_formats(pa.array([*texts, "13/01/2004"]), timed=False)] == ["dmY"]
    assert find_formats(pa.array([*texts, "x"]), timed=False) == ()


@pytest.mark.parametrize(
    ("form", "offset", "texts"),
    [
        ("%Y-%m-%d", 0, ["0001-01-01", "1969-12-31", "2004-05-06"]),
        ("%-d.%-m.%y", 0, ["1.1.01", "31.12.69", "6.5.04"]),
        ("%d %b %Y", 0, ["01 Jan 0001", "31 Dec 1969", "06 May 2004"]),
        ("%d %^b %Y", 0, ["01 JAN 0001", "31 DEC 1969", "06 MAY 2004"]),
        ("%B %-d, %Y", 0, ["January 1, 0001", "December 31, 1969", "May 6, 2004"]),
        ("%Y%m%d %H:%M:%S", 0, ["00010101 00:00:00", "19691231 23:59:59", "20040506 13:02:03"]),
        ("%Y%m%d %-H", 0, ["00010101 0", "19691231 23", "20040506 13"]),
        ("%Y%m%d %I%p", 0, ["00010101 12AM", "19691231 11PM", "20040506 01PM"]),
        ("%Y%m%d %-I", 0, ["00010101 12", "19691231 11", "20040506 1"]),
        ("%Y%m%d .%f", 0, ["00010101 .000000", "19691231 .999999", "20040506 .250000"]),
        ("%Y%m%d .%2f", 0, ["00010101 .00", "19691231 .99", "20040506 .25"]),
        ("%Y%m%d .%8f", 0, ["00010101 .00000000", "19691231 .99999900", "20040506 .25000000"]),
        ("%Y%m%d %H:%M%z", 90, ["00010101 01:30+0130", "19700101 01:29+0130", "20040506 14:32+0130"]),
        ("%Y%m%d %H:%M%:z", -600, ["00001231 14:00-10:00", "19691231 13:59-10:00", "20040506 03:02-10:00"]),
        ("%Y%m%d %H:%M%z", 0, ["00010101 00:00+0000", "19691231 23:59+0000", "20040506 13:02+0000"]),
        ("%d%% %m %Y", 0, ["01% 01 0001", "31% 12 1969", "06% 05 2004"]),
    ],
)
def test_moments_as_texts(form, offset, texts):
    moments = np.array([micros_of(1, 1, 1), -1, micros_of(2004, 5, 6, 13, 2, 3, 250_000)])
    assert write_text(moments, DateFormat(form), offset) == texts
    assert write_text(moments[:0], DateFormat(form), offset) == []
