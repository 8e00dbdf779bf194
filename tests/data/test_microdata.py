from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.battery import SCHEMA, sample
from tests.battery import microdata as battery_microdata

import discreet as dc
from discreet.data.microdata import Microdata, joined_records, microdata, table_of_codes, table_of_numbers
from discreet.data.scales import Date, Nominal, Numeric, Ordinal, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, SchemaError


def test_encode_gives_contiguous_blocks_in_schema_order():
    encoded = battery_microdata().encode()
    assert encoded.numeric_names == ("income", "age", "wealth", "weight")
    assert encoded.numeric.dtype == np.float64
    assert encoded.numeric.flags.c_contiguous
    assert encoded.code_names[:3] == ("person", "size", "grade")
    assert encoded.codes.dtype == np.int32
    assert encoded.codes.flags.c_contiguous
    visits = encoded.sequences["visits"]
    assert visits.offsets[-1] == visits.codes.size
    table = sample().to_pydict()
    assert encoded.numeric[:, 1].tolist() == table["age"]


def test_arrays_are_kept_and_read_only():
    data = battery_microdata()
    assert data.encoded("age") is data.encoded("age")
    with pytest.raises(ValueError, match="read-only"):
        data.encoded("age")[0] = 1


def test_every_column_must_be_declared_and_every_declaration_present():
    with pytest.raises(SchemaError, match="2 columns that the schema lacks, the first 'b'"):
        Microdata(pl.DataFrame({"a": [1], "b": [1], "c": [1]}), Schema([Attribute("a", Numeric())]))
    with pytest.raises(SchemaError, match="1 attributes that the table lacks, the first 'b'"):
        Microdata(pl.DataFrame({"a": [1]}), Schema([Attribute("a", Numeric()), Attribute("b", Numeric())]))


