"""Batteries of questions, column by column: what makes one, what does not, and the codes that are left out of it."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.inferring.batteries import codes_after_gap, find_batteries, without_codes
from discreet.data.inferring.looking import Look


def look(name, cells, **more):
    column = pa.array(cells)
    return Look(name, column, column.drop_null(), **more)


def turned(answers, place, n=60):
    """Answers one after the other, begun at another place in every column: neighbours never agree."""
    return [answers[(i + place) % len(answers)] for i in range(n)]


def questions(answers, count=5, stem="q", **more):
    return [look(f"{stem}{i}", turned(answers, i), **more) for i in range(1, count + 1)]


@pytest.mark.parametrize(
    ("answers", "is_one"),
    [
        ([1, 2, 3], True),
        ([0, 1, 2], True),
        ([1, 2], False),  # yes and no
        (list(range(1, 16)), True),
        (list(range(1, 17)), False),  # too many answers
        ([2, 3, 4], False),  # begins at neither 0 nor 1
        ([1.0, 2.0, 3.5], False),
        (["a", "b", "c"], True),
        (["1", "2", "3"], True),
        ([dt.date(2020, 1, day) for day in (1, 2, 3)], False),
    ],
)
def test_columns_with_one_stem_and_the_same_few_answers(answers, is_one):
    assert find_batteries(questions(answers)) == (dict.fromkeys(["q1", "q2", "q3", "q4", "q5"], 5) if is_one else {})


def test_ordered_categories_are_answers_whatever_they_begin_with():
    looks = questions([2, 3, 4], order=("2", "3", "4"))
    assert find_batteries(looks) == {one.name: 5 for one in looks}


@pytest.mark.parametrize(("count", "found"), [(4, 0), (5, 5), (6, 6)])
def test_five_columns_make_one(count, found):
    assert len(find_batteries(questions([1, 2, 3], count))) == found


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["q1", "q2", "q3", "q4", "q5"], 5),
        (["Q1", "q2", "q_3", "q.4", "q5a"], 5),
        (["q1", "q2", "q3", "q4", "r5"], 0),
        (["q1", "q2", "q3", "q4", "q"], 0),
        (["1", "2", "3", "4", "5"], 0),
        ([f"hours{i}" for i in range(5)], 0),  # a count of its own
        ([f"edu_level_education{i}" for i in range(5)], 0),
    ],
)
def test_the_stem_is_the_name_without_its_number(names, found):
    looks = [look(name, turned([1, 2, 3], place)) for place, name in enumerate(names)]
    assert len(find_batteries(looks)) == found


def test_nearly_all_columns_give_nearly_all_answers():
    whole = [1, 2, 3, 4, 5]
    # Of five answers three are enough, and four columns in five: a fifth that has other answers belongs to them.
    looks = [*questions(whole, 4), look("q5", turned([1, 2, 3], 5))]
    assert len(find_batteries(looks)) == 5
    wide = list(range(1, 7))
    looks = [*questions(wide, 4), look("q5", turned([1, 2, 3], 5))]
    assert find_batteries(looks) == {}, "four alike are too few"
    looks = [*questions(wide, 5), look("q6", turned([1, 2, 3], 6))]
    assert find_batteries(looks) == {one.name: 6 for one in looks}
    looks = [*looks, look("q7", turned([1, 2, 3], 7))]
    assert find_batteries(looks) == {}, "five of seven are too few"


@pytest.mark.parametrize(("same", "found"), [(41, 5), (42, 5), (43, 0), (60, 0)])
def test_neighbours_that_mostly_agree_are_states_in_time(same, found):
    # 42 of 60 records are seven in ten.
    start = turned([1, 2, 3], 0)
    looks = []
    for place in range(5):
        moved = [(answer - 1 + place) % 3 + 1 for answer in start]
        looks.append(look(f"q{place}", [*start[:same], *moved[same:]]))
    assert len(find_batteries(looks)) == found


def test_columns_without_a_record_in_common_are_no_states():
    looks = [look(f"q{i}", [*([None] * 10 * i), 1, 2, 3, *([None] * 10 * (5 - i))]) for i in range(5)]
    assert len(find_batteries(looks)) == 5


@pytest.mark.parametrize(
    ("levels", "codes"),
    [
        ((), ()),
        ((1, 2), ()),
        ((1, 2, 9), (9,)),
        ((0, 1, 9), (9,)),
        ((-1, 0, 9), ()),
        ((2, 3, 9), ()),
        ((1, 9, 99), ()),  # the gap comes before a second answer
        ((1, 2, 3), ()),
        ((1, 2, 6), ()),
        ((1, 2, 7, 8, 10), ()),  # one that is no known code
        ((0, 1, 2, 66), (66,)),
        ((*range(1, 33), 96), ()),  # thrice the highest answer is not beyond it
        ((*range(1, 32), 96), (96,)),
        ((*range(1, 33), 97), (97,)),
        ((1, 2, 3, 8, 88), (8, 88)),
    ],
)
def test_numbers_after_a_gap_that_stand_for_no_answer(levels, codes):
    assert codes_after_gap(levels) == codes


def test_codes_are_left_out_of_every_column_of_a_battery():
    first = look("q1", [1, 2, 3, 9, 9, None], codes=(-1,))
    second = look("q2", [1, 2, 3, 3, 3, 8])
    third = look("q3", [1, 2, 3, 3, 3, 3])
    texts = look("q4", ["1", "2", "3", "9", "1", "1"])
    told = look("q5", [1, 2, 3, 9, 9, 9], label="Trust")
    words = look("q6", ["a", "b", "c", "9a", "a", "a"])
    other = look("q7", [1, 2, 3, 9, 9, 9])
    looks = [first, second, third, texts, told, words, other]
    result = without_codes(looks, dict.fromkeys(["q1", "q2", "q3", "q4", "q5", "q6"], 6))
    assert [one.codes for one in result] == [(-1, 9), (8,), (), ("9",), (), (), ()]
    assert [one.values.to_pylist() for one in result[:4]] == [
        [1, 2, 3], [1, 2, 3, 3, 3], [1, 2, 3, 3, 3, 3], ["1", "2", "3", "1", "1"],
    ]  # fmt: skip
    assert [one is before for one, before in zip(result[4:], looks[4:], strict=True)] == [True] * 3
    assert result[0].column is first.column


def test_answers_of_all_columns_of_a_stem_say_where_the_gap_is():
    # 4 and 5 occur in one column, so that nothing of the other one lies beyond a gap.
    row = [look("q1", [1, 2, 3, 7]), look("q2", [4, 5, 6, 6])]
    assert [one.codes for one in without_codes(row, {"q1": 5, "q2": 5})] == [(), ()]
    apart = [look("q1", [1, 2, 3, 7]), look("r2", [4, 5, 6, 6])]
    assert [one.codes for one in without_codes(apart, {"q1": 5, "r2": 5})] == [(7,), ()]
    unnumbered = [look("q", [1, 2, 3, 7])]
    assert without_codes(unnumbered, {"q": 5})[0].codes == (7,)
    assert without_codes(unnumbered, {})[0] is unnumbered[0]


def test_the_share_that_agrees_is_the_middle_one():
    same, rng = np.array(turned([1, 2, 3], 0)), np.random.default_rng(2)
    columns = [same, same, same, rng.permutation(same), rng.permutation(same)]
    assert len(find_batteries([look(f"q{i}", column) for i, column in enumerate(columns)])) == 5
    columns[3] = same
    assert find_batteries([look(f"q{i}", column) for i, column in enumerate(columns)]) == {}
