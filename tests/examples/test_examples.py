"""Every example runs as it stands, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "examples").glob("*.py"))


def test_there_are_five_named_by_a_question():
    assert len(EXAMPLES) >= 5
    for path in EXAMPLES:
        title = path.read_text().splitlines()[1]
        assert path.read_text().startswith("# %% [markdown]\n")
        assert title.startswith("# # ")
        assert title.endswith("?")
        assert path.stem.split("_")[0] in {"which", "how", "can", "what", "who", "when", "does", "is"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_runs(path, tmp_path):
    run = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout
    assert "Warning" not in run.stderr
    assert list(tmp_path.iterdir()) == []