def test_duplicate_and_nameless_columns_are_refused():
    with pytest.raises(SchemaError, match="'a' appears 2 times"):
        microdata(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(SchemaError, match="'a' appears 2 times"):
        microdata(pa.table([[1], [2]], names=["a", "a"]))
    with pytest.raises(SchemaError, match="must be text"):
        microdata(pd.DataFrame([[1, 2]]))


@pytest.mark.parametrize("thing", [{1, 2}, pl.Series([1]), "data.csv", None])
def test_only_tables_are_tables(thing):
    with pytest.raises(DataError, match="pandas, Polars or Arrow"):
        microdata(thing)


def test_mixed_kinds_in_one_column_are_refused_without_showing_them():
    frame = pd.DataFrame({"a": [1, "secret", 2.5]}, dtype=object)
    with pytest.raises(DataError, match="'a' mixes kinds of values") as caught:
        Microdata(frame, Schema([Attribute("a", Numeric())])).encode()
    assert "secret" not in str(caught.value)


class TestReplacing:
    def test_pandas_keeps_index_types_and_other_columns(self):
        frame = pd.DataFrame(
            {
                "i": pd.array([1, None, 3], dtype="Int64"),
                "c": pd.Categorical(["u", "v", "u"]),
                "t": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"]),
                "x": [1.5, 2.5, 3.5],
            },
            index=[7, 3, 5],
        )
        schema = Schema(
            [
                Attribute("i", Numeric()),
                Attribute("c", Nominal(("u", "v"))),
                Attribute("t", Nominal(("2020-01-01 00:00:00",))),
                Attribute("x", Numeric()),
            ]
        )
        out = Microdata(frame, schema).replacing({"x": np.array([9.0, 8.0, 7.0]), "c": [1, 1, 1]}).to_native()
        assert out["x"].tolist() == [9.0, 8.0, 7.0]
        assert out["c"].tolist() == ["v", "v", "v"]
        assert out.dtypes["c"] == "category"
        assert out.index.tolist() == [7, 3, 5]
        pd.testing.assert_frame_equal(out[["i", "t"]], frame[["i", "t"]])
        assert frame["x"].tolist() == [1.5, 2.5, 3.5]

    def test_polars_enum_and_categorical_survive(self):
        frame = pl.DataFrame({"e": pl.Series(["a", "b"], dtype=pl.Enum(["a", "b"])), "x": [1, 2]})
        schema = Schema([Attribute("e", Ordinal(("a", "b"))), Attribute("x", Numeric())])
        out = Microdata(frame, schema).replacing({"e": [1, 1]}).to_native()
        assert out["e"].dtype == pl.Enum(["a", "b"])
        assert out["e"].to_list() == ["b", "b"]
        assert out["x"].dtype == pl.Int64

    def test_missing_codes_stay_as_they_came(self):
        frame = pl.DataFrame({"x": [-9, 2, 4], "y": ["?", "1.5", None], "c": ["a", "?", "b"]})
        schema = Schema(
            [
                Attribute("x", Numeric(), missing=(-9,)),
                Attribute("y", Numeric(), missing=("?",)),
                Attribute("c", Nominal(("a", "b")), missing=("?",)),
            ]
        )
        data = Microdata(frame, schema)
        assert data.missing("x").tolist() == [True, False, False]
        new = {"x": [np.nan, 3.0, 3.0], "y": [np.nan, 7.25, np.nan], "c": [1, -1, 1]}
        out = data.replacing(new).to_native()
        assert out["x"].to_list() == [-9.0, 3.0, 3.0]
        assert out["y"].to_list() == ["?", "7.25", None]
        assert out["c"].to_list() == ["b", "?", "b"]

    def test_a_suppressed_value_becomes_null(self):
        data = Microdata(pl.DataFrame({"c": ["a", "b"]}), Schema([Attribute("c", Nominal(("a", "b")))]))
        assert data.replacing({"c": [0, -1]}).to_native()["c"].to_list() == ["a", None]

    def test_sequences_keep_their_shape(self):
        scale = Sequence(("a", "b"))
        for column in (["a b", "b"], [["a", "b"], ["b"]]):
            data = Microdata(pl.DataFrame({"s": column}), Schema([Attribute("s", scale)]))
            out = data.replacing({"s": scale.encode(["b", "b a"])}).to_native()["s"].to_list()
            assert out == (["b", "b a"] if isinstance(column[0], str) else [["b"], ["b", "a"]])


def test_weights_must_be_positive():
    data = Microdata(pl.DataFrame({"w": [1.0, 0.0, None]}), Schema([Attribute("w", Numeric(), "weight")]))
    with pytest.raises(DataError, match="2 of 3 weights"):
        data.weights()
    assert microdata(pl.DataFrame({"a": [1.5]})).weights() is None


def test_no_value_in_any_repr():
    table = sample(5)
    data = Microdata(table, SCHEMA)
    shown = repr(data) + data._repr_html_() + repr(data.encode())
    assert str(table.column("income")[0].as_py()) not in shown
    assert "5 records" in shown


def test_tables_put_beside_each_other_bring_the_texts_of_their_own_columns_only(tmp_path):
    (tmp_path / "a.csv").write_text("id,x,y\na,1.50,2.50\nb,3.50,4.50\n", encoding="utf-8")
    table = dc.read(tmp_path / "a.csv")
    assert set(table.origin["verbatim"]) == {"x", "y"}
    assert set(table.select(["id", "x"]).origin["verbatim"]) == {"x"}
    masked = table.replacing({"x": np.array([2.5, 2.5])})
    assert set(masked.exchanging(table.select(["id"])).origin["verbatim"]) == {"y"}
    assert set(masked.exchanging(table.select(["x"])).origin["verbatim"]) == {"x", "y"}


def test_a_table_of_codes_gives_back_the_codes_it_was_made_from():
    levels = Nominal([f"level {code}" for code in range(200)])
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("c", levels, "key")])
    numbers, codes = np.array([1.5, np.nan, -0.0]), np.array([199, -1, 3], dtype=np.int32)
    table = table_of_codes(schema, {"x": numbers, "c": codes})
    anew = Microdata(table.to_arrow(), schema)
    for name in schema.names:
        assert table.encoded(name).dtype == anew.encoded(name).dtype
        assert table.encoded(name).tobytes() == anew.encoded(name).tobytes()
        assert table.missing(name).tolist() == [False, True, False]
        assert not table.encoded(name).flags.writeable
    assert numbers.flags.writeable  # the caller's arrays are still the caller's


def table(column, scale, role="key", missing=(), **more):
    return Microdata(pa.table({"x": column}), Schema([Attribute("x", scale, role, missing)]), **more)


