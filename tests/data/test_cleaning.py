"""What a table carries besides its cells, and what is left of it; declarations of what occurs."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.data.cleaning import clean_arrow, clean_frame, cleaned, released_schema, released_schema_of, widened
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema


def bytes_of(table):
    return b"".join(
        buffer.to_pybytes()
        for column in table.columns
        for chunk in column.chunks
        for buffer in chunk.buffers()
        if buffer
    )


def test_metadata_of_tables_and_of_fields_go():
    field = pa.field("x", pa.int64(), metadata={"note": "secret"})
    clean = clean_arrow(pa.table([pa.array([1, 2])], schema=pa.schema([field], metadata={"pandas": "secret"})))
    assert clean.schema.metadata is None
    assert clean.schema.field("x").metadata is None
    only_field = clean_arrow(pa.table([pa.array([1, 2])], schema=pa.schema([field])))
    assert only_field.schema.field("x").metadata is None
    bare = pa.table({"x": [1, 2]})
    assert clean_arrow(bare) is bare


def test_nothing_lies_under_a_missing_cell():
    secret = pa.Array.from_buffers(
        pa.int64(), 2, [pa.py_buffer(b"\x01"), pa.py_buffer((7).to_bytes(8, "little") + (4711).to_bytes(8, "little"))]
    )
    table = pa.table({"x": secret})
    assert table.column("x").to_pylist() == [7, None]
    assert (4711).to_bytes(8, "little") in bytes_of(table)
    assert (4711).to_bytes(8, "little") not in bytes_of(clean_arrow(table))
    assert clean_arrow(table).column("x").to_pylist() == [7, None]


@pytest.mark.parametrize(("ordered", "levels"), [(True, ["z", "a"]), (False, ["a", "z"])])
def test_dictionaries_hold_what_occurs_in_an_order_that_means_something(ordered, levels):
    values = pa.DictionaryArray.from_arrays([2, 0, None, 2], ["z", "gone", "a"], ordered=ordered)
    column = clean_arrow(pa.table({"x": values})).column("x")
    assert column.to_pylist() == ["a", "z", None, "a"]
    assert column.chunk(0).dictionary.to_pylist() == levels
    assert column.type.ordered is ordered


def test_dictionaries_inside_lists_become_text():
    inside = pa.ListArray.from_arrays([0, 2], pa.DictionaryArray.from_arrays([0, 0], ["a", "gone"]))
    column = clean_arrow(pa.table({"x": inside})).column("x")
    assert column.type == pa.list_(pa.string())
    assert column.to_pylist() == [["a", "a"]]


def test_polars_enums_lose_levels_that_nobody_has():
    frame = pl.DataFrame({"x": pl.Series(["b", "a"], dtype=pl.Enum(["b", "gone", "a"])), "n": [1, 2]})
    clean = clean_frame(frame)
    assert clean["x"].dtype == pl.Enum(["b", "a"])
    assert clean["x"].to_list() == ["b", "a"]
    whole = pl.DataFrame({"x": pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"]))})
    assert clean_frame(whole) is whole
    lists = pl.DataFrame({"x": pl.Series([["a"]], dtype=pl.List(pl.Enum(["a", "gone"])))})
    assert clean_frame(lists)["x"].dtype == pl.List(pl.String)


@pytest.mark.parametrize("index", [[5, 6], pd.RangeIndex(1, 3), pd.RangeIndex(0, 4, 2), pd.RangeIndex(2, name="who")])
def test_an_index_of_pandas_is_made_anew(index):
    frame = pd.DataFrame({"x": [1.0, 2.0]}, index=index)
    clean = clean_frame(frame)
    assert (clean.index.tolist(), clean.index.name, clean["x"].tolist()) == ([0, 1], None, [1.0, 2.0])


def test_attributes_and_categories_of_pandas_go():
    frame = pd.DataFrame({"x": pd.Categorical(["b", "a"], ["gone", "b", "a"]), "y": [1, 2]})
    frame.attrs = {"note": "secret"}
    frame.columns.name = "secret"
    clean = clean_frame(frame)
    assert (clean.attrs, clean.columns.name) == ({}, None)
    assert clean["x"].cat.categories.tolist() == ["a", "b"]
    ranked = pd.DataFrame({"x": pd.Categorical(["b", "a"], ["gone", "b", "a"], ordered=True)})
    assert clean_frame(ranked)["x"].cat.categories.tolist() == ["b", "a"]
    plain = pd.DataFrame({"x": [1.0]})
    assert clean_frame(plain) is plain


def test_a_clean_table_is_itself_and_another_keeps_its_schema():
    table = Microdata(pl.DataFrame({"x": [1.0]}), Schema([Attribute("x", Numeric(), "key")]))
    assert cleaned(table) is table


SCHEMA = Schema(
    [
        Attribute("size", Ordinal(["small", "middle", "large"]), "key", missing=("n/a", "?")),
        Attribute("job", Nominal(["smith", "clerk", "none"]), "key"),
        Attribute("pay", Numeric(), "confidential", missing=(-1, -9)),
        Attribute("who", Nominal(["Ann", "Bob"]), "identifier"),
    ]
)
ROWS = pl.DataFrame({"size": ["large", "n/a", "small"], "job": ["smith", None, "clerk"], "pay": [5, -9, 7],
                     "who": ["Ann", "Bob", "Ann"]})  # fmt: skip


def test_a_released_declaration_lists_what_occurs():
    told = released_schema(Microdata(ROWS, SCHEMA))
    assert told["size"].scale.levels == ("small", "large")
    assert told["job"].scale.levels == ("clerk", "smith")  # sorted: their order tells nothing
    assert (told["size"].missing, told["pay"].missing) == (("n/a",), (-9,))
    assert told["who"].scale.levels == ("",)


@pytest.mark.parametrize("cuts", [[0, 3], [0, 1, 3], [0, 1, 2, 3]])
def test_batches_tell_the_same_of_what_occurs(cuts):
    whole = released_schema(Microdata(ROWS, SCHEMA))
    parts = [Microdata(ROWS[a:b], SCHEMA) for a, b in pairwise(cuts)]
    told = released_schema_of(SCHEMA, parts)
    for name in ("size", "job", "pay"):
        assert told[name] == whole[name]


def test_a_column_of_nothing_is_declared_as_such():
    empty = Microdata(pl.DataFrame({"job": [None, None]}, schema={"job": pl.String}), SCHEMA.select(["job"]))
    assert released_schema(empty)["job"].scale.levels == ("",)


def pair(before, after, levels, own):
    original = Microdata(pl.DataFrame({"x": before}), Schema([Attribute("x", levels, "key")]))
    release = Microdata(pl.DataFrame({"x": after}), Schema([Attribute("x", own, "key")]))
    return widened(release, original).schema["x"].scale


ABC = Nominal(["a", "b", "c"])


def test_a_release_is_read_on_the_scale_of_its_original_unless_levels_were_merged():
    # b vanished by draws: a went to a and to c.
    assert pair(["a", "a", "b", "c"], ["a", "c", "c", "c"], ABC, Nominal(["a", "c"])) == ABC
    # b went to c every time, and a and c stayed: a merging.
    assert pair(["a", "b", "b", "c"], ["a", "c", "c", "c"], ABC, Nominal(["a", "c"])) == Nominal(["a", "c"])
    # Nothing but vanished: every level that is left is where it was.
    assert pair(["a", "a", "c", "c"], ["a", "a", "c", "c"], ABC, Nominal(["a", "c"])) == ABC


def test_other_levels_another_order_or_another_kind_are_left_alone():
    draws = (["a", "a", "b", "c"], ["a", "c", "c", "c"])
    assert pair(["a", "b", "c"], ["a", "d", "d"], ABC, Nominal(["a", "d"])) == Nominal(["a", "d"])
    ranks = Ordinal(["a", "b", "c"])
    assert pair(*draws, ranks, Ordinal(["c", "a"])) == Ordinal(["c", "a"])
    assert pair(*draws, ranks, Ordinal(["a", "c"])) == ranks
    assert pair(*draws, ranks, Nominal(["a", "c"])) == Nominal(["a", "c"])
