"""Blocks of records on this machine's threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from discreet.base import Engine
from discreet.parameters import Integer, Optional, check_parameters

__all__ = ["LocalEngine"]

T = TypeVar("T")
R = TypeVar("R")


class LocalEngine(Engine):
    """Run blocks on threads; kernels release the interpreter lock, so two threads keep two cores busy.

    Parameters
    ----------
    workers : int, optional
        Number of threads; by default one a core. Results do not depend on it.

    Examples
    --------
    >>> LocalEngine(workers=2).map(lambda block: sum(block), [[1, 2], [3, 4], [5]])
    [3, 7, 5]
    """

    def __init__(self, workers: int | None = None) -> None:
        check_parameters("LocalEngine", {"workers": workers}, {"workers": Optional(Integer(1))})
        self.workers = workers

    def map(self, function: Callable[[T], R], blocks: Iterable[T]) -> list[R]:
        items = list(blocks)
        threads = min(self.workers or os.cpu_count() or 1, len(items))
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