@pytest.mark.parametrize(
    ("levels", "kind"),
    [(128, np.int8), (129, np.int16), (32_768, np.int16), (32_769, np.int32)],
)
def test_codes_are_kept_in_as_few_bytes_as_they_need_and_seen_wide(levels, kind):
    data = table(pa.array([levels - 1, None, 0]), Nominal(range(levels)))
    assert data.encoded("x").dtype == np.int32
    assert data.encoded("x").tolist() == [levels - 1, -1, 0]
    assert data._encoded["x"].dtype == kind
    assert not data.encoded("x").flags.writeable


def test_identifiers_need_no_declaration_and_others_are_refused_by_name():
    cells = pa.array(["b", None, "a", "b", "?"])
    who = table(cells, Nominal(["a"]), "identifier", ("?",))
    assert who.encoded("x").tolist() == [0, -1, 1, 0, -1]
    assert who.validate() is who
    assert who._encoded.keys() == {"x"}, "asked for once, above"
    odd = table(cells, Nominal(["a"]), "key", ("?",))
    for check in (odd.validate, odd.encode, lambda: odd.encoded("x")):
        with pytest.raises(DataError, match="^Column 'x': "):
            check()
    assert table(cells, Nominal(["a"]), "identifier").validate()._encoded == {}


def test_what_is_missing_is_said_before_and_after_encoding():
    data = table(pa.array([1.5, None, -9.0]), Numeric(), missing=(-9,))
    assert data.missing("x").tolist() == [False, True, True]
    data.encoded("x")
    assert data.missing("x").tolist() == [False, True, True]
    assert data.missing("x").dtype == np.bool_


def test_blocks_of_no_column_have_all_records():
    data = table_of_numbers({"x": np.array([0.5, 1.5]), "y": np.array([2.5, np.nan])})
    assert data.numeric([]).shape == (2, 0)
    assert (data.codes([]).shape, data.codes([]).dtype) == ((2, 0), np.int32)
    assert data.numeric(["y", "x"])[0].tolist() == [2.5, 0.5]
    assert data.numeric(["y", "x"]).flags.c_contiguous
    assert data.encode(["y"]).numeric_names == ("y",)
    assert data.missing("y").tolist() == [False, True]


def test_work_is_done_once_for_a_key():
    data, made = table_of_numbers({"x": np.array([0.5])}), []
    assert [data.once("a", lambda: made.append(1) or len(made)) for _ in range(3)] == [1, 1, 1]
    assert data.once("b", lambda: 7) == 7


def test_an_encoding_is_shared_by_tables_that_declare_the_same():
    first = Microdata(
        pa.table({"x": [1.5, 2.5], "y": [1.5, 2.5], "z": [1.5, 2.5], "w": [1.5, 2.5]}),
        Schema([Attribute(name, Numeric(), "key") for name in "xyzw"]),
    )
    for name in "xyzw":
        first.as_written(name)
    other = Microdata(
        pa.table({"x": [1.5, 2.5], "y": [1.5, 2.5], "z": [1.5, 2.5], "v": [1.5, 2.5]}),
        Schema(
            [
                Attribute("x", Numeric(), "confidential"),
                Attribute("y", Numeric(), "key", missing=(2.5,)),
                Attribute("z", Numeric(), "identifier"),
                Attribute("v", Numeric(), "key"),
            ]
        ),
    )
    other.share_encoding(first)
    assert other._encoded.keys() == other._written.keys() == {"x"}
    assert other.encoded("x") is first.encoded("x")
    assert other.as_written("x") is first.as_written("x")


def test_cells_are_numbered_by_what_a_file_shows():
    data = table(pa.array([31, -9, 31, None, -8, -9]), Numeric(), missing=(-8, -9))
    assert data.as_written("x").tolist() == [0, -2, 0, -1, -3, -2]
    assert data.as_written("x") is data.as_written("x")
    data.keep_encoding("x", np.arange(6.0))
    assert data.as_written("x").tolist() != [0, -2, 0, -1, -3, -2]
    shown = {"verbatim": {"x": pa.array(["1.50", "1.5", "2.0"])}}
    assert sorted(table(pa.array([1.5, 1.5, 2.0]), Numeric(), origin=shown).as_written("x").tolist()) == [0, 1, 2]
    # A text for another number of records, or beside whole numbers, is not what a writer would take.
    assert table(pa.array([1.5, 1.5]), Numeric(), origin=shown).as_written("x").tolist() == [0, 0]
    first, second, third = table(pa.array([1, 1, 2]), Numeric(), origin=shown).as_written("x").tolist()
    assert first == second != third


