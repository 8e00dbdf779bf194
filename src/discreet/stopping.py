"""How long work is stopped: one flag that every long loop reads, and what must not be left behind.

Python's own handler of Ctrl-C runs between two lines of Python, and a compiled loop has none. So the signal also wakes
a thread (the system writes a byte to it at once), which sets :data:`FLAG`; compiled loops read it as they go round and
raise :class:`Stopped` from where they are, so that no half-made result can be taken for a whole one.

The command line asks for more: whatever does not end by itself within a moment is ended, after everything temporary
has been removed (:func:`ended_by_signals`).
"""

from __future__ import annotations

import atexit
import ctypes
import inspect
import os
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

__all__ = [
    "FLAG",
    "Stopped",
    "absorb_interrupt",
    "end_now",
    "ended_by_signals",
    "forget_leftover",
    "is_stopped",
    "putting_in_place",
    "remember_leftover",
    "remove_leftover",
    "remove_leftovers",
    "stoppable",
    "stopped_after",
]

FLAG = ctypes.c_int64(0)
"""Not 0 where work is to stop. Compiled loops read it at its address."""

_GRACE = 1.2
"""Seconds in which a command may end by itself before it is ended."""


class Stopped(KeyboardInterrupt, Exception):  # noqa: N818 - it is no error
    """A compiled loop was told to stop.

    It is an interrupt to whoever handles interrupts. That it is an `Exception` too is asked for by the compiler; in the
    main thread Python's own interrupt follows at once, so that a handler of errors does not keep it.
    """


def is_stopped() -> bool:
    """Say whether work is to stop."""
    return FLAG.value != 0


def absorb_interrupt() -> None:
    """Let the interrupt come that follows a :class:`Stopped`; for those who catch the first and go on."""
    with suppress(KeyboardInterrupt):
        time.sleep(0)


# ----------------------------------------------------------------------------------------------------------- watching


class _Watch:
    """The thread that signals wake, and who is to be told."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.depth = 0
        self.outer = -1
        self.told: Callable[[int], None] | None = None
        self.pid = 0
        self._heard = threading.Event()
        self._theirs: socket.socket | None = None
        self._ours: socket.socket | None = None

    def descriptor(self) -> int:
        """Return what signals write to, with a thread that listens at the other end."""
        if self._ours is None or self.pid != os.getpid():  # a process that was forked has no such thread
            self._ours, self._theirs = socket.socketpair()
            self._ours.setblocking(False)
            self.pid = os.getpid()
            threading.Thread(target=self._listen, args=(self._theirs,), name="discreet-stop", daemon=True).start()
        return self._ours.fileno()

    def drain(self) -> None:
        """Wait until everything has been heard that was sent so far, so that nothing is heard too late."""
        self._heard.clear()
        if self._ours is not None:
            with suppress(OSError):
                self._ours.send(b"\0")
                self._heard.wait(0.2)

    def _listen(self, end: socket.socket) -> None:
        while signals := end.recv(64):
            with self.lock:
                if self.outer >= 0:  # an event loop that listened before goes on hearing
                    with suppress(OSError):
                        os.write(self.outer, signals.replace(b"\0", b""))
                if signal.SIGINT in signals and self.depth:
                    FLAG.value = 1
                listener = self.told
            if listener is not None:
                for number in signals:
                    listener(number)
            if 0 in signals:
                self._heard.set()


_watch = _Watch()


@contextmanager
def stoppable() -> Iterator[None]:
    """Let Ctrl-C stop compiled loops inside the block. Blocks may be nested; outside the main thread it does nothing.

    Examples
    --------
    >>> with stoppable():
    ...     is_stopped()
    False
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with _watch.lock:
        _watch.depth += 1
        outermost = _watch.depth == 1
        if outermost:
            FLAG.value = 0
    if outermost:
        try:
            _watch.outer = signal.set_wakeup_fd(_watch.descriptor(), warn_on_full_buffer=False)
        except (ValueError, OSError):  # not the main interpreter
            _watch.outer = -1
    try:
        yield
    finally:
        if outermost:
            with suppress(ValueError, OSError):
                signal.set_wakeup_fd(_watch.outer)
            _watch.drain()
        with _watch.lock:
            _watch.depth -= 1
            if outermost:
                _watch.outer = -1
                FLAG.value = 0


@contextmanager
def stopped_after(seconds: float | None, ready: Callable[[], bool]) -> Iterator[None]:
    """Stop compiled loops inside the block when a time is over, as soon as there is something to keep.

    Parameters
    ----------
    seconds : float, optional
        None: never.
    ready : callable
        Says whether stopping would leave anything behind.

    Examples
    --------
    >>> with stopped_after(None, lambda: True):
    ...     is_stopped()
    False
    """
    if seconds is None:
        yield
        return
    left, rang = threading.Event(), threading.Event()

    def ring() -> None:
        if left.wait(max(seconds, 0.0)):
            return
        while not ready():
            if left.wait(0.05):
                return
        rang.set()
        FLAG.value = 1

    watch = threading.Thread(target=ring, name="discreet-time", daemon=True)
    watch.start()
    try:
        yield
    finally:
        left.set()
        watch.join()
        if rang.is_set():
            FLAG.value = 0


