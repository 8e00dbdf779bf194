"""Sessions: what one browser has opened, declared and done, and the private folder of its files."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.studio.jobs import Worker
from discreet.studio.security import same
from discreet.workflow import (
    Attacked,
    Declared,
    Given,
    History,
    Opened,
    Protected,
    Released,
    RiskNow,
    Scenario,
    Schema,
    StudyMap,
)

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["Notice", "PrivateFolder", "Session", "Sessions"]

_PREFIX = "discreet-studio-"


@dataclass(frozen=True)
class Notice:
    """One sentence for the top of the next page."""

    kind: str
    text: str
    hint: str = ""


@dataclass
class Session:
    """What one browser works on. Answers belong to the declaration they were made for."""

    key: str
    csrf: str
    folder: Path
    worker: Worker = field(default_factory=Worker)
    used: float = field(default_factory=time.monotonic)
    notices: list[Notice] = field(default_factory=list)

    given: Given | None = None
    opened: Opened | None = None
    declared: Declared | None = None
    scenarios: tuple[Scenario, ...] = ()
    thresholds: dict[str, float] = field(default_factory=dict)
    seed: int = 1
    risk: RiskNow | None = None
    history: History = field(default_factory=History)
    protected: dict[str, Protected] = field(default_factory=dict)
    candidates: dict[str, Any] = field(default_factory=dict)
    plan: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    plan_made: bool = False
    study: StudyMap | None = None
    attacked: Attacked | None = None
    release: Released | None = None

    @property
    def schema(self) -> Schema | None:
        """The declaration that counts: the checked one, or else the proposal."""
        if self.declared is not None:
            return self.declared.schema
        return self.opened.schema if self.opened is not None else None

    @property
    def result(self) -> Protected | None:
        """What the steps that count have led to, if it has been worked out."""
        return self.protected.get(repr(self.history.steps))

    def say(self, kind: str, text: str, hint: str = "") -> None:
        """Leave a sentence for the next page."""
        self.notices.append(Notice(kind, text, hint))

    def start_over(self, given: Given) -> None:
        """Forget everything about the file before, and its copies."""
        kept = {Path(given.where).parent} if given.kind == "file" else set()
        for path in self.folder.iterdir():
            if path in kept:
                continue
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        self.given, self.opened = given, None
        self.scenarios, self.thresholds = (), {}
        self.history = History()
        self.forget_answers()

    def forget_answers(self) -> None:
        """Forget what was worked out for another declaration; the steps themselves stay."""
        self.declared = self.risk = self.study = self.attacked = self.release = None
        self.protected, self.candidates = {}, {}
        self.plan, self.plan_made = [], False

    def new_file(self, ending: str) -> Path:
        """Return a path for a new file, of our own making."""
        return self.new_folder() / f"data{ending}"

    def new_folder(self) -> Path:
        """Make a new folder in the session's own."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    def close(self) -> None:
        """End the work and remove every file."""
        self.worker.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


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


class Sessions:
    """Every session of this server, by the secret in its cookie."""

    def __init__(self, folder: Path, *, idle: float, warm: bool = True) -> None:
        self._folder = folder
        self._warm = warm
        self._idle = idle
        self._open: dict[str, Session] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._open)

    def begin(self) -> Session:
        """Begin a session with a folder of its own."""
        self.sweep()
        folder = Path(tempfile.mkdtemp(prefix="session-", dir=self._folder))
        session = Session(secrets.token_urlsafe(32), secrets.token_urlsafe(32), folder)
        with self._lock:
            self._open[session.key] = session
        if self._warm:
            session.worker.start()
        return session

    def find(self, key: str) -> Session | None:
        """Return the session of a cookie, if there is one."""
        with self._lock:
            for known, session in self._open.items():
                if same(key, known):
                    session.used = time.monotonic()
                    return session
        return None

    def end(self, session: Session) -> None:
        """End a session and remove its files."""
        with self._lock:
            self._open.pop(session.key, None)
        session.close()

    def sweep(self) -> None:
        """End sessions that nobody has used for long."""
        now = time.monotonic()
        with self._lock:
            idle = [s for s in self._open.values() if now - s.used > self._idle and not s.worker.busy]
        for session in idle:
            self.end(session)

    def end_all(self) -> None:
        """End every session."""
        for session in list(self._open.values()):
            self.end(session)
