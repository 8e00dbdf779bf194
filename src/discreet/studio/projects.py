"""Projects: the folders in which work saves itself, and which of them are at work in this server.

Every project is a folder of its own (mode 0700) with ``project.json`` (choices, figures, decisions), ``protocol.toml``,
the rows of studies, releases that were written, and the data only where they came through the browser. A lock tells
that a server is at work on it.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import re
import secrets
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from discreet.errors import DiscreetError, FileError
from discreet.studio.sessions import Session

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["Listed", "Projects", "default_folder", "private_folder"]

_KEY = re.compile(r"[0-9]{8}-[0-9a-z]{10}")
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


@dataclass(frozen=True)
class Listed:
    """A project as a list shows it."""

    key: str
    name: str
    changed: str
    records: int
    steps: int
    alternatives: int
    interrupted: str
    readable: bool = True


def default_folder() -> Path:
    """Return where projects are kept unless another folder is named: where this system keeps a user's data."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        named = os.environ.get("XDG_DATA_HOME", "")
        base = Path(named) if named.startswith("/") else home / ".local" / "share"
    return base / "discreet" / "studio"


def private_folder(folder: Path) -> Path:
    """Return a folder that exists; what we make is for this user alone."""
    try:
        missing = [path for path in (folder, *folder.parents) if not path.exists()]
        for path in reversed(missing):
            path.mkdir(mode=0o700)
    except OSError as error:
        raise FileError(
            f"The folder {str(folder)!r} for projects cannot be made ({error.strerror}).",
            hint="Name another: --projects.",
        ) from None
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(f"{str(folder)!r} is no folder that projects can be kept in.", hint="Name another: --projects.")
    return folder


class Projects:
    """All projects of a folder, and those that this server is at work on.

    Parameters
    ----------
    folder : path
    secret : bytes
        What the tokens of forms are made from.
    root : str
        What addresses of the studio begin with.
    idle : float
        Seconds after which a project that nobody looks at is put away; it stays on disk.
    warm : bool
        Whether the process of a project is started with it, or with its first piece of work.
    """

    def __init__(
        self, folder: Path, *, secret: bytes, root: str = "", idle: float = 12 * 3600.0, warm: bool = True
    ) -> None:
        self.folder = private_folder(folder)
        self._secret = secret
        self._root = root
        self._idle = idle
        self._warm = warm
        self._open: dict[str, Session] = {}
        self._lock = threading.RLock()
        self._clear_unfinished()

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._open.values()))

    def create(self) -> Session:
        """Begin a project. Its folder is there at once; it is kept from the moment a file has been opened in it."""
        self.sweep()
        letters = "".join(secrets.choice(_LETTERS) for _ in range(10))
        key = f"{time.strftime('%Y%m%d')}-{letters}"
        folder = self.folder / key
        folder.mkdir(mode=0o700)
        return self._take(key, folder)

    def find(self, key: str) -> Session | None:
        """Return a project by its name, read from disk where it is not at work.

        Raises
        ------
        FileError
            It cannot be read, or another server is at work on it.
        """
        with self._lock:
            session = self._open.get(key)
            if session is not None:
                session.used = time.monotonic()
                return session
            folder = self.folder / key
            if not _KEY.fullmatch(key) or folder.is_symlink() or not (folder / "project.json").is_file():
                return None
            session = self._take(key, folder)
            try:
                session.load()
            except (DiscreetError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
                self._open.pop(key, None)
                session.close()
                raise FileError(
                    "This project cannot be read: its file was changed, or made by another version.",
                    hint=f"It is still in {str(folder)!r}; protocol.toml there holds its choices.",
                ) from None
            return session

    def _take(self, key: str, folder: Path) -> Session:
        lock = _locked(folder / "lock")
        if lock is None:
            raise FileError(
                "Another studio on this machine is at work on this project.",
                hint="Go on there, or stop that one first.",
            )
        token = hmac.new(self._secret, key.encode(), hashlib.sha256).hexdigest()
        session = Session(key, token, folder, f"{self._root}/p/{key}")
        session.on_close = lock.close
        with self._lock:
            self._open[key] = session
        if self._warm:
            session.worker.start()
        return session

    def end(self, session: Session) -> None:
        """End a project and remove its files."""
        with self._lock:
            self._open.pop(session.key, None)
        session.remove()

    def sweep(self) -> None:
        """Put projects away that nobody has looked at for long: their process ends, the project stays on disk."""
        now = time.monotonic()
        with self._lock:
            idle = [s for s in self._open.values() if now - s.used > self._idle and not s.worker.busy]
        for session in idle:
            self.put_away(session)

    def put_away(self, session: Session) -> None:
        """End the process of a project; it is read from disk when asked for. One without a file is removed."""
        with self._lock:
            self._open.pop(session.key, None)
        if session.given is None:
            session.remove()
        else:
            session.close()

    def put_all_away(self) -> None:
        """Put every project away: the server ends."""
        for session in list(self._open.values()):
            self.put_away(session)

    def list(self) -> list[Listed]:
        """Return what there is, the last one first."""
        projects = []
        for path in self.folder.glob("*/project.json"):
            key = path.parent.name
            if not _KEY.fullmatch(key) or path.parent.is_symlink():
                continue
            try:
                projects.append(_listed(key, json.loads(path.read_text(encoding="utf-8"))))
            except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
                projects.append(Listed(key, key, "", 0, 0, 0, "", readable=False))
        return sorted(projects, key=lambda one: (one.changed, one.key), reverse=True)

    def discard(self, key: str) -> bool:
        """Remove a project by its name, readable or not; say whether there was one."""
        folder = self.folder / key
        if not _KEY.fullmatch(key) or folder.is_symlink() or not folder.is_dir():
            return False
        with self._lock:
            session = self._open.pop(key, None)
        if session is not None:
            session.remove()
            return True
        lock = _locked(folder / "lock")
        if lock is None:
            raise FileError("Another studio on this machine is at work on this project.", hint="Stop that one first.")
        lock.close()
        shutil.rmtree(folder, ignore_errors=True)
        return True

    def _clear_unfinished(self) -> None:
        """Remove folders of servers that were killed before a file had been opened: nothing of them is a project."""
        for folder in self.folder.iterdir():
            if not _KEY.fullmatch(folder.name) or folder.is_symlink() or (folder / "project.json").exists():
                continue
            lock = _locked(folder / "lock")
            if lock is not None:
                lock.close()
                shutil.rmtree(folder, ignore_errors=True)


def _listed(key: str, state: dict[str, Any]) -> Listed:
    history = state["history"]
    return Listed(
        key,
        str(state["name"]),
        str(state["changed"]),
        int(state["opened"]["n_records"]),
        int(history["position"]),
        len(history["others"]),
        str(state["interrupted"].get("title", "")),
    )


def _locked(path: Path) -> IO[str] | None:
    """Return an open lock, or None where somebody else holds it; the system lets go of it when a server dies."""
    try:
        if fcntl is None:  # pragma: no cover - Windows refuses to remove a file that is open
            path.unlink(missing_ok=True)
            return path.open("w")
        lock = path.open("a")
    except OSError:
        return None
    with contextlib.suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return lock
    lock.close()
    return None
