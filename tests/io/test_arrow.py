"""Arrow files in and out, as a file and as a stream."""

from __future__ import annotations

import pyarrow as pa
import pytest

from discreet.data.labels import Labels
from discreet.data.microdata import microdata
from discreet.errors import FileError, SchemaError
from discreet.io.arrow import read_arrow, write_arrow

TABLE = pa.table({"x": [1, 2, None], "s": ["a", "b", "a"]})


def stored(path, make, table=TABLE):
    with pa.OSFile(str(path), "wb") as sink, make(sink, table.schema) as writer:
        writer.write_table(table)
    return path


@pytest.mark.parametrize("make", [pa.ipc.new_file, pa.ipc.new_stream])
def test_a_file_and_a_stream_are_read(tmp_path, make):
    path = stored(tmp_path / "t.arrow", make)
    table, origin = read_arrow(path)
    assert table.equals(TABLE)
    assert origin == {"format": "arrow", "path": str(path)}


def test_what_is_none_and_what_is_empty_is_refused(tmp_path):
    broken = tmp_path / "t.arrow"
    for content in (b"", b"no arrow"):
        broken.write_bytes(content)
        with pytest.raises(FileError, match="not an Arrow file that can be read"):
            read_arrow(broken)
    with pytest.raises(FileError, match="has no records"):
        read_arrow(stored(tmp_path / "e.arrow", pa.ipc.new_file, TABLE.slice(0, 0)))


def test_columns_of_the_same_name_are_refused(tmp_path):
    twice = pa.table([[1], [2]], names=["x", "x"])
    with pytest.raises(SchemaError, match="x"):
        read_arrow(stored(tmp_path / "t.arrow", pa.ipc.new_file, twice))


def test_labels_travel_along_and_nothing_else_does(tmp_path):
    table = microdata(TABLE.replace_schema_metadata({"secret": "1"}))
    path = tmp_path / "out.arrow"
    write_arrow(table, path)
    back, origin = read_arrow(path)
    assert back.equals(TABLE)
    assert back.schema.metadata is None
    assert "labels" not in origin
    table.origin["labels"] = Labels(variables={"x": "size"}, values={"s": {"a": "one", "b": "two"}})
    write_arrow(table, path)
    _, origin = read_arrow(path)
    assert origin["labels"] == table.origin["labels"]
    with pytest.raises(FileError, match="also an input"):
        write_arrow(table, path, (path,))
