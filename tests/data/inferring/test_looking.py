"""A look at one column: what rules ask of it."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from discreet.data.inferring.looking import HEAD, Look, strays_among_numbers


def look(cells, name="x", **more):
    column = cells if isinstance(cells, pa.Array) else pa.array(cells)
    return Look(name, column, column.drop_null(), **more)


@pytest.mark.parametrize(
    ("cells", "numbers", "whole", "levels"),
    [
        ([3, 1, 3, None], [3.0, 1.0, 3.0], True, (1, 3)),
        ([1.5, 2.5], [1.5, 2.5], False, (1, 2)),
        ([2.0, 1.0], [2.0, 1.0], True, (1, 2)),
        (["2", "10", " 3 "], [2.0, 10.0, 3.0], True, (2, 3, 10)),
        (["2", "x"], None, False, ()),
        (["02", "3"], None, False, ()),  # a zero before digits: a code
        (["0", "1.5"], [0.0, 1.5], False, (0, 1)),
        (["1" * 17, "3"], None, False, ()),  # a float would not give all of it back
        (["1" * 16, "3"], [1111111111111111.0, 3.0], True, (3, 1111111111111111)),
        (["1e+200", "3"], None, False, ()),
        ([True, False], None, False, ()),
        ([dt.date(2020, 1, 1)], None, False, ()),
        ([[1, 2]], None, False, ()),
        (pa.array([], pa.int64()), None, False, ()),
        (pa.array([None, None], pa.int64()), None, False, ()),
    ],
)
def test_values_as_numbers(cells, numbers, whole, levels):
    seen = look(cells)
    assert (None if seen.numbers is None else seen.numbers.tolist()) == numbers
    assert seen.whole is whole
    assert seen.levels == levels


@pytest.mark.parametrize(
    ("cells", "texts", "share", "codes"),
    [
        (["b", None, "a", "b"], ["b", "a"], 2 / 3, [0, -1, 1, 0]),
        ([2, 2, 1, 2], ["2", "1"], 0.5, [0, 0, 1, 0]),
        (pa.array([], pa.string()), [], 0.0, []),
    ],
)
def test_different_values(cells, texts, share, codes):
    seen = look(cells)
    assert seen.texts == texts
    assert len(seen.distinct) == len(texts)
    assert seen.share_distinct == share
    assert seen.head_codes.tolist() == codes


def test_lists_have_no_different_values_and_are_never_alike():
    seen = look([[1], [1], None])
    assert len(seen.distinct) == 0
    assert seen.share_distinct == 0.0
    assert seen.head_codes.tolist() == [0, 1, 2]


def test_columns_are_compared_on_their_first_records():
    assert HEAD == 20_000
    assert look(pa.array(range(HEAD + 5))).head_codes.tolist() == list(range(HEAD))


@pytest.mark.parametrize(
    ("cells", "months"),
    [
        (["2004-05", "1999/12", "1.2001", " 12-1850 "], True),
        (["2004-13"], False),
        (["2004-00"], False),
        (["2104-05"], False),
        (["2004-05", "x"], False),
        (["2004-5"], False),
        ([200405], False),
        (pa.array([None], pa.string()), False),
    ],
)
def test_months_of_a_year(cells, months):
    assert look(cells).is_year_month is months


def test_types_and_subjects():
    assert (look(["a"]).is_text, look([1]).is_text) == (True, False)
    assert (look([dt.date(2020, 1, 1)]).is_temporal, look(["2020-01-01"]).is_temporal) == (True, False)
    seen = look(["a"], name="q1", label="Age of the person")
    assert seen.speaks_of("age")
    assert seen.speaks_of("weight", "age")
    assert not seen.speaks_of("weight", "amount")
    assert not seen.speaks_of()


@pytest.mark.parametrize(
    ("numbers", "words", "strays"),
    [(20, 1, 0), (21, 1, 1), (21, 0, 0), (38, 2, 2), (37, 2, 0), (95, 5, 5), (94, 5, 0)],
)
def test_a_few_words_among_many_numbers_are_strays(numbers, words, strays):
    texts = [*(str(number) for number in range(numbers)), *(f"word {i}" for i in range(words))]
    assert strays_among_numbers(texts) == strays


@pytest.mark.parametrize(("text", "is_number"), [("-5", 1), ("+5,25", 1), (" 5.0 ", 1), ("05", 0), ("5.", 0), ("", 0)])
def test_what_counts_as_a_number_among_words(text, is_number):
    assert strays_among_numbers([*(str(number) for number in range(100, 150)), text]) == 1 - is_number
