"""Count the local names that say nothing: the share of `found`, `known`, `chosen` among all names that functions bind.

    python tools/vague_names.py [folder of the package] [--limit 1.0] [--list]

A reader who meets `found` has to go back and see what was looked for; `nearest` or `frequencies` tells. Counted is
every place where a function binds a name, read off the syntax tree: assignments, targets of loops and of
comprehensions, names after `as`, the walrus, and parameters of private functions. Parameters of public functions,
attributes and module names are promises to others, and are judged where they are designed. Exit code 1 above the limit.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parent.parent / "src" / "discreet"

# Participles that tell what was done to a thing and not what the thing is. `masked`, `encoded` or `sorted` are not
# here: they say which of several tables, codes or orders is meant.
VAGUE = {
    "asked", "brought", "chosen", "done", "drawn", "found", "given", "gone", "got", "held", "kept", "known", "left",
    "looked", "made", "met", "needed", "picked", "put", "said", "seen", "sent", "shown", "taken", "told", "used",
    "wanted",
}  # fmt: skip


class Binding(NamedTuple):
    """One place where a function binds a name."""

    line: int
    name: str


class Tally(NamedTuple):
    """How many names are bound, and which of them are vague."""

    bindings: int
    vague: list[Binding]

    def __str__(self) -> str:
        return f"{len(self.vague):4d} of {self.bindings:5d}  {self.percent:4.1f} %"

    @property
    def percent(self) -> float:
        """The share of vague names, in percent."""
        return 100 * len(self.vague) / self.bindings if self.bindings else 0.0


def parameters(function: ast.AST) -> list[Binding]:
    """Return the parameters of a function or a lambda, without the receiver of a method."""
    names = (node for node in ast.walk(function.args) if isinstance(node, ast.arg))  # type: ignore[attr-defined]
    return [Binding(name.lineno, name.arg) for name in names if name.arg not in {"self", "cls"}]


def assignments(node: ast.AST) -> Iterator[Binding]:
    """Yield the names assigned below a node, in its comprehensions too, but not in functions and classes within it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store) and child.id != "_":
            yield Binding(child.lineno, child.id)
        elif isinstance(child, ast.ExceptHandler) and child.name:
            yield Binding(child.lineno, child.name)
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield from assignments(child)


def functions(node: ast.AST, *, inside: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Yield every function below a node, and whether it is private: by its name, or because it is within another."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            dunder = child.name.startswith("__") and child.name.endswith("__")
            yield child, inside or (child.name.startswith("_") and not dunder)
            yield from functions(child, inside=True)
        elif isinstance(child, ast.Lambda):
            yield child, True
            yield from functions(child, inside=True)
        else:
            yield from functions(child, inside=inside)


def tally(code: str) -> Tally:
    """Count the names that the functions of one file bind.

    `left` beside `right` is a side, of a pair or of a tree, and not what was left over.
    """
    total, vague = 0, []
    for function, private in functions(ast.parse(code)):
        arguments, assigned = parameters(function), list(assignments(function))
        names = {binding.name for binding in (*arguments, *assigned)}
        sides = {"left"} if {"left", "right"} <= names else set()
        counted = [*arguments, *assigned] if private else assigned
        total += len(counted)
        vague += [binding for binding in counted if binding.name in VAGUE - sides]
    return Tally(total, sorted(vague))


def together(tallies: list[Tally]) -> Tally:
    """Add tallies up."""
    return Tally(sum(one.bindings for one in tallies), [binding for one in tallies for binding in one.vague])


def main(arguments: list[str] | None = None) -> int:
    """Count, print by room and by file, and compare with the limit."""
    parser = argparse.ArgumentParser(description="Count the local names that say nothing.")
    parser.add_argument("folder", nargs="?", type=Path, default=PACKAGE)
    parser.add_argument("--limit", type=float, default=100.0, help="exit with 1 above this share, in percent")
    parser.add_argument("--list", action="store_true", help="print every vague name with its place")
    options = parser.parse_args(arguments)
    files = {path: tally(path.read_text(encoding="utf-8")) for path in sorted(options.folder.rglob("*.py"))}
    rooms: dict[str, list[Path]] = {}
    for path in files:
        rooms.setdefault(path.relative_to(options.folder).parts[0], []).append(path)
    for room, paths in rooms.items():
        print(f"{together([files[path] for path in paths])}  {room}")
        for path in paths:
            if files[path].vague and path.parent != options.folder:
                print(f"{files[path]}      {path.relative_to(options.folder)}")
            for line, name in files[path].vague if options.list else ():
                print(f"      {path}:{line}: {name}")
    house = together(list(files.values()))
    print(f"{house}  in all, at most {options.limit:g} %")
    return int(house.percent > options.limit)


if __name__ == "__main__":
    raise SystemExit(main())