# ---------------------------------------------------------------------------------------------------------- leftovers

_leftovers: set[Path] = set()


def remember_leftover(path: Path) -> None:
    """Note a temporary file or folder, which is removed when the process ends, also by a signal."""
    _leftovers.add(path)


def forget_leftover(path: Path) -> None:
    """Note that a temporary file or folder has got its name."""
    _leftovers.discard(path)


def remove_leftover(path: Path) -> None:
    """Remove a temporary file or folder."""
    _remove(path)
    _leftovers.discard(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


@atexit.register
def remove_leftovers() -> None:
    """Remove what is temporary and still there."""
    for path in list(_leftovers):
        _remove(path)
        if not path.exists():
            _leftovers.discard(path)


# ------------------------------------------------------------------------------------------------------- the command

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that end a process, as far as the system has them."""

_place = threading.RLock()
_ignored = False


@contextmanager
def putting_in_place(*, last: bool = False) -> Iterator[None]:
    """Hold off whoever ends the process while finished files get their names: all of them or none.

    A signal that comes meanwhile is heeded as soon as the names are given.

    Parameters
    ----------
    last : bool
        The command has nothing left to do but tell what it did. Where its signals are watched, one that comes now comes
        too late, and is not heeded any more: a command that ends as interrupted has written nothing.
    """
    global _ignored  # noqa: PLW0603 - signals belong to the process
    late: list[int] = []
    handlers: dict[int, Callable[[int, FrameType | None], object]] = {}
    main = threading.current_thread() is threading.main_thread()
    for number in _ENDING if main else ():
        handler = signal.getsignal(number)
        if callable(handler):
            handlers[number] = handler
            signal.signal(number, lambda number, _frame: late.append(number))
    with _place:
        try:
            yield
            _ignored = _ignored or (last and main and _watch.told is not None)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, signal.SIG_IGN if _ignored else handler)
    if late and not _ignored:
        # Not sent again: whoever watches would take it for the second one, and give no time to end.
        handlers[late[0]](late[0], inspect.currentframe())


@contextmanager
def ended_by_signals(words: dict[int, str]) -> Iterator[None]:
    """End the process on a signal, at the latest a moment after it, with 128 and its number and nothing left behind.

    Parameters
    ----------
    words : dict of int to str
        By signal, what is said on standard error where the process had to be ended. Ctrl-C raises KeyboardInterrupt
        first, the others SystemExit, so that most work ends by itself.
    """
    global _ignored
    others = [number for number in words if number != signal.SIGINT]
    earlier = {number: signal.getsignal(number) for number in {*words, *_ENDING}}  # also what is ignored at the end

    def leave(number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + number)

    def interrupt(_number: int, frame: FrameType | None) -> None:
        # The compiler is called back by compiled code, which would swallow the interrupt or break over it; the flag is
        # set, so the kernel that is being made ready stops at its first turn.
        while frame is not None:
            if str(frame.f_globals.get("__name__", "")).split(".")[0] in {"numba", "llvmlite"}:
                FLAG.value = 1
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    for number in others:
        signal.signal(number, leave)
    if earlier.get(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    _watch.told = _Ending(words)
    try:
        with stoppable():
            yield
    finally:
        _watch.told, _ignored = None, False
        for number, handler in earlier.items():
            if handler is not None:  # None: it was not set from Python
                signal.signal(number, handler)


def end_now(code: int) -> NoReturn:
    """End the process at once, with nothing left behind: no thread is waited for, no library is taken down."""
    remove_leftovers()
    remove_leftovers()  # a thread may have written while its folder was removed
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


class _Ending:
    """Waits a moment after the first signal, not at all after the second, and ends the process."""

    def __init__(self, words: dict[int, str]) -> None:
        self._words = words
        self._heard = False

    def __call__(self, number: int) -> None:
        if number not in self._words or _ignored:
            return
        wait = 0.0 if self._heard else _GRACE
        self._heard = True
        threading.Thread(target=self._end, args=(number, wait), name="discreet-end", daemon=True).start()

    def _end(self, number: int, wait: float) -> None:
        time.sleep(wait)
        with _place:  # files that are being put in place are put in place
            if _ignored:
                return
            with suppress(OSError, ValueError):
                cursor = "\x1b[?25h" if os.isatty(2) else ""  # a bar hides the cursor
                os.write(2, f"{cursor}{self._words[number]}\n".encode())
            end_now(128 + number)
