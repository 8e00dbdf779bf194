"""The command line as a user types it, on real files; in processes of its own where that makes a difference."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import discreet as dc
from discreet import workflow
from discreet.cli import main

SECRET = "SECRET4711"  # noqa: S105 - a value that must never be shown
COMMAND = [sys.executable, "-m", "discreet"]
WARM = "import sys\nfrom discreet.cli import main\nsys.argv[0] = 'discreet'\nmain.run()"


def process(*arguments, cwd):
    """Run the command in a process of its own."""
    return subprocess.run([*COMMAND, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False)


def discreet(*arguments, cwd):
    """Run the command in this process: the same code, without starting Python anew."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code([str(argument) for argument in arguments])
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli")
    run = discreet("datasets", "housing", "--n", 200, "-o", "housing.csv", cwd=path)
    assert run.returncode == 0, run.stderr
    return path


def refused(run, message, *, code=2):
    assert run.returncode == code, (run.stdout, run.stderr)
    assert message in run.stderr.replace("\n", " "), run.stderr
    assert SECRET not in run.stdout + run.stderr
    assert "Traceback" not in run.stderr


def test_the_walk(nursery, folder):
    def warm(*arguments):
        """Run the command in a process that need not start anew."""
        return nursery.run(WARM, arguments, folder)

    run = warm("inspect", "housing.csv", "-o", "proposal.toml")
    assert run.returncode == 0
    assert "BUILT" in run.stdout
    assert (folder / "proposal.toml").read_text().startswith("# inferred: role, scale")

    arguments = ("--schema", "housing.toml", "--method", "mdav", "--k", 5, "-o", "masked.csv", "--report", "r.html")
    run = process("protect", "housing.csv", *arguments, cwd=folder)
    assert run.returncode == 0, run.stderr
    assert "40 groups of 5 records" in run.stdout
    assert "Keys that mdav did not mask (11)" in run.stdout.replace("\n", " ")
    assert "<svg" in (folder / "r.html").read_text()
    original = (folder / "housing.csv").read_text().splitlines()
    masked = (folder / "masked.csv").read_text().splitlines()
    assert len(masked) == len(original)
    assert original[0].removeprefix("HOUSEHOLD,") == masked[0]

    run = warm("assess", "housing.csv", "masked.csv", "--schema", "housing.toml")
    assert run.returncode == 0, run.stderr
    assert "Score" in run.stdout

    known = ("--attributes", "VALUE,RENT,INCOME")
    run = warm("attack", "housing.csv", "masked.csv", "--schema", "housing.toml", *known, "--json")
    assert run.returncode == 0, run.stderr
    attack = json.loads(run.stdout)
    assert attack["known"] == ["VALUE", "RENT", "INCOME"]
    assert attack["chance"] == 1
    assert 10 < attack["expected"] < 100


def test_json_for_machines(folder):
    run = discreet("inspect", "housing.csv", "--json", cwd=folder)
    assert json.loads(run.stdout)["n_records"] == 200
    run = discreet("protect", "housing.csv", "-s", "housing.toml", "--k", 3, "-o", "j.csv", "--json", cwd=folder)
    assert json.loads(run.stdout)["groups"]["smallest"] >= 3
    run = discreet("assess", "housing.csv", "j.csv", "-s", "housing.toml", "--json", cwd=folder)
    assert 0 <= json.loads(run.stdout)["score"]["value"] <= 100
    run = discreet("methods", "--json", cwd=folder)
    assert "mdav" in json.loads(run.stdout)["maskers"]


def test_assess_takes_further_measures_by_name(folder):
    files = ("housing.csv", "f.csv", "-s", "housing.toml")
    discreet("protect", "housing.csv", "-s", "housing.toml", "--k", 3, "-o", "f.csv", "-q", cwd=folder)
    asked = ("--measure", "permutation-linkage attributes=RENT,VALUE", "--measure", "clustering clusters=3")
    told = json.loads(discreet("assess", *files, *asked, "--json", cwd=folder).stdout)
    plain = json.loads(discreet("assess", *files, "--json", cwd=folder).stdout)
    assert "further" not in plain
    assert told["score"] == plain["score"]
    original = dc.read(folder / "housing.csv", schema=folder / "housing.toml")
    release = workflow.read_release(folder / "f.csv", original)
    measures = [dc.PermutationLinkageRisk(attributes=["RENT", "VALUE"]), dc.ClusteringLoss(clusters=3)]
    expected = dc.measure(original, release, measures)
    assert [one["value"] for one in told["further"]] == pytest.approx([one.value for one in expected])
    assert 0 < told["further"][0]["value"] < 100
    shown = discreet("assess", *files, *asked, "--quiet", cwd=folder).stdout
    assert "The 3 clusters of the release agree" in " ".join(shown.split())
    refused(discreet("assess", *files, "--measure", "clusterin", cwd=folder), "Did you mean 'clustering'")
    refused(discreet("assess", *files, "--measure", "clustering clusters", cwd=folder), "A measure is written")
    refused(discreet("assess", *files, "--measure", "clustering clusters=1", cwd=folder), "between 2")


