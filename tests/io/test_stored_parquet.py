from __future__ import annotations

import os
from itertools import chain

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.data.microdata import table_of_numbers
from discreet.errors import FileError, SchemaError
from discreet.io import stored_parquet
from discreet.io.stored_parquet import ParquetSource, ParquetTarget, is_large, parquet_files, read_head

SCHEMA = table_of_numbers({"x": np.zeros(2)}).schema


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "in"
    inside.mkdir()
    pl.DataFrame({"x": np.arange(7.0)}).write_parquet(inside / "b.parquet", row_group_size=3)
    pl.DataFrame({"x": np.arange(5.0) + 100}).write_parquet(inside / "a.parquet", row_group_size=2)
    (inside / "_SUCCESS").touch()
    return inside


@pytest.mark.parametrize("size", [1, 4, 100])
def test_batches_are_of_one_size_across_files(folder, size):
    source = ParquetSource(folder, SCHEMA)
    assert len(source) == 12
    assert source.sizes == (5, 7)
    batches = [batch.encoded("x").tolist() for batch in source.batches(size)]
    assert [len(batch) for batch in batches[:-1]] == [size] * (len(batches) - 1)
    assert list(chain.from_iterable(batches)) == [100, 101, 102, 103, 104, 0, 1, 2, 3, 4, 5, 6]


def test_the_first_records(folder):
    assert read_head(folder, 2)["x"].to_pylist() == [100.0, 101.0]


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    table = table_of_numbers({"x": np.arange(3.0)})

    def tables():
        yield table
        raise RuntimeError("no more")

    for name in ("out.parquet", "out"):
        with pytest.raises(RuntimeError, match="no more"):
            ParquetTarget(tmp_path / name).write(tables())
        assert list(tmp_path.iterdir()) == []
    ParquetTarget(tmp_path / "out.parquet").write([table, table])
    ParquetTarget(tmp_path / "out").write([table, table])
    assert len(pl.read_parquet(tmp_path / "out.parquet")) == 6
    assert parquet_files(tmp_path / "out") == (str(tmp_path / "out" / "part-00000.parquet"),)


def test_inputs_are_never_written_over(folder):
    with pytest.raises(FileError, match="is also an input"):
        ParquetTarget(folder / "a.parquet", [folder / "a.parquet"])
    with pytest.raises(FileError, match="exists and is not an empty folder"):
        ParquetTarget(folder)


def test_large_is_a_share_of_memory(folder, monkeypatch, tmp_path):
    assert not is_large(folder)
    monkeypatch.setattr(stored_parquet, "_SHARE", 0.0)
    assert is_large(folder / "a.parquet")
    (tmp_path / "x.csv").write_text("x\n1\n")
    assert is_large(tmp_path / "x.csv")
    (tmp_path / "x.ndjson").write_text('{"x": 1}\n')
    assert not is_large(tmp_path / "x.ndjson")


def test_text_counts_twice_and_packed_text_ten_times(monkeypatch, tmp_path):
    monkeypatch.setattr(stored_parquet, "_memory", lambda: 10_000)
    for ending, least in ((".csv", 501), (".csv.gz", 101)):
        path = tmp_path / f"x{ending}"
        path.write_bytes(bytes(least - 1))
        assert not is_large(path)
        path.write_bytes(bytes(least))
        assert is_large(path)


def test_bad_files_are_told(tmp_path, folder):
    with pytest.raises(FileError, match="does not exist"):
        parquet_files(tmp_path / "none.parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="holds no Parquet file"):
        parquet_files(tmp_path / "empty")
    (tmp_path / "text.parquet").write_text("no")
    with pytest.raises(FileError, match="is not a Parquet file that can be read"):
        ParquetSource(tmp_path / "text.parquet", SCHEMA)
    pl.DataFrame({"y": [1.0]}).write_parquet(folder / "c.parquet")
    with pytest.raises(SchemaError, match="has other columns than"):
        ParquetSource(folder, SCHEMA)
    pl.DataFrame({"x": []}, schema={"x": pl.Float64}).write_parquet(tmp_path / "none.parquet")
    with pytest.raises(FileError, match="has no records"):
        ParquetSource(tmp_path / "none.parquet", SCHEMA)
    assert os.path.exists(folder)  # noqa: PTH110 - nothing was removed


@pytest.mark.parametrize("ledger", ["_delta_log", ".hoodie", "metadata"])
def test_tables_with_a_ledger_are_refused_by_name(folder, ledger):
    (folder / ledger).mkdir()
    with pytest.raises(FileError, match="not all of its files belong to it"):
        parquet_files(folder)


def test_parts_in_folders_of_their_own_are_not_passed_over(folder):
    (folder / "year=2020").mkdir()
    with pytest.raises(FileError, match="1 folders beside or instead of"):
        parquet_files(folder)


def test_a_folder_may_begin_with_files_that_hold_nothing(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    table = pa.table({"x": [1.5, 2.5, 3.5, 4.5], "y": ["a", "b", "a", "b"]})
    for name, rows in (("0", 0), ("1", 0), ("2", 3), ("3", 4)):
        pq.write_table(table.slice(0, rows), folder / f"{name}.parquet")
    assert stored_parquet.read_head(folder).to_pydict() == {"x": [1.5, 2.5, 3.5], "y": ["a", "b", "a"]}
    assert stored_parquet.read_head(folder, 2).num_rows == 2
    stored = dc.scan(folder)
    assert (len(stored), repr(stored)) == (7, "ParquetSource(7 records in 4 files)")
    assert stored.in_memory(["x"]).column("x").to_pylist() == [1.5, 2.5, 3.5, 1.5, 2.5, 3.5, 4.5]
    for name in ("2", "3"):
        (folder / f"{name}.parquet").unlink()
    with pytest.raises(FileError, match="parts' has no records"):
        stored_parquet.read_head(folder)
    with pytest.raises(FileError, match="has no records"):
        dc.scan(folder)
    pq.write_table(table.rename_columns(["x", "z"]), folder / "9.parquet")
    with pytest.raises(SchemaError, match="has other columns than"):
        dc.scan(folder)
