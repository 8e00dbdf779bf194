"""Folders for what does not fit into memory: private, locked while they are used, and never left for others to find.

They hold values of the original. A process that is killed cannot remove its own, but the system releases its lock; so
whoever comes next knows by the lock, not by the age, which folders nobody uses any more, and removes them.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from discreet.errors import DiscreetError, FileError
from discreet.stopping import remember_leftover, remove_leftover

try:
    import fcntl
except ImportError:  # pragma: no cover - a system without these locks removes at the end only
    fcntl = None  # type: ignore[assignment]

__all__ = ["ScratchPlace", "clear_stale", "is_full", "saying_if_full", "scratch_folder"]

_PREFIX = "discreet-work-"
_LOCK = "lock"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def scratch_folder(base: str | os.PathLike[str] | None = None) -> Iterator[Path]:
    """Give a folder that only this user can enter and that is gone at the end of the block.

    Parameters
    ----------
    base : path, optional
        Where it is made; by default the system's folder for temporary files. Those that killed processes left there are
        removed first.
    """
    clear_stale(base)
    folder, lock = _locked(base)
    remember_leftover(folder)
    try:
        with saying_if_full(folder):
            yield folder
    finally:
        remove_leftover(folder)
        lock.close()


class ScratchPlace:
    """Such a folder for an object that is handed on: gone when nobody holds it any more, or when it is closed."""

    def __init__(self) -> None:
        opened_folder = ExitStack()
        self.folder: Path = opened_folder.enter_context(scratch_folder())
        self._end = weakref.finalize(self, opened_folder.close)

    def close(self) -> None:
        """Remove the folder now."""
        self._end()


def _locked(base: str | os.PathLike[str] | None) -> tuple[Path, IO[str]]:
    while True:
        try:
            folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))  # readable by its owner alone
        except OSError:
            where = str(base) if base is not None else tempfile.gettempdir()
            raise FileError(f"No temporary folder can be made in {where!r}.", hint="Set TMPDIR to one.") from None
        # Somebody who clears at this very moment may take the lock first, and the folder with it: then another is made.
        with suppress(OSError):
            lock = (folder / _LOCK).open("w")
            if _locks(lock) and (folder / _LOCK).exists():
                return folder, lock
            lock.close()


def _locks(lock: IO[str]) -> bool:
    if fcntl is None:  # pragma: no cover
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def clear_stale(base: str | os.PathLike[str] | None = None) -> None:
    """Remove the folders that processes left which were killed: those whose lock nobody holds."""
    if fcntl is None:  # pragma: no cover
        return
    for folder in Path(base or tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        # In a shared folder anybody may have put a link of that name, or a folder of their own.
        with suppress(OSError):
            if folder.is_symlink() or not folder.is_dir() or folder.stat().st_uid != os.getuid():
                continue
            with (folder / _LOCK).open("r+") as lock:
                if _locks(lock):
                    shutil.rmtree(folder, ignore_errors=True)


# ----------------------------------------------------------------------------------------------------- a disk is full


def is_full(error: BaseException) -> bool:
    """Say whether an error means that there was no room on the disk, as far as it tells."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in _FULL:
            return True
        cause = cause.__cause__ or cause.__context__
    return False


@contextmanager
def saying_if_full(path: Path) -> Iterator[None]:
    """Turn whatever a full disk makes a library raise into one clear error."""
    try:
        yield
    except (DiscreetError, MemoryError):
        raise
    except Exception as error:
        folder = path if path.is_dir() else path.parent
        if not is_full(error) and _has_room(folder):
            raise
        raise FileError(
            f"There is no room left on the disk of {str(folder)!r}.",
            hint="Nothing was written. Free some space, or write elsewhere; TMPDIR names the temporary folder.",
        ) from None


def _has_room(folder: Path) -> bool:
    """Try whether a little more can be written: libraries tell of a full disk in their own words, or not at all."""
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(65536))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        return error.errno not in _FULL
    return True
