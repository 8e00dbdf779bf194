"""``discreet papers`` as a user types it."""

from __future__ import annotations

import json

import pytest
from tests.cli.test_cli import discreet, refused

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
