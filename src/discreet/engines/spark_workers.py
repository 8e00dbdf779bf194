"""What runs on the workers of Spark: callables that travel, on tables of a partition."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import numpy as np
import pyarrow as pa

from discreet.data.block import Block
from discreet.data.cleaning import clean_arrow
from discreet.data.encoded_rows import ROW, Columns, EncodedRows
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.engines.blocks import columns_of, encoded, from_arrow, summed, to_arrow
from discreet.engines.spark_session import error_line
from discreet.errors import DiscreetError
from discreet.statistics.passes import merged, summarised
from discreet.statistics.question import Question
from discreet.typing import IntArray

__all__ = [
    "FILE",
    "INDEX",
    "NEW",
    "EncodedBlocks",
    "EncodedParts",
    "FoldedBlocks",
    "FoldedRows",
    "GuardedWork",
    "NumberedRows",
    "OnBatches",
    "OnBlocks",
    "PairedBlock",
    "ReleasedOnWorkers",
    "frame_name",
    "with_frame_names",
    "with_own_names",
]

FILE, INDEX, NEW = "#file", "#index", "#new:"
"""Columns of a frame that are no attribute: which file, where in it, and what was masked."""


def frame_name(name: str) -> str:
    """Return the name of a column as frames have it: Spark reads a dot as a field of a structure."""
    return name.replace("%", "%25").replace(".", "%2E").replace("`", "%60")


def with_own_names(table: pa.Table) -> pa.Table:
    """Return a table of a frame with the columns' own names."""
    return table.rename_columns([unquote(name) for name in table.column_names])


def with_frame_names(table: pa.Table) -> pa.Table:
    """Return a table with the names that frames have."""
    return table.rename_columns([frame_name(name) for name in table.column_names])


@dataclass(frozen=True)
class GuardedWork:
    """A function whose errors travel as one line that quotes no value."""

    function: Callable[[pa.Table], pa.Table]

    def __call__(self, table: pa.Table) -> pa.Table:
        try:
            return self.function(table)
        except DiscreetError as error:
            raise RuntimeError(error_line(type(error).__name__, error.message, error.hint)) from None
        except Exception as error:  # noqa: BLE001 - the message of any other error may quote a value
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}:{last.lineno}"
            message = f"A block failed on a worker with {type(error).__name__} at {where}."
            raise RuntimeError(
                error_line("DataError", message, "Run it with --engine streaming to see it here.")
            ) from None


@dataclass(frozen=True)
class OnBatches:
    """A function on tables, for the batches of a partition."""

    function: Callable[[pa.Table], pa.Table]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        guarded = GuardedWork(self.function)
        for batch in batches:
            if batch.num_rows:
                yield from with_frame_names(guarded(with_own_names(pa.Table.from_batches([batch])))).to_batches()


@dataclass(frozen=True)
class OnBlocks:
    """A function on blocks, for tables."""

    function: Callable[[EncodedRows], EncodedRows]
    columns: Columns

    def __call__(self, table: pa.Table) -> pa.Table:
        return to_arrow(self.function(from_arrow(table.combine_chunks())), self.columns)


@dataclass(frozen=True)
class FoldedRows:
    """The sums of a partition."""

    function: Callable[[EncodedRows], EncodedRows]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        def one(table: pa.Table) -> Any:
            return self.function(from_arrow(with_own_names(table)))

        guarded = GuardedWork(one)
        sums = summed(guarded(pa.Table.from_batches([batch])) for batch in batches if batch.num_rows)
        if sums:
            task: Any = TaskContext.get()
            part = task.partitionId()
            columns = [pa.array([part], pa.int32()), pa.array([pickle.dumps(sums)], pa.binary())]
            yield pa.RecordBatch.from_arrays(columns, ["part", "sums"])


