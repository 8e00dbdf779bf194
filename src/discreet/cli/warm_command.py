"""``warm``: compiled code made beforehand."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.console import out, print_json, progress, safe
from discreet.cli.options import Json, Quiet, Verbose

__all__ = ["warm"]


def warm(
    every: Annotated[bool, typer.Option("--all", help="Of every masker; takes minutes.")] = False,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Compile the loops of the usual work now, and keep them: for an image that is built once and started often.

    They are kept in the folder DISCREET_CACHE_DIR, by default in the user's cache folder.

    Example: discreet warm
    """
    from discreet import workflow

    with progress(quiet=quiet or json, verbose=verbose):
        folder, kernels = workflow.warm(every=every)
    if json:
        print_json({"folder": str(folder), **kernels})
    elif not quiet:
        out.print(
            f"{kernels['compiled']} loops compiled, {kernels['read']} were there; kept in {safe(str(folder))}.",
            highlight=False,
            soft_wrap=True,
        )
