"""Workbooks that would burst in memory, told by their archives: large but honest ones pass."""

from __future__ import annotations

import zipfile

import pytest

from discreet.errors import FileError
from discreet.io import workbooks
from discreet.io.workbooks import check_workbook


def workbook(path, sheets, **more):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, cells in enumerate(sheets):
            text = "".join(f'<c s="1" r="{address}" t="n"><v>1</v></c>' for address in cells)
            archive.writestr(f"xl/worksheets/sheet{place}.xml", f"<sheetData>{text}</sheetData>")
        for name, content in more.items():
            archive.writestr(name, content)
    return path


def test_one_stray_cell_in_the_last_corner_is_refused_with_its_counts(tmp_path):
    far = workbook(tmp_path / "far.xlsx", [["A1"], ["A1", "B2", "XFD1048576"]])
    # 16,384 columns of 1,048,576 rows.
    with pytest.raises(FileError, match=r"spans 17179869184 cells, of which 3 hold something\.") as error:
        check_workbook(far)
    assert "save the sheet as .csv" in str(error.value)


def test_a_rectangle_may_be_as_large_as_the_limit_or_filled_to_a_tenth(tmp_path, monkeypatch):
    monkeypatch.setattr(workbooks, "_CELLS", 20)
    check_workbook(workbook(tmp_path / "a.xlsx", [["A1", "D5"]]))  # 20 cells
    with pytest.raises(FileError, match="spans 24 cells, of which 2"):
        check_workbook(workbook(tmp_path / "b.xlsx", [["A1", "D6"]]))
    check_workbook(workbook(tmp_path / "c.xlsx", [["A1", "B1", "C2", "D10"]]))  # 4 of 40
    with pytest.raises(FileError, match="spans 44 cells, of which 4"):
        check_workbook(workbook(tmp_path / "d.xlsx", [["A1", "B1", "C2", "D11"]]))


def test_the_farthest_row_and_column_count_whichever_cell_they_are_of(tmp_path, monkeypatch):
    monkeypatch.setattr(workbooks, "_CELLS", 20)
    with pytest.raises(FileError, match="spans 270 cells, of which 2"):
        check_workbook(workbook(tmp_path / "a.xlsx", [["AA1", "A10"]]))  # 27 columns


def test_cells_are_counted_once_where_a_chunk_ends_inside_one(tmp_path, monkeypatch):
    monkeypatch.setattr(workbooks, "_CELLS", 0)
    cells = [f"A{row}" for row in range(1, 60)]
    for chunk in (1, 7, 40, 64):
        monkeypatch.setattr(workbooks, "_CHUNK", chunk)
        with pytest.raises(FileError, match="spans 1560 cells, of which 60"):
            check_workbook(workbook(tmp_path / "a.xlsx", [[*cells, "Z60"]]))


def test_a_bomb_is_refused_by_what_it_would_become(tmp_path, monkeypatch):
    monkeypatch.setattr(workbooks, "_LARGE", 2**20)
    packed = workbook(tmp_path / "a.xlsx", [["A1"]], **{"xl/sharedStrings.xml": b"0" * (3 * 2**20)})
    with pytest.raises(FileError, match=r"would expand from 0\.0 to 3\.0 MB"):
        check_workbook(packed)
    monkeypatch.setattr(workbooks, "_LARGE", 4 * 2**20)
    check_workbook(packed)  # so little is read whatever it was packed to


def test_what_is_no_archive_passes_and_a_broken_sheet_does_not(tmp_path):
    old = tmp_path / "old.xls"
    old.write_bytes(b"\xd0\xcf\x11\xe0 not a zip")
    check_workbook(old)
    check_workbook(tmp_path / "absent.xlsx")
    broken = workbook(tmp_path / "broken.xlsx", [[f"A{row}" for row in range(1, 900)]])
    content = bytearray(broken.read_bytes())
    content[80:120] = bytes(40)
    broken.write_bytes(bytes(content))
    with pytest.raises(FileError, match="is not an Excel workbook that can be read"):
        check_workbook(broken)
