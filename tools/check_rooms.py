"""Check who imports whom, and what things are called: the rooms of the house, read off the syntax tree.

    python tools/check_rooms.py [--rooms | --third-party] [folder of the package]

A room imports from lower floors, from itself, and from what is named beside it; a third-party name stays in the rooms
listed for it. Imports inside functions count like any other. No file name stands twice, a kernel and its method apart,
which should be found together; no public name of the package is that of a room, which the submodule would shadow; no
room uses a private name of another room's class; ARCHITECTURE.md shows the same rooms and the same libraries. Exit code
1, and one line a violation. ``--rooms`` prints the floor of every room and what it sees, ``--third-party`` which room
uses which library, as ARCHITECTURE.md must have them.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = "discreet"

FLOORS: dict[str, int] = {
    "_version": 0, "errors": 0, "typing": 0, "progress": 0, "stopping": 0, "scratch": 0, "notebook": 0, "plain": 0,
    "registry": 0, "parameters": 0, "drawing": 0,
    "kernels": 1,
    "data.scales": 2, "operators": 2,
    "data": 3,
    "models": 4, "statistics": 4,
    "contracts": 5,
    "engines": 6, "masking": 6, "linkage": 6,
    "measures": 7,
    "catalogue": 8,
    "evaluation": 9, "io": 9, "datasets": 9, "report": 9, "kept_catalogue": 9,
    "release": 10, "reproduction": 10,
    "workflow": 11,
    "cli": 12, "studio": 12, "studio.screens": 12,
    "__main__": 13,
}  # fmt: skip

# Rooms of one floor do not know each other, except where it is said here.
SAME_FLOOR: dict[str, set[str]] = {
    "parameters": {"errors", "typing", "registry", "plain"},
    "registry": {"errors"},
    "plain": {"errors", "typing"},
    "notebook": {"plain"},
    "drawing": {"notebook"},
    "progress": {"errors", "stopping"},
    "scratch": {"errors", "stopping"},
    "operators": {"data.scales"},
    "evaluation": {"io"},  # a study keeps its rows through its door
    "cli": {"studio"},  # `discreet studio` starts it
    "studio": {"studio.screens"},
    "studio.screens": {"studio"},
}

_WORDS = {
    "errors",
    "typing",
    "progress",
    "stopping",
    "scratch",
    "notebook",
    "drawing",
    "plain",
    "registry",
    "parameters",
}

# Rooms that may see less than every lower floor.
ONLY: dict[str, set[str]] = {
    "errors": set(),
    "typing": set(),
    "kernels": {"typing", "stopping"},  # a loop reads the flag that stops it
    "data.scales": {*_WORDS, "kernels"},
    "catalogue": {*_WORDS, "contracts", "masking", "linkage", "measures", "operators"},
    "kept_catalogue": {*_WORDS, "kernels", "catalogue"},
    "io": {*_WORDS, "data.scales", "data", "statistics", "contracts"},
    "datasets": {*_WORDS, "data.scales", "data", "contracts"},
    "report": {"_version", *_WORDS, "data", "contracts"},
    "cli": {"_version", *_WORDS, "catalogue", "release", "reproduction", "workflow"},
    "studio.screens": {"errors", "typing", "progress", "workflow"},  # pages ask the desk and the controls
}

# A third-party name stays in its rooms. numpy is everybody's; the standard library is not listed.
THIRD_PARTY: dict[str, set[str]] = {
    "numba": {"kernels"},
    "llvmlite": {"kernels"},
    "scipy": {"operators", "statistics", "masking", "linkage", "measures", "evaluation", "reproduction"},
    "sklearn": {"contracts", "masking", "linkage", "measures", "evaluation"},
    "narwhals": {"data"},
    "pyarrow": {"data.scales", "data", "engines", "io", "datasets", "reproduction"},
    "polars": {"data", "contracts", "engines", "evaluation", "io"},
    "pandas": {"data"},
    "tomli_w": {"data", "release"},
    "cryptography": {"masking"},
    "vl_convert": {"report"},
    "jinja2": {"report", "reproduction", "studio"},
    "markupsafe": {"report", "reproduction", "studio"},
    "weasyprint": {"report"},
    "typer": {"cli"},
    "rich": {"cli"},
    "rapidfuzz": {"linkage"},
    "pyspark": {"engines"},
    "pyreadstat": {"io"},
    "fastexcel": {"io"},
    "xlsxwriter": {"io"},
    "fastapi": {"studio", "studio.screens"},
    "uvicorn": {"studio"},
    "starlette": {"studio", "studio.screens"},
    "python_multipart": {"studio"},
}  # fmt: skip
BESIDE_ROOMS = {"examples", "hardening", "promises", "tools", "written"}
"""Folders of tests that tell of the whole package, or of what is beside it."""


class Violation(NamedTuple):
    """One thing that the house forbids, and where it stands."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


