"""Approvals: no byte of a release, of its manifest or of an earlier approval can change unnoticed."""

from __future__ import annotations

import hashlib
import json
import zipfile

import pytest

from discreet.cli import main
from discreet.errors import FileError, ParameterError
from discreet.release import approval
from discreet.release.approval import APPROVALS, approve, check_approvals
from discreet.release.manifest import stray_files, write_manifest


@pytest.fixture
def release(tmp_path):
    (tmp_path / "sub").mkdir()
    files = {"masked": tmp_path / "masked.csv", "internal": tmp_path / "sub" / "report.html"}
    for path in files.values():
        path.write_text("a\n1\n", encoding="utf-8")
    write_manifest(tmp_path / "manifest.json", files)
    return tmp_path


def approved(folder, **options):
    return approve(folder, by="A. Smith", reason="Thresholds met.", date="2026-01-30", **options)


def flipped(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(bytes(content))


def notices(folder):
    try:
        return any(not one.holds for one in check_approvals(folder))
    except FileError:  # what can no longer be read is noticed too
        return True


def test_an_approval_holds_until_something_changes(release):
    first = approved(release)
    assert (first.number, first.decision, first.by, first.date, first.holds) == (
        1, "approved", "A. Smith", "2026-01-30", True,
    )  # fmt: skip
    second = approve(release, by="B. Jones", reason="Too fine.", decision="refused", exceptions=["none"])
    assert [one.holds for one in check_approvals(release)] == [True, True]
    assert (second.number, second.decision, second.exceptions) == (2, "refused", ("none",))
    assert first.seal != second.seal
    assert str(release) not in (release / APPROVALS).read_text(encoding="utf-8")


def test_a_release_that_may_not_go_out_does_not_pass(release, capsys):
    assert main._code(["verify", str(release), "--quiet"]) == 0
    approved(release)
    assert main._code(["verify", str(release), "--quiet"]) == 0
    approve(release, by="B. Jones", reason="Too fine.", decision="refused")
    assert main._code(["verify", str(release), "--quiet"]) == 1
    assert "may not go out" in capsys.readouterr().err
    approve(release, by="B. Jones", reason="As agreed.")
    assert main._code(["verify", str(release), "--quiet"]) == 0


@pytest.mark.parametrize("name", ["masked.csv", "sub/report.html", "manifest.json"])
def test_every_byte_of_every_file_counts(release, name):
    approved(release)
    path = release / name
    whole = path.read_bytes()
    for place in range(0, len(whole), 1 if len(whole) < 100 else 23):
        flipped(path, place)
        assert notices(release)
        path.write_bytes(whole)
    path.write_bytes(whole + b" ")
    assert notices(release)
    path.write_bytes(whole)
    assert not notices(release)


def test_every_byte_of_every_approval_counts(release):
    approved(release)
    approved(release)
    path = release / APPROVALS
    whole = path.read_bytes()
    for place in range(0, len(whole), 11):  # some in every line; the loop over all of them finds no other
        flipped(path, place)
        assert notices(release), place
        path.write_bytes(whole)
    path.write_bytes(whole.replace(b"\n", b"\r\n"))
    assert notices(release)


def test_an_approval_that_was_taken_out_or_sealed_anew_breaks_the_chain(release):
    approved(release)
    approved(release)
    path = release / APPROVALS
    both = json.loads(path.read_text(encoding="utf-8"))["approvals"]

    def rewritten(entries):
        path.write_text(json.dumps({"approvals": entries}, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        return check_approvals(release)

    assert rewritten(both)[1].holds
    (alone,) = rewritten(both[1:])
    assert "does not follow" in alone.faults[0]
    both[0]["approval"]["by"] = "Somebody"
    first, second = rewritten(both)
    assert "changed after it was sealed" in first.faults[0]
    assert second.holds  # the second vouches for the first's seal, which the first no longer has


def test_what_is_not_as_the_manifest_says_cannot_be_approved(release):
    (release / "masked.csv").write_text("a\n2\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"nothing to approve"):
        approved(release)
    assert not (release / APPROVALS).exists()


def test_nothing_is_added_to_a_broken_chain(release):
    approved(release)
    text = (release / APPROVALS).read_text(encoding="utf-8")
    (release / APPROVALS).write_text(text.replace("A. Smith", "B. Smith"), encoding="utf-8")
    with pytest.raises(FileError, match="does not hold"):
        approved(release)


@pytest.mark.parametrize(
    "wrong",
    [
        {"by": " "},
        {"reason": ""},
        {"decision": "perhaps"},
        {"date": "tomorrow"},
        {"exceptions": [""]},
        {"date": "2999-01-01"},
    ],
)
def test_a_decision_says_who_why_and_when(release, wrong):
    with pytest.raises(ParameterError):
        approve(release, **{"by": "A", "reason": "B", **wrong})
    assert not (release / APPROVALS).exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"approvals": []}', '{"approvals": [{}]}', "[" * 4000])
def test_a_file_that_holds_no_approvals_is_refused(release, text):
    (release / APPROVALS).write_text(text, encoding="utf-8")
    with pytest.raises(FileError, match="does not hold approvals"):
        check_approvals(release)


def resealed(folder, **changes):
    """Change the last approval and seal it anew, as whoever can write the folder may."""
    path = folder / APPROVALS
    entries = json.loads(path.read_text(encoding="utf-8"))["approvals"]
    entry = entries[-1]
    entry["approval"] |= changes
    text = approval._text({name: entry[name] for name in ("approval", "signature")})
    entry["seal"] = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(approval._whole(entries), encoding="utf-8")
    return check_approvals(folder)[-1].faults


def test_decisions_follow_one_another_in_time(release):
    approved(release)
    with pytest.raises(ParameterError, match="before that of the approval"):
        approve(release, by="A", reason="B", date="2026-01-29")
    approved(release)
    assert resealed(release, date="2999-01-01") == ("It is dated in the future.",)
    assert resealed(release, date="2026-01-29") == ("It is dated before the approval that it follows.",)
    assert resealed(release, date="soon") == ("Its date is no day.",)


def test_a_decision_of_another_kind_is_none(release):
    approved(release)
    with pytest.raises(FileError, match="does not hold approvals"):
        resealed(release, decision="perhaps")


def test_a_release_that_misses_a_threshold_goes_out_as_an_exception_or_not_at_all(release):
    files = {"masked": release / "masked.csv"}
    write_manifest(release / "manifest.json", files, thresholds={"risk_at_most": False, "smallest_group": True})
    with pytest.raises(ParameterError, match=r"misses 1 of its thresholds, the first 'risk_at_most'"):
        approved(release)
    assert not (release / APPROVALS).exists()
    assert approved(release, decision="refused").holds
    assert approved(release, exceptions=["A risk of 21 %, under contract."]).holds
    write_manifest(release / "manifest.json", files, thresholds={"risk_at_most": False}, audience="external")
    assert "risk" not in (release / "manifest.json").read_text(encoding="utf-8")


def test_what_nobody_approved_does_not_stand_in_the_folder(release, capsys):
    (release / "original.csv").write_text("a\n7\n", encoding="utf-8")
    assert main._code(["verify", str(release)]) == 0
    assert "Nobody has approved" in capsys.readouterr().err
    approved(release)
    assert main._code(["verify", str(release)]) == 1
    told = capsys.readouterr()
    assert "unlisted  original.csv" in told.out
    assert "approved by nobody" in told.err
    assert main._code(["verify", str(release), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["unlisted"] == ["original.csv"]
    assert main._code(["verify", str(release / "manifest.json"), "--quiet"]) == 0, "a manifest may stand among others"
    (release / "original.csv").unlink()
    with zipfile.ZipFile(release / "all.zip", "w") as archive:
        archive.write(release / "masked.csv")
    assert main._code(["verify", str(release), "--quiet"]) == 0, "an archive of what is listed"
    with zipfile.ZipFile(release / "all.zip", "a") as archive:
        archive.writestr("original.csv", "a\n7\n")
    assert stray_files(release / "manifest.json", [APPROVALS]) == ["all.zip"]
