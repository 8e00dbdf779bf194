"""The contract of an engine: where blocks of records are run. An engine cannot name a method."""

from __future__ import annotations

import os
import pickle
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

import numpy as np

from discreet.data.block import Block
from discreet.data.encoded_rows import ROW, Columns, EncodedRows
from discreet.data.keyed_draws import Draws
from discreet.data.microdata import Microdata
from discreet.data.table import StoredTable, Target
from discreet.errors import DiscreetError
from discreet.statistics.counts import Counts
from discreet.statistics.passes import DigestedRows, EncodedKeys, columns_asked, merged, or_error, summarised
from discreet.statistics.question import Everything, Inquiry, Question, check_at_once
from discreet.typing import FloatArray, IntArray

__all__ = ["Engine", "InProcess", "InThreads", "Rows", "TableEngine", "TablePair", "on_threads"]

_FEW = 20_000  # records that are looked at in less time than threads take to pay


K = TypeVar("K")


T = TypeVar("T")


R = TypeVar("R")


class Engine(ABC):
    """Where blocks of records are run, and questions about tables answered. An engine cannot name a method."""

    @abstractmethod
    def map(self, function: Callable[[T], R], blocks: Iterable[T]) -> list[R]:
        """Run a function on every block and return the results in the order of the blocks."""

    def answer(self, tables: TablePair, inquiries: Mapping[K, Inquiry[R]]) -> dict[K, R | DiscreetError]:
        """Answer the questions of all inquiries, in as few passes over the tables as the longest of them needs.

        Parameters
        ----------
        tables : TablePair
        inquiries : dict of hashable to Inquiry

        Returns
        -------
        dict of hashable to what the inquiry concluded, or the error that it ended with
        """
        answers: dict[K, R | DiscreetError] = {}
        open_questions: dict[K, Any] = {}

        def go_on(key: K, step: Callable[[], Any]) -> None:
            question, answer = _next_question(step, inquiries[key])
            if question is None:
                answers[key] = answer
                open_questions.pop(key, None)
            else:
                open_questions[key] = question

        for key, inquiry in inquiries.items():
            go_on(key, partial(next, inquiry))
        while open_questions:
            askers = Counter(open_questions.values())
            statistics = self._statistics(tables, list(askers))
            for key, question in list(open_questions.items()):
                askers[question] -= 1
                # What the last of those who asked was told is not held while others make something of theirs.
                statistic = statistics[question] if askers[question] else statistics.pop(question)
                resume = inquiries[key].throw if isinstance(statistic, DiscreetError) else inquiries[key].send
                go_on(key, partial(resume, statistic))
                del statistic, resume
        return {key: answers[key] for key in inquiries}

    def _statistics(self, tables: TablePair, questions: Sequence[Any]) -> dict[Any, Any]:
        """Return the statistics, or the error, of different questions: those of blocks in one pass."""
        statistics: dict[Any, Any] = {}
        counts = [question for question in questions if isinstance(question, Counts)]
        for counted in dict.fromkeys(question.counted for question in counts):
            same = [question for question in counts if question.counted == counted]
            digests = or_error(partial(self.tabulate, tables, same))
            failed = isinstance(digests, DiscreetError)
            statistics |= dict.fromkeys(same, digests) if failed else dict(zip(same, digests, strict=True))
        whole = [question for question in questions if isinstance(question, Everything)]
        if whole:
            block = or_error(partial(tables.whole, whole))
            statistics |= {question: or_error(partial(question.admit, block, len(tables))) for question in whole}
        rest = [question for question in questions if question not in statistics]
        return statistics | dict(zip(rest, self.summarise(tables, rest) if rest else (), strict=True))

    def summarise(self, tables: TablePair, questions: Sequence[Question[Any]]) -> list[Any]:
        """Return the statistics of every question in one pass; a question that cannot be answered gives its error."""
        block = tables.whole(questions)
        if len(block) < _FEW:
            return summarised(questions, block)
        return self.map(lambda question: summarised([question], block)[0], questions)

    def tabulate(self, tables: TablePair, counts: Sequence[Counts]) -> list[Any]:
        """Count combinations once for questions that count the same, and return what their digests say."""
        combinations = counts[0].combinations(tables.whole(counts))
        return [one.digest.summarise(combinations) for one in counts]


