"""The source distribution holds what its tests read."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="hatchling is not installed (it comes with the extra `dev`)")

ROOT = Path(__file__).parents[2]
specification = importlib.util.spec_from_file_location("sdist_tests", ROOT / "tools" / "sdist_tests.py")
sdist_tests = importlib.util.module_from_spec(specification)
specification.loader.exec_module(sdist_tests)

OF_THE_CHECKOUT = {
    ".ci/run",
    ".pre-commit-config.yaml",
    *(f".github/ISSUE_TEMPLATE/{name}.yml" for name in ("config", "fault", "wish")),
}
"""What no test reads, and nobody needs who has unpacked a distribution."""


def test_every_file_of_the_checkout_is_in_the_source_distribution(tmp_path):
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("no checkout: what lies here is what was packed")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    kept = {path for path in listed.split("\0") if path and (ROOT / path).exists()}
    assert len(kept) > 500
    with tarfile.open(sdist_tests.build(tmp_path)) as packed:
        packed_paths = {name.split("/", 1)[1] for name in packed.getnames()}
    assert kept - packed_paths == OF_THE_CHECKOUT


def test_what_the_tests_of_the_distribution_begin_with_exists():
    assert [path for path in sdist_tests.READERS if not (ROOT / path).exists()] == []
