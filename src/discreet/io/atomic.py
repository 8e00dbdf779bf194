"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from discreet.errors import FileError
from discreet.io.door import check_target, put_in_place
from discreet.scratch import saying_if_full
from discreet.stopping import remember_leftover, remove_leftover

__all__ = ["check_target", "whole_file", "write_text"]


@contextmanager
def whole_file(path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()) -> Iterator[Path]:
    """Give a temporary path beside `path`, and put it in place when the block ends well.

    A block that fails, or is interrupted, leaves neither the file nor the temporary one behind; a process that is
    killed leaves a hidden temporary file at most, never a half-written result. Inside
    :func:`~discreet.io.door.written_together` the file gets its name together with the others.
    """
    target = check_target(path, inputs)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
    except OSError:
        raise FileError(f"The folder {str(target.parent)!r} cannot be written to.") from None
    os.close(handle)
    temporary = Path(name)
    remember_leftover(temporary)
    try:
        with saying_if_full(target):
            yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        put_in_place(temporary, target)
    except BaseException:
        remove_leftover(temporary)
        raise


def write_text(path: str | os.PathLike[str], text: str, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Write a text file whole or not at all, as UTF-8."""
    with whole_file(path, inputs) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
