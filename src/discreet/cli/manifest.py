"""``verify``: whether the files of a release are still those that its manifest lists."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.console import err, out, print_json, safe
from discreet.cli.options import Json, Quiet

__all__ = ["verify"]


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
    found = workflow.check_manifest(path)
    wrong = {name: state for name, state in found.items() if state != "unchanged"}
    if json:
        print_json({"manifest": str(path), "unchanged": not wrong, "files": found})
    elif not quiet:
        for name, state in found.items():
            colour = "green" if state == "unchanged" else "red"
            out.print(f"[{colour}]{state:<9}[/{colour}] {safe(name)}", highlight=False, soft_wrap=True)
    if wrong:
        what = "file is" if len(found) == 1 else "files are"
        err.print(f"{len(wrong)} of {len(found)} {what} not as the manifest says.", highlight=False)
        raise typer.Exit(1)
