from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.battery import SIZES, microdata

from discreet.errors import FileError, ParameterError
from discreet.masking.adjacent import AdjacentMerging, merged_runs
from discreet.masking.hierarchy import Hierarchy, HierarchyRecoding
from discreet.masking.level_map import LevelMap
from discreet.masking.recoding import GlobalRecoding
from discreet.scales import Nominal, Numeric, Ordinal
from discreet.schema import Attribute, Schema

FUELS = ("gas", "oil", "wood", "sun")
SCHEMA_FUEL = Schema([Attribute("fuel", Nominal(FUELS), "key"), Attribute("w", Numeric(), "weight")])
TABLE = pa.table({"fuel": ["gas"] * 4 + ["oil"] * 3 + ["wood"] * 2 + ["sun"], "w": [1.0] * 9 + [50.0]})


def fuels(masker):
    return masker.mask(TABLE, SCHEMA_FUEL).microdata.column("fuel").to_pylist()


def test_the_rarest_levels_become_one():
    assert fuels(GlobalRecoding(2, weighted=False)) == ["gas"] * 4 + ["oil"] * 3 + ["wood"] * 3
    assert fuels(GlobalRecoding(3, weighted=False)) == ["gas"] * 4 + ["oil"] * 6


def test_frequencies_are_weighted():
    """With its weight, sun is the most frequent level; wood and oil are the rarest."""
    assert fuels(GlobalRecoding(2)) == ["gas"] * 4 + ["oil"] * 5 + ["sun"]


def test_a_new_category_makes_a_new_level():
    masked = GlobalRecoding(2, category="other", weighted=False).mask(TABLE, SCHEMA_FUEL)
    assert masked.microdata.schema["fuel"].scale == Nominal(("gas", "oil", "other"))
    assert masked.microdata.column("fuel").to_pylist()[-3:] == ["other"] * 3
    assert masked.provenance.changed["fuel"] == 3
    possible = masked.provenance.transitions["fuel"]
    assert possible.astype(int).tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def test_p_beyond_the_levels_makes_a_constant_and_says_so():
    masked = GlobalRecoding(4).mask(TABLE, SCHEMA_FUEL)
    assert len(set(masked.microdata.column("fuel").to_pylist())) == 1
    assert "now constant (1): fuel" in masked.provenance.notes[0]


def test_levels_nobody_has_are_not_counted():
    table = TABLE.filter(pa.array([True] * 9 + [False]))
    after = GlobalRecoding(2, weighted=False).mask(table, SCHEMA_FUEL).microdata.column("fuel").to_pylist()
    assert after == ["gas"] * 4 + ["oil"] * 5


@given(st.lists(st.integers(0, 5), min_size=2, max_size=40), st.integers(1, 7))
def test_recoding_never_splits_a_level_and_leaves_the_frequent_alone(codes, p):
    schema = Schema([Attribute("x", Nominal(tuple("abcdef")), "key")])
    masked = GlobalRecoding(p).mask(pa.table({"x": [list("abcdef")[c] for c in codes]}), schema)
    after, codes = masked.microdata.encoded("x"), np.array(codes)
    images = {level: set(after[codes == level]) for level in set(codes)}
    assert all(len(image) == 1 for image in images.values())
    counts = np.bincount(codes, minlength=6)
    assert len(set(after)) == max(1, (counts > 0).sum() - p + 1)


# ------------------------------------------------------------------------------------------------------------- maps


def test_maps_to_own_levels_keep_the_scale():
    masked = LevelMap({"fuel": {"sun": "wood"}}).mask(TABLE, SCHEMA_FUEL)
    assert masked.microdata.schema["fuel"] == SCHEMA_FUEL["fuel"]
    assert masked.provenance.changed == {"fuel": 1}


def test_maps_that_break_the_order_give_an_unordered_scale_and_say_so():
    kept = LevelMap({"size": {"xs": "small", "s": "small"}}).mask(microdata())
    assert kept.microdata.schema["size"].scale == Ordinal(("small", "m", "l", "xl"))
    broken = LevelMap({"size": {"xs": "odd", "xl": "odd"}}).mask(microdata())
    assert broken.microdata.schema["size"].scale.kind == "nominal"
    assert "does not keep its order" in broken.provenance.notes[0]


def test_maps_name_levels_that_exist():
    with pytest.raises(ParameterError, match="maps has 2 levels for 'size' that it does not have"):
        LevelMap({"size": {"huge": "xl", "tiny": "xs", "s": "m"}}).mask(microdata())
    with pytest.raises(ParameterError, match="'income' is numeric"):
        LevelMap({"income": {1: 2}}).mask(microdata())


def test_maps_of_numbers_typed_as_text():
    masked = LevelMap({"grade": {"7": "6"}}).mask(microdata())
    assert 7 not in masked.microdata.column("grade").to_pylist()
    assert masked.microdata.schema["grade"] == microdata().schema["grade"]
    parsed = LevelMap.parameters["maps"].parse("grade=7>6,5>4; fuel=sun>wood")
    assert parsed == {"grade": {"7": "6", "5": "4"}, "fuel": {"sun": "wood"}}


# ------------------------------------------------------------------------------------------------------ hierarchies


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


# --------------------------------------------------------------------------------------------------------- adjacent


@given(st.lists(st.integers(0, 20), min_size=1, max_size=12), st.integers(1, 12), st.integers(0, 30))
def test_runs_meet_the_target_and_keep_the_order(counts, most, least):
    counts = np.array(counts, dtype=float)
    runs = merged_runs(counts, most, least)
    assert (np.diff(runs) >= 0).all()
    assert set(runs) == set(range(runs[-1] + 1))
    totals = np.bincount(runs, weights=counts)
    assert totals.size <= most
    assert totals.min() >= least or totals.size == 1


def test_merged_levels_are_released_as_the_most_frequent_or_as_a_range():
    table = pa.table({"size": ["xs"] + ["s"] * 2 + ["m"] * 5 + ["l"] * 4 + ["xl"]})
    schema = Schema([Attribute("size", Ordinal(SIZES), "key")])
    level = AdjacentMerging(min_count=3).mask(table, schema)
    assert level.microdata.column("size").to_pylist() == ["s"] * 3 + ["m"] * 5 + ["l"] * 5
    named = AdjacentMerging(min_count=3, release="range").mask(table, schema)
    assert named.microdata.schema["size"].scale == Ordinal(("xs–s", "m", "l–xl"))
    with pytest.raises(ParameterError, match="max_levels or min_count must be given"):
        AdjacentMerging().mask(table, schema)
