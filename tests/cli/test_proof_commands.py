"""``discreet certify``, ``approve`` and ``verify`` as a user types them."""

import contextlib
import json
from pathlib import Path
from types import SimpleNamespace as Namespace

import pytest
from tests.cli.test_cli import discreet, refused

from discreet import workflow
from discreet.cli import console, main, proof_commands


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("certify")
    assert discreet("datasets", "business", "--n", 60, "-o", "business.csv", cwd=path).returncode == 0
    run = discreet("protect", "business.csv", "-s", "business.toml", "--k", 3, "-o", "masked.csv", "-q", cwd=path)
    assert run.returncode == 0, run.stderr
    return path


FILES = ("business.csv", "masked.csv", "-s", "business.toml")


def test_a_certificate_in_words_and_for_machines(folder):
    run = discreet("certify", *FILES, "--k", 3, "--budget", "300ms", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert "above the least possible for k = 3" in run.stdout.replace("\n", " ")
    run = discreet("certify", *FILES, "--budget", "0.005min", "--json", cwd=folder)
    proof = json.loads(run.stdout)
    assert proof["k"] == 3
    assert 0 < proof["lower_bound"] < proof["information_loss"]


def test_a_gap_above_the_threshold_ends_with_one(folder):
    refused(
        discreet("certify", *FILES, "--budget", "200ms", "--max-gap", 0.001, cwd=folder), "above the threshold", code=1
    )
    assert discreet("certify", *FILES, "--budget", "200ms", "--max-gap", 1000, cwd=folder).returncode == 0


def test_bad_input(folder):
    refused(discreet("certify", *FILES, "--budget", "soon", cwd=folder), "a time must look like")
    refused(discreet("certify", *FILES, "--k", 50, cwd=folder), "fewer than k = 50")
    refused(discreet("certify", *FILES, "--k", 1, cwd=folder), "k must be")
    refused(discreet("certify", *FILES, "--attributes", "NOTHING", cwd=folder), "no attribute named 'NOTHING'")


def test_missing_values_are_certified_as_they_are_read(tmp_path):
    """One missing value is enough where it matches everything, two where it is a value of its own."""
    (tmp_path / "people.csv").write_text("town,job\na,x\na,x\nb,y\nb,z\n")
    (tmp_path / "strict.csv").write_text("town,job\na,x\na,x\nb,\nb,\n")
    (tmp_path / "loose.csv").write_text("town,job\na,x\na,x\nb,\nb,z\n")
    keys = ("--attributes", "town,job", "--budget", "600s")
    run = discreet("certify", "people.csv", "strict.csv", *keys, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    said = " ".join(run.stdout.split())
    assert "2 missing values cost 2, never below 2" in said
    assert "no release that keeps k = 2 has fewer; a missing value counts as a value of its own" in said
    run = discreet("certify", "people.csv", "loose.csv", *keys, "--missing", "wildcard", "--json", cwd=tmp_path)
    proof = json.loads(run.stdout)
    assert (proof["cells"], proof["lower_bound"], proof["gap_percent"], proof["missing"]) == (1, 1, 0, "wildcard")
    assert proof["blank_records_would_take"] == 2
    run = discreet("certify", "people.csv", "strict.csv", *keys, "--missing", "wildcard", "--max-gap", 5, cwd=tmp_path)
    refused(run, "above the threshold", code=1)
    refused(
        discreet("certify", "people.csv", "loose.csv", *keys, "--missing", "category", "--k", 2, cwd=tmp_path), "fewer"
    )
    refused(discreet("certify", "people.csv", "loose.csv", *keys, "--missing", "anything", cwd=tmp_path), "missing")


# --------------------------------------------------------------------------------------- what is shown, whole


@pytest.fixture
def wide(monkeypatch):
    """Lines that are not broken, however long."""
    for one in (console.out, console.err):
        monkeypatch.setattr(one, "_width", 200)


@pytest.fixture
def asked(monkeypatch):
    """What a certificate is asked for, without a file."""
    calls = []
    certificate = Namespace(
        figures="3 [cells] cost 2.", method="a tree", n_records=9, sentence="no release has fewer", gap=5.25,
        to_dict=lambda: {"gap_percent": 5.25},
    )  # fmt: skip

    def recorded(name, answer):
        return lambda *values, **options: calls.append((name, *values, options)) or answer

    @contextlib.contextmanager
    def bars(**options):
        calls.append(("bars", options))
        yield

    before = Namespace(schema="schema")
    for name, answer in (("read", before), ("read_release", "after"), ("certify", certificate)):
        monkeypatch.setattr(workflow, name, recorded(name, answer))
    monkeypatch.setattr(proof_commands, "progress", bars)
    monkeypatch.setattr(proof_commands, "tell_inferred", recorded("inferred", None))
    return before, calls


def test_a_certificate_is_asked_for_as_typed(wide, asked, capsys):
    before, calls = asked
    how = ["-s", "s.toml", "--k", "4", "--budget", "9s", "--attributes", " a,, b ", "--missing", "wildcard"]
    assert main._code(["certify", "a.csv", "m.csv", *how, "--delimiter", ";", "--encoding", "latin1"]) == 0
    text = {"delimiter": ";", "encoding": "latin1"}
    assert calls == [
        ("bars", {"quiet": False}),
        ("read", Path("a.csv"), Path("s.toml"), text),
        ("read_release", Path("m.csv"), before, text),
        ("certify", before, "after", {"k": 4, "budget": "9s", "attributes": ["a", "b"], "missing": "wildcard"}),
        ("inferred", "schema", {"quiet": False}),
    ]
    said = "3 [cells] cost 2.\nProven by a tree, 9 records: no release has fewer.\n"
    assert capsys.readouterr() == (said, "")
    calls.clear()
    assert main._code(["certify", "a.csv", "m.csv", "--quiet"]) == 0
    assert capsys.readouterr() == (said, "")
    assert calls[3][-1] == {"k": None, "budget": "1m", "attributes": None, "missing": None}
    assert (calls[0], calls[4]) == (("bars", {"quiet": True}), ("inferred", "schema", {"quiet": True}))


@pytest.mark.parametrize(("most", "above"), [("5.25", False), ("5.2", True), ("0", True)])
def test_a_gap_may_be_as_large_as_its_threshold(wide, asked, capsys, most, above):
    assert main._code(["certify", "a.csv", "m.csv", "--json", "--max-gap", most]) == int(above)
    shown = capsys.readouterr()
    assert json.loads(shown.out) == {"gap_percent": 5.25}
    assert shown.err == (f"The gap, 5.25 %, is above the threshold of {most} %.\n" if above else "")
    assert asked[1][0] == ("bars", {"quiet": True})
    assert asked[1][-1] == ("inferred", "schema", {"quiet": True})


def approval(number=1, decision="approved", holds=True, seal="ab", **more):
    fields = {"exceptions": (), "faults": (), "signature": "", "by": "A. [S]", "date": "2026-01-02", "reason": "Met."}
    fields |= {"number": number, "decision": decision, "holds": holds, "seal": seal, **more}
    return Namespace(**fields, to_dict=lambda: {"number": number})


@pytest.mark.parametrize("strays", [[], ["x.csv"], ["x.csv", "y [1].csv"]])
def test_an_approval_is_made_as_typed_and_shown(wide, monkeypatch, capsys, strays):
    calls = []
    made = approval(2, exceptions=("k is 2",), signature="signed by A")
    monkeypatch.setattr(workflow, "approve", lambda *values, **options: calls.append((*values, options)) or made)
    monkeypatch.setattr(workflow, "unapproved_files", lambda path: calls.append(path) or strays)
    command = ["approve", "out", "--by", "A", "--reason", "R"]
    assert main._code(command) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        *(f"unlisted  {name}" for name in strays),
        "approved  2. by A. [S], 2026-01-02: Met.",
        "          except: k is 2",
        "          signed by A",
        "Seal: ab",
    ]
    told = {
        0: "",
        1: "The folder holds 1 file that is not of the release, and approved by nobody.\n",
        2: "The folder holds 2 files that are not of the release, and approved by nobody.\n",
    }[len(strays)]
    assert shown.err == told
    plain = {"by": "A", "reason": "R", "decision": "approved", "exceptions": (), "date": None, "ssh_key": None}
    assert calls == [(Path("out"), {**plain, "gpg_key": None}), Path("out")]
    assert main._code([*command, "--quiet"]) == 0
    assert capsys.readouterr() == ("", told)
    more = ["--refuse", "--exception", "e", "--exception", "f", "--date", "2026-02-03", "--key", "id", "--gpg", "G"]
    assert main._code([*command, *more, "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) == {"number": 2, **({"unlisted": strays} if strays else {})}
    assert shown.err == told
    assert calls[-2][1] == {
        "by": "A", "reason": "R", "decision": "refused", "exceptions": ["e", "f"], "date": "2026-02-03",
        "ssh_key": Path("id"), "gpg_key": "G",
    }  # fmt: skip


def test_a_broken_approval_says_what_is_wrong_once(wide, capsys):
    faults = ("The seal is another.", "The signature is none.")
    proof_commands._show_approval(approval(holds=False, faults=faults, signature=faults[1]))
    proof_commands._show_approval(approval(decision="refused"))
    assert capsys.readouterr().out.splitlines() == [
        "broken    1. by A. [S], 2026-01-02: Met.",
        "          The seal is another.",
        "          The signature is none.",
        "refused   1. by A. [S], 2026-01-02: Met.",
    ]


NOBODY = "Nobody has approved the release: `discreet approve` does."
REFUSED = "The last decision is that the release may not go out."
UNSIGNED = "Nobody has approved the release, so nobody has signed it."
MISSED = "The last approval does not have the seal that was given."
STRAY = "The folder holds 1 file that is not of the release, and approved by nobody."


@pytest.mark.parametrize(
    ("states", "approvals", "strays", "typed", "beside", "code"),
    [
        ({"a": "unchanged"}, [], ["x"], [], [NOBODY], 0),
        ({"a": "unchanged"}, [], [], ["--signers", "who"], [UNSIGNED], 1),
        ({"a": "unchanged"}, [], [], ["--seal", "ab"], [NOBODY, MISSED], 1),
        ({"a": "unchanged"}, [approval()], [], ["--signers", "who", "--seal", " AB "], [], 0),
        ({"a": "unchanged"}, [approval(seal="ab"), approval(2, seal="cd")], [], ["--seal", "ab"], [MISSED], 1),
        ({"a": "unchanged"}, [approval(), approval(2, "refused")], [], [], [REFUSED], 1),
        ({"a": "unchanged"}, [approval(1, "refused"), approval(2)], [], [], [], 0),
        ({"a": "unchanged"}, [approval(holds=False), approval(2)], [], [], ["1 of 2 approvals no longer hold."], 1),
        ({"a": "unchanged"}, [approval()], ["x"], [], [STRAY], 1),
        ({"a": "changed"}, [approval()], [], [], ["1 of 1 file is not as the manifest says."], 1),
        ({"a": "changed", "b": "unchanged", "c": "missing"}, [approval()], [], [],
         ["2 of 3 files are not as the manifest says."], 1),
    ],
)  # fmt: skip
def test_a_release_is_verified(wide, monkeypatch, capsys, states, approvals, strays, typed, beside, code):
    calls = []
    monkeypatch.setattr(workflow, "find_manifest", lambda path: path / "manifest.json")
    monkeypatch.setattr(workflow, "check_manifest", lambda path: calls.append(path) or states)
    monkeypatch.setattr(
        workflow, "check_approvals", lambda path, *, signers: calls.append((path, signers)) or approvals
    )
    monkeypatch.setattr(workflow, "unapproved_files", lambda path: calls.append(path) or strays)
    assert main._code(["verify", "out", *typed]) == code
    shown = capsys.readouterr()
    path = Path("out/manifest.json")
    signers = Path("who") if "--signers" in typed else None
    assert calls == [path, (path, signers), *([path] if approvals else [])]
    assert shown.out.splitlines() == [
        *(f"{state:<9} {name}" for name, state in states.items()),
        *(f"unlisted  {name}" for name in (strays if approvals else [])),
        *(f"{one.decision if one.holds else 'broken':<9} {one.number}. by A. [S], 2026-01-02: Met."
          for one in approvals),
    ]  # fmt: skip
    assert shown.err.splitlines() == beside
    assert main._code(["verify", "out", *typed, "--quiet"]) == code
    shown = capsys.readouterr()
    assert (shown.out, shown.err.splitlines()) == ("", [line for line in beside if line != NOBODY])
    assert main._code(["verify", "out", *typed, "--json"]) == code
    unlisted = {"unlisted": strays} if approvals and strays else {}
    assert json.loads(capsys.readouterr().out) == {
        "manifest": "out/manifest.json",
        "unchanged": set(states.values()) == {"unchanged"},
        "files": states,
        "approvals": [{"number": one.number} for one in approvals],
        **unlisted,
    }
