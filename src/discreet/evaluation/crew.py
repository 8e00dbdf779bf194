"""Who runs the experiments of a study: this process, or several that are handed the table once."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Self

from discreet.contracts.measure import Measure
from discreet.data.microdata import Microdata
from discreet.errors import DiscreetError
from discreet.evaluation.experiment import Experiment, Originals, Scoring, run
from discreet.evaluation.prefixes import cut_along_prefixes, in_prefix_order
from discreet.progress import also_listening
from discreet.stopping import Stopped, is_stopped
from discreet.typing import Json

__all__ = ["Crew"]

_CHUNK = 16
_FEW = 24
"""Where there are so few experiments for a process, starting it would take longer."""


class Crew:
    """Processes that run experiments, for as long as the block lasts.

    Parameters
    ----------
    table : Microdata
    measures : list of Measure
    workers : int, optional
        Processes; by default one a core, and none beside this one where there is little to do.
    expected : int
        How many experiments there will be.
    scoring : Scoring, optional
    """

    def __init__(
        self,
        table: Microdata,
        measures: Sequence[Measure],
        workers: int | None,
        expected: int,
        scoring: Scoring | None = None,
    ) -> None:
        self._scoring = scoring or Scoring()
        self.size = min(workers or os.cpu_count() or 1, max(1, expected // _FEW))
        self._table, self._measures = table, list(measures)
        self._originals = Originals(table)
        self._pool: ProcessPoolExecutor | None = None
        self._here: Connection | None = None

    def __enter__(self) -> Self:
        if self.size > 1:
            context = multiprocessing.get_context("spawn")
            lifeline, self._here = context.Pipe(duplex=False)
            arguments = (self._table, self._measures, self._scoring, lifeline)
            self._pool = ProcessPoolExecutor(self.size, mp_context=context, initializer=_prepare, initargs=arguments)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            if error is not None:
                self._dismiss()
            self._pool.shutdown(wait=True, cancel_futures=True)
            if self._here is not None:
                self._here.close()

    def _dismiss(self) -> None:
        """End the processes in the middle of what they do: they leave when nobody is at the other end of their pipe."""
        if self._here is not None:
            self._here.close()
            self._here = None

    def run(self, todo: Sequence[Experiment], keep: Callable[[list[Json]], None]) -> None:
        """Run experiments in any order and hand over rows as they come; on an interrupt, those that are finished."""
        paths = [(experiment, experiment.path()) for experiment in todo]
        if self._pool is None:
            for experiment, _ in in_prefix_order(paths):
                with also_listening(_heed):
                    row = run(experiment, self._originals, self._measures, self._scoring)
                keep([row])
                _heed()
            return
        size = max(1, min(_CHUNK, len(todo) // (8 * self.size)))
        pending: set[Future[list[Json]]] = {
            self._pool.submit(_run_chunk, [experiment for experiment, _ in part])
            for part in cut_along_prefixes(paths, size)
        }
        try:
            while pending:
                completed, _ = wait(pending, timeout=0.2, return_when="FIRST_COMPLETED")
                if not completed:
                    _heed()
                for future in completed:
                    pending.discard(future)  # before it is kept, so that an interrupt finds the others
                    keep(future.result())
        except BrokenProcessPool:
            raise DiscreetError(
                "A process of the study was ended from outside; finished rows are kept where a store was given.",
                hint="Go on with resume; fewer workers need less memory.",
            ) from None
        except KeyboardInterrupt:
            finished = [future for future in pending if future.done() and not future.cancelled()]
            self._dismiss()
            for future in finished:
                if future.exception() is None:
                    keep(future.result())
            raise


def _heed(*_: object) -> None:
    """Stop where the flag says so: what is no compiled loop looks at it whenever it tells how far it is."""
    if is_stopped():
        raise Stopped


_shared: tuple[Originals, list[Measure], Scoring] | None = None


def _prepare(table: Microdata, measures: list[Measure], scoring: Scoring, lifeline: Connection) -> None:
    global _shared  # noqa: PLW0603 - a worker process is handed the table once, not with every experiment
    _shared = (Originals(table), measures, scoring)
    # An interrupt is the main process's to handle, and nobody outlives it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_with, args=(parent, lifeline), daemon=True).start()


def _leave_with(parent: BaseProcess, lifeline: Connection) -> None:
    multiprocessing.connection.wait([parent.sentinel, lifeline])
    os._exit(1)


def _run_chunk(chunk: list[Experiment]) -> list[Json]:
    if _shared is None:  # pragma: no cover - the pool prepares every worker
        raise RuntimeError
    return [run(experiment, *_shared) for experiment in chunk]