class Source(NamedTuple):
    """One file of the package."""

    path: Path
    parts: tuple[str, ...]
    tree: ast.Module


def room_of(module: str) -> str | None:
    """Return the room of a dotted module name of the package, None for the package itself.

    A folder inside a room that has a floor of its own is a room: ``data.scales`` lies below ``data``.
    """
    parts = module.split(".")[1:]
    inner = ".".join(parts[:2])
    return inner if inner in FLOORS else parts[0] if parts else None


def imported(tree: ast.AST, package: str) -> list[tuple[int, str]]:
    """Return every imported dotted name with its line; relative imports are resolved against `package`."""
    names: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = package.split(".")[: len(package.split(".")) - node.level + 1]
                origin = ".".join([*base, *([node.module] if node.module else [])])
            else:
                origin = node.module or ""
            # `from discreet import workflow` imports a room, not the package, and so do `from discreet.data import …`.
            inside = origin == PACKAGE or any(room.startswith(f"{origin}.") for room in _dotted_rooms())
            names += [(node.lineno, f"{origin}.{alias.name}" if inside else origin) for alias in node.names]
    return list(dict.fromkeys(names))


def _dotted_rooms() -> Iterator[str]:
    return (f"{PACKAGE}.{room}" for room in FLOORS)


def forbidden(room: str, name: str) -> str | None:
    """Say why `room` may not import `name`, or None."""
    top = name.split(".", 1)[0]
    if top != PACKAGE:
        if top in sys.stdlib_module_names or top == "numpy":
            return None
        if top not in THIRD_PARTY:
            return f"{top} is in no room's list; name its room in tools/check_rooms.py"
        if room not in THIRD_PARTY[top]:
            return f"{top} stays in {', '.join(sorted(THIRD_PARTY[top]))}; {room} may not import it"
        return None
    other = room_of(name)
    if other is None:
        return f"{room} imports the package itself; import the room it needs"
    if other == room:
        return None
    if other not in FLOORS:
        return f"{other} is on no floor"
    if room in ONLY and other not in ONLY[room] | SAME_FLOOR.get(room, set()):
        return f"{room} may not import {other}"
    if FLOORS[other] > FLOORS[room]:
        return f"{room} (floor {FLOORS[room]}) imports {other} (floor {FLOORS[other]}), which is above it"
    if FLOORS[other] == FLOORS[room] and other not in SAME_FLOOR.get(room, set()):
        return f"{room} and {other} are on one floor and do not know each other"
    return None


def read(root: Path) -> list[Source]:
    """Return every file of the package with its syntax tree."""
    return [
        Source(path, path.relative_to(root).with_suffix("").parts, ast.parse(path.read_text(encoding="utf-8")))
        for path in sorted(root.rglob("*.py"))
    ]


def room_of_file(parts: tuple[str, ...]) -> str:
    """Return the room of a file by its place in the package."""
    return room_of(".".join([PACKAGE, *parts])) or ""


