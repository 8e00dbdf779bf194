"""A version is published where it is the same everywhere, has a day, and everything is committed."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
specification = importlib.util.spec_from_file_location("release", ROOT / "tools" / "release.py")
release = importlib.util.module_from_spec(specification)
specification.loader.exec_module(release)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "src" / "discreet").mkdir(parents=True)
    (tmp_path / "src" / "discreet" / "_version.py").write_text('__version__ = "1.2.0"\n')
    (tmp_path / "CITATION.cff").write_text("title: x\nversion: 1.2.0\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-17\n")
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def test_what_is_ready(project):
    assert release.faults(project) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "fault"),
    [
        ("CITATION.cff", "1.2.0", "1.1.0", "CITATION.cff says 1.1.0, and the package is 1.2.0."),
        ("CHANGELOG.md", "## [1.2.0] - 2026-11-17", "", "CHANGELOG.md says no version, and the package is 1.2.0."),
        ("CHANGELOG.md", " - 2026-11-17", "", "CHANGELOG.md has no heading '## [1.2.0] - YYYY-MM-DD'."),
        ("CITATION.cff", "x", "y", "1 files are not committed."),
    ],
)
def test_what_is_not(project, name, old, new, fault):
    path = project / name
    path.write_text(path.read_text().replace(old, new))
    assert fault in release.faults(project)


def test_our_own_version_is_the_same_wherever_it_stands():
    ours = release.versions()
    assert ours["CITATION.cff"] == ours["src/discreet/_version.py"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in changelog
    headings = [line for line in changelog.splitlines() if line.startswith("### ")]
    assert set(headings) <= {
        f"### {kind}" for kind in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
    }
