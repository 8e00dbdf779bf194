from __future__ import annotations

import hashlib
import io
import json
import platform
import zipfile
import zlib
from types import SimpleNamespace

import pytest

import discreet as dc
from discreet import workflow
from discreet.contracts.masked import Provenance
from discreet.release import manifest


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


def test_a_manifest_says_this_and_nothing_else(release):
    listed = write(
        release,
        protocol="seed = 7\n",
        thresholds={"risk_at_most": True, "loss_at_most": False},
        steps=[
            Provenance("mdav", {"k": 3}, (), 2, details={"unit": "home"}),
            Provenance(
                "chain", {}, (), 2, history=(Provenance("pram", {}, (), 2), Provenance("mdav", {"k": 5}, (), 2))
            ),
        ],
    )
    sums = {text: hashlib.sha256(text.encode()).hexdigest() for text in ("a\n1\n", "a\n2\n", "<p>", "seed = 7\n")}
    assert list(listed.pop("dependencies")) == list(manifest._DEPENDENCIES)
    assert listed == {
        "manifest": 1,
        "audience": "internal",
        "discreet": dc.__version__,
        "python": platform.python_version(),
        "files": [
            {"role": "masked", "name": "masked.csv", "bytes": 4, "sha256": sums["a\n2\n"]},
            {"role": "internal", "name": "sub/report.html", "bytes": 3, "sha256": sums["<p>"]},
        ],
        "inputs": [{"name": "data.csv", "bytes": 4, "sha256": sums["a\n1\n"]}],
        "protocol": {"sha256": sums["seed = 7\n"], "text": "seed = 7\n"},
        "thresholds": {"risk_at_most": "met", "loss_at_most": "missed"},
        "steps": [
            {"method": "mdav", "parameters": {"k": 3}, "unit": "home"},
            {"method": "pram", "parameters": {}},
            {"method": "mdav", "parameters": {"k": 5}},
        ],
    }
    assert set(write(release)) == {"manifest", "audience", "discreet", "python", "dependencies", "files", "inputs"}
    published = write(
        release, audience="external", protocol="x", thresholds={"a": True}, steps=[Provenance("m", {}, (), 2)]
    )
    assert set(published) == {"manifest", "audience", "discreet", "python", "dependencies", "files"}
    assert manifest.thresholds_missed(release / "m.json") == []
    write(release, thresholds={"b": False, "a": True, "c": False})
    assert manifest.thresholds_missed(release / "m.json") == ["b", "c"]
    assert manifest.listed_files(release / "m.json") == [
        {"name": "masked.csv", "sha256": sums["a\n2\n"]}, {"name": "sub/report.html", "sha256": sums["<p>"]},
    ]  # fmt: skip


def test_what_lies_elsewhere_is_listed_by_its_name_alone(release, tmp_path_factory):
    other = tmp_path_factory.mktemp("other") / "far.csv"
    other.write_text("x")
    workflow.write_manifest(release / "m.json", {"masked": other})
    assert manifest.listed_files(release / "m.json")[0]["name"] == "far.csv"


def test_the_only_manifest_of_a_folder_is_found(release):
    assert manifest.find_manifest(release / "any.json") == release / "any.json"
    with pytest.raises(dc.errors.FileError, match="holds no manifest"):
        manifest.find_manifest(release)
    (release / "manifest.json").write_text("{}")
    (release / "mine.json").write_text("{}")
    assert manifest.find_manifest(release) == release / "manifest.json"
    (release / "a-manifest.json").write_text("{}")
    with pytest.raises(dc.errors.FileError, match="holds 2 manifests"):
        manifest.find_manifest(release)
    (release / "manifest.json").unlink()
    assert manifest.find_manifest(str(release)) == release / "a-manifest.json"


