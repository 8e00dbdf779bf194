"""A few hundred cases of every fuzzer; `make fuzz` runs as many as one likes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SPEC = importlib.util.spec_from_file_location("fuzz", Path(__file__).parents[2] / "tools" / "fuzz.py")
fuzz = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fuzz)

CASES = {"numbers": 300, "tables": 300, "documents": 300, "options": 200, "endings": 3}


@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_nothing_is_found(kind):
    assert fuzz.run_kind(kind, 0, CASES[kind] // 5 or 1) == {}


@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_nothing_more_is_found(kind):
    first = CASES[kind] // 5 or 1
    assert fuzz.run_kind(kind, first, CASES[kind] - first) == {}


def test_a_finding_is_found(monkeypatch):
    from tests.hardening.fuzzers import numbers

    monkeypatch.setattr(numbers, "smallest", lambda *_: 0)
    assert fuzz.run_kind("numbers", 0, 20)