def check_imports(sources: list[Source]) -> Iterator[Violation]:
    """Yield imports that a room forbids, and files that are in no room."""
    for path, parts, tree in sources:
        if parts == ("__init__",):
            continue  # the front door looks names up when they are used
        room = room_of_file(parts)
        if room not in FLOORS:
            yield Violation(path, 1, f"{room} is on no floor; give it one in tools/check_rooms.py")
            continue
        for line, name in imported(tree, ".".join([PACKAGE, *parts[:-1]])):
            why = forbidden(room, name)
            if why:
                yield Violation(path, line, why)


def check_file_names(sources: list[Source]) -> Iterator[Violation]:
    """Yield files whose name stands twice; a method and its kernel have one name, so that they are found together."""
    places: dict[tuple[str, bool], list[Source]] = defaultdict(list)
    for source in sources:
        if source.parts[-1] not in ("__init__", "__main__"):
            places[source.parts[-1], source.parts[0] == "kernels"].append(source)
    for (name, _), group in places.items():
        for source in group[1:]:
            yield Violation(source.path, 1, f"{name}.py stands in {'/'.join(group[0].parts[:-1]) or PACKAGE} already")


def check_public_names(sources: list[Source]) -> Iterator[Violation]:
    """Yield public names of the package that a room of the same name would shadow once it is imported."""
    rooms = {source.parts[0] for source in sources}
    for path, parts, tree in sources:
        if parts != ("__init__",):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "_HOMES":
                homes = node.value if isinstance(node.value, ast.Dict) else ast.Dict([], [])
                for key, value in zip(homes.keys, homes.values, strict=True):
                    name, home = getattr(key, "value", None), getattr(value, "value", None)
                    if name in rooms and home != f"{PACKAGE}.{name}":
                        yield Violation(path, node.lineno, f"{name} is a public name and a room, which would shadow it")


def check_private_names(sources: list[Source]) -> Iterator[Violation]:
    """Yield uses of a private name of another room's class: ``masker._names`` outside `masking` and `contracts`."""
    owners: dict[str, set[str]] = defaultdict(set)
    for source in sources:
        for name in _private_members(source.tree):
            owners[name].add(room_of_file(source.parts))
    for path, parts, tree in sources:
        room = room_of_file(parts)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or not node.attr.startswith("_") or node.attr.startswith("__"):
                continue
            of_itself = isinstance(node.value, ast.Name) and node.value.id == "self"
            of_above = isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "super"
            rooms = owners.get(node.attr, set())
            if rooms and room not in rooms and not of_itself and not of_above:
                said = f"{node.attr} is private to a class of {' and '.join(sorted(rooms))}"
                yield Violation(path, node.lineno, f"{said}; {room} may not use it")


