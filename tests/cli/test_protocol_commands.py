"""``init``, ``run``, ``check`` and ``protect --print-python`` as a user types them."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys

import polars as pl
import pytest

from discreet.cli import main

SECRET = "SECRET4711"  # noqa: S105 - a value that must never be shown


def discreet(*arguments, cwd):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code([str(argument) for argument in arguments])
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("protocols")
    assert discreet("datasets", "housing", "--n", 120, "-o", "housing.csv", cwd=path).returncode == 0
    assert discreet("init", "housing.csv", "-s", "housing.toml", cwd=path).returncode == 0
    return path


def test_init_run_check_and_again(folder):
    run = discreet("run", "protocol.toml", "-o", "one", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert "met" in run.stdout
    assert discreet("run", "protocol.toml", "-o", "two", "--quiet", cwd=folder).stdout == ""
    names = sorted(path.name for path in (folder / "one").iterdir())
    assert {"housing-masked.csv", "housing-masked.toml", "housing-internal.html", "housing-manifest.json"} <= set(names)
    for name in names:
        assert (folder / "one" / name).read_bytes() == (folder / "two" / name).read_bytes(), name
    checked = discreet("check", "protocol.toml", "one/housing-masked.csv", cwd=folder)
    assert checked.returncode == 0, checked.stderr
    assert "smallest_group" in checked.stdout


def test_a_release_that_is_not_good_enough_ends_with_1(folder):
    strict = (folder / "protocol.toml").read_text().replace("risk_at_most = 20.0", "risk_at_most = 0.5")
    assert "risk_at_most = 0.5" in strict
    (folder / "strict.toml").write_text(strict)
    for command in (("run", "strict.toml", "-o", "strict"), ("check", "strict.toml", "housing.csv")):
        done = discreet(*command, cwd=folder)
        assert done.returncode == 1
        assert "not met" in done.stdout
        assert "not to be released" in done.stderr
    done = discreet("check", "strict.toml", "housing.csv", "--json", cwd=folder)
    assert done.returncode == 1
    fields = json.loads(done.stdout)
    assert fields["met"] is False
    assert {v["name"] for v in fields["verdicts"]} == {"risk_at_most", "smallest_group"}


def test_json_of_a_run(folder):
    done = discreet("run", "protocol.toml", "-o", "j", "--json", cwd=folder)
    fields = json.loads(done.stdout)
    assert fields["met"] is True
    assert fields["scenarios"]["all keys"]["risk_before"] > fields["scenarios"]["all keys"]["risk"]
    assert fields["masking"]["method"] == "mixed-mdav"
    assert fields["files"]["masked"].endswith("housing-masked.csv")


def test_init_writes_over_nothing_unless_told(folder):
    again = discreet("init", "housing.csv", cwd=folder)
    assert again.returncode == 2
    assert "exists already" in again.stderr
    assert discreet("init", "housing.csv", "-o", "housing.csv", cwd=folder).returncode == 2
    assert discreet("init", "housing.csv", "-o", "forced.toml", "--force", "-q", cwd=folder).stdout == ""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('method = "mixed-mdav"', 'method = "mixed-mdaw"', "Did you mean 'mixed-mdav'?"),
        ("k = 5", "kk = 5", "there is no parameter 'kk'"),
        ("[[scenario]]", "[[scenarios]]", "Did you mean 'scenario'?"),
        ("risk_at_most = 20", "il1ss_at_most = 20", "names no measure"),
        ('file = "housing.csv"', 'file = "absent.csv"', "does not exist"),
        ("seed = ", "seed = [", "not valid TOML"),
    ],
)
def test_a_bad_protocol_ends_with_2_and_says_where(folder, old, new, message):
    (folder / "bad.toml").write_text((folder / "protocol.toml").read_text().replace(old, new, 1))
    done = discreet("run", "bad.toml", "-o", "bad", cwd=folder)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr.replace("\n", " ")
    assert not (folder / "bad").exists()


def test_no_value_of_a_record_is_shown(tmp_path):
    frame = pl.DataFrame({"name": [f"{SECRET}{i}" for i in range(30)], "x": [i + 0.5 for i in range(30)]})
    frame.write_csv(tmp_path / "a.csv")
    shown = discreet("init", "a.csv", cwd=tmp_path)
    assert shown.returncode == 0
    assert SECRET not in (tmp_path / "protocol.toml").read_text()
    text = (tmp_path / "protocol.toml").read_text().replace('scale = "numeric"', 'scale = "nominal"\nlevels = ["0.5"]')
    (tmp_path / "protocol.toml").write_text(text)
    done = discreet("run", "protocol.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "29 of 30 values are not among" in done.stderr.replace("\n", " ")
    assert SECRET not in shown.stdout + shown.stderr + done.stdout + done.stderr


ARGUMENTS = ("housing.csv", "-s", "housing.toml", "--seed", 3)


EXTRAS = [
    ("--k", 4, "--set", "standardise=range"),
    ("--method", "rank-swapping", "--set", "p=7", "--attributes", "VALUE,RENT"),
    ("--method", "level-map", "--set", "maps=DEGREE=cold>cool,hot>very hot"),
    ("--k", 3, "--report", "page.html"),
]


def run_script(script, where):
    with contextlib.chdir(where):
        exec(compile(script, "script", "exec"), {})  # noqa: S102 - our own script


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_printed_script_does_what_the_command_does(folder, extra):
    printed = discreet("protect", *ARGUMENTS, *extra, "-o", "same.csv", "--print-python", cwd=folder)
    assert printed.returncode == 0, printed.stderr
    assert not (folder / "same.csv").exists()
    if extra == EXTRAS[0]:  # one in a process of its own, where nothing is imported yet
        (folder / "script.py").write_text(printed.stdout)
        script = subprocess.run([sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, check=False)
        assert script.returncode == 0, script.stderr
    else:
        run_script(printed.stdout, folder)
    by_script = (folder / "same.csv").read_bytes()
    (folder / "same.csv").unlink()
    assert discreet("protect", *ARGUMENTS, *extra, "-o", "same.csv", cwd=folder).returncode == 0
    assert (folder / "same.csv").read_bytes() == by_script
    (folder / "same.csv").unlink()


def test_the_printed_script_of_a_sequence_policy_runs(tmp_path):
    assert discreet("datasets", "itineraries", "--n", 40, "-o", "visits.csv", cwd=tmp_path).returncode == 0
    command = (
        "protect",
        "visits.csv",
        "-s",
        "visits.toml",
        "-m",
        "kshc",
        "--k",
        3,
        "--quantifier",
        "power:2",
        "-o",
        "m.csv",
    )
    printed = discreet(*command, "--print-python", cwd=tmp_path)
    assert printed.returncode == 0, printed.stderr
    run_script(printed.stdout, tmp_path)
    by_script = (tmp_path / "m.csv").read_bytes()
    assert discreet(*command, cwd=tmp_path).returncode == 0
    assert (tmp_path / "m.csv").read_bytes() == by_script


def test_weak_choices_are_remarked_on_before_and_after(folder, tmp_path):
    pl.DataFrame(
        {"passport": [f"{SECRET}{i}" for i in range(40)], "town": ["n", "s"] * 20, "wage": [i + 0.5 for i in range(40)]}
    ).write_csv(tmp_path / "d.csv")
    names = ", ".join(f'"{SECRET}{i}"' for i in range(40))
    (tmp_path / "d.toml").write_text(
        f'[[attribute]]\nname = "passport"\nrole = "other"\nscale = "nominal"\nlevels = [{names}]\n'
        '[[attribute]]\nname = "town"\nrole = "key"\nscale = "nominal"\nlevels = ["n", "s"]\n'
        '[[attribute]]\nname = "wage"\nrole = "key"\nscale = "numeric"\n'
    )
    made = discreet("init", "d.csv", "-s", "d.toml", "-o", "p.toml", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    said = " ".join(made.stderr.split())
    assert "No attribute is declared confidential" in said
    assert "1 column that looks like identifiers: passport" in said
    assert SECRET not in said
    weak = (tmp_path / "p.toml").read_text().replace("k = 5", "k = 2")
    (tmp_path / "weak.toml").write_text(weak)
    run = discreet("run", "weak.toml", "-o", "out", cwd=tmp_path)
    assert "groups of as few as 2 records" in " ".join(run.stderr.split())
    told = json.loads(discreet("run", "weak.toml", "-o", "out", "--json", cwd=tmp_path).stdout)
    assert {"no-confidential", "identifiers-present", "small-k"} <= {remark["code"] for remark in told["advice"]}
    quiet = discreet("init", "d.csv", "-o", "q.toml", "-q", cwd=tmp_path)
    assert (quiet.stdout, quiet.stderr) == ("", "")
