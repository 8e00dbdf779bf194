"""``init``, ``run``, ``check`` and ``protect --print-python`` as a user types them."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace as Namespace

import polars as pl
import pytest
import typer

from discreet import workflow
from discreet.cli import console, main, protocol_commands

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


# --------------------------------------------------------------------------------------- what is shown, whole


@pytest.fixture
def wide(monkeypatch):
    """Lines that are not broken, however long."""
    for one in (console.out, console.err):
        monkeypatch.setattr(one, "_width", 200)


def figures(risk, loss, value, *, incomplete=False, sentence="A [fair] one."):
    told = {"risk": risk, "loss": loss, "score": value}
    return Namespace(
        risk=risk, loss=loss, value=value, incomplete=incomplete, sentence=sentence, to_dict=lambda: dict(told)
    )


def verdict(name, met):
    return Namespace(name=name, met=met, sentence=f"{name} is so.", to_dict=lambda: {"name": name, "met": met})


def remark(sentence):
    return Namespace(sentence=sentence, hint="Think.", code="weak", to_dict=lambda: {"sentence": sentence})


class Masked:
    """A table that was masked."""

    provenance = Namespace(
        guarantees=[Namespace(sentence="Every group has 5.")],
        notes=["A note with [brackets]."],
        to_dict=lambda *, internal: {"internal": internal},
    )

    def __repr__(self):
        return "Microdata(3 records)"


def released(*verdicts, incomplete=False):
    after = Namespace(score=figures(12.345, 6.7, 9.5, incomplete=incomplete), unmasked=figures(80, 0, 40))
    return Namespace(
        verdicts=list(verdicts),
        assessment=after,
        before={"all keys": Namespace(score=figures(81, 1, 41))},
        after={"all keys": after},
        masked=Masked(),
        advice=[remark("k is small.")],
    )


PATHS = {"masked": Path("a/b.csv"), "manifest": Path("a/b.json")}
ENTRY = {
    "verdicts": [{"name": "risk_at_most", "met": True}],
    "files": {"masked": "a/b.csv", "manifest": "a/b.json"},
    "headline": {"risk": 12.345, "loss": 6.7, "score": 9.5, "unmasked": {"risk": 80, "loss": 0, "score": 40}},
    "scenarios": {"all keys": {"risk_before": 81, "risk": 12.345, "loss": 6.7, "score": 9.5}},
    "masking": {"internal": True},
    "advice": [{"sentence": "k is small."}],
}
SHOWN = """\
Microdata(3 records)
scenario risk loss score
all keys 12.35 6.70 9.50
the unmasked file 80.00 0.00 40.00
• Every group has 5. Counted in the written file.
Score 9.50 A [fair] one.
• A note with [brackets].
masked a/b.csv
manifest a/b.json"""


def plain(text):
    """What is shown without the lines of its tables, with single blanks."""
    lines = (" ".join(line.translate(dict.fromkeys(map(ord, "┏━┳┓┃┡╇┩│└─┴┘├┼┤╞╪╡"), " ")).split())
             for line in text.splitlines())  # fmt: skip
    return "\n".join(line for line in lines if line)


def test_a_release_is_shown_whole(wide, capsys):
    protocol_commands._show_run(released(), PATHS)
    assert plain(capsys.readouterr().out) == SHOWN
    protocol_commands._show_run(released(incomplete=True), {})
    shown = plain(capsys.readouterr().out).splitlines()
    assert shown[2] == "all keys ≥ 12.35 6.70 ≥ 9.50"
    assert shown[3] == "the unmasked file 80.00 0.00 40.00"


def test_a_release_is_told_whole():
    assert protocol_commands._entry(released(verdict("risk_at_most", met=True)), PATHS) == ENTRY


@pytest.mark.parametrize(
    ("met", "names", "said", "missed"),
    [
        ((), None, "", None),
        ((True,), None, "met a: a is so.", None),
        ((True, False), None, "met a: a is so.\nnot met b: b is so.", "1 of 2"),
        ((False, False), ["p", "[q]"], "not met p: a: a is so.\nnot met [q]: b: b is so.", "2 of 2"),
    ],
)
def test_verdicts_are_shown_and_one_that_is_not_met_ends_with_1(wide, capsys, met, names, said, missed):
    verdicts = [verdict(name, met=one) for name, one in zip("ab", met, strict=False)]
    for quiet in (False, True):
        with pytest.raises(typer.Exit) if missed else contextlib.nullcontext() as ended:
            protocol_commands._end(verdicts, quiet=quiet, names=names)
        assert not missed or ended.value.exit_code == 1
        shown = capsys.readouterr()
        assert plain(shown.out) == ("" if quiet else said)
        assert shown.err == (f"{missed} thresholds are not met: not to be released like this.\n" if missed else "")


def tables(*, met=True):
    people = released(verdict("risk_at_most", met=True), verdict("smallest_group", met=met))
    return Namespace(
        met=met,
        runs={"people": people, "visits": released(verdict("risk_at_most", met=True))},
        notes=["Keys are [linked]."],
        verdicts={"people": people.verdicts, "visits": [verdict("risk_at_most", met=True)]},
    )


TABLE_PATHS = {"people": PATHS, "visits": {}, "": {"manifest": Path("a/m.json")}}
VERDICTS = "met people: risk_at_most: risk_at_most is so.\nmet people: smallest_group: smallest_group is so.\n"
VERDICTS += "met visits: risk_at_most: risk_at_most is so."


def test_tables_are_shown_one_after_the_other(wide, capsys):
    protocol_commands._show_tables(tables(), TABLE_PATHS, json=False, quiet=False)
    shown = capsys.readouterr()
    visits = "\n".join(SHOWN.splitlines()[:-2])
    whole = f"people\n{SHOWN}\nvisits\n{visits}\n• Keys are [linked].\nmanifest a/m.json\n{VERDICTS}"
    assert plain(shown.out) == whole
    assert shown.err == "Note: k is small. Think.\n" * 2
    protocol_commands._show_tables(tables(), {"people": {}, "visits": {}}, json=False, quiet=True)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("quiet", [False, True])
def test_tables_are_told_to_machines_with_their_verdicts(capsys, quiet):
    with pytest.raises(typer.Exit):
        protocol_commands._show_tables(tables(met=False), TABLE_PATHS, json=True, quiet=quiet)
    told = json.loads(capsys.readouterr().out)
    people = {**ENTRY, "verdicts": [*ENTRY["verdicts"], {"name": "smallest_group", "met": False}]}
    assert told == {
        "met": False,
        "tables": {"people": people, "visits": {**ENTRY, "files": {}}},
        "files": {"manifest": "a/m.json"},
        "notes": ["Keys are [linked]."],
    }


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("met", [False, True])
def test_what_is_checked_is_shown_or_told(wide, monkeypatch, capsys, several, met):
    verdicts = tables(met=met).verdicts if several else [verdict("a", met=True), verdict("b", met=met)]
    asked = []

    def check(protocol, masked, **options):
        asked.append((protocol, masked, options["delimiter"], options["encoding"]))
        return verdicts

    monkeypatch.setattr(workflow, "check", check)
    command = ["check", "p.toml", "m.csv", "--delimiter", ";", "--encoding", "latin1"]
    assert main._code(command) == int(not met)
    shown = capsys.readouterr()
    said = VERDICTS if several else "met a: a is so.\nmet b: b is so."
    for name in () if met else ("met people: smallest_group", "met b:"):
        said = said.replace(name, f"not {name}")
    assert plain(shown.out) == said
    assert main._code([*command, "--quiet"]) == int(not met)
    assert capsys.readouterr().out == ""
    assert main._code([*command, "--json"]) == int(not met)
    told = json.loads(capsys.readouterr().out)
    if several:
        of_people = [{"name": "risk_at_most", "met": True}, {"name": "smallest_group", "met": met}]
        entries = {"people": of_people, "visits": [{"name": "risk_at_most", "met": True}]}
        assert told == {"met": met, "tables": entries}
    else:
        assert told == {"met": met, "verdicts": [{"name": "a", "met": True}, {"name": "b", "met": met}]}
    assert set(asked) == {(Path("p.toml"), Path("m.csv"), ";", "latin1")}


@pytest.mark.parametrize(
    ("steps", "scenarios", "limits", "shown_limits"),
    [
        (1, 2, {"risk_at_most": 20.0, "smallest_group": 5}, "risk_at_most = 20, smallest_group = 5"),
        (2, 1, {}, None),
        (0, 0, {"loss_at_most": 2.5}, "loss_at_most = 2.5"),
    ],
)
def test_a_proposal_is_said_in_one_sentence_or_told(
    wide, monkeypatch, capsys, tmp_path, steps, scenarios, limits, shown_limits
):
    def part(name):
        return Namespace(role=name, to_dict=lambda: {"name": name})

    proposal = Namespace(
        schema=[part("key"), part("identifier"), part("key")],
        steps=[part(f"step {i}") for i in range(steps)],
        scenarios=[part(f"scenario {i}") for i in range(scenarios)],
        thresholds=limits,
        seed=7,
    )
    asked = []

    def propose(data, **options):
        asked.append((data, options["schema"], options["folder"], options["release"], options["delimiter"]))
        return proposal

    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x\n1\n")
    monkeypatch.setattr(workflow, "propose", propose)
    monkeypatch.setattr(workflow, "read", None)  # without a schema that was given, the file is not looked at again
    monkeypatch.setattr(workflow, "advise_protocol", lambda one, table: [remark(f"{one.seed} {table}")])
    monkeypatch.setattr(workflow, "save_protocol", lambda _, path, __: path.write_text("ok"))
    command = ["init", "a.csv", "-o", "p.toml", "--for", "public", "--force", "--delimiter", ";"]
    assert main._code(command) == 0
    shown = capsys.readouterr()
    counts = ["0 steps", "1 step", "2 steps"][steps], ["0 scenarios", "1 scenario", "2 scenarios"][scenarios]
    said = [f"Written to p.toml: 3 attributes (2 key, 1 identifier), {counts[0]}, {counts[1]}."]
    if shown_limits:
        said.append(f"Thresholds for public use, from what the file risks unmasked: {shown_limits}.")
    assert shown.out.splitlines() == [*said, "Look at every role, then: discreet run p.toml"]
    assert shown.err == "Note: 7 None Think.\n"
    assert (tmp_path / "p.toml").read_text() == "ok"
    assert asked == [(Path("a.csv"), None, Path(), "public", ";")]
    assert main._code([*command, "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main._code([*command, "--json"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert json.loads(shown.out) == {
        "protocol": "p.toml",
        "attributes": [{"name": "key"}, {"name": "identifier"}, {"name": "key"}],
        "scenarios": [{"name": f"scenario {i}"} for i in range(scenarios)],
        "steps": [{"name": f"step {i}"} for i in range(steps)],
        "thresholds": limits,
        "seed": 7,
        "advice": [{"sentence": "7 None"}],
    }


def test_the_data_are_no_protocol_even_by_force_and_before_any_work(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x\n1\n")
    (tmp_path / "s.toml").write_text("")
    monkeypatch.setattr(workflow, "propose", None)
    for target in ("a.csv", "s.toml"):
        assert main._code(["init", "a.csv", "-s", "s.toml", "-o", target, "--force"]) == 2
        assert target in capsys.readouterr().err
    assert (tmp_path / "a.csv").read_text() == "x\n1\n"


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("met", [False, True])
@pytest.mark.parametrize("how", [[], ["--quiet"], ["--json"]])
def test_a_run_is_shown_or_told_and_ends_as_its_verdicts_say(wide, monkeypatch, capsys, several, met, how):
    done = []

    @contextlib.contextmanager
    def opened(name, *values, **options):
        done.append((name, *values, options))
        yield name
        done.append(f"end of {name}")

    one = released(verdict("risk_at_most", met=met))
    one.met = met
    release = tables(met=met) if several else one
    release.write = lambda folder: done.append(folder) or (TABLE_PATHS if several else PATHS)

    class Several:
        """What is run where there are several tables."""

    if several:
        release = type("Both", (Several,), vars(release))
        release.write = staticmethod(release.write)
        release = release()
    monkeypatch.setattr(workflow, "TablesRun", Several)
    monkeypatch.setattr(workflow, "data_of", lambda protocol: f"data of {protocol}")
    monkeypatch.setattr(workflow, "run", lambda *values, **options: done.append((*values, options)) or release)
    monkeypatch.setattr(workflow, "engine_named", lambda *values: opened("engine", *values))
    monkeypatch.setattr(workflow, "written_together", lambda **options: opened("together", **options))
    monkeypatch.setattr(protocol_commands, "progress", lambda **options: opened("bars", **options))
    monkeypatch.setattr(
        protocol_commands, "engine_of", lambda *values, **options: done.append((*values, options)) or "streaming"
    )
    command = ["run", "p.toml", "-o", "out", "--engine", "e", "--master", "m", "--block-size", "5000", *how]
    assert main._code(command) == int(not met)
    quiet = bool(how)
    assert done == [
        ("data of p.toml", "e", "m", {"quiet": quiet}),
        ("bars", {"quiet": quiet, "verbose": False}),
        ("engine", "streaming", "m", {}),
        (Path("p.toml"), {"engine": "engine", "block_size": 5000}),
        ("together", {"last": True}),
        Path("out"),
        "end of together",
        "end of engine",
        "end of bars",
    ]
    shown = capsys.readouterr()
    missed = "" if met else f"1 of {3 if several else 1} thresholds are not met: not to be released like this.\n"
    if how:
        assert shown.err == missed
    if how == ["--quiet"]:
        assert shown.out == ""
    elif how:
        told = json.loads(shown.out)
        assert told["met"] is met
        assert several or told == {"met": met, **ENTRY, "verdicts": [{"name": "risk_at_most", "met": met}]}
        assert not several or list(told["tables"]) == ["people", "visits"]
    else:
        assert shown.err == "Note: k is small. Think.\n" * (2 if several else 1) + missed
        end = f"{'met' if met else 'not met'} risk_at_most: risk_at_most is so."
        assert several or plain(shown.out) == f"{SHOWN}\n{end}"
        assert not several or plain(shown.out).startswith("people\n")
