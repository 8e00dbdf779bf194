"""``protect`` and ``assess`` for files larger than memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.console import err, out, print_json, progress, safe, show_promises, table
from discreet.errors import ParameterError

__all__ = ["BlockSize", "EngineName", "Master", "OutOfCore", "assess_large", "is_for_large", "protect_large"]

EngineName = Annotated[
    str | None,
    typer.Option("--engine", help="local or spark: for Parquet files larger than memory.", show_default=False),
]
Master = Annotated[
    str | None, typer.Option(help="Where Spark runs: local[4], spark://host:7077, yarn.", show_default=False)
]
OutOfCore = Annotated[bool, typer.Option("--out-of-core", help="Never hold the whole file in memory.")]
BlockSize = Annotated[int, typer.Option("--block-size", min=8, help="Most records grouped at a time, out of core.")]


def is_for_large(data: Path, engine: str | None, master: str | None, *, out_of_core: bool, quiet: bool) -> bool:
    """Say whether a file is to be worked on out of core: because that is asked for, or because it is large."""
    from discreet import workflow

    if engine not in (None, "local", "spark"):
        raise ParameterError(f"--engine must be local or spark; got {engine!r}.")
    if master is not None and engine != "spark":
        raise ParameterError("--master belongs to --engine spark.", hint="Add --engine spark.")
    if engine is not None or out_of_core or data.is_dir():
        return True
    large = data.exists() and workflow.is_large(data)
    if large and not quiet:
        err.print(
            f"{safe(data.name)} takes more than a tenth of this machine's memory: working out of core, in blocks. "
            "Say --out-of-core or --engine spark to choose it yourself.",
            highlight=False,
        )
    return large


def _refuse(**given: Any) -> None:
    named = [f"--{name.replace('_', '-')}" for name, value in given.items() if value]
    if named:
        raise ParameterError(f"{named[0]} cannot be used for a file larger than memory.", hint="Leave it out.")


def protect_large(
    data: Path,
    output: Path,
    schema: Path | None,
    method: str,
    parameters: dict[str, Any],
    engine: str | None,
    master: str | None,
    block_size: int,
    *,
    json: bool,
    quiet: bool,
    **unusable: Any,
) -> None:
    """Mask a file block by block, and say how."""
    from discreet import workflow

    _refuse(**unusable)
    with progress(quiet=quiet or json), workflow.written_together(last=True):
        provenance, _ = workflow.protect_file(
            data,
            output,
            method,
            schema=schema,
            engine=engine or "local",
            master=master,
            block_size=block_size,
            **parameters,
        )
    figures = provenance.to_dict(internal=True)
    if json:
        print_json({**figures, "files": {"masked": str(output)}, "engine": engine or "local"})
        return
    if quiet:
        return
    shown = table(f"{figures['method']}: {figures['n_records']} records on {engine or 'local'}", "attribute",
                  "cells changed", numbers=("cells changed",))  # fmt: skip
    for name, count in figures["changed_cells"].items():
        shown.add_row(safe(name), str(count))
    out.print(shown)
    show_promises([promise["sentence"] for promise in figures.get("guarantees", ())])
    for note in figures["notes"]:
        out.print(f"• {safe(note)}")
    out.print(f"Written to {safe(str(output))}.")
    if schema is None:
        out.print("No schema was given: the proposal of the first 100,000 records was used.")


def assess_large(
    original: Path,
    masked: Path,
    schema: Path | None,
    engine: str | None,
    master: str | None,
    *,
    quiet: bool,
    **unusable: Any,
) -> Any:
    """Measure a release of a file larger than memory."""
    from discreet import workflow

    _refuse(**unusable)
    with progress(quiet=quiet):
        return workflow.assess_files(original, masked, schema=schema, engine=engine or "local", master=master)
