"""``lattice``: every combination of steps of a generalisation, which keep the models, and what each costs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from discreet.cli.console import out, print_json, progress, safe
from discreet.cli.options import (
    Data,
    Delimiter,
    Encoding,
    Json,
    Parameter,
    Quiet,
    SchemaFile,
    Verbose,
    declares,
    given,
    reads_text,
    refuse_existing,
    tell_inferred,
)

__all__ = ["lattice"]


@reads_text
@declares
def lattice(
    data: Data,
    hierarchies: Annotated[
        str | None,
        typer.Option(help="The folder of hierarchies, or age=age.csv,sex=sex.csv.", show_default=False),
    ] = None,
    k: Annotated[str | None, typer.Option(help="Smallest group.", show_default=False)] = None,
    models: Annotated[
        str | None,
        typer.Option(help="What must be kept: 'k=5; l-diversity=2 salary'.", show_default=False),
    ] = None,
    suppression: Annotated[
        str | None, typer.Option(help="The largest share of records suppressed.", show_default=False)
    ] = None,
    objective: Annotated[
        str | None, typer.Option(help="What a node costs: loss, entropy, …", show_default=False)
    ] = None,
    attributes: Annotated[str | None, typer.Option(help="The keys, separated by commas.", show_default=False)] = None,
    parameter: Parameter = None,
    top: Annotated[int, typer.Option(min=1, help="How many nodes are shown.")] = 10,
    satisfying: Annotated[bool, typer.Option("--satisfying", help="Show only nodes that keep the models.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="All nodes, as CSV.", show_default=False)
    ] = None,
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
    """List the combinations of steps of a generalisation: which keep the models, what each suppresses and costs.

    For example:

    discreet lattice adult.csv --hierarchies trees/ --k 5 --suppression 0.05

    discreet lattice adult.csv --hierarchies trees/ --models 'k=5; t-closeness=0.2 salary' --top 30 -o nodes.csv
    """
    from discreet import workflow

    typed = given(k, attributes, None, parameter or [])
    options = {"hierarchies": hierarchies, "models": models, "suppression": suppression, "objective": objective}
    typed |= {name: text for name, text in options.items() if text is not None}
    parameters = workflow.parse_parameters("masker", "generalisation", typed)
    inputs = [data, *([schema] if schema else []), *workflow.files_named([parameters])]
    if output is not None:
        workflow.check_outputs([output], inputs)
        refuse_existing([output], force=force)
    with progress(quiet=quiet or json, verbose=verbose):
        table = workflow.read(data, declared, delimiter=delimiter, encoding=encoding, **layout)
        explored = workflow.masker_for("generalisation", parameters).explore(table)  # type: ignore[union-attr]
        if output is not None:
            with workflow.written_together([output], inputs, last=True):
                workflow.write_hierarchy(output, explored.to_text(), inputs)
    rows = explored.rows(top, satisfying=satisfying)
    if json:
        print_json(explored.to_dict() | {"top": rows})
        return
    tell_inferred(table.schema, quiet=quiet)
    if quiet:
        return
    out.print(safe(explored.sentence), highlight=False)
    keys = ", ".join(f"{n} (0–{height})" for n, height in zip(explored.names, explored.heights, strict=True))
    out.print(f"Steps of {safe(keys)}:", highlight=False)
    grid = Table("steps", "keeps the models")
    for title in ("suppressed", explored.objective):
        grid.add_column(title, justify="right")
    for row in rows:
        released = row["suppressed"] is not None
        fine = "yes, none finer does" if row["minimal"] else "yes" if row["satisfies"] else "no"
        cost = f"{row[explored.objective]:.6g}" if released else "–"
        grid.add_row(
            " ".join(map(str, row["steps"].values())),
            "yes, and costs least" if row["best"] else fine,
            str(row["suppressed"]) if released else "all",
            cost,
        )
    out.print(grid)
    if output is not None:
        out.print(f"Written to {safe(str(output))}.", highlight=False)
