"""Lines of JSON as they come from elsewhere, and as they leave."""

from __future__ import annotations

import datetime as dt
import json
import math

import polars as pl
import pyarrow as pa
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import DateTime, Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, FileError, SchemaError
from discreet.io import ndjson
from discreet.io.ndjson import read_ndjson, write_ndjson


def read(tmp_path, text, **options):
    path = tmp_path / "file.ndjson"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_ndjson(path, **options)


def test_columns_in_their_order_of_appearance_and_lacking_keys_missing(tmp_path):
    table, origin = read(tmp_path, '{"b": 1}\n\n{"a": "x", "b": 2.5}\r\n  \n{"c": ["u", "v"], "b": null}\n')
    assert table.column_names == ["b", "a", "c"]
    assert table.to_pydict() == {"b": [1.0, 2.5, None], "a": [None, "x", None], "c": [None, None, ["u", "v"]]}
    assert table.schema.field("b").type == pa.float64()
    assert origin == {"format": "ndjson", "path": str(tmp_path / "file.ndjson")}


def test_whole_numbers_stay_whole_and_a_column_of_nothing_is_text(tmp_path):
    table, _ = read(tmp_path, '{"a": 1, "b": null, "c": true}\n{"a": null, "b": null, "c": false}')
    assert [table.schema.field(name).type for name in "abc"] == [pa.int64(), pa.string(), pa.bool_()]


def test_only_line_ends_of_json_end_a_record(tmp_path):
    table, _ = read(tmp_path, '\ufeff{"a": "x\u2028y\x85z"}\n{"a": "w"}')
    assert table.column("a").to_pylist() == ["x\u2028y\x85z", "w"]


def test_other_encodings_by_name(tmp_path):
    table, _ = read(tmp_path, '{"a": "é"}'.encode("latin-1"), encoding="latin-1")
    assert table.column("a").to_pylist() == ["é"]


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        (" \n\n", FileError, "is empty"),
        ("{}\n{}", FileError, "without a single attribute"),
        ('{" ": 1}', SchemaError, "has no name"),
        ('{"a": 1}\n\n{"a": 1, "a": 2}', SchemaError, "Line 3 of .* has a name twice"),
        ('{"a": 1}\n{"a": }', FileError, "Line 2 of .* is not JSON"),
        ('{"a": NaN}', FileError, "Line 1 of .* is not JSON"),
        ("[" * 100_000, FileError, "Line 1 of .* is not JSON"),
        ('{"a": 1}\n[1]', FileError, "Line 2 of .* is no JSON object"),
        ('{"a": {"b": 1}}', DataError, "Column 'a' holds objects or nested lists"),
        ('{"a": [1, 2]}', DataError, "Column 'a' holds objects or nested lists"),
        ('{"a": ["x"]}\n{"a": "x"}', DataError, "Column 'a' holds objects or nested lists"),
        ('{"a": 1}\n{"a": "x"}', DataError, "Column 'a' mixes kinds of values"),
        ('{"a": 1}\n{"a": true}', DataError, "Column 'a' mixes kinds of values"),
        ('{"a": 9' + "9" * 30 + "}", DataError, "Column 'a' has numbers that are too large"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused_without_a_value(tmp_path, text, error, sentence):
    with pytest.raises(error, match=sentence):
        read(tmp_path, text)


def test_written_records_in_every_block(tmp_path, monkeypatch):
    monkeypatch.setattr(ndjson, "_ROWS", 2)
    days = [dt.date(2024, 5, day) for day in (1, 2, 3)]
    frame = pl.DataFrame({"pay": [1.5, math.nan, math.inf], "job": ["é", None, "b"], "day": days})
    schema = Schema([Attribute("pay", Numeric(), "key"), Attribute("job", Nominal(["é", "b"]), "key"),
                     Attribute("day", DateTime(), "key")])  # fmt: skip
    path = tmp_path / "out.ndjson"
    write_ndjson(Microdata(frame, schema), path)
    text = path.read_text()
    assert text.endswith("\n")
    assert "é" in text
    assert [json.loads(line) for line in text.splitlines()] == [
        {"pay": 1.5, "job": "é", "day": "2024-05-01"},
        {"pay": None, "job": None, "day": "2024-05-02"},
        {"pay": None, "job": "b", "day": "2024-05-03"},
    ]
