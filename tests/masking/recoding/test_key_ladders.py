"""Hierarchies read for a search: rows, groups, leaves of records, files, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Date, Nominal, Numeric, Scale
from discreet.data.schema import Attribute, Schema
from discreet.errors import FileError, ParameterError
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.masking.recoding.key_ladders import NamedLadder, hierarchies_of, leaf_numbers, leaves_of

FUELS = Hierarchy(
    [["gas", "fossil", "any"], ["oil", "fossil", "any"], ["peat", "fossil", "any"], ["sun", "new", "any"]]
)


def table(name: str, scale: Scale, cells: list[object]) -> Microdata:
    return Microdata(pl.DataFrame({name: cells}), Schema([Attribute(name, scale, "key")]))


def test_groups_are_numbered_as_they_appear() -> None:
    ladder = NamedLadder.of("f", [("b", "x", "*"), ("a", "y", "*"), ("c", "x", "*")])
    assert ladder.groups.tolist() == [[0, 1, 2], [0, 1, 0], [0, 0, 0]]
    assert (ladder.height, ladder.top) == (2, "*")
    assert NamedLadder.of("f", [("b", "x"), ("a", "y")]).top == "*"  # no one name for all
    assert NamedLadder.of("f", [("b", "x"), ("a", "x")]).top == "x"
    assert NamedLadder.of("f", [("b",)]).top == "*"  # one level that nobody generalised


def test_leaves_of_levels_and_what_the_hierarchy_has_besides() -> None:
    data = table("fuel", Nominal(["sun", "wind", "gas", "oil"]), ["gas", "sun", None, "oil", "gas"])
    ladder, leaves, note = leaves_of("Search", data, "fuel", FUELS)
    assert leaves.tolist() == [0, 3, -1, 1, 0]
    assert [row[0] for row in ladder.rows] == ["gas", "oil", "peat", "sun"]
    assert ladder.groups[1].tolist() == [0, 0, 0, 1]
    assert note == "fuel: 1 of 4 leaves of the hierarchy are no value in the data; they count in its loss."
    whole = Hierarchy([["gas", "a"], ["oil", "a"], ["sun", "a"]])
    assert leaves_of("Search", data, "fuel", whole)[2] == ""
    lacking = Hierarchy([["gas", "a"], ["oil", "a"]])
    with pytest.raises(ParameterError, match=r"1 of 3 levels in the data \(1 records\) have no row"):
        leaves_of("Search", data, "fuel", lacking)


def test_without_a_hierarchy_a_value_or_nothing() -> None:
    data = table("fuel", Nominal(["sun", "wind", "gas"]), ["gas", "sun", None])
    ladder, leaves, note = leaves_of("Search", data, "fuel", None)
    assert ladder.rows == [("sun", "*"), ("gas", "*")]
    assert (leaves.tolist(), note) == ([1, 0, -1], "")
    empty = table("fuel", Nominal(["sun"]), [None, None])
    empty = Microdata(pl.DataFrame({"fuel": pl.Series([None, None], dtype=pl.String)}), empty.schema)
    ladder, leaves, _ = leaves_of("Search", empty, "fuel", None)
    assert (ladder.rows, leaves.tolist()) == ([("*", "*")], [-1, -1])


def test_numbers_are_matched_by_what_they_say() -> None:
    data = table("age", Numeric(), [2.5, None, 10.0, 2.5, 3.0])
    ages = Hierarchy([["10.0", "old", "*"], ["2.50", "young", "*"], ["3", "young", "*"], ["unknown", "young", "*"]])
    ladder, leaves, note = leaves_of("Search", data, "age", ages)
    assert leaves.tolist() == [1, -1, 0, 1, 2]
    assert [row[0] for row in ladder.rows] == [10, 2.5, 3, "unknown"]
    assert note.startswith("age: 1 of 4 leaves")
    with pytest.raises(ParameterError, match=r"2 of 3 levels in the data \(3 records\)"):
        leaves_of("Search", data, "age", Hierarchy([["3", "young"], ["4", "young"]]))
    ladder, leaves, _ = leaves_of("Search", data, "age", None)
    assert ladder.rows == [(2.5, "*"), (3, "*"), (10, "*")]
    assert leaves.tolist() == [0, -1, 2, 0, 1]


def test_leaves_that_are_dates_and_some_that_are_none() -> None:
    day = Date()
    first, second = day.encode(["2020-01-31", "2021-02-01"]).tolist()
    rows = [["2020-01-31", "2020"], ["2021-02-01", "2021"]]
    assert leaf_numbers(Hierarchy(rows), day) == {first: "2020-01-31", second: "2021-02-01"}
    mixed = Hierarchy([*rows, ["unknown", "2021"]])
    assert leaf_numbers(mixed, day) == {first: "2020-01-31", second: "2021-02-01"}
    assert leaf_numbers(Hierarchy([["1", "a"], ["x", "a"], ["2.0", "a"]]), Numeric()) == {1.0: "1", 2.0: "2.0"}


def test_a_folder_has_a_file_for_some_columns(tmp_path: Path) -> None:
    schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key"), Attribute("age", Numeric(), "key")])
    (tmp_path / "survey_fuel.csv").write_text("gas;fossil\noil;fossil\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    found = hierarchies_of("Search", tmp_path, schema)
    assert list(found) == ["fuel"]
    assert found["fuel"].height == 1
    assert list(hierarchies_of("Search", str(tmp_path), schema)) == ["fuel"]
    assert hierarchies_of("Search", None, schema) == {}
    with pytest.raises(FileError, match="does not exist"):
        hierarchies_of("Search", tmp_path / "elsewhere", schema)
    (tmp_path / "survey_fuel.csv").rename(tmp_path / "fuels.csv")
    with pytest.raises(FileError, match="none of the 1 files of hierarchies"):
        hierarchies_of("Search", tmp_path, schema)


def test_rows_that_come_back_are_refused_with_the_column() -> None:
    schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key")])
    circle = Hierarchy([["gas", "fossil", "gas"], ["oil", "any", "gas"]])
    with pytest.raises(ParameterError, match="'fuel': 1 of 2 rows of the hierarchy come back"):
        hierarchies_of("Search", {"fuel": circle}, schema)
    assert hierarchies_of("Search", {"fuel": FUELS}, schema) == {"fuel": FUELS}


def test_a_recode_file_needs_the_numbers_of_the_table(tmp_path: Path) -> None:
    (tmp_path / "age.grc").write_text("young:1-17\nold:18-99\n", encoding="utf-8")
    schema = Schema([Attribute("age", Numeric(), "key")])
    sources = {"age": tmp_path / "age.grc"}
    assert list(hierarchies_of("Search", sources, schema)["age"].rows) == ["*"]
    data = Microdata(pl.DataFrame({"age": [30.0, 5.0, None, 5.0]}), schema)
    found = hierarchies_of("Search", sources, schema, data)["age"]
    assert found.targets(["5", "30"], 1) == ["young", "old"]
    assert np.array_equal(leaves_of("Search", data, "age", found)[1], [1, 0, -1, 0])
