from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.errors import FileError
from discreet.io import read_table, write_table


def test_types_survive_and_metadata_stay_in_the_house(tmp_path):
    table = pa.table(
        {
            "i": pa.array([1, None], pa.int16()),
            "d": pa.array([Decimal("1.10"), Decimal("2.20")]),
            "t": pa.array([dt.date(2020, 1, 2), dt.date(2021, 3, 4)]),
            "c": pa.array(["u", "v"]).dictionary_encode(),
            "s": [["a"], ["b", "a"]],
        }
    ).replace_schema_metadata({"made_by": "survey team"})
    path = tmp_path / "a.parquet"
    pq.write_table(table, path)
    proposal = dc.inspect(path).schema
    data = dc.read(path, proposal.replacing(dc.Attribute("i", dc.Numeric(), "key")))
    write_table(data.replacing({"i": [1.5, float("nan")]}), tmp_path / "b.parquet")
    back = pq.read_table(tmp_path / "b.parquet")
    assert back.schema.metadata is None
    assert back.drop_columns(["i"]).equals(table.drop_columns(["i"]))
    assert back.column("i").to_pylist() == [1.5, None]


def test_what_is_no_parquet_is_refused(tmp_path):
    (tmp_path / "a.parquet").write_text("hello")
    with pytest.raises(FileError, match="not a Parquet file"):
        read_table(tmp_path / "a.parquet")


def test_an_empty_table_is_refused(tmp_path):
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "a.parquet")
    with pytest.raises(FileError, match="no records"):
        read_table(tmp_path / "a.parquet")


def test_csv_to_parquet_and_back(tmp_path):
    (tmp_path / "a.csv").write_text("x,c\n1.50,u\n2.25,v\n")
    write_table(dc.read(tmp_path / "a.csv"), tmp_path / "b.parquet")
    assert pq.read_table(tmp_path / "b.parquet").to_pydict() == {"x": [1.5, 2.25], "c": ["u", "v"]}
