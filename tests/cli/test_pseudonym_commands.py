"""``discreet key`` and ``discreet reveal``: a key is made once, and only who holds it finds the way back."""

from __future__ import annotations

import contextlib
import io
import json
import stat

import pytest

from discreet.cli import main

NAMES = ["anna", "bert", "cleo", "dora", "emil", "fritz"]


def discreet(folder, *arguments):
    """Return the exit code, and what is said to readers and beside."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code(list(arguments))
    return code, " ".join(out.getvalue().split()), " ".join(err.getvalue().split())


@pytest.fixture
def folder(tmp_path):
    rows = ["patient,age", *(f"{name},{20 + i}" for i, name in enumerate(NAMES))]
    (tmp_path / "data.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert discreet(tmp_path, "key", "new", "register.key", "-q") == (0, "", "")
    code, _, err = discreet(
        tmp_path, "protect", "data.csv", "--method", "pseudonyms", "--set", "key=register.key", "--set",
        "reversible=true", "--set", "exchange=patient", "--identifiers", "patient", "-o", "out.csv", "-q",
    )  # fmt: skip
    assert code == 0, err
    return tmp_path


def revealed(folder, *options):
    return discreet(folder, "reveal", "out.csv", "--column", "patient", *options)


def column(path):
    return [line.split(",")[0] for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def test_a_key_is_for_its_owner_alone_and_never_written_over(tmp_path):
    code, out, err = discreet(tmp_path, "key", "new", "a.key")
    assert (code, out, err) == (0, "Written to a.key, for you alone to read.", "")
    assert stat.S_IMODE((tmp_path / "a.key").stat().st_mode) & 0o077 == 0
    before = (tmp_path / "a.key").read_bytes()
    code, out, err = discreet(tmp_path, "key", "new", "a.key")
    assert (code, out) == (2, "")
    assert err
    assert (tmp_path / "a.key").read_bytes() == before
    code, out, _ = discreet(tmp_path, "key", "new", "b.key", "--json")
    assert (code, json.loads(out)) == (0, {"key": "b.key"})
    assert (tmp_path / "b.key").read_bytes() != before
    assert discreet(tmp_path, "key", "old", "c.key")[0] == 2


def test_who_holds_the_key_finds_the_way_back(folder):
    assert not set(NAMES) & set(column(folder / "out.csv"))
    code, out, err = revealed(folder, "--key", "register.key", "-o", "who.csv")
    assert (code, out, err) == (0, "6 records written to who.csv; they name people.", "")
    assert sorted(column(folder / "who.csv")) == NAMES
    code, out, _ = revealed(folder, "--key", "register.key", "-o", "again.csv", "--json")
    assert (code, json.loads(out)) == (0, {"file": "again.csv", "records": 6})
    assert revealed(folder, "--key", "register.key", "-o", "quiet.csv", "-q") == (0, "", "")
    assert revealed(folder, "--key", "register.key", "--domain", "patient", "-o", "same.csv", "-q")[0] == 0
    assert (folder / "same.csv").read_bytes() == (folder / "who.csv").read_bytes()


def test_another_key_or_domain_finds_nobody(folder):
    discreet(folder, "key", "new", "other.key", "-q")
    for options in (("--key", "other.key"), ("--key", "register.key", "--domain", "elsewhere")):
        code, out, err = revealed(folder, *options, "-o", "who.csv")
        assert (code, out) == (2, "")
        assert err
        assert not any(name in err for name in NAMES)
        assert not (folder / "who.csv").exists()


@pytest.mark.parametrize("output", ["out.csv", "register.key"])
def test_inputs_are_never_written_over(folder, output):
    before = (folder / output).read_bytes()
    assert revealed(folder, "--key", "register.key", "-o", output)[0] == 2
    assert (folder / output).read_bytes() == before
