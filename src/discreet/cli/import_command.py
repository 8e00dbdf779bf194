"""``import``: a protocol from what other tools keep."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.console import err, out, print_json, safe
from discreet.cli.options import Delimiter, Encoding, Json, Quiet, reads_text, refuse_existing

__all__ = ["import_"]


@reads_text
def import_(
    source: Annotated[
        Path,
        typer.Argument(
            help="A script of sdcMicro (.R), a project of ARX (.deid), metadata (.rda) or recoding (.grc) of μ-Argus.",
            show_default=False,
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The protocol to write.")] = Path("protocol.toml"),
    data: Annotated[
        Path | None,
        typer.Option("--data", help="The file to protect; by default the one that is named there.", show_default=False),
    ] = None,
    attribute: Annotated[
        str | None,
        typer.Option(help="For a recoding: its column; by default the name of its file.", show_default=False),
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    force: Annotated[bool, typer.Option("--force", help="Write over files that exist.")] = False,
    json: Json = False,
    quiet: Quiet = False,
    *,
    layout: dict[str, Any],
) -> None:
    """Turn what another tool keeps into a protocol, with comments where something has no equivalent.

    Nothing of a script is run, and every line that was not taken over is listed. A project of ARX brings its data and
    hierarchies along: they are written beside the protocol.

    For example:

    discreet import anonymise.R --data survey.csv -o protocol.toml

    discreet import project.deid -o imported/protocol.toml
    """
    from discreet import workflow

    imported = workflow.import_protocol(
        source, data=data, attribute=attribute, folder=output.parent, delimiter=delimiter, encoding=encoding, **layout
    )
    inputs = [source, *([data] if data else [])]
    beside = [output.parent / name for name in imported.files]
    beside = [path for path in beside if path.resolve() != source.resolve()]
    workflow.check_outputs([output, *beside], inputs)
    refuse_existing([output, *beside], force=force)
    with workflow.written_together([output, *beside], inputs, last=True):
        workflow.save_imported(imported, output, inputs)
    if json:
        print_json(
            {
                "protocol": str(output),
                "tool": imported.tool,
                "steps": [step.to_dict() for step in imported.protocol.steps],
                "files": [str(path) for path in beside],
                "not_taken_over": [{"where": o.where, "what": o.what, "why": o.why} for o in imported.unread],
            }
        )
        return
    if quiet:
        return
    steps = ", ".join(step.method for step in imported.protocol.steps) or "no step"
    out.print(f"Written to {safe(str(output))}, from {imported.tool}: {safe(steps)}.", highlight=False)
    for path in beside:
        out.print(f"Beside it: {safe(str(path))}", highlight=False)
    if imported.unread:
        err.print(f"Not taken over ({len(imported.unread)}, listed at the end of the protocol too):", highlight=False)
        for one in imported.unread:
            err.print(f"  {safe(str(one))}", highlight=False, soft_wrap=True)
    out.print(f"Look at every role and step, then: discreet run {safe(str(output))}", highlight=False)


import_.__name__ = "import"  # a word that no function can have in the text
