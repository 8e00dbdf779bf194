"""``compare`` and ``tune`` as a user types them."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
from pathlib import Path
from types import SimpleNamespace as Namespace

import polars as pl
import pytest
from tests.stand_ins import instead

from discreet import workflow
from discreet.cli import console, main, study_commands
from discreet.errors import ParameterError

OPTIONS = ("--schema", "business.toml", "--quiet")


def discreet(*arguments, cwd):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code([str(argument) for argument in arguments])
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("studies")
    workflow.write_dataset("business", path / "business.csv", n=60)
    return path


@pytest.fixture(scope="module")
def keys(folder):
    return workflow.read(folder / "business.csv", folder / "business.toml").schema.keys


def test_sets_repetitions_and_files(folder, keys):
    run = discreet(
        "compare", "business.csv", *OPTIONS, "-c", "mdav k=3,6", "-c", "additive-noise level=0.3", "--repetitions", 2,
        "-a", f"all={','.join(keys[:3])}", "-a", f"two={keys[0]},{keys[1]}", "-o", "rows.csv", "--map", "map.png",
        "--store", "s.jsonl", cwd=folder,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "12 experiments, means over 2 attribute sets" in run.stdout
    assert "Attribute set two" in run.stdout
    assert "over seeds" in run.stdout
    assert "experiments a second" in run.stdout
    assert (folder / "map.png").read_bytes().startswith(b"\x89PNG")
    rows = pl.read_csv(folder / "rows.csv")
    assert rows.height == 12
    assert rows.filter(pl.col("method") == "additive-noise")["seed"].n_unique() == 4


def test_machines_get_every_set(folder, keys):
    arguments = (
        "compare",
        "business.csv",
        *OPTIONS,
        "-c",
        "mdav k=3,6",
        "-a",
        f"a={keys[0]},{keys[1]}",
        "-a",
        f"b={keys[2]}",
    )
    run = discreet(*arguments, "--json", cwd=folder)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert set(found["by_attribute_set"]) == {"a", "b"}
    assert len(found["by_attribute_set"]["a"]["ranking"]) == 2
    assert found["best"]["attribute_sets"] == 2


def test_tune(folder, keys):
    arguments = ("tune", "business.csv", *OPTIONS, "-c", "mdav k=2,3,4,5,6,7,8,9,10,12,15,20", "-a", ",".join(keys[:2]))
    run = discreet(*arguments, "--budget", 5, "--risk-at-most", 60, cwd=folder)
    assert run.returncode == 0, run.stderr
    assert "5 experiments for 12 candidates" in run.stdout
    assert "Best: mdav(k=" in run.stdout
    found = json.loads(discreet(*arguments, "--budget", 5, "--json", cwd=folder).stdout)
    assert found["experiments"] == 5
    assert found["space"] == 12


def test_what_is_refused(folder, keys):
    for text, message in (
        ("a=", "An attribute set is written"),
        ("a=NONE", "NONE"),
        ("=A", "An attribute set is written"),
    ):
        run = discreet("compare", "business.csv", *OPTIONS, "-c", "mdav k=3", "-a", text, cwd=folder)
        assert run.returncode == 2
        assert message in run.stderr
    with pytest.raises(ParameterError, match="two attribute sets 'a'"):
        workflow.parse_attribute_sets([f"a={keys[0]}", f"a={keys[1]}"])


def test_weak_choices_in_a_comparison_are_remarked_on(folder):
    command = ("compare", "business.csv", "-c", "mdav k=2,4", "--workers", 1)
    run = discreet(*command, cwd=folder)
    assert run.returncode == 0, run.stderr
    shown = " ".join(run.stderr.split())
    for words in ("No schema was given", "groups of as few as 2 records"):
        assert words in shown
    told = json.loads(discreet(*command, "--json", cwd=folder).stdout)
    assert [remark["code"] for remark in told["advice"]] == ["no-schema", "small-k"]
    declared = (*command, "--keys", "TURNOVER,WAGES", "--others", "other")
    told = json.loads(discreet(*declared, "--json", cwd=folder).stdout)
    assert [remark["code"] for remark in told["advice"]] == ["no-confidential", "small-k"]
    assert "Note:" not in discreet(*command, "--quiet", cwd=folder).stderr


# ------------------------------------------------------------------------------------------- chains, and from nothing

OPEN = """
[[attribute]]
name = "EMPLOYEES"
role = "key"
scale = "numeric"

