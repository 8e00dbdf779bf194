"""``discreet import``: what is written of another tool's file, said, and refused."""

from __future__ import annotations

import contextlib
import io
import json

import pytest

from discreet import workflow
from discreet.cli import main
from discreet.release.protocol import Protocol

SCRIPT = """
dat <- read.csv("people.csv")
sdc <- createSdcObj(dat, keyVars = c("age", "sex"), numVars = c("wage"))
sdc <- localSuppression(sdc, k = 3)
sdc <- ghostwrite(sdc)
"""


@pytest.fixture
def folder(tmp_path):
    rows = ["age,sex,wage", *(f"{20 + i % 5},{'fm'[i % 2]},{1000 + i}" for i in range(20))]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "other.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "mask.R").write_text(SCRIPT, encoding="utf-8")
    return tmp_path


def discreet(folder, *arguments):
    """Return the exit code, and what is said to readers and beside."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code(["import", *arguments])
    return code, " ".join(out.getvalue().split()), " ".join(err.getvalue().split())


def test_a_script_becomes_a_protocol(folder):
    code, out, err = discreet(folder, "mask.R")
    assert code == 0, err
    assert out.startswith("Written to protocol.toml, from sdcMicro: ")
    assert out.endswith("Look at every role and step, then: discreet run protocol.toml")
    protocol = Protocol.load(folder / "protocol.toml")
    assert [step.method for step in protocol.steps] != []
    assert protocol.steps[0].method in out
    # What was not taken over is counted and listed.
    assert "Not taken over (1, listed at the end of the protocol too):" in err
    assert "ghostwrite" in err
    assert "ghostwrite" in (folder / "protocol.toml").read_text(encoding="utf-8")


def test_machines_are_told_in_json_and_nobody_where_it_is_quiet(folder):
    code, out, err = discreet(folder, "mask.R", "-o", "p.toml", "--data", "other.csv", "--json")
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert (told["protocol"], told["tool"], told["files"]) == ("p.toml", "sdcMicro", [])
    assert told["steps"] == [step.to_dict() for step in Protocol.load(folder / "p.toml").steps]
    assert [set(one) for one in told["not_taken_over"]] == [{"where", "what", "why"}]
    assert "other.csv" in (folder / "p.toml").read_text(encoding="utf-8")
    assert discreet(folder, "mask.R", "-o", "q.toml", "-q") == (0, "", "")


def test_a_script_without_remarks_says_nothing_beside(folder):
    (folder / "mask.R").write_text(SCRIPT.replace("sdc <- ghostwrite(sdc)\n", ""), encoding="utf-8")
    code, out, err = discreet(folder, "mask.R")
    assert (code, err) == (0, "")
    assert "Beside it" not in out


def test_a_column_that_is_named_twice_is_one(folder):
    twice = SCRIPT.replace('c("age", "sex")', 'c("age", "sex", "age")')
    (folder / "mask.R").write_text(twice, encoding="utf-8")
    assert discreet(folder, "mask.R", "-q") == (0, "", "")
    (step,) = Protocol.load(folder / "protocol.toml").steps
    assert step.parameters["attributes"] == ["age", "sex"]


def test_what_it_brings_along_is_written_beside(folder, monkeypatch):
    read = workflow.import_protocol

    def with_files(*given, **named):
        imported = read(*given, **named)
        imported.files.update({"tree.csv": b"f;*\nm;*\n"})
        return imported

    monkeypatch.setattr(workflow, "import_protocol", with_files)
    code, out, _ = discreet(folder, "mask.R", "-o", "p.toml")
    assert code == 0
    assert "Beside it: tree.csv" in out
    assert (folder / "tree.csv").read_bytes() == b"f;*\nm;*\n"
    code, _, err = discreet(folder, "mask.R", "-o", "q.toml")
    assert code == 2  # what lies beside is not written over either
    assert "--force" in err
    code, out, _ = discreet(folder, "mask.R", "-o", "q.toml", "--force", "--json")
    assert json.loads(out)["files"] == ["tree.csv"]


def test_nothing_is_written_over(folder):
    (folder / "protocol.toml").write_text("mine", encoding="utf-8")
    code, _, err = discreet(folder, "mask.R")
    assert code == 2
    assert "--force" in err
    assert (folder / "protocol.toml").read_text(encoding="utf-8") == "mine"
    assert discreet(folder, "mask.R", "--force", "-q")[0] == 0
    for inputs in ("mask.R", "other.csv"):
        before = (folder / inputs).read_bytes()
        assert discreet(folder, "mask.R", "--data", "other.csv", "-o", inputs, "--force")[0] == 2
        assert (folder / inputs).read_bytes() == before


def test_a_recoding_is_of_the_column_that_it_names(folder):
    (folder / "age.grc").write_text("1: 20-21\n2: 22-24\n", encoding="utf-8")
    code, out, err = discreet(folder, "age.grc", "--data", "people.csv", "-o", "age.toml", "--json")
    assert code == 0, err
    assert "age" in json.dumps(json.loads(out)["steps"])
    code, out, err = discreet(
        folder, "age.grc", "--data", "people.csv", "--attribute", "wage", "-o", "wage.toml", "--json"
    )
    assert code == 0, err
    assert "wage" in json.dumps(json.loads(out)["steps"])


@pytest.mark.parametrize("name", ["none.R", "people.csv"])
def test_what_is_no_such_file_is_refused(folder, name):
    code, _, err = discreet(folder, name)
    assert code == 2
    assert err
    assert not (folder / "protocol.toml").exists()
