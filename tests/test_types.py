"""What a type checker sees through the front door: no error in what is right, all of them in what is wrong.

mypy and pyright are asked once each, about the examples, a file of right uses and a file of mistakes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from tests.types.right_uses import right_uses

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
RIGHT = ROOT / "tests" / "types" / "right_uses.py"
WRONG = ROOT / "tests" / "types" / "mistakes.py"
ASKED = [*EXAMPLES, RIGHT, WRONG]

Errors = dict[Path, dict[int, str]]


def mypy(tmp_path: Path) -> Errors:
    """Return what mypy says, by file and line."""
    pytest.importorskip("mypy")
    # A cache of its own: two runs that write the same one get in each other's way.
    options = ["--strict", "--ignore-missing-imports", "--no-error-summary", "--show-absolute-path", "--config-file="]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--cache-dir", str(tmp_path / "mypy"), *map(str, ASKED)],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode in (0, 1), run.stdout + run.stderr
    errors: Errors = defaultdict(dict)
    for path, line, message in re.findall(r"^(.+?):(\d+): error: (.+)$", run.stdout, re.MULTILINE):
        errors[Path(path)][int(line)] = message
    return errors


def pyright(tmp_path: Path) -> Errors:
    """Return what pyright says, by file and line."""
    command = shutil.which("basedpyright", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if command is None:
        pytest.skip("basedpyright is not installed")
    settings = {
        "include": [str(path) for path in ASKED],
        "extraPaths": [str(ROOT / "src"), str(ROOT)],
        "typeCheckingMode": "standard",
        "pythonVersion": "3.11",
    }
    project = tmp_path / "pyrightconfig.json"
    project.write_text(json.dumps(settings), encoding="utf-8")
    run = subprocess.run(
        [command, "--outputjson", "--project", str(project), "--pythonpath", sys.executable],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    told = json.loads(run.stdout)
    assert told["summary"]["filesAnalyzed"] == len(ASKED), "a file was not looked at"
    errors: Errors = defaultdict(dict)
    for one in told["generalDiagnostics"]:
        if one["severity"] == "error":
            errors[Path(one["file"])][one["range"]["start"]["line"] + 1] = one["message"]
    return errors


@pytest.fixture(scope="module", params=[mypy, pyright], ids=lambda checker: checker.__name__)
def errors(request, tmp_path_factory):
    return request.param(tmp_path_factory.mktemp("types"))


def test_right_uses_and_examples_pass(errors):
    assert {path.name: lines for path, lines in errors.items() if path != WRONG} == {}


def test_every_mistake_is_found_and_nothing_else(errors):
    text = WRONG.read_text(encoding="utf-8").splitlines()
    marked = {number for number, line in enumerate(text, start=1) if "# wrong: " in line}
    assert len(marked) >= 12
    told = errors[WRONG]
    assert {text[n - 1].strip() for n in marked - set(told)} == set(), "not found"
    assert {text[n - 1].strip(): told[n] for n in set(told) - marked} == {}, "found where nothing is wrong"


def test_what_a_checker_lets_pass_runs():
    assert len(right_uses()) > 20
