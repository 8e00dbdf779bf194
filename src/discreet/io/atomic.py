"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from discreet.errors import FileError
from discreet.io.door import check_target, put_in_place
from discreet.scratch import saying_if_full
from discreet.stopping import remember_leftover, remove_leftover

__all__ = ["check_target", "looked_at", "whole_file", "whole_folder", "write_text"]

_LOOK: ContextVar[Callable[[Path], None] | None] = ContextVar("look", default=None)


@contextmanager
def looked_at(look: Callable[[Path], None]) -> Iterator[None]:
    """Hand everything that is written inside the block to `look` before it is put in place.

    Where `look` fails, nothing is put in place. A block that ends well without having written is a defect: a writer
    would have found a way around.
    """
    any_written = False

    def once(path: Path) -> None:
        nonlocal any_written
        any_written = True
        look(path)

    token = _LOOK.set(once)
    try:
        yield
    finally:
        _LOOK.reset(token)
    if not any_written:
        raise RuntimeError("A file was written without being looked at.")


def _look(path: Path) -> None:
    look = _LOOK.get()
    if look is not None:
        look(path)


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
        _look(temporary)
        temporary.chmod(0o666 & ~_umask())
        put_in_place(temporary, target)
    except BaseException:
        remove_leftover(temporary)
        raise


@contextmanager
def whole_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary folder beside `path`, and put it in place, where nothing or an empty folder is, at the end."""
    target = Path(path)
    temporary = Path(tempfile.mkdtemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.absolute().parent))
    remember_leftover(temporary)
    try:
        with saying_if_full(temporary):
            yield temporary
        _look(temporary)
        temporary.chmod(0o777 & ~_umask())
        put_in_place(temporary, target)
    except BaseException:
        remove_leftover(temporary)
        raise


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def write_text(path: str | os.PathLike[str], text: str, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Write a text file whole or not at all, as UTF-8."""
    with whole_file(path, inputs) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
