"""Long work, in a process of its own for each session: pages stay quick, and cancelling is immediate.

The process holds the session's tables. Cancelling ends it, together with everything it has started, and the next piece
of work starts a new one, which reads what it needs again.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from discreet.errors import DiscreetError
from discreet.progress import listening

__all__ = ["Job", "Worker", "full_disk"]

_EVERY = 0.1
"""Seconds between two reports of a job: a kernel may report a thousand times a second."""
_NO_ROOM = ("No space left on device", "Disk quota exceeded", "not enough space on the disk")


@dataclass
class Job:
    """One piece of work, as a page shows it."""

    number: int
    title: str
    page: str
    """Where its result is shown."""
    state: str = "running"
    label: str = "starting"
    done: int = 0
    total: int = 0
    message: str = ""
    hint: str = ""
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    shown: bool = False
    """Whether a page has said how it ended."""
    broken: bool = False
    """Whether it failed for want of memory, disk or life, and not because it was refused."""
    form: dict[str, Any] = field(default_factory=dict)
    """The form that began it, to begin it again: its address and its answers."""
    goes_to: str = ""
    """The address of its result, where that is in another project."""
    on_end: Callable[[Job, str], None] = field(default=lambda *_: None, repr=False)

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self.state == "running"

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return (self.ended or time.monotonic()) - self.started

    @property
    def percent(self) -> int:
        """How much of the present part of the work is done."""
        return min(100, 100 * self.done // self.total) if self.total else 0

    def to_dict(self) -> dict[str, Any]:
        """Return what the page asks for again and again."""
        return {
            "number": self.number,
            "state": self.state,
            "title": self.title,
            "label": self.label,
            "done": self.done,
            "total": self.total,
            "percent": self.percent,
            "seconds": round(self.seconds, 1),
            "page": self.page,
            "goes_to": self.goes_to,
            "form": self.form.get("page", self.page),
        }

    def to_restart(self) -> dict[str, Any]:
        """Return what is kept of it, in case it does not come to its end."""
        return {"title": self.title, "page": self.page, "form": self.form}

    def end(self, state: str, message: str = "", hint: str = "", *, broken: bool = False) -> None:
        """Note how it ended; the first end counts."""
        if self.running and self.ended is None:
            self.broken = broken
            self.message, self.hint, self.ended = message, hint, time.monotonic()
            self.on_end(self, state)  # before anybody is told, so that who is told finds everything in its place
            self.state = state


_live: set[Worker] = set()


@atexit.register
def _stop_all() -> None:
    """End what is left when the interpreter ends without having been told to: it would wait for its processes."""
    for worker in list(_live):
        worker.stop()


class Worker:
    """The process of one session, started when it is needed."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._process: Any = None
        self._pipe: Connection | None = None
        self._lock = threading.Lock()
        self._count = 0
        self.job: Job | None = None

    def start(self) -> None:
        """Start the process, so that it is warm when the first work comes."""
        with self._lock:
            self._ensure()

    def _ensure(self) -> Connection:
        if self._process is None or not self._process.is_alive() or self._pipe is None:
            self._pipe, theirs = self._context.Pipe()
            self._process = self._context.Process(target=_work, args=(theirs,), name="discreet-studio-worker")
            self._process.start()
            theirs.close()
            _live.add(self)
        return self._pipe

    @property
    def busy(self) -> bool:
        """Whether a job is running."""
        return self.job is not None and self.job.running

    def submit(
        self,
        title: str,
        page: str,
        call: str,
        arguments: dict[str, Any],
        finish: Callable[[Any], None],
        partial: Callable[[Any], None] = lambda _: None,
        *,
        form: dict[str, Any] | None = None,
        ended: Callable[[Job, str], None] = lambda *_: None,
    ) -> Job | None:
        """Begin a piece of work, or return None if another one is running.

        `finish` is called with the result, in another thread; `partial` with what is there before; `ended` with the
        job and how it ended, after that.
        """
        with self._lock:
            if self.busy:
                return None
            pipe = self._ensure()
            self._count += 1
            job = self.job = Job(self._count, title, page, form=form or {}, on_end=ended)
            try:
                pipe.send((call, arguments))
            except OSError:
                self._clear()
                job.end("failed", "The work could not be started.", "Try again.", broken=True)
                return job
        threading.Thread(target=self._follow, args=(job, pipe, finish, partial), daemon=True).start()
        return job

    def _follow(
        self, job: Job, pipe: Connection, finish: Callable[[Any], None], partial: Callable[[Any], None]
    ) -> None:
        while job.running:
            try:
                kind, *rest = pipe.recv()
            except (EOFError, OSError):
                with self._lock:
                    if job.running:
                        self._clear()
                hint = "The machine may have run out of memory. What was finished before is kept; start it again."
                job.end("failed", "The work ended unexpectedly.", hint, broken=True)
                return
            if not job.running:
                return
            if kind == "progress":
                job.label, job.done, job.total = rest
            elif kind == "partial":
                partial(rest[0])
            elif kind == "done":
                try:
                    finish(rest[0])
                except OSError as error:  # the result could not be kept
                    job.end("failed", *_message_and_hint(error), broken=True)
                job.end("done")
            else:
                job.end("failed", *rest, broken=kind == "broken")

    def cancel(self) -> None:
        """End the running job at once; what was finished before stays."""
        with self._lock:
            if self.job is not None and self.job.running:
                self.job.end("cancelled", "Cancelled.")
                self._clear()
            else:
                return
        self.start()

    def stop(self) -> None:
        """End the process for good."""
        with self._lock:
            if self.job is not None:
                self.job.end("cancelled", "The session has ended.")
            self._clear()
            _live.discard(self)

    def _clear(self) -> None:
        if self._process is not None:
            _kill(self._process)
            self._process.join(10)
            self._process = None
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None


