"""``discreet papers`` as a user types it."""

from __future__ import annotations

import json
from types import SimpleNamespace as Namespace

import pytest
from tests.cli.test_cli import discreet, refused

from discreet.cli import console, papers_command
from discreet.reproduction.subjects import sorted_example


def test_a_named_paper_is_shown_in_full_and_written(tmp_path):
    run = discreet("papers", "p0", "--html", "papers.html", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    for words in ("Table 2", "I(coldest)", "[7/8, 8/8]", "Table 3", "misprint of [4/8, 5/8]", "0.144", "papers.html"):
        assert words in run.stdout, words
    assert (tmp_path / "papers.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_wide_tables_are_cut_to_fit(tmp_path):
    run = discreet("papers", "p3", cwd=tmp_path)
    assert run.returncode == 0
    assert max(map(len, run.stdout.splitlines())) <= 100
    assert "0.5253" in run.stdout
    assert "0.7629" in run.stdout


def test_json_for_machines(tmp_path):
    run = discreet("papers", "p0", "p1c", "--json", cwd=tmp_path)
    found = json.loads(run.stdout)
    assert [paper["paper"] for paper in found["papers"]] == ["p0", "p1c"]
    assert found["failed"] is False
    cell = found["papers"][0]["tables"][0]["cells"][0]
    assert cell == {
        "row": "I(coldest)", "column": "interval", "printed": "[7/8, 8/8]", "ours": "[7/8, 8/8]", "verdict": "exact",
        "note": "centre 0.9375", "should_be_exact": True,
    }  # fmt: skip


def test_a_figure_that_should_be_exact_and_is_not_ends_with_1(tmp_path, monkeypatch):
    broken = [[*record[:3], "coldest"] if i == 4 else record for i, record in enumerate(sorted_example.RECORDS)]
    monkeypatch.setattr(sorted_example, "RECORDS", broken)
    run = discreet("papers", "p0", cwd=tmp_path)
    assert run.returncode == 1
    assert "Should be exact: P0, Table 3, 5: 84 cold, Degree': printed coldest, ours cool" in run.stderr
    assert discreet("papers", "p0", "--json", cwd=tmp_path).returncode == 1


def test_absent_files_are_no_failure(tmp_path):
    run = discreet("papers", "p1d", "--data", tmp_path, "--json", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    reasons = {
        cell.get("reason", "") for table in json.loads(run.stdout)["papers"][0]["tables"] for cell in table["cells"]
    }
    assert "needs file uci/abalone.csv from https://archive.ics.uci.edu/dataset/1/abalone" in reasons


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("p9",), "'p9' is no paper"), (("p0", "--html", "no/such/folder/p.html"), "folder")],
)
def test_bad_input_is_refused(tmp_path, arguments, message):
    refused(discreet("papers", *arguments, cwd=tmp_path), message)


def cell(printed="", ours="", gap="", verdict="differs", *, agrees=False, failed=False):
    return Namespace(printed=printed, ours=ours, gap=gap, verdict=verdict, agrees=agrees, failed=failed)


def test_a_cell_is_one_line_where_it_is_exact_and_else_says_how_far_apart():
    assert papers_command._lines(None).plain == ""
    assert papers_command._lines(cell("1.0", "1.00", verdict="exact", agrees=True)).plain == "1.00"
    assert papers_command._lines(cell("1.0", "1.5", "+0.5")).plain == "1.0\n1.5\n+0.5"
    assert papers_command._lines(cell("1.0", verdict="not run")).plain == "1.0\nnot run"
    assert papers_command._lines(cell("", "1.5", verdict="ours")).plain == "1.5"


@pytest.mark.parametrize(
    ("width", "parts"), [(5, [1, 1, 1]), (20, [1, 1, 1]), (21, [2, 1]), (27, [2, 1]), (28, [3]), (99, [3])]
)
def test_columns_are_cut_where_no_more_fit(monkeypatch, width, parts):
    """Six beside the label, and each column its longest word, four at least, and three."""
    monkeypatch.setattr(console.out, "_width", width)
    rows = [Namespace(label="r", cells=[cell("12", "13"), cell("1", "2"), None])]
    one = Namespace(columns=["a", "b c", "dddd"], rows=rows, data="")
    assert [len(part) for part in papers_command._parts(one)] == parts


@pytest.mark.parametrize(
    ("verdict", "words"),
    [("sampling", "within sampling error"), ("otherwise", "by another procedure"), ("ours", "not comparable"),
     ("defined", "as defined"), ("built", "as built"), ("exact", "exact"), ("not run", "not run")],
)  # fmt: skip
def test_verdicts_in_words(verdict, words):
    assert papers_command._said(cell(verdict=verdict)) == words


def test_data_that_stand_in_are_named_so():
    assert papers_command._short("census, a stand-in of 1080") == "census, stand-in"
    assert papers_command._short("census, 1080 records") == "census, 1080 records"
