"""``discreet lattice``: what is printed, written and refused."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import pytest


@pytest.fixture
def folder(tmp_path):
    rows = [
        "fuel,sex",
        *(f"{fuel},{sex}" for fuel, sex in zip(["gas", "oil", "oil", "sun"] * 5, "ffmmf" * 4, strict=True)),
    ]
    (tmp_path / "data.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "fuel.csv").write_text("gas;fossil;*\noil;fossil;*\nsun;new;*\n", encoding="utf-8")
    return tmp_path


def lattice(folder, *options):
    command = [sys.executable, "-m", "discreet", "lattice", "data.csv", "--hierarchies", "fuel=fuel.csv", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_nodes_are_shown_and_written(folder):
    run = lattice(folder, "--k", "3", "--attributes", "fuel,sex", "-o", "nodes.csv")
    assert run.returncode == 0, run.stderr
    assert "All 6 combinations of steps" in run.stdout
    assert "yes, and costs least" in run.stdout
    nodes = list(csv.DictReader((folder / "nodes.csv").read_text(encoding="utf-8").splitlines()))
    assert len(nodes) == 6
    assert [node["best"] for node in nodes] == ["true", *["false"] * 5]
    run = lattice(folder, "--k", "3", "--attributes", "fuel,sex", "--json", "--satisfying")
    told = json.loads(run.stdout)
    assert told["nodes"] == 6
    assert all(row["satisfies"] for row in told["top"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--k", "3", "-o", "data.csv"], "data.csv"),
        (["--models", "k=3; nothing=2"], "nothing"),
        (["--models", "profitability=1 2 3", "--objective", "payout", "--suppression", "2"], "suppression must be"),
        ([], "k must be an integer"),
    ],
)
def test_bad_input_gets_its_sentence_and_no_file(folder, options, words):
    before = (folder / "data.csv").read_bytes()
    run = lattice(folder, *options)
    assert run.returncode == 2
    assert words in run.stderr
    assert (folder / "data.csv").read_bytes() == before


def test_bad_hierarchies_and_unmet_thresholds_get_their_sentence_on_the_command_line(folder):
    cases = {
        "gas;fossil\noil;fossil\n": "have no row in the hierarchy",
        "gas;fossil;*\noil;gas;oil\nsun;new;*\n": "narrower levels that they do not hold",
        "gas;1;*\noil;2;oil\nsun;3;*\n": "come back to a name",
        "gas;fossil\noil;fossil\nsun;new\n": "nearest came the steps",
    }
    for text, sentence in cases.items():
        (folder / "fuel.csv").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "discreet", "protect", "data.csv", "out.csv", "-m", "generalisation", "--k=9",
                   "--set", "hierarchies=fuel=fuel.csv"]  # fmt: skip
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert run.returncode == 2, run.stderr
        assert sentence in " ".join(run.stderr.split())
        assert not (folder / "out.csv").exists()
