"""Files looked at, masked and assessed on the command line: names, kinds and lines that are shown."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from discreet.cli import file_commands, main
from discreet.cli.file_commands import _beside, _kind, _parts_of, _show_assessment, _show_masked
from discreet.errors import FileError

ROWS = "id,age,sex,pay\n" + "".join(f"{i},{20 + i % 9},{'fm'[i % 2]},{1000.5 + 7 * i}\n" for i in range(40))


@pytest.fixture
def survey(tmp_path, monkeypatch):
    (tmp_path / "survey.csv").write_text(ROWS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "kind"), [("a.html", "html"), ("a.HTM", "html"), ("a.pdf", "pdf"), ("a.json", "json")]
)
def test_the_kind_of_a_report(name, kind):
    assert _kind(Path(name)) == kind


def test_other_kinds_of_reports_are_refused():
    with pytest.raises(FileError, match=r"written as \.html, \.pdf or \.json; got 'a\.txt'"):
        _kind(Path("a.txt"))


@pytest.mark.parametrize(
    ("data", "target"),
    [("a.csv", "a-masked.csv"), ("a.CSV", "a-masked.CSV"), ("a.csv.gz", "a-masked.csv.gz"),
     ("a.sas7bdat", "a-masked.csv"), ("a", "a-masked"), ("a.b.parquet", "a.b-masked.parquet")],
)  # fmt: skip
def test_a_release_without_a_name_goes_beside_its_data(tmp_path, data, target):
    assert _beside(tmp_path / data, force=False) == tmp_path / target
    (tmp_path / target).write_text("")
    assert _beside(tmp_path / data, force=True) == tmp_path / target
    with pytest.raises(FileError, match="exists already"):
        _beside(tmp_path / data, force=False)


def test_the_parts_of_a_release_in_a_folder(tmp_path):
    (tmp_path / "b").mkdir()
    for name in ("2.parquet", "1.parquet", "b/3.parquet", "_note.txt"):
        (tmp_path / name).write_text("")
    names = {key: path.relative_to(tmp_path).as_posix() for key, path in _parts_of(tmp_path).items()}
    assert names == {"masked 1": "1.parquet", "masked 2": "2.parquet", "masked 3": "b/3.parquet"}
    assert _parts_of(tmp_path / "1.parquet") == {"masked": tmp_path / "1.parquet"}


def test_a_file_is_looked_at(survey, capsys):
    assert main._code(["inspect", "survey.csv", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["n_records"] == 40
    rows = {row["name"]: row for row in told["attributes"]}
    assert (rows["id"]["role"], rows["id"]["confidence"]) == ("identifier", 0.75)
    assert rows["sex"]["missing_values"] == 0
    assert rows["age"]["inferred"] == ["role", "scale"]
    assert main._code(["inspect", "survey.csv", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert main._code(["inspect", "survey.csv"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "survey.csv: 40 records" in shown
    assert "75 %" in shown
    assert "This is a proposal. Write it with -o schema.toml" in shown
    assert main._code(["inspect", "survey.csv", "-o", "s.toml"]) == 0
    assert "Written to s.toml. Look at every role" in " ".join(capsys.readouterr().out.split())
    assert main._code(["inspect", "survey.csv", "-o", "s.toml"]) == 2
    assert main._code(["inspect", "survey.csv", "-o", "survey.csv", "--force"]) == 2
    capsys.readouterr()
    assert main._code(["inspect", "survey.csv", "-s", "s.toml", "--force", "-o", "t.toml"]) == 0
    assert "declared" in capsys.readouterr().out


def test_a_file_is_masked_under_one_name(survey, capsys):
    command = ["protect", "survey.csv", "--method", "rounding", "--set", "base=10", "--attributes", "pay"]
    assert main._code([*command, "a.csv", "-o", "b.csv"]) == 2
    assert "named twice" in capsys.readouterr().err
    assert main._code([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["files"] == {"masked": "survey-masked.csv"}
    assert told["changed_cells"] == {"pay": 40}
    assert "engine" not in told
    assert main._code(command) == 2
    assert main._code([*command, "--force", "--manifest", "m.json"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "rounding: 40 records" in out
    assert "Written to m.json: the manifest." in out
    assert (survey / "survey.csv").read_text() == ROWS


def provenance(**more):
    return {"method": "mdav", "n_records": 9, "changed_cells": {"x": 4}, "notes": ["A note."], **more}


def test_what_is_shown_of_a_release(capsys):
    _show_masked(provenance(groups={"count": 3, "smallest": 2, "largest": 4}), Path("m.csv"), "streaming")
    shown = " ".join(capsys.readouterr().out.split())
    for part in ("mdav: 9 records, streaming", "3 groups of 2 to 4 records.", "• A note.", "Written to m.csv."):
        assert part in shown
    _show_masked(provenance(guarantees=[{"sentence": f"Promise {i}."} for i in range(7)]), Path("m.csv"))
    shown = " ".join(capsys.readouterr().out.split())
    assert "streaming" not in shown
    assert "• Promise 4. Counted in the written file." in shown
    assert "Promise 5." not in shown
    assert "• 2 more such promises were counted" in shown


def measure(kind, title, value, unit="%", **details):
    return SimpleNamespace(kind=kind, title=title, value=value, unit=unit, details=details, sentence=f"{title} means.")


def score(value, risk, loss, incomplete=False):
    return SimpleNamespace(value=value, risk=risk, loss=loss, incomplete=incomplete, sentence="In words.")


def assessment(measures, known=("a", "b"), not_computed=(), **more):
    fields = {"score": score(12.5, 10, 15), "unmasked": score(50, 100, 0, incomplete=True), "papers": None, **more}
    return SimpleNamespace(
        measurements=measures, known=known, not_computed=not_computed,
        of_kind=lambda kind: [one for one in measures if one.kind == kind], **fields,
    )  # fmt: skip


def test_the_highest_risks_and_losses_are_shown_in_order(capsys):
    measures = [
        measure("risk", "Low attack (two guesses)", 90.0, chance_percent=1.0, percent_of_one_guess=20.0),
        measure("risk", "High attack", 40.0, chance_percent=1.0),
        measure("risk", "Uniques", 99.0),
        measure("loss", "Means", 5.0),
        measure("loss", "Variances", 7.0),
        measure("loss", "Bits", 300.0, unit="bits"),
    ]
    gone = [SimpleNamespace(kind="loss", title=f"Gone {i}", sentence="Too large.") for i in range(3)]
    _show_assessment(assessment(measures, not_computed=gone))
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "Score 12.50  In words."
    assert lines[1] == "this release       risk 10.00 %   loss 15.00 %   score 12.50"
    assert "risk ≥ 100.00 %   loss 0.00 %   score ≥ 50.00" in lines[2]
    text = "\n".join(lines)
    assert text.index("40.00 %  High attack") < text.index("20.00 %  Low attack (one guess)")
    assert "Uniques" not in text
    assert text.index("7.00 %  Variances") < text.index("5.00 %  Means")
    assert "Bits" not in text
    assert "Not computed: Gone 0, Gone 1 and 1 more; --all says why." in text
    assert "5 more measures, and what each means: --all." in text
    assert lines[-1] == "The intruder is assumed to know: a, b."


def test_a_brief_and_a_whole_assessment(capsys):
    measures = [measure("risk", "Attack", 40.0), measure("loss", "Means", 5.0)]
    _show_assessment(assessment(measures, score=score(1.0, 1, 1, incomplete=True)), brief=True)
    assert capsys.readouterr().out.strip() == "Score at least 1.00  In words."
    many = tuple(f"k{i}" for i in range(file_commands._NAMED + 2))
    _show_assessment(assessment(measures, many, papers=score(33.333, 1, 1)), everything=True)
    shown = " ".join(capsys.readouterr().out.split())
    assert "Attack means." in shown
    assert "The papers' mean score: 33.33." in shown
    assert many[-1] in shown
    _show_assessment(assessment(measures, many, unmasked=None))
    shown = " ".join(capsys.readouterr().out.split())
    assert "and 2 more." in shown
    assert many[-1] not in shown
    assert "the unmasked file" not in shown
    assert "more measures" not in shown
