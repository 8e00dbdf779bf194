"""What a column without dates is taken for, rule by rule: kind of scale, levels, how sure, and what is asked."""

from __future__ import annotations

import pyarrow as pa
import pytest

from discreet.data.inferring.looking import Guess, Look
from discreet.data.inferring.value_scales import scale_of
from discreet.data.scales import ItemSet, Nominal, Numeric, Ordinal, Sequence


def guess(name, values, **options):
    column = pa.array(values)
    return scale_of(Look(name, column, column, **options))


def test_nothing_truth_and_an_order_that_the_column_says():
    empty = guess("x", pa.array([], pa.string()))
    assert (empty.scale.levels, empty.reason) == (("",), "no value at all")
    assert guess("x", [True, False, True]).scale.levels == (False, True)
    said = guess("x", ["low", "top"] * 9, order=("top", "mid", "low"))
    assert (said.scale.kind, said.scale.levels) == ("ordinal", ("top", "mid", "low"))
    beyond = guess("x", ["low", "other"] * 9, order=("top", "mid", "low"))
    assert beyond.scale.levels == ("low", "other")


@pytest.mark.parametrize(
    ("name", "values", "kind", "reason", "asks"),
    [
        ("x", [0.5, 1.5, 2.5], "numeric", "numbers, 3 different", ""),
        ("x", [1, 2, 3, 4] * 10, "ordinal", "4 different whole numbers in a row", "quantities, an order, or codes?"),
        ("x", [0, 1, 2] * 10, "ordinal", "3 different whole numbers in a row", "quantities, an order, or codes?"),
        ("x", [2, 3, 4] * 10, "ordinal", "3 different whole numbers with gaps", "quantities, an order, or codes?"),
        ("x", [1, 3, 4] * 10, "nominal", "3 different whole numbers with gaps", "quantities, an order, or codes?"),
        ("x", [1, 3, 104] * 10, "ordinal", "3 different whole numbers with gaps", "quantities, an order, or codes?"),
        ("x", [7, 9] * 10, "nominal", "2 different whole numbers", ""),
        ("children", [0, 1] * 10, "ordinal", "2 different whole numbers", "quantities, an order, or codes?"),
        ("education", [1, 2, 3, 4] * 10, "ordinal", "4 different whole numbers", ""),
        ("zipcode", [1010, 1020, 9020] * 10, "nominal", "3 codes, which are no quantities", ""),
        ("income", list(range(13)) * 10, "numeric", "13 different whole numbers", ""),
        ("income", list(range(12)) * 10, "ordinal", "12 different whole numbers", "quantities, an order, or codes?"),
        ("x", list(range(21)) * 10, "numeric", "numbers, 21 different", ""),
        ("x", list(range(20)) * 10, "ordinal", "20 different whole numbers in a row", "quantities, an order"),
        ("x", list(range(200, 240)) * 3, "numeric", "whole numbers of one length, 40 different", "or codes?"),
        ("x", list(range(200, 240)), "numeric", "numbers, 40 different", ""),
        ("x", list(range(1950, 1990)) * 3, "numeric", "numbers, 40 different", ""),
        ("x", list(range(980, 1020)) * 3, "numeric", "numbers, 40 different", ""),
    ],
)  # fmt: skip
def test_whole_numbers(name, values, kind, reason, asks):
    one = guess(name, values)
    assert (one.scale.kind, one.reason) == (kind, reason)
    assert asks in one.question
    assert bool(asks) == bool(one.question)
    if kind != "numeric":
        assert one.scale.levels == tuple(sorted(set(values)))
        assert one.holds_for == "code"


def test_codes_are_repeated_and_not_below_zero():
    assert guess("zipcode", [1010, 1020, 1030, 1040]).reason == "numbers, 4 different"
    assert guess("zipcode", [1010, 1010, 1030, 1030]).reason == "2 codes, which are no quantities"
    assert "codes" not in guess("zipcode", [-1, -1, 1030, 1030]).reason


def test_highest_numbers_after_a_gap_are_asked_about():
    one = guess("x", [1, 2, 3, 4, 98, 99] * 10)
    assert one.reason == "6 different whole numbers, 2 of them after a gap"
    assert one.question.startswith("do the 2 highest numbers, after a gap, stand for no answer?")
    assert one.scale.kind == "ordinal"
    assert guess("x", [1, 2, 98, 99] * 10).scale.kind == "nominal", "an order of two is none"


