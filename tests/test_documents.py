"""Every Python block of the README and the documentation runs; every command of the README does what it says."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from discreet.cli import main

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page, language):
    return [code for kind, code in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: p.name)
def test_python_blocks_run_from_top_to_bottom(page, tmp_path):
    namespace = {}
    with contextlib.chdir(tmp_path), contextlib.redirect_stdout(io.StringIO()):
        for code in blocks(page, "python"):
            exec(compile(code, str(page), "exec"), namespace)  # noqa: S102 - our own documentation


def test_commands_of_the_readme_run(tmp_path):
    lines = [line for code in blocks(ROOT / "README.md", "sh") for line in code.splitlines()]
    commands = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("discreet ")]
    assert len(commands) >= 5
    with contextlib.chdir(tmp_path), contextlib.redirect_stdout(io.StringIO()):
        for command in commands:
            assert main._code(command) == 0, command


@pytest.mark.parametrize("code", blocks(ROOT / "docs" / "schema.md", "toml"))
def test_schemas_in_the_documentation_are_valid(code):
    from discreet.schema import Schema

    assert len(Schema.from_toml(code)) == 4


def test_links_between_documents_lead_somewhere():
    for page in [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith(("http", "mailto:")):
                assert (page.parent / target).exists(), f"{page.name} points to {target}"


def test_make_targets_are_all_described():
    makefile = (ROOT / "Makefile").read_text()
    for target in ["help", "demo", "test", "check", "lint", "types", "rooms", "docs", "bench", "clean"]:
        assert re.search(rf"^{target}:.*##", makefile, re.MULTILINE), target


def test_the_rooms_in_the_architecture_are_the_rooms_that_are_checked():
    source = (ROOT / "tools" / "check_rooms.py").read_text()
    floors = re.search(r"FLOORS: dict\[str, int\] = \{(.*?)\}", source, re.DOTALL)[1]
    rooms = set(re.findall(r'"(\w+)": \d', floors)) - {"_version", "__main__", "studio"}
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert {room for room in rooms if f"`{room}`" not in text} == set()