def test_some_columns_in_the_order_of_the_table():
    data = table_of_numbers({"x": np.array([0.5]), "y": np.array([1.5]), "z": np.array([2.5])})
    data.encoded("z")
    part = data.select(["z", "x"])
    assert part.names == part.schema.names == ("x", "z")
    assert part.encoded("z") is data.encoded("z")


@pytest.mark.parametrize("make", [pa.table, pl.DataFrame, pd.DataFrame])
def test_some_rows_in_the_order_asked_for(make):
    frame = make({"x": [0.5, 1.5, 2.5], "c": ["a", "b", "a"]})
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("c", Nominal(["a", "b"]), "key")])
    texts = {"x": pa.array(["0.50", "1.50", "2.50"])}
    tags = {"x": pa.array(["a", None, "b"])}
    data = Microdata(frame, schema, origin={"verbatim": texts, "verbatim_missing": tags, "by": "hand"})
    data.encoded("c")
    part = data.take([2, 0])
    assert part.to_arrow().to_pydict() == {"x": [2.5, 0.5], "c": ["a", "a"]}
    assert part.encoded("c").tolist() == [0, 0]
    assert part._encoded.keys() == {"c"}
    assert not part._encoded["c"].flags.writeable
    assert part.origin["verbatim"]["x"].to_pylist() == ["2.50", "0.50"]
    assert part.origin["verbatim_missing"]["x"].to_pylist() == ["b", "a"]
    assert part.origin["by"] == "hand"
    assert len(data.take([])) == 0
    bare = Microdata(frame, schema).take([1])
    assert bare.origin == {}


def test_columns_of_another_table_are_exchanged_or_added():
    left = Microdata(
        pa.table({"x": [1.5, 2.5], "y": [1.5, 2.5]}),
        Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")]),
        origin={"verbatim_missing": {"x": pa.array(["a", "b"]), "y": pa.array(["c", "d"])}},
    )
    right = Microdata(
        pa.table({"z": ["u", "v"], "y": [7, 8]}),
        Schema([Attribute("z", Nominal(["u", "v"]), "other"), Attribute("y", Numeric(), "confidential")]),
        origin={"verbatim_missing": {"z": pa.array(["e", "f"]), "x": pa.array(["g", "h"])}},
    )
    both = left.exchanging(right)
    assert both.to_arrow().to_pydict() == {"x": [1.5, 2.5], "y": [7, 8], "z": ["u", "v"]}
    assert [(a.name, a.role) for a in both.schema] == [("x", "key"), ("y", "confidential"), ("z", "other")]
    kept = both.origin["verbatim_missing"]
    assert {name: tags.to_pylist() for name, tags in kept.items()} == {"x": ["a", "b"], "z": ["e", "f"]}
    assert "verbatim_missing" not in Microdata(left.to_native(), left.schema).exchanging(right).origin
    with pytest.raises(DataError, match="Tables of 2 and 1 records cannot be put beside each other"):
        left.exchanging(right.take([0]))


@pytest.mark.parametrize(
    ("column", "scale", "missing", "codes", "cells"),
    [
        (pa.array([-9, -8, 3]), Numeric(), (-8, -9), [np.nan, np.nan, 4.0], [-8, -8, 4]),
        (pa.array([None, -8, 3]), Numeric(), ("none", -8), [np.nan, np.nan, 4.0], [-8, -8, 4]),
        (pa.array([None, None, 3]), Numeric(), (), [np.nan, np.nan, 4.0], [None, None, 4]),
        (pa.array([1.5, 2.5, 3.5]), Numeric(), (), [-0.0, 0.0, 1.0], [0.0, 0.0, 1.0]),
        (pa.array(["?", "-", "a"]), Nominal(["a", "b"]), ("-", "?"), [-1, -1, 1], ["-", "-", "b"]),
        (pa.array(["?", "5", "7"]), Numeric(), ("?",), [np.nan, np.nan, 6.0], ["?", "?", "6"]),
        (pa.array([300, 1, 2], pa.int16()).cast(pa.int16()), Nominal([1, 2]), (300,), [-1, -1, 1], [300, 300, 2]),
        (pa.array([None, 1, 2], pa.int8()), Nominal([1, 2]), (300, 9), [-1, -1, 1], [9, 9, 2]),
    ],
)
def test_one_sign_for_all_that_is_missing_where_records_must_be_equal(column, scale, missing, codes, cells):
    new = np.array(codes, dtype=np.int32 if isinstance(scale, Nominal) else np.float64)
    shown = table(column, scale, missing=missing).replacing({"x": new}, one_missing=True).column("x").to_pylist()
    assert list(map(repr, shown)) == list(map(repr, cells))


