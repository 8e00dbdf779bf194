from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
specification = importlib.util.spec_from_file_location("vague_names", ROOT / "tools" / "vague_names.py")
vague_names = importlib.util.module_from_spec(specification)
specification.loader.exec_module(vague_names)


def vague(code):
    return [binding.name for binding in vague_names.tally(code).vague]


@pytest.mark.parametrize(
    "body",
    [
        "found = 1",
        "found: int = 1",
        "found += 1",
        "a, (found, *b) = c",
        "for found in a: pass",
        "return [found for found in a]",
        "return {b: found for b, found in a}",
        "if found := a: pass",
        "with a as found: pass",
        "try: pass\n    except E as found: pass",
        "return lambda found: a",
        "def inner(found): pass",
    ],
)
def test_every_way_to_bind_a_local_name_counts(body):
    assert vague(f"def f():\n    {body}") == ["found"]


@pytest.mark.parametrize(
    "code",
    [
        "found = 1",
        "class A:\n    found: int = 1",
        "def f(found): pass",
        "class A:\n    def __init__(self, found): pass",
        "def f():\n    return a.found, a(found=1), found",
        "def f():\n    found_rows = 1",
    ],
)
def test_what_others_see_is_not_counted(code):
    assert vague(code) == []


@pytest.mark.parametrize("code", ["def _f(found): pass", "class A:\n    def _f(self, *, found): pass"])
def test_parameters_of_private_functions_count(code):
    assert vague(code) == ["found"]


def test_left_is_a_side_beside_right_and_a_remainder_alone():
    assert vague("def f():\n    left = right = 1") == []
    assert vague("def f(right):\n    left = 1") == []
    assert vague("def f():\n    left = 1\ndef g():\n    right = 1") == ["left"]
    assert vague("def f():\n    left = right = found = 1") == ["found"]


def test_the_share_is_of_all_bindings():
    tally = vague_names.tally("def _f(self, a, found):\n    b, c = a, found\n    known = [_ for _ in a]")
    assert (tally.bindings, len(tally.vague), tally.percent) == (5, 2, 40.0)
    assert vague_names.tally("").percent == 0.0


def test_the_limit_decides_and_the_place_is_told(tmp_path, capsys):
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "a.py").write_text("def f():\n    b = 1\n    found = b\n")
    assert vague_names.main([str(tmp_path), "--limit", "50"]) == 0
    assert vague_names.main([str(tmp_path), "--limit", "49.9", "--list"]) == 1
    assert "a.py:3: found" in capsys.readouterr().out
