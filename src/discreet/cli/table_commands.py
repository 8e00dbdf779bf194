"""``renumber``: files that are joined by an identifier get fresh numbers in its place, and stay joined."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.console import advise, out, print_json, progress, safe
from discreet.cli.options import Delimiter, Encoding, Json, Quiet, Seed, Verbose, reads_text

__all__ = ["renumber"]


@reads_text
def renumber(
    files: Annotated[list[Path], typer.Argument(help="The files that belong together.", show_default=False)],
    on: Annotated[
        list[str], typer.Option("--on", help="The column that joins them; once, or once a file.", show_default=False)
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the copies.", show_default=False)],
    seed: Seed = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", help="A key file: pseudonyms, the same in every delivery.", show_default=False),
    ] = None,
    domain: Annotated[
        str | None, typer.Option("--domain", help="With a key: the kind of identifier.", show_default=False)
    ] = None,
    reversible: Annotated[
        bool, typer.Option("--reversible", help="With a key: who holds it can turn pseudonyms back.")
    ] = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    *,
    layout: dict[str, Any],
) -> None:
    """Exchange an identifier for fresh numbers in several files at once, so that they can still be joined.

    Without a seed the numbers cannot be drawn again, and nobody can go back to the identifiers.

    With a key (``discreet key new FILE``) they are pseudonyms, the same in every delivery.

    Example: discreet renumber homes.csv persons.csv --on HID -o renumbered
    """
    from discreet import workflow

    remarks: list[Any] = []
    with progress(quiet=quiet or json, verbose=verbose), workflow.written_together(last=True):
        paths = workflow.renumber_files(
            files, on, output, seed=seed, key=key, domain=domain, reversible=reversible,
            delimiter=delimiter, encoding=encoding, **layout, remarks=remarks,
        )  # fmt: skip
    if json:
        files_ = {name: str(path) for name, path in paths.items()}
        print_json({"files": files_, "advice": [remark.to_dict() for remark in remarks]})
    elif not quiet:
        for path in paths.values():
            out.print(f"Written to {safe(str(path))}.", highlight=False)
        advise(remarks)
