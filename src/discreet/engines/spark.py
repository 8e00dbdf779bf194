"""Blocks of records on Apache Spark."""

from __future__ import annotations

import os
import pickle
import re
import shutil
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import unquote, urlparse

import numpy as np
import pyarrow as pa

from discreet import errors
from discreet.contracts.engine import Rows, TableEngine, TablePair
from discreet.data.block import Block
from discreet.data.cleaning import clean_arrow
from discreet.data.encoded_rows import MASKED, ROW, Columns, EncodedRows
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.data.table import StoredTable, Target
from discreet.engines.blocks import COUNT, TOTAL, columns_of, encoded, from_arrow, joined, stored, summed, to_arrow
from discreet.errors import DataError, DiscreetError, FileError, MissingExtraError, ParameterError
from discreet.progress import report
from discreet.statistics.passes import columns_asked, merged, summarised
from discreet.statistics.question import Question
from discreet.typing import IntArray

__all__ = ["SparkEngine"]

T = TypeVar("T")
R = TypeVar("R")

_FILE, _INDEX, _NEW = "#file", "#index", "#new:"
_MARK = "discreet-error"
_OLDEST_JAVA = 17
_MASTER = re.compile(r"local(\[(\*|\d+)(,\s*\d+)?\])?|spark://[^/]+|yarn|k8s://.+")
_OPTIONS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
    # Types as they stand in the files: without it, Spark reads unsigned and nested types in its own way.
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
}


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
            self._session = _running()
            self._own = self._session is None
        if self._session is None:
            self._session = _start(self.master, self.options)
        return self._session

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
            *(functions.col(f"`{name.replace('`', '``')}`").alias(_safe(name)) for name in names),
            functions.col("_metadata.file_path").alias(_FILE),
            functions.col("_metadata.row_index").alias(_INDEX),
        )

    def open(self, source: StoredTable, names: Iterable[str]) -> Rows:
        attributes = tuple(names)
        columns = columns_of(source.schema, attributes)
        work = _Encode(attributes, source.schema.select(stored(attributes)), _offsets(source))
        with _plain_errors():
            return self._mapped(self._table(source, stored(attributes)), work, columns)

    def pair(self, original: StoredTable, masked: StoredTable, names: Iterable[str]) -> Rows:
        attributes = tuple(names)
        both = [name for name in attributes if name in masked.schema]
        first, second = self.open(original, attributes), self.open(masked, both)
        renamed = {name: f"{name}{MASKED}" for name in both}
        columns = {**first.columns, **{renamed[name]: second.columns[name] for name in both}}
        with _plain_errors():
            after = second.frame.withColumnsRenamed({_safe(old): _safe(new) for old, new in renamed.items()})
            return _SparkRows(first.frame.join(after, ROW).select(*map(_quoted, columns)), columns)

    def _paired_blocks(self, tables: TablePair, *names: tuple[str, ...]) -> tuple[Any, _Paired]:
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
            part = raw.mapInArrow(_Batches(_NumberRows(_offsets(table))), _with_row(raw.schema))
            part = part.withColumnsRenamed({_safe(name): _safe(name + mark) for name in schema.names})
            frame = part if frame is None else frame.join(part, ROW)
        return frame, _Paired(tuple(schemas))

    def encode(self, tables: TablePair, question: Question[Any], columns: Columns) -> Rows:
        with _plain_errors():
            frame, blocks = self._paired_blocks(tables, question.original, question.released)
            return self._mapped(frame, _EncodedBlocks(blocks, question, columns), columns)

    def fold_blocks(self, tables: TablePair, questions: Sequence[Question[Any]]) -> list[Any]:
        from pyspark.sql.types import BinaryType, IntegerType, StructField, StructType

        schema = StructType([StructField("part", IntegerType()), StructField("statistics", BinaryType())])
        with _plain_errors():
            frame, blocks = self._paired_blocks(tables, *columns_asked(questions))
            folded = self._gathered(frame.mapInArrow(_FoldBlocks(blocks, tuple(questions)), schema)).to_pylist()
        ordered = sorted(folded, key=lambda row: int(row["part"]))
        return merged(pickle.loads(row["statistics"]) for row in ordered)  # noqa: S301 - our own workers wrote it

    def apply(self, rows: Rows, function: Callable[[EncodedRows], EncodedRows], columns: Columns) -> Rows:
        return self._mapped(rows.frame, _OnBlocks(function, columns), columns)

    def _mapped(self, frame: Any, work: Callable[[pa.Table], pa.Table], columns: Columns) -> Rows:
        return _SparkRows(frame.mapInArrow(_Batches(work), _spark_schema(columns)), columns)

    def split(
        self,
        rows: Rows,
        key: str,
        parts: int,  # noqa: ARG002 - Spark deals the blocks out itself
        function: Callable[[EncodedRows], EncodedRows],
        columns: Columns,
    ) -> Rows:
        # A plain function: Spark looks at how many arguments it takes.
        work = _Guarded(_OnBlocks(function, columns))

        def on_block(table: pa.Table) -> pa.Table:
            return _renamed(work(_named(table)))

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
        folded = self._gathered(rows.frame.mapInArrow(_Fold(function), schema)).to_pylist()
        ordered = sorted(folded, key=lambda row: int(row["part"]))
        return summed(pickle.loads(row["sums"]) for row in ordered)  # noqa: S301 - our own workers wrote it

    def collect(self, rows: Rows) -> dict[str, Any]:
        table = self._gathered(rows.frame.select(*map(_quoted, rows.columns)))
        return joined([from_arrow(table)] if table.num_rows else [], rows.columns)

    def _gathered(self, frame: Any) -> pa.Table:
        with _plain_errors():
            return _named(frame.toArrow())

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
        with _plain_errors():
            frame = self._table(source, source.schema.names)
            work = _ReleaseOnWorkers(release, source.schema, _offsets(source), {} if values is None else values.columns)
            numbered = frame.mapInArrow(_Batches(_NumberRows(_offsets(source))), _with_row(frame.schema))
            if values is not None:
                renamed = {name: f"{_NEW}{name}" for name in values.columns if name != ROW}
                new = values.frame.select(*map(_quoted, values.columns))
                new = new.withColumnsRenamed({_safe(old): _safe(name) for old, name in renamed.items()})
                numbered = numbered.join(new, ROW)
            columns = from_arrow_schema(work.schema_of(_named(frame.limit(2).toArrow())))
            ordered = numbered.sort(_quoted(ROW))
            report("writing", 0, 1)
            try:
                released = ordered.mapInArrow(_Batches(work), _spark_names(columns))
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


