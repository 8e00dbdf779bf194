"""How long work tells that it is getting on, without knowing who listens.

Work calls :func:`track`, :func:`stage` or :func:`report`; a front end (command line, web page) listens with
:func:`listening`. Nobody listening costs nothing. A listener may raise to stop the work: that is how cancelling is
done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

__all__ = ["Listener", "also_listening", "listening", "report", "stage", "track"]

Listener: TypeAlias = Callable[[str, int, int], None]
"""Called with a label, how many steps are done, and how many there are."""

T = TypeVar("T")

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send the reports of everything inside the block to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def also_listening(listener: Listener) -> Iterator[None]:
    """Send the reports of everything inside the block to `listener`, and then to whoever listened before.

    Examples
    --------
    >>> with listening(lambda *_: print("outside")), also_listening(lambda *_: print("inside")):
    ...     report("working", 1, 2)
    inside
    outside
    """
    outer = _listener.get()

    def both(label: str, count: int, total: int) -> None:
        listener(label, count, total)
        if outer is not None:
            outer(label, count, total)

    with listening(both):
        yield


def report(label: str, done: int, total: int) -> None:
    """Say that `done` of `total` steps are behind us."""
    listener = _listener.get()
    if listener is not None:
        listener(label, done, total)


@contextmanager
def stage(label: str) -> Iterator[None]:
    """Report that a piece of work begins, and that it is done where it ends well.

    Examples
    --------
    >>> with listening(lambda label, done, total: print(f"{label} {done}/{total}")), stage("drawing"):
    ...     print("a chart")
    drawing 0/1
    a chart
    drawing 1/1
    """
    report(label, 0, 1)
    yield
    report(label, 1, 1)


def track(items: Iterable[T], label: str, total: int) -> Iterator[T]:
    """Yield the items and report after each.

    Examples
    --------
    >>> with listening(lambda label, done, total: print(f"{label} {done}/{total}")):
    ...     squares = [i * i for i in track(range(2), "squaring", 2)]
    squaring 0/2
    squaring 1/2
    squaring 2/2
    """
    report(label, 0, total)
    for count, item in enumerate(items, start=1):
        yield item
        report(label, count, total)
