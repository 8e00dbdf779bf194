"""Break the code at random, one small change at a time, and say which tests notice.

    python tools/mutate.py [--draw 20] [--seed 1] [--room papers ...] [--without engines ...] [--only 3 4 ...]
                           [--whole]

Every mutant is one change (a comparison, a sign, a constant, a condition, a result, two arguments), drawn with a seed
from all that are possible in ``src``, and tried in a copy of the project: the tree itself is never touched. The tests
that belong to the changed file run in rings, nearest first: its doctests, the test files named after it, those that
import it, the batteries with the names of its methods or, where it has none, what holds all methods to what they gave,
of kernels also the list of who can be stopped, then those of the files that import it, and with ``--whole`` every test.
The nearest ring with test files runs whole, the others as ``make test`` would run them. A ring that fails has caught
the mutant, if the test that failed passes without it. What no ring notices is printed with its diff; whether it changes
anything at all is for the reader to judge. Exit code 1 if fewer than 19 of 20 were caught.
"""

from __future__ import annotations

import argparse
import ast
import copy
import difflib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from discreet.kernels.code_cache import cache_folder

ROOT = Path(__file__).parents[1]
PACKAGE = Path("src/discreet")
ENOUGH = 0.95
"""The share of mutants that tests should notice."""
RING = 8
"""So many test files run in a ring at most: the nearest ones notice, or hardly any does."""
LONGEST = 900
"""Seconds after which a ring counts as one that never ends, which is noticed too."""
LONGEST_TEST = 300
"""Seconds after which one test does: far above what any needs, and less to wait for where a loop never ends."""
QUICK = ["-m", "not slow", "--hypothesis-profile", "quick"]
"""How rings beyond the nearest run."""
DECLARED = "parameters/test_declarations_stay.py"
BATTERIES = {
    "masking": [
        DECLARED,
        "masking/test_battery.py",
        "masking/test_releases_stay.py",
        "engines/test_every_masker.py",
        "promises",
    ],
    "measures": [
        DECLARED,
        "measures/test_figures_stay.py",
        "measures/test_battery.py",
        "engines/test_every_measure.py",
    ],
    "linkage": [
        DECLARED,
        "linkage/test_links_stay.py",
        "linkage/test_battery.py",
        "promises/test_the_headline_is_the_worst_case.py",
    ],
    "operators": [DECLARED, "operators/test_battery.py"],
}
"""By room, what runs over every method of it."""
RECORDED = {
    "masking": "masking/test_releases_stay.py",
    "measures": "measures/test_figures_stay.py",
    "linkage": "linkage/test_links_stay.py",
    "cli": "cli/test_outputs_stay.py",
    "evaluation": "cli/test_outputs_stay.py",
    "release": "cli/test_outputs_stay.py",
    "report": "cli/test_outputs_stay.py",
    "io": "cli/test_outputs_stay.py",
    "data": "cli/test_outputs_stay.py",
    "studio": "studio/screens/test_pages_stay.py",
}
"""By room, what holds every method, command and page to what it gave: for a file that several of them share."""

FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
EXCHANGED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
SPOKEN = {"report", "track", "warn", "TypeVar", "cast", "getLogger"}
"""Calls whose arguments are words for people or for type checkers."""
LOOKS = {
    "width", "height", "size", "strokeWidth", "symbolStrokeWidth", "thickness", "fontSize", "labelFontSize", "opacity",
    "titleFontSize", "labelLimit", "labelAngle", "labelOverlap", "gradientLength", "spacing", "nice", "stacklevel",
    "warn_on_full_buffer", "strict", "highlight",
}  # fmt: skip
"""Arguments of calls that say how a picture looks, or where a warning points: a line thicker by one is no defect."""
TOLERANCE = 1e-6
"""Constants below it say what counts as nothing: twice as much counts as nothing too."""
EITHER_WAY = {
    "max", "min", "maximum", "minimum", "hypot", "gcd", "equal", "array_equal", "logical_and", "logical_or", "suppress",
}  # fmt: skip
"""Functions whose arguments may be exchanged."""


