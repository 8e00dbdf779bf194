"""Households, twins and totals, on tables small enough to count."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.inferring.between_columns import find_household, find_totals, find_twins
from discreet.data.inferring.looking import Look


def look(name, values, **others):
    column = values if isinstance(values, pa.Array) else pa.array(values)
    return Look(name, column, column.drop_null(), **others)


HOMES = np.repeat(np.arange(1, 21), [1, 2, 3, 4] * 5)
"""Twenty homes of one to four, fifty records in all."""
ROOMS = (HOMES * 7 % 5).tolist()
PEOPLE = np.arange(50) % 7


def people():
    return look("sex", PEOPLE % 2)


# ----------------------------------------------------------------------------------------------------------- households


def test_a_household_is_told_with_its_counts():
    rooms = look("rooms", ROOMS)
    told = find_household([look("hid", HOMES), rooms, people()])
    assert told == ("hid", "20 groups of 2.5 records on average, who share 1 other columns")
    assert find_household([]) is None


def test_who_lives_alone_shares_nothing():
    homes = np.append(np.arange(1000), np.arange(100))  # a hundred homes of two, and the others of one
    rooms = homes % 5
    told = find_household([look("hid", homes), look("rooms", rooms)])
    assert told == ("hid", "1000 groups of 1.1 records on average, who share 1 other columns")
    rooms[0] = 4  # one home of a hundred does not agree, though one record of a thousand would not matter
    assert find_household([look("hid", homes), look("rooms", rooms)]) is None


@pytest.mark.parametrize(("differing", "shared"), [(0, 1), (1, 1), (2, 0)])
def test_one_record_of_a_thousand_may_differ_from_its_home(differing, shared):
    homes = np.repeat(np.arange(500), 2)
    rooms = homes % 5
    rooms[1 : 2 * differing : 2] += 1
    told = find_household([look("hid", homes), look("rooms", rooms)])
    assert told == ("hid", f"500 groups of 2.0 records on average, who share {shared} other columns")


@pytest.mark.parametrize(
    ("name", "beside", "order", "expected"),
    [
        ("hid", ["rooms"], "together", True),
        ("hid", [], "together", True),  # those with one number stand side by side
        ("hid", ["rooms"], "apart", True),
        ("hid", [], "apart", False),
        ("number", ["rooms"], "together", True),
        ("number", [], "together", False),
        ("number", ["rooms"], "apart", False),
        ("x", ["rooms"], "together", False),
        ("x", ["rooms", "roof"], "together", True),
        ("x", ["rooms", "roof"], "apart", False),
        ("income", ["rooms", "roof"], "together", False),
    ],
)
def test_what_a_household_must_show(name, beside, order, expected):
    rows = np.arange(50) if order == "together" else np.argsort(np.arange(50) % 2, kind="stable")
    columns = {"rooms": np.array(ROOMS), "roof": HOMES % 3}
    looks = [look(name, HOMES[rows]), people(), *(look(one, columns[one][rows]) for one in beside)]
    assert (find_household(looks) is not None) == expected


@pytest.mark.parametrize(
    ("homes", "expected"),
    [
        (np.repeat(np.arange(20), 2), True),
        (np.repeat(np.arange(9), 2), False),  # fewer than ten
        (np.repeat(np.arange(10), 2), True),
        (np.repeat(np.arange(11), [60] + [2] * 10), True),
        (np.repeat(np.arange(11), [61] + [2] * 10), False),  # sixty-one do not live together
        (np.repeat(np.arange(12), 15), True),
        (np.repeat(np.arange(12), 16), False),
        (np.repeat(np.arange(20), [1] * 19 + [2]), True),  # 1.05 on average
        (np.repeat(np.arange(21), [1] * 20 + [2]), False),
        (np.zeros(50, dtype=int), False),
    ],
)
def test_the_sizes_of_households(homes, expected):
    assert (find_household([look("hid", homes), look("rooms", homes * 7 % 5)]) is not None) == expected


def test_words_number_households_and_dates_or_amounts_do_not():
    words = [f"h{home}" for home in HOMES]
    assert find_household([look("hid", words), look("rooms", ROOMS)]) is not None
    assert find_household([look("hid", (HOMES + 0.5)), look("rooms", ROOMS)]) is None
    assert find_household([look("hid", pa.array(HOMES, pa.int32()).cast(pa.date32())), look("rooms", ROOMS)]) is None
    for name in ("hid_income", "hid_age", "hid_zip", "hid_rooms", "hid_weight", "hid_job", "hid_school", "hid_pain"):
        assert find_household([look(name, HOMES), look("roof", ROOMS)]) is None


def test_missing_numbers_are_no_home_and_the_best_candidate_wins():
    missing = [None if home == 1 else int(home) for home in HOMES]
    assert find_household([look("hid", missing), look("rooms", ROOMS)])[1].startswith("19 groups of 2.6 records")
    named = find_household([look("number", HOMES), look("hid", HOMES), look("rooms", ROOMS)])
    assert named[0] == "hid"
    first = find_household([look("hid", HOMES), look("hhid", HOMES), look("rooms", ROOMS)])
    assert first[0] == "hid"


def test_what_is_the_same_for_everybody_is_not_shared():
    same = [1] * 50
    assert find_household([look("number", HOMES), look("rooms", same), people()]) is None
    alone = np.arange(50)  # everybody alone: no group tells what is shared
    assert find_household([look("hid", alone), look("rooms", ROOMS)]) is None


# ---------------------------------------------------------------------------------------------------------------- twins


def test_a_twin_tells_the_same_as_an_earlier_column():
    codes, words = [1, 2, 3, 1, 2, 3, 1], ["a", "b", "c", "a", "b", "c", "a"]
    coarse = ["a", "b", "b", "a", "b", "b", "a"]
    looks = [look("code", codes), look("word", words), look("coarse", coarse), look("third", [9, 8, 7, 9, 8, 7, 9])]
    assert find_twins(looks) == {"word": "code", "third": "code"}


def test_columns_of_one_value_or_of_many_are_no_twins():
    assert find_twins([look("a", [1] * 6), look("b", ["x"] * 6)]) == {}
    assert find_twins([look("a", [1, 2, 3, 4]), look("b", list("abcd"))]) == {}
    assert find_twins([look("a", [1, 2, 1, 2]), look("b", list("xyxy"))]) == {
        "b": "a"
    }  # half are different: still told


# --------------------------------------------------------------------------------------------------------------- totals


def test_a_total_is_the_sum_of_neighbours_before_or_after():
    rng = np.random.default_rng(4)
    a, b, c = (rng.integers(1, 1000, 30).astype(float) for _ in range(3))
    assert find_totals([look("a", a), look("b", b), look("sum", a + b)]) == {"sum": ("a", "b")}
    assert find_totals([look("sum", a + b), look("a", a), look("b", b)]) == {"sum": ("a", "b")}
    assert find_totals([look("a", a), look("b", b), look("c", c), look("sum", a + b + c)]) == {"sum": ("a", "b", "c")}
    assert find_totals([look("a", a), look("b", b), look("c", c), look("sum", a + b)]) == {}  # not its neighbours
    assert find_totals([look("a", a), look("b", b), look("sum", a + b + 0.5)]) == {}


def test_up_to_six_are_added():
    rng = np.random.default_rng(5)
    parts = {f"p{i}": rng.integers(1, 1000, 30).astype(float) for i in range(7)}
    six = list(parts)[:6]
    looks = [look(name, parts[name]) for name in six]
    assert find_totals([*looks, look("sum", sum(parts[name] for name in six))]) == {"sum": tuple(six)}
    looks = [look(name, values) for name, values in parts.items()]
    assert find_totals([*looks, look("sum", sum(parts.values()))]) == {}


def test_only_full_columns_of_ten_different_numbers_are_added():
    values = np.arange(20) % 10 + 1.0
    assert find_totals([look("a", values), look("b", values), look("sum", 2 * values)]) == {"sum": ("a", "b")}
    few = np.arange(20) % 9 + 1.0
    assert find_totals([look("a", few), look("b", few), look("sum", 2 * few)]) == {}
    holes = pa.array([None, *(2 * values)[1:]])
    assert find_totals([look("a", values), look("b", values), look("sum", holes)]) == {}
    words = look("w", [str(i) + "x" for i in range(20)])
    # What is no number stands in nobody's way.
    assert find_totals([look("a", values), words, look("b", values), look("sum", 2 * values)]) == {"sum": ("a", "b")}
