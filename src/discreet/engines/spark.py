"""Blocks of records on Apache Spark."""

from __future__ import annotations

import pickle
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
import pyarrow as pa

from discreet.contracts.engine import Rows, TableEngine, TablePair
from discreet.data.encoded_rows import MASKED, ROW, Columns, EncodedRows
from discreet.data.microdata import Microdata
from discreet.data.table import StoredTable, Target
from discreet.engines.blocks import COUNT, TOTAL, columns_of, from_arrow, joined, stored, summed
from discreet.engines.spark_session import check_reachable, plain_errors, running_session, start_session
from discreet.engines.spark_workers import (
    FILE,
    INDEX,
    NEW,
    EncodedBlocks,
    EncodedParts,
    FoldedBlocks,
    FoldedRows,
    GuardedWork,
    NumberedRows,
    OnBatches,
    OnBlocks,
    PairedBlock,
    ReleasedOnWorkers,
    frame_name,
    with_frame_names,
    with_own_names,
)
from discreet.errors import DataError, FileError, ParameterError
from discreet.progress import report
from discreet.statistics.passes import columns_asked, merged
from discreet.statistics.question import Question
from discreet.typing import IntArray

__all__ = ["SparkEngine"]

T = TypeVar("T")
R = TypeVar("R")

_MASTER = re.compile(r"local(\[(\*|\d+)(,\s*\d+)?\])?|spark://[^/]+|yarn|k8s://.+")


@dataclass(frozen=True, repr=False)
class _SparkRows:
    """A Spark frame of encoded records."""

    frame: Any
    columns: Columns

    def __repr__(self) -> str:
        return f"Rows(on Spark, {len(self.columns)} columns)"


