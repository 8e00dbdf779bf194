from __future__ import annotations

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
