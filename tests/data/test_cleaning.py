"""What a table carries besides its cells, and what is left of it; declarations of what occurs."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.data.cleaning import clean_arrow, clean_frame, cleaned, released_schema, released_schema_of, widened
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal, Sequence
from discreet.data.scales.semantics import IntervalSemantics
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


@pytest.mark.parametrize(
    ("whole", "part", "read_on"),
    [
        (ABC, Nominal([""]), True),  # nothing occurs
        (ABC, Nominal(["(no value)"]), True),
        (Ordinal(["a", "b"]), Nominal([""]), True),
        (ABC, Numeric(), False),
        (Numeric(), Nominal([""]), False),
        (ABC, Nominal(["c", "a"]), True),
        (ABC, Nominal(["a", "b", "d"]), False),
        (Ordinal(["a", "b", "c"]), Ordinal(["b"]), True),
        (Ordinal([1, 2, 3], IntervalSemantics((0, 5, 9), (5, 9, 12))), Ordinal([1, 3]), True),
        (
            Ordinal([1, 2, 3], IntervalSemantics((0, 5, 9), (5, 9, 12))),
            Ordinal([1, 3], IntervalSemantics((0, 5), (5, 12))),
            False,
        ),
        (Sequence(["a", "b"]), Sequence(["b"]), True),
        (Sequence(["a", "b"]), Sequence(["z"]), False),
    ],
)
def test_a_release_without_records_is_read_on_a_scale_of_which_its_own_is_a_part(whole, part, read_on):
    kinds = {Numeric: pl.Float64, Sequence: pl.List(pl.String)}

    def table(scale):
        kind = kinds.get(type(scale), pl.Int64 if getattr(scale, "levels", ("",))[0] == 1 else pl.String)
        return Microdata(pl.DataFrame({"x": []}, schema={"x": kind}), Schema([Attribute("x", scale, "key")]))

    assert widened(table(part), table(whole)).schema["x"].scale == (whole if read_on else part)


PAY = Attribute("n", Numeric(), "key")


def test_missing_codes_of_both_files_are_read_and_identifiers_and_strangers_left_alone():
    def table(scale, missing, role="key", name="x"):
        return Microdata(pl.DataFrame({name: ["a", "a"]}), Schema([Attribute(name, scale, role, missing)]))

    small = Nominal(["a"])
    original = table(ABC, ("?", "-"))
    wider = widened(table(small, ("!", "?")), original).schema["x"]
    assert (wider.scale, wider.missing) == (ABC, ("!", "?", "-"))
    numbers = Microdata(pl.DataFrame({"x": ["a"], "n": [1.5]}), Schema([*table(small, ()).schema, PAY]))
    kept = numbers.encoded("n")
    assert widened(numbers, original).encoded("n") is kept
    # What is a code in one file and a level in the other one cannot be both.
    coded = table(small, ("b",))
    assert widened(coded, original) is coded
    named = table(small, (), "identifier")
    assert widened(named, original) is named
    stranger = table(small, (), name="y")
    assert widened(stranger, original) is stranger
    same = table(ABC, ("!",))
    assert widened(same, original) is same


def test_fewer_records_show_no_merging():
    levels = Nominal(["a", "c"])
    assert pair(["a", "b", "b", "c"], ["a", "c", "c"], ABC, levels) == ABC
    assert pair(["a", "b", None, "c"], ["a", "c", "c", None], ABC, levels) == levels
    assert pair(["a", None, "c"], ["a", "c", "c"], ABC, levels) == ABC
    assert pair(["a", "b", "c", None], ["a", "c", "c", "a"], ABC, levels) == levels


def test_what_occurs_of_an_ordered_scale_keeps_its_intervals_only_as_a_whole():
    bounds = IntervalSemantics((0, 5, 9), (5, 9, 12))
    schema = Schema([Attribute("x", Ordinal([1, 2, 3], bounds), "key")])
    for cells, semantics in (([3, 1, 2], bounds), ([3, 1], None)):
        told = released_schema(Microdata(pl.DataFrame({"x": cells}), schema))["x"].scale
        assert told == Ordinal(sorted(cells), semantics)


def test_a_column_of_nothing_but_codes_or_of_strangers():
    schema = Schema(
        [
            Attribute("job", Nominal(["smith"]), "key", missing=("",)),
            Attribute("size", Ordinal(["small"]), "key", missing=("?",)),
            Attribute("way", Sequence(["a", "b", "c"]), "key"),
            Attribute("who", Nominal(["Ann"]), "identifier", missing=("", "nobody")),
            Attribute("pay", Numeric(), "identifier", missing=(-1,)),
        ]
    )
    rows = pl.DataFrame(
        {"job": ["", None], "size": [None, None], "way": [["c", "a"], []], "who": ["nobody", ""], "pay": [-1, 2]},
        schema_overrides={"size": pl.String},
    )
    told = released_schema(Microdata(rows, schema))
    assert (told["job"].scale, told["job"].missing) == (Nominal(["(no value)"]), ("",))
    assert (told["size"].scale, told["size"].missing) == (Nominal([""]), ())
    assert told["way"].scale == Sequence(["a", "c"])
    assert (told["who"].scale, told["who"].missing) == (Nominal([""]), ("nobody",))
    assert (told["pay"].scale, told["pay"].missing) == (Numeric(), (-1,))
    batches = released_schema_of(schema, [Microdata(rows[:1], schema), Microdata(rows[1:], schema)])
    assert [batches[name] for name in ("job", "size", "way", "pay")] == [
        told[name] for name in ("job", "size", "way", "pay")
    ]


def test_a_column_that_does_not_fit_keeps_its_declaration():
    schema = Schema([Attribute("job", Nominal(["smith", "clerk"]), "key", missing=("?", "!"))])
    odd, fit = (Microdata(pl.DataFrame({"job": ["?", job]}), schema) for job in ("thief", "smith"))
    assert released_schema(odd) == schema
    assert released_schema_of(schema, [fit, odd, fit]) == schema
    assert released_schema_of(schema, [fit]) == Schema([Attribute("job", Nominal(["smith"]), "key", missing=("?",))])
    assert released_schema_of(schema, []) == Schema([Attribute("job", Nominal(["smith", "clerk"]), "key")])


class Noted(pa.ExtensionType):
    def __init__(self, note):
        self.note = note
        super().__init__(pa.int64(), "discreet.noted")

    def __arrow_ext_serialize__(self):
        return self.note.encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        return cls(serialized.decode())


def test_types_that_say_something_of_themselves_become_plain_ones():
    noted = pa.ExtensionArray.from_storage(Noted("secret"), pa.array([1, None, 3]))
    column = clean_arrow(pa.table({"x": pa.chunked_array([noted, noted])})).column("x")
    assert column.type == pa.int64()
    assert column.to_pylist() == [1, None, 3, 1, None, 3]


WORDS = pa.dictionary(pa.int8(), pa.string())


@pytest.mark.parametrize(
    ("kind", "plain"),
    [
        (pa.list_(WORDS), pa.list_(pa.string())),
        (pa.large_list(WORDS), pa.large_list(pa.string())),
        (pa.list_(pa.large_list(WORDS)), pa.list_(pa.large_list(pa.string()))),
        (
            pa.struct([("n", pa.int8()), ("w", WORDS)]),
            pa.struct([("n", pa.int8()), ("w", pa.string())]),
        ),
        (pa.list_(pa.int8()), pa.list_(pa.int8())),
    ],
    ids=str,
)
def test_no_dictionary_is_left_inside_a_cell(kind, plain):
    assert clean_arrow(pa.table({"x": pa.array([], kind)})).column("x").type == plain


def test_dictionaries_of_several_chunks_are_made_one():
    first = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), ["b", "a"])
    second = pa.DictionaryArray.from_arrays(pa.array([0, None, 1], pa.int8()), ["c", "gone"])
    column = clean_arrow(pa.table({"x": pa.chunked_array([first, second])})).column("x")
    assert column.type == WORDS
    assert column.num_chunks == 1
    assert column.chunk(0).dictionary.to_pylist() == ["a", "b", "c", "gone"]
    assert column.chunk(0).indices.to_pylist() == [0, 1, 2, None, 3]
    clean = pa.table({"x": pa.DictionaryArray.from_arrays([0, 1, 0], ["a", "b"])})
    assert clean_arrow(clean) is clean
    turned = pa.table({"x": pa.DictionaryArray.from_arrays([0, 1], ["b", "a"])})
    assert clean_arrow(turned).column("x").chunk(0).dictionary.to_pylist() == ["a", "b"]
    none = pa.table({"x": pa.chunked_array([], WORDS)})
    assert clean_arrow(none) is none
    empty = pa.DictionaryArray.from_arrays([0, 1], pa.array(["a", None]))
    assert clean_arrow(pa.table({"x": empty})).column("x").chunk(0).dictionary.to_pylist() == ["a"]
    assert clean_arrow(pa.table({"x": empty})).column("x").to_pylist() == ["a", None]


def test_values_that_have_no_order_of_their_own_are_sorted_as_text():
    spans = [pa.MonthDayNano([months, 1, 0]) for months in (3, 9, 2, 12)]
    held = pa.DictionaryArray.from_arrays([0, 2, 3, 0], pa.array(spans))
    clean = clean_arrow(pa.table({"x": held})).column("x")
    assert [span.months for span in clean.to_pylist()] == [3, 2, 12, 3]
    assert [span.months for span in clean.chunk(0).dictionary.to_pylist()] == [12, 2, 3]
    mixed = pd.DataFrame({"x": pd.Categorical([2, "b", 10, None], ["gone", "b", 2, 10])})
    assert clean_frame(mixed)["x"].cat.categories.tolist() == [10, 2, "b"]
    assert clean_frame(mixed)["x"].tolist()[:3] == [2, "b", 10]


def test_categories_of_polars_and_of_arrow_in_pandas():
    frame = pl.DataFrame({"x": pl.Series(["b", None, "a"], dtype=pl.Categorical), "n": [1, 2, 3]})
    clean = clean_frame(frame)
    assert clean["x"].dtype == pl.Categorical
    assert clean.rows() == frame.rows()
    lists = pl.DataFrame({"x": pl.Series([["a"]], dtype=pl.List(pl.Categorical))})
    assert clean_frame(lists)["x"].dtype == pl.List(pl.String)
    words = pa.DictionaryArray.from_arrays(pa.array([2, 0], pa.int8()), ["b", "gone", "a"])
    held = pd.DataFrame({"x": pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([words]))), "n": [1, 2]})
    held.index = pd.Index([7, 9])
    cleaned_words = clean_frame(held)
    assert cleaned_words["x"].tolist() == ["a", "b"]
    assert pa.array(cleaned_words["x"]).dictionary.to_pylist() == ["a", "b"]
    assert cleaned_words["n"].tolist() == [1, 2]


def test_notes_on_one_column_of_pandas_go_and_the_frame_of_the_user_keeps_its_own():
    frame = pd.DataFrame({"x": [1.0], "y": [2.0]})
    frame.attrs = {"note": "kept"}
    clean = clean_frame(frame)
    assert (clean.attrs, frame.attrs) == ({}, {"note": "kept"})
    assert clean_frame("no frame") == "no frame"
    bare = pa.table({"x": [1]})
    assert clean_frame(bare) is bare


def test_a_cleaned_table_holds_the_encoding_that_was_made():
    table = Microdata(
        pd.DataFrame({"x": [1.5, 2.5]}, index=[3, 4]), Schema([Attribute("x", Numeric(), "key")]), origin={"by": "csv"}
    )
    numbers = table.encoded("x")
    clean = cleaned(table)
    assert clean is not table
    assert (clean.schema, clean.origin) == (table.schema, table.origin)
    assert clean.encoded("x") is numbers
