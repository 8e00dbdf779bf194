"""``certify``: prove how far a release is from the least possible information loss."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from discreet.cli.console import err, out, print_json, progress, safe
from discreet.cli.options import Data, Delimiter, Encoding, Json, MaskedFile, Quiet, SchemaFile, reads_text

__all__ = ["certify"]


@reads_text
def certify(
    original: Data,
    masked: MaskedFile,
    schema: SchemaFile = None,
    k: Annotated[
        int | None, typer.Option(help="Smallest group; found in the release unless said.", show_default=False)
    ] = None,
    budget: Annotated[str, typer.Option(help="How long to improve the bound: 30s, 10min.")] = "1m",
    attributes: Annotated[
        str | None, typer.Option(help="What was masked, separated by commas.", show_default=False)
    ] = None,
    max_gap: Annotated[
        float | None, typer.Option(help="Exit with 1 if the gap is above this percentage.", show_default=False)
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
    quiet: Quiet = False,
    *,
    layout: dict[str, Any],
) -> None:
    """Prove how far a microaggregated release is from the least possible information loss.

    For example:

    discreet certify survey.csv masked.csv --schema survey.toml --k 3 --budget 10min
    """
    from discreet import workflow

    names = None if attributes is None else [name.strip() for name in attributes.split(",") if name.strip()]
    with progress(quiet=quiet or json):
        before = workflow.read(original, schema, delimiter=delimiter, encoding=encoding, **layout)
        after = workflow.read_release(masked, before, delimiter=delimiter, encoding=encoding, **layout)
        certificate = workflow.certify(before, after, k=k, budget=budget, attributes=names)
    if json:
        print_json(certificate.to_dict())
    else:
        out.print(f"Information loss {certificate.value:.4f} %, never below {certificate.bound:.4f} %.")
        out.print(f"Proven by {certificate.method}, {certificate.n_records} records: {safe(certificate.sentence)}.")
    if max_gap is not None and certificate.gap > max_gap:
        err.print(f"The gap, {certificate.gap:.2f} %, is above the threshold of {max_gap:g} %.")
        raise typer.Exit(1)
