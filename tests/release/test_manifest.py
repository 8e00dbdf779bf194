from __future__ import annotations

import hashlib
import json

import pytest

import discreet as dc
from discreet import workflow


@pytest.fixture
def release(tmp_path):
    (tmp_path / "data.csv").write_text("a\n1\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "masked.csv").write_text("a\n2\n")
    (tmp_path / "sub" / "report.html").write_text("<p>")
    return tmp_path


def write(folder, **options):
    files = {"masked": folder / "masked.csv", "internal": folder / "sub" / "report.html"}
    workflow.write_manifest(folder / "m.json", files, inputs=[folder / "data.csv"], **options)
    return json.loads((folder / "m.json").read_text())


def test_lists_every_file_with_its_hash_and_what_made_it(release):
    listed = write(release, protocol="seed = 7\n")
    assert [entry["name"] for entry in listed["files"]] == ["masked.csv", "sub/report.html"]
    assert listed["files"][0]["sha256"] == hashlib.sha256(b"a\n2\n").hexdigest()
    assert listed["files"][0]["bytes"] == 4
    assert listed["inputs"][0]["name"] == "data.csv"
    assert listed["protocol"]["text"] == "seed = 7\n"
    assert listed["discreet"] == dc.__version__
    assert listed["dependencies"]["numpy"]
    assert str(release) not in (release / "m.json").read_text()


def test_is_the_same_again(release):
    write(release)
    first = (release / "m.json").read_bytes()
    write(release)
    assert (release / "m.json").read_bytes() == first


def test_a_published_one_holds_no_protocol_and_no_inputs(release):
    write(release, protocol="seed = 7\n", audience="external")
    text = (release / "m.json").read_text()
    assert "seed" not in text
    assert "data.csv" not in text


def test_tells_what_has_changed_since(release):
    write(release)
    assert set(workflow.check_manifest(release / "m.json").values()) == {"unchanged"}
    (release / "masked.csv").write_text("a\n3\n")
    (release / "sub" / "report.html").unlink()
    assert workflow.check_manifest(release / "m.json") == {"masked.csv": "changed", "sub/report.html": "absent"}


def test_bad_manifests_and_files_are_refused(release):
    with pytest.raises(dc.errors.FileError, match="does not exist"):
        workflow.check_manifest(release / "none.json")
    (release / "bad.json").write_text("[]")
    with pytest.raises(dc.errors.FileError, match="not a manifest"):
        workflow.check_manifest(release / "bad.json")
    with pytest.raises(dc.errors.FileError, match="does not exist, so"):
        workflow.write_manifest(release / "m.json", {"masked": release / "none.csv"})
    with pytest.raises(dc.errors.FileError, match="also an input"):
        workflow.write_manifest(release / "masked.csv", {"masked": release / "masked.csv"})