def test_a_threshold_that_is_not_met_ends_with_one(folder):
    discreet("protect", "housing.csv", "-s", "housing.toml", "--k", 3, "-o", "t.csv", "-q", cwd=folder)
    run = discreet("assess", "housing.csv", "t.csv", "-s", "housing.toml", "--max-risk", 0.001, cwd=folder)
    refused(run, "above the limit", code=1)
    run = discreet("assess", "housing.csv", "t.csv", "-s", "housing.toml", "--max-risk", 100, cwd=folder)
    assert run.returncode == 0


def test_the_demonstration_writes_a_whole_release(folder):
    run = discreet("demo", "--output", "demo", "--n", 100, cwd=folder)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) <= 20
    # No attack on the screen finds more than the worst case does.
    (risk,) = re.findall(r"this release +risk ([0-9.]+) %", run.stdout)
    attacks = re.findall(r"^ +([0-9.]+) % +Re-identified", run.stdout, re.MULTILINE)
    assert attacks
    assert max(map(float, attacks)) <= float(risk)
    assert {p.name for p in (folder / "demo").iterdir()} == {
        "housing.csv", "housing.toml", "housing-masked.csv", "assessment.json", "report.html",
        "external.html", "manifest.json",
    }  # fmt: skip
    assert json.loads((folder / "demo" / "assessment.json").read_text())["provenance"]["groups"]["smallest"] >= 5


def test_help_version_and_lists(folder):
    for arguments in (["--help"], ["protect", "--help"], ["--version"], ["methods"], ["methods", "mdav"], ["datasets"]):
        run = discreet(*arguments, cwd=folder)
        assert run.returncode == 0, run.stderr
        assert run.stdout


BAD_FILES = {
    "empty": ("", "is empty"),
    "header only": ("a,b\n", "a header and no records"),
    "duplicate columns": ("a,a\n1,2\n", "appears 2 times"),
    "ragged": (f"a,b\n1,2\n{SECRET}\n", "1 row of 'bad.csv' does not have 2 fields: row 3."),
}
SCHEMA = """
[[attribute]]
name = "a"
scale = "numeric"
role = "key"
[[attribute]]
name = "b"
scale = "nominal"
levels = ["x", "y"]
"""
BAD_VALUES = {
    "text in a numeric column": (f"1,x\n{SECRET},y\n3,x\n", "Column 'a': 1 of 3 values are not numbers"),
    "a level that is not declared": (f"1,x\n2,{SECRET}\n3,x\n", "Column 'b': 1 of 3 values are not among the 2"),
    "numbers in a nominal column": ("1,1\n2,2\n3,4711\n", "Column 'b': 3 of 3 values are not among the 2"),
    "missing": ("1,x\n,y\n3,x\n", "column 'a' has 1 missing value of 3"),
    "NaN": ("1,x\nNaN,y\n3,x\n", "Column 'a': 1 of 3 values are not numbers"),
    "infinity": ("1,x\n1e999,y\n3,x\n", "Column 'a': 1 of 3 values are infinite"),
}


@pytest.mark.parametrize("case", BAD_FILES)
@pytest.mark.parametrize("command", ["inspect", "protect", "assess"])
def test_bad_files(tmp_path, case, command):
    text, message = BAD_FILES[case]
    (tmp_path / "bad.csv").write_text(text)
    extra = {"inspect": [], "protect": ["-o", "out.csv"], "assess": ["bad.csv"]}[command]
    refused(discreet(command, "bad.csv", *extra, cwd=tmp_path), message)
    assert [p.name for p in tmp_path.iterdir()] == ["bad.csv"]


