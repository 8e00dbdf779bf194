"""Excel workbooks: values as they are, and never a formula."""

from __future__ import annotations

import datetime as dt
import re
import zipfile

import fastexcel
import polars as pl
import pytest
import xlsxwriter

import discreet as dc
from discreet.data.labels import Labels
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.errors import FileError, SchemaError
from discreet.io import excel, read_table


def test_text_that_looks_like_a_formula_or_a_link_stays_text(tmp_path):
    words = ["=1+1", "+cmd()", "-2", "@x", "http://example.org"]
    schema = Schema([Attribute("=name", Nominal(words))])
    dc.write(Microdata(pl.DataFrame({"=name": words}), schema), tmp_path / "a.xlsx")
    table, _ = read_table(tmp_path / "a.xlsx", header=True)  # a name as any of the words
    assert table.column("=name").to_pylist() == words
    with zipfile.ZipFile(tmp_path / "a.xlsx") as book:
        assert b"<f>" not in book.read("xl/worksheets/sheet1.xml")


def test_sequences_are_written_as_text_and_numbers_as_numbers(tmp_path):
    frame = pl.DataFrame({"x": [1, None, 3], "path": [["a", "b"], [], ["b"]], "ok": [True, False, None]})
    schema = Schema(
        [Attribute("x", Numeric()), Attribute("path", Sequence(("a", "b"))), Attribute("ok", Nominal([False, True]))]
    )
    dc.write(Microdata(frame, schema), tmp_path / "a.xlsx")
    table, _ = read_table(tmp_path / "a.xlsx")
    assert table.column("x").to_pylist() == [1, None, 3]
    assert table.column("path").to_pylist()[0] == "a b"
    assert table.column("ok").to_pylist() == [True, False, None]


def test_a_sheet_is_chosen_by_name(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
        for name in ("first", "second"):
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, ["x"])
            sheet.write_column(1, 0, [1.5, 2.5] if name == "first" else [7, 8, 9])
    assert read_table(tmp_path / "a.xlsx")[0].num_rows == 2
    assert read_table(tmp_path / "a.xlsx", sheet="second")[0].column("x").to_pylist() == [7, 8, 9]
    with pytest.raises(FileError, match="no sheet named 'third'"):
        read_table(tmp_path / "a.xlsx", sheet="third")


def test_a_sheet_without_names_or_records_is_refused(tmp_path):
    for rows, error in (([], FileError), ([["x", "y"]], FileError), ([["x", None], [1, 2]], SchemaError)):
        with xlsxwriter.Workbook(tmp_path / "a.xlsx") as book:
            sheet = book.add_worksheet()
            for place, row in enumerate(rows):
                sheet.write_row(place, 0, row)
        with pytest.raises(error):
            read_table(tmp_path / "a.xlsx")


