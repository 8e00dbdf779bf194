"""How the command line behaves: help, quiet, verbose, colours, completion, default names, reports, warnings."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from discreet.cli import console, main
from discreet.progress import report

COMMANDS = [command.callback.__name__ for command in main.app.registered_commands]


def discreet(*arguments, cwd):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main._code([str(argument) for argument in arguments])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture
def folder(tmp_path):
    assert discreet("datasets", "housing", "--n", 80, "-o", "h.csv", "-q", cwd=tmp_path) == (0, "", "")
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_help_explains_with_an_example(command, tmp_path):
    code, out, _ = discreet(command, "--help", cwd=tmp_path)
    assert code == 0
    assert "xample" in out
    assert f"discreet {command}" in " ".join(out.split())


def test_no_word_of_a_help_is_taken_for_markup():
    """What stands in square brackets would be swallowed: a page said "a protocol with several []"."""
    from rich.text import Text
    from typer.main import get_command

    commands = get_command(main.app).commands
    assert set(commands) >= {"protect", "run", "assess"}
    for name, command in commands.items():
        for text in [command.help, *(getattr(option, "help", None) for option in command.params)]:
            for word in re.findall(r"\[+[a-z.]+\]+", text or ""):
                shown = Text.from_markup(text).plain
                assert word in shown, f"{name}: {word} would not be shown; write \\{word}"


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "studio"])  # that one serves a page
def test_json_and_quiet_are_everywhere(command, tmp_path):
    _, out, _ = discreet(command, "--help", cwd=tmp_path)
    assert "--json" in out
    assert "--quiet" in out or command == "methods"


def test_no_bar_disturbs_what_a_machine_reads():
    """Whatever can be read by machines shows no bar there, nor where it is told to be quiet, on a terminal either."""
    seen = 0
    for file in sorted(Path(main.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "progress":
                shown = {one.arg: ast.unparse(one.value) for one in node.keywords}
                assert shown["quiet"] == "quiet or json", f"{file.name}:{node.lineno}"
                assert shown.get("verbose", "verbose") == "verbose", f"{file.name}:{node.lineno}"
                seen += 1
    assert seen > 15


@pytest.mark.parametrize(("quiet", "bars"), [(True, False), (False, True)])
def test_bars_are_shown_on_a_terminal_unless_it_is_to_be_quiet(quiet, bars, monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr(console, "err", Console(file=shown, force_terminal=True, width=80))
    with console.progress(quiet=quiet):
        report("sorting", 1, 3)
    assert ("sorting" in shown.getvalue()) is bars


def test_the_exit_codes_are_told(tmp_path):
    _, out, _ = discreet("--help", cwd=tmp_path)
    assert "0 done, 1 threshold not met or file changed, 2 bad input" in " ".join(out.split())


def test_a_release_without_a_name_goes_beside_its_data_and_never_over_a_file(folder):
    code, _, err = discreet("protect", "h.csv", "-s", "h.toml", "--k", 5, cwd=folder)
    assert code == 0, err
    written = (folder / "h-masked.csv").read_bytes()
    code, _, err = discreet("protect", "h.csv", "-s", "h.toml", "--k", 9, cwd=folder)
    assert code == 2
    assert "exists already" in err
    assert (folder / "h-masked.csv").read_bytes() == written
    code, _, err = discreet("protect", "h.csv", "-s", "h.toml", "--k", 9, "--force", cwd=folder)
    assert code == 0, err
    assert (folder / "h-masked.csv").read_bytes() != written


def test_the_line_of_the_itineraries(tmp_path):
    rows = ["gate lake tower", "gate lake", "gate tower lake", "shop gate", "shop", "lake gate"] * 3
    lines = [f"v{i},{row}" for i, row in enumerate(rows)]
    (tmp_path / "trips.csv").write_text("visitor_id,visits\n" + "\n".join(lines) + "\n")
    line = "protect trips.csv --sequence visits --k 5 --method kshc --quantifier power:2 --report report.html"
    code, _, err = discreet(*line.split(), cwd=tmp_path)
    assert code == 0, err
    assert len((tmp_path / "trips-masked.csv").read_text().splitlines()) == 19
    assert "Steps from event to event" in (tmp_path / "report.html").read_text()


def test_a_whole_release_in_one_line(folder):
    files = ("--report", "i.html", "--external", "e.json", "--manifest", "m.json")
    code, out, err = discreet(
        "protect", "h.csv", "-s", "h.toml", "--k", 5, "--seed", 77001, *files, "--json", cwd=folder
    )  # fmt: skip
    assert code == 0, err
    told = json.loads(out)
    assert set(told["files"]) == {"masked", "internal", "external", "manifest"}
    assert "77001" in (folder / "i.html").read_text()
    assert "77001" not in (folder / "e.json").read_text()
    assert "before" in (folder / "i.html").read_text()
    listed = json.loads((folder / "m.json").read_text())
    assert [entry["name"] for entry in listed["files"]] == ["h-masked.csv", "i.html", "e.json"]
    assert [entry["name"] for entry in listed["inputs"]] == ["h.csv", "h.toml"]
    code, _, err = discreet("protect", "h.csv", "-s", "h.toml", "-o", "x.csv", "--report", "i.docx", cwd=folder)
    assert code == 2
    assert ".html, .pdf or .json" in err
    assert not (folder / "x.csv").exists()


def test_weak_choices_are_told_on_standard_error_and_in_json(folder):
    weak = ("protect", "h.csv", "--k", 2, "-o", "w.csv", "--keys", "VALUE,RENT", "--others", "other")
    code, out, err = discreet(*weak, cwd=folder)
    assert code == 0
    assert "No attribute is declared confidential" in err
    assert "as few as 2 records" in err
    assert "Note:" not in out
    assert discreet(*weak, "-q", cwd=folder) == (0, "", "")
    _, out, err = discreet(*weak, "--json", cwd=folder)
    assert {"small-k", "no-confidential"} <= {remark["code"] for remark in json.loads(out)["advice"]}
    assert err == ""
    _, out, err = discreet("assess", "h.csv", "w.csv", "-s", "h.toml", cwd=folder)
    assert "only ones with their combination of keys" in err
    _, _, err = discreet("protect", "h.csv", "-m", "pram", "-o", "p.csv", "--seed", 1, cwd=folder)
    assert "No schema was given" in err


def test_quiet_says_the_result_only_and_verbose_says_how_long(folder):
    discreet("protect", "h.csv", "-s", "h.toml", "--k", 5, "-o", "m.csv", "-q", cwd=folder)
    both = ("h.csv", "m.csv", "-s", "h.toml")
    code, out, err = discreet("assess", *both, "-q", cwd=folder)
    assert code == 0
    assert out.startswith("Score")
    assert err == ""
    code, _, err = discreet("assess", *both, "--verbose", cwd=folder)
    assert re.search(r"measuring: \d+ steps in [\d.]+ s", err)
    assert "Done in" in err
    code, out, err = discreet("attack", *both, "-q", cwd=folder)
    assert "linked correctly" in out
    assert "Ties" not in out


def test_colours_are_for_terminals(folder):
    _, out, err = discreet("inspect", "h.csv", cwd=folder)
    _, _, bad = discreet("inspect", "none.csv", cwd=folder)
    assert "\x1b" not in out + err + bad


def on_a_terminal(arguments, folder, **environment):
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "discreet", *arguments], cwd=folder, stdout=slave, stderr=slave, stdin=slave,
        env={**os.environ, "TERM": "xterm-256color", **environment},
    )  # fmt: skip
    os.close(slave)
    shown = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(master, 4096):
            shown += chunk
    os.close(master)
    assert running.wait() == 2
    return shown.decode()


def test_no_color_is_respected_on_a_terminal(folder):
    environment = {name: value for name, value in os.environ.items() if name in ("NO_COLOR", "FORCE_COLOR")}
    if environment:
        pytest.skip("colours are set from outside")
    assert "\x1b[1;31m" in on_a_terminal(["inspect", "none.csv"], folder)
    assert "31m" not in on_a_terminal(["inspect", "none.csv"], folder, NO_COLOR="1")


def complete(*words):
    environment = {
        **os.environ, "_DISCREET_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }  # fmt: skip
    script = Path(sys.executable).with_name("discreet")
    run = subprocess.run([script], capture_output=True, text=True, env=environment, check=False)
    return run.stdout.split()


def test_the_shell_completes_commands_options_and_methods():
    assert "protect" in complete("discreet", "pro")
    assert "--sequence" in complete("discreet", "protect", "--seq")
    assert complete("discreet", "protect", "--method", "mda") == ["mdav"]
    assert "housing" in complete("discreet", "datasets", "ho")


@pytest.mark.parametrize(
    ("shell", "word"), [("bash", "complete -o"), ("zsh", "compdef"), ("fish", "complete --command")]
)
def test_shows_what_a_shell_needs_to_complete(shell, word):
    script = Path(sys.executable).with_name("discreet")
    # Typer looks at the processes above to find the shell; a test may have none above it and names one.
    environment = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    command = [script, "--show-completion", shell]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 0
    assert "_DISCREET_COMPLETE" in run.stdout
    assert word in run.stdout