[[attribute]]
name = "TURNOVER"
role = "key"
scale = "numeric"

[[step]]
method = "top-coding"
optional = true

[[step]]
any_of = [{method = "mdav", k = [3, 6]}, {method = "rank-swapping", p = 5}]

[thresholds]
risk_at_most = 40
smallest_group = 3
"""


@pytest.fixture(scope="module")
def two(folder):
    pl.read_csv(folder / "business.csv").select("EMPLOYEES", "TURNOVER").write_csv(folder / "two.csv")
    (folder / "open.toml").write_text(OPEN)
    return folder


def test_chains_are_compared_as_typed_and_from_a_protocol(two):
    run = discreet(
        "compare", "two.csv", "-p", "open.toml", "-c", "rounding base=5 + mdav k=4", "--seed", 1, "--json", cwd=two
    )
    assert run.returncode == 0, run.stderr
    shown = json.loads(run.stdout)
    assert len(shown["ranking"]) == 7
    assert "rounding(base=5.0) → mdav(k=4)" in [entry["label"] for entry in shown["ranking"]]
    meeting = [entry for entry in shown["ranking"] if entry["risk"] <= 40 and entry["threshold_smallest_group"] >= 3]
    assert shown["best"]["label"] == min(meeting, key=lambda entry: entry["loss"])["label"]
    assert shown["unmasked"]["risk"] == 100
    strict = discreet("compare", "two.csv", "-p", "open.toml", "--risk-at-most", 0, "--seed", 1, cwd=two)
    assert "No candidate meets every limit. Nearest:" in strict.stdout.replace("\n", " ")


def test_a_protocol_is_signed_within_a_screen_and_run_gives_its_figures(two):
    run = discreet("tune", "two.csv", "--budget", 8, "--seed", 1, "-o", "signed.toml", "--map", "signed.svg", cwd=two)
    assert run.returncode == 0, run.stderr
    assert "Inferred:" in run.stderr
    assert len(run.stdout.splitlines()) <= 25
    assert "8 on all 60 records" in run.stdout
    assert "the unmasked file" in run.stdout
    assert "unmasked file" in (two / "signed.svg").read_text()
    ran = discreet("run", "signed.toml", "-o", "release", "--json", cwd=two)
    assert ran.returncode == 0, ran.stderr
    headline = json.loads(ran.stdout)["headline"]
    first = (two / "signed.toml").read_text().splitlines()[0]
    assert f"risk {headline['risk']:.2f} %, loss {headline['loss']:.2f} % on 60 records" in first
    again = discreet("tune", "two.csv", "--budget", 8, "--seed", 1, "-o", "signed.toml", cwd=two)
    assert again.returncode == 2
    assert "exists already" in again.stderr


def test_where_no_candidate_will_do_the_nearest_is_told_and_the_code_is_one(two):
    run = discreet("tune", "two.csv", "-p", "open.toml", "--risk-at-most", 1, "--budget", 9, "--seed", 1, cwd=two)
    assert run.returncode == 1
    assert "No candidate meets every limit." in run.stdout
    assert "(at most 1)" in run.stdout.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("compare", "two.csv"), "There is nothing to compare"),
        (("compare", "two.csv", "-p", "open.toml", "--limit", "5"), "6 combinations, more than 5"),
        (("tune", "two.csv", "--budget", "soon"), "a time must look like"),
        (("tune", "two.csv", "--budget", "3", "-o", "rows.csv"), "a .toml file"),
        (("tune", "two.csv", "-c", "mdav k=3", "-o", "p.toml"), "as .csv or .parquet"),
        (("tune", "two.csv", "-c", "mdav k=3", "-p", "open.toml"), "not both"),
        (("tune", "two.csv", "--for", "friends", "--budget", "3"), "research, public"),
        (("tune", "two.csv", "--budget", "3", "-o", "two.csv.toml/../two.csv"), "a .toml file"),
        (("run", "open.toml"), "leaves something open"),
    ],
)
def test_bad_input_ends_with_two_and_one_sentence(two, arguments, sentence):
    run = discreet(*arguments, cwd=two)
    assert run.returncode == 2
    assert sentence in run.stderr.replace("\n", " ")


def test_stopping_a_search_from_nothing_keeps_its_rows(two, monkeypatch):
    from discreet.evaluation import halved_tuning

    judge, calls = halved_tuning.HalvingSearch._judge, []

    def stop_second(self, *arguments):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        judge(self, *arguments)

    monkeypatch.setattr(halved_tuning.HalvingSearch, "_judge", stop_second)
    options = ("--budget", 8, "--store", "kept.jsonl", "-o", "stopped.toml")
    run = discreet("tune", "two.csv", *options, "--seed", 1, cwd=two)
    assert run.returncode == 130
    assert "best so far" in run.stderr
    assert "--resume" in run.stderr.replace("\n", " ")
    assert not (two / "stopped.toml").exists()
    monkeypatch.undo()
    resumed = discreet("tune", "two.csv", *options, "--seed", 1, "--resume", cwd=two)
    assert resumed.returncode == 0, resumed.stderr


# --------------------------------------------------------------------------------------- what is shown, whole


@pytest.fixture
def wide(monkeypatch):
    """Lines that are not broken, however long."""
    for one in (console.out, console.err):
        monkeypatch.setattr(one, "_width", 200)


def rows_of(text):
    """The rows of all tables, as tuples of cells."""
    return [tuple(cell.strip() for cell in line.strip("│ ").split("│")) for line in text.splitlines() if "│" in line]


def entry(label, score, *, like=False, low=None, high=None):
    return {
        "label": label, "score": score, "risk": score + 1, "loss": score + 2, "like_best": like,
        "score_low": score if low is None else low, "score_high": score if high is None else high,
    }  # fmt: skip


class Study:
    """A study that was made of nothing."""

    score = "mean"

    def __init__(self, ranking, *, complete=True, sets=("all",), failures=(), n=12):
        self.complete, self.attribute_sets, self.failures, self.n = complete, sets, failures, n
        self._ranking, self.asked = ranking, []

    def __len__(self):
        return self.n

    def ranking(self, name=None):
        return self._ranking if name is None else [{**one, "label": f"{one['label']} {name}"} for one in self._ranking]

    def front(self, name=None):
        return [f"front {name}"]

    def unmasked_entry(self, name=None):
        return entry(f"unmasked {name}", 50.0)

    def best(self, **limits):
        self.asked.append(("best", limits))
        return self._ranking[0]

    def choose(self, limits):
        self.asked.append(("choose", limits))
        return Namespace(entry=self._ranking[1], misses=("risk 9 (at most 1)",))


@pytest.fixture
def asked(monkeypatch, wide):
    """What is asked of the library, without a file; its clock goes a second at a time."""
    calls = []
    ticks = iter(range(1000))

    def recorded(name, answer=None):
        return lambda *values, **options: calls.append((name, *values, options)) or answer

    @contextlib.contextmanager
    def opened(name, *values, **options):
        calls.append((name, *values, options))
        yield

    masker = Namespace(get_params=lambda: {"k": 3})
    remark = Namespace(sentence="k is small.", hint="Think.", to_dict=lambda: {"code": "small-k"})
    for name, answer in (("read", Namespace(schema="schema")), ("parse_chains", [masker]), ("files_named", []),
                         ("check_outputs", None), ("check_store", None), ("write_study", None),
                         ("parse_attribute_sets", "sets"), ("advise_study", [remark])):  # fmt: skip
        monkeypatch.setattr(workflow, name, recorded(name, answer))
    monkeypatch.setattr(workflow, "written_together", lambda *values, **options: opened("together", *values, **options))
    monkeypatch.setattr(study_commands, "progress", lambda **options: opened("bars", **options))
    monkeypatch.setattr(study_commands, "tell_inferred", recorded("inferred"))
    monkeypatch.setattr(study_commands, "time", instead(study_commands.time, perf_counter=lambda: next(ticks) * 4.0))
    return calls


def of(calls, name):
    return [call[1:] for call in calls if call[0] == name]


def compared(monkeypatch, calls, study):
    monkeypatch.setattr(workflow, "compare", lambda *values, **how: calls.append(("compare", *values, how)) or study)
    return study


HOW = ["--delimiter", ";", "--encoding", "latin1", "--seed", "5", "--workers", "2", "--repetitions", "3"]
FOOT = "Risk: the worst of all linkers and keys. Loss: what the cells lost. Both in percent."
UNMASKED = ("the unmasked file", "50.00", "–", "51.00", "52.00")


def test_a_comparison_is_asked_for_as_typed_and_shown_whole(asked, monkeypatch, capsys):
    ranking = [
        entry("first [a]", 1.0),
        entry("near", 2.0, like=True, low=1.5, high=2.25),
        entry("far", 3.0, high=3.004),
    ]
    study = compared(monkeypatch, asked, Study(ranking))
    paths = ["-o", "rows.csv", "--map", "map.svg", "--store", "s.jsonl", "--resume"]
    command = ["compare", "a.csv", "-s", "s.toml", "-c", "mdav k=3", "-a", "x=A", *HOW, *paths]
    assert main._code([*command, "--risk-at-most", "7"]) == 0
    inputs = [Path("a.csv"), Path("s.toml")]
    text = {"delimiter": ";", "encoding": "latin1"}
    assert of(asked, "check_outputs") == [([Path("rows.csv"), Path("map.svg"), Path("s.jsonl")], inputs, {})]
    assert of(asked, "check_store") == [(Path("s.jsonl"), {"resume": True, "inputs": inputs})]
    assert of(asked, "files_named") == [([{"k": 3}], {})]
    assert of(asked, "read") == [(Path("a.csv"), Path("s.toml"), text)]
    assert of(asked, "compare")[0][2] == {
        "attribute_sets": "sets", "repetitions": 3, "random_state": 5, "workers": 2, "store": Path("s.jsonl"),
        "resume": True, "scenarios": (), "thresholds": {"risk_at_most": 7.0},
    }  # fmt: skip
    assert of(asked, "together") == [([Path("rows.csv"), Path("map.svg")], inputs, {"last": True})]
    written = {"table": Path("rows.csv"), "picture": Path("map.svg"), "inputs": inputs}
    assert of(asked, "write_study") == [(study, written)]
    assert of(asked, "advise_study")[0][-1] == {"schema_given": True}
    assert study.asked == [("best", {"risk_at_most": 7.0, "loss_at_most": None})]
    shown = capsys.readouterr()
    lines = [line.strip() for line in shown.out.splitlines()]
    assert lines[0] == "12 experiments"
    assert rows_of(shown.out) == [
        ("first [a]", "1.00", "–", "2.00", "3.00"),
        ("≈ near", "2.00", "1.50–2.25", "3.00", "4.00"),
        ("far", "3.00", "–", "4.00", "5.00"),
        UNMASKED,
    ]
    assert lines[-4:] == [
        FOOT,
        "≈ may be as good as the best: their ranges over seeds overlap.",
        "4.0 s, 3.0 experiments a second.",
        "Best: first [a], score 1.00, risk 2.00, loss 3.00.",
    ]
    assert shown.err == "Note: k is small. Think.\n"
    assert main._code([*command, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert [call[-1]["quiet"] for call in asked if call[0] in ("bars", "inferred")] == [False, False, True, True]


def test_two_limits_are_weighed_and_what_is_missed_is_said(asked, monkeypatch, capsys):
    study = compared(monkeypatch, asked, Study([entry("first", 1.0, like=True), entry("second", 2.0)]))
    command = ["compare", "a.csv", "-c", "mdav", "--risk-at-most", "7", "--loss-at-most", "8"]
    assert main._code(command) == 0
    assert study.asked == [("choose", {"risk_at_most": 7.0, "loss_at_most": 8.0})]
    said = capsys.readouterr().out.splitlines()
    assert not any("≈" in line for line in said)  # the best is as good as itself
    assert said[-2:] == [
        "4.0 s, 3.0 experiments a second.",
        "No candidate meets every limit. Nearest: second, score 2.00, risk 3.00, loss 4.00; misses risk 9 (at most 1).",
    ]
    assert of(asked, "compare")[0][2]["attribute_sets"] is None
    assert of(asked, "advise_study")[0][-1] == {"schema_given": False}
    assert main._code([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told) == [
        "complete", "best", "ranking", "front", "score", "unmasked", "misses", "by_attribute_set", "failed", "seconds",
        "advice",
    ]  # fmt: skip
    assert (told["complete"], told["best"]["label"], told["front"]) == (True, "second", ["front None"])
    assert (told["score"], told["misses"], told["by_attribute_set"]) == ("mean", ["risk 9 (at most 1)"], {})
    assert (told["failed"], told["seconds"], told["advice"]) == (0, 4.0, [{"code": "small-k"}])
    assert told["unmasked"]["label"] == "unmasked None"


def test_several_sets_are_shown_one_by_one_and_failures_are_counted(asked, monkeypatch, capsys):
    ranking = [entry(f"c{i}", float(i), like=i == 26) for i in range(30)]
    broken = [{"method": m, "error": "no [k]"} for m in ("mdav", "pram", "mdav")]
    compared(monkeypatch, asked, Study(ranking, sets=("one", "two"), failures=broken))
    assert main._code(["compare", "a.csv", "-c", "mdav"]) == 0
    shown = capsys.readouterr()
    labels = [row[0] for row in rows_of(shown.out)]
    assert labels == [
        *(f"c{i}" for i in range(25)), UNMASKED[0], *(f"c{i} one" for i in range(5)), UNMASKED[0],
        *(f"c{i} two" for i in range(5)), UNMASKED[0],
    ]  # fmt: skip
    for title in ("12 experiments, means over 2 attribute sets", "Attribute set one", "Attribute set two"):
        assert title in [line.strip() for line in shown.out.splitlines()]
    assert "≈" not in shown.out  # the one that is as good is not shown
    assert shown.err.splitlines()[:2] == ["mdav: no [k] (2 times)", "pram: no [k]"]
    assert main._code(["compare", "a.csv", "-c", "mdav", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["failed"] == 3
    by_set = told["by_attribute_set"]
    assert list(by_set) == ["one", "two"]
    assert by_set["two"]["ranking"][0]["label"] == "c0 two"
    assert (by_set["one"]["front"], by_set["one"]["unmasked"]["label"]) == (["front one"], "unmasked one")


@pytest.mark.parametrize("schema", [None, "s.toml"])
def test_a_protocol_gives_candidates_intruders_limits_and_where_there_is_no_other_the_schema(
    asked, monkeypatch, capsys, schema
):
    study = compared(monkeypatch, asked, Study([entry("first", 1.0), entry("second", 2.0)]))
    one, two = Namespace(get_params=lambda: {"p": 1}), Namespace(get_params=lambda: {"p": 2})
    limits = {"risk_at_most": 40, "smallest_group": 3}
    plan = Namespace(
        chains=lambda **how: asked.append(("chains", how)) or [Namespace(maskers=(one, two))],
        protocol=Namespace(schema="of the plan", scenarios=("who",), thresholds=limits),
    )
    monkeypatch.setattr(workflow, "OpenProtocol", Namespace(load=lambda path: asked.append(("load", path)) or plan))
    command = ["compare", "a.csv", "-p", "p.toml", "-c", "mdav", *(["-s", schema] if schema else [])]
    assert main._code([*command, "--risk-at-most", "9", "--limit", "4"]) == 0
    assert of(asked, "load") == [(Path("p.toml"),)]
    assert of(asked, "chains") == [({"limit": 4},)]
    assert of(asked, "files_named") == [([{"k": 3}, {"p": 1}, {"p": 2}], {})]
    assert of(asked, "check_outputs")[0][1] == [Path("a.csv"), *([Path(schema)] if schema else []), Path("p.toml")]
    assert of(asked, "read")[0][1] == (Path(schema) if schema else "of the plan")
    assert of(asked, "advise_study")[0][-1] == {"schema_given": True}
    options = of(asked, "compare")[0][2]
    assert options["scenarios"] == ("who",)
    assert options["thresholds"] == {"risk_at_most": 9.0, "smallest_group": 3}
    assert limits == {"risk_at_most": 40, "smallest_group": 3}, "the protocol stays as it is"
    assert study.asked == [("choose", options["thresholds"])]
    assert "Nearest: second" in capsys.readouterr().out


@pytest.mark.parametrize("store", [None, "s.jsonl"])
def test_a_comparison_that_was_stopped_writes_nothing_and_names_no_best(asked, monkeypatch, capsys, store):
    study = compared(monkeypatch, asked, Study([entry("first", 1.0)], complete=False))
    command = ["compare", "a.csv", "-c", "mdav", "-o", "rows.csv", *(["--store", store] if store else [])]
    assert main._code(command) == 130
    shown = capsys.readouterr()
    assert (of(asked, "write_study"), study.asked) == ([], [])
    assert "Best" not in shown.out
    hint = "they are kept in s.jsonl: go on with --resume" if store else "with --store, --resume would go on from them"
    assert shown.err.splitlines()[-1] == f"Interrupted; no file was written. 12 experiments were finished; {hint}."
    assert len(of(asked, "check_store")) == (1 if store else 0)
    assert main._code([*command, "--json"]) == 130
    shown = capsys.readouterr()
    assert (json.loads(shown.out)["best"], json.loads(shown.out)["complete"]) == (None, False)
    assert shown.err.startswith("Interrupted;")


def tuned(monkeypatch, calls, *, complete=True, met=True, n=7):
    study = Study([entry(f"c{i}", float(i)) for i in range(n)], complete=complete)
    found = Namespace(
        study=study, best=entry("c0", 0.0), experiments=9, space=40, misses=() if met else ("a", "b"), met=met
    )
    monkeypatch.setattr(workflow, "tune", lambda *values, **options: calls.append(("tune", *values, options)) or found)
    return study


@pytest.mark.parametrize(
    ("complete", "met", "best"),
    [
        (True, True, "Best: c0"),
        (False, True, "Best so far: c0"),
        (False, False, "Best so far: c0"),
        (True, False, "No candidate meets every limit (a; b). Nearest: c0"),
    ],
)
def test_a_search_is_asked_for_as_typed_and_shown_whole(asked, monkeypatch, capsys, complete, met, best):
    study = tuned(monkeypatch, asked, complete=complete, met=met)
    command = ["tune", "a.csv", "-c", "mdav k=3,4", "-a", " x, y", "--budget", "12", *HOW, "--risk-at-most", "3"]
    command += ["--loss-at-most", "4", "--store", "s.jsonl", "--map", "m.svg", "--resume"]
    code = 0 if complete else 130
    assert main._code(command) == code
    (table, chains, options), *_ = of(asked, "tune")
    assert (table.schema, len(chains)) == ("schema", 1)
    assert options == {
        "attributes": ["x", "y"], "risk_at_most": 3.0, "loss_at_most": 4.0, "budget": 12, "repetitions": 3,
        "random_state": 5, "workers": 2, "store": Path("s.jsonl"), "resume": True,
    }  # fmt: skip
    assert of(asked, "check_outputs") == [([Path("m.svg"), Path("s.jsonl")], [Path("a.csv")], {})]
    wrote = (study, {"table": None, "picture": Path("m.svg"), "inputs": [Path("a.csv")]})
    assert of(asked, "write_study") == ([wrote] if complete else [])
    shown = capsys.readouterr()
    assert shown.out.splitlines()[0].strip() == "9 experiments for 40 candidates"
    assert [row[0] for row in rows_of(shown.out)] == ["c0", "c1", "c2", "c3", "c4", UNMASKED[0]]
    assert shown.out.splitlines()[-2:] == [
        "4.0 s, 3.0 experiments a second.",
        f"{best}, score 0.00, risk 1.00, loss 2.00.",
    ]
    assert shown.err.startswith("Interrupted;") is not complete
    assert main._code([*command, "--json"]) == code
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "best": entry("c0", 0.0), "experiments": 9, "space": 40, "score": "mean",
        "unmasked": entry("unmasked None", 50.0), "misses": [] if met else ["a", "b"], "complete": complete,
        "ranking": study.ranking(), "seconds": 4.0,
    }  # fmt: skip


def test_a_search_from_nothing_is_handed_on_as_typed(asked, monkeypatch):
    monkeypatch.setattr(study_commands, "sign_protocol", lambda *values, **options: asked.append((*values, options)))
    command = [
        "tune",
        "a.csv",
        "-s",
        "s.toml",
        "-p",
        "p.toml",
        "-o",
        "out.TOML",
        "--map",
        "m.svg",
        "--store",
        "s.jsonl",
    ]
    assert main._code([*command, *HOW, "--loss-at-most", "4", "--limit", "6", "--for", "public", "--force", "-v"]) == 0
    (path, options), *more = asked
    assert (path, more) == (Path("a.csv"), [])
    assert options == {
        "schema": Path("s.toml"), "protocol": Path("p.toml"), "output": Path("out.TOML"), "picture": Path("m.svg"),
        "store": Path("s.jsonl"), "json": False, "quiet": False, "verbose": True, "force": True,
        "options": {
            "schema": Path("s.toml"), "release": "public", "budget": "5m", "thresholds": {"loss_at_most": 4.0},
            "repetitions": 3, "random_state": 5, "workers": 2, "resume": False, "delimiter": ";", "encoding": "latin1",
            "limit": 6,
        },
    }  # fmt: skip
    asked.clear()
    assert main._code(["tune", "a.csv", "--budget", "8", "--resume", "--json", "-q"]) == 0
    told = asked[0][1]
    assert (told["json"], told["quiet"], told["verbose"], told["force"]) == (True, True, False, False)
    assert (told["options"]["budget"], told["options"]["resume"], told["options"]["release"]) == (8, True, "research")
    assert (told["options"]["thresholds"], "limit" in told["options"]) == ({}, False)


def test_keys_of_a_search_from_nothing_are_declared(asked, capsys):
    assert main._code(["tune", "a.csv", "-a", "x"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "--attributes goes with -c." in said
    assert "--keys KEY,KEY" in said


@pytest.mark.parametrize(("text", "budget"), [(None, None), ("200", 200), ("5m", "5m"), ("٣", "٣"), ("-1", "-1")])
def test_a_budget_is_a_number_or_a_time(text, budget):
    assert study_commands._budget(text) == budget


def test_a_range_that_is_nothing_when_rounded_is_not_shown():
    assert study_commands._range({"score_low": 1.0, "score_high": 1.0049}) == "–"
    assert study_commands._range({"score_low": 0.0, "score_high": 0.005}) == "0.00–0.01"
    assert study_commands._range({"score_low": 1.25, "score_high": 2.5}) == "1.25–2.50"


def test_no_time_at_all_is_no_rate(wide, capsys):
    study_commands._end(Study([], n=5), 0.0)
    study_commands._end(Study([], n=5), 2.0)
    assert capsys.readouterr().out.splitlines() == [
        "0.0 s, 0.0 experiments a second.",
        "2.0 s, 2.5 experiments a second.",
    ]