def test_what_a_manifest_says_of_a_masking_is_of_these_bytes_alone(release):
    write(release, protocol="seed = 7\n")
    masked = release / "masked.csv"
    assert manifest.masking_in_manifest(release / "m.json", masked) == ("seed = 7\n", [])
    assert manifest.masking_in_manifest(release / "m.json", release / "data.csv") is None
    write(release, steps=[Provenance("mdav", {"k": 3}, (), 2)])
    assert manifest.masking_in_manifest(release / "m.json", masked) == (
        None, [{"method": "mdav", "parameters": {"k": 3}}],
    )  # fmt: skip
    masked.write_text("a\n3\n")
    assert manifest.masking_in_manifest(release / "m.json", masked) is None
    masked.write_text("a\n2\n")
    write(release)
    assert manifest.masking_in_manifest(release / "m.json", masked) is None


@pytest.mark.parametrize("text", ["", "3", "{}", '{"files": 3}', '{"files": [{"name": "a"}]}', '{"files": [3]}'])
def test_what_is_no_manifest_is_called_so(release, text):
    (release / "m.json").write_text(text)
    with pytest.raises(dc.errors.FileError, match="is not a manifest of Discreet"):
        manifest.check_manifest(release / "m.json")


def test_thresholds_that_are_none_are_missed_by_nobody(release):
    (release / "m.json").write_text('{"files": [], "thresholds": 3}')
    assert manifest.thresholds_missed(release / "m.json") == []
    (release / "m.json").write_text('{"files": []}')
    assert manifest.thresholds_missed(release / "m.json") == []


def test_files_as_a_report_lists_them(release):
    (release / "parts" / "deep").mkdir(parents=True)
    for name in ("b.parquet", "a.parquet", "deep/c.parquet", "note.txt"):
        (release / "parts" / name).write_text(name)
    found = manifest.list_files("masked", [release / "masked.csv", release / "parts", release / "absent.csv"])
    assert [(one.what, one.name, one.bytes) for one in found] == [
        ("masked", "masked.csv", 4), ("masked", "parts/a.parquet", 9), ("masked", "parts/b.parquet", 9),
        ("masked", "parts/deep/c.parquet", 14),
    ]  # fmt: skip


def archived(path, members, kind=zipfile.ZIP_DEFLATED, **changes):
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = kind
            for field, value in changes.items():
                setattr(info, field, value)
            archive.writestr(info, content)
    return path


def test_strays_are_what_is_neither_listed_nor_an_archive_of_it(release):
    write(release)
    (release / "data.csv").unlink()
    assert manifest.stray_files(release / "m.json") == []
    (release / "sub" / "other.csv").write_text("a")
    (release / "approvals.json").write_text("a")
    (release / "empty").mkdir()
    assert manifest.stray_files(release / "m.json") == ["approvals.json", "sub/other.csv"]
    assert manifest.stray_files(release / "m.json", ["approvals.json"]) == ["sub/other.csv"]
    (release / "sub" / "other.csv").unlink()
    (release / "approvals.json").unlink()
    inner = [("masked.csv", "a\n2\n"), ("m.json", (release / "m.json").read_text())]
    for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        archived(release / "all.zip", inner, kind)
        assert manifest.stray_files(release / "m.json") == []
    (release / "link").symlink_to(release / "all.zip")
    (release / "folder").symlink_to(release / "sub")
    assert manifest.stray_files(release / "m.json") == ["folder", "link"]


