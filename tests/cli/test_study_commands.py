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
