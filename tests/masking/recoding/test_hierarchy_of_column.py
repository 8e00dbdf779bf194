"""Hierarchies from few words: what fits a scale, and leaves that do not tell what occurs."""

from __future__ import annotations

import pyarrow as pa
import pytest

import discreet as dc
from discreet.errors import ParameterError
from discreet.masking.recoding.hierarchy_of_column import _powers, _whole, hierarchy_of_text, lists_values

SCHEMA = dc.Schema(
    [
        dc.Attribute("age", dc.Numeric(), "key"),
        dc.Attribute("wage", dc.Numeric(), "key"),
        dc.Attribute("size", dc.Ordinal(["s", "m", "l"]), "key"),
        dc.Attribute("zip", dc.Nominal(["101", "102", "205"]), "key"),
        dc.Attribute("born", dc.Date(), "key"),
    ]
)
TABLE = dc.Microdata(
    pa.table(
        {
            "age": [18, 40, 77, 93],
            "wage": [1.5, 2.25, 9.0, None],
            "size": ["s", "m", "l", "l"],
            "zip": ["101", "102", "205", "205"],
            "born": ["1990-01-05", "1991-02-03", "2000-12-31", None],
        }
    ),
    SCHEMA,
)


@pytest.mark.parametrize(
    ("column", "by", "steps", "row"),
    [
        ("age", None, "10; 50", ("77", "70–79", "50–99", "*")),
        ("age", "intervals", "", ("77", "75–79", "70–79", "60–79", "40–79", "*")),
        ("wage", None, "<2,5+", ("2.25", "2–<5", "*")),
        ("size", None, "", ("m", "s–m", "*")),
        ("zip", "prefix", "2; 1", ("101", "10*", "1**", "*")),
        ("zip", None, "2", ("101", "other", "*")),
        ("zip", "cooccurrence", "2", None),
        ("born", None, "", ("2000-12-31", "2000-12", "2000-Q4", "2000", "*")),
        ("born", "dates", "year; decade", ("2000-12-31", "2000", "2000s", "*")),
    ],
)
def test_what_fits_a_scale(column, by, steps, row):
    tree = dc.build_hierarchy(TABLE, column, by, steps)
    assert row is None or tree.rows[row[0]] == row


def test_leaves_of_whole_numbers_do_not_tell_which_occur():
    tree = dc.build_hierarchy(TABLE, "age", steps="5")
    assert list(tree.rows) == [str(age) for age in range(10, 100)]
    assert not lists_values(TABLE, "age", tree)
    assert lists_values(TABLE, "wage", dc.build_hierarchy(TABLE, "wage", steps="1"))
    assert lists_values(TABLE, "zip", dc.build_hierarchy(TABLE, "zip", "prefix"))


def test_what_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match="'born' is date; a hierarchy by intervals is for one that is numeric"):
        dc.build_hierarchy(TABLE, "born", "intervals")
    with pytest.raises(ParameterError, match="steps must be whole numbers here"):
        dc.build_hierarchy(TABLE, "size", "order", "two")


@pytest.mark.parametrize(
    ("column", "by", "said"),
    [
        ("age", "prefix", "column 'age' is numeric; a hierarchy by prefix is for one that is categorical"),
        ("age", "dates", "column 'age' is numeric; a hierarchy by dates is for one that is a date"),
        ("zip", "intervals", "column 'zip' is nominal; a hierarchy by intervals is for one that is numeric"),
        ("zip", "order", "the levels of 'zip' have no order"),
        ("zip", "magic", "by must be one of .*; got 'magic'"),
        ("born", "frequency", "column 'born' is date; a hierarchy by frequency is for one that is categorical"),
    ],
)
def test_ways_that_do_not_fit_are_named(column, by, said):
    with pytest.raises(ParameterError, match=f"build_hierarchy: {said}"):
        dc.build_hierarchy(TABLE, column, by)


@pytest.mark.parametrize(("levels", "powers"), [(1, [2]), (2, [2]), (3, [2]), (4, [2]), (5, [2, 4]), (9, [2, 4, 8])])
def test_runs_double_below_the_number_of_levels(levels, powers):
    assert _powers(levels) == powers


@pytest.mark.parametrize(
    ("parts", "numbers"), [([], []), (["2", "4"], [2, 4]), (["2,4"], [2, 4]), ([" 2 , ", "8"], [2, 8])]
)
def test_whole_numbers_are_read(parts, numbers):
    assert _whole(parts) == numbers


def test_whole_numbers_that_are_none_are_refused():
    for parts in (["2.5"], ["-2"], ["2", "x"]):
        with pytest.raises(ParameterError, match="steps must be whole numbers here"):
            _whole(parts)


def test_text_of_a_file_is_read_for_a_column():
    tree = hierarchy_of_text(TABLE, "zip", "north: 101-102\n", ".grc")
    assert [row[:2] for row in tree.rows.values()] == [("101", "north"), ("102", "north"), ("205", "205")]
    tree = hierarchy_of_text(TABLE, "wage", "low: -2\nhigh: 3-\n", ".grc")
    assert [row[:2] for row in tree.rows.values()] == [("1.5", "low"), ("2.25", "2.25"), ("9", "high")]


def test_leaves_of_numbers_by_hand():
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key")])

    def leaves(numbers, steps=""):
        return dc.build_hierarchy(dc.Microdata(pa.table({"x": numbers}), schema), "x", steps=steps)

    # A round range around 3 and 7 of whole numbers; of others those that occur.
    assert list(leaves([3.0, 7.0]).rows) == ["3", "4", "5", "6", "7"]
    assert list(leaves([3.5, 7.0]).rows) == ["3.5", "7"]
    assert leaves([3.0, 7.0]).rows["4"] == ("4", "4", "4–5", "4–7", "0–7", "*")
    assert leaves([3.0, 7.0], "5").rows["4"] == ("4", "0–4", "*")
    wide = leaves([0.0, 10_000_000.0])
    assert list(wide.rows) == ["0", "10000000"], "too many to list"
    with pytest.raises(ParameterError, match="build_hierarchy: column 'x' has no number"):
        leaves(pa.array([None, None], pa.float64()))


def leaves(*numbers):
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key")])
    return len(dc.build_hierarchy(dc.Microdata(pa.table({"x": list(numbers)}), schema), "x", "intervals").rows)


def test_whole_numbers_of_a_short_range_are_all_leaves_and_of_a_long_one_those_that_occur():
    assert leaves(0, 9_999) == 10_000
    assert leaves(0, 10_000) == 2
    assert leaves(0.5, 9_999) == 2


def test_rare_levels_are_those_of_fewer_than_five_and_then_of_fewer_than_fifty():
    counts = {"a": 3, "b": 3, "c": 4, "d": 5, "e": 10, "f": 49, "g": 50, "h": 90}
    schema = dc.Schema([dc.Attribute("x", dc.Nominal(list(counts)), "key")])
    data = dc.Microdata(pa.table({"x": [level for level, count in counts.items() for _ in range(count)]}), schema)
    built = dc.build_hierarchy(data, "x", "frequency").rows
    assert built == dc.Hierarchy.from_frequency(counts, [5, 50]).rows
    for other in ([4, 50], [6, 50], [5, 51]):
        assert built != dc.Hierarchy.from_frequency(counts, other).rows
