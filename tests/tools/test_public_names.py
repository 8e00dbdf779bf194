"""The front door is what the tool writes, and a name has one home."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import discreet as dc

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("public_names", ROOT / "tools" / "public_names.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["public_names"] = module
    spec.loader.exec_module(module)
    return module


def test_the_front_door_is_what_the_tool_writes(tool):
    assert tool.DOOR.read_text(encoding="utf-8") == tool.written(), "python tools/public_names.py"


def test_every_name_is_in_both_halves(tool):
    # A long import stands on three lines.
    text = re.sub(r"import \(\n +(.*),\n +\)\n", r"import \1\n", tool.DOOR.read_text(encoding="utf-8"))
    for name, home in tool.homes().items():
        assert f"    from {home} import {name} as {name}\n" in text
        assert f'        "{name}": "{home}",\n' in text
        assert name in dc.__all__


def test_a_name_with_two_homes_or_none_is_refused(tool):
    rooms = [ModuleType("discreet.one"), ModuleType("discreet.two")]
    for room in rooms:
        room.__all__ = ["Thing"]
        room.Thing = type("Thing", (), {"__module__": room.__name__})
    assert tool.home("Thing", rooms[:1]) == "discreet.one"
    with pytest.raises(SystemExit, match=r"Thing must have one home; it has discreet\.one, discreet\.two"):
        tool.home("Thing", rooms)
    with pytest.raises(SystemExit, match="Nothing must have one home; it has none"):
        tool.home("Nothing", rooms)


def test_a_function_is_taken_as_its_room_shows_it(tool):
    def verb() -> None: ...

    verb.__module__ = "discreet.room.inside"
    front, inside = ModuleType("discreet.room"), ModuleType("discreet.room.inside")
    front.__path__ = []
    for module in (front, inside):
        module.__all__ = ["verb"]
        module.verb = verb
    assert tool.home("verb", [front, inside]) == "discreet.room"
