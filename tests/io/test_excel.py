"""Excel workbooks: values as they are, and never a formula."""

from __future__ import annotations

import zipfile

import polars as pl
import pytest
import xlsxwriter

import discreet as dc
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
