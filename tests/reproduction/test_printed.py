"""Cells, tables, sections and comparisons: what they say of themselves, in full."""

from __future__ import annotations

import pytest

from discreet.reproduction.papers_page import _hint
from discreet.reproduction.printed import SAID, Cell, PaperComparison, Row, Section, Table


@pytest.mark.parametrize(
    ("cell", "gap"),
    [
        (Cell("1", "1", "exact", 0.25), ""),
        (Cell("1", "1", "defined", 0.25, z=2.0), ""),
        (Cell("1", "", "not run", 0.25), ""),
        (Cell("1", "2", "differs", 1.0, z=2.46), "z +2.5"),
        (Cell("1", "2", "differs", 1.23456), "+1.235"),
        (Cell("3", "1", "ours", -2.0), "-2"),
        (Cell("", "1", "ours", -2.0), ""),
        (Cell("many", "few", "differs"), ""),
    ],
)
def test_how_far_ours_is_from_what_is_printed(cell, gap):
    assert cell.gap == gap


@pytest.mark.parametrize(
    ("verdict", "agrees"),
    [("exact", True), ("defined", True), ("built", True), ("sampling", False), ("differs", False), ("not run", False)],
)
def test_what_should_be_exact_and_is_not_has_failed(verdict, agrees):
    required = Cell("1", "2", verdict, required=True)
    assert required.agrees is agrees
    assert required.failed is (not agrees and verdict != "not run")
    assert not Cell("1", "2", verdict).failed


def test_a_cell_as_json_values_leaves_out_what_is_empty():
    assert Cell("1", "2", "differs").to_dict() == {
        "printed": "1", "ours": "2", "verdict": "differs", "should_be_exact": False,
    }  # fmt: skip
    full = Cell("1", "2", "differs", 0.0, 0.5, float("inf"), "why", "of what", required=True)
    assert full.to_dict() == {
        "printed": "1", "ours": "2", "verdict": "differs", "difference": 0.0, "standard_error": 0.5, "reason": "why",
        "note": "of what", "should_be_exact": True,
    }  # fmt: skip


GOOD, BAD = Cell("1", "1", "exact", required=True), Cell("1", "2", "differs", reason="why", required=True)
TABLE = Table("Table 1", "One", ("x", ""), (Row("r", (GOOD, BAD)), Row("", (BAD, None))), "corner", "note", "data")


def test_cells_that_are_printed_stand_by_row_and_column():
    assert TABLE.cells == (("r", "x", GOOD), ("r", "", BAD), ("", "x", BAD))
    assert TABLE.reasons == [("why", "r; x")]
    assert (TABLE.count("exact"), TABLE.count("differs"), TABLE.count("ours")) == (1, 2, 0)
    assert TABLE.failed
    told = TABLE.to_dict()
    assert {name: told[name] for name in ("name", "title", "data", "note")} == {
        "name": "Table 1", "title": "One", "data": "data", "note": "note",
    }  # fmt: skip
    assert told["cells"][1] == {"row": "r", "column": "", **BAD.to_dict()}
    six = Table("T", "t", tuple("abcdef"), (Row("r", (BAD,) * 6),))
    assert six.reasons == [("why", "r / a; r / b; r / c; r / d; r / e; r / f")]


def test_sections_and_comparisons_as_json_values():
    fine = Section("p1b", "A paper", "Somebody", (Table("T", "t", ("x",), (Row("r", (GOOD,)),)),), note="so")
    broken = Section("p2", "Another", "Else", (TABLE, TABLE))
    assert (fine.name, fine.failed, broken.failed, broken.count("differs")) == ("P1b", False, True, 4)
    assert {name: value for name, value in fine.to_dict().items() if name != "tables"} == {
        "paper": "p1b", "title": "A paper", "reference": "Somebody", "note": "so", "failed": False,
    }  # fmt: skip
    assert len(broken.to_dict()["tables"]) == 2
    whole = PaperComparison((fine, broken), full=True, seconds=2.5)
    told = whole.to_dict()
    assert (told["full"], told["failed"], told["seconds"]) == (True, True, 2.5)
    assert [paper["paper"] for paper in told["papers"]] == ["p1b", "p2"]
    assert len(list(whole.failures)) == 4
    assert (whole.count("exact"), whole.count("differs")) == (3, 4)


@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        (Cell("1", "1", "exact"), SAID["exact"]),
        (Cell("1", "2", "differs", 1.0, z=2.456, reason="why", note="of what"),
         f"{SAID['differs']}, difference +1, z +2.46. why. of what"),
        (Cell("", "2", "ours", 1.0, note="of what"), f"{SAID['ours']}. of what"),
    ],
)  # fmt: skip
def test_what_the_page_says_of_a_cell(cell, hint):
    assert _hint(cell) == hint
