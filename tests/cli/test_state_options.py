"""`--states first..last` on every command that takes declarations, as a user types it."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import random
from collections import Counter

import pytest

from discreet.cli import main

MONTHS = ["Jul.93", "Aug.93", "Sep.93", "Oct.93"]
STATES = ("--states", "Jul.93..Oct.93", "--keys", "Jul.93..Oct.93", "--others", "other")


def discreet(*arguments, cwd):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code([str(argument) for argument in arguments])
    return code, out.getvalue() + err.getvalue()


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    rng = random.Random(2)  # noqa: S311 - a made-up file
    place = tmp_path_factory.mktemp("states")
    lines = [["sex", *MONTHS, "region"]]
    for _ in range(40):
        course = [rng.choice("EJT")]
        for _ in MONTHS[1:]:
            course.append(course[-1] if rng.random() < 0.6 else rng.choice("EJT"))
        lines.append([rng.choice("fm"), *course, rng.choice("NSW")])
    with (place / "courses.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)
    arguments = ("protect", "courses.csv", *STATES, "--method", "kshc", "--k", 5, "-o", "masked.csv", "-q")
    code, said = discreet(*arguments, "--manifest", "manifest.json", cwd=place)
    assert code == 0, said
    return place


def test_protect_writes_the_same_wide_shape(folder):
    before, after = rows_of(folder / "courses.csv"), rows_of(folder / "masked.csv")
    assert after[0] == before[0]
    assert [[row[0], row[5]] for row in after] == [[row[0], row[5]] for row in before]
    assert min(Counter(tuple(row[1:5]) for row in after[1:]).values()) >= 5


def test_every_command_that_declares_takes_them(folder):
    commands = {
        "inspect": ("courses.csv",),
        "risk": ("courses.csv",),
        "assess": ("courses.csv", "masked.csv"),
        "attack": ("courses.csv", "masked.csv", "--linker", "sequence-distance"),
        "link": ("courses.csv", "masked.csv", "--linker", "sequence-distance", "-o", "links.csv"),
        "compare": ("courses.csv", "-c", "kshc k=4,5", "-o", "study.csv"),
        "tune": ("courses.csv", "-c", "kshc k=3,4", "-c", "sequence-mdav k=3,4", "--budget", 4),
        "init": ("courses.csv", "-o", "protocol.toml"),
    }
    for command, arguments in commands.items():
        code, said = discreet(command, *arguments, *STATES, cwd=folder)
        assert code == 0, (command, said)
    assert "Jul.93..Oct.93" in (folder / "protocol.toml").read_text()


def test_whoever_attacks_finds_no_more_than_one_in_k(folder):
    code, said = discreet(
        "attack", "courses.csv", "masked.csv", "--linker", "sequence-distance", *STATES, "--json", cwd=folder
    )
    assert code == 0, said
    figures = json.loads(said[said.index("{") :])
    assert figures["n"] == 40
    assert figures["rate"] <= 1 / 5


def test_a_protocol_declares_them_and_runs(folder):
    protocol = folder / "run.toml"
    listed = ", ".join(f'"{month}"' for month in MONTHS)
    protocol.write_text(
        'seed = 1\n[data]\nfile = "courses.csv"\n[release]\nmasked = "released.csv"\n'
        '[[attribute]]\nname = "sex"\nrole = "other"\nscale = "nominal"\nlevels = ["f", "m"]\n'
        f'[[attribute]]\nname = "course"\nrole = "key"\nscale = "sequence"\nalphabet = ["E", "J", "T"]\n'
        f"columns = [{listed}]\n"
        '[[attribute]]\nname = "region"\nrole = "other"\nscale = "nominal"\nlevels = ["N", "S", "W"]\n'
        '[[step]]\nmethod = "kshc"\nk = 5\n'
    )
    code, said = discreet("run", "run.toml", "-o", "out", cwd=folder)
    assert code == 0, said
    released = next(path for path in (folder / "out").rglob("*.csv"))
    header, *rows = rows_of(released)
    assert header == ["sex", *MONTHS, "region"]
    assert min(Counter(tuple(row[1:5]) for row in rows).values()) >= 5


@pytest.mark.parametrize(
    ("text", "message"),
    [("Oct.93..Jul.93", "stands after"), ("Jul.93..Nov.93", "Nov.93"), ("sex", "at least two columns")],
)
def test_bad_ranges_leave_nothing_behind(folder, text, message):
    code, said = discreet("protect", "courses.csv", "--states", text, "-m", "kshc", "-o", "no.csv", cwd=folder)
    assert (code, message in said) == (2, True), said
    assert not (folder / "no.csv").exists()


def test_the_script_says_the_same(folder):
    code, said = discreet("protect", "courses.csv", *STATES, "-m", "kshc", "--print-python", cwd=folder)
    assert code == 0
    assert "states=['Jul.93..Oct.93']" in said
