"""``discreet renumber`` on files that belong together."""

from __future__ import annotations

import contextlib
import io
import json

import polars as pl
import pytest

from discreet.cli import main


def discreet(*arguments, cwd):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code([str(argument) for argument in arguments])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture
def folder(tmp_path):
    pl.DataFrame({"HID": ["h-a", "h-b", "h-c"], "RENT": [10.5, 20.5, 30.5]}).write_csv(tmp_path / "homes.csv")
    pl.DataFrame({"AGE": [1, 2, 3, 4], "HOME": ["h-b", "h-b", "h-c", "h-a"]}).write_csv(tmp_path / "people.csv")
    return tmp_path


def test_files_stay_joined_and_nothing_else_changes(folder):
    command = ("renumber", "homes.csv", "people.csv", "--on", "HID", "--on", "HOME", "-o", "out", "--seed", 3)
    code, shown, _ = discreet(*command, cwd=folder)
    assert code == 0
    assert "out/people.csv" in shown
    homes, people = pl.read_csv(folder / "out" / "homes.csv"), pl.read_csv(folder / "out" / "people.csv")
    joined = people.join(homes, left_on="HOME", right_on="HID", maintain_order="left")
    assert joined["RENT"].to_list() == [20.5, 20.5, 30.5, 10.5]
    assert sorted(homes["HID"]) == [1, 2, 3]
    assert people["AGE"].to_list() == [1, 2, 3, 4]
    first = (folder / "out" / "homes.csv").read_bytes()
    code, shown, _ = discreet(*command, "--json", cwd=folder)
    assert code == 0
    assert set(json.loads(shown)["files"]) == {"homes.csv", "people.csv"}
    assert (folder / "out" / "homes.csv").read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("homes.csv", "people.csv", "--on", "HID", "-o", "out"), "no attribute named 'HID'"),
        (("homes.csv", "--on", "a", "--on", "b", "-o", "out"), "name one column for all files"),
        (("homes.csv", "homes.csv", "--on", "HID", "-o", "out"), "the same name"),
        (("homes.csv", "--on", "HID", "-o", "."), "also an input"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(folder, arguments, message):
    before = (folder / "homes.csv").read_bytes()
    code, _, shown = discreet("renumber", *arguments, cwd=folder)
    assert code == 2
    assert message in shown.replace("\n", " ")
    assert (folder / "homes.csv").read_bytes() == before
    assert not (folder / "out").exists()


def test_other_identifiers_that_stay_in_the_copies_are_remarked_on(folder):
    names = [f"Ada Nr {i}" for i in range(20)]
    pl.DataFrame({"HOME": ["h-a", "h-b"] * 10, "passport": names}).write_csv(folder / "named.csv")
    command = ("renumber", "homes.csv", "named.csv", "--on", "HID", "--on", "HOME", "-o", "out")
    code, _, shown = discreet(*command, cwd=folder)
    assert code == 0
    assert "named.csv: The release still has 1 column that looks like identifiers: passport" in " ".join(shown.split())
    assert "Ada" not in shown
    told = json.loads(discreet(*command, "--json", cwd=folder)[1])
    assert [remark["code"] for remark in told["advice"]] == ["identifiers-present"]
    assert discreet(*command, "--quiet", cwd=folder)[2] == ""
