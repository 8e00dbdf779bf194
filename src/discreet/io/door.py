"""The door that every written path goes through: it knows the inputs and the other outputs of a piece of work."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from discreet.errors import FileError
from discreet.stopping import forget_leftover, putting_in_place, remember_leftover, remove_leftover

__all__ = [
    "check_folder",
    "check_target",
    "check_targets",
    "content_of",
    "is_same_file",
    "named_at_once",
    "put_in_place",
    "written_together",
]

PathLike = str | os.PathLike[str]


def is_same_file(first: PathLike, second: PathLike) -> bool:
    """Say whether two paths lead to one file, whatever they are called: by links, spelling, or letters' case.

    Two files that do not exist yet are the same if they would be on some system: a release is carried to others.
    """
    one, other = Path(first), Path(second)
    if one.exists() and other.exists():
        return one.samefile(other)
    return _spelled(one) == _spelled(other)


def _spelled(path: Path) -> str:
    return unicodedata.normalize("NFC", str(path.resolve())).casefold()


def check_target(path: PathLike, inputs: Iterable[PathLike] = ()) -> Path:
    """Return a path that may be written, or say why not: a missing folder, a folder, or one of the inputs."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileError(f"The folder {str(target.parent)!r} does not exist.", hint="Create it first.")
    if target.is_dir():
        raise FileError(f"{str(target)!r} is a folder.", hint="Give a file name.")
    if target.exists() and not target.is_file():
        raise FileError(f"{str(target)!r} is not a file.", hint="Give a file name.")
    _refuse_inputs(target, inputs)
    return target


def check_folder(path: PathLike, inputs: Iterable[PathLike] = ()) -> Path:
    """Return a path at which a folder may be made, or say why not."""
    target = Path(path)
    if not target.absolute().parent.is_dir():
        raise FileError(f"The folder {str(target.parent)!r} does not exist.", hint="Create it first.")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise FileError(f"{str(target)!r} exists and is not an empty folder.", hint="Give a new folder.")
    _refuse_inputs(target, inputs)
    return target


def _refuse_inputs(target: Path, inputs: Iterable[PathLike]) -> None:
    opened = _open_door.get()
    for source in (*inputs, *(opened.inputs if opened is not None else ())):
        if is_same_file(target, source):
            raise FileError(f"The output {str(target)!r} is also an input.", hint="Write to another file.")
        if Path(source).is_dir() and target.resolve().is_relative_to(Path(source).resolve()):
            raise FileError(
                f"The output {str(target)!r} lies in the input folder, and would be part of it.",
                hint="Write to another folder.",
            )


def check_targets(paths: Iterable[PathLike], inputs: Iterable[PathLike] = ()) -> None:
    """Refuse paths that could not be written, or of which two are one file, before any work is done."""
    sources = tuple(inputs)
    checked: list[Path] = []
    for path in paths:
        target = check_target(path, sources)
        for other in checked:
            if is_same_file(target, other):
                raise FileError(
                    f"The outputs {str(other)!r} and {str(target)!r} are one file.", hint="Give each a name of its own."
                )
        checked.append(target)


class _Door:
    """What may be written in one piece of work, and what waits to get its name."""

    def __init__(self, inputs: tuple[PathLike, ...]) -> None:
        self.inputs = inputs
        self.waiting: list[tuple[Path, Path]] = []


_open_door: ContextVar[_Door | None] = ContextVar("open_door", default=None)


@contextmanager
def written_together(
    paths: Iterable[PathLike], inputs: Iterable[PathLike] = (), *, last: bool = False
) -> Iterator[None]:
    """Write several files together: all of them get their names at the end of the block, or none does.

    Parameters
    ----------
    paths : iterable of path
        What will be written; refused before anything is, see :func:`check_targets`.
    inputs : iterable of path
        Everything that was read: data, schemas, protocols, hierarchies. None of it is written over inside the block,
        whoever writes.
    last : bool
        Nothing is left to do afterwards: see :func:`~discreet.stopping.putting_in_place`. For commands alone.
    """
    outer = _open_door.get()
    door = _Door((*inputs, *(outer.inputs if outer is not None else ())))
    token = _open_door.set(door)
    try:
        check_targets(paths)
        yield
        _open_door.reset(token)
        if outer is not None:
            outer.waiting += door.waiting
        else:
            _name(door.waiting, last=last)
    except BaseException:
        if _open_door.get() is door:
            _open_door.reset(token)
        for temporary, _ in door.waiting:
            remove_leftover(temporary)
        raise


@contextmanager
def named_at_once() -> Iterator[None]:
    """Write files of one's own, in a folder that nobody else sees: they have their names at once, and may be removed.

    Whatever block of :func:`written_together` is open goes on afterwards.
    """
    token = _open_door.set(None)
    try:
        yield
    finally:
        _open_door.reset(token)


def _name(waiting: list[tuple[Path, Path]], *, last: bool = False) -> None:
    with putting_in_place(last=last):
        for temporary, target in waiting:
            if temporary.is_dir() and target.is_dir():
                target.rmdir()  # it is empty: see check_folder
            temporary.replace(target)
            forget_leftover(temporary)


def put_in_place(temporary: Path, target: Path) -> None:
    """Give a finished file its name: now, or where a release is being written, together with the others of it."""
    door = _open_door.get()
    if door is None:
        _name([(temporary, target)])
        return
    for _, other in door.waiting:
        if is_same_file(target, other):
            raise FileError(f"{str(target)!r} is written twice.", hint="Give each output a name of its own.")
    remember_leftover(temporary)
    door.waiting.append((temporary, target))


def content_of(path: PathLike) -> Path:
    """Return where the content of a path is: of a file that waits for its name, the temporary one."""
    door = _open_door.get()
    if door is not None:
        for temporary, target in door.waiting:
            if is_same_file(path, target):
                return temporary
    return Path(path)
