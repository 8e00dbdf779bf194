"""``discreet hierarchy``: what is built, written, said and refused."""

from __future__ import annotations

import contextlib
import io
import json

import pytest

from discreet.cli import main


@pytest.fixture
def folder(tmp_path):
    rows = ["age,job,sector", *(f"{20 + i},{'abcd'[i % 4]}{i % 2},{'xy'[i % 2]}" for i in range(24))]
    (tmp_path / "data.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def discreet(folder, *arguments):
    """Return the exit code, and what is said to readers and beside."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code(["hierarchy", *arguments])
    return code, " ".join(out.getvalue().split()), " ".join(err.getvalue().split())


def test_ages_by_fives_and_tens(folder):
    code, out, err = discreet(folder, "data.csv", "age", "--steps", "5; 10", "-o", "age.csv", "--numeric", "age")
    assert code == 0, err
    assert out == "age: 25 → 5 → 3 → 1 names. Written to age.csv."
    rows = [line.split(";") for line in (folder / "age.csv").read_text(encoding="utf-8").splitlines()]
    # All numbers of the bands, whether somebody has them or not: nothing is told of who is in the file.
    assert [row[0] for row in rows] == [str(age) for age in range(20, 45)]
    assert [len({row[step] for row in rows}) for step in range(4)] == [25, 5, 3, 1]
    assert err == ""


def test_a_file_that_lists_values_is_said_to(folder):
    code, out, err = discreet(folder, "data.csv", "job", "--by", "prefix", "--steps", "1", "-o", "job.csv")
    assert code == 0
    assert out == "job: 4 → 4 → 1 names. Written to job.csv."
    assert err == "The file lists which values the column has: keep it with the data, not with the release."
    code, out, err = discreet(folder, "data.csv", "job", "--by", "prefix", "--steps", "1", "-o", "b.csv", "--json")
    assert json.loads(out) == {"column": "job", "file": "b.csv", "leaves": 4, "steps": 2, "lists_values": True}
    assert (code, err) == (0, "")


def test_machines_are_told_in_json_and_nobody_where_it_is_quiet(folder):
    arguments = ("data.csv", "age", "--steps", "5; 10", "--numeric", "age")
    code, out, err = discreet(folder, *arguments, "-o", "age.csv", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"column": "age", "file": "age.csv", "leaves": 25, "steps": 3, "lists_values": False}
    assert discreet(folder, *arguments, "-o", "again.csv", "-q") == (0, "", "")
    assert (folder / "again.csv").read_bytes() == (folder / "age.csv").read_bytes()


def test_a_recode_file_holds_one_step(folder):
    def written(step):
        arguments = ("data.csv", "job", "--by", "prefix", "--steps", "1", "-o", f"job{step}.grc", "--step", step, "-q")
        return discreet(folder, *arguments)[0]

    assert [written(step) for step in "123"] == [0, 0, 2]
    names = [
        line.split(":")[0] for line in (folder / "job1.grc").read_text(encoding="utf-8").splitlines() if ":" in line
    ]
    assert len(set(names)) == 4
    assert (folder / "job1.grc").read_bytes() != (folder / "job2.grc").read_bytes()
    assert not (folder / "job3.grc").exists()
    assert discreet(folder, "data.csv", "job", "--by", "prefix", "--steps", "1", "-o", "first.grc", "-q")[0] == 0
    assert (folder / "first.grc").read_bytes() == (folder / "job1.grc").read_bytes()


def test_levels_are_compared_beside_other_columns(folder):
    arguments = (
        "data.csv",
        "job",
        "--by",
        "cooccurrence",
        "--steps",
        "2",
        "--beside",
        " sector , ,",
        "-o",
        "job.csv",
        "-q",
    )
    code, _, err = discreet(folder, *arguments)
    assert code == 0, err
    rows = [line.split(";") for line in (folder / "job.csv").read_text(encoding="utf-8").splitlines()]
    # Those of one sector are alike.
    groups = {}
    for row in rows:
        groups.setdefault(row[1], set()).add(row[0][-1])
    assert sorted(groups.values(), key=sorted) == [{"0"}, {"1"}]


def test_nothing_is_written_over(folder):
    (folder / "age.csv").write_text("mine", encoding="utf-8")
    arguments = ("data.csv", "age", "--steps", "5", "--numeric", "age", "-o")
    code, _, err = discreet(folder, *arguments, "age.csv")
    assert code == 2
    assert "--force" in err
    assert (folder / "age.csv").read_text(encoding="utf-8") == "mine"
    assert discreet(folder, *arguments, "age.csv", "--force", "-q")[0] == 0
    before = (folder / "data.csv").read_bytes()
    assert discreet(folder, *arguments, "data.csv", "--force")[0] == 2
    assert (folder / "data.csv").read_bytes() == before


@pytest.mark.parametrize(("arguments", "words"), [
    (("data.csv", "wage", "-o", "w.csv"), "The data have no column 'wage'."),
    (("data.csv", "age", "--steps", "5", "--numeric", "age", "-o", "age.grc", "--step", "0"), "--step"),
    (("data.csv", "job", "--by", "colour", "-o", "job.csv"), "colour"),
    (("none.csv", "age", "-o", "age.csv"), "none.csv"),
])  # fmt: skip
def test_what_cannot_be_built_is_said_and_leaves_no_file(folder, arguments, words):
    code, out, err = discreet(folder, *arguments)
    assert code == 2
    assert words in out + err
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv"]


def test_a_declaration_is_an_input_too(folder):
    schema = "[attributes.age]\nscale = 'numeric'\nrole = 'key'\n"
    (folder / "s.toml").write_text(schema, encoding="utf-8")
    code, _, err = discreet(folder, "data.csv", "age", "--steps", "5", "-s", "s.toml", "-o", "s.toml", "--force")
    assert code == 2
    assert (folder / "s.toml").read_text(encoding="utf-8") == schema, err