class SparkEngine(TableEngine):
    """Run blocks on Apache Spark, by Arrow batches; the extra ``spark`` and Java 17 or newer are needed.

    A partition that fails, because its worker died, is run again, four times in all. Results do not depend on how many
    workers there are and are those of :class:`~discreet.engines.streaming.StreamingEngine`, but for the last digits of
    sums.

    Parameters
    ----------
    master : str
        Where Spark runs: ``local[4]`` (four threads of this machine), ``spark://host:7077``, ``yarn`` or
        ``k8s://…``.
    session : pyspark.sql.SparkSession, optional
        One that is there already, as on a notebook of a cluster; it is left running. One that this process has open
        is found by itself and left running too.
    options : dict of str to str, optional
        Settings of Spark, such as ``{"spark.executor.memory": "8g"}``.

    Notes
    -----
    Workers need the Python of this process (environment variable ``PYSPARK_PYTHON``), Discreet, and the files under
    the same paths. What is shuffled: the masked columns, once for every partition of space and once on the way out.
    """

    def __init__(
        self, master: str = "local[*]", *, session: Any = None, options: Mapping[str, str] | None = None
    ) -> None:
        if not isinstance(master, str) or not _MASTER.fullmatch(master):
            raise ParameterError(
                f"SparkEngine: master must be local[N], spark://host:port, yarn or k8s://…; got {master!r}.",
                hint="On this machine: --master local[4].",
            )
        self.master = master
        self.options = dict(options or {})
        self._session = session
        self._own = session is None

    def __repr__(self) -> str:
        return f"SparkEngine({self.master!r})"

    @property
    def session(self) -> Any:
        """The Spark session, started when it is first needed."""
        if self._session is None:
            self._session = running_session()
            self._own = self._session is None
        if self._session is None:
            self._session = start_session(self.master, self.options)
        return self._session

    def check_master(self) -> None:
        """Refuse a master that does not answer, also for work that would need nobody but this process."""
        if self._session is None:
            check_reachable(self.master)

    def stop(self) -> None:
        """Stop the session, if it was started here."""
        if self._own and self._session is not None:
            self._session.stop()
            self._session = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def map(self, function: Callable[[T], R], blocks: Iterable[T]) -> list[R]:
        """Run on the driver: what fits into memory is not worth a journey."""
        return [function(block) for block in blocks]

    # ------------------------------------------------------------------------------------------------------- tables

    def _table(self, source: StoredTable, names: Sequence[str]) -> Any:
        """Return columns of the files as they are, with the file and the position in it."""
        from pyspark.sql import functions

        frame = self.session.read.parquet(*source.files)
        return frame.select(
            *(functions.col(f"`{name.replace('`', '``')}`").alias(frame_name(name)) for name in names),
            functions.col("_metadata.file_path").alias(FILE),
            functions.col("_metadata.row_index").alias(INDEX),
        )

    def open(self, source: StoredTable, names: Iterable[str]) -> Rows:
        attributes = tuple(names)
        columns = columns_of(source.schema, attributes)
        work = EncodedParts(attributes, source.schema.select(stored(attributes)), _offsets(source))
        with plain_errors():
            return self._mapped(self._table(source, stored(attributes)), work, columns)

    def pair(self, original: StoredTable, masked: StoredTable, names: Iterable[str]) -> Rows:
        attributes = tuple(names)
        both = [name for name in attributes if name in masked.schema]
        first, second = self.open(original, attributes), self.open(masked, both)
        renamed = {name: f"{name}{MASKED}" for name in both}
        columns = {**first.columns, **{renamed[name]: second.columns[name] for name in both}}
        with plain_errors():
            after = second.frame.withColumnsRenamed({frame_name(old): frame_name(new) for old, new in renamed.items()})
            return _SparkRows(first.frame.join(after, ROW).select(*map(_quoted, columns)), columns)

    def _paired_blocks(self, tables: TablePair, *names: tuple[str, ...]) -> tuple[Any, PairedBlock]:
        """Return a frame of both tables side by side, and what makes blocks of it on the workers."""
        frame, schemas = None, []
        for table, columns, mark in zip((tables.original, tables.released), names, ("", MASKED), strict=True):
            if not isinstance(table, StoredTable):
                raise DataError("On Spark both tables must lie in files.", hint="Write the other one to Parquet first.")
            if not columns:
                continue
            schema = table.schema.select(name for name in table.schema.names if name in columns)
            schemas.append((schema, mark))
            raw = self._table(table, schema.names)
            part = raw.mapInArrow(OnBatches(NumberedRows(_offsets(table))), _with_row(raw.schema))
            part = part.withColumnsRenamed({frame_name(name): frame_name(name + mark) for name in schema.names})
            frame = part if frame is None else frame.join(part, ROW)
        return frame, PairedBlock(tuple(schemas))

    def encode(self, tables: TablePair, question: Question[Any], columns: Columns) -> Rows:
        with plain_errors():
            frame, blocks = self._paired_blocks(tables, question.original, question.released)
            return self._mapped(frame, EncodedBlocks(blocks, question, columns), columns)

    def fold_blocks(self, tables: TablePair, questions: Sequence[Question[Any]]) -> list[Any]:
        from pyspark.sql.types import BinaryType, IntegerType, StructField, StructType

        schema = StructType([StructField("part", IntegerType()), StructField("statistics", BinaryType())])
        with plain_errors():
            frame, blocks = self._paired_blocks(tables, *columns_asked(questions))
            folded = self._gathered(frame.mapInArrow(FoldedBlocks(blocks, tuple(questions)), schema)).to_pylist()
        ordered = sorted(folded, key=lambda row: int(row["part"]))
        return merged(pickle.loads(row["statistics"]) for row in ordered)  # noqa: S301 - our own workers wrote it

    def apply(self, rows: Rows, function: Callable[[EncodedRows], EncodedRows], columns: Columns) -> Rows:
        return self._mapped(rows.frame, OnBlocks(function, columns), columns)

    def _mapped(self, frame: Any, work: Callable[[pa.Table], pa.Table], columns: Columns) -> Rows:
        return _SparkRows(frame.mapInArrow(OnBatches(work), _spark_schema(columns)), columns)

    def split(
        self,
        rows: Rows,
        key: str,
        parts: int,  # noqa: ARG002 - Spark deals the blocks out itself
        function: Callable[[EncodedRows], EncodedRows],
        columns: Columns,
    ) -> Rows:
        # A plain function: Spark looks at how many arguments it takes.
        work = GuardedWork(OnBlocks(function, columns))

        def on_block(table: pa.Table) -> pa.Table:
            return with_frame_names(work(with_own_names(table)))

        return _SparkRows(rows.frame.groupBy(_quoted(key)).applyInArrow(on_block, _spark_schema(columns)), columns)

    def count(self, rows: Rows, keys: Sequence[str], weight: str | None = None) -> Rows:
        columns = {**{name: rows.columns[name] for name in keys}, COUNT: "int", TOTAL: "float"}
        counted = rows.frame.groupBy(*map(_quoted, keys)).agg(*_sums(weight))
        return _SparkRows(counted.select(*map(_quoted, columns)), columns)

    def count_sets(self, rows: Rows, sets: Sequence[Sequence[str]], weight: str | None = None) -> list[EncodedRows]:
        from pyspark.sql import functions

        union = list(dict.fromkeys(name for names in sets for name in names))
        columns = [functions.col(_quoted(name)) for name in union]
        grouping_sets = [[functions.col(_quoted(name)) for name in names] for names in sets]
        frame = rows.frame.groupingSets(grouping_sets, *columns).agg(
            functions.grouping_id().alias("#set"), *_sums(weight)
        )
        report("counting", 0, 1)
        combinations = self._gathered(frame)
        report("counting", 1, 1)
        result: list[EncodedRows] = []
        for names in sets:
            left_out = sum(1 << (len(union) - 1 - place) for place, name in enumerate(union) if name not in names)
            part = combinations.filter(pa.compute.equal(combinations["#set"], left_out))
            block = from_arrow(part.select([*names, COUNT, TOTAL]))
            order = np.lexsort([_sortable(block[name]) for name in reversed(list(names))]) if names else slice(None)
            result.append({name: column[order] for name, column in block.items()})
        return result

    def beside(self, parts: Sequence[Rows], columns: Columns) -> Rows:
        frame = parts[0].frame.select(*(_quoted(name) for name in columns if name in parts[0].columns))
        for part in parts[1:]:
            other = part.frame.select(*(_quoted(name) for name in columns if name in part.columns))
            frame = frame.join(other, ROW)
        return _SparkRows(frame.select(*map(_quoted, columns)), columns)

    def fold(self, rows: Rows, function: Callable[[EncodedRows], EncodedRows]) -> dict[str, Any]:
        from pyspark.sql.types import BinaryType, IntegerType, StructField, StructType

        schema = StructType([StructField("part", IntegerType()), StructField("sums", BinaryType())])
        folded = self._gathered(rows.frame.mapInArrow(FoldedRows(function), schema)).to_pylist()
        ordered = sorted(folded, key=lambda row: int(row["part"]))
        return summed(pickle.loads(row["sums"]) for row in ordered)  # noqa: S301 - our own workers wrote it

    def collect(self, rows: Rows) -> dict[str, Any]:
        table = self._gathered(rows.frame.select(*map(_quoted, rows.columns)))
        return joined([from_arrow(table)] if table.num_rows else [], rows.columns)

    def _gathered(self, frame: Any) -> pa.Table:
        with plain_errors():
            return with_own_names(frame.toArrow())

    def write(
        self,
        source: StoredTable,
        target: Target,
        release: Callable[[Microdata, IntArray, EncodedRows], Microdata],
        values: Rows | None = None,
    ) -> None:
        from pyspark.sql.pandas.types import from_arrow_schema

        path = Path(target.path)
        if path.suffix.lower() in {".parquet", ".pq"}:
            raise FileError(
                f"Spark writes a folder of files, and {target.path!r} is named like one file.", hint="Use -o out/."
            )
        temporary = path.with_name(f".{path.name[:40]}.part")
        shutil.rmtree(temporary, ignore_errors=True)
        with plain_errors():
            frame = self._table(source, source.schema.names)
            work = ReleasedOnWorkers(release, source.schema, _offsets(source), {} if values is None else values.columns)
            numbered = frame.mapInArrow(OnBatches(NumberedRows(_offsets(source))), _with_row(frame.schema))
            if values is not None:
                renamed = {name: f"{NEW}{name}" for name in values.columns if name != ROW}
                new = values.frame.select(*map(_quoted, values.columns))
                new = new.withColumnsRenamed({frame_name(old): frame_name(name) for old, name in renamed.items()})
                numbered = numbered.join(new, ROW)
            columns = from_arrow_schema(work.schema_of(with_own_names(frame.limit(2).toArrow())))
            ordered = numbered.sort(_quoted(ROW))
            report("writing", 0, 1)
            try:
                released = ordered.mapInArrow(OnBatches(work), _spark_names(columns))
                released.toDF(*columns.names).write.parquet(str(temporary))
                _check_count(self.session, temporary, len(source))
                target.count_again(str(temporary))
                if path.exists():
                    path.rmdir()
                temporary.rename(path)
            except BaseException:
                shutil.rmtree(temporary, ignore_errors=True)
                raise
            report("writing", 1, 1)


