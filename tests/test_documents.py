"""Every Python block of the README and the documentation runs; every command of the README does what it says."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
import shutil
import subprocess
import tomllib
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


CASE_STUDIES = ("scientific-use.md", "public-use.md")  # run where what they print is compared, once


# A page's Python blocks and commands run in its order, in one folder. A command that waits for a person (the studio) or
# needs a cluster stands in a block of another kind, such as ```text.
@pytest.mark.parametrize(
    "page",
    [p for p in PAGES if (blocks(p, "python") or blocks(p, "sh")) and p.name not in CASE_STUDIES],
    ids=lambda p: str(p.relative_to(ROOT)),
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

    assert len(Schema.from_toml(code)) == 10


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


# What a block prints, a command or Python, is what the text below it shows parts of.
def check_shown_output(page, folder):
    namespace, printed, compared = {}, "", 0
    with contextlib.chdir(folder):
        for kind, code in BLOCK.findall(page.read_text(encoding="utf-8")):
            screen = io.StringIO()
            with contextlib.redirect_stdout(screen):
                if kind == "python":
                    exec(compile(code, str(page), "exec"), namespace)  # noqa: S102 - a page of ours
                elif kind == "sh":
                    assert {main._code(command) for command in commands(code)} == {0}
                else:
                    assert code in printed
                    compared += 1
                    continue
            printed = screen.getvalue()
    assert compared


@pytest.mark.parametrize("name", ["household-survey.md", "how-to/four-attacks.md", "tutorial.md"])
def test_a_page_shows_parts_of_what_its_commands_print(name, tmp_path):
    check_shown_output(ROOT / "docs" / name, tmp_path)


@pytest.mark.parametrize("name", CASE_STUDIES)
def test_a_case_study_shows_parts_of_what_its_commands_print(name, tmp_path):
    check_shown_output(ROOT / "docs" / "case-studies" / name, tmp_path)


@pytest.mark.parametrize("name", CASE_STUDIES)
def test_the_times_of_a_case_study_are_of_its_own_sections(name):
    text = (ROOT / "docs" / "case-studies" / name).read_text(encoding="utf-8")
    sections = re.findall(r"^## ([^\n]+)$(?=(?:(?!^## ).)*?^```(?:python|sh)$)", text, re.MULTILINE | re.DOTALL)
    timed = re.findall(r"^\| ([^|]+?) \| [\d.]+ \| [\d.]+ \|$", text, re.MULTILINE)
    assert timed == [*sections, "all"]


def test_every_command_stands_in_the_list_of_commands():
    from typer.main import get_command

    rows = [
        line for line in (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `")
    ]
    listed = {
        word for row in rows for words in re.findall(r"`([a-z][a-z ]*)`", row.split("|")[1]) for word in words.split()
    }
    assert set(get_command(main.app).commands) <= listed


def test_names_in_the_documentation_exist():
    import discreet

    for page in PAGES:
        for name in set(re.findall(r"\bdc\.([A-Za-z_][\w.]*\w)", page.read_text(encoding="utf-8"))):
            there = discreet
            for part in name.split("."):
                assert hasattr(there, part), f"{page.name}: dc.{name}"
                there = getattr(there, part)


# What a step may say beside the parameters of its method, and where something is left open (see docs/tuning.md).
BESIDE = {"method", "unit", "any_of", "optional"}


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "toml")], ids=lambda p: str(p.relative_to(ROOT)))
def test_steps_in_the_documentation_have_the_parameters_of_their_methods(page):
    for code in blocks(page, "toml"):
        document = tomllib.loads(code)
        steps = [step for table in (document, *document.get("table", [])) for step in table.get("step", [])]
        choices = [choice for step in steps for choice in step.get("any_of", [step])]  # a step, or several in a row
        for step in [one for choice in choices for one in (choice if isinstance(choice, list) else [choice])]:
            known = catalogue.method("masker", step["method"]).parameter_names()
            assert set(step) - BESIDE <= set(known), f"{page.name}: {step['method']}"


# A command that cannot be run here (it waits for a person, or for a cluster) is at least one that there is.
@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_that_are_shown_have_their_options(page):
    from typer.main import get_command

    groups = get_command(main.app).commands
    text = page.read_text(encoding="utf-8")
    shown = re.findall(r"`(discreet [a-z][^`\n]*)`", text)
    shown += [line.lstrip("$ ") for code in blocks(page, "text") for line in code.splitlines()]
    for line in shown:
        words = line.split("#")[0].replace("…", " ").split()
        if words[:1] != ["discreet"] or len(words) < 2 or words[1].startswith("-"):
            continue
        assert words[1] in groups, f"{page.name}: {line}"
        options = {name for option in groups[words[1]].params for name in (*option.opts, *option.secondary_opts)}
        asked = {word.split("=")[0] for word in words[2:] if re.match(r"--?[a-z]", word)} - {"--help"}
        assert asked <= options or "commands" in dir(groups[words[1]]), f"{page.name}: {line}"


# ---- commands that need files of a reader's own, or a key: run here with such files, in the order of the page

COURSES = [f"{month}.{year}" for year in range(93, 100) for month in
           ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")][6:78]  # fmt: skip


def files_of_other_tools(folder):
    from tests.release.test_importing import PEOPLE, SCRIPT, arx

    PEOPLE.write_csv(folder / "survey.csv")
    (folder / "anonymise.R").write_text(SCRIPT.replace("people.csv", "survey.csv"))
    arx(folder)
    lines = [f"{'NS'[i % 2]}{20 + i % 50}{i % 2 + 1}" for i in range(40)]
    (folder / "survey.asc").write_text("\n".join(lines) + "\n")
    variables = "region 1 1\n<RECODEABLE>\n<IDLEVEL> 1\nage 2 2\n<NUMERIC>\nsex 4 1\n<RECODEABLE>\n<IDLEVEL> 2\n"
    (folder / "survey.rda").write_text(variables)
    (folder / "region.grc").write_text("all:north,south\n")


def release_and_key(folder):
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    for words in ("datasets housing --n 200 -o s.csv", "init s.csv -s s.toml -o p.toml", "run p.toml -o release"):
        assert main._code([*words.split(), "-q"]) == 0, words
    (folder / ".ssh").mkdir()
    key = folder / ".ssh" / "id_ed25519"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
    (folder / "allowed_signers").write_text("b.jones@example.org " + key.with_suffix(".pub").read_text())


def a_file_and_its_release(_folder):
    for words in ("datasets business --n 60 -o survey.csv", "protect survey.csv -s survey.toml --k 3 -o masked.csv"):
        assert main._code([*words.split(), "-q"]) == 0, words
    people = "datasets patients --n 100 -o people.csv"
    released = "protect people.csv -s people.toml -m local-suppression --k 2 --set attributes=SEX,ZIP -o released.csv"
    for words in (people, released):
        assert main._code([*words.split(), "-q"]) == 0, words


def sequences(folder):
    import polars as pl

    trips = ["a b c", "a c b", "b c", "a b", "c b a", "c a"] * 5
    pl.DataFrame({"visits": trips}).write_csv(folder / "trips.csv")
    states = {name: ["EEET"[(i + n // 24) % 4] for i in range(30)] for n, name in enumerate(COURSES)}
    pl.DataFrame(states).write_csv(folder / "courses.csv")


def larger_than_memory(folder):
    import discreet as dc

    big = dc.datasets.business(400)
    big.to_polars().write_parquet(folder / "big.parquet")
    big.to_polars().write_csv(folder / "big.csv.gz", compression="gzip")
    (folder / "big.toml").write_text(big.schema.to_toml())
    for words in ("datasets business --n 300 -o survey.csv", "init big.parquet -s big.toml -o protocol.toml"):
        assert main._code([*words.split(), "-q"]) == 0, words


PREPARED = {
    "coming-from.md": files_of_other_tools,
    "reports.md": release_and_key,
    "certificate.md": a_file_and_its_release,
    "sequences.md": sequences,
    "scale.md": larger_than_memory,
}


def typed(page):
    """Return the commands that stand in a page as text, where no block of it runs them."""
    shown = [line.lstrip("$ ") for code in blocks(page, "text") for line in code.splitlines()]
    return [line for line in shown if line.startswith("discreet ")]


@pytest.mark.parametrize("name", PREPARED)
def test_commands_of_a_text_do_what_the_page_says(name, tmp_path):
    lines = [line for line in typed(ROOT / "docs" / name) if "spark" not in line]
    assert lines
    printed = io.StringIO()
    with contextlib.chdir(tmp_path), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        PREPARED[name](tmp_path)
        for line in lines:
            # A shell reads ~, a reader has more time, and every import is an answer of its own.
            words = shlex.split(line.replace("~/", f"{tmp_path}/").replace("10min", "5s"), comments=True)[1:]
            if words[0] == "import":
                (tmp_path / "protocol.toml").unlink(missing_ok=True)
            codes = {0, 1} if words[0] in {"run", "certify"} else {0}  # a threshold may be missed
            assert main._code(words) in codes, (line, printed.getvalue())
    if name == "reports.md":
        assert "Signed by b.jones@example.org" in printed.getvalue()
