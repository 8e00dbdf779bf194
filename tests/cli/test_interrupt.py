"""Every command × Ctrl-C: it ends with code 130 (or has been done), says so, and leaves no file behind.

A command is interrupted once it is at work: a small program tells when the function that does it has been entered, and
for kernels, when a compiled loop is running. No test depends on how fast the machine is; the limit of time is there to
tell a command that hangs.
"""

from __future__ import annotations

import json
import signal
import subprocess

import numpy as np
import polars as pl
import pytest

from discreet import workflow
from discreet.cli.main import app

LIMIT = 600
"""Seconds after which a command counts as one that does not end."""

# Says when the work has begun, and waits there if it would be over before the signal comes: what is interrupted then is
# a wait, as for a disk or another process, in the place where the command works.
CHILD = """
import importlib, sys, threading, time
calls = []
hook, wait, *arguments = sys.argv[1:]
where, name = hook.rsplit(".", 1)
import discreet.cli.main as main
import discreet.workflow
owner = importlib.import_module(where)
inner = getattr(owner, name)
def hooked(*given, **options):
    calls.append(1)
    if wait == "second" and len(calls) < 2:
        return inner(*given, **options)
    threading.Timer(0.3, lambda: print("working", flush=True)).start()
    if wait in ("wait", "second"):
        while True:
            time.sleep(0.05)
    return inner(*given, **options)
setattr(owner, name, hooked)
sys.argv = ["discreet", *arguments]
main.run()
"""

W = "discreet.workflow."
# By command: arguments, the function that does the work, and whether the test waits in it or lets it work.
COMMANDS = {
    "inspect": (["inspect", "data.csv", "-o", "out.toml"], W + "inspect", "wait"),
    "risk": (["risk", "data.csv", "-s", "data.toml", "--html", "out.html"], W + "risk", "wait"),
    "protect": (
        ["protect", "data.csv", "-s", "data.toml", "--report", "out.html", "-o", "out.csv"],
        W + "protect",
        "wait",
    ),
    "hierarchy": (["hierarchy", "data.csv", "EMPLOYEES", "-o", "out.csv"], W + "build_hierarchy", "wait"),
    "lattice": (["lattice", "data.csv", "--k", "3", "-o", "out.csv"], W + "masker_for", "wait"),
    "assess": (["assess", "data.csv", "data.csv", "-s", "data.toml"], W + "assess", "wait"),
    "certify": (["certify", "data.csv", "data.csv", "-s", "data.toml", "--k", "3"], W + "certify", "wait"),
    "init": (["init", "data.csv", "-o", "out.toml"], W + "propose", "wait"),
    "import": (["import", "script.R", "--data", "data.csv", "-o", "out.toml"], W + "import_protocol", "wait"),
    "run": (["run", "protocol.toml", "-o", "out"], W + "run", "wait"),
    "check": (["check", "protocol.toml", "data.csv"], W + "check", "wait"),
    "approve": (["approve", "manifest.json", "--by", "A", "--reason", "B"], W + "approve", "wait"),
    "verify": (["verify", "manifest.json"], W + "check_manifest", "wait"),
    "renumber": (["renumber", "data.csv", "--on", "EMPLOYEES", "-o", "out"], W + "renumber_files", "wait"),
    "key": (["key", "new", "out.key"], W + "new_key", "wait"),
    "reveal": (
        ["reveal", "data.csv", "-c", "EMPLOYEES", "--key", "no.key", "-o", "out.csv"],
        W + "reveal_file",
        "wait",
    ),
    "attack": (["attack", "data.csv", "data.csv", "-s", "data.toml"], W + "attack", "wait"),
    "link": (["link", "data.csv", "data.csv", "-s", "data.toml", "-o", "out.csv"], W + "link", "wait"),
    "match": (["match", "data.csv", "data.csv", "-s", "data.toml"], W + "match_variables", "wait"),
    "compare": (["compare", "data.csv", "-s", "data.toml", "-c", "mdav k=3", "-o", "out.csv"], W + "compare", "wait"),
    "tune": (["tune", "data.csv", "-s", "data.toml", "-c", "mdav k=3,4", "-o", "out.csv"], W + "tune", "wait"),
    "papers": (["papers", "p0", "--html", "out.html"], W + "compare_papers", "wait"),
    "methods": (["methods"], W + "kept_methods", "wait"),
    "datasets": (["datasets", "business", "-o", "out.csv"], W + "write_dataset", "wait"),
    "demo": (["demo", "-o", "out"], W + "demo", "wait"),
    "warm": (["warm"], W + "warm", "wait"),
}
# Long work in compiled loops, of which none looks back at Python by itself.
LONG = {
    "ward": ["protect", "large.csv", "-m", "ward", "--k", "5", "-o", "out.csv"],
    "refine": ["protect", "large.csv", "--k", "5", "--set", "refine=600s", "-o", "out.csv"],
    "mixed-mdav": ["protect", "large.csv", "-m", "mixed-mdav", "--k", "3", "-o", "out.csv"],
    "genetic": ["protect", "large.csv", "-m", "genetic", "--set", "generations=1000000", "--k", "3", "-o", "out.csv"],
    "polish": ["protect", "small.csv", "-m", "refine", "--k", "3", "--set", "budget=600s", "-o", "out.csv"],
    "certify": ["certify", "small.csv", "grouped.csv", "--k", "3", "--budget", "600s"],
    "compare": ["compare", "large.csv", "-c", "ward k=3,4,5", "--workers", "1", "-o", "out.csv"],
    "tune": ["tune", "large.csv", "-c", "ward k=3,4,5", "--workers", "1", "-o", "out.csv"],
}
KERNELS = {
    "ward": "discreet.masking.microaggregation.numbers.ward.ward",
    "refine": "discreet.masking.microaggregation.numbers.refinement.refine",
    "mixed-mdav": "discreet.masking.microaggregation.records.mixed_mdav.mixed_mdav",
    "genetic": "discreet.masking.microaggregation.numbers.genetic.genetic",
    "polish": "discreet.masking.microaggregation.numbers.polish.polished",
    "certify": "discreet.evaluation.certifying.ListedPrices",
    "compare": "discreet.masking.microaggregation.numbers.ward.ward",
    "tune": "discreet.masking.microaggregation.numbers.ward.ward",
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("interrupt")
    workflow.write_dataset("business", folder / "data.csv", n=60)
    workflow.save_protocol(workflow.propose(folder / "data.csv"), folder / "protocol.toml")
    (folder / "manifest.json").write_text("{}")
    rng = np.random.default_rng(3)
    for name, n in (("large", 60_000), ("small", 1500)):
        pl.DataFrame({c: rng.normal(size=n).round(4) for c in "abcd"}).write_csv(folder / f"{name}.csv")
    small = workflow.read(folder / "small.csv")
    workflow.write(workflow.protect(small, "mdav", k=3), folder / "grouped.csv")
    return folder


def interrupt(nursery, inputs, tmp_path, arguments, hook, wait, number=signal.SIGINT, stays=()):
    """Run a command until it works, send the signal, and return how it ended, with what it said."""
    for path in inputs.iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / "tmp").mkdir()
    before = {path.name for path in tmp_path.iterdir()}
    environment = {"TMPDIR": str(tmp_path / "tmp")}
    running = nursery.start(CHILD, [hook, wait, *arguments], tmp_path, environment)
    try:
        for line in running.stdout:
            if line.strip() == "working":
                break
        running.send_signal(number)
        _, said = running.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        running.kill()
        running.communicate()
        pytest.fail(f"{arguments[0]} went on for {LIMIT} s after the signal")
    assert {path.name for path in tmp_path.iterdir()} == before | set(stays), "a file was left"
    assert not list((tmp_path / "tmp").iterdir()), "a temporary file was left"
    return running.returncode, said