@pytest.mark.parametrize("case", BAD_VALUES)
def test_bad_values(tmp_path, case):
    body, message = BAD_VALUES[case]
    (tmp_path / "bad.csv").write_text("a,b\n" + body)
    (tmp_path / "s.toml").write_text(SCHEMA)
    refused(discreet("protect", "bad.csv", "-s", "s.toml", "--k", "2", "-o", "out.csv", cwd=tmp_path), message)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.csv", "s.toml"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n1\n2\n", "1 attributes that the table lacks, the first 'b'"),
    ],
)
def test_columns_that_are_not_there(tmp_path, text, message):
    (tmp_path / "bad.csv").write_text(text)
    (tmp_path / "s.toml").write_text(SCHEMA)
    refused(discreet("protect", "bad.csv", "-s", "s.toml", "--k", "2", "-o", "out.csv", cwd=tmp_path), message)


@pytest.mark.parametrize(
    ("k", "message"),
    [
        ("0", "MDAV: k must be an integer of at least 2; got 0"),
        ("1", "MDAV: k must be an integer of at least 2; got 1"),
        ("-3", "MDAV: k must be an integer of at least 2; got -3"),
        ("201", "MDAV: k must be at most the number of records, 200; got 201"),
        ("2.5", "MDAV: k must be an integer of at least 2; got '2.5'"),
        ("many", "MDAV: k must be an integer of at least 2; got 'many'"),
    ],
)
def test_bad_k(folder, k, message):
    refused(discreet("protect", "housing.csv", "-s", "housing.toml", "--k", k, "-o", "k.csv", cwd=folder), message)
    assert not (folder / "k.csv").exists()


def test_bad_paths_methods_and_schemas(folder, tmp_path):
    before = (folder / "housing.csv").read_bytes()
    protect = ("protect", "housing.csv", "-s", "housing.toml", "--k", 3)
    refused(discreet("protect", "none.csv", "-o", "x.csv", cwd=folder), "does not exist")
    refused(discreet(*protect, "-o", "none/x.csv", cwd=folder), "The folder 'none' does not exist")
    refused(discreet(*protect, "-o", "housing.csv", cwd=folder), "also an input")
    refused(discreet(*protect, "-o", "housing.toml", cwd=folder), "also an input")
    refused(discreet(*protect, "-o", "x.docx", cwd=folder), "unknown ending")
    refused(discreet(*protect, "-o", "x.csv", "--method", "magic", cwd=folder), "no masker named 'magic'")
    refused(discreet(*protect, "-o", "x.csv", "--set", "colour=red", cwd=folder), "no parameter 'colour'")
    refused(discreet(*protect, "-o", "x.csv", "--attributes", "NOBODY", cwd=folder), "no attribute named 'NOBODY'")
    refused(discreet("protect", "housing.csv", "-s", "none.toml", "-o", "x.csv", cwd=folder), "does not exist")
    (folder / "nokey.toml").write_text((folder / "housing.toml").read_text().replace('role = "key"', 'role = "other"'))
    refused(discreet("protect", "housing.csv", "-s", "nokey.toml", "-o", "x.csv", cwd=folder), "names no key")
    assert not (folder / "x.csv").exists()
    assert (folder / "housing.csv").read_bytes() == before


def test_a_method_shows_its_parameters(folder):
    run = discreet("methods", "mdav", cwd=folder)
    assert "an integer of at least 2" in run.stdout
    refused(discreet("methods", "magic", cwd=folder), "no method named 'magic'")
    run = discreet("methods", "record-swapping", cwd=folder)
    assert re.search(r"hierarchy +│ must be given", run.stdout)
    assert "inspect._empty" not in run.stdout


def test_a_word_that_is_no_name_leads_to_the_methods_that_are_about_it(folder):
    for word, expected, other in [
        ("univariate", "individual-ranking", "variances"),
        ("noise", "additive-noise", "mdav"),
    ]:
        run = discreet("methods", word, cwd=folder)
        refused(run, f"no method named '{word}'")
        assert expected in run.stderr
        assert other not in run.stderr


def test_a_stray_text_among_the_numbers_of_a_declared_key_is_refused_and_not_passed_over(tmp_path):
    wages = [str(900 + 7 * i) for i in range(60)]
    rows = [f"{20 + i % 40},{SECRET if i == 33 else wage}" for i, wage in enumerate(wages)]
    (tmp_path / "f.csv").write_text("age,wage\n" + "\n".join(rows) + "\n")
    told = ("protect", "f.csv", "--keys", "age,wage", "--numeric", "age", "--k", "3", "-o", "m.csv")
    refused(
        discreet(*told, cwd=tmp_path), "column 'wage' would not be masked: 1 of its 60 different values is no number"
    )
    assert not (tmp_path / "m.csv").exists()
    run = discreet(*told, "--nominal", "wage", cwd=tmp_path)  # whoever says that it is text, is believed
    assert run.returncode == 0, run.stderr
    assert "Keys that mdav did not mask (1): wage." in run.stdout
    run = discreet("inspect", "f.csv", cwd=tmp_path)
    assert "1 of 60 different" in " ".join(re.sub("[│┃]", " ", run.stdout).split())
    assert SECRET not in run.stdout + run.stderr


