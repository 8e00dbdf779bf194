"""``discreet attack`` with every linker's parameters, and ``discreet link``."""

from __future__ import annotations

import json

import polars as pl
import pytest
from typer.testing import CliRunner

from discreet.cli.main import app

FACTS = ["--attributes", "BUILT,DEGREE,METRO,TRAN1"]


@pytest.fixture
def files(tmp_path):
    data = tmp_path / "h.csv"
    assert CliRunner().invoke(app, ["datasets", "housing", "--n", "80", "-o", str(data)]).exit_code == 0
    part = tmp_path / "part.csv"
    pl.read_csv(data, infer_schema=False).head(30).write_csv(part)
    return data, part, tmp_path / "h.toml"


def test_attack_takes_parameters(files):
    data, _, schema = files
    arguments = [
        "attack",
        str(data),
        str(data),
        "-s",
        str(schema),
        *FACTS,
        "--linker",
        "probabilistic",
        "--set",
        "m=em",
    ]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["rate"] > 0.8


def test_link_two_files_of_different_size(files, tmp_path):
    data, part, schema = files
    target = tmp_path / "links.csv"
    result = CliRunner().invoke(
        app, ["link", str(data), str(part), "-s", str(schema), *FACTS, "-o", str(target), "--json"]
    )
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert (told["n_a"], told["n_b"], told["with_a_candidate"]) == (80, 30, 30)
    links = pl.read_csv(target)
    assert links.height == 30
    assert (links["best"] == links["record"]).sum() > 20


def test_link_never_writes_over_an_input(files):
    data, part, schema = files
    result = CliRunner().invoke(app, ["link", str(data), str(part), "-s", str(schema), "-o", str(part)])
    assert result.exit_code != 0
    assert pl.read_csv(part).height == 30
