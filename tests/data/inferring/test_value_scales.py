"""What a column without dates is taken for, rule by rule: kind of scale, levels, how sure, and what is asked."""

from __future__ import annotations

import pyarrow as pa
import pytest

from discreet.data.inferring.looking import Look
from discreet.data.inferring.value_scales import scale_of


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