def _kill(process: Any) -> None:
    """End a process and all that it has started, where the system has groups of processes."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getpgid(process.pid) == process.pid:
                os.killpg(process.pid, signal.SIGKILL)
                return
    process.kill()


def _work(pipe: Connection) -> None:
    """Do what comes through the pipe until it is closed; runs in the process of a session."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when the work ends
    from discreet.studio.desk import Desk

    desk = Desk()
    desk.tell = lambda value: pipe.send(("partial", value))
    last = ("", 0.0)

    def tell(label: str, count: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if label != last[0] or now - last[1] > _EVERY or count >= total:
            last = (label, now)
            pipe.send(("progress", label, count, total))

    while True:
        try:
            call, arguments = pipe.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        try:
            pipe.send(_answer(desk, call, arguments, tell))
        except OSError:
            return  # the server has gone, and nobody waits for the answer


def _answer(desk: Any, call: str, arguments: dict[str, Any], tell: Callable[[str, int, int], None]) -> tuple[Any, ...]:
    try:
        with listening(tell):
            return ("done", getattr(desk, call)(**arguments))
    except DiscreetError as error:
        full = full_disk(error)
        return ("broken", *full) if full is not None else ("failed", error.message, error.hint)
    except MemoryError:
        return ("broken", "There is not enough memory for this.", "Try fewer attributes, or a method that needs less.")
    except Exception as error:  # noqa: BLE001 - a library's own message may quote a value: only its kind is told
        return ("broken" if full_disk(error) is not None else "failed", *_message_and_hint(error))


def _message_and_hint(error: BaseException) -> tuple[str, str]:
    """Return what to say of an error that is not ours, and what to do about it."""
    return full_disk(error) or (
        f"A defect in Discreet: {type(error).__name__}.", "Please report it, with what you chose."
    )  # fmt: skip


def full_disk(error: BaseException | None) -> tuple[str, str] | None:
    """Return what to say where there is no room on the disk; libraries say it in ways of their own."""
    while error is not None:
        number = error.errno if isinstance(error, OSError) else None
        if number in {errno.ENOSPC, errno.EDQUOT} or any(text in str(error) for text in _NO_ROOM):
            return ("The disk is full: there is no room to write.", "Make room, and start it again; nothing was lost.")
        error = error.__cause__ or error.__context__
    return None
