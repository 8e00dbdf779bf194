from __future__ import annotations

import os

import pyarrow as pa
import pytest
from tests.battery import SIZES, microdata

from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import FileError, ParameterError
from discreet.masking.recoding.hierarchy import Hierarchy, HierarchyByName
from discreet.masking.recoding.hierarchy_recoding import HierarchyRecoding

FUELS = ("gas", "oil", "wood", "sun")
SCHEMA_FUEL = Schema([Attribute("fuel", Nominal(FUELS), "key"), Attribute("w", Numeric(), "weight")])
TABLE = pa.table({"fuel": ["gas"] * 4 + ["oil"] * 3 + ["wood"] * 2 + ["sun"], "w": [1.0] * 9 + [50.0]})


def fuels(masker):
    return masker.mask(TABLE, SCHEMA_FUEL).microdata.column("fuel").to_pylist()


def test_a_hierarchy_is_read_from_a_file(tmp_path):
    path = tmp_path / "fuel.csv"
    path.write_text("gas;fossil;any\noil;fossil;any\nwood;renewable;any\nsun;renewable;any\n", encoding="utf-8")
    assert fuels(HierarchyRecoding({"fuel": str(path)})) == ["fossil"] * 7 + ["renewable"] * 3
    assert fuels(HierarchyRecoding({"fuel": path}, step=2)) == ["any"] * 10
    assert fuels(HierarchyRecoding({"fuel": str(path)}, step={"fuel": 0})) == TABLE["fuel"].to_pylist()
    with pytest.raises(ParameterError, match="step must be at most 2 for 'fuel'; got 3"):
        fuels(HierarchyRecoding({"fuel": str(path)}, step=3))
    with pytest.raises(FileError, match="does not exist"):
        Hierarchy.load(tmp_path / "nowhere.csv")


def test_missing_leaves_are_counted():
    with pytest.raises(ParameterError, match="attribute 'fuel': Hierarchy: 2 of 4 levels have no row"):
        fuels(HierarchyRecoding({"fuel": Hierarchy([["gas", "fossil"], ["oil", "fossil"]])}))


def test_ambiguous_leaves_and_torn_branches_are_counted():
    with pytest.raises(ParameterError, match="2 levels have two different rows"):
        Hierarchy([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"], ["c", "y"]])
    with pytest.raises(ParameterError, match="1 names of step 1 belong to two different broader names"):
        Hierarchy([["a", "x", "p"], ["b", "x", "q"]])
    with pytest.raises(ParameterError, match="equally long"):
        Hierarchy([["a", "x"], ["b"]])
    assert Hierarchy([["a", "x"], ["a", "x"]]).height == 1


def test_runs_of_an_ordered_scale_stay_ordered():
    sizes = Hierarchy([[s, "small" if s in {"xs", "s", "m"} else "large"] for s in SIZES])
    masked = HierarchyRecoding({"size": sizes}).mask(microdata())
    assert masked.microdata.schema["size"].scale == Ordinal(("small", "large"))


@pytest.mark.parametrize(
    "rows",
    [
        [["N", "E", "*"], ["E", "N", "*"], ["S", "S", "*"]],  # each is the other's broader name
        [["N", "north", "*"], ["E", "north", "*"], ["W", "N", "*"]],  # N holds W, and not itself
        [["a", "b", "c"], ["d", "c", "e"]],  # c is broader than b, and narrower than e
    ],
)
def test_a_circle_is_refused_whatever_it_goes_through(rows):
    with pytest.raises(ParameterError, match="narrower levels that they do not hold"):
        Hierarchy(rows)


def test_a_level_may_be_its_own_broader_name():
    assert Hierarchy([["other", "other", "*"], ["rare", "other", "*"]]).targets(["rare"], 1) == ["other"]


def test_files_are_told_apart_by_semicolons_or_commas():
    expected = {"age": "age.csv", "sex": "my,sex.csv"}
    for text in ("age=age.csv;sex=my,sex.csv", "age=age.csv,sex=my,sex.csv"):
        assert HierarchyByName().parse(text) == expected


def test_new_codes_may_be_the_numbers_of_old_ones():
    assert Hierarchy([["1", "1"], ["2", "1"], ["3", "2"]]).targets(["2", "3"], 1) == ["1", "2"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "the 0 rows must be equally long, a level and at least one broader name."),
        ([["a"]], "the 1 rows must be equally long, a level and at least one broader name."),
        (
            [["a", "x"], ["b", "x"], ["c"]],
            "a level and at least one broader name. Row 3 is not.",
        ),
        ([["a", "x"], ["a", "x"], ["b", "x", "y"], ["c", "x"]], "Row 3 is not."),
        ([["a", "x"], ["b", "y"], ["b", "z"]], "1 levels have two different rows, the first in row 2."),
        (
            [["a", "x", "p"], ["b", "x", "q"], ["c", "x", "r"]],
            "1 names of step 1 belong to two different broader names, the first in row 2.",
        ),
        (
            [["a", "x", "*"], ["x", "b", "*"]],
            "of narrower levels that they do not hold, in 1 rows, the first row 2.",
        ),
    ],
)
def test_rows_that_are_no_tree_are_named(rows, said):
    with pytest.raises(ParameterError) as caught:
        Hierarchy(rows)
    assert said in str(caught.value)


def test_a_tree_says_what_it_is():
    tree = Hierarchy([["1", "low", "*"], ["2", "low", "*"], ["9", "high", "*"]], missing=("98",))
    assert repr(tree) == "Hierarchy(3 levels, 2 steps)"
    assert (tree.height, tree.missing, tree.cyclic) == (2, ("98",), 0)
    assert tree.targets([9, 1], 1) == ["high", "low"]
    assert tree.targets([9], 0) == ["9"]
    with pytest.raises(ParameterError, match="Hierarchy: 2 of 3 levels have no row"):
        tree.targets([1, 3, 4], 1)
    assert Hierarchy([["1", "2", "1"], ["3", "3", "4"]]).cyclic == 1
    for step in (0, 3):
        with pytest.raises(ParameterError, match=f"Hierarchy: step must be between 1 and 2; got {step}"):
            tree.to_text(".grc", step)
    assert tree.to_text(".grc", 2) == "*: 1-2,9\n<MISSING> 98\n"
    assert tree.to_text() == "1;low;*\n2;low;*\n9;high;*\n"


def test_the_top_can_be_named_or_left_out():
    assert Hierarchy.from_order("ab", [2], top=None).rows["a"] == ("a", "a–b")
    assert Hierarchy.from_order("ab", [2], top="all").rows["a"] == ("a", "a–b", "all")


def test_hierarchies_of_a_protocol_are_read(tmp_path):
    source = HierarchyByName()
    tree = Hierarchy([["a", "x"]])
    read = source.read({"fuel": [["gas", "fossil"]], "town": "t.csv", "sex": tree, "age": tmp_path / "a.csv"}, "survey")
    assert read["fuel"].rows == {"gas": ("gas", "fossil")}
    assert read["town"] == os.path.join("survey", "t.csv")  # noqa: PTH118 - as text
    assert read["sex"] is tree
    assert read["age"] == str(tmp_path / "a.csv")
    assert source.read({"town": "t.csv"}) == {"town": "t.csv"}
    assert source.read("town=t.csv") == {"town": "t.csv"}
    with pytest.raises(FileError, match="cannot be written"):
        tree.write(tmp_path / "nowhere" / "t.csv")
    (tmp_path / "odd.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="cannot be read as UTF-8 text"):
        Hierarchy.load(tmp_path / "odd.csv")
