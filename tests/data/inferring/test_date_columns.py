"""Which columns hold dates, what stands in them for none, and what is asked."""

from __future__ import annotations

from datetime import date

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.inferring.date_columns import find_date_codes, is_moment
from discreet.data.inferring.looking import Look
from discreet.data.scales import Date, DateTime


def look(values, name="x", **others):
    column = values if isinstance(values, pa.Array) else pa.array(values)
    return Look(name, column, column.drop_null(), **others)


def days(count, style="{y}-{m:02}-{d:02}", start=0):
    return [style.format(y=1990 + i % 20, m=1 + i % 12, d=13 + i % 15) for i in range(start, start + count)]


HOUR = pa.array(np.array(["2004-05-06T07"], "datetime64[us]"))
MIDNIGHT = pa.array(np.array(["2004-05-06"], "datetime64[us]"), pa.timestamp("us", "UTC"))


@pytest.mark.parametrize(
    ("values", "scale", "reason", "sure"),
    [
        (pa.array([date(2004, 5, 6)]), Date(), "the type of the column says date", 0.97),
        (pa.array(np.array(["2004-05-06"], "datetime64[us]")), Date(), "the type of the column says date", 0.97),
        (HOUR, DateTime(), "the type of the column says datetime", 0.97),
        (HOUR.cast(pa.timestamp("us", "UTC")), DateTime(), "the type of the column says datetime", 0.97),
        (MIDNIGHT, DateTime(), "the type of the column says datetime", 0.97),
        (days(4), Date(), "4 different dates, as they are written", 0.95),
        (days(4) * 2, Date(), "4 different dates, as they are written", 0.95),
        ([f"{day} 10:11:12" for day in days(4)], DateTime(), "4 different datetimes, as they are written", 0.95),
        (days(5, "{y}{m:02}{d:02}"), Date(), "5 different dates, as they are written", 0.95),
        ([int(day) for day in days(5, "{y}{m:02}{d:02}")], Date(), "5 different dates, as they are written", 0.95),
        ([float(day) for day in days(5, "{y}{m:02}{d:02}")], Date(), "5 different dates, as they are written", 0.95),
    ],
)  # fmt: skip
def test_dates_by_type_and_by_writing(values, scale, reason, sure):
    guess = is_moment(look(values))
    assert type(guess.scale) is type(scale)
    assert (guess.reason, guess.confidence, guess.question) == (reason, sure, "")


@pytest.mark.parametrize(
    "values",
    [
        pa.array([], pa.string()),
        ["2004-05-06"],  # one alone
        ["2004-05-06"] * 5,
        ["a", "b"],
        days(4, "{y}{m:02}{d:02}"),  # four times eight digits may be chance
        [float(day) + 0.5 for day in days(5, "{y}{m:02}{d:02}")],
        [18_500_100 - i for i in range(9)],
        [True, False],
        days(5, "1849{m:02}{d:02}"),
        days(5, "2101{m:02}{d:02}"),
        [*days(2), "a", "b"],
        [*days(2), "a"],
        [*days(3), "a"],
        ["a", "2004-05-06"],
        [*days(7), "a", "b"],  # two of nine
    ],
)
def test_what_is_no_date(values):
    assert is_moment(look(values)) is None


def test_the_name_of_a_column_speaks_for_few_dates():
    assert is_moment(look(["2004-05-06"], "date")) is not None
    assert is_moment(look(days(4, "{y}{m:02}{d:02}"), "date")) is not None
    assert is_moment(look(days(4, "{y}{m:02}{d:02}"), "birth")) is not None
    assert is_moment(look(days(5, "1850{m:02}{d:02}"))) is not None
    assert is_moment(look(days(5, "2100{m:02}{d:02}"))) is not None
    assert is_moment(look(days(4), order=tuple(days(4)))) is None  # levels in order are levels


@pytest.mark.parametrize(
    ("values", "question"),
    [
        ([*days(4), "a"], "1 of 5 values are no dates: what do they stand for?"),
        ([*days(18), "a", "a", "b"], "3 of 21 values are no dates: what do they stand for?"),
        (["a", *days(9)], "1 of 10 values are no dates: what do they stand for?"),
        ([f"{day} 10:11:12" for day in days(9)] + ["a"],
         "1 of 10 values are no datetimes: what do they stand for?"),
        (["01/02/2004", "03/04/2004"], "does the day or the month come first?"),
        (["01/02/2004", "03/04/2004", "05/06/2004", "07/08/2004", "a"],
         "does the day or the month come first? 1 of 5 values are no dates: what do they stand for?"),
    ],
)  # fmt: skip
def test_what_is_asked_lowers_the_confidence(values, question):
    guess = is_moment(look(values))
    assert guess.question == question
    assert guess.confidence == 0.6
    assert guess.reason.startswith(f"{len(set(values) - {'a', 'b'})} different date")


@pytest.mark.parametrize(
    ("extra", "codes"),
    [
        (["0000-00-00"], ("0000-00-00",)),
        (["99.99.9999", "8888-88-88"], ("8888-88-88", "99.99.9999")),
        (["9999-12-31", "31.12.9999", "12/31/9999", "0001-01-01"],
         ("0001-01-01", "12/31/9999", "31.12.9999", "9999-12-31")),
        (["9999-12-31 23:59:59"], ("9999-12-31 23:59:59",)),
        (["Unknown", " - "], (" - ", "Unknown")),
        (["0"], ("0",)),
        ([], ()),
        (["nobody"], ()),
    ],
)  # fmt: skip
def test_codes_among_dates(extra, codes):
    assert find_date_codes(pa.array([*days(9), *extra])) == codes


def test_numbers_have_codes_as_numbers_and_few_eight_digits_have_none():
    numbers = [int(day) for day in days(9, "{y}{m:02}{d:02}")]
    assert find_date_codes(pa.array([*numbers, 99999999, 0])) == (0, 99999999)
    assert find_date_codes(pa.array([*numbers[:5], 0])) == (0,)
    assert find_date_codes(pa.array([*numbers[:4], 0])) == ()
    assert find_date_codes(pa.array([*days(4, "{y}{m:02}{d:02}"), "0"])) == ()
    assert find_date_codes(pa.array([1, 2, 0])) == ()
    assert find_date_codes(pa.array([], pa.int64())) == ()
    assert find_date_codes(pa.array(["a", "b", "c", "d", "0"])) == ()
    assert find_date_codes(pa.array([True])) == ()


@pytest.mark.parametrize("edge", [18_500_101, 21_001_231])
def test_the_middle_number_says_whether_numbers_may_be_dates(edge):
    assert find_date_codes(pa.array([edge] * 3 + [0])) in ((), (0,))
    inside = edge + (1 if edge < 20_000_000 else -1)
    assert is_moment(look([edge, inside], "date")) is not None