def _safe(name: str) -> str:
    """Return the name of a column as frames have it: Spark reads a dot as a field of a structure."""
    return name.replace("%", "%25").replace(".", "%2E").replace("`", "%60")


def _quoted(name: str) -> str:
    return f"`{_safe(name)}`"


def _named(table: pa.Table) -> pa.Table:
    """Return a table of a frame with the columns' own names."""
    return table.rename_columns([unquote(name) for name in table.column_names])


def _renamed(table: pa.Table) -> pa.Table:
    """Return a table with the names that frames have."""
    return table.rename_columns([_safe(name) for name in table.column_names])


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
    return StructType([StructField(_safe(name), kinds[kind]) for name, kind in columns.items()])


def _spark_names(schema: Any) -> Any:
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(_safe(field.name), field.dataType, field.nullable) for field in schema.fields])


def _with_row(schema: Any) -> Any:
    from pyspark.sql.types import LongType, StructField, StructType

    fields = [field for field in schema.fields if field.name not in {_FILE, _INDEX}]
    return StructType([*fields, StructField(ROW, LongType())])


def _offsets(source: StoredTable) -> dict[str, int]:
    """Return the position of the first record of every file, by its path."""
    starts = np.cumsum([0, *source.sizes])[:-1]
    return {str(Path(file).absolute()): int(start) for file, start in zip(source.files, starts, strict=True)}


# -------------------------------------------------------------------------------------------- what runs on the workers


@dataclass(frozen=True)
class _Guarded:
    """A function whose errors travel as one line that quotes no value."""

    function: Callable[[pa.Table], pa.Table]

    def __call__(self, table: pa.Table) -> pa.Table:
        try:
            return self.function(table)
        except DiscreetError as error:
            raise RuntimeError(_line(type(error).__name__, error.message, error.hint)) from None
        except Exception as error:  # noqa: BLE001 - the message of any other error may quote a value
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}:{last.lineno}"
            message = f"A block failed on a worker with {type(error).__name__} at {where}."
            raise RuntimeError(_line("DataError", message, "Run it with --engine streaming to see it here.")) from None