def test_an_enum_takes_a_missing_code_that_it_lists():
    kind = pl.Enum(["a", "b", "?"])
    for codes, cells in ((("-", "?"), ["?", "b"]), (("-",), [None, "b"])):
        schema = Schema([Attribute("x", Nominal(["a", "b"]), "key", codes)])
        data = Microdata(pl.DataFrame({"x": pl.Series(["a", "b"], dtype=kind)}), schema)
        released = data.replacing({"x": np.array([-1, 1], dtype=np.int32)}, one_missing=True)
        assert released.to_native()["x"].to_list() == cells


@pytest.mark.parametrize(
    ("column", "before", "after", "codes", "cells"),
    [
        (pa.array([1, 2]), Nominal([1, 2]), Nominal(["1-2", "3"]), [0, 1], ["1-2", "3"]),
        (pa.array([1.0, 2.0]), Nominal([1, 2]), Nominal([1, 2]), [1, 1], [2.0, 2.0]),
        (pa.array(["1", "2"]), Nominal([1, 2]), Nominal([1, 2]), [1, 0], ["2", "1"]),
        (
            pa.array([dt.date(2020, 1, 2), dt.date(2020, 1, 3)]),
            Nominal(["2020-01-02", "2020-01-03"]),
            Nominal(["2020-01-02", "2020-01-03"]),
            [1, 1],
            [dt.date(2020, 1, 3)] * 2,
        ),
        (
            pa.array([dt.date(2020, 1, 2), dt.date(2020, 1, 3)]),
            Nominal(["2020-01-02", "2020-01-03"]),
            Nominal(["2020"]),
            [0, 0],
            ["2020", "2020"],
        ),
        (pa.array([None, None], pa.null()), Nominal([""]), Nominal(["a"]), [0, -1], ["a", None]),
        (pa.array([None, None], pa.null()), Numeric(), Numeric(), [1.5, np.nan], [1.5, None]),
        (pa.array(["2020-01-02", "x"]), Date(), Date(), [18263.0, np.nan], ["2020-01-02", "x"]),
    ],
)
def test_new_values_are_written_as_the_column_was(column, before, after, codes, cells):
    missing = ("x",) if isinstance(before, Date) else ()
    data = table(column, before, missing=missing)
    new = np.array(codes, dtype=np.float64 if isinstance(before, Numeric) else np.int32)
    released = data.replacing({"x": new}, Attribute("x", after, "key", missing))
    assert released.column("x").to_pylist() == cells
    assert released.origin["replaced"] == frozenset({"x"})
    assert released.origin["verbatim"] == {}


def test_texts_that_were_replaced_are_forgotten():
    texts = {"x": pa.array(["1.50", "2.50"]), "y": pa.array(["1.50", "2.50"])}
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])
    origin = {"verbatim": texts, "verbatim_missing": dict(texts), "replaced": frozenset({"z"})}
    data = Microdata(pa.table({"x": [1.5, 2.5], "y": [1.5, 2.5]}), schema, origin=origin)
    data.encoded("x"), data.encoded("y")
    for one_missing, tagged in ((False, {"x", "y"}), (True, {"y"})):
        released = data.replacing({"x": np.array([2.0, 2.0])}, one_missing=one_missing)
        assert released.origin["verbatim"].keys() == {"y"}
        assert released.origin["verbatim_missing"].keys() == tagged
        assert released.origin["replaced"] == {"x", "z"}
        assert released._encoded.keys() == {"y"}
        assert released.encoded("x").tolist() == [2.0, 2.0]


def test_codes_that_were_put_in_are_those_that_come_back():
    data = table(pa.array(["a", "b"]), Nominal(["a", "b"]))
    kept = data.replacing({"x": [1, 1]})
    assert kept._encoded["x"].tolist() == [1, 1]
    assert not kept._encoded["x"].flags.writeable
    merged = data.replacing({"x": [0, 0]}, Attribute("x", Nominal(["ab"]), "key"))
    assert merged._encoded == {}
    assert merged.column("x").to_pylist() == ["ab", "ab"]


