"""``discreet papers``: every table of the five papers, printed and ours side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from discreet.cli.console import err, out, print_json, progress, safe, table
from discreet.cli.options import Json, Quiet, Verbose

if TYPE_CHECKING:
    from discreet.reproduction.printed import Cell, PaperComparison, Table

__all__ = ["papers"]

_STYLES = {
    "exact": "green", "defined": "", "built": "dim", "sampling": "cyan", "otherwise": "yellow", "differs": "yellow",
    "ours": "", "not run": "dim",
}  # fmt: skip
_FEW_COLUMNS = 2


def papers(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[p0|p1a|p1b|p1c|p1d|p2|p3|p4]...", help="Which papers; all of them by default."),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Run the studies at full length: up to half an hour.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write one self-contained page, figures included.", show_default=False)
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder with uci/iris.csv and the other public files; or DISCREET_DATA.", show_default=False),
    ] = None,
    store: Annotated[
        Path | None, typer.Option(help="Keep the experiments of P1a here as they come.", show_default=False)
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from what is in --store.")] = False,
    tables: Annotated[bool, typer.Option("--tables", help="Show every table, also where no paper was named.")] = False,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Recompute the tables of the papers behind Discreet, and compare them with what is printed.

    Exit code 1 if a figure that should agree to the printed digits does not. A table whose file is absent is not run.

    Example: discreet papers p1b --html papers.html
    """
    from discreet import workflow

    inputs = workflow.paper_files(data)
    workflow.check_outputs([path for path in (html, store) if path], inputs)
    if store is not None:
        workflow.check_store(store, resume=resume, inputs=inputs)
    with progress(quiet=quiet or json, verbose=verbose):
        comparison = workflow.compare_papers(names or (), full=full, data=data, store=store, resume=resume)
    if html is not None:
        with workflow.written_together([html], inputs, last=True):
            workflow.write_papers(comparison, html)
    if json:
        print_json(comparison.to_dict())
    else:
        if names or tables:
            for section in comparison.sections:
                out.rule(f"[bold]{section.name}[/bold] {safe(section.title)}", align="left")
                for one in section.tables:
                    _show(one)
        _summary(comparison)
        if html is not None:
            out.print(f"Page: {safe(str(html))}")
    if comparison.failed:
        for section, one, row, column, cell in comparison.failures:
            where = f"{section.name}, {one.name}, {row}, {column}"
            figures = f"printed {cell.printed}, ours {cell.ours}"
            err.print(f"[bold red]Should be exact:[/bold red] {safe(where)}: {safe(figures)}", soft_wrap=True)
        raise typer.Exit(1)


def _show(one: Table) -> None:
    """Show a table in its layout, cut into parts that fit, and what is to be said about it."""
    if len(one.columns) <= _FEW_COLUMNS:
        _show_lines(one)
    else:
        for part in _parts(one):
            _show_grid(one, part)
    if one.note:
        out.print(safe(one.note), style="dim", highlight=False)
    for reason, places in one.reasons:
        out.print(f"[yellow]•[/yellow] {safe(reason)} [dim]({safe(places)})[/dim]", highlight=False)
    out.print()


def _show_lines(one: Table) -> None:
    many = len(one.columns) > 1
    heads = [one.corner or "", *(["figure"] if many else []), "printed", "ours", "difference", "verdict"]
    grid = table(_title(one), *heads, *(["data"] if one.data else []), numbers=("printed", "ours", "difference"))
    for row, column, cell in one.cells:
        verdict = Text("SHOULD BE EXACT" if cell.failed else _said(cell), style=_style(cell))
        gap = "0" if cell.agrees else cell.gap
        words = [safe(row), *([safe(column)] if many else []), safe(cell.printed or "–"), safe(cell.ours or "–"), gap]
        grid.add_row(*words, verdict, *([safe(_short(one.data))] if one.data else []))
    out.print(grid)


def _show_grid(one: Table, part: range) -> None:
    columns = [one.columns[at] for at in part]
    grid = table(_title(one), one.corner or "", *columns, *(["data"] if one.data else []), numbers=tuple(columns))
    for row in one.rows:
        cells = [_lines(row.cells[at]) for at in part]
        grid.add_row(safe(row.label), *cells, *([safe(_short(one.data))] if one.data else []))
    out.print(grid)


def _lines(cell: Cell | None) -> Text:
    """Return a cell: one line where it is exact; else the printed figure, ours, and how far apart they are."""
    if cell is None:
        return Text("")
    if cell.agrees:
        return Text(cell.ours, style=_style(cell))
    lines = [part for part in (cell.printed, cell.ours or "not run", cell.gap) if part]
    text = Text("\n".join(lines), style=_style(cell))
    if cell.printed:
        text.stylize("dim", 0, len(cell.printed))
    return text


def _parts(one: Table) -> Iterator[range]:
    """Cut the columns so that every part fits the terminal."""
    widths = []
    for at, name in enumerate(one.columns):
        cells = [row.cells[at] for row in one.rows]
        widths.append(
            max(
                *map(len, name.split()),
                4,
                *(max((len(line) for line in _lines(c).plain.split("\n")), default=0) for c in cells),
            )
            + 3
        )
    edge = max((len(row.label) for row in one.rows), default=0) + 6
    edge += len(_short(one.data)) + 3 if one.data else 0
    begin, total = 0, edge
    for at, width in enumerate(widths):
        if total + width > out.width and at > begin:
            yield range(begin, at)
            begin, total = at, edge
        total += width
    yield range(begin, len(widths))


def _summary(comparison: PaperComparison) -> None:
    heads = {
        "exact": "exact", "defined": "defined", "built": "built", "sampling": "sampled", "otherwise": "unlike",
        "differs": "differs", "ours": "other", "not run": "not run",
    }  # fmt: skip
    if not comparison.count("otherwise"):
        del heads["otherwise"]
    grid = table(
        "Figures by verdict",
        "paper",
        "tables",
        *heads.values(),
        "failed",
        numbers=("tables", *heads.values(), "failed"),
    )
    for section in comparison.sections:
        failed = sum(cell.failed for one in section.tables for _, _, cell in one.cells)
        counts = [str(section.count(kind)) for kind in heads]  # type: ignore[arg-type]
        end = Text(str(failed), style="bold red" if failed else "green")
        grid.add_row(section.name, str(len(section.tables)), *counts, end)
    out.print(grid)
    out.print(
        "exact: to the printed digits; defined: not printed, agrees with the definition computed apart; built: agrees "
        "because the stand-in was made so; sampled: random in both, within three standard errors; unlike: printed of "
        "another procedure; differs: each with its reason (discreet papers NAME, or --html); other: ours alone, or "
        "beside figures of other data.",
        style="dim",
        highlight=False,
    )
    out.print(f"{'Full length' if comparison.full else 'Quick version'}, {comparison.seconds:.0f} s.", highlight=False)


def _title(one: Table) -> str:
    return f"{safe(one.name)} · {safe(one.title)}"


def _said(cell: Cell) -> str:
    words = {
        "sampling": "within sampling error",
        "otherwise": "by another procedure",
        "ours": "not comparable",
        "defined": "as defined",
        "built": "as built",
    }
    return words.get(cell.verdict, cell.verdict)


def _short(data: str) -> str:
    return data.partition(",")[0] + ", stand-in" if "stand-in" in data else data


def _style(cell: Cell) -> str:
    return "bold red" if cell.failed else _STYLES[cell.verdict]