class Mutant(NamedTuple):
    """One change of one file: what stands between two places, what is put there, and the line of the statement."""

    path: Path
    start: int
    stop: int
    text: str
    kind: str
    statement: int

    def apply(self, source: bytes) -> bytes:
        """Return the file with the change."""
        return source[: self.start] + self.text.encode() + source[self.stop :]

    def diff(self, source: bytes) -> str:
        """Return the change as lines to read."""
        before, after = (one.decode().splitlines(keepends=True) for one in (source, self.apply(source)))
        return "".join(difflib.unified_diff(before, after, str(self.path), f"{self.path} ({self.kind})", n=1))


# ------------------------------------------------------------------------------------------------------------ changes


def changes(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield what an expression can be changed to, with the kind of change."""
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            other = copy.deepcopy(node)
            other.ops[place] = FLIPPED[type(operator)]()
            yield "comparison", other
    elif isinstance(node, ast.BinOp) and type(node.op) in EXCHANGED and not _is_text(node):
        other_sum = copy.deepcopy(node)
        other_sum.op = EXCHANGED[type(node.op)]()
        yield "arithmetic", other_sum
    elif isinstance(node, ast.BoolOp):
        yield "and/or", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield "sign", node.operand
    elif isinstance(node, ast.IfExp):
        yield "condition", ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield "constant", ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield "constant", ast.Constant(node.value + 1)
        yield "constant", ast.UnaryOp(ast.USub(), ast.Constant(1)) if node.value == 0 else ast.Constant(node.value - 1)
    elif isinstance(node, ast.Constant) and type(node.value) is float and not 0 < node.value < TOLERANCE:
        yield "constant", ast.Constant(2 * node.value or 1.0)
    elif isinstance(node, ast.Call) and len(node.args) >= 2 and _name(node.func) not in EITHER_WAY:
        first, second, *others = node.args
        if (
            not isinstance(first, ast.Starred)
            and not isinstance(second, ast.Starred)
            and ast.dump(first) != ast.dump(second)
        ):
            yield "arguments", ast.Call(node.func, [second, first, *others], node.keywords)


def _is_text(node: ast.BinOp) -> bool:
    """Say whether words are put together: a sum of strings with another sign is an error at once, and tells nothing."""
    return any(isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, str))
               for part in ast.walk(node))  # fmt: skip


def worth_changing(tree: ast.Module) -> Iterator[tuple[int, ast.AST]]:
    """Walk through a file and leave out what no test should look at: annotations, words, errors, names of types.

    Yields the line of the statement with every part of it.
    """
    waiting: list[tuple[int, ast.AST]] = [(0, tree)]
    while waiting:
        statement, node = waiting.pop()
        statement = node.lineno if isinstance(node, ast.stmt) else statement
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Assert):
            continue
        if isinstance(node, ast.Call) and _name(node.func) in SPOKEN:
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.keyword) and node.arg in LOOKS and isinstance(node.value, ast.Constant):
            continue
        yield statement, node
        for field, value in ast.iter_fields(node):
            if field in {"annotation", "returns", "decorator_list", "type_params", "bases"}:
                continue
            parts = value if isinstance(value, list) else [value]
            waiting += [(statement, part) for part in parts if isinstance(part, ast.AST)]


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def mutants_of(path: Path, root: Path = ROOT) -> list[Mutant]:
    """Return every change that is possible in a file."""
    source = (root / path).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    mutants = []

    def add(statement: int, node: ast.expr, kind: str, text: str) -> None:
        start = starts[node.lineno - 1] + node.col_offset
        stop = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        mutants.append(Mutant(path, start, stop, text, kind, statement))

    for statement, node in worth_changing(ast.parse(source)):
        for kind, other in changes(node):
            add(
                statement,
                node,
                kind,
                ast.unparse(other) if isinstance(other, ast.Constant) else f"({ast.unparse(other)})",
            )
        if isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
            add(statement, node.value, "result", "None")
        if isinstance(node, ast.If | ast.While) and not isinstance(node.test, ast.Compare | ast.Constant):
            add(statement, node.test, "condition", f"(not ({ast.unparse(node.test)}))")
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _name(node.value.func) not in SPOKEN:
            add(statement, node.value, "statement", "None")
    return sorted(mutants, key=lambda one: (one.start, one.stop, one.kind, one.text))


def draw(count: int, seed: int, rooms: list[str], without: list[str]) -> list[Mutant]:
    """Draw mutants of the rooms asked for, one a statement and every statement alike: a table of figures is one."""
    mutants = []
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        place = path.relative_to(ROOT / PACKAGE).as_posix()
        if any(place.startswith(room) for room in rooms or [""]) and not any(place.startswith(one) for one in without):
            mutants += mutants_of(path.relative_to(ROOT))
    statements: dict[tuple[Path, int], list[Mutant]] = {}
    for mutant in mutants:
        statements.setdefault((mutant.path, mutant.statement), []).append(mutant)
    chance = random.Random(seed)  # noqa: S311 - a draw, not a secret
    return [chance.choice(alike) for alike in chance.sample(list(statements.values()), min(count, len(statements)))]


# -------------------------------------------------------------------------------------------------------------- tests


@cache
def imports(path: Path) -> frozenset[Path]:
    """Return the files of the package that a file imports by name."""
    files = set()
    for node in ast.walk(ast.parse((ROOT / path).read_bytes())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            module = Path("src", *name.split("."))
            files |= {one for one in (module.with_suffix(".py"), module / "__init__.py") if (ROOT / one).is_file()}
    return frozenset(files - {PACKAGE / "__init__.py"})


@cache
def listed(folder: str) -> list[Path]:
    """Return the Python files of a folder of the project."""
    return [path.relative_to(ROOT) for path in sorted((ROOT / folder).rglob("*.py"))]


def importers(path: Path, folder: str) -> list[Path]:
    """Return who imports a file, those first that import little else."""
    return sorted((one for one in listed(folder) if path in imports(one)), key=lambda one: len(imports(one)))


def tests_named_after(path: Path) -> list[Path]:
    """Return the test files with the name of a file or of its room, the one in the same room first."""
    room = path.relative_to(PACKAGE).parent
    names = [f"test_{path.stem}.py", f"test_{room.name}.py"] if path.stem == "__init__" else [f"test_{path.stem}.py"]
    tests = [one for one in listed("tests") if one.name in names]
    return sorted(tests, key=lambda one: one.parent != Path("tests") / room)


def names_of_methods(path: Path) -> list[str]:
    """Return what is registered in a file, or, of a kernel, in the file of its method, as cases of tests are named."""
    twins = [one for one in listed("src") if one == path or (one.stem == path.stem and path.parts[2] == "kernels")]
    pattern = re.compile(r'@register\(\s*"([^"]+)"')
    return [name for one in twins for name in pattern.findall((ROOT / one).read_text(encoding="utf-8"))]


def rings(path: Path, *, whole: bool = False) -> Iterator[list[str]]:
    """Yield the arguments of pytest, ring by ring: those nearest to a file first, no test file twice."""
    # What starts a cluster is asked by those alone that run on one.
    done = set() if "engines" in path.parts else {one for one in listed("tests") if "spark" in one.stem}

    def ring(*files: Path, whole: bool = False) -> list[str]:
        fresh = [one for one in dict.fromkeys(files) if one not in done and one.name.startswith("test_")][:RING]
        done.update(fresh)
        return [one.as_posix() for one in fresh] + ([] if whole else QUICK) if fresh else []

    nearest = tests_named_after(path)
    done.update(nearest)
    yield [path.as_posix(), *(one.as_posix() for one in nearest)]
    yield ring(*importers(path, "tests"), whole=not nearest)
    room = path.relative_to(PACKAGE).parts[0]
    if names := names_of_methods(path):
        for battery in [one for name, some in BATTERIES.items() if room in {name, "kernels"} for one in some]:
            yield [f"tests/{battery}", "-k", " or ".join(names), *QUICK]
    users = importers(path, "src")
    if room == "kernels":
        yield ["tests/kernels/test_heeding.py"]
    if not names:
        rooms = {room, *(user.relative_to(PACKAGE).parts[0] for user in users)}
        for shared in [record for one, record in RECORDED.items() if one in rooms]:
            yield ring(Path("tests", shared), whole=True)
    near = [test for user in users for test in [*tests_named_after(user), *importers(user, "tests")]]
    for _ in range(2):
        yield ring(*near)
    yield ring(*(one for one in listed("tests") if one.relative_to("tests").parts[0] == room))
    far = [test for user in users for one in importers(user, "src") for test in tests_named_after(one)]
    yield ring(*far)
    if whole:
        yield ["tests", "src"]


# -------------------------------------------------------------------------------------------------------------- trial


class Workshop:
    """A copy of the project in which files are broken and mended again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        skipped = shutil.ignore_patterns(
            ".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "site", "build", "dist", "demo"
        )
        shutil.copytree(ROOT, folder, ignore=skipped, symlinks=True)
        # Compiled loops are known by their sources, so that those of whole files serve, and none of a broken one stays.
        kept = cache_folder()
        if kept is not None:
            shutil.copytree(kept, folder.parent / "loops")
        self.bytecode = ROOT / ".venv" / "bytecode"
        data = os.environ.get("DISCREET_DATA", str(ROOT.parent / "shared" / "data"))
        self.environment = {
            **os.environ, "PYTHONPATH": str(folder / "src"), "DISCREET_DATA": data,
            "DISCREET_CACHE_DIR": str(folder.parent / "loops"), "PYTHONPYCACHEPREFIX": str(self.bytecode),
            "PYTHONDONTWRITEBYTECODE": "",
        }  # fmt: skip

    def close(self) -> None:
        """Forget the bytecode of the copy."""
        shutil.rmtree(self.bytecode / self.folder.relative_to("/"), ignore_errors=True)

    @contextmanager
    def broken(self, mutant: Mutant) -> Iterator[None]:
        """Keep a file changed; its bytecode is told apart by seconds and size, too coarse for changes of one sign."""
        file = self.folder / mutant.path
        source = file.read_bytes()
        bytecode = self.bytecode / file.parent.relative_to("/")

        def put(content: bytes) -> None:
            file.write_bytes(content)
            for one in bytecode.glob(f"{file.stem}.*.pyc"):
                one.unlink()

        put(mutant.apply(source))
        try:
            yield
        finally:
            put(source)

    def failing_test(self, arguments: list[str]) -> str | None:
        """Run tests until one fails, and return its name."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider"]
        command += ["--timeout", str(LONGEST_TEST)]
        try:
            run = subprocess.run(  # noqa: S603 - our own tests
                [*command, *arguments], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                timeout=LONGEST, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "no end"
        if run.returncode in (0, 5):  # passed, or nothing there to run
            return None
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", run.stdout, re.MULTILINE)
        return failed[1] if failed else f"pytest ended with {run.returncode}"

    def try_out(self, mutant: Mutant, *, whole: bool) -> str | None:
        """Return the test that notices a mutant, None if none does."""
        innocent: list[str] = []  # they fail without the change too, and the others of their ring have a say still
        for ring in rings(mutant.path, whole=whole):
            while ring:
                skipped = [part for name in innocent for part in ("--deselect", name)]
                with self.broken(mutant):
                    failing = self.failing_test([*ring, *skipped])
                if failing is None:
                    break
                if "::" not in failing or self.failing_test([failing]) is None:
                    return failing
                innocent.append(failing)
                print(f"  {failing} fails without the change too")
        return None


def main() -> int:
    """Draw, try and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--draw", type=int, default=20, metavar="N", help="how many mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", action="append", default=[], help="what paths within the package begin with")
    parser.add_argument("--without", action="append", default=[], help="what they do not begin with")
    parser.add_argument("--whole", action="store_true", help="let survivors meet every test")
    parser.add_argument("--list", action="store_true", help="show the draw and run nothing")
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="these of the draw, by their numbers")
    options = parser.parse_args()
    mutants = draw(options.draw, options.seed, options.room, options.without)
    # Those that change nothing are best left out before they have met every test.
    numbered = [(place, one) for place, one in enumerate(mutants, start=1) if place in (options.only or [place])]
    survivors = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ExitStack() as at_end:
        workshop = None if options.list else Workshop(Path(folder) / "project")
        if workshop is not None:
            at_end.callback(workshop.close)
        for number, mutant in numbered:
            diff = mutant.diff((ROOT / mutant.path).read_bytes())
            if workshop is None:
                print(f"{number}.\n{diff}")
                continue
            begin = time.monotonic()
            caught = workshop.try_out(mutant, whole=options.whole)
            took = f"{time.monotonic() - begin:.0f} s"
            survivors += caught is None
            print(f"{number:>3} {mutant.path} ({mutant.kind}): {caught or 'SURVIVED'} ({took})", flush=True)
            if caught is None:
                print(diff, flush=True)
    if options.list:
        return 0
    print(f"{len(numbered) - survivors} of {len(numbered)} mutants were caught.")
    return int(len(numbered) - survivors < ENOUGH * len(numbered))


if __name__ == "__main__":
    sys.exit(main())
