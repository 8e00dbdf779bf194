"""``discreet methods`` and ``discreet datasets``: what is listed, shown, written and refused."""

from __future__ import annotations

import contextlib
import io
import json

import pytest

import discreet as dc
from discreet import workflow
from discreet.cli import main


def discreet(folder, *arguments):
    """Return the exit code, and what is said to readers and beside."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code(list(arguments))
    return code, out.getvalue(), err.getvalue()


def test_every_method_is_listed_by_kind(tmp_path):
    code, out, err = discreet(tmp_path, "methods")
    assert (code, err) == (0, "")
    described = workflow.kept_methods(None)
    assert {"maskers", "linkers", "measures"} <= set(described)
    for contract, entries in described.items():
        assert contract in out
        assert all(key in out for key in entries if len(key) < 12)
    assert out.split()[0] == next(iter(described))  # the kind is the title, and a row is a name
    assert "operators" not in described
    assert json.loads(discreet(tmp_path, "methods", "--json")[1]) == described


def test_operators_are_listed_in_their_place(tmp_path):
    code, out, err = discreet(tmp_path, "methods", "--operators", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"operators": workflow.kept_operators()}
    # The list is of all of them, whatever is named beside.
    assert discreet(tmp_path, "methods", "mdav", "--operators", "--json")[1] == out
    listed = discreet(tmp_path, "methods", "--operators")[1]
    assert "what it does" in listed
    assert "median" in listed


def test_one_method_is_shown_with_its_parameters(tmp_path):
    code, out, err = discreet(tmp_path, "methods", "mdav")
    assert (code, err) == (0, "")
    (entry,) = workflow.kept_methods("mdav")["maskers"].values()
    assert "mdav (masker)" in out
    assert "may be" in out
    first = {words[0] for line in out.splitlines() if (words := line.replace("│", " ").split())}
    assert set(entry["parameters"]) <= first
    assert "What it brings together: " in out
    assert entry["needs"].split()[0] in out
    told = json.loads(discreet(tmp_path, "methods", "mdav", "--json")[1])
    assert told == {"maskers": {"mdav": entry}}


def test_what_has_no_needs_says_nothing_of_them(tmp_path):
    code, out, _ = discreet(tmp_path, "methods", "owa")
    assert code == 0
    assert "(operator)" in out
    assert "What it brings together" not in out


def test_a_method_that_there_is_none_of_is_refused(tmp_path):
    code, out, err = discreet(tmp_path, "methods", "mdva")
    assert (code, out) == (2, "")
    assert "mdav" in err


def test_data_sets_are_listed(tmp_path):
    code, out, err = discreet(tmp_path, "datasets")
    assert (code, err) == (0, "")
    listed = workflow.list_datasets()
    assert all(key in out for key in listed)
    assert json.loads(discreet(tmp_path, "datasets", "--json")[1]) == listed


def test_a_data_set_is_written_with_its_schema(tmp_path):
    code, out, err = discreet(tmp_path, "datasets", "housing", "--n", "30", "--seed", "4", "-o", "h.csv")
    assert (code, err) == (0, "")
    assert " ".join(out.split()) == "Written to h.csv, its schema to h.toml."
    table = dc.read(tmp_path / "h.csv", tmp_path / "h.toml")
    assert table.to_polars().equals(dc.datasets.housing(30, 4).to_polars())
    code, out, _ = discreet(tmp_path, "datasets", "housing", "--n", "30", "-o", "z.csv", "--json")
    assert json.loads(out) == {"data": "z.csv", "schema": "z.toml", "n_records": 30, "seed": 0}
    assert (tmp_path / "z.csv").read_bytes() != (tmp_path / "h.csv").read_bytes()
    assert discreet(tmp_path, "datasets", "housing", "--n", "2", "-o", "q.csv", "-q") == (0, "", "")
    assert len(dc.read(tmp_path / "q.csv")) == 2
    assert discreet(tmp_path, "datasets", "housing", "-o", "d.csv", "-q")[0] == 0
    assert len(dc.read(tmp_path / "d.csv")) == 1000


@pytest.mark.parametrize("there", ["h.csv", "h.toml"])
def test_neither_the_data_nor_the_schema_is_written_over(tmp_path, there):
    (tmp_path / there).write_text("mine", encoding="utf-8")
    code, out, err = discreet(tmp_path, "datasets", "housing", "--n", "30", "-o", "h.csv")
    assert (code, out) == (2, "")
    assert "--force" in err
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["mine"]
    assert discreet(tmp_path, "datasets", "housing", "--n", "30", "-o", "h.csv", "--force", "-q")[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["h.csv", "h.toml"]


@pytest.mark.parametrize(("arguments", "words"), [
    (("housing",), "discreet datasets housing -o housing.csv"), (("mansions", "-o", "m.csv"), "housing"),
    (("housing", "--n", "0", "-o", "h.csv"), "--n"), (("housing", "--seed", "-1", "-o", "h.csv"), "--seed"),
])  # fmt: skip
def test_what_cannot_be_written_is_said(tmp_path, arguments, words):
    code, out, err = discreet(tmp_path, "datasets", *arguments)
    assert code == 2
    assert words in out + err
    assert list(tmp_path.iterdir()) == []
