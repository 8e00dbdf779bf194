"""Tables in files, a batch at a time on this machine's threads, whatever their size."""

from __future__ import annotations

import os
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from discreet.contracts.engine import Rows, TableEngine, TablePair, on_threads
from discreet.data.block import Block
from discreet.data.encoded_rows import MASKED, ROW, Columns, EncodedRows
from discreet.data.microdata import Microdata
from discreet.data.table import StoredTable, Target
from discreet.engines.blocks import (
    COUNT,
    TOTAL,
    columns_of,
    counted,
    encoded,
    joined,
    stored,
    summed,
)
from discreet.engines.spill import Spill
from discreet.parameters import Integer, Optional, check_parameters
from discreet.progress import report
from discreet.scratch import scratch_folder
from discreet.statistics.passes import columns_asked, merged, summarised
from discreet.statistics.question import Question
from discreet.typing import IntArray

__all__ = ["StreamingEngine"]

T = TypeVar("T")
R = TypeVar("R")

# Files that are open at once while records are brought together; blocks that lie side by side share one.
_BUCKETS = 128
# Combinations of keys that are counted together in memory.
_TOGETHER = 2_000_000


@dataclass(frozen=True, repr=False)
class _Stream:
    """Records that come a batch at a time, as often as they are asked for."""

    columns: Columns
    most: int
    batches: Callable[[], Iterator[EncodedRows]]

    def __repr__(self) -> str:
        return f"Rows(at most {self.most} records of {len(self.columns)} columns)"