def test_every_command_is_here():
    names = {command.callback.__name__ for command in app.registered_commands}
    assert set(COMMANDS) == names - {"studio"}  # a server: see tests/studio


@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_ends_every_command(nursery, inputs, tmp_path, command):
    code, said = interrupt(nursery, inputs, tmp_path, *COMMANDS[command])
    assert code == 130, said
    assert "Interrupted" in said
    assert "defect" not in said


@pytest.mark.parametrize("kind", LONG)
def test_ctrl_c_ends_compiled_loops(nursery, inputs, tmp_path, kind):
    code, said = interrupt(nursery, inputs, tmp_path, LONG[kind], KERNELS[kind], "work")
    assert code == 130, said
    assert "Interrupted" in said
    assert "experiments failed" not in said


def test_sigterm_ends_a_command_too(nursery, inputs, tmp_path):
    code, _ = interrupt(nursery, inputs, tmp_path, LONG["ward"], KERNELS["ward"], "work", signal.SIGTERM)
    assert code == 128 + signal.SIGTERM


# The store is a file that gets its name before the work begins: what is put in place early must not end the hearing.
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("kind", ["compare", "tune"])
def test_a_store_does_not_make_a_command_deaf(nursery, inputs, tmp_path, kind, number):
    arguments = [*LONG[kind], "--store", "rows.jsonl"]
    code, said = interrupt(nursery, inputs, tmp_path, arguments, KERNELS[kind], "work", number, ["rows.jsonl"])
    assert code == 128 + number, said


@pytest.mark.parametrize("kind", ["compare", "tune"])
def test_finished_rows_stay_in_the_store(nursery, inputs, tmp_path, kind):
    arguments = [kind, "data.csv", "-c", "mdav k=3,4,5", "--workers", "1", "--store", "rows.jsonl", "-o", "out.csv"]
    hook = "discreet.masking.microaggregation.numbers.mdav.mdav"
    code, said = interrupt(nursery, inputs, tmp_path, arguments, hook, "second", stays=["rows.jsonl"])
    assert code == 130, said
    assert "Interrupted" in said
    first, *rows = map(json.loads, (tmp_path / "rows.jsonl").read_text().splitlines())
    assert set(first) == {"study", "seed"}
    assert len(rows) == 1


@pytest.mark.parametrize("step", ["protect", "write_report", "write_manifest"])
def test_nothing_is_left_of_a_demonstration_that_was_interrupted(nursery, inputs, tmp_path, step):
    arguments = ["demo", "--n", "60", "-o", "out"]
    code, said = interrupt(nursery, inputs, tmp_path, arguments, f"discreet.release.demo.{step}", "wait")
    assert code == 130, said
    assert "Interrupted" in said
