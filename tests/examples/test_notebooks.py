"""Every notebook runs from its first cell to its last, shows what it says, and is kept without outputs."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent.parent / "examples" / "notebooks").glob("*.ipynb"))


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def run(source, names):
    """Run a cell as a notebook does: its last expression is what is shown."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)  # noqa: S102 - our own cells
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307


def test_there_is_one_for_each_kind_of_user():
    assert {path.stem for path in NOTEBOOKS} == {"statistical_office", "hospital", "researcher", "sequences"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_pictures(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, pictures = {}, 0
    for cell in cells(path):
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
        shown = run("".join(cell["source"]), names)
        page = shown._repr_html_() if hasattr(shown, "_repr_html_") else ""
        pictures += "<svg" in page
        assert not re.search(r"P0\d{4}", page)  # no patient's number
    assert pictures >= 2
