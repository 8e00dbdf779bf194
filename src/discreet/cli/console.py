"""How the command line shows things: results to standard output, everything else to standard error.

Colours and bars are for terminals only; ``NO_COLOR`` takes the colours away there too.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from discreet.progress import listening

__all__ = ["advise", "err", "out", "print_json", "progress", "safe", "show_promises", "table"]

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


def advise(remarks: Iterable[Any]) -> None:
    """Show remarks on weak choices on standard error, each with what can be done about it."""
    for remark in remarks:
        err.print(
            f"[yellow]Note:[/yellow] {safe(remark.sentence)} {safe(remark.hint)}", highlight=False, soft_wrap=True
        )


def show_promises(sentences: Sequence[str], most: int = 5) -> None:
    """Show what a release promises, which was counted in the file that was written; the first few of many."""
    for sentence in sentences[:most]:
        out.print(f"• {safe(sentence)} Counted in the written file.", highlight=False)
    if len(sentences) > most:
        out.print(f"• {len(sentences) - most} more such promises were counted; --json lists them.", highlight=False)


@contextmanager
def progress(*, quiet: bool = False, verbose: bool = False) -> Iterator[None]:
    """Show a bar with the time left for whatever reports that it is getting on; none on a pipe or when told not to.

    With `verbose`, what was done and how long it took is told at the end, on a pipe too.
    """
    began: dict[str, float] = {}
    ended: dict[str, tuple[float, int]] = {}
    start = time.perf_counter()

    def note(label: str, _done: int, total: int) -> None:
        now = time.perf_counter()
        began.setdefault(label, now)
        ended[label] = (now - began[label], total)

    if quiet or not err.is_terminal:
        if not verbose:
            yield
            return
        with listening(note):
            yield
    else:
        with _bars(note) as show, listening(show):
            yield
    if verbose:
        for label, (seconds, total) in ended.items():
            err.print(f"{safe(label)}: {total} steps in {seconds:.1f} s", highlight=False)
        err.print(f"Done in {time.perf_counter() - start:.1f} s.", highlight=False)


class _Speed(ProgressColumn):
    """How many steps a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text(f"{speed:.3g}/s" if speed else "", style="dim")


@contextmanager
def _bars(note: Any) -> Iterator[Any]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        _Speed(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=err, transient=True) as bars:

        def show(label: str, count: int, total: int) -> None:
            note(label, count, total)
            if label not in tasks:
                tasks[label] = bars.add_task(safe(label), total=total)
            bars.update(tasks[label], completed=count, total=total, visible=count < total)

        yield show
