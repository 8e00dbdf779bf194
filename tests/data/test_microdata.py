from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.battery import SCHEMA, sample
from tests.battery import microdata as battery_microdata

import discreet as dc
from discreet.data.microdata import Microdata, microdata, table_of_codes
from discreet.data.scales import Nominal, Numeric, Ordinal, Sequence
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