def test_an_archive_holds_what_is_listed_and_not_a_byte_besides(tmp_path):
    text = "masked\n" * 40
    sums, path = {hashlib.sha256(text.encode()).hexdigest()}, tmp_path / "a.zip"

    def passes(content=None):
        if content is not None:
            path.write_bytes(content)
        return manifest._is_archive_of(path, sums)

    plain = archived(path, [("a.csv", text), ("ä.csv", text)]).read_bytes()
    assert passes()
    assert passes(archived(path, [("a.csv", text)], zipfile.ZIP_STORED).read_bytes())
    archived(path, [("n" * 512, text)])
    assert passes()
    for members, changes in (
        ([("a.csv", text), ("b.csv", "other")], {}), ([("n" * 513, text)], {}), ([("a.csv", text)], {"comment": b"c"}),
        ([("a.csv", text)], {"extra": b"\x01\x02" + (600).to_bytes(2, "little") + b"x" * 600}), ([], {}),
    ):  # fmt: skip
        archived(path, members, **changes)
        assert not passes()
    archived(path, [("a.csv", text)], zipfile.ZIP_BZIP2)
    assert not passes()
    assert not passes(b"x" + plain)
    assert not passes(plain + b"x")
    assert not passes(b"no archive")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", text)
        archive.comment = b"hidden"
    assert not passes()
    # Written to a pipe, the sizes of a member follow it; nothing else may stand there.
    pipe = io.BytesIO()
    with zipfile.ZipFile(SimpleNamespace(write=pipe.write, flush=pipe.flush), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", text)
    streamed = pipe.getvalue()
    assert b"PK\7\x08" in streamed
    assert passes(streamed)
    assert not passes(streamed.replace(b"PK\7\x08", b"PK\7\x09"))
    # Bytes behind the end of a packed stream are hidden from who unpacks it.
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = packer.compress(text.encode()) + packer.flush()
    deflated, stored = zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED
    assert manifest._sum_of_member(packed, deflated) in sums
    assert manifest._sum_of_member(text.encode(), stored) in sums
    assert [manifest._sum_of_member(packed + b"x", deflated), manifest._sum_of_member(packed[:-3], deflated)] == [
        None,
        None,
    ]
    assert manifest._sum_of_member(packed, zipfile.ZIP_BZIP2) is None


def test_a_name_that_no_file_can_have_is_absent(release):
    entry = {"name": "n" * 300, "sha256": "0"}
    (release / "m.json").write_text(json.dumps({"files": [entry, {"name": "sub", "sha256": "0"}]}))
    assert manifest.check_manifest(release / "m.json") == {"n" * 300: "absent", "sub": "absent"}


def test_files_are_listed_with_their_sums_and_keys_of_pseudonyms_are_not(release, monkeypatch):
    monkeypatch.setattr(manifest, "is_key_file", lambda path: str(path).endswith("data.csv"))
    found = manifest.list_files("input", [release / "data.csv", release / "masked.csv"])
    assert [(one.name, one.sha256) for one in found] == [("masked.csv", hashlib.sha256(b"a\n2\n").hexdigest())]
    assert write(release)["inputs"] == []


def test_a_manifest_to_publish_is_written_as_people_read_it(release):
    workflow.write_manifest(release / "m.json", {"masked": release / "masked.csv"}, steps=[
        Provenance("mdav", {"attribute": "Größe"}, (), 2)
    ])  # fmt: skip
    text = (release / "m.json").read_text(encoding="utf-8")
    assert text.startswith('{\n  "manifest": 1,\n  "audience": "internal",\n')
    assert text.endswith("}\n")
    assert "Größe" in text


def test_an_archive_has_a_limit_to_the_notes_of_its_members(tmp_path):
    sums, path = {hashlib.sha256(b"text").hexdigest()}, tmp_path / "a.zip"

    def notes(size):
        return b"\x01\x02" + (size - 4).to_bytes(2, "little") + b"x" * (size - 4)

    archived(path, [("a", "text")], extra=notes(511))
    assert manifest._is_archive_of(path, sums)
    archived(path, [("a", "text")], extra=notes(512))
    assert not manifest._is_archive_of(path, sums), "the name counts too"


def test_a_member_begins_with_its_mark(tmp_path):
    sums, path = {hashlib.sha256(b"text").hexdigest()}, tmp_path / "a.zip"
    whole = archived(path, [("a", "text")], zipfile.ZIP_STORED).read_bytes()
    path.write_bytes(b"PK\3\5" + whole[4:])
    assert not manifest._is_archive_of(path, sums)
    path.write_bytes(whole)
    assert manifest._is_archive_of(path, sums)
    assert not manifest._is_archive_of(path, set())
