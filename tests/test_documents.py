"""Every Python block of the README and the documentation runs; every command of the README does what it says."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from discreet import catalogue
from discreet.cli import main
from discreet.operators import operator_names

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Pages that tools/method_pages.py makes when the documentation is built.
METHODS = {"index", *catalogue.maskers(), *catalogue.linkers(), *catalogue.measures()}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page, language):
    return [code for kind, code in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


# A page's Python blocks and commands run in its order, in one folder. A command that waits for a person (the studio) or
# needs a cluster stands in a block of another kind, such as ```text.
@pytest.mark.parametrize(
    "page", [p for p in PAGES if blocks(p, "python") or blocks(p, "sh")], ids=lambda p: str(p.relative_to(ROOT))
)
def test_every_block_of_a_page_runs_from_top_to_bottom(page, tmp_path):
    namespace = {}
    with contextlib.chdir(tmp_path), contextlib.redirect_stdout(io.StringIO()):
        for kind, code in BLOCK.findall(page.read_text(encoding="utf-8")):
            if kind == "python":
                exec(compile(code, str(page), "exec"), namespace)  # noqa: S102 - our own documentation
            elif kind == "sh":
                for command in commands(code):
                    assert main._code(command) == 0, command


def commands(code):
    """Return the commands of our own in a block; what sets up a machine (make, pip, cd) is the reader's."""
    lines = [line for line in code.splitlines() if line.split("#")[0].strip()]
    strangers = [line for line in lines if not line.startswith(("discreet ", "make ", "pip ", "cd ", "python "))]
    assert not strangers, strangers
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("discreet ")]


def test_the_readme_shows_the_whole_walk():
    shown = [words[0] for code in blocks(ROOT / "README.md", "sh") for words in commands(code)]
    assert {"inspect", "protect", "attack", "assess"} <= set(shown)


@pytest.mark.parametrize("code", blocks(ROOT / "CONTRIBUTING.md", "python"))
def test_what_contributors_write_is_python_and_defines_the_methods_of_a_contract(code):
    from discreet.contracts.masker import Masker
    from discreet.contracts.measure import Measure

    (method,) = ast.parse(code).body
    contract = Masker if "plan" in code else Measure
    written = {part.name for part in method.body if isinstance(part, ast.FunctionDef)}
    declared = {part.target.id for part in method.body if isinstance(part, ast.AnnAssign)}
    assert len(written) == 2
    assert written <= set(vars(contract))
    assert "need" in declared
    assert "need" in vars(contract)


@pytest.mark.parametrize("code", blocks(ROOT / "docs" / "schema.md", "toml"))
def test_schemas_in_the_documentation_are_valid(code):
    from discreet.data.schema import Schema

    assert len(Schema.from_toml(code)) == 7


def test_links_between_documents_lead_somewhere():
    for page in [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            generated = re.fullmatch(r"(?:\.\./)?(methods|operators)/([\w-]+)\.md", target)
            if generated:
                there = METHODS if generated[1] == "methods" else {"index", *operator_names()}
                assert generated[2] in there, f"{page.name} points to {target}"
            elif not target.startswith(("http", "mailto:")):
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


def test_the_screen_that_the_page_on_risk_shows_is_what_the_command_prints(tmp_path):
    page = ROOT / "docs" / "risk.md"
    (shown,) = blocks(page, "text")
    printed = io.StringIO()
    with contextlib.chdir(tmp_path):
        for code in blocks(page, "sh"):
            for command in commands(code):
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    assert main._code(command) == 0
    assert printed.getvalue() == shown


@pytest.mark.parametrize("name", ["household-survey.md", "how-to/four-attacks.md"])
def test_a_page_shows_parts_of_what_its_commands_print(name, tmp_path):
    page, namespace, printed = ROOT / "docs" / name, {}, ""
    with contextlib.chdir(tmp_path):
        for kind, code in BLOCK.findall(page.read_text(encoding="utf-8")):
            if kind == "python":
                exec(code, namespace)  # noqa: S102 - a page of ours
            elif kind == "sh":
                screen = io.StringIO()
                with contextlib.redirect_stdout(screen):
                    assert {main._code(command) for command in commands(code)} == {0}
                printed = screen.getvalue()
            else:
                assert code in printed