def test_a_table_in_one_line_and_as_a_grid():
    data = battery_microdata()
    plain = table_of_numbers({"x": np.array([0.5, np.nan]), "y": np.array([1.5, 2.5])})
    assert repr(plain) == "Microdata(2 records × 2 attributes: 2 key)"
    inferred = microdata(pl.DataFrame({"age": [31.5, 45.0], "sex": ["f", "m"]}))
    assert repr(inferred) == "Microdata(2 records × 2 attributes: 2 key; 2 roles and 2 scales inferred)"
    one = dc.survey(pl.DataFrame({"age": [31.5, 45.0], "sex": ["f", "m"]}), keys="age")
    assert repr(one).endswith("; 1 role and 2 scales inferred)")
    assert "2 records × 2 attributes" in plain._repr_html_()
    assert plain._repr_html_().count(">1<") == 1, "one cell is missing"
    assert repr(data).startswith(f"Microdata({len(data)} records × {len(data.schema)} attributes: ")


def test_a_table_of_any_kind_becomes_one():
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "other")])
    frame = pa.table({"x": [1.5, 2.5], "y": [3.5, 4.5]})
    data = microdata(frame, schema)
    assert data.to_native() is frame
    assert microdata(data) is data
    other = schema.replacing(Attribute("y", Numeric(), "confidential"))
    again = microdata(Microdata(frame, schema, origin={"by": "hand"}), other)
    assert (again.schema, again.origin) == (other, {"by": "hand"})
    array = microdata(np.array([[1.5, 3.5], [2.5, 4.5]]), schema)
    assert array.to_arrow().to_pydict() == frame.to_pydict()
    with pytest.raises(dc.DiscreetError, match="schema must be a Schema"):
        microdata(frame, {"x": "key"})
    with pytest.raises(SchemaError, match="2 attributes that the table lacks"):
        microdata(np.array([[1.5, 3.5, 1.0]]), schema)


def test_records_of_several_tables_one_after_the_other():
    parts = [table_of_numbers({"x": np.array([0.5])}), table_of_numbers({"x": np.array([1.5, np.nan])})]
    both = joined_records(iter(parts))
    assert both.to_arrow().to_pydict() == {"x": [0.5, 1.5, None]}
    assert both.schema == parts[0].schema


def test_frames_of_other_libraries():
    frame = pd.DataFrame({"x": [1.5, 2.5]}, index=[7, 9])
    data = Microdata(frame, Schema([Attribute("x", Numeric(), "key")]))
    assert data.to_polars().equals(pl.DataFrame({"x": [1.5, 2.5]}))
    assert data.to_arrow().column_names == ["x"]
    assert data.to_pandas()["x"].tolist() == [1.5, 2.5]
    polars = Microdata(pl.DataFrame({"x": [1.5, 2.5]}), data.schema)
    assert polars.to_arrow().to_pydict() == {"x": [1.5, 2.5]}
    assert polars.to_pandas()["x"].tolist() == [1.5, 2.5]
    assert polars.to_polars().equals(polars.to_native())
    with pytest.raises(dc.DiscreetError, match="no attribute named 'y'"):
        data.column("y")


def test_a_column_is_named_once_where_its_scale_is_completed():
    frame = pd.DataFrame({"a": [1, "secret", 2.5]}, dtype=object)
    with pytest.raises(DataError) as caught:
        Microdata(frame, Schema([Attribute("a", Date(), "key")]))
    assert caught.value.message == "Column 'a' mixes kinds of values."


def test_encoded_columns_of_another_type_are_encoded_anew():
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("c", Nominal(["a", "b"]), "key")])
    wide = table_of_codes(schema, {"x": np.array([1, 2]), "c": np.array([1, 0], dtype=np.int64)})
    assert wide._encoded == {}
    assert (wide.encoded("x").dtype, wide.encoded("c").dtype) == (np.float64, np.int32)
    own = table_of_codes(schema, {"x": np.array([1.0, 2.0]), "c": np.array([1, 0], dtype=np.int32)})
    assert own._encoded.keys() == {"x", "c"}
