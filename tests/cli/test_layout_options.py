"""Every command that reads a file is told how a text file is laid out."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.cli.main import _code

N = 60
READING = {
    "inspect": ["inspect", "{data}"],
    "protect": ["protect", "{data}", "-o", "{folder}/out.csv", "--k", "3", "--seed", "1", "--force"],
    "assess": ["assess", "{data}", "{masked}"],
    "certify": ["certify", "{data}", "{masked}", "--k", "3", "--budget", "1s", "--attributes", "column_1,column_2"],
    "init": ["init", "{data}", "-o", "{folder}/p.toml"],
    "attack": ["attack", "{data}", "{masked}"],
    "link": ["link", "{data}", "{masked}", "-o", "{folder}/links.csv", "--linker", "distance"],
    "compare": ["compare", "{data}", "-c", "mdav k=3", "--workers", "1"],
}


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(3)
    rows = [f"{a:.2f};{b:.2f};{c}".replace(".", ",") for a, b, c in zip(
        rng.lognormal(7, 1, N), rng.normal(40, 9, N), rng.choice(["north", "south"], N), strict=True
    )]  # fmt: skip
    (tmp_path / "h.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    call = ["protect", str(tmp_path / "h.csv"), "--no-header", "--k", "3", "-o", str(tmp_path / "m.csv")]
    assert _code([*call, "--attributes", "column_1,column_2"]) == 0
    return tmp_path


def arguments(command, folder):
    places = {"data": folder / "h.csv", "masked": folder / "m.csv", "folder": folder}
    return [part.format(**places) for part in READING[command]]


@pytest.mark.parametrize("command", READING)
def test_a_file_without_names_is_asked_about_and_then_read(command, folder, capsys):
    first = (folder / "h.csv").read_text().split(";", maxsplit=1)[0]
    before = sorted(path.name for path in folder.iterdir())
    assert _code(arguments(command, folder)) == 2
    said = capsys.readouterr()
    assert "--no-header" in said.err
    assert first not in said.err + said.out
    assert sorted(path.name for path in folder.iterdir()) == before
    assert _code([*arguments(command, folder), "--no-header"]) == 0


def test_marks_and_lines(folder, capsys):
    (folder / "t.csv").write_text("A title\na;b\n" + "".join(f"1.{i};{i}\n" for i in range(100, 160)), encoding="utf-8")
    call = ["protect", str(folder / "t.csv"), "-o", str(folder / "t-out.csv"), "--k", "3"]
    assert _code(call) == 2
    assert "--leave-out 1" in capsys.readouterr().err
    assert _code([*call, "--leave-out", "1"]) == 2
    assert "--thousands ." in capsys.readouterr().err
    assert _code([*call, "--leave-out", "1", "--thousands", "."]) == 0
    assert (folder / "t-out.csv").read_text().startswith("a;b\n11")
    assert _code([*call, "--leave-out", "1", "--decimal", "."]) == 0
    assert (folder / "t-out.csv").read_text().startswith("a;b\n1.1")


def test_the_script_says_the_same(folder, capsys):
    call = ["protect", str(folder / "h.csv"), "-o", str(folder / "o.csv"), "--no-header", "--decimal", ","]
    assert _code([*call, "--print-python"]) == 0
    assert "header=False, decimal=','" in capsys.readouterr().out