def _next_question(step: Callable[[], Any], inquiry: Inquiry[Any]) -> tuple[Any, Any]:
    """Go on with an inquiry: return its next question and None, or None and what it concluded."""

    def resumed() -> tuple[Any, Any]:
        try:
            return step(), None
        except StopIteration as end:
            return None, end.value

    result = or_error(resumed, getattr(inquiry, "__qualname__", ""))
    return (None, result) if isinstance(result, DiscreetError) else result


class InProcess(Engine):
    """One block after the other, in this thread: what a contract uses when it is handed no engine."""

    def map(self, function: Callable[[T], R], blocks: Iterable[T]) -> list[R]:
        return [function(block) for block in blocks]


class InThreads(Engine):
    """Blocks on a thread a core: what a linker uses when it is handed no engine, for kernels leave the lock alone."""

    def map(self, function: Callable[[T], R], blocks: Iterable[T]) -> list[R]:
        return on_threads(function, list(blocks))


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


Rows: TypeAlias = Any
"""Records on a table engine: what they are made of is the engine's own affair. They are read as often as asked for."""


@dataclass(frozen=True, repr=False)
class TablePair:
    """A table and its release, in memory or in files: the same records in the same order."""

    original: Microdata | StoredTable
    released: Microdata | StoredTable
    _kept: dict[Any, Any] = field(default_factory=dict, compare=False)

    def __len__(self) -> int:
        return len(self.original)

    def __repr__(self) -> str:
        return f"TablePair({len(self)} records{' in files' if self.stored else ''})"

    @property
    def stored(self) -> bool:
        """Whether one of the tables lies in files."""
        return isinstance(self.original, StoredTable) or isinstance(self.released, StoredTable)

    def whole(self, questions: Iterable[Any]) -> Block:
        """Return all records as one block, with at least the columns that the questions look at.

        Tables in memory are handed over as they are; of files, what is missing is read.
        """
        if not self.stored:
            tables = (self.original, self.released)
        else:
            check_at_once("This", len(self))
            before, after = columns_asked(questions)
            tables = (self._read("original", set(before)), self._read("released", set(after)))
        key = tuple(map(id, tables))
        if key not in self._kept:  # what was made of a block once is not made again
            self._kept[key] = Block(np.arange(len(self)), *cast("tuple[Microdata, Microdata]", tables))
        block: Block = self._kept[key]
        return block

    def _read(self, which: str, names: set[str]) -> Microdata:
        table = getattr(self, which)
        if isinstance(table, Microdata):
            return table
        table_read = self._kept.get(which)
        if table_read is None or not names <= set(table_read.names):
            names = names if table_read is None else names | set(table_read.names)
            self._kept[which] = table_read = table.in_memory(names)
        result: Microdata = table_read
        return result


