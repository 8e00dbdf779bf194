"""Check who imports whom: the rooms of the house, read off the syntax tree.

    python tools/check_rooms.py [folder of the package]

A room imports from lower floors, from itself, and from what is named beside it; a third-party name stays in the rooms
listed for it. Imports inside functions count like any other. Exit code 1, and one line a violation.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import NamedTuple

PACKAGE = "discreet"

FLOORS: dict[str, int] = {
    "_version": 0, "errors": 0, "typing": 0, "parameters": 0, "progress": 0, "notebook": 0, "stopping": 0, "scratch": 0,
    "kernels": 1,
    "draws": 2, "scales": 2, "operators": 2,
    "schema": 3, "protocol": 3, "labels": 3, "microdata": 3, "inference": 3, "results": 3, "comparison": 3,
    "cleaning": 3, "sequences": 3, "base": 3, "engines": 3, "guarantees": 3,
    "masking": 4, "linkage": 4,
    "measures": 5,
    "catalogue": 6, "evaluation": 6, "io": 6, "datasets": 6,
    "papers": 7, "report": 7, "workflow": 7,
    "cli": 8, "studio": 8,
    "__main__": 9,
}  # fmt: skip

# Rooms of one floor do not know each other, except where it is said here.
SAME_FLOOR: dict[str, set[str]] = {
    "parameters": {"errors"},
    "scratch": {"errors", "stopping"},
    "operators": {"scales"},
    "microdata": {"schema", "inference"},
    "inference": {"schema", "microdata"},
    "protocol": {"schema"},
    "labels": {"schema", "microdata", "inference", "results"},
    "cleaning": {"schema", "microdata"},
    "results": {"schema", "microdata", "guarantees", "cleaning"},
    "sequences": {"schema", "microdata"},
    "base": {"schema", "microdata", "results", "guarantees", "cleaning"},
    "engines": {"base", "schema", "microdata", "cleaning"},
    "workflow": {"report", "papers"},
    "evaluation": {"catalogue", "io"},
    "cli": {"studio"},  # `discreet studio` starts it
}

# Rooms that may see less than every lower floor.
ONLY: dict[str, set[str]] = {
    "errors": set(),
    "typing": set(),
    "comparison": {"typing"},
    "kernels": {"typing", "stopping"},  # a loop reads the flag that stops it
    "draws": {"typing", "kernels"},
    "guarantees": {"errors", "typing", "scales"},
    "scales": {"errors", "typing", "parameters", "kernels"},
    "io": {
        "errors",
        "typing",
        "parameters",
        "progress",
        "scratch",
        "stopping",
        "schema",
        "microdata",
        "inference",
        "results",
        "labels",
        "cleaning",
        "base",
        "guarantees",
    },
    "datasets": {"errors", "typing", "parameters", "schema", "microdata", "scales"},
    "report": {"_version", "errors", "typing", "notebook", "results", "guarantees", "comparison", "schema"},
    "cli": {"_version", "errors", "typing", "progress", "scratch", "stopping", "workflow"},
    "studio": {"_version", "errors", "typing", "progress", "workflow"},
    "catalogue": {"base", "masking", "linkage", "measures"},
}

# A third-party name stays in its rooms. numpy is everybody's; the standard library is not listed.
THIRD_PARTY: dict[str, set[str]] = {
    "numba": {"kernels"},
    "llvmlite": {"kernels"},
    "scipy": {"operators", "masking", "linkage", "measures", "evaluation", "papers"},
    "sklearn": {"masking", "linkage", "measures", "evaluation"},
    "narwhals": {"microdata", "sequences"},
    "pyarrow": {
        "scales", "microdata", "inference", "cleaning", "labels", "io", "datasets", "sequences", "engines", "papers",
    },
    "polars": {"microdata", "cleaning", "results", "guarantees", "evaluation", "io", "engines"},
    "pandas": {"microdata"},
    "tomli_w": {"schema", "protocol"},
    "altair": {"report"},
    "vl_convert": {"report"},
    "jinja2": {"report", "studio"},
    "markupsafe": {"report", "studio"},
    "weasyprint": {"report"},
    "typer": {"cli"},
    "rich": {"cli"},
    "rapidfuzz": {"linkage"},
    "pyspark": {"engines"},
    "pyreadstat": {"io"},
    "fastexcel": {"io"},
    "xlsxwriter": {"io"},
    "fastapi": {"studio"},
    "uvicorn": {"studio"},
    "starlette": {"studio"},
    "python_multipart": {"studio"},
}  # fmt: skip


class Violation(NamedTuple):
    """One import that its room forbids."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def room_of(module: str) -> str | None:
    """Return the room of a dotted module name of the package, None for the package itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else None


def imported(tree: ast.AST, package: str) -> list[tuple[int, str]]:
    """Return every imported dotted name with its line; relative imports are resolved against `package`."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = package.split(".")[: len(package.split(".")) - node.level + 1]
                origin = ".".join([*base, *([node.module] if node.module else [])])
            else:
                origin = node.module or ""
            # `from discreet import workflow` imports a room, not the package.
            found += [(node.lineno, f"{origin}.{alias.name}" if origin == PACKAGE else origin) for alias in node.names]
    return list(dict.fromkeys(found))


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


def check(root: Path) -> list[Violation]:
    """Return every violation in the package whose folder is `root`."""
    violations: list[Violation] = []
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if parts == ("__init__",):
            continue  # the front door looks names up when they are used
        room = parts[0]
        if room not in FLOORS:
            violations.append(Violation(path, 1, f"{room} is on no floor; give it one in tools/check_rooms.py"))
            continue
        inner = parts[:-1]
        package = ".".join([PACKAGE, *inner])
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        for line, name in imported(tree, package):
            why = forbidden(room, name)
            if why:
                violations.append(Violation(path, line, why))
    return violations


def main() -> int:
    """Check the package and report."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "src" / PACKAGE
    violations = check(root)
    for violation in violations:
        print(violation)
    print(f"rooms: {len(violations)} violations" if violations else "rooms: every import is in order")
    return 1 if violations else 0


if __name__ == "__main__":
    raise SystemExit(main())