def test_a_table_that_is_too_long_for_a_sheet_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(excel, "_MOST_ROWS", 2)
    data = Microdata(pl.DataFrame({"x": [1.5, 2.5, 3.5]}), Schema([Attribute("x", Numeric())]))
    with pytest.raises(FileError, match="room for 2 records; the table has 3"):
        dc.write(data, tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []


def written(path, part):
    with zipfile.ZipFile(path) as book:
        return book.read(part).decode()


def texts_of(path, sheet):
    """Return the cells of a sheet as texts, its first row, too."""
    return fastexcel.read_excel(path).load_sheet(sheet, header_row=None, dtypes="string").to_polars().rows()


def test_days_and_times_are_shown_as_what_they_are_and_the_file_bears_no_time(tmp_path):
    times = [dt.datetime.fromisoformat(text) for text in ("2020-01-02T12:00", "2021-01-01")]
    frame = pl.DataFrame({"day": [times[0].date(), None], "time": times})
    frame.write_parquet(tmp_path / "a.parquet")
    dc.write(dc.read(tmp_path / "a.parquet"), tmp_path / "a.xlsx")
    styles = re.findall(r'formatCode="([^"]*)"', written(tmp_path / "a.xlsx", "xl/styles.xml"))
    sheet = written(tmp_path / "a.xlsx", "xl/worksheets/sheet1.xml")
    shown = re.findall(r'<c r="(..)" s="(\d)"><v>([^<]*)<', sheet)
    assert [(cell, styles[int(style) - 1], value) for cell, style, value in shown] == [
        ("A2", "yyyy-mm-dd", "43832"), ("B2", "yyyy-mm-dd hh:mm:ss", "43832.5"), ("B3", "yyyy-mm-dd hh:mm:ss", "44197"),
    ]  # fmt: skip
    assert 'ySplit="1" topLeftCell="A2"' in sheet, "names stay in sight"
    told = written(tmp_path / "a.xlsx", "docProps/core.xml")
    assert set(re.findall(r">([^<]*)</dcterms", told)) == {"2000-01-01T00:00:00Z"}


def test_a_record_without_values_is_one_and_looks_like_others_without_the_first(tmp_path):
    frame = pl.DataFrame({"x": [1.5, None, None, None], "y": ["a", None, "b", None]})
    data = Microdata(frame, Schema([Attribute("x", Numeric()), Attribute("y", Nominal(["a", "b"]))]))
    dc.write(data, tmp_path / "a.xlsx")
    sheet = written(tmp_path / "a.xlsx", "xl/worksheets/sheet1.xml")
    assert re.findall(r'<c r="(\w+)"', sheet) == ["A1", "B1", "A2", "B2", "A3", "A4", "B4", "A5"]
    table, origin = read_table(tmp_path / "a.xlsx")
    assert (table.num_rows, table.column("y").to_pylist()) == (4, ["a", None, "b", None])
    assert origin == {"format": "xlsx", "path": str(tmp_path / "a.xlsx")}
    dc.write(Microdata(frame.head(1), data.schema), tmp_path / "b.xlsx")
    assert re.findall(r'<c r="(\w+)"', written(tmp_path / "b.xlsx", "xl/worksheets/sheet1.xml")) == [
        "A1",
        "B1",
        "A2",
        "B2",
    ]


def test_labels_have_a_sheet_of_their_own(tmp_path):
    data = Microdata(pl.DataFrame({"x": [1, 2]}), Schema([Attribute("x", Nominal([1, 2]))]))
    dc.write(data, tmp_path / "a.xlsx")
    assert fastexcel.read_excel(tmp_path / "a.xlsx").sheet_names == ["data"]
    labels = Labels(variables={"x": "size", "gone": "no more"}, values={"x": {1: "=one", 2: "two"}, "gone": {3: "t"}})
    excel.write_excel(Microdata(data.to_native(), data.schema, origin={"labels": labels}), tmp_path / "a.xlsx")
    assert fastexcel.read_excel(tmp_path / "a.xlsx").sheet_names == ["data", "labels"]
    assert texts_of(tmp_path / "a.xlsx", "labels") == [
        ("column", "code", "label"), ("x", "", "size"), ("x", "1", "=one"), ("x", "2", "two"),
    ]  # fmt: skip
    assert texts_of(tmp_path / "a.xlsx", "data") == [("x",), ("1",), ("2",)]
    with pytest.raises(FileError, match="also an input"):
        excel.write_excel(data, tmp_path / "a.xlsx", (tmp_path / "a.xlsx",))


def sheet_of(path, *rows):
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for place, row in enumerate(rows):
            sheet.write_row(place, 0, row)
    return path


@pytest.mark.parametrize(
    ("values", "read"),
    [
        ([1.0, 2.0], [1, 2]), ([1.5, 2.0], [1.5, 2.0]), ([1.0, None, 3.0], [1, None, 3]),
        ([2.0**53, 1], [2.0**53, 1.0]),
        ([2.0**53 - 1, 1], [2**53 - 1, 1]), ([-(2.0**53), 1], [-(2.0**53), 1.0]), (["a", ""], ["a", None]),
        ([True, False], [True, False]),
    ],
)  # fmt: skip
def test_whole_numbers_are_whole_where_nothing_is_lost(tmp_path, values, read):
    path = sheet_of(tmp_path / "a.xlsx", ["x", "y"], *([value, "k"] for value in values))
    found = read_table(path)[0].column("x").to_pylist()
    assert (found, list(map(type, found))) == (read, list(map(type, read)))


def test_names_of_a_sheet(tmp_path):
    path = sheet_of(tmp_path / "a.xlsx", [5, "a"], [6, "b"], [7, "a"])
    with pytest.raises(FileError, match="looks like a record"):
        read_table(path)
    bare, _ = read_table(path, header=False)
    assert bare.to_pydict() == {"column_1": [5, 6, 7], "column_2": ["a", "b", "a"]}
    assert read_table(path, header=True)[0].to_pydict() == {"5": [6, 7], "a": ["b", "a"]}
    assert read_table(path, names=["5", "a", "c"])[0].column_names == ["5", "a"]
    with pytest.raises(FileError, match="looks like a record"):
        read_table(path, names=["5"])
    path = sheet_of(tmp_path / "b.xlsx", ["column_1", "column_2"], [6, "b"])
    for header in (None, False, True):
        assert read_table(path, header=header)[0].to_pydict() == {"column_1": [6], "column_2": ["b"]}
    path = sheet_of(tmp_path / "c.xlsx", ["x", " ", "y"], [6, "b", 1])
    with pytest.raises(SchemaError, match="Column 2 of .* has no name"):
        read_table(path)
    with pytest.raises(FileError, match="not an Excel workbook that can be read"):
        excel.read_excel(_other(tmp_path / "d.xlsx"))


def _other(path):
    path.write_bytes(b"no workbook")
    return path