def test_files_that_share_no_attribute_are_linked(folder):
    import polars as pl

    discreet("datasets", "business", "--n", 60, "-o", "b.csv", cwd=folder)
    frame = pl.read_csv(folder / "b.csv")
    halves = {"one": ["TURNOVER", "WAGES", "ASSETS"], "two": ["PURCHASES", "EMPLOYEES", "EQUITY"]}
    for name, columns in halves.items():
        frame.select(columns).write_csv(folder / f"{name}.csv")
    run = discreet("link", "one.csv", "two.csv", "--linker", "representatives", "-o", "l.csv", "--json", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["n_b"] == 60
    assert len((folder / "l.csv").read_text().splitlines()) == 61
    refused(discreet("link", "one.csv", "two.csv", "-o", "m.csv", cwd=folder), "have no attribute in common")


def test_a_study_on_the_command_line(folder):
    arguments = ("-s", "housing.toml", "-c", "mdav k=3,9", "-c", "individual-ranking k=3", "-o", "rows.csv")
    run = discreet("compare", "housing.csv", *arguments, "--map", "map.html", "--json", cwd=folder)
    assert run.returncode == 0, run.stderr
    result = json.loads(run.stdout)
    assert result["complete"]
    assert len(result["ranking"]) == 3
    assert len((folder / "rows.csv").read_text().splitlines()) == 4
    assert "http" not in re.sub(r"https?://(vega|www.w3.org|json)[^\"']*", "", (folder / "map.html").read_text())[:2000]
    run = discreet("compare", "housing.csv", "-s", "housing.toml", "-c", "mdav 3", cwd=folder)
    refused(run, "A candidate is written")


def test_wrong_encoding(tmp_path):
    (tmp_path / "l.csv").write_bytes("a,b\n1,é\n".encode("latin-1"))
    refused(discreet("inspect", "l.csv", cwd=tmp_path), "not utf-8 text")
    assert discreet("inspect", "l.csv", "--encoding", "latin-1", cwd=tmp_path).returncode == 0


def test_masked_and_original_that_do_not_belong_together(folder):
    lines = (folder / "housing.csv").read_text().splitlines(keepends=True)
    (folder / "short.csv").write_text("".join(lines[:-1]))
    refused(
        discreet("assess", "housing.csv", "short.csv", "-s", "housing.toml", cwd=folder),
        "200 records and the masked table 199",
    )
    (folder / "more.csv").write_text("".join(f"{line.rstrip()},{line.rstrip().split(',')[0]}x\n" for line in lines))
    refused(
        discreet("assess", "housing.csv", "more.csv", "-s", "housing.toml", cwd=folder),
        "columns that the original lacks",
    )
    (folder / "other.csv").write_text("x\n1\n")
    for command in ("assess", "attack"):
        run = discreet(command, "housing.csv", "other.csv", "-s", "housing.toml", cwd=folder)
        refused(run, "The two files have no attribute in common.")
        assert "`discreet link` links such files by the linker structural" in run.stderr.replace("\n", " ")
    run = discreet("datasets", "business", "--n", 10, "-o", "none/b.csv", cwd=folder)
    refused(run, "does not exist")


def test_a_defect_is_reported_without_the_value_in_its_message(folder, monkeypatch, capsys):
    from discreet import workflow

    def broken(*_args, **_kwargs):
        raise ZeroDivisionError(SECRET)

    monkeypatch.setattr(workflow, "inspect", broken)
    assert main._code(["inspect", str(folder / "housing.csv")]) == 3
    shown = capsys.readouterr()
    assert SECRET not in shown.out + shown.err
    assert "ZeroDivisionError" in shown.err


def test_control_characters_in_names_do_not_reach_the_terminal(tmp_path):
    (tmp_path / "h.csv").write_text('"a\x1b[31m","[bold]b"\n1.5,2.5\n2.5,3.5\n')
    run = discreet("inspect", "h.csv", cwd=tmp_path)
    assert run.returncode == 0
    assert "\x1b[31m" not in run.stdout
    assert "[bold]b" in run.stdout


def test_runs_as_the_installed_command():
    script = Path(sys.executable).with_name("discreet")
    run = subprocess.run([script, "--version"], capture_output=True, text=True, check=True, env=os.environ)
    assert run.stdout.startswith("discreet ")
