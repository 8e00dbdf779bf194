"""What makes a column one that identifies, rule by rule, with the columns that just miss it."""

from __future__ import annotations

import pyarrow as pa
import pytest

from discreet.data.inferring.looking import Look
from discreet.data.inferring.personal_data import content_of, identifies


def look(name, values, **others):
    column = values if isinstance(values, pa.Array) else pa.array(values)
    return Look(name, column, column.drop_null(), **others)


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["a.b@c.org", " d@e.co.uk ", "f@g.de"], "addresses of mail"),
        (["a@b", "c@d", "e@f"], ""),
        (["https://a.org/x", "www.b.org", "http://c.de"], "addresses of the web"),
        (["10.0.0.1", "192.168.1.1", "8.8.8.8"], "network addresses"),
        (["00:1a:2B:3c:4d:5e", "00:1a:2b:3c:4d:5f", "00:1a:2b:3c:4d:60"], "network addresses"),
        (["10.0.1", "192.168.1", "8.8.8"], ""),
        (["DE44 5001 0517 5407 3249 31", "NL91ABNA0417164300", "CH9300762011623852957"], "account numbers"),
        (["+41 44 123 45 67", "0041441234567", "(no) 1", "+1 (212) 555-0100", "+34 912 34 56 78", "+49/30/123456"],
         "telephone numbers"),
        (["044 123 45 67", "030-1234567", "0471/12 34 56"], "telephone numbers"),
        (["123-45-6789", "756.1234.5678.97", "987-65-4321"], "social security numbers"),
        (["123e4567-e89b-12d3-a456-42661417400" + end for end in "012"], "universal identifiers"),
        (["a@b.org", "c@d.org"], ""),  # two may be anything
        (["a@b.org", "c@d.org", "e@f.org", "none"], ""),  # three of four are too few
        (["a@b.org", "c@d.org", "e@f.org", "g@h.org", "none"], ""),  # and so are four of five
        (["a@b.org", "c@d.org", "e@f.org", "g@h.org", "i@j.org", "none"], "addresses of mail"),
        ([], ""),
    ],
)  # fmt: skip
def test_what_texts_look_like(texts, kind):
    assert content_of(texts) == kind
    guess = identifies(look("x", pa.array(texts, pa.string())))
    if kind:
        assert guess.reason == f"its values look like {kind}: it will not be released"
        assert guess.confidence == 0.97
        assert (guess.role, guess.holds_for) == ("identifier", "identifier")


MAP = "its name says a place on a map"
NAME = "its name says what a person is called"
PHONE = "its name says a telephone"
OWN_NUMBER = "its name says a person's or a company's own number"
OWN_DATA = "its name says a person's or a company's own data"
HOME = "its name says a household, and its values are many"
NUMBERED = "its name and its many different values say identifier"
DIFFERENT = "nearly every value is different"
COUNTED = "it counts the records"
LENGTH = "whole numbers of one length, all different"


def words(count, times=1):
    return [f"w{i}" for i in range(count)] * times


@pytest.mark.parametrize(
    ("name", "values", "reason", "sure"),
    [
        ("lat", [1.5, 2.5], MAP, 0.95),
        ("lat", [1, 2] * 50, None, None),
        ("lat", ["a", "b"] * 50, None, None),
        ("surname", ["a", "b"], NAME, 0.95),
        ("surname", [True, False], None, None),
        ("name", ["a", "b"], NAME, 0.95),
        ("client_name", ["a", "b"], NAME, 0.95),
        ("country_name", ["a", "b"], None, None),
        ("nombre", [1, 2] * 50, None, None),
        ("tel", ["0441234567", "0441234568"], PHONE, 0.95),
        ("tel", [441234567, 441234568], PHONE, 0.95),
        ("tel", ["yes", "no"] * 50, None, None),
        ("tel", ["0441234567", "0441234568", "0441234569", "0441234560", "no"] * 50, None, None),  # four of five
        ("hotel", [441234567, 441234568] * 2, None, None),
        ("uuid", ["a", "b"] * 50, OWN_NUMBER, 0.95),
        ("uuid_income", ["a", "b"] * 50, OWN_NUMBER, 0.95),
        ("uuid_income", [1, 2] * 50, None, None),  # an amount of money is no number of a person
        ("uuid", ["2004-05", "2004-06"] * 50, None, None),
        ("uuid", pa.array([1, 2] * 50, pa.int32()).cast(pa.date32()), None, None),
        ("address", words(3, 10), None, None),  # three of thirty
        ("address", [*words(3, 15), "w"], None, None),
        ("address", words(7, 5), None, None),  # a fifth
        ("address", words(7, 4) + words(6), OWN_DATA, 0.95),  # 7 of 34
        ("address", words(50, 10), None, None),
        ("address", words(51, 10), OWN_DATA, 0.95),
        ("address_region", words(51, 10), None, None),
        ("address", [i + 0.5 for i in range(60)] * 10, None, None),
        ("hid", words(10, 2), None, None),  # half are different
        ("hid", words(10, 2)[:19], HOME, 0.85),
        ("hid", [i + 0.5 for i in range(10)], None, None),
        ("hid_sex", words(10), None, None),
        ("number", words(10, 2), None, None),
        ("number", words(10, 2)[:19], NUMBERED, 0.95),
        ("number", [i + 0.5 for i in range(10)], None, None),
        ("firmid", words(10), NUMBERED, 0.95),
        ("treenr", words(10), None, None),
        ("firm", words(10), None, None),
        ("num_1", words(10), None, None),  # the first of a row of questions
        ("x", words(20), None, None),
        ("x", words(21), DIFFERENT, 0.85),
        ("x", words(27) + words(3), None, None),  # nine of ten
        ("x", words(28) + words(3), DIFFERENT, 0.85),
        ("date", words(30), None, None),
        ("x", list(range(21)), COUNTED, 0.85),
        ("x", list(range(1, 22)), COUNTED, 0.85),
        ("x", list(range(20)), None, None),
        ("x", list(range(2, 23)), None, None),
        ("x", [*range(20), 21], None, None),
        ("x", [*range(21), 0], None, None),
        ("x", [float(i) for i in range(21)], None, None),
        ("age", list(range(21)), None, None),
        ("x", [10_000 + 7 * i for i in range(21)], LENGTH, 0.7),
        ("x", [1_000 + 7 * i for i in range(21)], None, None),
        ("x", [99_990 + 7 * i for i in range(21)], None, None),
        ("x", [9_999, *(10_000 + 7 * i for i in range(21))], None, None),  # the first is shorter than all others
        ("x", [], None, None),
    ],
)  # fmt: skip
def test_what_identifies_and_what_just_does_not(name, values, reason, sure):
    guess = identifies(look(name, pa.array([], pa.string()) if values == [] else values))
    told = None if guess is None else (guess.reason, guess.confidence, guess.role)
    assert told == (None if reason is None else (f"{reason}: it will not be released", sure, "identifier"))


def test_levels_in_order_are_no_identifiers():
    levels = tuple(words(30))
    assert identifies(look("x", list(levels))) is not None
    assert identifies(look("x", list(levels), order=levels)) is None
