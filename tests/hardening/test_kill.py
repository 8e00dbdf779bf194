"""A process that is ended at any moment leaves a whole file or none, and a study goes on where it stopped.

The process ends itself, at a moment that the system names: when a file is opened, made or given its name, when a row
has reached the disk. So every run ends at the same place, on a machine of any speed.
"""

from __future__ import annotations

import json
import signal

import pytest

from discreet import workflow

# Sends itself the signal at the event, of which the last words are the end of a path.
AT_EVENT = """
import os, sys
number, event, ending, *arguments = sys.argv[1:]
def listen(name, details):
    global event
    if name == event and any(str(one).endswith(ending) for one in details[:2]):
        event = ""
        os.kill(os.getpid(), int(number))
sys.addaudithook(listen)
sys.argv = ["discreet", *arguments]
from discreet.cli import main
main.run()
"""
# Is killed when so many rows have reached the disk.
AT_ROW = """
import os, signal, sys
count, *arguments = sys.argv[1:]
sync, rows = os.fsync, []
def count_and_sync(handle):
    sync(handle)
    rows.append(handle)
    if len(rows) == int(count):
        os.kill(os.getpid(), signal.SIGKILL)
os.fsync = count_and_sync
sys.argv = ["discreet", *arguments]
from discreet.cli import main
main.run()
"""
MOMENTS = {
    "reading": ("open", "survey.csv"),
    "writing": ("tempfile.mkstemp", ".part"),
    "naming": ("os.rename", "out.csv"),
}
PROTECT = ["protect", "survey.csv", "--schema", "survey.toml", "--k", "3", "-o", "out.csv", "--quiet"]
STUDY = ["compare", "small.csv", "--schema", "small.toml", "-c", "pram theta=0.1,0.2,0.3,0.4", "--workers", "1",
         "--quiet", "--seed", "1"]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kill")
    workflow.write_dataset("business", folder / "survey.csv", n=400)
    workflow.write_dataset("housing", folder / "small.csv", n=120)
    return folder


@pytest.fixture(scope="module")
def whole(folder):
    survey = workflow.read(folder / "survey.csv", folder / "survey.toml")
    workflow.write(workflow.protect(survey, "mdav", k=3), folder / "whole.csv")
    return (folder / "whole.csv").read_bytes()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", MOMENTS)
def test_protect_leaves_a_whole_file_or_none(nursery, folder, whole, tmp_path, moment, number):
    for name in ("survey.csv", "survey.toml"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "tmp").mkdir()
    run = nursery.run(AT_EVENT, [int(number), *MOMENTS[moment], *PROTECT], tmp_path, {"TMPDIR": str(tmp_path / "tmp")})
    code, said = run.returncode, run.stderr
    names = {path.name for path in tmp_path.iterdir()} - {"survey.csv", "survey.toml", "tmp"}
    assert (tmp_path / "survey.csv").read_bytes() == (folder / "survey.csv").read_bytes()
    assert "Traceback" not in said
    if number == signal.SIGKILL:
        assert code == -signal.SIGKILL, said
        assert "out.csv" not in names, "the file has no name yet"
    elif moment == "naming":
        assert code == 0, "too late: the file is whole and gets its name"
        assert (tmp_path / "out.csv").read_bytes() == whole
    else:
        assert code == 128 + number, said
        assert names == set(), "nothing is left"
        assert not list((tmp_path / "tmp").iterdir())


def rows(path):
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    results = [{k: v for k, v in line.items() if "second" not in k} for line in lines if "experiment" in line]
    return sorted(results, key=lambda row: row["experiment"])


def test_a_killed_study_goes_on_and_ends_the_same(nursery, folder):
    def run(count, *arguments):
        return nursery.run(AT_ROW, [count, *STUDY, *arguments], folder)

    done = run(0, "--store", "whole.jsonl", "-o", "whole-rows.csv")
    assert done.returncode == 0, done.stderr
    goal = rows(folder / "whole.jsonl")
    store = ["--store", "rows.jsonl", "-o", "rows.csv"]
    for number, resume in enumerate(([], ["--resume"]), start=1):
        assert run(1, *store, *resume).returncode == -signal.SIGKILL
        assert rows(folder / "rows.jsonl") == goal[:number]
        assert not (folder / "rows.csv").exists()
    with (folder / "rows.jsonl").open("a") as file:
        file.write('{"experiment": 2, "sco')  # as a kill in the middle of a line leaves it
    done = run(0, *store, "--resume")
    assert done.returncode == 0, done.stderr
    assert rows(folder / "rows.jsonl") == goal
    assert (folder / "rows.csv").read_text().count("\n") == 1 + len(goal)
