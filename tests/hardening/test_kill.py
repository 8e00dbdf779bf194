"""A process that is killed at any moment leaves a whole file or none, and a study goes on where it stopped."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from discreet import workflow


def kill_after(arguments, seconds, folder):
    """Start the command, kill it without warning, and return how it ended."""
    running = subprocess.Popen(
        [sys.executable, "-m", "discreet", *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        running.wait(seconds)
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGKILL)
        running.wait()
    return running.returncode


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kill")
    workflow.write_dataset("business", folder / "survey.csv", n=20_000)
    workflow.write_dataset("housing", folder / "small.csv", n=300)
    return folder


PROTECT = ["protect", "survey.csv", "--schema", "survey.toml", "--k", "3", "-o", "out.csv", "--quiet"]
STUDY = [
    *[
        "compare",
        "small.csv",
        "--schema",
        "small.toml",
        "-c",
        "pram theta=0.1,0.2,0.3,0.4,0.5,0.6",
        "--quiet",
        "--seed",
        "1",
    ],
    *["--store", "rows.jsonl", "-o", "rows.csv"],
]


def test_protect_leaves_a_whole_file_or_none(folder):
    started = time.monotonic()
    assert kill_after(PROTECT, 600, folder) == 0
    took = time.monotonic() - started
    whole, source = (folder / "out.csv").read_bytes(), (folder / "survey.csv").read_bytes()
    moments = np.random.default_rng(5)
    endings = set()
    for tried in range(8):
        if tried >= 3 and -signal.SIGKILL in endings:
            break
        (folder / "out.csv").unlink(missing_ok=True)
        endings.add(kill_after(PROTECT, took * moments.uniform(0.3, 1.0), folder))
        took *= 1.0 if -signal.SIGKILL in endings else 0.6  # the first run may have been the slowest by far
        assert not (folder / "out.csv").exists() or (folder / "out.csv").read_bytes() == whole
        assert (folder / "survey.csv").read_bytes() == source
    assert endings <= {0, -signal.SIGKILL}
    assert -signal.SIGKILL in endings


def test_a_killed_study_goes_on_and_ends_the_same(folder):
    started = time.monotonic()
    assert kill_after([*STUDY[:-4], "--store", "whole.jsonl", "-o", "whole.csv"], 600, folder) == 0
    took = time.monotonic() - started
    moments = np.random.default_rng(6)
    for resumed in range(4):
        kill_after([*STUDY, *(["--resume"] if resumed else [])], took * moments.uniform(0.5, 1.0), folder)
    assert kill_after([*STUDY, "--resume"], 600, folder) == 0

    def rows(path):
        lines = [json.loads(line) for line in (folder / path).read_text().splitlines() if line.strip()]
        kept = [{k: v for k, v in line.items() if "second" not in k} for line in lines if "experiment" in line]
        return sorted(kept, key=lambda row: row["experiment"])

    assert rows("rows.jsonl") == rows("whole.jsonl")
