"""`discreet certify` and `discreet verify`: what can be proven about a release, and checked about its files."""

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
    MaskedFile,
    Quiet,
    declares,
    reads_text,
    tell_inferred,
)

__all__ = ["certify", "verify"]


@reads_text
@declares
def certify(
    original: Data,
    masked: MaskedFile,
    k: Annotated[
        int | None, typer.Option(help="Smallest group; found in the release unless said.", show_default=False)
    ] = None,
    budget: Annotated[str, typer.Option(help="How long to improve the bound: 30s, 10min.")] = "1m",
    attributes: Annotated[
        str | None, typer.Option(help="What was masked, separated by commas.", show_default=False)
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="Of missing values in the release: category, a value of its own, or wildcard, matching every value.",
            show_default=False,
        ),
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
    declared: Any,
) -> None:
    """Prove how far a release is from the least possible information loss, or from the fewest missing values.

    For example:

    discreet certify survey.csv masked.csv --schema survey.toml --k 3 --budget 10min

    discreet certify survey.csv suppressed.csv --attributes region,sex,job --missing wildcard --max-gap 5
    """
    from discreet import workflow

    names = None if attributes is None else [name.strip() for name in attributes.split(",") if name.strip()]
    with progress(quiet=quiet or json):
        before = workflow.read(original, declared, delimiter=delimiter, encoding=encoding, **layout)
        after = workflow.read_release(masked, before, delimiter=delimiter, encoding=encoding, **layout)
        certificate = workflow.certify(before, after, k=k, budget=budget, attributes=names, missing=missing)
    tell_inferred(before.schema, quiet=quiet or json)
    if json:
        print_json(certificate.to_dict())
    else:
        out.print(safe(certificate.figures))
        out.print(f"Proven by {certificate.method}, {certificate.n_records} records: {safe(certificate.sentence)}.")
    if max_gap is not None and certificate.gap > max_gap:
        err.print(f"The gap, {certificate.gap:.2f} %, is above the threshold of {max_gap:g} %.")
        raise typer.Exit(1)


def verify(
    manifest: Annotated[Path, typer.Argument(help="The manifest, or the folder it stands in.", show_default=False)],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare the files of a release with the hashes in its manifest. Exit code 1 if one is changed or absent.

    For example:

    discreet verify release/manifest.json

    discreet verify release --quiet && cp -r release /srv/public
    """
    from discreet import workflow

    path = workflow.find_manifest(manifest)
    states = workflow.check_manifest(path)
    wrong = {name: state for name, state in states.items() if state != "unchanged"}
    if json:
        print_json({"manifest": str(path), "unchanged": not wrong, "files": states})
    elif not quiet:
        for name, state in states.items():
            colour = "green" if state == "unchanged" else "red"
            out.print(f"[{colour}]{state:<9}[/{colour}] {safe(name)}", highlight=False, soft_wrap=True)
    if wrong:
        what = "file is" if len(states) == 1 else "files are"
        err.print(f"{len(wrong)} of {len(states)} {what} not as the manifest says.", highlight=False)
        raise typer.Exit(1)
