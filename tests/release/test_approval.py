"""Approvals: no byte of a release, of its manifest or of an earlier approval can change unnoticed."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import json
import os
import shutil
import zipfile

import pytest
from tests.stand_ins import instead

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
    assert main._code(["verify", str(release / "manifest.json"), "--quiet"]) == 1, "whether file or folder is named"
    (release / "original.csv").unlink()
    with zipfile.ZipFile(release / "all.zip", "w") as archive:
        archive.write(release / "masked.csv")
    assert main._code(["verify", str(release), "--quiet"]) == 0, "an archive of what is listed"
    with zipfile.ZipFile(release / "all.zip", "a") as archive:
        archive.writestr("original.csv", "a\n7\n")
    assert stray_files(release / "manifest.json", [APPROVALS]) == ["all.zip"]


def test_an_approval_is_of_the_manifest_that_it_names(release, capsys):
    approved(release)
    shutil.copy(release / "manifest.json", release / "other-manifest.json")
    (told,) = check_approvals(release / "other-manifest.json")
    assert told.faults == ("It is of the manifest 'manifest.json', and not of 'other-manifest.json'.",)
    assert main._code(["verify", str(release / "other-manifest.json"), "--quiet"]) == 1
    assert "1 of 1 approvals no longer hold" in capsys.readouterr().err


def test_a_copy_without_thresholds_does_not_stand_for_the_manifest(release):
    files = {"masked": release / "masked.csv", "internal": release / "sub" / "report.html"}
    write_manifest(release / "manifest.json", files, thresholds={"risk_at_most": False})
    write_manifest(release / "other-manifest.json", files)
    assert approved(release / "other-manifest.json").holds
    assert not check_approvals(release / "manifest.json")[0].holds
    with pytest.raises(FileError, match="Approval 1 does not hold: It is of the manifest"):
        approved(release / "manifest.json", exceptions=["A risk of 21 %."])


def packed(*members, how=zipfile.ZIP_STORED):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", how) as archive:
        for name, text in members:
            archive.writestr(name, text)
    return content.getvalue()


LISTED, RAW = ("masked.csv", "a\n1\n"), b"id,wage\n7,1000\n"


def commented():
    content = io.BytesIO(packed(LISTED))
    with zipfile.ZipFile(content, "a") as archive:
        archive.comment = RAW
    return content.getvalue()


def twice():
    with pytest.warns(UserWarning, match="Duplicate name"):
        return packed(("masked.csv", RAW), LISTED)


def padded():
    """Return an archive with bytes after the end of what a member packs, which who unpacks it never sees."""
    whole = packed(LISTED, how=zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        (member,), start = archive.infolist(), archive.start_dir
    size = (member.compress_size + len(RAW)).to_bytes(4, "little")
    local, directory, end = bytearray(whole[:start]), bytearray(whole[start:-22]), bytearray(whole[-22:])
    local[18:22] = directory[20:24] = size
    end[16:20] = (start + len(RAW)).to_bytes(4, "little")
    return bytes(local) + RAW + bytes(directory + end)


@pytest.mark.parametrize(
    "content",
    [
        lambda: RAW + packed(),
        lambda: RAW + packed(LISTED),
        lambda: packed() + RAW,
        packed,
        lambda: packed(LISTED) + RAW,
        lambda: packed(LISTED, ("raw.csv", RAW)),
        lambda: packed(LISTED)[:-30],
        commented,
        twice,
        padded,
    ],
)
def test_an_archive_holds_what_is_listed_and_nothing_besides(release, content):
    (release / "all.zip").write_bytes(content())
    assert stray_files(release / "manifest.json", [APPROVALS]) == ["all.zip"]


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_archive_of_what_is_listed_may_stand_beside_it(release, how):
    (release / "all.zip").write_bytes(packed(LISTED, ("sub/réport.html", "a\n1\n"), how=how))
    with (release / "piped.zip").open("wb") as file, zipfile.ZipFile(Pipe(file), "w", how) as archive:
        archive.writestr(*LISTED)
    assert stray_files(release / "manifest.json") == []


class Pipe:
    """A file that cannot go back, so that the sizes of a member follow it."""

    def __init__(self, file):
        self.write, self.flush = file.write, file.flush


def linked(release):
    outside = release.parent / f"{release.name}-outside"
    outside.mkdir()
    (outside / "original.csv").write_bytes(RAW)
    (release / "more").symlink_to(outside, target_is_directory=True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes and links here")
@pytest.mark.parametrize(
    "stray",
    [
        linked,
        lambda release: os.mkfifo(release / "more"),
        lambda release: (release / "more").symlink_to(release / "nowhere"),
        lambda release: (release / "more").symlink_to(release / "masked.csv"),
    ],
)
def test_what_is_no_plain_file_is_unlisted_and_not_opened(release, stray, capsys):
    stray(release)
    approved(release)
    for named in (release, release / "manifest.json"):
        assert main._code(["verify", str(named)]) == 1
        assert capsys.readouterr().out.count("unlisted") == 1
    assert stray_files(release / "manifest.json", [APPROVALS]) == ["more"]


def test_who_approves_is_told_what_is_not_of_the_release(release, capsys):
    command = ["approve", str(release), "--by", "A", "--reason", "B"]
    assert main._code(command) == 0
    assert "unlisted" not in capsys.readouterr().out
    (release / "original.csv").write_bytes(RAW)
    assert main._code(command) == 0
    told = capsys.readouterr()
    assert "unlisted  original.csv" in told.out
    assert "1 file that is not of the release, and approved by nobody" in told.err
    assert main._code([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unlisted"] == ["original.csv"]


@pytest.mark.parametrize("by", ["B. Jones", "b.jones", "B Jones", "BJones", "Ms B.  JONES, methods", "b.jones@x.org"])
@pytest.mark.parametrize("listed", ["B. Jones", "b.jones@example.org", "b jones"])
def test_a_name_is_the_same_however_it_is_dotted(by, listed):
    assert approval._same_person(by, listed)


@pytest.mark.parametrize("by", ["B. Jonestone", "C. Jones", "Jones", "", "..."])
def test_another_name_is_another_name(by):
    assert not approval._same_person(by, "B. Jones")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="who may read everything reads everything")
def test_a_folder_that_may_not_be_read_is_unlisted(release):
    (release / "closed").mkdir(mode=0o000)
    assert stray_files(release / "manifest.json") == ["closed"]
    (release / "closed").chmod(0o700)
    assert stray_files(release / "manifest.json") == []


def test_an_approval_is_told_as_it_was_written_without_blanks_around(release):
    told = approve(release, by=" A. Smith ", reason="Fine.\n", exceptions=[" one", "two "], date="2026-01-30")
    (entry,) = json.loads((release / APPROVALS).read_text(encoding="utf-8"))["approvals"]
    sums = {name: hashlib.sha256((release / name).read_bytes()).hexdigest() for name in ("manifest.json", "masked.csv")}
    assert entry["approval"] == {
        "number": 1, "decision": "approved", "by": "A. Smith", "reason": "Fine.", "exceptions": ["one", "two"],
        "date": "2026-01-30", "manifest": {"name": "manifest.json", "sha256": sums["manifest.json"]}, "previous": "",
        "files": [{"name": name, "sha256": sums["masked.csv"]} for name in ("masked.csv", "sub/report.html")],
    }  # fmt: skip
    assert entry["signature"] is None
    text = json.dumps(
        {"approval": entry["approval"], "signature": None}, sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    assert entry["seal"] == hashlib.sha256(text.encode()).hexdigest()
    assert told.to_dict() == {
        "number": 1, "decision": "approved", "by": "A. Smith", "reason": "Fine.", "date": "2026-01-30",
        "exceptions": ["one", "two"], "seal": entry["seal"], "holds": True, "faults": [], "signed": "",
        "signature": "",
    }  # fmt: skip
    (release / "masked.csv").unlink()
    (release / "sub" / "report.html").write_text("b")
    (later,) = check_approvals(release)
    assert later.to_dict()["holds"] is False
    assert later.to_dict()["faults"] == [
        "The file 'masked.csv' is absent.", "The file 'sub/report.html' was changed.",
    ]  # fmt: skip


def test_a_seal_is_over_one_text_whoever_writes_it():
    assert approval._text({"b": "ü", "a": [1, None]}) == '{"a":[1,null],"b":"ü"}'
    assert approval._whole([{"b": "ü", "a": 1}]) == (
        '{\n  "approvals": [\n    {\n      "a": 1,\n      "b": "ü"\n    }\n  ]\n}\n'
    )


def test_files_that_are_not_as_the_manifest_says_are_counted_and_the_first_is_named(release):
    (release / "sub" / "report.html").write_text("b")
    with pytest.raises(FileError, match=r"^1 files are not as the manifest says, the first 'sub/report.html'"):
        approved(release)
    (release / "masked.csv").unlink()
    with pytest.raises(FileError, match=r"^2 files are not as the manifest says, the first 'masked.csv'"):
        approved(release)


def test_today_is_still_tomorrow_somewhere_and_no_later(release, monkeypatch):
    class Clock(dt.datetime):
        @classmethod
        def now(cls, tz=None):
            assert tz is dt.UTC
            return cls(2026, 1, 30, 23, 59, tzinfo=tz)

    monkeypatch.setattr(approval, "dt", instead(dt, datetime=Clock))
    assert approve(release, by="A", reason="B").date == "2026-01-30"
    assert approve(release, by="A", reason="B", date="2026-01-31").holds
    with pytest.raises(ParameterError, match="date lies in the future"):
        approve(release, by="A", reason="B", date="2026-02-01")
    assert resealed(release, date="2026-01-31") == ()
    assert resealed(release, date="2026-02-01") == ("It is dated in the future.",)


@pytest.mark.parametrize(
    "changes",
    [
        {"by": 3}, {"reason": None}, {"date": 2026}, {"previous": None}, {"files": None}, {"files": [{"name": "a"}]},
        {"files": [{"sha256": "a"}]}, {"files": [{"name": 3, "sha256": "a"}]}, {"manifest": "a"}, {"exceptions": "a"},
        {"files": [{"name": "a\0", "sha256": "a"}]}, {"exceptions": [3]}, {"more": 1}, {"decision": "Approved"},
    ],
)  # fmt: skip
def test_an_approval_of_another_shape_is_none(release, changes):
    approved(release)
    with pytest.raises(FileError, match="does not hold approvals"):
        resealed(release, **changes)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: {**content, "more": 1},
        lambda content: {"approvals": [{**content["approvals"][0], "more": 1}]},
        lambda content: {"approvals": [{**content["approvals"][0], "seal": 1}]},
        lambda content: {"approvals": [{**content["approvals"][0], "signature": "x"}]},
        lambda content: {"approvals": [{**content["approvals"][0], "approval": []}]},
        lambda content: {"approvals": [*content["approvals"], 3]},
        lambda content: {"approvals": content["approvals"][0]},
    ],
)
def test_approvals_stand_in_a_list_and_nothing_beside_them(release, change):
    approved(release)
    path = release / APPROVALS
    path.write_text(json.dumps(change(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
    with pytest.raises(FileError, match="does not hold approvals"):
        check_approvals(release)


def test_an_approval_follows_upon_the_number_and_the_seal_before_it(release):
    approved(release)
    assert approved(release).number == 2
    follows = "It does not follow upon the approval before it."
    assert resealed(release, number=3) == (follows,)
    assert resealed(release, number=2) == ()
    assert resealed(release, previous="") == (follows,)
    assert [one.number for one in check_approvals(release)] == [1, 2]


def test_a_list_of_signers_that_is_not_there_is_said(release):
    with pytest.raises(FileError, match=r"The list of signers '.*none' does not exist"):
        check_approvals(release, signers=release / "none")
    (release / "signers").write_text("")
    approved(release)
    approved(release)
    first, last = check_approvals(release, signers=release / "signers")
    assert first.faults == ()
    assert last.faults == ("It is not signed by anybody who is known to be allowed to.",)
