"""Columns of text in a temporary file: written once, and looked at a part or a column at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc

from discreet.io.text_parts import Texts

__all__ = ["PART", "LateTexts", "TextSpool", "recut"]

PART = 131_072
"""Records that are held at a time."""


def recut(
    tables: Iterable[pa.Table], size: int, join: Callable[[list[pa.Table]], pa.Table] = pa.concat_tables
) -> Iterator[pa.Table]:
    """Yield records in their order, `size` at a time; the last may be fewer."""
    waiting: list[pa.Table] = []
    n_waiting = 0
    for table in tables:
        waiting.append(table)
        n_waiting += table.num_rows
        while n_waiting >= size:
            joined = join(waiting)
            yield joined.slice(0, size).combine_chunks()
            waiting, n_waiting = [joined.slice(size)], n_waiting - size
    if n_waiting:
        yield join(waiting).combine_chunks()


class TextSpool:
    """Columns of text in a file of their own.

    Parameters
    ----------
    path : Path
        In a folder that is private; whoever made it removes it.
    names : sequence of str
        What the columns are called.
    """

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self.path = path
        self.names = tuple(names)
        self._starts = [0]
        self._sink: pa.NativeFile | None = None
        self._writer: pa.ipc.RecordBatchFileWriter | None = None

    def __len__(self) -> int:
        return self._starts[-1]

    def add(self, table: pa.Table) -> None:
        """Write one part, of these columns in this order."""
        if self._writer is None:
            schema = pa.schema([(name, pa.string()) for name in self.names])
            self._sink = pa.OSFile(str(self.path), "wb")
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            self._writer = pa.ipc.new_file(self._sink, schema, options=options)
        # A part is one batch, so that a record is found by its number.
        (batch,) = table.rename_columns(list(self.names)).combine_chunks().to_batches() or (None,)
        if batch is not None:
            self._writer.write_batch(batch)
            self._starts.append(self._starts[-1] + batch.num_rows)

    def close(self) -> None:
        """End writing."""
        if self._writer is not None and self._sink is not None:
            self._writer.close()
            self._sink.close()
            self._writer = self._sink = None

    def parts(self, names: Iterable[str] | None = None) -> Iterator[pa.Table]:
        """Yield the records of some columns, no other of which is read."""
        selection = self.names if names is None else tuple(names)
        with pa.OSFile(str(self.path), "rb") as source:
            reader = self._reader(source, selection)
            for place in range(reader.num_record_batches):
                yield pa.Table.from_batches([reader.get_batch(place)])

    def texts(self, name: str) -> Texts:
        """Return a column that is read whenever somebody looks at it."""
        return Texts(lambda: (part.column(0) for part in self.parts([name])))

    def rows(self, name: str, start: int, stop: int) -> pa.ChunkedArray:
        """Return the texts of some records."""
        with pa.OSFile(str(self.path), "rb") as source:
            reader = self._reader(source, [name])
            first = bisect_right(self._starts, start) - 1
            last = bisect_right(self._starts, stop - 1) - 1
            chunks = [reader.get_batch(place).column(0) for place in range(first, last + 1)]
        return pa.chunked_array(chunks, pa.string()).slice(start - self._starts[first], stop - start)

    def _reader(self, source: pa.NativeFile, names: Iterable[str]) -> pa.ipc.RecordBatchFileReader:
        places = [self.names.index(name) for name in names]
        return pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=places))


class LateTexts(Mapping[str, pa.ChunkedArray]):
    """The texts of some records by column, which are read when they are asked for: most passes ask for none."""

    def __init__(self, spool: TextSpool, names: Mapping[str, str], start: int, stop: int) -> None:
        self._spool = spool
        self._names = names
        self._rows = start, stop

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        return self._spool.rows(self._names[name], *self._rows)

    def __contains__(self, name: object) -> bool:
        return name in self._names  # without reading it

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"LateTexts({len(self)} columns of {self._rows[1] - self._rows[0]} records)"
