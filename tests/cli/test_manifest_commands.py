"""``discreet verify``: the files of a release, and what its manifest says of them."""

from __future__ import annotations

import contextlib
import io
import json

import pytest

from discreet import workflow
from discreet.cli import main


def discreet(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code([str(argument) for argument in arguments])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture
def release(tmp_path):
    files = {"masked": tmp_path / "masked.csv", "external": tmp_path / "=e [bold].html"}
    for path in files.values():
        path.write_text("a\n1\n", encoding="utf-8")
    workflow.write_manifest(tmp_path / "manifest.json", files)
    return tmp_path


@pytest.mark.parametrize("named", ["manifest.json", ""])
def test_files_that_are_as_they_were_end_well(release, named):
    code, out, err = discreet("verify", release / named)
    assert (code, err) == (0, "Nobody has approved the release: `discreet approve` does.\n")
    assert out.splitlines() == ["unchanged masked.csv", "unchanged =e [bold].html"]
    assert discreet("verify", release / named, "-q") == (0, "", "")


@pytest.mark.parametrize("state", ["changed", "absent"])
def test_a_file_that_is_not_ends_with_one(release, state):
    file = release / "masked.csv"
    file.write_text("a\n2\n", encoding="utf-8") if state == "changed" else file.unlink()
    code, out, err = discreet("verify", release)
    assert code == 1
    assert out.splitlines()[0].split() == [state, "masked.csv"]
    assert "1 of 2 files are not as the manifest says" in err
    code, out, _ = discreet("verify", release, "--json")
    assert code == 1
    told = json.loads(out)
    assert told["unchanged"] is False
    assert told["files"] == {"masked.csv": state, "=e [bold].html": "unchanged"}
    assert discreet("verify", release, "-q")[:2] == (1, "")


def test_what_is_no_manifest_is_bad_input(release):
    (release / "no.json").write_text('{"files": 7}', encoding="utf-8")
    assert discreet("verify", release / "no.json")[0] == 2
    assert discreet("verify", release / "nowhere.json")[0] == 2
    (release / "no.json").write_text("[" * 4000, encoding="utf-8")
    assert discreet("verify", release / "no.json")[0] == 2
    (release / "no.json").write_text(json.dumps({"files": [{"name": "a" * 5000, "sha256": ""}]}), encoding="utf-8")
    assert discreet("verify", release / "no.json", "-q")[0] == 1
    (release / "b-manifest.json").write_text("{}", encoding="utf-8")
    code, _, err = discreet("verify", release)
    assert code == 2
    assert "holds 2 manifests" in err
    (release / "empty").mkdir()
    assert "holds no manifest." in discreet("verify", release / "empty")[2]


def test_a_streamed_release_has_a_manifest_too(tmp_path):
    import pyarrow.parquet as pq

    from discreet.datasets import business

    data = business(60)
    pq.write_table(data.to_arrow(), tmp_path / "b.parquet")
    (tmp_path / "b.toml").write_text(data.schema.to_toml(), encoding="utf-8")
    command = ["protect", tmp_path / "b.parquet", "-s", tmp_path / "b.toml", "--k", "3", "--engine", "streaming"]
    made, told = tmp_path / "out.parquet", tmp_path / "m.json"
    assert discreet(*command, "-o", made, "--manifest", told)[0] == 0
    assert discreet("verify", told)[0] == 0
    made.write_bytes(made.read_bytes() + b" ")
    assert discreet("verify", told)[0] == 1
    other = tmp_path / "other.parquet"
    assert discreet(*command, "-o", other, "--manifest", other)[0] == 2
    assert not other.exists()


def test_an_approval_is_sealed_shown_and_found_broken(release):
    code, out, err = discreet("approve", release, "--by", "A. [b]", "--reason", "Met.", "--exception", "One.",
                              "--date", "2026-01-30")  # fmt: skip
    assert (code, err) == (0, "")
    first, second, seal = out.splitlines()
    assert (first, second.strip()) == ("approved  1. by A. [b], 2026-01-30: Met.", "except: One.")
    code, out, _ = discreet("verify", release, "--seal", seal.removeprefix("Seal: "))
    assert code == 0
    assert "approved  1. by A. [b]" in out
    assert discreet("verify", release, "--seal", "0" * 64)[0] == 1
    (release / "approvals.json").write_text(
        (release / "approvals.json").read_text(encoding="utf-8").replace("Met.", "Not."), encoding="utf-8"
    )
    code, out, err = discreet("verify", release)
    assert code == 1
    assert "broken    1. by A. [b], 2026-01-30: Not." in out
    assert "1 of 1 approvals no longer hold." in err
    code, out, _ = discreet("verify", release, "--json")
    assert code == 1
    assert json.loads(out)["approvals"][0]["holds"] is False
    assert discreet("approve", release, "--by", "B", "--reason", "C")[0] == 2


def test_an_approval_that_was_taken_away_is_missed_by_its_seal(release):
    discreet("approve", release, "--by", "A", "--reason", "B", "--refuse", "-q")
    code, out, _ = discreet("verify", release, "--json")
    (approval,) = json.loads(out)["approvals"]
    assert (code, approval["decision"]) == (1, "refused")
    (release / "approvals.json").unlink()
    assert discreet("verify", release, "--seal", approval["seal"])[0] == 1