def _private_members(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for cls in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        for node in cls.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                names.add(node.name)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
            elif isinstance(node, ast.Assign):
                names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        names |= {
            node.attr
            for node in ast.walk(cls)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and getattr(node.value, "id", "") == "self"
        }
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


def check(root: Path) -> list[Violation]:
    """Return every violation in the package whose folder is `root`."""
    sources = read(root)
    return [
        *check_imports(sources),
        *check_file_names(sources),
        *check_public_names(sources),
        *check_private_names(sources),
    ]


def check_tests(sources: list[Source], tests: Path) -> Iterator[Violation]:
    """Yield rooms without tests, folders of tests that are no room's, and tests that stand beside another's place.

    A test with the name of a file of the package stands where that file does; one with another name tells of more than
    one file, and stands in the room of them.
    """
    folders = {source.parts[:depth] for source in sources for depth in range(len(source.parts))}
    rooms_with_files = {source.parts[0] for source in sources if len(source.parts) > 1}
    homes: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for source in sources:
        homes[source.parts[-1]].add(source.parts[:-1])
    files = sorted(tests.rglob("test_*.py"))
    places = {path: path.relative_to(tests).parent.parts for path in files}
    for room in sorted(rooms_with_files - {place[0] for place in places.values() if place}):
        yield Violation(tests, 1, f"there are no tests of {room}")
    for path, place in places.items():
        if place and place[0] in BESIDE_ROOMS:
            continue
        home = homes.get(path.stem.removeprefix("test_"), set())
        if place not in folders:
            yield Violation(path, 1, f"{'/'.join(place)} is no folder of {PACKAGE}")
        elif home and place not in home:
            yield Violation(path, 1, f"is named after a file of {'/'.join(min(home)) or PACKAGE}, and stands elsewhere")


def third_party(root: Path) -> str:
    """Return the table of libraries and the rooms that import them, as Markdown."""
    rooms: dict[str, set[str]] = defaultdict(set)
    for _, parts, tree in read(root):
        for _, name in imported(tree, ".".join([PACKAGE, *parts[:-1]])):
            top = name.split(".", 1)[0]
            if top not in sys.stdlib_module_names and top not in (PACKAGE, "numpy"):
                rooms[top].add(room_of_file(parts))
    lines = [f"| {name} | {' '.join(f'`{room}`' for room in sorted(rooms[name]))} |" for name in sorted(rooms)]
    return "\n".join(["| library | rooms |", "| --- | --- |", *lines])


def sees(room: str) -> str:
    """Say in words what a room may import."""
    beside = SAME_FLOOR.get(room, set())
    if room in ONLY:
        others, words = ONLY[room] | beside, []
        if others >= _WORDS:
            others, words = others - _WORDS, ["floor 0"]
    else:
        others, words = beside, ["lower floors"] if FLOORS[room] else []
    return ", ".join([*words, *(f"`{name}`" for name in sorted(others) if not name.startswith("_"))]) or "nothing"


def rooms() -> str:
    """Return the table of rooms, as Markdown: the floor, the name, what it may import."""
    named = [room for room in FLOORS if not room.startswith("_")]
    return "\n".join(["| floor | room | sees |", *(f"| {FLOORS[room]} | `{room}` | {sees(room)} |" for room in named)])


def check_page(root: Path, page: Path) -> Iterator[Violation]:
    """Yield the lines of ARCHITECTURE.md that show other rooms or other libraries than there are.

    A table of the page may say more in further columns, and must begin as ours does, row by row.
    """
    lines = page.read_text(encoding="utf-8").splitlines()
    for table, option in ((rooms(), "--rooms"), (third_party(root), "--third-party")):
        rows = [row for row in table.splitlines() if not row.startswith("| ---")]
        begins = [number for number, line in enumerate(lines) if line.startswith(rows[0])]
        if not begins:
            yield Violation(page, 1, f"there is no table {rows[0]}; tools/check_rooms.py {option} prints it")
            continue
        there = [begins[0], *range(begins[0] + 2, len(lines))]  # without the line below the heads
        length = next((i for i, number in enumerate(there) if not lines[number].startswith("|")), len(there))
        for number, row in zip(there, [*rows, None][: length + 1], strict=False):
            if row is None and lines[number].startswith("|"):
                yield Violation(page, number + 1, f"a row too many; tools/check_rooms.py {option} prints the table")
            elif row is not None and not lines[number].startswith(row):
                yield Violation(page, number + 1, f"not {row}; tools/check_rooms.py {option} prints the table")
                break  # the rows below it are likely to be shifted


def main() -> int:
    """Check the package and report."""
    project = Path(__file__).parent.parent
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    root = Path(arguments[0]) if arguments else project / "src" / PACKAGE
    if "--rooms" in sys.argv or "--third-party" in sys.argv:
        print(rooms() if "--rooms" in sys.argv else third_party(root))
        return 0
    violations = check(root)
    if not arguments:
        violations += [*check_page(root, project / "ARCHITECTURE.md"), *check_tests(read(root), project / "tests")]
    for violation in violations:
        print(violation)
    print(f"rooms: {len(violations)} violations" if violations else "rooms: everything is in order")
    return 1 if violations else 0


if __name__ == "__main__":
    raise SystemExit(main())
