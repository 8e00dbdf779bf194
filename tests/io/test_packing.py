"""Packed text, tabs and lines of JSON: read back with other programs' code, and given to a hostile reader."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json

import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet import io as files
from discreet.data.guarantees import Guarantee
from discreet.errors import BrokenGuaranteeError, DiscreetError, FileError
from discreet.io.packing import PACKED, arrow_stream, ending_of, opened_for_reading

FRAME = pl.DataFrame(
    {
        "age": [30 + i % 20 for i in range(60)],
        "wage": [1000.25 + i for i in range(60)],
        "fuel": ["gas", "w,ood", "s\tun"] * 20,
        "note": ['say "no"\nor yes', "é€", None] * 20,
    }
)
TEXTS = [".csv", ".tsv", *(ending for ending in PACKED if ending.startswith((".csv", ".tsv")))]
LINES = [".ndjson", ".jsonl", *(ending for ending in PACKED if "json" in ending)]


def raw(path):
    """The bytes inside, by the standard library or, for zstandard, by Arrow alone."""
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".bz2":
        return bz2.decompress(path.read_bytes())
    if path.suffix == ".zst":
        return pa.input_stream(str(path), compression="zstd").read()
    return path.read_bytes()


def packed(content, ending):
    if ending.endswith(".gz"):
        return gzip.compress(content)
    if ending.endswith(".bz2"):
        return bz2.compress(content)
    if not ending.endswith(".zst"):
        return content
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


def masked():
    return dc.protect(FRAME, "mdav", k=5, attributes=["age", "wage"])


@pytest.mark.parametrize("ending", TEXTS)
def test_text_is_written_as_its_ending_says_and_comes_back(ending, tmp_path):
    release = masked()
    dc.write(release, tmp_path / f"m{ending}")
    delimiter = "\t" if ".tsv" in ending else ","
    rows = list(csv.reader(io.StringIO(raw(tmp_path / f"m{ending}").decode(), newline=""), delimiter=delimiter))
    cells = release.microdata.to_arrow().to_pydict()
    assert rows[0] == list(cells)
    assert [row[0] for row in rows[1:]] == [str(v) for v in cells["age"]]
    assert [row[3] for row in rows[1:]] == [v or "" for v in cells["note"]]
    assert dc.read(tmp_path / f"m{ending}").to_arrow().to_pydict() == cells
    assert [path.name for path in tmp_path.iterdir()] == [f"m{ending}"]


@pytest.mark.parametrize("ending", LINES)
def test_lines_of_json_are_written_and_come_back(ending, tmp_path):
    release = masked()
    dc.write(release, tmp_path / f"m{ending}")
    lines = raw(tmp_path / f"m{ending}").decode().splitlines()
    cells = release.microdata.to_arrow().to_pylist()
    assert [json.loads(line) for line in lines] == cells
    assert dc.read(tmp_path / f"m{ending}").to_arrow().to_pylist() == cells


def test_a_file_keeps_its_dialect_but_for_what_its_ending_says(tmp_path):
    (tmp_path / "o.csv.gz").write_bytes(gzip.compress(b"age;wage\r\n31;1.234,56\r\n45;2.500,00\r\n27;987,10\r\n" * 1))
    original = dc.read(tmp_path / "o.csv.gz")
    assert original.column("wage").to_pylist() == [1234.56, 2500.0, 987.1]
    for name, expected in (("a.csv.gz", b"age;wage\r\n31;1.234,56\r\n"), ("a.tsv", b"age\twage\r\n31\t1.234,56\r\n")):
        dc.write(original, tmp_path / name)
        assert raw(tmp_path / name).startswith(expected)
    dc.write(dc.read(tmp_path / "a.tsv"), tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_bytes().startswith(b'age,wage\r\n31,"1.234,56"\r\n')


def test_a_packed_file_says_nothing_about_when_and_as_what_it_was_written(tmp_path):
    dc.write(masked(), tmp_path / "secretname.csv.gz")
    content = (tmp_path / "secretname.csv.gz").read_bytes()
    assert content[3] == 0, "no name, no comment"
    assert content[4:8] == bytes(4), "no time"
    dc.write(masked(), tmp_path / "again.csv.gz")
    assert (tmp_path / "again.csv.gz").read_bytes() == content


@pytest.mark.parametrize("ending", [".tsv", ".csv.gz", ".csv.zst", ".csv.bz2", ".ndjson", ".jsonl.gz", ".asc"])
def test_promises_are_counted_on_the_written_bytes(ending, tmp_path):
    table = dc.microdata(FRAME.select("age"))
    promise = Guarantee(method="mdav", attributes=("age",), k=4)
    with pytest.raises(BrokenGuaranteeError):
        files.write_table(table, tmp_path / f"m{ending}", guarantees=[promise])
    assert not list(tmp_path.iterdir())
    files.write_table(table, tmp_path / f"m{ending}", guarantees=[Guarantee(method="mdav", attributes=("age",), k=3)])
    assert tmp_path.joinpath(f"m{ending}").exists()


HOSTILE = {
    "empty": b"",
    "only line ends": b"\n\n\n",
    "names alone": b"a,b\n",
    "NUL": b"a,b\n1,2\0\n3,4\n",
    "ragged": b"a,b\n1,2\n3\n4,5,6\n",
    "open quote": b'a,b\n1,"secret\n3,4\n',
    "names twice": b"a,a\n1,2\n3,4\n",
    "no header": b"1,secret\n2,secret\n3,secret\n",
    "not UTF-8": b"name,age\nsecr\xe9t,3\nx,4\n",
    "UTF-16 without a mark": "name,age\nsecret,31\nother,45\n".encode("utf-16-le"),
}


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".csv.zst", ".csv.bz2"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_text_is_refused_in_one_sentence_without_a_value(kind, ending, tmp_path):
    path = tmp_path / f"o{ending}"
    path.write_bytes(packed(HOSTILE[kind], ending))
    with pytest.raises(DiscreetError) as caught:
        dc.read(path)
    assert "secr" not in str(caught.value)
    assert "library" not in str(caught.value)
    if kind == "no header":
        assert "--no-header" in str(caught.value)
    if kind == "UTF-16 without a mark":
        assert "--encoding utf-16-le" in str(caught.value)


GOOD = {
    "mixed line ends": (b"a,b\r\n1,x\n2,y\r\n3,z\n", {"a": [1, 2, 3], "b": ["x", "y", "z"]}),
    "one column": (b"a\n1\n2\n3\n", {"a": [1, 2, 3]}),
    "a mark of UTF-8": (b"\xef\xbb\xbfa,b\n1,x\n2,y\n", {"a": [1, 2], "b": ["x", "y"]}),
    "UTF-16": ("a,b\n1,é\n2,y\n".encode("utf-16"), {"a": [1, 2], "b": ["é", "y"]}),
    "quotes": (b'a,b\n1,"x ""y"", z"\n2,"p\nq"\n', {"a": [1, 2], "b": ['x "y", z', "p\nq"]}),
    "decimal comma": (b"a;b\n1;1,5\n2;2,25\n", {"a": [1, 2], "b": [1.5, 2.25]}),
}


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".csv.zst"])
@pytest.mark.parametrize("kind", GOOD)
def test_what_can_be_told_is_found(kind, ending, tmp_path):
    content, cells = GOOD[kind]
    (tmp_path / f"o{ending}").write_bytes(packed(content, ending))
    table = dc.read(tmp_path / f"o{ending}")
    assert table.to_arrow().to_pydict() == cells
    dc.write(table, tmp_path / f"m{ending}")
    assert dc.read(tmp_path / f"m{ending}").to_arrow().to_pydict() == cells


@pytest.mark.parametrize("ending", [".csv.gz", ".csv.bz2", ".csv.zst", ".ndjson.gz"])
def test_a_file_whose_end_is_missing_is_refused(ending, tmp_path):
    whole = packed("".join(f"{i},{i * 7919 % 1000}\n" for i in range(5000)).encode(), ending)
    for cut in (whole[: len(whole) // 2], whole[:-3], b"no packing at all", b""):
        (tmp_path / f"o{ending}").write_bytes(cut)
        with pytest.raises(FileError):
            dc.read(tmp_path / f"o{ending}")


def test_wide_tables_and_long_fields_go_through_every_text(tmp_path):
    wide = pl.DataFrame({f"c{i}": [i, i + 1, i + 2] for i in range(200)}).with_columns(long=pl.lit("x" * 200_000))
    for ending in (".csv.gz", ".ndjson", ".tsv"):
        dc.write(dc.microdata(wide), tmp_path / f"w{ending}")
        assert dc.read(tmp_path / f"w{ending}").to_arrow().to_pydict() == wide.to_dict(as_series=False)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("[1, 2]\n", "Line 1 .* is no JSON object"),
        ('{"a": 1}\n{"a": secret}\n', "Line 2 .* is not JSON"),
        ('{"a": 1}\n{"a": 2, "a": 3}\n', "Line 2 .* has a name twice"),
        ('{"a": {"b": 1}}\n', "'a' holds objects"),
        ('{"a": [[1]]}\n', "'a' holds objects"),
        ('{"a": 1}\n{"a": "secret"}\n', "'a' mixes kinds"),
        ('{"a": NaN}\n', "Line 1 .* is not JSON"),
        ('{"a": 1' + "0" * 400 + "}\n", "'a' has numbers that are too large"),
        ("[" * 100_000 + "\n", "Line 1 .* is not JSON"),
        ("{}\n{}\n", "without a single attribute"),
        ('{"a": 1}\0\n', "Line 1 .* is not JSON"),
    ],
)
def test_hostile_lines_of_json_are_refused_by_their_number(content, said, tmp_path):
    (tmp_path / "o.ndjson").write_text(content)
    with pytest.raises(DiscreetError, match=said) as caught:
        dc.read(tmp_path / "o.ndjson")
    assert "secret" not in str(caught.value)


def test_lines_of_json_may_lack_keys_and_hold_events_and_odd_line_ends(tmp_path):
    (tmp_path / "o.ndjson").write_bytes('{"a": 1, "s": ["x", "y"]}\r\n\n{"b": "p\u2028q", "a": 2.5}\n'.encode())
    cells = files.read_table(tmp_path / "o.ndjson")[0].to_pydict()
    assert cells == {"a": [1.0, 2.5], "s": [["x", "y"], None], "b": [None, "p\u2028q"]}


def test_endings():
    assert ending_of("a.b.CSV.GZ") == ".csv.gz"
    assert ending_of("a.gz") == ".gz"
    with pytest.raises(FileError, match="unknown ending"):
        dc.write(dc.microdata(FRAME), "nowhere.parquet.gz")


@pytest.mark.parametrize("ending", TEXTS)
def test_both_streams_of_a_file_give_what_is_in_it(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    path.write_bytes(packed(b"x,y\n1,2\n", ending))
    for stream in (opened_for_reading(path), arrow_stream(path)):
        with stream:
            assert stream.read() == b"x,y\n1,2\n"
