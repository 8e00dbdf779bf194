from __future__ import annotations

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.foreign_tables import as_frame
from discreet.data.microdata import microdata
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, SchemaError

N = 12
AGES, WAGES = [20 + 3 * i for i in range(N)], [1000.5 + 10 * i for i in range(N)]
COLUMNS = {"age": AGES, "wage": WAGES}
SCHEMA = Schema([Attribute("age", Numeric(), "key"), Attribute("wage", Numeric(), "key")])


def relation():
    table = pa.table(COLUMNS)
    return duckdb.from_arrow(table)


SOURCES = {
    "dict of lists": lambda: COLUMNS,
    "dict of arrays": lambda: {name: np.array(values) for name, values in COLUMNS.items()},
    "list of dicts": lambda: [{"age": a, "wage": w} for a, w in zip(AGES, WAGES, strict=True)],
    "lazy frame": lambda: pl.LazyFrame(COLUMNS),
    "record batch": lambda: pa.table(COLUMNS).to_batches()[0],
    "reader": lambda: pa.table(COLUMNS).to_reader(max_chunksize=5),
    "structured array": lambda: np.array(list(zip(AGES, WAGES, strict=True)), dtype=[("age", "i8"), ("wage", "f8")]),
    "array named by the schema": lambda: np.column_stack([AGES, WAGES]),
    "DuckDB": relation,
}


@pytest.mark.parametrize("kind", SOURCES)
def test_every_kind_of_table_is_masked_as_the_arrow_table_is(kind):
    expected = dc.protect(pa.table(COLUMNS), "mdav", schema=SCHEMA, k=3).microdata.to_arrow().to_pydict()
    masked = dc.protect(SOURCES[kind](), "mdav", schema=SCHEMA, k=3)
    assert masked.microdata.to_arrow().to_pydict() == expected
    assert len(set(expected["age"])) < N


def test_a_stream_is_read_once_where_the_schema_is_inferred():
    assert len(microdata(pa.table(COLUMNS).to_reader(max_chunksize=5))) == N
    assert isinstance(microdata(pl.LazyFrame(COLUMNS)).to_native(), pl.DataFrame)


def test_an_array_comes_back_as_an_array_and_has_names_of_its_own():
    array = np.column_stack([AGES, WAGES])
    released = dc.MDAV(k=3).fit_transform(array)
    assert isinstance(released, np.ndarray)
    assert released.shape == array.shape
    assert np.allclose(released.mean(axis=0), array.mean(axis=0), atol=1)
    assert as_frame(array).column_names == ["column_1", "column_2"]
    assert as_frame(array, ["a", "b"]).column_names == ["a", "b"]
    assert as_frame(np.arange(4, dtype=np.int16).reshape(2, 2)).schema.types == [pa.int16()] * 2


@pytest.mark.parametrize(
    ("thing", "error", "said"),
    [
        (np.arange(3), DataError, "must have two dimensions"),
        (np.zeros((2, 2, 2)), DataError, "must have two dimensions"),
        ({"a": [1, 2], "b": [1]}, DataError, "2 different lengths"),
        ({"a": 7}, DataError, "'a' is no list of values"),
        ({"a": "seven"}, DataError, "'a' is no list of values"),
        ({1: [1]}, SchemaError, "must be text"),
        ({"a": [1, "secret"]}, DataError, "'a' mixes kinds of values"),
        ([{"a": 1}, 3], DataError, "1 of its 2 items are none"),
        ([], DataError, "no records"),
        (7, DataError, "got int"),
    ],
)
def test_what_is_no_table_is_refused_without_showing_a_value(thing, error, said):
    with pytest.raises(error, match=said) as caught:
        microdata(thing)
    assert "secret" not in str(caught.value)


def test_names_must_fit_the_array():
    with pytest.raises(SchemaError, match="has 2 columns, and 1 names"):
        as_frame(np.zeros((3, 2)), ["a"])
