"""``discreet``: the commands together, and how they end."""

from __future__ import annotations

import errno
import functools
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet._version import __version__
from discreet.cli import (
    attack_commands,
    file_commands,
    hierarchy_command,
    import_command,
    lattice_command,
    listing_commands,
    papers_command,
    proof_commands,
    protocol_commands,
    pseudonym_commands,
    risk_command,
    studio_command,
    study_commands,
    table_commands,
    warm_command,
)
from discreet.cli.console import err, out, safe
from discreet.errors import BrokenGuaranteeError, DiscreetError, LibraryError
from discreet.scratch import clear_stale, is_full
from discreet.stopping import absorb_interrupt, end_now, ended_by_signals

__all__ = ["app", "run"]

_ENDED = {
    getattr(signal, name): f"{word}; nothing was written."
    for name, word in (("SIGINT", "Interrupted"), ("SIGTERM", "Ended"), ("SIGHUP", "Ended"))
    if hasattr(signal, name)
}
"""What is said where work had to be ended, by signal."""

# What the parser raises for a wrong option; its home has moved between versions of the library.
_USAGE_ERROR: type[Exception] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")

app = typer.Typer(
    name="discreet",
    help="Protect microdata, attack the release, measure what it cost.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,  # a traceback would show the values of local variables
    epilog="Exit codes: 0 done, 1 threshold not met or file changed, 2 bad input, 3 a defect in Discreet, "
    "130 interrupted.",
)


def _version(value: bool) -> None:
    if value:
        out.print(f"discreet {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


class _Interrupted(Exception):  # noqa: N818 - it is no error
    """An interrupt, under a name that the parser does not end quietly on."""


def _is_own_process() -> bool:
    """Say whether the process was started as ``discreet``, and no other program runs in it."""
    started = getattr(sys.modules.get("__main__"), "__file__", None)
    if started is None:
        return False
    return Path(started).name == "discreet" or Path(started) == Path(__file__).parent.with_name("__main__.py")


# Commands that look at no table.
_WITHOUT_TABLES = (listing_commands.methods, pseudonym_commands.key, studio_command.studio, warm_command.warm)


def _telling(command: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(command)
    def told(*arguments: Any, **options: Any) -> None:
        if command not in _WITHOUT_TABLES and _is_own_process():
            from discreet import workflow

            workflow.spare_pandas()
        try:
            command(*arguments, **options)
        except KeyboardInterrupt:
            absorb_interrupt()
            raise _Interrupted from None

    return told


# In the order of the sentence: read → declare → mask → attack → measure → score → report.
for _command in (
    file_commands.inspect,
    risk_command.risk,
    file_commands.protect,
    file_commands.assess,
    hierarchy_command.hierarchy,
    lattice_command.lattice,
    proof_commands.certify,
    protocol_commands.init,
    import_command.import_,
    protocol_commands.run,
    protocol_commands.check,
    proof_commands.approve,
    proof_commands.verify,
    table_commands.renumber,
    pseudonym_commands.key,
    pseudonym_commands.reveal,
    attack_commands.attack,
    attack_commands.link,
    attack_commands.match,
    study_commands.compare,
    study_commands.tune,
    papers_command.papers,
    listing_commands.methods,
    listing_commands.datasets,
    file_commands.demo,
    warm_command.warm,
    studio_command.studio,
):
    app.command()(_telling(_command))


def run() -> None:
    """Run the command line and end with the documented exit codes."""
    clear_stale()
    with ended_by_signals(_ENDED):
        try:
            code = _code(sys.argv[1:])
        except KeyboardInterrupt:  # another one, while the first was being told
            code = 130
        if code == 130:
            end_now(code)  # threads and libraries take their time to end, and there is nothing to wait for
    sys.exit(code)


def _code(arguments: list[str]) -> int:
    try:
        result = app(arguments, standalone_mode=False)
    except LibraryError as error:
        err.print(f"[bold red]A defect in Discreet:[/bold red] {safe(error.message)}", highlight=False, soft_wrap=True)
        return 3
    except DiscreetError as error:
        err.print(f"[bold red]Error:[/bold red] {safe(error.message)}", highlight=False, soft_wrap=True)
        if error.hint:
            err.print(f"Hint: {safe(error.hint)}", highlight=False, soft_wrap=True)
        return 3 if isinstance(error, BrokenGuaranteeError) else 2
    except (typer.Abort, KeyboardInterrupt, _Interrupted):
        err.print("Interrupted; nothing was written.")
        return 130
    except BrokenPipeError:
        # The reader of our output has gone; silence is what it expects.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - the last line of defence
        if is_full(error):
            err.print("[bold red]Error:[/bold red] There is no room left on the disk.")
            return 2
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
            err.print("[bold red]Error:[/bold red] A path is longer than the system allows.")
            return 2
        return _unexpected(error)
    return result if isinstance(result, int) else 0


def _unexpected(error: Exception) -> int:
    """Report a usage error of the command line, or a defect, without its message: that may quote a value."""
    if isinstance(error, _USAGE_ERROR):
        error.show()  # type: ignore[attr-defined]
        return int(error.exit_code)  # type: ignore[attr-defined]
    err.print(f"[bold red]A defect in Discreet:[/bold red] {type(error).__name__}. Please report it with these lines:")
    for frame in traceback.extract_tb(error.__traceback__)[-6:]:
        err.print(f"  {Path(frame.filename).name}:{frame.lineno} in {frame.name}", highlight=False)
    return 3
