"""``discreet lattice``: what is printed, written and refused."""

from __future__ import annotations

import contextlib
import csv
import io
import json

import pytest

from discreet.cli import main


@pytest.fixture
def folder(tmp_path):
    rows = [
        "fuel,sex",
        *(f"{fuel},{sex}" for fuel, sex in zip(["gas", "oil", "oil", "sun"] * 5, "ffmmf" * 4, strict=True)),
    ]
    (tmp_path / "data.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "fuel.csv").write_text("gas;fossil;*\noil;fossil;*\nsun;new;*\n", encoding="utf-8")
    return tmp_path


def discreet(folder, *arguments):
    """Return the exit code, and what is said to readers and beside."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code(list(arguments))
    return code, out.getvalue(), err.getvalue()


def lattice(folder, *options):
    return discreet(folder, "lattice", "data.csv", "--hierarchies", "fuel=fuel.csv", *options)


def test_nodes_are_shown_and_written(folder):
    code, out, err = lattice(folder, "--k", "3", "--attributes", "fuel,sex", "-o", "nodes.csv")
    assert code == 0, err
    assert "All 6 combinations of steps" in out
    assert "yes, and costs least" in out
    nodes = list(csv.DictReader((folder / "nodes.csv").read_text(encoding="utf-8").splitlines()))
    assert len(nodes) == 6
    assert [node["best"] for node in nodes] == ["true", *["false"] * 5]
    _, out, _ = lattice(folder, "--k", "3", "--attributes", "fuel,sex", "--json", "--satisfying")
    told = json.loads(out)
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
    code, _, err = lattice(folder, *options)
    assert code == 2
    assert words in err
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
        code, _, err = discreet(
            folder,
            "protect",
            "data.csv",
            "out.csv",
            "-m",
            "generalisation",
            "--k=9",
            "--set",
            "hierarchies=fuel=fuel.csv",
        )
        assert code == 2, err
        assert sentence in " ".join(err.split())
        assert not (folder / "out.csv").exists()
