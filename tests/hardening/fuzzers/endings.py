"""Commands that are ended at random moments, by Ctrl-C, by SIGTERM, or without warning."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from discreet import workflow

COMMANDS = (
    ["protect", "survey.csv", "-s", "survey.toml", "--k", "3", "-o", "out/a.csv", "--manifest", "out/m.json",
     "--seed", "1"],
    ["protect", "survey.parquet", "-s", "survey.toml", "--engine", "streaming", "--block-size", "500", "--k", "3",
     "-o", "out/a.parquet", "--seed", "1"],
)  # fmt: skip
WRITTEN = ({"a.csv", "m.json"}, {"a.parquet"})
# Says when it has begun: how Python itself ends while it starts is Python's own.
PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite in the background inherits that Ctrl-C is ignored
print("begun", flush=True)
from discreet.cli.main import run
sys.argv[0] = "discreet"
run()
"""


def case(rng: np.random.Generator, folder: Path) -> str | None:
    workflow.write_dataset("business", folder / "survey.csv", n=3000)
    workflow.write(workflow.read(folder / "survey.csv", folder / "survey.toml"), folder / "survey.parquet")
    (folder / "out").mkdir()
    (folder / "tmp").mkdir()
    which = int(rng.integers(len(COMMANDS)))
    number = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL][rng.integers(3)]
    source = (folder / "survey.csv").read_bytes()
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *COMMANDS[which], "--quiet"],
        cwd=folder, env={**os.environ, "TMPDIR": str(folder / "tmp")},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with running.stdout:
        running.stdout.readline()
    try:
        # It may end, or not have begun, before the signal comes: every moment is a moment.
        running.wait(float(rng.uniform(0.0, 6.0)))
    except subprocess.TimeoutExpired:
        running.send_signal(number)
    began = time.monotonic()
    try:
        running.wait(600)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()
        return f"{number.name}: still running after {time.monotonic() - began:.0f} s"
    code = running.returncode
    written = {path.name for path in (folder / "out").iterdir() if not path.name.startswith(".")}
    hidden = [path for path in (folder / "out").iterdir() if path.name.startswith(".")]
    left = list((folder / "tmp").glob("discreet-*"))
    if (folder / "survey.csv").read_bytes() != source:
        return f"{number.name}: the input was changed"
    if code == 0 and written != WRITTEN[which]:
        return f"{number.name}: done, but {sorted(written)} were written"
    if code not in (0, 130, 143, -number):  # before our handlers stand, the system's do
        return f"{number.name}: exit code {code}"
    if code in (130, 143) and (written or hidden):
        return f"{number.name}: exit code {code}, and {sorted(written)} were written"
    if code in (0, 130, 143) and left:
        return f"{number.name}: temporary folders were left"
    # A signal may come when all is written and Python itself is ending.
    if number != signal.SIGKILL and code != 0 and written and written != WRITTEN[which]:
        return f"{number.name}: half a release was written"
    return None