@pytest.mark.parametrize(
    ("values", "kind", "levels", "reason"),
    [
        (["b", "a", "b"], "nominal", ("a", "b"), "2 different words"),
        (["007", "012"], "nominal", ("007", "012"), "2 codes written with zeros"),
        (["high", "low", "medium"], "ordinal", ("low", "medium", "high"), "3 levels in a known order"),
    ],
)
def test_words(values, kind, levels, reason):
    one = guess("x", values)
    assert (one.scale.kind, one.scale.levels, one.reason) == (kind, levels, reason)


def test_a_small_vocabulary_in_many_orders_is_a_sequence():
    places = "abcd"
    trips = [f"{x} {y} {z}" for x in places for y in places for z in places]
    one = guess("trip", trips)
    assert one.scale.kind == "sequence"
    assert one.scale.alphabet == tuple(places)
    assert guess("trip", trips[:20] * 3).scale.kind == "nominal", "too few orders"
    numbers = [f"{x}{y} {z}{x}" for x in range(10) for y in range(10) for z in range(10)]
    assert guess("phone", numbers).scale.kind == "nominal", "groups of digits are no events"


ASK = "are these quantities, an order, or codes?"
TRIPS = [f"{x} {y} {z}" for x in "abcd" for y in "abcd" for z in "abcd"]
LEGS = [f"{x} {y}" for x in "abcdefgh" for y in "abcdefgh"]
PAIRS = [f"{x};{y}" for x in "abcdefgh" for y in "abcdefgh" if x < y]


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("x", pa.array([], pa.string()), Guess("no value at all", 0.9, scale=Nominal([""]))),
        ("x", [True, False], Guess("true or false", 0.97, scale=Nominal([False, True]))),
        ("x", [0.5, 1.5], Guess("numbers, 2 different", 0.95, scale=Numeric())),
        ("zipcode", [1010] * 9,
         Guess("1 code, which is no quantity", 0.9, scale=Nominal([1010]), holds_for="code")),
        ("isco", [11, 12] * 9,
         Guess("2 codes, which are no quantities", 0.9, scale=Nominal([11, 12]), holds_for="code")),
        ("x", list(range(200, 240)) * 3,
         Guess("whole numbers of one length, 40 different", 0.5, scale=Numeric(),
               question="are these quantities or codes?", holds_for="code")),
        ("x", list(range(10, 50)) * 3, Guess("numbers, 40 different", 0.75, scale=Numeric())),
        ("age", list(range(200, 240)) * 3, Guess("numbers, 40 different", 0.9, scale=Numeric())),
        ("x", list(range(1850, 2101)) * 3, Guess("numbers, 251 different", 0.75, scale=Numeric())),
        ("x", list(range(1849, 2101)) * 3,
         Guess("whole numbers of one length, 252 different", 0.5, scale=Numeric(),
               question="are these quantities or codes?", holds_for="code")),
        ("x", [5] * 9, Guess("the same whole number everywhere", 0.85, scale=Nominal([5]), holds_for="code")),
        ("x", [5, 7] * 9, Guess("2 different whole numbers", 0.85, scale=Nominal([5, 7]), holds_for="code")),
        ("x", [2, 3, 4] * 4, Guess("numbers, 3 different", 0.75, scale=Numeric())),  # more than a fifth are different
        ("x", [2, 3, 4] * 5,
         Guess("3 different whole numbers with gaps", 0.5, scale=Ordinal([2, 3, 4]), question=ASK, holds_for="code")),
        ("income", list(range(13)) * 10, Guess("13 different whole numbers", 0.8, scale=Numeric())),
        ("income_class", list(range(13)) * 10,
         Guess("13 different whole numbers", 0.85, scale=Ordinal(range(13)), question=ASK, holds_for="code")),
        ("education", [1, 2, 3, 8, 9] * 9,
         Guess("5 different whole numbers", 0.85, scale=Ordinal([1, 2, 3, 8, 9]),
               question="do the 2 highest numbers, after a gap, stand for no answer?", holds_for="code")),
        ("education", [1, 2, 3, 4] * 9,
         Guess("4 different whole numbers", 0.85, scale=Ordinal([1, 2, 3, 4]), holds_for="code")),
        ("sex", [1, 2, 3] * 9,
         Guess("3 different whole numbers, which are codes", 0.85, scale=Nominal([1, 2, 3]), holds_for="code")),
        ("x", [1, 2, 3, 9] * 9,
         Guess("4 different whole numbers, 1 of them after a gap", 0.5, scale=Ordinal([1, 2, 3, 9]),
               question=f"do the 1 highest numbers, after a gap, stand for no answer? {ASK}", holds_for="code")),
        ("x", [1, 2, 9] * 9,
         Guess("3 different whole numbers, 1 of them after a gap", 0.5, scale=Nominal([1, 2, 9]),
               question=f"do the 1 highest numbers, after a gap, stand for no answer? {ASK}", holds_for="code")),
        ("x", [1, 2, 3] * 9,
         Guess("3 different whole numbers in a row", 0.6, scale=Ordinal([1, 2, 3]), question=ASK, holds_for="code")),
        ("x", [1, 3, 99] * 9,
         Guess("3 different whole numbers with gaps", 0.5, scale=Nominal([1, 3, 99]), question=ASK, holds_for="code")),
        ("x", [1, 3, 100] * 9,
         Guess("3 different whole numbers with gaps", 0.5, scale=Ordinal([1, 3, 100]), question=ASK, holds_for="code")),
        ("x", TRIPS, Guess("blank-separated words, 4 different, in many orders", 0.85, scale=Sequence("abcd"))),
        ("x", PAIRS,
         Guess("8 different items, several in a cell and in many combinations", 0.8, scale=ItemSet("abcdefgh", ";"))),
        ("address", PAIRS, Guess("28 different words", 0.95, scale=Nominal(sorted(PAIRS)))),
        ("x", ["2004-05", "12/2003", "2004-04"],
         Guess("3 different months of a year", 0.9, scale=Ordinal(["12/2003", "2004-04", "2004-05"]))),
        ("x", ["high", "low", "medium"],
         Guess("3 levels in a known order", 0.9, scale=Ordinal(["low", "medium", "high"]))),
        ("x", [*(f"{i}.5" for i in range(30)), "see below"],
         Guess("numbers, but for 1 of 31 different values", 0.5,
               scale=Nominal(sorted([*(f"{i}.5" for i in range(30)), "see below"])),
               question="what do the values stand for that are no numbers?")),
        ("x", ["007", "012"],
         Guess("2 codes written with zeros", 0.95, scale=Nominal(["007", "012"]), holds_for="code")),
        ("x", ["b", "a"], Guess("2 different words", 0.95, scale=Nominal(["a", "b"]))),
    ],
)  # fmt: skip
def test_a_whole_guess(name, values, expected):
    assert guess(name, values) == expected


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("x", [" ".join(f"{x}{y}{z}") for x in "123" for y in "123" for z in "123"], "sequence"),  # single digits
        ("phone", [" ".join(f"{x}{y}{z}") for x in "123" for y in "123" for z in "123"], "nominal"),
        ("x", [f"{x}{y} {z}{x}" for x in range(9) for y in range(9) for z in range(9)], "nominal"),
        ("x", TRIPS[:21], "sequence"),
        ("x", TRIPS[:20], "nominal"),
        ("x", LEGS[:25], "sequence"),
        ("x", LEGS[:24], "nominal"),  # eight words, three orders each
        ("load", [f"0.{i};1.5;2;2.5;2;1.5" for i in range(20)], "sequence"),
        ("address", [f"0.{i};1.5;2;2.5;2;1.5" for i in range(20)], "nominal"),
        ("way", [f"{i},48.2,16.3;{i + 9},48.3,16.4" for i in range(20)], "sequence"),
    ],
)
def test_many_words_in_a_cell(name, values, kind):
    assert guess(name, values).scale.kind == kind


def test_readings_and_places_are_told_apart():
    load = guess("load", [f"0.{i};1.5;2;2.5;2;1.5" for i in range(20)])
    assert (load.scale.name, load.scale.delimiter, load.confidence) == ("series", ";", 0.8)
    assert load.reason == "many numbers with decimals in a cell, one after the other"
    way = guess("way", [f"{i},48.2,16.3;{i + 9},48.3,16.4" for i in range(20)])
    assert (way.scale.name, way.scale.delimiter, way.confidence) == ("trajectory", ";", 0.85)
    assert way.reason == "times and places, many in a cell"
