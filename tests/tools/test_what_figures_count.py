from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from discreet import catalogue

TOOLS = Path(__file__).parent.parent.parent / "tools"


@pytest.fixture(scope="module")
def tool():
    sys.path.insert(0, str(TOOLS))  # as where it is run as a script
    try:
        spec = importlib.util.spec_from_file_location("what_figures_count", TOOLS / "what_figures_count.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(TOOLS))
    return module


def test_the_page_is_what_the_measures_say(tool):
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page(), "run python tools/what_figures_count.py"


def test_every_measure_has_its_entry(tool):
    entries = tool.page().split("\n### ")[1:]
    measures = {**catalogue.measures("risk"), **catalogue.measures("loss")}
    assert [entry.splitlines()[0] for entry in entries] == [f"{c.title} {{ #{n} }}" for n, c in measures.items()]
    for entry, cls in zip(entries, measures.values(), strict=True):
        for label in ("of which columns", "missing values", "range", "computed", "reference"):
            assert f"| {label} |" in entry, cls.name
        assert ("| the intruder |" in entry) == (cls.kind == "risk")


def test_a_change_of_a_measure_changes_the_page(tool, monkeypatch):
    before = tool.page()
    monkeypatch.setattr(catalogue.measures()["uniques"], "formula", "another formula")
    assert tool.page() != before
    assert "another formula" in tool.page()
