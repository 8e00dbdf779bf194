"""``key`` and ``reveal``: the key of pseudonyms, and the way back for who holds it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.console import out, print_json, progress, safe
from discreet.cli.options import Data, Delimiter, Encoding, Json, Quiet, Verbose, reads_text

__all__ = ["key", "reveal"]


class KeyAction(StrEnum):
    """What can be done about a key."""

    new = "new"


def key(
    action: Annotated[KeyAction, typer.Argument(help="new makes a key.", show_default=False)],  # noqa: ARG001
    file: Annotated[Path, typer.Argument(help="Where it is written; never over another file.", show_default=False)],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make the key that pseudonyms follow from: 32 random bytes in a file that only you may read.

    Keep it apart from the data and from every delivery, and keep a copy: pseudonyms of a lost key cannot be made again.

    Example: discreet key new register.key
    """
    from discreet import workflow

    path = workflow.new_key(file)
    if json:
        print_json({"key": str(path)})
    elif not quiet:
        out.print(f"Written to {safe(str(path))}, for you alone to read.", highlight=False)


@reads_text
def reveal(
    data: Data,
    column: Annotated[str, typer.Option("--column", "-c", help="The column of pseudonyms.", show_default=False)],
    key: Annotated[Path, typer.Option("--key", help="The key file they were made with.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="File for the copy.", show_default=False)],
    domain: Annotated[
        str | None, typer.Option("--domain", help="Their domain; by default the column's name.", show_default=False)
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    *,
    layout: dict[str, Any],
) -> None:
    """Turn pseudonyms back into identifiers, for who holds the key; only those made with reversible=true can be.

    The copy names people: it is no release.

    Example: discreet reveal delivery.csv --column patient --key register.key -o identified.csv
    """
    from discreet import workflow

    with progress(quiet=quiet or json, verbose=verbose), workflow.written_together([output], [data, key], last=True):
        records = workflow.reveal_file(
            data, column, output, key=key, domain=domain, delimiter=delimiter, encoding=encoding, **layout
        )
    if json:
        print_json({"file": str(output), "records": records})
    elif not quiet:
        out.print(f"{records} records written to {safe(str(output))}; they name people.", highlight=False)
