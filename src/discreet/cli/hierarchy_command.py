"""``hierarchy``: build a hierarchy for a column, or turn one format into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.console import err, out, print_json, progress, safe
from discreet.cli.options import (
    Data,
    Delimiter,
    Encoding,
    Json,
    Quiet,
    SchemaFile,
    Verbose,
    declares,
    reads_text,
    refuse_existing,
)
from discreet.errors import ParameterError

__all__ = ["hierarchy"]


@reads_text
@declares
def hierarchy(
    data: Data,
    column: Annotated[str, typer.Argument(help="The column to build it for.", show_default=False)],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Where to write it: .csv as ARX reads it, .grc of μ-Argus, or .toml.",
            show_default=False,
        ),
    ],
    by: Annotated[
        str | None,
        typer.Option(
            help="intervals, order, prefix, frequency, cooccurrence or dates; what fits the scale by default.",
            show_default=False,
        ),
    ] = None,
    steps: Annotated[
        str,
        typer.Option(help="What each step is: '5; 10', '0,30,60+', '3; 2', 'month; year'.", show_default=False),
    ] = "",
    beside: Annotated[
        str | None,
        typer.Option(help="For cooccurrence: by which columns levels are compared.", show_default=False),
    ] = None,
    step: Annotated[int, typer.Option(min=1, help="The one step that a .grc file holds.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that exists.")] = False,
    schema: SchemaFile = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Build a hierarchy of a column's levels, numbers or dates, and write it.

    No counts are written. The file may list which values the column has: it belongs to the data, not to the release.

    For example:

    discreet hierarchy survey.csv age --steps '5; 10; 20' -o age.csv

    discreet hierarchy survey.csv job --by cooccurrence --steps '8; 4' --beside education,sector -o job.csv

    discreet hierarchy patients.csv admitted --steps 'month; year' -o admitted.toml
    """  # fmt: skip
    from discreet import workflow

    inputs = [data, *([schema] if schema else [])]
    workflow.check_outputs([output], inputs)
    refuse_existing([output], force=force)
    with progress(quiet=quiet or json, verbose=verbose):
        table = workflow.read(data, declared, delimiter=delimiter, encoding=encoding, **layout)
        if column not in table.schema:
            raise ParameterError(f"The data have no column {column!r}.")
        others = None if beside is None else [name.strip() for name in beside.split(",") if name.strip()]
        tree = workflow.build_hierarchy(table, column, by, steps, others)  # type: ignore[arg-type]
        text = tree.to_text(output.suffix.lower(), step)
        with workflow.written_together([output], inputs, last=True):
            workflow.write_hierarchy(output, text, inputs)
    listed = workflow.lists_values(table, column, tree)
    if json:
        figures = {"leaves": len(tree.rows), "steps": tree.height, "lists_values": listed}
        print_json({"column": column, "file": str(output), **figures})
        return
    if quiet:
        return
    names = [len({row[place] for row in tree.rows.values()}) for place in range(tree.height + 1)]
    out.print(f"{safe(column)}: {' → '.join(map(str, names))} names. Written to {safe(str(output))}.", highlight=False)
    if listed:
        err.print(
            "The file lists which values the column has: keep it with the data, not with the release.", highlight=False
        )
