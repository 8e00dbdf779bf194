"""`discreet protect --operator`, as a user types it."""

from __future__ import annotations

import contextlib
import csv
import io
import statistics

import pytest

from discreet.cli import main


def discreet(*arguments, cwd):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code([str(argument) for argument in arguments])
    return code, " ".join((out.getvalue() + err.getvalue()).split())


@pytest.fixture
def survey(tmp_path):
    rows = [f"{10 * i},{'low' if i < 6 else 'high'}" for i in range(12)]
    (tmp_path / "survey.csv").write_text("wage,grade\n" + "\n".join(rows) + "\n")
    (tmp_path / "survey.toml").write_text(
        '[[attribute]]\nname = "wage"\nrole = "key"\nscale = "numeric"\n\n'
        '[[attribute]]\nname = "grade"\nrole = "key"\nscale = "ordinal"\nlevels = ["low", "high"]\n'
    )
    return tmp_path


def released(path, column="wage"):
    with path.open(newline="") as file:
        return [row[column] for row in csv.DictReader(file)]


def test_a_group_is_released_as_the_operator_says(survey):
    common = ("protect", "survey.csv", "-s", "survey.toml", "--method", "mdav", "--attributes", "wage", "--k", 3, "-q")
    for text, pick in (("maximum", max), ("minimum", min), ("median", statistics.median)):
        code, said = discreet(*common, "--operator", text, "-o", f"{text}.csv", cwd=survey)
        assert code == 0, said
        values = [float(value) for value in released(survey / f"{text}.csv")]
        groups = {}
        for i, value in enumerate(values):
            groups.setdefault(value, []).append(10.0 * i)
        assert all(len(members) >= 3 and value == pick(members) for value, members in groups.items())


def test_each_attribute_of_a_mixed_file_has_its_own(survey):
    arguments = ("--method", "mixed-mdav", "--k", 3, "--operator", "wage=maximum", "--operator", "cwow-median:2")
    code, said = discreet("protect", "survey.csv", "-s", "survey.toml", *arguments, "-o", "m.csv", "-q", cwd=survey)
    assert code == 0, said
    assert set(released(survey / "m.csv")) <= {str(10 * i) for i in range(12)}
    assert set(released(survey / "m.csv", "grade")) <= {"low", "high"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--method", "mdav", "--operator", "owa:mosst"), "Did you mean 'most'"),
        (("--method", "mdav", "--operator", "medan"), "Did you mean 'median'"),
        (("--method", "mdav", "--operator", "cwow-median"), "aggregates ordinal values"),
        (("--method", "mdav", "--operator", "mean", "--operator", "median"), "one operator; got 2"),
        (("--method", "pram", "--operator", "mean"), "takes no operator"),
        (("--method", "mixed-mdav", "--operator", "town=mean"), "neither a masked attribute"),
        (("--method", "mixed-mdav", "--operator", "medan"), "Did you mean 'median'"),
        (("--method", "mixed-mdav", "--operator", "choquet:addtive:1"), "Did you mean 'additive'"),
    ],
)
def test_what_cannot_be_meant_ends_with_code_2_and_no_file(survey, arguments, words):
    code, said = discreet("protect", "survey.csv", "-s", "survey.toml", *arguments, "-o", "out.csv", cwd=survey)
    assert code == 2
    assert words in said
    assert not (survey / "out.csv").exists()


def test_a_sequence_is_released_as_the_operator_says(tmp_path):
    rows = ["gate lake tower", "gate lake", "gate tower lake", "shop gate", "shop", "shop gate lake"]
    (tmp_path / "trips.csv").write_text("visits\n" + "\n".join(rows * 2) + "\n")
    common = ("protect", "trips.csv", "--sequence", "visits", "--method", "kshc", "--k", 4, "-q")
    code, said = discreet(*common, "--operator", "medoid:lcs", "-o", "out.csv", cwd=tmp_path)
    assert code == 0, said
    assert set(released(tmp_path / "out.csv", "visits")) <= set(rows)
    code, said = discreet(*common, "--operator", "medoid:lcss", "-o", "none.csv", cwd=tmp_path)
    assert code == 2
    assert "lcs" in said
    assert not (tmp_path / "none.csv").exists()


def test_operators_are_listed_with_what_they_take(tmp_path):
    code, said = discreet("methods", "--operators", cwd=tmp_path)
    assert code == 0
    assert "cwow-median" in said
    code, said = discreet("methods", "trimmed-mean", cwd=tmp_path)
    assert code == 0
    assert "below 0.5" in said


def test_a_protocol_is_run_with_its_operator(survey):
    protocol = (survey / "survey.toml").read_text() + (
        '\n[data]\nfile = "survey.csv"\n\n[release]\nmasked = "out.csv"\n\n[[step]]\nmethod = "mixed-mdav"\nk = 3\n\n'
        '[step.operators]\nwage = "maximum"\nordinal = "median"\n'
    )
    (survey / "p.toml").write_text(protocol)
    code, said = discreet("run", "p.toml", "-q", cwd=survey)
    assert code == 0, said
    assert set(released(survey / "out.csv")) <= {str(10 * i) for i in range(12)}
    (survey / "p.toml").write_text(protocol.replace('"maximum"', '"maximun"').replace("out.csv", "bad.csv"))
    code, said = discreet("run", "p.toml", "-q", cwd=survey)
    assert code == 2
    assert "Did you mean 'maximum'" in said
    assert not (survey / "bad.csv").exists()
