"""Blocks of records on this machine's threads; tables larger than memory a batch at a time."""

from __future__ import annotations

import os
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from discreet.base import MASKED, ROW, Block, Columns, Rows, Source, TableEngine, Target
from discreet.engines.blocks import (
    COUNT,
    TOTAL,
    columns_of,
    counted,
    encoded,
    from_arrow,
    joined,
    summed,
    to_arrow,
)
from discreet.microdata import Microdata
from discreet.parameters import Integer, Optional, check_parameters
from discreet.progress import report
from discreet.scratch import scratch_folder
from discreet.typing import IntArray

__all__ = ["LocalEngine"]

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
    batches: Callable[[], Iterator[Block]]

    def __repr__(self) -> str:
        return f"Rows(at most {self.most} records of {len(self.columns)} columns)"


class LocalEngine(TableEngine):
    """Run blocks on threads; kernels release the interpreter lock, so two threads keep two cores busy.

    Tables in files are streamed; where records must be brought together they go through temporary files, so that
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
    >>> LocalEngine(workers=2).map(lambda block: sum(block), [[1, 2], [3, 4], [5]])
    [3, 7, 5]
    """

    def __init__(self, workers: int | None = None, *, batch: int = 131_072, folder: str | None = None) -> None:
        given = {"workers": workers, "batch": batch}
        check_parameters("LocalEngine", given, {"workers": Optional(Integer(1)), "batch": Integer(1)})
        self.workers = workers
        self.batch = batch
        self.folder = folder

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

    def _flow(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Run a function on items as they come and yield the results in order, few of them at a time."""
        threads = self.workers or os.cpu_count() or 1
        if threads <= 1:
            yield from map(function, items)
            return
        with ThreadPoolExecutor(threads) as pool:
            waiting: deque[Any] = deque()
            try:
                for item in items:
                    waiting.append(pool.submit(copy_context().run, function, item))
                    if len(waiting) > threads:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    # ------------------------------------------------------------------------------------------------------- tables

    def open(self, source: Source, names: Iterable[str]) -> Rows:
        chosen = tuple(names)

        def batches() -> Iterator[Block]:
            yield from self._flow(lambda part: encoded(part[1], chosen, part[0]), self._numbered(source))

        return _Stream(columns_of(source.schema, chosen), len(source), batches)

    def _numbered(self, source: Source) -> Iterator[tuple[IntArray, Microdata]]:
        first = 0
        for table in source.batches(self.batch):
            report("reading", first, len(source))
            yield np.arange(first, first + len(table)), table
            first += len(table)

    def pair(self, original: Source, masked: Source, names: Iterable[str]) -> Rows:
        chosen = tuple(names)
        both = [name for name in chosen if name in masked.schema]
        columns = columns_of(original.schema, chosen)
        columns |= {f"{name}{MASKED}": columns_of(masked.schema, [name])[name] for name in both}

        def work(parts: tuple[tuple[IntArray, Microdata], Microdata]) -> Block:
            (rows, before), after = parts
            second = encoded(after, both, rows)
            return {**encoded(before, chosen, rows), **{f"{name}{MASKED}": second[name] for name in both}}

        def batches() -> Iterator[Block]:
            yield from self._flow(work, zip(self._numbered(original), masked.batches(self.batch), strict=True))

        return _Stream(columns, len(original), batches)

    def apply(self, rows: Rows, function: Callable[[Block], Block], columns: Columns) -> Rows:
        return _Stream(columns, rows.most, lambda: self._flow(function, rows.batches()))

    def split(self, rows: Rows, key: str, parts: int, function: Callable[[Block], Block], columns: Columns) -> Rows:
        def batches() -> Iterator[Block]:
            with scratch_folder(self.folder) as folder:
                buckets = min(parts, _BUCKETS)
                spill = _Spill(folder, rows.columns, buckets)
                for block in rows.batches():
                    spill.add(block, np.asarray(block[key]) * buckets // parts)
                spill.close()
                yield from self._flow(function, self._blocks(spill, key, parts))

        return _Stream(columns, rows.most, batches)

    @staticmethod
    def _blocks(spill: _Spill, key: str, parts: int) -> Iterator[Block]:
        for bucket in range(spill.buckets):
            block = spill.take(bucket)
            numbers = block[key]
            if not len(numbers):
                continue
            order = np.argsort(numbers, kind="stable")
            found, first = np.unique(numbers[order], return_index=True)
            for number, places in zip(found, np.split(order, first[1:]), strict=True):
                report("blocks", int(number), parts)
                yield {name: column[places] for name, column in block.items()}

    def count(self, rows: Rows, keys: Sequence[str], weight: str | None = None) -> Rows:
        names = list(keys)
        columns = {**{name: rows.columns[name] for name in names}, COUNT: "int", TOTAL: "float"}
        parts = max(1, -(-rows.most // _TOGETHER))

        def first(block: Block) -> Block:
            found = counted(block, names, weight)
            return {**found, "#part": (_hashed(found, names) % np.uint64(parts)).astype(np.int64)}

        part = self.apply(rows, first, {**columns, "#part": "int"})
        return self.split(part, "#part", parts, lambda block: counted(block, names, weight), columns)

    def count_sets(self, rows: Rows, sets: Sequence[Sequence[str]], weight: str | None = None) -> list[Block]:
        union = list(dict.fromkeys(name for names in sets for name in names))

        def several(block: Block) -> list[Block]:
            together = counted(block, union, weight)
            return [counted(together, list(names), None) for names in sets]

        held: list[list[Block]] = [[] for _ in sets]
        for found in self._flow(several, rows.batches()):
            for place, part in enumerate(found):
                held[place].append(part)
                if len(held[place]) > 16:
                    held[place] = [_merged(held[place], sets[place])]
        return [_merged(parts, names) for parts, names in zip(held, sets, strict=True)]

    def beside(self, parts: Sequence[Rows], columns: Columns) -> Rows:
        def batches() -> Iterator[Block]:
            for slices in zip(*(self._in_order(part, part.most).batches() for part in parts), strict=True):
                yield {name: block[name] for block in slices for name in columns if name in block}

        return _Stream(columns, parts[0].most, batches)

    def fold(self, rows: Rows, function: Callable[[Block], Block]) -> dict[str, Any]:
        return summed(self._flow(function, rows.batches()))

    def collect(self, rows: Rows) -> dict[str, Any]:
        return joined(list(rows.batches()), rows.columns)

    def write(
        self,
        source: Source,
        target: Target,
        release: Callable[[Microdata, IntArray, Block], Microdata],
        values: Rows | None = None,
    ) -> None:
        if values is None:
            target.write(self._flow(lambda part: release(part[1], part[0], {}), self._numbered(source)))
            return

        def work(pair: tuple[tuple[IntArray, Microdata], Block]) -> Microdata:
            return release(pair[0][1], pair[0][0], pair[1])

        slices = self._in_order(values, len(source)).batches()
        target.write(self._flow(work, zip(self._numbered(source), slices, strict=True)))

    def _in_order(self, rows: Rows, of: int) -> Rows:
        """Return records in the order of their positions, in batches that hold the same ones for every table."""
        columns = {**rows.columns, "#part": "int"}
        placed = self.apply(rows, lambda block: {**block, "#part": block[ROW] // self.batch}, columns)
        return self.split(placed, "#part", -(-of // self.batch), lambda b: joined([b], rows.columns), rows.columns)


def _merged(parts: Sequence[Block], names: Sequence[str]) -> Block:
    together = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return counted(together, list(names), None)


def _hashed(block: Block, names: Sequence[str]) -> Any:
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


class _Spill:
    """Temporary files, one a bucket, that records are added to and taken back from."""

    def __init__(self, folder: Path, columns: Columns, buckets: int) -> None:
        self._folder = folder
        self._columns = columns
        self.buckets = buckets
        self._writers: list[Any] = [None] * buckets
        self._schema = to_arrow({name: [] for name in columns}, columns).schema

    def add(self, block: Block, buckets: Any) -> None:
        """Add records to their buckets."""
        order = np.argsort(buckets, kind="stable")
        table = to_arrow({name: block[name][order] for name in self._columns}, self._columns)
        found, first = np.unique(buckets[order], return_index=True)
        ends = np.append(first[1:], order.size)
        for bucket, low, high in zip(found, first, ends, strict=True):
            if self._writers[bucket] is None:
                sink = pa.OSFile(str(self._path(int(bucket))), "wb")
                self._writers[bucket] = (sink, pa.ipc.new_stream(sink, self._schema))
            self._writers[bucket][1].write_table(table.slice(low, high - low))

    def close(self) -> None:
        """End writing."""
        for writer in self._writers:
            if writer is not None:
                writer[1].close()
                writer[0].close()

    def take(self, bucket: int) -> Block:
        """Return the records of a bucket, in the order in which they were added, and remove its file."""
        if self._writers[bucket] is None:
            return {name: np.empty(0, dtype=np.int64) for name in self._columns}
        with pa.OSFile(str(self._path(bucket)), "rb") as stream:
            block = from_arrow(pa.ipc.open_stream(stream).read_all())
        self._path(bucket).unlink()
        return block

    def _path(self, bucket: int) -> Path:
        return self._folder / f"{bucket}.arrow"
