"""Builders of hierarchies: against short definitions, and what they refuse."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from itertools import combinations
from math import log

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import ParameterError
from discreet.masking.recoding import hierarchy_steps
from discreet.masking.recoding.hierarchy_steps import (
    _merged,
    _table,
    cooccurrence_rows,
    date_rows,
    frequency_rows,
    interval_rows,
    number_text,
    order_rows,
    prefix_rows,
)


def nested(hierarchy):
    """Whether every name has one name above it."""
    rows = list(hierarchy.rows.values())
    return all(
        len({row[step + 1] for row in rows if row[step] == name}) == 1
        for step in range(hierarchy.height)
        for name in {row[step] for row in rows}
    )


@given(st.lists(st.integers(0, 120), min_size=1, max_size=30), st.sampled_from([2, 3, 5]), st.sampled_from([2, 4]))
def test_intervals_are_those_of_the_definition(numbers, width, factor):
    tree = dc.Hierarchy.from_intervals(numbers, [width, width * factor])
    for number in numbers:
        low, broad = number // width * width, number // (width * factor) * width * factor
        names = (f"{low}–{low + width - 1}", f"{broad}–{broad + width * factor - 1}", "*")
        assert tree.rows[str(number)] == (str(number), *names)
    assert nested(tree)


def test_intervals_that_are_not_nested_are_refused():
    with pytest.raises(ParameterError, match="2 names of step 1 belong to two different broader names"):
        dc.Hierarchy.from_intervals(range(30), [10, "0,5,25,30"])
    with pytest.raises(ParameterError, match="5 of 30 numbers lie outside of the breaks of step 1"):
        dc.Hierarchy.from_intervals(range(30), ["0,10,24"])
    with pytest.raises(ParameterError, match="step 1 must be a width"):
        dc.Hierarchy.from_intervals(range(30), ["tens"])
    with pytest.raises(ParameterError, match="count bands of step 1 need the records"):
        dc.Hierarchy.from_intervals(range(30), ["count:3"])


@given(st.integers(1, 12), st.sampled_from([[2], [2, 4], [3, 6, 12]]))
def test_order_joins_runs_from_the_lowest(size, sizes):
    levels = [f"v{place}" for place in range(size)]
    tree = dc.Hierarchy.from_order(levels, sizes)
    for step, each in enumerate(sizes, 1):
        groups = [levels[start : start + each] for start in range(0, size, each)]
        names = {name: f"{g[0]}–{g[-1]}" if len(g) > 1 else g[0] for g in groups for name in g}
        assert {level: row[step] for level, row in tree.rows.items()} == names
    with pytest.raises(ParameterError, match="each a multiple"):
        dc.Hierarchy.from_order(levels, [2, 3])


@given(st.lists(st.text("0123456789", min_size=1, max_size=6), min_size=1, max_size=20, unique=True))
def test_prefixes_are_nested_and_keep_the_length(codes):
    tree = dc.Hierarchy.from_prefix(codes)
    assert nested(tree)
    for code, row in tree.rows.items():
        assert all(len(name) == len(code) for name in row[:-1])
        assert all(a.rstrip("*") == code[: len(a.rstrip("*"))] for a in row[:-1])
    left = dc.Hierarchy.from_prefix(codes, [1], mask="", from_left=True)
    assert {code: row[1] for code, row in left.rows.items()} == {code: code[-1] for code in codes}


def test_prefixes_put_zeros_back():
    assert dc.Hierarchy.from_prefix([601, 12345], [3], width=5).rows["601"] == ("601", "006**", "*")
    with pytest.raises(ParameterError, match="digits must descend"):
        dc.Hierarchy.from_prefix(["12"], [1, 2])


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 30), min_size=1), st.integers(2, 10), st.integers(1, 20)
)
def test_frequency_joins_what_is_rare_and_tells_no_count(counts, least, more):
    tree = dc.Hierarchy.from_frequency(counts, [least, least + more])
    assert nested(tree)
    assert list(tree.rows) == list(counts), "the order of rows is that of the levels"
    total = sum(counts.values())
    for step, fewest in ((1, least), (2, least + more)):
        sums = Counter()
        for level, row in tree.rows.items():
            sums[row[step]] += counts[level]
        assert all(number >= min(fewest, total) for number in sums.values() if number)
    assert not any(character.isdigit() for row in tree.rows.values() for name in row for character in name)


def test_dates_are_those_of_the_calendar():
    days = [dt.date(1999, 12, 31), dt.date(2000, 1, 1)]
    tree = dc.Hierarchy.from_dates(days, ["month", "quarter", "year", "decade"])
    assert tree.rows["1999-12-31"] == ("1999-12-31", "1999-12", "1999-Q4", "1999", "1990s", "*")
    with pytest.raises(ParameterError, match="in this order"):
        dc.Hierarchy.from_dates(days, ["year", "month"])
    with pytest.raises(ParameterError, match="in this order"):
        dc.Hierarchy.from_dates(days, ["season"])
    with pytest.raises(ParameterError, match="1 of 1 values are no dates") as caught:
        dc.Hierarchy.from_dates(["SECRET"], ["year"])
    assert "SECRET" not in str(caught.value)


# ---------------------------------------------------------------------------------------------------- co-occurrence


def together(jobs, sectors):
    levels = tuple(sorted(set(jobs)))
    schema = dc.Schema(
        [
            dc.Attribute("job", dc.Nominal(levels), "key"),
            dc.Attribute("sector", dc.Nominal(tuple(sorted(set(sectors)))), "key"),
        ]
    )
    return dc.Microdata(pa.table({"job": jobs, "sector": sectors}), schema)


def lost(jobs, sectors, groups):
    """The information about sectors that is lost where levels are joined."""

    def information(members):
        times = Counter(s for j, s in zip(jobs, sectors, strict=True) if j in members)
        total = sum(times.values())
        return sum(t * log(t / total) for t in times.values())

    return sum(sum(information({member}) for member in group) - information(group) for group in groups)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=8, max_size=40))
def test_the_first_join_is_the_cheapest(pairs):
    jobs, sectors = [j for j, _ in pairs], [s for _, s in pairs]
    levels = sorted(set(jobs))
    if len(levels) < 3:
        return
    rows = cooccurrence_rows(together(jobs, sectors), "job", [len(levels) - 1], ["sector"])
    groups: dict[str, set[str]] = {}
    for level, name in rows:
        groups.setdefault(name, set()).add(level)
    best = min(lost(jobs, sectors, [set(pair)]) for pair in combinations(levels, 2))
    assert lost(jobs, sectors, groups.values()) == pytest.approx(best, abs=1e-6)


def test_levels_that_occur_alike_are_joined():
    rng = np.random.default_rng(0)
    jobs = rng.choice(["nurse", "doctor", "smith", "welder", "judge"], 500)
    care = {"nurse": 0.9, "doctor": 0.85, "smith": 0.1, "welder": 0.15, "judge": 0.5}
    sectors = [("care" if rng.random() < care[job] else "metal") for job in jobs]
    tree = dc.Hierarchy.from_cooccurrence(together(jobs.tolist(), sectors), "job", [3, 2])
    assert tree.rows["nurse"][1] == "doctor | nurse"
    assert tree.rows["smith"][1] == "smith | welder"
    assert tree.rows["judge"][1] == "judge"
    assert nested(tree)


def test_what_cannot_be_compared_is_refused():
    table = together(["a", "b"], ["x", "y"])
    with pytest.raises(ParameterError, match="groups must descend"):
        dc.Hierarchy.from_cooccurrence(table, "job", [2, 4])
    with pytest.raises(ParameterError, match="compared by other attributes, and there is none"):
        dc.Hierarchy.from_cooccurrence(table, "job", [1], ["job"])


@pytest.mark.parametrize("bad", [3, "abc", [3], ["abc"], None])
def test_what_is_no_list_of_rows_is_refused_in_our_words(bad):
    with pytest.raises(ParameterError, match="Hierarchy: "):
        dc.Hierarchy(bad)


def test_no_message_of_a_library_tells_a_value():
    for build in (lambda: dc.Hierarchy.from_intervals(["SECRET4711"], [5]), lambda: dc.Hierarchy.from_order(3, [2])):
        with pytest.raises(dc.DiscreetError) as caught:
            build()
        assert "SECRET" not in str(caught.value)


# ------------------------------------------------------------------------------------------------------ by hand


@pytest.mark.parametrize("steps", [[], "", "24", ()])
def test_every_builder_wants_a_step(steps):
    table = together(["a", "b"], ["x", "y"])
    for build in (
        lambda: interval_rows([1, 2], steps),
        lambda: order_rows(["a", "b"], steps),
        lambda: frequency_rows({"a": 3}, steps, "other"),
        lambda: date_rows(["2020-01-01"], steps),
        lambda: cooccurrence_rows(table, "job", steps, None),
    ):
        with pytest.raises(ParameterError, match="Hierarchy: there must be at least one step"):
            build()


@pytest.mark.parametrize(("number", "text"), [(5.0, "5"), (5, "5"), (-0.5, "-0.5"), (1e3, "1000"), (0.1, "0.1")])
def test_numbers_are_written_as_levels(number, text):
    assert number_text(number) == text


def test_intervals_by_hand():
    assert interval_rows([12, 3, 12, 27], [10, "0,20+"]) == [
        ("3", "0–9", "0–19"),
        ("12", "10–19", "0–19"),
        ("27", "20–29", "20+"),
    ]
    assert interval_rows([0.5, 2], [1.0]) == [("0.5", "0–<1"), ("2", "2–<3")]
    for numbers in ([], [np.nan, 1.0], [np.inf]):
        with pytest.raises(ParameterError, match="numbers must be a list of finite numbers"):
            interval_rows(numbers, [5])
    with pytest.raises(ParameterError, match=r"1 of 3 numbers lie outside of the breaks of step 2\."):
        interval_rows([1, 5, 9], [5, "0,8"])


@pytest.mark.parametrize("sizes", [[1], [0, 2], [2, 2], [4, 2], [2, 3], [2, 4, 6]])
def test_sizes_of_runs_that_are_refused(sizes):
    with pytest.raises(ParameterError, match="sizes must be whole numbers of at least 2, each a multiple"):
        order_rows("abcd", sizes)


def test_runs_by_hand():
    assert order_rows("abcde", [2, 4]) == [
        ("a", "a–b", "a–d"),
        ("b", "a–b", "a–d"),
        ("c", "c–d", "a–d"),
        ("d", "c–d", "a–d"),
        ("e", "e", "e"),
    ]
    assert order_rows([3, 3, 4], [2]) == [("3", "3–4"), ("4", "3–4")]
    with pytest.raises(ParameterError, match="Hierarchy: there are no levels"):
        order_rows([], [2])


@pytest.mark.parametrize(
    ("codes", "digits", "mask", "width", "from_left", "rows"),
    [
        (["123", "45"], None, "*", None, False, [("123", "12*", "1**"), ("45", "45", "4*")]),
        (["123", "45"], [2, 0], "*", None, False, [("123", "12*", "***"), ("45", "45", "**")]),
        (["123", "45"], [2, 0], "", None, False, [("123", "12", "*"), ("45", "45", "*")]),
        (["123", "45"], [2, 1], "x", None, True, [("123", "x23", "xx3"), ("45", "45", "x5")]),
        (["123", "45"], [2, 0], "", None, True, [("123", "23", "*"), ("45", "45", "*")]),
        ([7, 123], [1], "*", 3, False, [("7", "0**"), ("123", "1**")]),
        ([7, 1234], [3, 1], "-", 4, True, [("7", "-007", "---7"), ("1234", "-234", "---4")]),
        (["a"], None, "*", None, False, [("a",)]),
    ],
)
def test_prefixes_by_hand(codes, digits, mask, width, from_left, rows):
    assert prefix_rows(codes, digits, mask, width, from_left=from_left) == rows


@pytest.mark.parametrize("digits", [[1, 1], [1, 2], [-1], [2, -1]])
def test_digits_that_do_not_descend_are_refused(digits):
    with pytest.raises(ParameterError, match="digits must descend, and none may be below 0"):
        prefix_rows(["123"], digits, "*", None, from_left=False)


def test_frequencies_by_hand():
    counts = {"gas": 90, "oil": 40, "sun": 3, "wood": 4}
    assert frequency_rows(counts, [4, 5, 41], "other") == [
        ("gas", "gas", "gas", "gas"),
        ("oil", "oil", "oil", "other"),
        ("sun", "other", "other", "other"),
        ("wood", "other", "other", "other"),  # four are enough, but three are not, and have nobody else
    ]
    # A level of that name is where they go, and its records count.
    assert frequency_rows({"gas": 9, "other": 2, "sun": 1}, [3], "other") == [
        ("gas", "gas"),
        ("other", "other"),
        ("sun", "other"),
    ]
    for least in ([1], [5, 5], [5, 4], [0, 3]):
        with pytest.raises(ParameterError, match="min_counts must ascend, from 2 or more"):
            frequency_rows(counts, least, "other")
    assert frequency_rows(counts, [2], "other")[2] == ("sun", "sun")


def test_dates_by_hand():
    days = [dt.date(2021, 3, 31), "2021-04-01", "2021-04-01", "1989-12-31"]
    assert date_rows(days, ["quarter", "decade"]) == [
        ("2021-03-31", "2021-Q1", "2020s"),
        ("2021-04-01", "2021-Q2", "2020s"),
        ("1989-12-31", "1989-Q4", "1980s"),
    ]
    assert date_rows(days[:1], ["month"]) == [("2021-03-31", "2021-03")]
    for units in (["year", "year"], ["decade", "year"], ["week"]):
        with pytest.raises(ParameterError, match="units must be some of month, quarter, year, decade, in this order"):
            date_rows(days, units)
    with pytest.raises(ParameterError, match="Hierarchy: there are no dates"):
        date_rows([], ["year"])


def test_groups_are_called_by_up_to_three_members():
    rows = cooccurrence_rows(together(list("abcdefg"), list("xxxxyyy")), "job", [2, 1], None)
    assert rows == [
        *((job, "a +3", "a +6") for job in "abcd"),
        *((job, "e | f | g", "a +6") for job in "efg"),
    ]
    rows = cooccurrence_rows(together(list("abcd"), list("xyxy")), "job", [4, 2], ["sector"])
    assert rows == [("a", "a", "a | c"), ("b", "b", "b | d"), ("c", "c", "a | c"), ("d", "d", "b | d")]


def test_numbers_are_compared_by_eighths_and_gaps_by_themselves():
    schema = dc.Schema([dc.Attribute("job", dc.Nominal(tuple("abc")), "key"), dc.Attribute("pay", dc.Numeric(), "key")])
    pay = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, None]
    jobs = ["a", "a", "b", "b", "b", "c", "c", None, "c"]
    data = dc.Microdata(pa.table({"job": pa.array(jobs, pa.string()), "pay": pay}), schema)
    # Quantiles at eighths of 1 … 8 are 1.875, 2.75, …, 7.125: every number has a column, and the gap the last one.
    assert _table(data, "job", 3, "pay").tolist() == [
        [1, 1, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 1, 1, 1, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 1, 1, 0, 1],
    ]
    nothing = dc.Microdata(pa.table({"job": ["a", "b", "b"], "pay": pa.array([None] * 3, pa.float64())}), schema)
    assert _table(nothing, "job", 3, "pay").tolist() == [[0, 1], [0, 2], [0, 0]]


def test_categories_are_compared_with_their_gaps():
    data = together(["a", "b", "b"], ["x", "y", "x"])
    assert _table(data, "job", 2, "sector").tolist() == [[1, 0, 0], [1, 1, 0]]


def test_joins_are_those_of_trying_every_pair():
    rng = np.random.default_rng(8)
    counts = rng.integers(0, 9, (7, 5)).astype(float)
    widths = [2, 3]
    counts[:, 0] = counts[:, 2:].sum(axis=1) - counts[:, 1]  # both tables count the same records
    counts = np.maximum(counts, 0)

    def information(rows):
        table = counts[list(rows)].sum(axis=0)
        total = table.sum() / 2
        return sum(t * log(t) for t in table if t > 0) - 2 * total * log(total)

    groups = [(row,) for row in range(7)]
    expected = {7: list(groups)}
    while len(groups) > 1:
        one, two = min(
            combinations(groups, 2),
            key=lambda pair: round(information(pair[0]) + information(pair[1]) - information(pair[0] + pair[1]), 9),
        )
        groups = sorted([group for group in groups if group not in (one, two)] + [tuple(sorted(one + two))])
        expected[len(groups)] = list(groups)
    found = _merged(counts, widths, [7, 5, 4, 2, 1])
    for labels, size in zip(found, [7, 5, 4, 2, 1], strict=True):
        members = {}
        for row, label in enumerate(labels.tolist()):
            members.setdefault(label, []).append(row)
        assert sorted(map(tuple, members.values())) == expected[size]
        assert all(label == min(rows) for label, rows in members.items())


def test_what_co_occurrence_refuses(monkeypatch):
    table = together(list("abc"), list("xyx"))
    for groups in ([3, 3], [2, 3], [0], [2, 0]):
        with pytest.raises(ParameterError, match="groups must descend"):
            cooccurrence_rows(table, "job", groups, None)
    monkeypatch.setattr(hierarchy_steps, "_MOST_LEVELS", 3)
    assert len(cooccurrence_rows(table, "job", [1], None)) == 3
    monkeypatch.setattr(hierarchy_steps, "_MOST_LEVELS", 2)
    with pytest.raises(ParameterError, match="'job' has 3 levels; up to 2 are compared"):
        cooccurrence_rows(table, "job", [1], None)
    monkeypatch.undo()
    schema = dc.Schema([dc.Attribute("pay", dc.Numeric(), "key"), dc.Attribute("job", dc.Nominal(("a", "b")), "key")])
    numbers = dc.Microdata(pa.table({"pay": [1.0], "job": ["a"]}), schema)
    with pytest.raises(ParameterError, match="attribute 'pay' is numeric; it has no levels"):
        cooccurrence_rows(numbers, "pay", [1], None)
    with pytest.raises(ParameterError, match="compared by other attributes, and there is none"):
        cooccurrence_rows(table, "job", [1], [])
    with pytest.raises(ParameterError, match="compared by other attributes, and there is none"):
        cooccurrence_rows(table, "job", [1], ["sector", "job"])
