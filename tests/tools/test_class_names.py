"""One name, one thing: no public class of the package shares its name with another."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import discreet

PACKAGE = Path(discreet.__file__).parent


def class_places(folder):
    """Return by name of a public class where it is written, read off the syntax trees."""
    places = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{path.relative_to(folder)}:{node.lineno}")
    return places


def test_no_public_class_name_stands_twice():
    twice = {name: places for name, places in class_places(PACKAGE).items() if len(places) > 1}
    assert not twice, "\n".join(f"{name}: {', '.join(places)}" for name, places in sorted(twice.items()))


def test_a_second_one_is_seen(tmp_path):
    (tmp_path / "one.py").write_text("class Step:\n    class Inner:\n        pass\n")
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms" / "two.py").write_text("class _Step: pass\nclass Step: pass\n")
    places = class_places(tmp_path)
    assert places == {"Step": ["one.py:1", "rooms/two.py:2"], "Inner": ["one.py:2"]}
