"""``compare`` and ``tune`` as a user types them."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess

import polars as pl
import pytest

from discreet import workflow
from discreet.cli import main
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
