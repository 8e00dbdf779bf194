"""What ``discreet tune`` says and writes of a search: over, interrupted, judged on a sample, or with limits missed."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import discreet as dc
from discreet import workflow
from discreet.cli import main, tuned_protocol_command
from discreet.cli.tuned_protocol_command import _outcome, _short

N = 40


def entry(candidate, risk, loss, records=N, at_least=None, outcome="met"):
    return {
        "candidate": candidate, "risk": risk, "loss": loss, "records": records, "risk_at_least": at_least,
        "outcome": outcome,
    }  # fmt: skip


@pytest.fixture
def search(tmp_path, monkeypatch):
    """A search whose end is written down beforehand; everything else is as a user has it."""
    dc.datasets.business(N).to_polars().write_csv(tmp_path / "data.csv")
    tuned = SimpleNamespace(
        met=True, misses=(), best={"label": "mdav k=5", "draw": {"risk": 4.126, "loss": 7.5}},
        thresholds={"risk": 5.0, "loss": 30.0}, records=N, space=9,
        rungs=[SimpleNamespace(records=20, candidates=9), SimpleNamespace(records=N, candidates=2)],
        tried=[
            entry("left behind", 2.0, 3.0, records=20), entry("dear", 4.0, 40.0), entry("mdav k=5", 4.126, 7.5),
            entry("ruled out", None, None, at_least=6.25), entry("unknown", None, 11.0), entry("cheap", 3.0, 9.0),
        ],
        study=SimpleNamespace(complete=True, unmasked_entry=lambda: {"risk": 88.0}),
    )  # fmt: skip
    protocol = SimpleNamespace(steps=[SimpleNamespace(to_dict=lambda: {"method": "mdav"})], seed=11)
    signed = SimpleNamespace(tuned=tuned, protocol=protocol, original=dc.datasets.business(N))
    heard = {}

    def tune_protocol(data, **options):
        heard.update(options, data=data)
        return signed

    def save_protocol(_protocol, output, inputs):
        assert [Path(one).name for one in inputs] == ["data.csv"]
        Path(output).write_text("signed", encoding="utf-8")

    def write_study(_study, *, picture, inputs):
        assert inputs
        Path(picture).write_text("drawn", encoding="utf-8")

    monkeypatch.setattr(workflow, "tune_protocol", tune_protocol)
    monkeypatch.setattr(workflow, "save_protocol", save_protocol)
    monkeypatch.setattr(workflow, "write_study", write_study)
    monkeypatch.setenv("COLUMNS", "200")
    return SimpleNamespace(tuned=tuned, heard=heard, folder=tmp_path, signed=signed)


def tune(search, *arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(search.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code(["tune", "data.csv", "--budget", "5", "--seed", "1", *arguments])
    return code, out.getvalue(), " ".join(err.getvalue().split())


def rows(out):
    """Return the cells of the table that is shown, row by row."""
    lines = [line for line in out.splitlines() if any(mark in line for mark in ("│", "|", "  "))]
    return [" ".join(line.replace("│", " ").split()) for line in lines]


def test_the_best_is_signed_and_written(search):
    code, out, err = tune(search, "-o", "p.toml", "--map", "m.svg", "-q")
    assert (code, err) == (0, "")
    flat = " ".join(out.split())
    assert "9 candidates: 9 on 20 records, 2 on all 40 records" in flat
    assert "Signed: mdav k=5, risk 4.13 %, loss 7.50 %; keeps risk = 5, loss = 30." in flat
    assert "Written to p.toml. Look at every role, then: discreet run p.toml" in flat
    assert [(search.folder / name).read_text(encoding="utf-8") for name in ("p.toml", "m.svg")] == ["signed", "drawn"]
    assert (search.heard["data"], search.heard["budget"], search.heard["random_state"]) == (Path("data.csv"), 5, 1)
    assert search.heard["folder"] == Path()
    assert (search.heard["protocol"], search.heard["store"]) == (None, None)


def test_five_are_shown_the_best_first_then_those_judged_whole(search):
    _, out, _ = tune(search, "-q")
    assert rows(out)[:2] == [
        "9 candidates: 9 on 20 records, 2 on all 40 records",
        "┃ candidate ┃ risk ┃ loss ┃ on all records ┃",
    ]
    shown = [
        line for line in rows(out) if line.split(" ")[0] in ("mdav", "cheap", "dear", "unknown", "ruled", "left", "the")
    ]
    assert [line.split(" ")[0] for line in shown] == ["mdav", "cheap", "dear", "unknown", "ruled", "the"]
    assert shown[0].startswith("mdav k=5 4.13 7.50 met")
    assert shown[3].startswith("unknown – 11.00")
    assert shown[4].startswith("ruled out ≥ 6.25 –")
    assert shown[5] == "the unmasked file 88.00 0.00"
    search.tuned.study.unmasked_entry = lambda: None
    assert "unmasked" not in tune(search, "-q")[1]


def test_how_long_it_took_is_said_unless_it_is_quiet(search):
    _, out, _ = tune(search)
    assert "-o protocol.toml writes the protocol" in out
    _, out, _ = tune(search, "-q")
    assert "writes the protocol" not in out


def test_machines_are_told_everything(search, monkeypatch):
    clock = iter([10.0, 12.5])
    monkeypatch.setattr(tuned_protocol_command, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    code, out, err = tune(search, "--json", "-o", "p.toml")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told.pop("seconds") == 2.5
    assert told == {
        "met": True, "misses": [], "best": search.tuned.best, "steps": [{"method": "mdav"}], "seed": 11,
        "thresholds": {"risk": 5.0, "loss": 30.0}, "records": N, "space": 9,
        "rungs": [{"records": 20, "candidates": 9}, {"records": 40, "candidates": 2}], "tried": search.tuned.tried,
        "unmasked": {"risk": 88.0}, "complete": True, "protocol": "p.toml",
    }  # fmt: skip


def test_alternatives_are_counted_up_to_the_limit_and_their_protocol_is_an_input(search, monkeypatch):
    asked = []

    class Open:
        """A protocol that leaves nothing open."""

        @classmethod
        def load(cls, path):
            asked.append(path)
            return cls()

        def chains(self, **named):
            asked.append(named)
            return []

    monkeypatch.setattr(workflow, "OpenProtocol", Open)
    monkeypatch.setattr(workflow, "save_protocol", lambda *_: None)
    (search.folder / "open.toml").write_text("", encoding="utf-8")
    assert tune(search, "-p", "open.toml", "--limit", "7", "-q")[0] == 0
    assert asked == [Path("open.toml"), {"limit": 7}]
    assert (search.heard["protocol"], search.heard["limit"]) == (Path("open.toml"), 7)
    assert tune(search, "-p", "open.toml", "-o", "open.toml", "--force")[0] == 2


def test_missed_limits_end_with_one_and_are_named(search):
    search.tuned.met, search.tuned.misses = False, ("risk by 0.5", "loss by 2")
    code, out, _ = tune(search, "-o", "p.toml", "-q")
    flat = " ".join(out.split())
    assert code == 1
    assert "No candidate meets every limit. Nearest: mdav k=5, risk 4.13 %, loss 7.50 %" in flat
    assert "misses risk by 0.5; loss by 2." in flat
    assert (search.folder / "p.toml").exists()


@pytest.mark.parametrize("store", [False, True])
def test_an_interrupted_search_is_not_signed(search, store):
    search.tuned.study.complete = False
    options = ("--store", "kept.sqlite") if store else ()
    code, out, err = tune(search, "-o", "p.toml", "-q", *options)
    assert code == 130
    assert "Best so far: mdav k=5" in " ".join(out.split())
    assert not (search.folder / "p.toml").exists()
    hint = "kept in kept.sqlite: go on with --resume" if store else "with --store, --resume would go on from them"
    assert f"Interrupted. This is the best so far; {hint}." in err


def test_what_was_judged_on_a_sample_is_not_signed(search):
    search.tuned.records = 20
    code, out, _ = tune(search, "-o", "p.toml", "--map", "m.svg", "-q")
    assert code == 0
    assert "Judged on 20 of 40 records only; what it does to the file is not known." in " ".join(out.split())
    assert "Signed" not in out
    assert not (search.folder / "p.toml").exists()
    assert not (search.folder / "m.svg").exists()
    assert json.loads(tune(search, "-o", "p.toml", "--json")[1])["protocol"] is None


@pytest.mark.parametrize("options", [("-o", "p.toml"), ("--map", "p.svg")])
def test_nothing_is_written_over(search, options):
    (search.folder / options[1]).write_text("mine", encoding="utf-8")
    code, _, err = tune(search, *options)
    assert code == 2
    assert "--force" in err
    assert search.heard == {}  # before anything is searched
    assert (search.folder / options[1]).read_text(encoding="utf-8") == "mine"
    assert tune(search, *options, "--force", "-q")[0] == 0


def test_what_a_row_says_of_a_candidate():
    assert _outcome(entry("a", 1.0, 1.0, records=39), 40) == "39 records; left behind"
    assert _outcome(entry("a", 1.0, 1.0, records=40, outcome="met"), 40) == "met"
    assert _outcome(entry("a", 1.0, 1.0, records=12345), 99999) == "12,345 records; left behind"


@pytest.mark.parametrize("size", [59, 60, 61, 80])
def test_a_long_name_is_cut(size):
    text = "x" * size
    assert _short(text) == (text if size <= 60 else "x" * 59 + "…")
    assert _short("abcdef", 5) == "abcd…"
    assert _short("abcde", 5) == "abcde"
