"""Install what would be published into an empty environment, far from the checkout, and run the demonstration there.

    python tools/wheel_demo.py [--oldest] [--doctests] [--kept FOLDER]

Builds the wheel, creates a virtual environment with nothing in it, installs the wheel from the package index's
dependencies (with ``--oldest``: the oldest versions that `pyproject.toml` allows), and runs `discreet demo` in an empty
folder. Fails where a file is missing, where a library is imported that only an extra brings, or where the demonstration
says so. ``--doctests`` then adds the extras and runs every example of every docstring there. ``--kept`` leaves what was
built in a folder.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRAS_ONLY = ("sklearn", "pandas", "pyreadstat", "fastapi", "pyspark", "weasyprint", "cryptography", "rapidfuzz")
"""What an environment with the bare package must do without."""
EXTRAS = ("learn", "text", "files", "pseudonyms", "studio")
NOT_HERE = ("engines/spark",)
CHECK = """
import importlib.util, sys
import discreet as dc
here = [name for name in {names!r} if importlib.util.find_spec(name)]
assert not here, f"not an empty environment: {{here}}"
assert not dc.__file__.startswith({root!r}), "the checkout is imported, not the wheel"
table = dc.datasets.business(200)
assert len(dc.MDAV(k=3).mask(table)) == 200
print("discreet", dc.__version__, "masks without any extra")
"""


def build(folder: Path) -> tuple[Path, Path]:
    """Build the wheel and the source distribution into a folder and return their paths."""
    from hatchling.builders.sdist import SdistBuilder
    from hatchling.builders.wheel import WheelBuilder

    wheel = next(iter(WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])))
    source = next(iter(SdistBuilder(str(ROOT)).build(directory=str(folder))))
    return Path(wheel), Path(source)


def oldest(requirements: Sequence[str]) -> list[str]:
    """Return requirements pinned to the oldest version that each allows.

    Examples
    --------
    >>> oldest(["numpy>=2.0", "tomli-w>=1.1"])
    ['numpy==2.0', 'tomli-w==1.1']
    """
    pinned = []
    for requirement in requirements:
        parts = re.fullmatch(r"([A-Za-z0-9_.-]+)>=([0-9.]+)", requirement)
        if parts is None:
            message = f"{requirement}: a requirement names the oldest version that works, as in numpy>=2.0"
            raise SystemExit(message)
        pinned.append(f"{parts[1]}=={parts[2]}")
    return pinned


def declared(*extras: str) -> list[str]:
    """Return what the package needs, or some of its extras, as `pyproject.toml` says."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["optional-dependencies"][extra] for extra in extras] or [project["dependencies"]]
    return [str(requirement) for requirements in lists for requirement in requirements]


def run(*command: object, folder: Path) -> None:
    """Run a command in a folder, and stop where it fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run([str(word) for word in command], cwd=folder, env=environment, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(done.returncode)


def main(arguments: Sequence[str]) -> int:
    """Build, install, demonstrate."""
    parser = argparse.ArgumentParser(description="Run the demonstration from the wheel, in an empty environment.")
    parser.add_argument("--oldest", action="store_true", help="the oldest dependencies that are allowed")
    parser.add_argument("--doctests", action="store_true", help="run the examples of all docstrings, too")
    parser.add_argument("--kept", type=Path, help="leave what was built in this folder")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="discreet-wheel-") as made:
        folder = Path(made).resolve()
        wheel, _ = build((options.kept or folder / "dist").resolve())
        venv.create(folder / "venv", with_pip=False)
        programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        pins = oldest(declared()) if options.oldest else []
        pip = [sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet"]
        run(*pip, wheel, *pins, folder=folder)
        (folder / "empty").mkdir()
        check = CHECK.format(names=EXTRAS_ONLY, root=str(ROOT))
        run(programs / "python", "-W", "error::DeprecationWarning:discreet", "-c", check, folder=folder / "empty")
        run(programs / "discreet", "demo", "--output", "demo", folder=folder / "empty")
        pages = sorted(path.name for path in (folder / "empty" / "demo").iterdir())
        print(f"The demonstration wrote {len(pages)} files: {', '.join(pages)}", flush=True)
        if options.doctests:
            more = [*declared(), *declared(*EXTRAS), "pandas>=2.2.2"]
            run(*pip, "pytest", *(oldest(more) if options.oldest else more), folder=folder)
            command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--doctest-modules", "--pyargs", "discreet"]
            command += ["-o", "doctest_optionflags=NORMALIZE_WHITESPACE ELLIPSIS"]
            command += [f"--ignore-glob=*/{name}*" for name in NOT_HERE]
            run(programs / "python", *command, folder=folder / "empty")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