class StreamingEngine(TableEngine):
    """Stream tables in files, block by block on threads; kernels release the interpreter lock meanwhile.

    Where records must be brought together they go through temporary files, so that
    memory holds a few batches and blocks at a time, whatever the size of the table.

    Parameters
    ----------
    workers : int, optional
        Number of threads; by default one a core. Results do not depend on it.
    batch : int
        Records that are read at a time.
    folder : path, optional
        Where temporary files go (about the size of the masked columns, twice); by default the system's folder.

    Examples
    --------
    >>> StreamingEngine(workers=2).map(lambda block: sum(block), [[1, 2], [3, 4], [5]])
    [3, 7, 5]
    """

    writes_here: ClassVar[bool] = True

    def __init__(self, workers: int | None = None, *, batch: int = 131_072, folder: str | None = None) -> None:
        parameters = {"workers": workers, "batch": batch}
        check_parameters("StreamingEngine", parameters, {"workers": Optional(Integer(1)), "batch": Integer(1)})
        self.workers = workers
        self.batch = batch
        self.folder = folder

    def map(self, function: Callable[[T], R], blocks: Iterable[T]) -> list[R]:
        return on_threads(function, list(blocks), self.workers)

    def _flow(self, function: Callable[[T], R], items: Iterable[T]) -> Generator[R, None, None]:
        """Run a function on items as they come and yield the results in order, few of them at a time.

        However it ends, whoever gives the items is closed too: a temporary folder is gone when an error is seen.
        """
        threads = self.workers or os.cpu_count() or 1
        if threads <= 1:
            with _closing(items):
                yield from map(function, items)
            return
        pool = ThreadPoolExecutor(threads)
        abandoned = False
        with _closing(items):
            try:
                waiting: deque[Any] = deque()
                for item in items:
                    waiting.append(pool.submit(copy_context().run, function, item))
                    if len(waiting) > threads:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            except GeneratorExit:
                # Nobody wants the rest. It may be the collector of garbage that says so, in any thread and under any
                # lock, that of the threads themselves among them: whoever waited here for a thread might wait for ever.
                abandoned = True
                raise
            finally:
                pool.shutdown(wait=not abandoned, cancel_futures=True)

    # ------------------------------------------------------------------------------------------------------- tables

    def open(self, source: StoredTable, names: Iterable[str]) -> Rows:
        attributes = tuple(names)

        def batches() -> Iterator[EncodedRows]:
            parts = self._numbered(source, stored(attributes))
            yield from self._flow(lambda part: encoded(part[1], attributes, part[0]), parts)

        return _Stream(columns_of(source.schema, attributes), len(source), batches)

    def _numbered(
        self, source: StoredTable, names: Iterable[str] | None = None
    ) -> Iterator[tuple[IntArray, Microdata]]:
        """Yield batches with their positions; with `names`, no other column is read."""
        first = 0
        # A batch without a column would not tell how many records it has.
        for table in source.batches(self.batch, tuple(names or ()) or None):
            report("reading", first, len(source))
            yield np.arange(first, first + len(table)), table
            first += len(table)

    def pair(self, original: StoredTable, masked: StoredTable, names: Iterable[str]) -> Rows:
        attributes = tuple(names)
        both = [name for name in attributes if name in masked.schema]
        columns = columns_of(original.schema, attributes)
        columns |= {f"{name}{MASKED}": columns_of(masked.schema, [name])[name] for name in both}

        def work(parts: tuple[tuple[IntArray, Microdata], Microdata]) -> EncodedRows:
            (rows, before), after = parts
            second = encoded(after, both, rows)
            return {**encoded(before, attributes, rows), **{f"{name}{MASKED}": second[name] for name in both}}

        def batches() -> Iterator[EncodedRows]:
            first = self._numbered(original, stored(attributes))
            second = masked.batches(self.batch, both) if both else masked.batches(self.batch)
            yield from self._flow(work, _side_by_side(first, second))

        return _Stream(columns, len(original), batches)

    def _paired_blocks(self, tables: TablePair, *names: tuple[str, ...]) -> Iterator[Block]:
        """Yield both tables side by side, with the columns that are asked for of the original and of the release."""
        sides = zip((tables.original, tables.released), names, strict=True)
        # A table of which nothing is asked is not read; the other stands in for it, and nobody looks.
        read = [_batches(table, self.batch, columns) for table, columns in sides if columns]
        first = 0
        for parts in _side_by_side(*read):
            report("reading", first, len(tables))
            before, after = parts[0], parts[-1]
            yield Block(np.arange(first, first + len(before)), before, after)
            first += len(before)

    def encode(self, tables: TablePair, question: Question[Any], columns: Columns) -> Rows:
        def batches() -> Iterator[EncodedRows]:
            yield from self._flow(question.summarise, self._paired_blocks(tables, question.original, question.released))

        return _Stream(columns, len(tables), batches)

    def fold_blocks(self, tables: TablePair, questions: Sequence[Question[Any]]) -> list[Any]:
        blocks = self._paired_blocks(tables, *columns_asked(questions))
        with closing(self._flow(lambda block: summarised(questions, block), blocks)) as answers:
            return merged(answers)

    def apply(self, rows: Rows, function: Callable[[EncodedRows], EncodedRows], columns: Columns) -> Rows:
        return _Stream(columns, rows.most, lambda: self._flow(function, rows.batches()))

    def split(
        self, rows: Rows, key: str, parts: int, function: Callable[[EncodedRows], EncodedRows], columns: Columns
    ) -> Rows:
        def batches() -> Iterator[EncodedRows]:
            with scratch_folder(self.folder) as folder:
                buckets = min(parts, _BUCKETS)
                spill = Spill(folder, rows.columns, buckets)
                with _closing(rows.batches()) as blocks:
                    for block in blocks:
                        spill.add(block, np.asarray(block[key]) * buckets // parts)
                spill.close()
                yield from self._flow(function, self._blocks(spill, key, parts))

        return _Stream(columns, rows.most, batches)

    @staticmethod
    def _blocks(spill: Spill, key: str, parts: int) -> Iterator[EncodedRows]:
        for bucket in range(spill.buckets):
            block = spill.take(bucket)
            numbers = block[key]
            if not len(numbers):
                continue
            order = np.argsort(numbers, kind="stable")
            distinct, first = np.unique(numbers[order], return_index=True)
            for number, places in zip(distinct, np.split(order, first[1:]), strict=True):
                report("blocks", int(number), parts)
                yield {name: column[places] for name, column in block.items()}

    def count(self, rows: Rows, keys: Sequence[str], weight: str | None = None) -> Rows:
        names = list(keys)
        columns = {**{name: rows.columns[name] for name in names}, COUNT: "int", TOTAL: "float"}
        parts = max(1, -(-rows.most // _TOGETHER))

        def first(block: EncodedRows) -> EncodedRows:
            combinations = counted(block, names, weight)
            return {**combinations, "#part": (_hashed(combinations, names) % np.uint64(parts)).astype(np.int64)}

        part = self.apply(rows, first, {**columns, "#part": "int"})
        return self.split(part, "#part", parts, lambda block: counted(block, names, weight), columns)

    def count_sets(self, rows: Rows, sets: Sequence[Sequence[str]], weight: str | None = None) -> list[EncodedRows]:
        union = list(dict.fromkeys(name for names in sets for name in names))

        def several(block: EncodedRows) -> list[EncodedRows]:
            together = counted(block, union, weight)
            return [counted(together, list(names), None) for names in sets]

        counts: list[list[EncodedRows]] = [[] for _ in sets]
        with closing(self._flow(several, rows.batches())) as counted_batches:
            for counts_of_batch in counted_batches:
                for place, part in enumerate(counts_of_batch):
                    counts[place].append(part)
                    if len(counts[place]) > 16:
                        counts[place] = [_merged(counts[place], sets[place])]
        return [_merged(parts, names) for parts, names in zip(counts, sets, strict=True)]

    def beside(self, parts: Sequence[Rows], columns: Columns) -> Rows:
        def batches() -> Iterator[EncodedRows]:
            for slices in _side_by_side(*(self._in_order(part, part.most).batches() for part in parts)):
                yield {name: block[name] for block in slices for name in columns if name in block}

        return _Stream(columns, parts[0].most, batches)

    def fold(self, rows: Rows, function: Callable[[EncodedRows], EncodedRows]) -> dict[str, Any]:
        with closing(self._flow(function, rows.batches())) as parts:
            return summed(parts)

    def collect(self, rows: Rows) -> dict[str, Any]:
        return joined(list(rows.batches()), rows.columns)

    def write(
        self,
        source: StoredTable,
        target: Target,
        release: Callable[[Microdata, IntArray, EncodedRows], Microdata],
        values: Rows | None = None,
    ) -> None:
        if values is None:
            with closing(self._flow(lambda part: release(part[1], part[0], {}), self._numbered(source))) as tables:
                target.write(tables)
            return

        def work(pair: tuple[tuple[IntArray, Microdata], EncodedRows]) -> Microdata:
            return release(pair[0][1], pair[0][0], pair[1])

        slices = self._in_order(values, len(source)).batches()
        with closing(self._flow(work, _side_by_side(self._numbered(source), slices))) as tables:
            target.write(tables)

    def _in_order(self, rows: Rows, of: int) -> Rows:
        """Return records in the order of their positions, in batches that hold the same ones for every table."""
        columns = {**rows.columns, "#part": "int"}
        placed = self.apply(rows, lambda block: {**block, "#part": block[ROW] // self.batch}, columns)
        return self.split(placed, "#part", -(-of // self.batch), lambda b: joined([b], rows.columns), rows.columns)


@contextmanager
def _closing(items: Iterable[T]) -> Iterator[Iterable[T]]:
    """Close at the end who gives the items, if that can be closed: a list cannot."""
    try:
        yield items
    finally:
        if isinstance(items, Generator):
            items.close()


def _side_by_side(*sources: Iterator[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield what several give, side by side, and close them all, whichever ended it."""
    with ExitStack() as stack:
        for source in sources:
            stack.enter_context(_closing(source))
        yield from zip(*sources, strict=True)


def _merged(parts: Sequence[EncodedRows], names: Sequence[str]) -> EncodedRows:
    together = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return counted(together, list(names), None)


def _batches(table: Microdata | StoredTable, size: int, names: Iterable[str]) -> Iterator[Microdata]:
    """Yield a table's records in batches, whether it is in memory or in files."""
    if isinstance(table, StoredTable):
        yield from table.batches(size, names)
        return
    for start in range(0, len(table), size):
        yield table.take(np.arange(start, min(start + size, len(table))))


def _hashed(block: EncodedRows, names: Sequence[str]) -> Any:
    """Return a number of every combination of keys, the same for equal ones."""
    result = np.zeros(len(block[COUNT]), dtype=np.uint64)
    for name in names:
        column = block[name]
        if column.dtype == object:
            bits = np.fromiter((zlib.crc32(text) for text in column), dtype=np.uint64, count=len(column))
        elif column.dtype.kind == "f":
            # One bit pattern for every NaN, and one for both zeros.
            bits = np.where(np.isnan(column), np.nan, column + 0.0).view(np.uint64)
        else:
            bits = column.astype(np.int64).view(np.uint64)
        result = (result ^ bits) * np.uint64(0x9E3779B97F4A7C15)
        result ^= result >> np.uint64(29)
    return result
