from __future__ import annotations

import os
from itertools import chain

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.stand_ins import instead

import discreet as dc
from discreet.data.microdata import table_of_numbers
from discreet.errors import DataError, FileError, SchemaError
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


def test_ledgers_are_called_by_their_formats_and_hidden_folders_are_passed_over(folder):
    (folder / "_temporary").mkdir()
    (folder / ".git").mkdir()
    (folder / "d.pq").write_bytes((folder / "a.parquet").read_bytes())
    assert [os.path.basename(file) for file in parquet_files(folder)] == ["a.parquet", "b.parquet", "d.pq"]  # noqa: PTH119
    for name in ("year=2020", "year=2021"):
        (folder / name).mkdir()
    with pytest.raises(FileError, match="holds 2 folders beside"):
        parquet_files(folder)
    (folder / "_spark_metadata").mkdir()
    with pytest.raises(FileError, match="is a Spark streaming table"):
        parquet_files(folder)


def test_parquet_counts_as_it_is_decoded(folder, monkeypatch):
    decoded = sum(
        group.total_byte_size
        for name in ("a.parquet", "b.parquet")
        for metadata in [pq.ParquetFile(folder / name).metadata]
        for group in map(metadata.row_group, range(metadata.num_row_groups))
    )
    monkeypatch.setattr(stored_parquet, "_SHARE", 0.5)
    monkeypatch.setattr(stored_parquet, "_memory", lambda: 2 * decoded)
    assert not is_large(folder)
    monkeypatch.setattr(stored_parquet, "_memory", lambda: 2 * decoded - 1)
    assert is_large(folder)
    assert not is_large(folder / "a.parquet")


def test_a_system_that_does_not_tell_its_memory(monkeypatch):
    asked = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 10}
    monkeypatch.setattr(stored_parquet, "os", instead(os, sysconf=asked.__getitem__))
    assert stored_parquet._memory() == 40_960

    def untold(name):
        raise ValueError(name)

    monkeypatch.setattr(stored_parquet, "os", instead(os, sysconf=untold))
    assert stored_parquet._memory() == 8 * 2**30


def test_a_file_that_grew_since_it_was_opened_is_told(tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"x": [1.0, 2.0]}).write_parquet(path)
    source = ParquetSource(path, SCHEMA, [tmp_path / "schema.toml", path])
    assert source.inputs == (str(path), str(tmp_path / "schema.toml"))
    pl.DataFrame({"x": [1.0, 2.0, 3.0]}).write_parquet(path)
    with pytest.raises(DataError, match=r"x.parquet' had 2 records and has 3 now"):
        source.in_memory(["x"])


def test_columns_come_in_the_order_of_the_schema_and_only_those_that_are_asked_for(tmp_path):
    path = tmp_path / "x.parquet"
    table = table_of_numbers({"b": np.arange(3.0), "a": np.arange(3.0) + 10, "c": np.zeros(3)})
    pl.from_arrow(table.to_arrow()).write_parquet(path)
    source = ParquetSource(path, table.schema)
    assert source.in_memory(["a", "none", "b"]).to_arrow().to_pydict() == {"b": [0, 1, 2], "a": [10, 11, 12]}
    assert [batch.names for batch in source.batches(2, ["c", "b"])] == [("b", "c")] * 2
    assert [len(batch) for batch in source.batches(2)] == [2, 1]


def test_types_that_differ_from_file_to_file_are_told(tmp_path):
    with pytest.raises(DataError, match="columns of the same name and of different types"):
        stored_parquet._joined([pa.table({"x": [1]}), pa.table({"x": ["a"]})])
    joined = stored_parquet._joined([pa.table({"x": [1]}), pa.table({"x": [1.5]})])
    assert joined.to_pydict() == {"x": [1.0, 1.5]}


def test_what_was_written_can_be_read_again_by_either_kind_of_name(tmp_path):
    table = table_of_numbers({"x": np.arange(3.0)})
    for name, is_folder in (("a.parquet", False), ("b.PQ", False), ("c", True), ("d.csv", True)):
        target = ParquetTarget(tmp_path / name)
        assert (target.is_folder, target.path) == (is_folder, str(tmp_path / name))
        target.write([table, table])
        assert len(target.stored(table.schema)) == 6
        assert (tmp_path / name).is_dir() is is_folder
