"""How the command line shows things, and how it ends."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from discreet.progress import listening

__all__ = ["err", "out", "print_json", "progress", "safe", "table"]

out = Console()
err = Console(stderr=True)


def safe(text: str) -> str:
    """Return text that a terminal shows as it is: no control characters, no markup."""
    return escape("".join(c if c.isprintable() else "�" for c in text))


def print_json(value: Any) -> None:
    """Write JSON to standard output, for machines."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def table(title: str, *columns: str, numbers: tuple[str, ...] = ()) -> Table:
    """Return an empty table in the house style."""
    result = Table(title=title, title_justify="left", title_style="bold", header_style="bold", expand=False)
    for column in columns:
        result.add_column(column, justify="right" if column in numbers else "left", overflow="fold")
    return result


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[None]:
    """Show a bar for whatever reports that it is getting on; none on a pipe or when told to be quiet."""
    if quiet or not err.is_terminal:
        yield
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=err, transient=True) as bars:

        def show(label: str, done: int, total: int) -> None:
            if label not in tasks:
                tasks[label] = bars.add_task(label, total=total)
            bars.update(tasks[label], completed=done, total=total)

        with listening(show):
            yield