def _line(*parts: str) -> str:
    return "".join(f"<{_MARK}>{part}" for part in parts) + f"<{_MARK}>"


@dataclass(frozen=True)
class _Batches:
    """A function on tables, for the batches of a partition."""

    function: Callable[[pa.Table], pa.Table]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        guarded = _Guarded(self.function)
        for batch in batches:
            if batch.num_rows:
                yield from _renamed(guarded(_named(pa.Table.from_batches([batch])))).to_batches()


@dataclass(frozen=True)
class _OnBlocks:
    """A function on blocks, for tables."""

    function: Callable[[EncodedRows], EncodedRows]
    columns: Columns

    def __call__(self, table: pa.Table) -> pa.Table:
        return to_arrow(self.function(from_arrow(table.combine_chunks())), self.columns)


@dataclass(frozen=True)
class _Fold:
    """The sums of a partition."""

    function: Callable[[EncodedRows], EncodedRows]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        def one(table: pa.Table) -> Any:
            return self.function(from_arrow(_named(table)))

        guarded = _Guarded(one)
        sums = summed(guarded(pa.Table.from_batches([batch])) for batch in batches if batch.num_rows)
        if sums:
            task: Any = TaskContext.get()
            part = task.partitionId()
            columns = [pa.array([part], pa.int32()), pa.array([pickle.dumps(sums)], pa.binary())]
            yield pa.RecordBatch.from_arrays(columns, ["part", "sums"])


@dataclass(frozen=True)
class _Paired:
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
class _EncodedBlocks:
    """What a question makes of blocks, as rows."""

    blocks: _Paired
    question: Question[Any]
    columns: Columns

    def __call__(self, table: pa.Table) -> pa.Table:
        return to_arrow(self.question.summarise(self.blocks(table)), self.columns)


