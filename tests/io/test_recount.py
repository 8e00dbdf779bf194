"""Reading back as a stranger: files made by hand, counted in every format, and refused where they fall short."""

from __future__ import annotations

import gzip
import json

import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from discreet.data.guarantees import Guarantee
from discreet.errors import BrokenGuaranteeError
from discreet.io import recount
from discreet.io.csv import Dialect
from discreet.io.recount import count_written

PAIRS = [("a", "1"), ("a", "1"), ("b", "2"), ("b", "2"), ("b", "2")]
LONELY = [*PAIRS, ("c", "3")]
TWO = [Guarantee("mdav", ("job", "age"), 2)]


def text_of(rows, delimiter=",", newline="\n"):
    lines = [delimiter.join(("id", "age", "job")), *(delimiter.join((str(i), a, j)) for i, (j, a) in enumerate(rows))]
    return newline.join(lines) + newline


def write(path, rows, ending):
    columns = {"id": list(range(len(rows))), "age": [a for _, a in rows], "job": [j for j, _ in rows]}
    if ending in {".csv", ".txt"}:
        path.write_text(text_of(rows))
    elif ending == ".csv.gz":
        path.write_bytes(gzip.compress(text_of(rows).encode()))
    elif ending == ".ndjson":
        path.write_text(
            "".join(
                json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in zip(*columns.values(), strict=True)
            )
        )
    elif ending == ".jsonl.gz":
        write(path, rows, ".ndjson")
        path.write_bytes(gzip.compress(path.read_bytes()))
    elif ending == ".parquet":
        pq.write_table(pa.table(columns), path)
    elif ending == ".arrow":
        table = pa.table({**columns, "job": pa.array(columns["job"]).dictionary_encode()})
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    else:
        with xlsxwriter.Workbook(str(path)) as book:
            sheet = book.add_worksheet()
            for place, (name, values) in enumerate(columns.items()):
                sheet.write_column(0, place, [name, *values])


@pytest.mark.parametrize("ending", [".csv", ".txt", ".csv.gz", ".ndjson", ".jsonl.gz", ".parquet", ".arrow", ".xlsx"])
def test_a_record_alone_is_found_in_every_format(ending, tmp_path):
    path = tmp_path / f"file{ending}"
    write(path, PAIRS, ending)
    count_written(path, ending, TWO, records=5, columns=["id", "age", "job"])
    with pytest.raises(BrokenGuaranteeError, match="6 records were written, and 5 are read back"):
        count_written(path, ending, TWO, records=6)
    write(path, LONELY, ending)
    with pytest.raises(BrokenGuaranteeError, match="mdav: in the written file 1 records .* the smallest class has 1"):
        count_written(path, ending, TWO, records=6)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".ndjson", ".parquet", ".arrow"])
def test_a_column_that_was_written_and_is_not_there_is_noticed(ending, tmp_path):
    path = tmp_path / f"file{ending}"
    write(path, PAIRS, ending)
    promise = [Guarantee("mdav", ("job", "sex"), 2)]
    count_written(path, ending, promise, columns=["job"])  # sex was not released
    with pytest.raises(BrokenGuaranteeError, match="Column 'sex' was written and is not found"):
        count_written(path, ending, promise, columns=["job", "sex"])


def test_without_a_promise_the_file_is_not_even_opened(tmp_path):
    count_written(tmp_path / "nothing.csv", ".csv", [], records=3)


