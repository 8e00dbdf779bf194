"""A private folder for what need not outlive the server: files that an intruder is said to hold, while one attacks."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["PrivateFolder"]

_PREFIX = "discreet-studio-"


class PrivateFolder:
    """A folder that only this user can enter, gone when the server ends; a lock tells that somebody still uses it.

    Folders of servers that were killed are found by their locks, which the system has released, and removed.
    """

    def __init__(self, base: Path | None = None) -> None:
        self._base = Path(base) if base is not None else Path(tempfile.gettempdir())
        self.removed = sum(1 for _ in self._clear_stale())
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self._base))
        self._lock = (self.path / "lock").open("w")
        if fcntl is not None:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _clear_stale(self) -> Iterator[Path]:
        for folder in sorted(self._base.glob(f"{_PREFIX}*")):
            # Only what is ours: in a shared folder for temporary files anybody may have put a link of that name.
            if folder.is_symlink() or not folder.is_dir():
                continue
            if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
                continue
            if _unused(folder / "lock"):
                shutil.rmtree(folder, ignore_errors=True)
                yield folder

    def close(self) -> None:
        """Remove the folder with everything in it."""
        self._lock.close()
        shutil.rmtree(self.path, ignore_errors=True)


def _unused(lock: Path) -> bool:
    try:
        if fcntl is None:  # pragma: no cover - Windows refuses to remove a file that is open
            lock.unlink()
            return True
        with lock.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        # Between making a folder and its lock lies an instant; an hour is long enough to tell.
        with contextlib.suppress(FileNotFoundError):
            return time.time() - lock.parent.stat().st_mtime > 3600
        return False
    except OSError:
        return False
    return True
