from __future__ import annotations

import pyarrow as pa
import pytest
from tests.battery import microdata

import discreet as dc
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.recoding.level_map import LevelMap, _Map, _typed, recode

FUELS = ("gas", "oil", "wood", "sun")
SCHEMA_FUEL = Schema([Attribute("fuel", Nominal(FUELS), "key"), Attribute("w", Numeric(), "weight")])
TABLE = pa.table({"fuel": ["gas"] * 4 + ["oil"] * 3 + ["wood"] * 2 + ["sun"], "w": [1.0] * 9 + [50.0]})


def fuels(masker):
    return masker.mask(TABLE, SCHEMA_FUEL).microdata.column("fuel").to_pylist()


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


@pytest.mark.parametrize(("target", "levels"), [("oil", ("gas", "oil")), ("unknown", ("gas", "oil", "unknown"))])
def test_missing_values_become_a_level_where_that_is_asked_for(target, levels):
    schema = dc.Schema([dc.Attribute("fuel", dc.Nominal(["gas", "oil", "wood"]), "key", missing=("?",))])
    table = dc.Microdata(pa.table({"fuel": ["gas", None, "?", "wood"]}), schema)
    masked = dc.LevelMap({"fuel": {"wood": "oil"}}, missing={"fuel": target}).mask(table)
    assert masked.microdata.column("fuel").to_pylist() == ["gas", target, target, "oil"]
    assert set(masked.microdata.schema["fuel"].scale.levels) >= set(levels)
    assert masked.provenance.changed == {"fuel": 3}


def test_missing_values_of_an_ordered_scale_get_no_place_in_its_order():
    schema = dc.Schema([dc.Attribute("size", dc.Ordinal([1, 2, 3]), "key")])
    table = dc.Microdata(pa.table({"size": [1, None, 3]}), schema)
    masked = dc.LevelMap({"size": {3: 2}}, missing={"size": "unknown"}).mask(table)
    assert masked.microdata.column("size").to_pylist() == ["1", "unknown", "2"]
    assert not masked.microdata.schema["size"].scale.ordered
    with pytest.raises(ParameterError, match="missing names 'fuel', which has no map"):
        dc.LevelMap({"size": {3: 2}}, missing={"fuel": "x"}).mask(table)


# ------------------------------------------------------------------------------------------------------ by hand


@pytest.mark.parametrize(
    ("text", "parsed"),
    [("a>b", {"a": "b"}), (" a > b , c>d,", {"a": "b", "c": "d"}), ("a>", {"a": ""}), ("", {})],
)
def test_maps_are_read(text, parsed):
    assert _Map().parse(text) == parsed


@pytest.mark.parametrize("text", ["a", "a>b>c", "a>b,c"])
def test_text_that_is_no_map_is_refused(text):
    with pytest.raises(ValueError, match=text):
        _Map().parse(text)


@pytest.mark.parametrize(
    ("value", "good"),
    [
        ({"a": "b"}, True),
        ({2: 2.5, True: "x"}, True),
        ({}, False),
        ([("a", "b")], False),
        (None, False),
        ({"a": None}, False),
        ({(1,): "a"}, False),
        ({"a": "b", "c": []}, False),
    ],
)
def test_what_is_a_map(value, good):
    assert _Map().accepts(value) == good


@pytest.mark.parametrize(
    ("scale", "targets", "table", "levels"),
    [
        (Nominal(("a", "b", "c")), ["a", "c", "c"], [0, 2, 2], None),
        (Nominal(("a", "b", "c")), ["new", "b", "c"], [2, 0, 1], Nominal(("b", "c", "new"))),
        (Nominal(("a", "b", "c")), ["y", "x", "y"], [0, 1, 0], Nominal(("y", "x"))),
        (Ordinal(("a", "b", "c")), ["new", "b", "c"], [0, 1, 2], Ordinal(("new", "b", "c"))),
        (Ordinal(("a", "b", "c")), ["low", "low", "c"], [0, 0, 1], Ordinal(("low", "c"))),
        (Ordinal((1, 2, 3)), [1, 2, "many"], [0, 1, 2], Ordinal(("1", "2", "many"))),
    ],
)
def test_levels_go_to_their_targets(scale, targets, table, levels):
    change = recode(Attribute("x", scale, "key"), targets)
    assert change.table[:-1].tolist() == table
    assert change.table[-1] == -1
    assert (None if change.attribute is None else change.attribute.scale) == levels


def test_typed_levels_are_those_they_stand_for():
    assert _typed("7", (5, 6, 7)) == 7
    assert _typed(7, ("6", "7")) == "7"
    assert _typed("x", (5, 6)) == "x"
    assert _typed("6", (6, "6")) == "6"
