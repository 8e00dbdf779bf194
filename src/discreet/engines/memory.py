"""Tables in memory, each one block; a method's own blocks on this machine's threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from discreet.contracts.engine import Engine
from discreet.parameters import Integer, Optional, check_parameters

__all__ = ["MemoryEngine", "on_threads"]

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


def on_threads(function: Callable[[T], R], items: list[T], workers: int | None = None) -> list[R]:
    """Run a function on every item, by default on a thread a core, and return the results in the items' order."""
    threads = min(workers or os.cpu_count() or 1, len(items))
    if threads <= 1:
        return [function(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        # Each block runs in a copy of the caller's context, so that progress reports reach the same listener.
        futures = [pool.submit(copy_context().run, function, item) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
