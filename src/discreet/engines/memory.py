"""Tables in memory, each one block; a method's own blocks on this machine's threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from discreet.contracts.engine import Engine, on_threads
from discreet.parameters import Integer, Optional, check_parameters

__all__ = ["MemoryEngine"]

T = TypeVar("T")
R = TypeVar("R")


class MemoryEngine(Engine):
    """Run blocks on threads; kernels release the interpreter lock, so two threads keep two cores busy.

    A table in memory is one block, and questions about it are answered where it is.

    Parameters
    ----------
    workers : int, optional
        Number of threads; by default one a core. Results do not depend on it.

    Examples
    --------
    >>> MemoryEngine(workers=2).map(lambda block: sum(block), [[1, 2], [3, 4], [5]])
    [3, 7, 5]
    """

    def __init__(self, workers: int | None = None) -> None:
        check_parameters("MemoryEngine", {"workers": workers}, {"workers": Optional(Integer(1))})
        self.workers = workers

    def map(self, function: Callable[[T], R], blocks: Iterable[T]) -> list[R]:
        return on_threads(function, list(blocks), self.workers)