class TableEngine(Engine):
    """An engine for tables larger than memory: it splits them into blocks, runs functions there, and counts.

    Functions are handed to it and may travel to other processes: they must be picklable and must not depend on which
    records come together, except in :meth:`split`. An engine cannot name a method.
    """

    writes_here: ClassVar[bool] = False
    """Whether :meth:`write` calls `release` in this process, once for every record: then it may keep what it sees."""

    @abstractmethod
    def open(self, source: StoredTable, names: Iterable[str]) -> Rows:
        """Return the encoded attributes `names` of a table, with the column :data:`ROW`.

        A name that ends with :data:`WRITTEN` asks for what a written file shows of the attribute: missing codes apart.
        """

    @abstractmethod
    def encode(self, tables: TablePair, question: Question[Any], columns: Columns) -> Rows:
        """Return what a question makes of every block as rows: it must give the given columns, a value a record."""

    @abstractmethod
    def fold_blocks(self, tables: TablePair, questions: Sequence[Question[Any]]) -> list[Any]:
        """Return the statistics of every question in one pass over files, merged where the blocks are."""

    def summarise(self, tables: TablePair, questions: Sequence[Question[Any]]) -> list[Any]:
        return self.fold_blocks(tables, questions) if tables.stored else super().summarise(tables, questions)

    def tabulate(self, tables: TablePair, counts: Sequence[Counts]) -> list[Any]:
        if not tables.stored:
            return super().tabulate(tables, counts)
        one = counts[0]
        rows = self.encode(tables, EncodedKeys(one), one.columns)
        keys = [name for name in one.columns if name != "weight"]
        combinations = self.count(rows, keys, None if one.weight is None else "weight")
        statistics: dict[Counts, Any] = {}
        if any(question.digest.whole for question in counts):
            every = self.collect(combinations)
            decoded = one.decoded(every, every["#count"], every["#total"])
            statistics = {question: question.digest.summarise(decoded) for question in counts if question.digest.whole}
        rest = [question for question in counts if not question.digest.whole]
        if rest:
            parts = self.collect(self.apply(combinations, DigestedRows(tuple(rest)), {"digests": "bytes"}))["digests"]
            digests = [pickle.loads(part) for part in parts]  # noqa: S301 - our own function wrote it
            statistics |= dict(zip(rest, merged(digests), strict=True))
        return [statistics[question] for question in counts]

    @abstractmethod
    def pair(self, original: StoredTable, masked: StoredTable, names: Iterable[str]) -> Rows:
        """Return the attributes of two tables side by side; those of the second have names that end with `MASKED`."""

    @abstractmethod
    def apply(self, rows: Rows, function: Callable[[EncodedRows], EncodedRows], columns: Columns) -> Rows:
        """Run a function on the records as they come, in batches of any size; it returns the given columns."""

    @abstractmethod
    def split(
        self, rows: Rows, key: str, parts: int, function: Callable[[EncodedRows], EncodedRows], columns: Columns
    ) -> Rows:
        """Bring records with the same number (0 … parts − 1) in column `key` together, and run on each block.

        The function sees a whole block, in any order of its records.
        """

    @abstractmethod
    def count(self, rows: Rows, keys: Sequence[str], weight: str | None = None) -> Rows:
        """Return the combinations of keys with columns ``#count`` and ``#total`` (of `weight`; the count if None)."""

    @abstractmethod
    def count_sets(self, rows: Rows, sets: Sequence[Sequence[str]], weight: str | None = None) -> list[EncodedRows]:
        """Return the same for several sets of keys at once (grouping sets), in memory, sorted by the keys."""

    @abstractmethod
    def beside(self, parts: Sequence[Rows], columns: Columns) -> Rows:
        """Put columns of the same records side by side, by :data:`ROW`."""

    @abstractmethod
    def fold(self, rows: Rows, function: Callable[[EncodedRows], EncodedRows]) -> dict[str, Any]:
        """Run a function on the records in batches of any size and return the sums of the arrays it gives."""

    @abstractmethod
    def collect(self, rows: Rows) -> dict[str, Any]:
        """Return the records in memory, by :data:`ROW` where they have it."""

    @abstractmethod
    def write(
        self,
        source: StoredTable,
        target: Target,
        release: Callable[[Microdata, IntArray, EncodedRows], Microdata],
        values: Rows | None = None,
    ) -> None:
        """Write a release in the order of its source.

        `release` is handed some records of the source, their positions, and the columns of `values` that belong to
        them (none where `values` is None); it must give the same columns for any records.
        """

    def sample(self, rows: Rows, n: int, of: int, seed: int) -> dict[str, Any]:
        """Return `n` of the `of` records (all where n ≥ of), those with the smallest draws: the same on any engine."""
        if n >= of:
            return self.collect(rows)
        # Draws are uniform: with this share, fewer than n are found once in ten thousand samples; the rest is cut off.
        share = min(1.0, (n + 4.0 * np.sqrt(n) + 8.0) / of)
        candidates = self.collect(self.apply(rows, _RecordsBelowShare(share, seed), rows.columns))
        draws = _sample_draws(seed, candidates[ROW])
        smallest = np.sort(np.argsort(draws, kind="stable")[:n])
        return {name: column[smallest] for name, column in candidates.items()}


def _sample_draws(seed: int, rows: IntArray) -> FloatArray:
    return Draws.of(seed, None, "sample").uniform(rows)


@dataclass(frozen=True)
class _RecordsBelowShare:
    """Keep the records whose draw is below a share."""

    share: float
    seed: int

    def __call__(self, block: EncodedRows) -> EncodedRows:
        below = _sample_draws(self.seed, block[ROW]) < self.share
        return {name: column[below] for name, column in block.items()}
