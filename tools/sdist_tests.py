"""Run tests from the source distribution: built, unpacked in an empty folder far from the checkout, installed there.

    python tools/sdist_tests.py [arguments of pytest]

Collects every test, so that none needs a file that was left behind to be found, and runs those that look at files of
the project, or all that the arguments say. Dependencies are those of the environment that runs this; Discreet is not:
what is imported, and what the command `discreet` runs, is what was unpacked.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
READERS = (
    "tests/tools", "tests/examples", "tests/release/test_protocol.py", "tests/cli/test_cli.py",
    "tests/kernels/test_jit.py",
    "tests/kernels/test_code_cache.py", "tests/kernels/groups/test_mdav.py", "tests/data/test_keyed_draws.py",
    "tests/datasets", "tests/test_types.py", "tests/test_documents.py", "tests/test_import.py",
    "tests/test_catalogue.py",
    "src/discreet/data",
)  # fmt: skip
"""Tests that read pages, tools, sources, examples or data of the project, or start the command."""


def build(folder: Path) -> Path:
    """Build the source distribution into a folder and return its path."""
    from hatchling.builders.sdist import SdistBuilder

    return Path(next(iter(SdistBuilder(str(ROOT)).build(directory=str(folder)))))


def unpack(folder: Path) -> Path:
    """Build the source distribution, unpack it into a folder and return its top."""
    with tarfile.open(build(folder / "dist")) as packed:
        packed.extractall(folder / "unpacked", filter="data")
    (top,) = (folder / "unpacked").iterdir()
    return top


def run(command: Sequence[object], *, shown: bool = False, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command of ours, what it says shown or kept."""
    return subprocess.run([str(word) for word in command], capture_output=not shown, text=True, check=False, **options)  # noqa: S603


def install(top: Path, folder: Path) -> Path:
    """Install what was unpacked, beside the dependencies that are here, and return the interpreter that sees it."""
    venv.create(folder / "venv")
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).stdout.strip()
    # The files *.pth over there are not read from here, so an editable installation of the checkout is not seen.
    Path(site, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--editable", top],
        shown=True)  # fmt: skip
    return python


def main(arguments: Sequence[str]) -> int:
    """Unpack, install, collect all and run some; return pytest's exit code."""
    with tempfile.TemporaryDirectory(prefix="discreet-sdist-") as made:
        folder = Path(made).resolve()
        top = unpack(folder)
        python = install(top, folder)
        data = os.environ.get("DISCREET_DATA", str(ROOT.parent / "shared" / "data"))
        environment = {**os.environ, "DISCREET_DATA": data, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
        place: dict[str, Any] = {"cwd": top, "env": environment}
        imported = run([python, "-c", "import discreet; print(discreet.__file__)"], **place)
        if not Path(imported.stdout.strip() or "/").is_relative_to(top):
            print(f"What was unpacked is not what is imported. {imported.stdout}{imported.stderr}", file=sys.stderr)
            return 1
        pytest = [python, "-m", "pytest", "-p", "no:cacheprovider", "-q"]
        collected = run([*pytest, "--collect-only"], **place)
        print(collected.stdout.strip().splitlines()[-1], flush=True)
        if collected.returncode != 0:
            print(collected.stdout[-4000:], collected.stderr[-4000:], file=sys.stderr)
            return collected.returncode
        chosen = arguments or ["-m", "not slow", "--hypothesis-profile", "quick", *READERS]
        return run([*pytest, *chosen], shown=True, **place).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
