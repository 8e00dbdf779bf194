"""What the first command costs with nothing compiled, and the next ones: CPU seconds of a process of its own."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

COMMAND = str(Path(sys.executable).with_name("discreet"))


def cpu(arguments: list[str], folder: Path, cache: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "DISCREET_CACHE_DIR": str(cache)}
    subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rng = np.random.default_rng(5)
        pl.DataFrame({c: rng.normal(size=2000).round(3) for c in "abcdef"}).write_csv(folder / "x.csv")
        protect = [COMMAND, "protect", "x.csv", "--method", "mdav", "--k", "5", "--force", "-o", "y.csv"]
        jobs = {
            "import numpy": ([sys.executable, "-c", "import numpy"], 0.0),
            "import numba": ([sys.executable, "-c", "import numba"], 0.0),
            "import discreet as dc; dc.MDAV": ([sys.executable, "-c", "import discreet as dc; dc.MDAV"], 0.6),
            "methods": ([COMMAND, "methods"], 0.6),
            "protect, nothing compiled": (protect, 5.0),
            "assess, nothing compiled": ([COMMAND, "assess", "x.csv", "y.csv"], 10.0),
            "demo, nothing compiled": ([COMMAND, "demo", "--output", "demo"], 15.0),
        }
        print("| job | CPU s | goal |\n| --- | --- | --- |")
        for place, (job, (arguments, goal)) in enumerate(jobs.items()):
            print(f"| {job} | {cpu(arguments, folder, folder / f'cache{place}'):.2f} | {goal or ''} |", flush=True)
        print(f"| protect, once more | {cpu(protect, folder, folder / 'cache4'):.2f} | 1.2 |")


if __name__ == "__main__":
    main()