def test_folders_of_parquet_are_counted_as_one_table(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    for place, rows in enumerate((PAIRS[:1], PAIRS[1:])):  # "a" stands alone in each file, and not in the folder
        pl.DataFrame(
            {"job": [j for j, _ in rows], "age": [a for _, a in rows]}, schema_overrides={"job": pl.Categorical}
        ).write_parquet(folder / f"{place}.parquet")
    (folder / "notes.txt").write_text("not a table")
    count_written(folder, ".parquet", TWO, records=5)


def test_text_in_the_dialect_it_was_written_in(tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(text_of([("é", "1"), ("é", "1")], ";", "\r\n").encode("latin-1"))
    count_written(
        path,
        ".csv",
        TWO,
        records=2,
        columns=["job", "age"],
        dialect={"delimiter": ";", "encoding": "latin-1", "newline": "\r\n"},
    )
    path.write_bytes(text_of(LONELY, "\t", "\r").encode("utf-8-sig"))
    with pytest.raises(BrokenGuaranteeError, match="1 records do not share"):
        count_written(path, ".csv", TWO, records=6, dialect={"delimiter": "\t", "bom": True, "newline": "\r"})


def test_a_name_that_looks_like_a_formula_stands_behind_an_apostrophe(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text("id,'=age\n1,5\n2,6\n")
    with pytest.raises(BrokenGuaranteeError, match="2 records do not share their =age"):
        count_written(path, ".csv", [Guarantee("mdav", ("=age",), 2)], columns=["=age"])


def test_what_is_told_apart_in_the_text_is_told_apart_in_the_count(tmp_path):
    path = tmp_path / "file.csv"
    path.write_text("age\n5\n5\n5.0\n")
    with pytest.raises(BrokenGuaranteeError, match="1 records"):
        count_written(path, ".csv", [Guarantee("mdav", ("age",), 2)])


def test_fixed_widths_by_their_places(tmp_path):
    path = tmp_path / "file.dat"
    path.write_bytes(b"01a 1\r\n02a 1\r\n03b 2\r\n04b 2\r\n")
    places = {"job": slice(2, 4), "age": slice(4, 5)}
    count_written(path, ".dat", TWO, records=4, places=places)
    path.write_bytes(b"01a 1\n02a 1\n03b 2\n04b 3\n")
    with pytest.raises(BrokenGuaranteeError, match="2 records"):
        count_written(path, ".dat", TWO, records=4, places=places)


def test_a_key_that_only_later_records_have_is_found(tmp_path):
    path = tmp_path / "file.ndjson"
    path.write_text('{"job": "a"}\n{"job": "a", "age": 1}\n')
    with pytest.raises(BrokenGuaranteeError, match="2 records do not share"):
        count_written(path, ".ndjson", TWO, records=2, columns=["job", "age"])


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
@pytest.mark.parametrize(
    ("content", "dialect", "read"),
    [
        (b"id,age,job\n1,05,a\n2,,b\n", {}, {"job": ["a", "b"], "age": ["05", None]}),
        (b'job,\'age,id\n a ,1.0,1\n"x,\n",2,2\n', {}, {"job": [" a ", "x,\n"], "age": ["1.0", "2"]}),
        (b'job,age\n"",1\nNA,null\n', {}, {"job": ["", "NA"], "age": ["1", "null"]}),
        ("job;age;id\r\né;1;2\r\nü;;2\r\n".encode("latin-1"),
         {"delimiter": ";", "encoding": "latin-1", "newline": "\r\n"}, {"job": ["é", "ü"], "age": ["1", None]}),
        ("id\tage\tjob\r1\t5\té\r2\t6\tb\r".encode("utf-8-sig"), {"delimiter": "\t", "bom": True, "newline": "\r"},
         {"job": ["é", "b"], "age": ["5", "6"]}),
        (b"id,job\n1,a\n", {}, {"job": ["a"]}),
    ],
)  # fmt: skip
def test_fields_are_the_text_that_stands_there_however_large_the_file(
    content, dialect, read, ending, large, tmp_path, monkeypatch
):
    path = tmp_path / f"file{ending}"
    path.write_bytes(gzip.compress(content) if ending.endswith(".gz") else content)
    if large:
        monkeypatch.setattr(recount, "_LARGE", 8)
        monkeypatch.setattr(recount, "_text_frame", None)
    else:
        monkeypatch.setattr(recount, "_text_parts", None)
    frames = list(recount._READERS[ending](path, ("job", "age"), Dialect(**dialect)))
    assert pl.concat(frames).to_dict(as_series=False) == read


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_large_file_is_one_above_the_limit(ending, tmp_path, monkeypatch):
    path = tmp_path / f"file{ending}"
    write(path, PAIRS, ending)
    size = path.stat().st_size * (1 if ending == ".csv" else 8)
    monkeypatch.setattr(recount, "_text_parts", None)
    monkeypatch.setattr(recount, "_LARGE", size)
    count_written(path, ending, TWO, records=5)
    monkeypatch.setattr(recount, "_LARGE", size - 1)
    with pytest.raises(TypeError):
        count_written(path, ending, TWO, records=5)


def test_a_large_file_of_one_column_has_a_record_a_line(tmp_path, monkeypatch):
    path = tmp_path / "file.csv"
    path.write_text("age\n5\n\n5\n\n")
    monkeypatch.setattr(recount, "_LARGE", 1)
    assert [frame.to_dict(as_series=False) for frame in recount._read_text(path, ("age",), Dialect())] == [
        {"age": ["5", None, "5", None]}
    ]


def test_json_lines_workbooks_and_fixed_widths_as_they_are(tmp_path):
    path = tmp_path / "file.ndjson"
    path.write_text('{"job": "1", "age": 1}\n\n{"age": null}\n{"age": 1.0}\n')
    (frame,) = recount._READERS[".ndjson"](path, ("age", "job", "sex"), Dialect())
    assert frame.to_dict(as_series=False) == {"age": ["1", "null", "1.0"], "job": ['"1"', "null", "null"]}
    path = tmp_path / "file.dat"
    path.write_bytes("01é  5\r\n02\r\n\n".encode())
    (frame,) = recount._read_fixed(path, ("job", "age", "sex"), {"age": slice(4, 6), "job": slice(2, 4)})
    assert frame.to_dict(as_series=False) == {"job": ["é", ""], "age": ["5", ""]}
    with xlsxwriter.Workbook(str(tmp_path / "b.xlsx")) as book:
        sheet = book.add_worksheet()
        sheet.write_column(0, 0, ["id", 1, 2])
        sheet.write_column(0, 1, ["age", 5])
        sheet.write_column(0, 2, ["job", "a", "07"])
    (frame,) = recount._READERS[".xlsx"](tmp_path / "b.xlsx", ("job", "age", "sex"), Dialect())
    assert frame.to_dict(as_series=False) == {"age": ["5", None], "job": ["a", "07"]}
