"""``risk``: what one file would risk, on one screen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.console import err, out, print_json, progress, safe
from discreet.cli.options import (
    Data,
    Delimiter,
    Encoding,
    EngineName,
    Json,
    Master,
    Quiet,
    Verbose,
    declares,
    engine_of,
    reads_text,
    streamed_layout,
    tell_inferred,
)
from discreet.errors import ParameterError

__all__ = ["risk"]


@reads_text
@declares
def risk(
    data: Data,
    fraction: Annotated[
        float | None, typer.Option(help="Share of the population that is in the file.", show_default=False)
    ] = None,
    population: Annotated[
        float | None, typer.Option(help="How many people the file was drawn from.", show_default=False)
    ] = None,
    wanted: Annotated[
        float | None,
        typer.Option(help="Tell which records to protect for this percentage in the population.", show_default=False),
    ] = None,
    at_most: Annotated[
        float | None,
        typer.Option(help="Exit with 1 if the worst case is above this percentage.", show_default=False),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Also write a page with the chart.", show_default=False)] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    engine: EngineName = None,
    master: Master = None,
    *,
    layout: dict[str, Any],
    declared: Any,
) -> None:
    """Say what releasing a file as it stands would risk, in one screen.

    For example:

    discreet risk survey.csv --keys age,sex,region --weight w --household hid

    discreet risk survey.csv -s survey.toml --fraction 0.05 --at-most 10 --html risk.html --json
    """
    from discreet import workflow

    if at_most is not None and not 0.0 <= at_most <= 100.0:
        raise ParameterError("--at-most must be a percentage between 0 and 100.")
    if html is not None:
        if html.suffix.lower() not in (".html", ".htm"):
            raise ParameterError("--html must be a file that ends with .html.")
        workflow.check_outputs([html], [data])
    name = engine_of(data, engine, master, quiet=quiet or json)
    if name != "memory":
        layout = streamed_layout(data, delimiter=delimiter, encoding=encoding, **layout)
    with progress(quiet=quiet or json, verbose=verbose), workflow.engine_named(name, master) as where:
        table: Any = (
            workflow.read(data, declared, delimiter=delimiter, encoding=encoding, **layout)
            if name == "memory"
            else workflow.scan(data, declared, **layout)
        )
        result = workflow.risk(table, fraction=fraction, population=population, wanted=wanted, engine=where)
        if html is not None:
            with workflow.written_together([html], [data], last=True):
                workflow.write_risk(result, html, title=data.name)
    tell_inferred(table.schema, quiet=quiet or json)
    if json:
        print_json(result.to_dict())
    else:
        lines = result.lines()
        for line in lines[:1] if quiet else lines:
            out.print(safe(line), highlight=False, soft_wrap=True)
    if at_most is not None and result.value > at_most:
        if not json:
            err.print(f"The worst case, {result.value:.2f} %, is above {at_most:g} %.", highlight=False)
        raise typer.Exit(1)
