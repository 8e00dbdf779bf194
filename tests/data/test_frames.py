"""Frames of any library, and the names of their columns."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.data.frames import arrow_column, arrow_of, as_arrow_table, as_narwhals, column_names, polars_of
from discreet.errors import DataError, SchemaError


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_of_any_frame(make):
    frame = as_narwhals(make({"x": [1, 2], "s": ["a", None]}))
    assert arrow_column(frame, "x").to_pylist() == [1, 2]
    assert arrow_column(frame, "s").to_pylist() == ["a", None]
    assert as_arrow_table(make({"x": [1, 2]})).to_pydict() == {"x": [1, 2]}


def test_what_is_no_table_or_no_column_is_refused_by_name():
    mixed = as_narwhals(pd.DataFrame({"m": ["secret", 5, 2.5]}, dtype=object))
    with pytest.raises(DataError, match="Column 'm' mixes kinds of values") as caught:
        arrow_of(mixed, "m")
    assert "secret" not in str(caught.value)
    for cells in ([{"a": 1}], [[{"a": 1}]]):
        with pytest.raises(DataError, match="Column 'd' holds dicts"):
            arrow_of(as_narwhals(pa.table({"d": cells})), "d")
    with pytest.raises(DataError, match="Column 'd' holds dicts"):
        arrow_of(as_narwhals(pa.table({"d": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))})), "d")
    assert arrow_of(as_narwhals(pa.table({"l": [[[1]]]})), "l").to_pylist() == [[[1]]]


def test_names_of_columns_are_texts_and_come_once():
    assert column_names(pa.table({"a": [1], "b": [2]})) == ["a", "b"]
    assert column_names(object()) == []
    with pytest.raises(SchemaError, match="Column names must be text"):
        column_names(pd.DataFrame([[1]], columns=[5]))
    twice = pa.table([[1], [2], [3], [4], [5]], names=["b", "a", "b", "a", "b"])
    with pytest.raises(SchemaError, match="Column 'a' appears 2 times"):
        column_names(twice)


def test_intervals_and_periods_keep_their_order():
    frame = pd.DataFrame({"band": pd.cut([5, 15, 25], [0, 10, 20, 30])}, index=[7, 8, 9])
    frame["month"] = pd.PeriodIndex(["2004-06", "2004-05", "2004-06"], freq="M")
    frame["plain"] = pd.Categorical(["x", "y", "x"])
    native = as_narwhals(frame).to_native()
    assert list(native["band"].dtype.categories) == ["(0, 10]", "(10, 20]", "(20, 30]"]
    assert native["band"].dtype.ordered
    assert list(native["month"].dtype.categories) == ["2004-05", "2004-06"]
    assert native["month"].tolist() == ["2004-06", "2004-05", "2004-06"]
    assert native.index.tolist() == [7, 8, 9]
    assert not native["plain"].dtype.ordered
    assert as_narwhals(frame[["plain"]]).to_native() is not None


def test_a_frame_of_polars():
    assert polars_of(pa.table({"a": [1]})).equals(pl.DataFrame({"a": [1]}))
