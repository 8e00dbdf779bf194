"""``studio``: the same work in a browser."""

from __future__ import annotations

import ipaddress
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.console import err, out
from discreet.errors import FileError, MissingExtraError, ParameterError

__all__ = ["studio"]


def studio(
    host: Annotated[str, typer.Option(help="Where to listen; another than this machine needs --expose.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8766,
    limit: Annotated[int, typer.Option(min=1, help="The largest file to open, in MB.")] = 1024,
    projects: Annotated[
        Path | None,
        typer.Option(help="The folder in which projects save themselves; by default this user's folder for data."),
    ] = None,
    expose: Annotated[
        bool, typer.Option("--expose", help="Allow a --host that other machines can reach. Traffic is not encrypted.")
    ] = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
) -> None:
    """Open Discreet Studio in the browser: all of it without programming, on this machine.

    Example: discreet studio
    """
    if not _is_local(host) and not expose:
        raise ParameterError(
            f"--host {host} lets other machines reach the data.",
            hint="Leave --host out, or add --expose if that is what you want; the studio is made for one user.",
        )
    try:
        from discreet.studio.app import serve
    except ImportError:
        raise MissingExtraError("The studio needs an extra.", hint="pip install 'discreet[studio]'") from None

    def opened(link: str) -> None:
        out.print(f"Discreet Studio: {link}", highlight=False, soft_wrap=True)
        out.print("The link works once, for one browser. Stop with Ctrl+C; projects are saved and go on from there.")
        if expose and not _is_local(host):
            err.print("Other machines can reach this page, and what they send is not encrypted.")
        if browser:
            webbrowser.open(link)

    def announce(link: str) -> None:
        out.print(f"For another browser: {link}", highlight=False, soft_wrap=True)

    try:
        serve(host, port, limit=limit * 2**20, projects=projects, opened=opened, announce=announce)
    except FileError:
        raise
    except OSError as error:
        raise ParameterError(
            f"Port {port} of {host} cannot be used ({error.strerror}).", hint="Another studio may run; try --port 0."
        ) from None


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