def _check_count(session: Any, path: Path, expected: int) -> None:
    count = session.read.parquet(str(path)).count()
    if count != expected:
        raise DataError(f"{expected} records were to be written and {count} were.")


def _quoted(name: str) -> str:
    return f"`{frame_name(name)}`"


def _sortable(column: Any) -> Any:
    return np.unique(column, return_inverse=True)[1] if column.dtype == object else column


def _sums(weight: str | None) -> list[Any]:
    from pyspark.sql import functions

    counts = functions.count(functions.lit(1))
    total = counts.cast("double") if weight is None else functions.sum(_quoted(weight))
    return [counts.alias(COUNT), total.alias(TOTAL)]


def _spark_schema(columns: Columns) -> Any:
    from pyspark.sql.types import BinaryType, DoubleType, IntegerType, LongType, StructField, StructType

    kinds = {"float": DoubleType(), "code": IntegerType(), "int": LongType(), "bytes": BinaryType()}
    return StructType([StructField(frame_name(name), kinds[kind]) for name, kind in columns.items()])


def _spark_names(schema: Any) -> Any:
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(frame_name(field.name), field.dataType, field.nullable) for field in schema.fields])


def _with_row(schema: Any) -> Any:
    from pyspark.sql.types import LongType, StructField, StructType

    fields = [field for field in schema.fields if field.name not in {FILE, INDEX}]
    return StructType([*fields, StructField(ROW, LongType())])


def _offsets(source: StoredTable) -> dict[str, int]:
    """Return the position of the first record of every file, by its path."""
    starts = np.cumsum([0, *source.sizes])[:-1]
    return {str(Path(file).absolute()): int(start) for file, start in zip(source.files, starts, strict=True)}