@dataclass(frozen=True)
class PairedBlock:
    """Rows of both tables as a block."""

    sides: tuple[tuple[Schema, str], ...]
    """The columns that are asked for, and what their names end with here."""

    def __call__(self, table: pa.Table) -> Block:
        tables = []
        for schema, mark in self.sides:
            names = list(schema.names)
            columns = table.select([name + mark for name in names]).rename_columns(names)
            tables.append(Microdata(columns.combine_chunks(), schema))
        # A table of which nothing is asked is not read; the other stands in for it, and nobody looks.
        return Block(table.column(ROW).to_numpy(), tables[0], tables[-1])


@dataclass(frozen=True)
class EncodedBlocks:
    """What a question makes of blocks, as rows."""

    blocks: PairedBlock
    question: Question[Any]
    columns: Columns

    def __call__(self, table: pa.Table) -> pa.Table:
        return to_arrow(self.question.summarise(self.blocks(table)), self.columns)


@dataclass(frozen=True)
class FoldedBlocks:
    """The statistics of a partition."""

    blocks: PairedBlock
    questions: tuple[Question[Any], ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        def one(table: pa.Table) -> Any:
            return summarised(self.questions, self.blocks(with_own_names(table)))

        guarded = GuardedWork(one)
        statistics = merged(guarded(pa.Table.from_batches([batch])) for batch in batches if batch.num_rows)
        if statistics:
            task: Any = TaskContext.get()
            columns = [pa.array([task.partitionId()], pa.int32()), pa.array([pickle.dumps(statistics)], pa.binary())]
            yield pa.RecordBatch.from_arrays(columns, ["part", "statistics"])


def _positions(table: pa.Table, offsets: Mapping[str, int]) -> IntArray:
    files = table.column(FILE).combine_chunks().dictionary_encode()
    if isinstance(files, pa.ChunkedArray):
        files = files.combine_chunks()
    starts = np.array([offsets[unquote(urlparse(file).path)] for file in files.dictionary.to_pylist()], dtype=np.int64)
    return np.asarray(starts[files.indices.to_numpy()] + table.column(INDEX).to_numpy())


@dataclass(frozen=True)
class EncodedParts:
    """Columns of files as encoded blocks."""

    names: tuple[str, ...]
    schema: Schema
    offsets: Mapping[str, int]

    def __call__(self, table: pa.Table) -> pa.Table:
        rows = _positions(table, self.offsets)
        block = encoded(Microdata(table.select(list(self.schema.names)), self.schema), self.names, rows)
        return to_arrow(block, columns_of(self.schema, self.names))


@dataclass(frozen=True)
class NumberedRows:
    """Records with their positions instead of their files."""

    offsets: Mapping[str, int]

    def __call__(self, table: pa.Table) -> pa.Table:
        rows = pa.array(_positions(table, self.offsets))
        return table.drop_columns([FILE, INDEX]).append_column(ROW, rows)


@dataclass(frozen=True)
class ReleasedOnWorkers:
    """Records of the source, with their new values beside them, as they are released."""

    release: Callable[[Microdata, IntArray, EncodedRows], Microdata]
    schema: Schema
    offsets: Mapping[str, int]
    new: Columns

    def __call__(self, table: pa.Table) -> pa.Table:
        names = [name for name in table.column_names if name in self.schema]
        rows = table.column(ROW).to_numpy()
        values = {name: table.column(f"{NEW}{name}") for name in self.new if name != ROW}
        block = from_arrow(pa.table({ROW: table.column(ROW), **values})) if self.new else {}
        released = self.release(Microdata(table.select(names), self.schema), rows, block)
        return clean_arrow(released.to_arrow())

    def schema_of(self, head: pa.Table) -> pa.Schema:
        """Return the columns of the release, from the first records and missing values."""
        table = NumberedRows(self.offsets)(head)
        if self.new:
            missing = {"float": np.nan, "code": np.int32(-1), "int": np.int64(0), "bytes": b"?"}
            block = {name: np.full(table.num_rows, missing[kind]) for name, kind in self.new.items()}
            for name, column in zip(block, to_arrow(block, self.new).columns, strict=True):
                table = table if name == ROW else table.append_column(f"{NEW}{name}", column)
        return self(table).schema
