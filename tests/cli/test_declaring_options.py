"""Every command that takes data can be told its columns without a schema file."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from discreet.cli.main import app

FLAGS = ("--keys", "age,region*", "--keys", "job", "--confidential", "pay", "--weight", "w", "--household", "home",
         "--others", "drop", "--numeric", "age,pay", "--nominal", "region_now,job")  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = np.random.default_rng(5)
    folder = tmp_path_factory.mktemp("declared")
    n = 90
    pl.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "region_now": rng.integers(1, 4, n),
            "job": rng.choice(["mason", "nurse", "clerk"], n),
            "pay": rng.lognormal(8, 1, n).round(2),
            "home": np.arange(n) // 3,
            "w": rng.uniform(1, 9, n).round(2),
            "remark": [f"note {i}" for i in range(n)],
        }
    ).write_csv(folder / "people.csv")
    (folder / "part.toml").write_text('[[attribute]]\nname = "pay"\nrole = "confidential"\nscale = "numeric"\n')
    return folder


def run(folder, command, *arguments):
    paths = [str(folder / a) if str(a).endswith((".csv", ".toml")) else str(a) for a in arguments]
    return CliRunner().invoke(app, [command, *paths])


def test_inspect_shows_what_was_told(folder):
    told = json.loads(run(folder, "inspect", "people.csv", *FLAGS, "--json").stdout)["attributes"]
    roles = {attribute["name"]: attribute["role"] for attribute in told}
    assert roles == {
        "age": "key", "region_now": "key", "job": "key", "pay": "confidential", "home": "identifier", "w": "weight",
        "remark": "identifier",
    }  # fmt: skip
    assert next(attribute for attribute in told if attribute["name"] == "home")["household"] is True


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("assess", ("people.csv", "masked.csv")),
        ("attack", ("people.csv", "masked.csv")),
        ("certify", ("people.csv", "masked.csv", "--k", 3, "--budget", "1s", "--attributes", "age")),
        ("link", ("people.csv", "people.csv", "-o", "links.csv")),
        ("compare", ("people.csv", "-c", "mdav k=3", "--workers", 1)),
        ("tune", ("people.csv", "-c", "mdav k=3", "--workers", 1)),
        ("init", ("people.csv", "-o", "protocol.toml", "--force")),
    ],
)
def test_every_command_takes_the_flags(folder, command, rest):
    assert run(folder, "protect", "people.csv", *FLAGS, "-m", "mdav", "--k", 3, "-q", "-o", "masked.csv").exit_code == 0
    outcome = run(folder, command, *rest, *FLAGS)
    assert outcome.exit_code == 0, outcome.output


def test_what_was_not_told_is_named_on_standard_error(folder):
    outcome = run(folder, "protect", "people.csv", "-s", "part.toml", "--keys", "age", "-o", "masked.csv")
    assert outcome.exit_code == 0, outcome.output
    line = outcome.stderr.splitlines()[0]
    assert line.startswith("Inferred: the role of region_now")
    assert "pay" not in line
    quiet = run(folder, "protect", "people.csv", "-s", "part.toml", "--keys", "age", "-o", "masked.csv", "-q")
    assert quiet.stderr == ""


def test_a_script_says_the_same(folder):
    script = run(folder, "protect", "people.csv", *FLAGS, "-s", "part.toml", "--k", 3, "-o", "again.csv",
                 "--print-python").stdout  # fmt: skip
    assert "dc.survey(" in script
    exec(compile(script, "script", "exec"), {})  # noqa: S102 - what a user would run
    run(folder, "protect", "people.csv", *FLAGS, "-s", "part.toml", "--k", 3, "-o", "masked.csv", "-q")
    assert (folder / "again.csv").read_bytes() == (folder / "masked.csv").read_bytes()


def test_a_column_that_is_not_there_is_two_and_writes_nothing(folder):
    outcome = run(folder, "protect", "people.csv", "--keys", "agge", "-o", "none.csv")
    assert outcome.exit_code != 0
    assert not (folder / "none.csv").exists()