@dataclass(frozen=True)
class _FoldBlocks:
    """The statistics of a partition."""

    blocks: _Paired
    questions: tuple[Question[Any], ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        def one(table: pa.Table) -> Any:
            return summarised(self.questions, self.blocks(_named(table)))

        guarded = _Guarded(one)
        statistics = merged(guarded(pa.Table.from_batches([batch])) for batch in batches if batch.num_rows)
        if statistics:
            task: Any = TaskContext.get()
            columns = [pa.array([task.partitionId()], pa.int32()), pa.array([pickle.dumps(statistics)], pa.binary())]
            yield pa.RecordBatch.from_arrays(columns, ["part", "statistics"])


def _positions(table: pa.Table, offsets: Mapping[str, int]) -> IntArray:
    files = table.column(_FILE).combine_chunks().dictionary_encode()
    if isinstance(files, pa.ChunkedArray):
        files = files.combine_chunks()
    starts = np.array([offsets[unquote(urlparse(file).path)] for file in files.dictionary.to_pylist()], dtype=np.int64)
    return np.asarray(starts[files.indices.to_numpy()] + table.column(_INDEX).to_numpy())


@dataclass(frozen=True)
class _Encode:
    """Columns of files as encoded blocks."""

    names: tuple[str, ...]
    schema: Schema
    offsets: Mapping[str, int]

    def __call__(self, table: pa.Table) -> pa.Table:
        rows = _positions(table, self.offsets)
        block = encoded(Microdata(table.select(list(self.schema.names)), self.schema), self.names, rows)
        return to_arrow(block, columns_of(self.schema, self.names))


@dataclass(frozen=True)
class _NumberRows:
    """Records with their positions instead of their files."""

    offsets: Mapping[str, int]

    def __call__(self, table: pa.Table) -> pa.Table:
        rows = pa.array(_positions(table, self.offsets))
        return table.drop_columns([_FILE, _INDEX]).append_column(ROW, rows)


@dataclass(frozen=True)
class _ReleaseOnWorkers:
    """Records of the source, with their new values beside them, as they are released."""

    release: Callable[[Microdata, IntArray, EncodedRows], Microdata]
    schema: Schema
    offsets: Mapping[str, int]
    new: Columns

    def __call__(self, table: pa.Table) -> pa.Table:
        names = [name for name in table.column_names if name in self.schema]
        rows = table.column(ROW).to_numpy()
        values = {name: table.column(f"{_NEW}{name}") for name in self.new if name != ROW}
        block = from_arrow(pa.table({ROW: table.column(ROW), **values})) if self.new else {}
        released = self.release(Microdata(table.select(names), self.schema), rows, block)
        return clean_arrow(released.to_arrow())

    def schema_of(self, head: pa.Table) -> pa.Schema:
        """Return the columns of the release, from the first records and missing values."""
        table = _NumberRows(self.offsets)(head)
        if self.new:
            missing = {"float": np.nan, "code": np.int32(-1), "int": np.int64(0), "bytes": b"?"}
            block = {name: np.full(table.num_rows, missing[kind]) for name, kind in self.new.items()}
            for name, column in zip(block, to_arrow(block, self.new).columns, strict=True):
                table = table if name == ROW else table.append_column(f"{_NEW}{name}", column)
        return self(table).schema


# --------------------------------------------------------------------------------------------- starting, and what fails


def _running() -> Any:
    """Return the session that this process has open already, which is its user's to stop, or None."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        return None  # said where one is started
    session = SparkSession.getActiveSession()
    # A context that was stopped leaves its session behind.
    alive = session is not None and session.sparkContext._jsc is not None  # noqa: SLF001 - Spark has no other word for it
    return session if alive else None


def _start(master: str, options: Mapping[str, str]) -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError(
            "Spark is not installed.", hint='Install it with: pip install "discreet[spark]"'
        ) from None
    _check_java()
    _check_reachable(master)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Without a number of attempts, local mode gives up at the first worker that dies.
    retried = re.sub(r"^local(\[(\*|\d+)\])?$", lambda m: f"local[{m[2] or 1},4]", master)
    builder = SparkSession.builder.master(retried).appName("discreet")
    for name, value in {**_OPTIONS, **options}.items():
        builder = builder.config(name, value)
    with _plain_errors():
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    hint = "Install Java 17: apt-get install openjdk-17-jre-headless; or set JAVA_HOME to where it is."
    if java is None or not Path(java).exists():
        raise MissingExtraError("Spark needs Java, and none is found.", hint=hint)
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603 - the user's own Java
    version = re.search(r'version "(\d+)', answer.stderr + answer.stdout)
    if answer.returncode or (version and int(version[1]) < _OLDEST_JAVA):
        java_version = f"version {version[1]}" if version else "one that does not start"
        raise MissingExtraError(f"Spark needs Java {_OLDEST_JAVA} or newer; found {java_version}.", hint=hint)


def _check_reachable(master: str) -> None:
    if not master.startswith("spark://"):
        return
    address = master.removeprefix("spark://").split(",")[0]
    host, _, port = address.partition(":")
    try:
        with socket.create_connection((host, int(port or 7077)), timeout=5):
            return
    except (OSError, ValueError):
        raise ParameterError(
            f"SparkEngine: no Spark master answers at {master!r}.",
            hint="Start one with sbin/start-master.sh, or run on this machine with --master local[4].",
        ) from None


class _plain_errors:  # noqa: N801 - read as a verb where it is used
    """Turn what Spark raises into one sentence that says what to do and quotes no value."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, DiscreetError) or not isinstance(error, Exception):
            return
        if kind is not None and not kind.__module__.startswith(("pyspark", "py4j")):
            return
        raise _as_ours(str(error)) from None


def _as_ours(text: str) -> DiscreetError:
    parts = text.split(f"<{_MARK}>")
    if len(parts) >= 5:
        ours = getattr(errors, parts[1], DataError)
        result: DiscreetError = ours(parts[2], hint=parts[3])
        return result
    python = f"export PYSPARK_PYTHON={sys.executable} (the same version on every worker)"
    if "PYTHON_VERSION_MISMATCH" in text or "Cannot run program" in text:
        return MissingExtraError(
            "The workers run another version of Python than this process, or none.", hint=f"{python}."
        )
    absent = re.search(r"No module named '([\w.]+)'", text)
    if absent:
        return MissingExtraError(
            f"The workers' Python lacks the module {absent[1]!r}.",
            hint=f'Run pip install "discreet[spark]" there, or {python}.',
        )
    if "exited unexpectedly" in text or "EOFException" in text:
        return DataError(
            "A worker died again and again on the same partition, most likely for want of memory.",
            hint="Use a smaller --block-size, fewer threads, or more memory for the workers.",
        )
    first = re.search(r"\[([A-Z_.]+)\]", text)
    return DataError(
        f"Spark could not finish the work{f' ({first[1]})' if first else ''}.", hint="See Spark's own log."
    )
