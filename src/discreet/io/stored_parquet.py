"""Parquet files that may be larger than memory: read and written a batch at a time."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.cleaning import clean_arrow
from discreet.data.frames import column_names
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.data.table import StoredTable, Target
from discreet.errors import DataError, FileError, SchemaError
from discreet.io.atomic import looked_at, whole_file, whole_folder
from discreet.io.door import check_folder, check_target, content_of
from discreet.io.packing import PACKED, ending_of, without_packing
from discreet.io.parquet_codec import Packing, packing_of
from discreet.io.recount import count_written
from discreet.io.text_spool import recut

__all__ = ["FileTarget", "ParquetSource", "ParquetTarget", "is_large", "parquet_files", "read_head"]

# Decoded tables are larger than their files, and masking needs a few copies of them.
_SHARE = 0.1
_TEXT_TIMES = 2
_PACKED_TIMES = 5


def parquet_files(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the Parquet files behind a path: the file itself, or those of a folder in the order of their names."""
    source = Path(path)
    if not source.exists():
        raise FileError(f"The file {str(source)!r} does not exist.", hint="Check the path.")
    if source.is_file():
        return (str(source),)
    _check_plain_folder(source)
    files = sorted(str(file) for file in source.iterdir() if file.suffix in {".parquet", ".pq"})
    if not files:
        raise FileError(f"The folder {str(source)!r} holds no Parquet file.")
    return tuple(files)


_LEDGERS = {"_delta_log": "Delta Lake", ".hoodie": "Hudi", "metadata": "Iceberg", "_spark_metadata": "Spark streaming"}
"""Folders by which formats keep which files, and which of their records, belong to the table."""


def _check_plain_folder(folder: Path) -> None:
    """Refuse a folder whose Parquet files are not simply the table: deleted records would be released, others lost."""
    inside = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())
    for name in inside:
        if name in _LEDGERS:
            raise FileError(
                f"The folder {str(folder)!r} is a {_LEDGERS[name]} table: not all of its files belong to it.",
                hint="Read it with that format's own reader, and write it as plain Parquet files.",
            )
    partitions = [name for name in inside if not name.startswith(("_", "."))]
    if partitions:
        raise FileError(
            f"The folder {str(folder)!r} holds {len(partitions)} folders beside or instead of Parquet files.",
            hint="Parts in folders of their own (year=2020/) are not read: write the table into one folder of files.",
        )


def is_large(path: str | os.PathLike[str]) -> bool:
    """Say whether a file or folder takes more than a tenth of the machine's memory: Parquet decoded, text twice.

    A text that is read whole takes six bytes of memory for each of its own; what is packed is larger than it looks.
    """
    source = Path(path)
    ending = ending_of(source)
    if not source.is_dir() and without_packing(ending) in {".csv", ".tsv", ".txt"}:
        return source.stat().st_size * (_PACKED_TIMES if ending in PACKED else 1) * _TEXT_TIMES > _SHARE * _memory()
    if not source.is_dir() and source.suffix.lower() not in {".parquet", ".pq"}:
        return False
    decoded = 0
    for file in parquet_files(source):
        metadata = _opened(file).metadata
        decoded += sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    return decoded > _SHARE * _memory()


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 8 << 30  # a system that does not tell


def read_head(path: str | os.PathLike[str], rows: int = 100_000) -> pa.Table:
    """Return the first records of a file, or of the first file of a folder that has some."""
    for file in parquet_files(path):
        for batch in _batches(_opened(file), file, rows):
            if batch.num_rows:
                return pa.Table.from_batches([batch])
    raise FileError(f"{str(path)!r} has no records.")


def _opened(file: str) -> pq.ParquetFile:
    try:
        # What is read ahead is held until the end: of a file that is read whole, all of it.
        return pq.ParquetFile(file, pre_buffer=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError):
        raise FileError(f"{file!r} is not a Parquet file that can be read.") from None


def _read(file: str, n_records: int, size: int, columns: list[str]) -> Iterator[pa.RecordBatch]:
    """Yield the records of a file that had so many when it was opened first."""
    opened = _opened(file)
    if opened.metadata.num_rows != n_records:
        raise DataError(
            f"{file!r} had {n_records} records and has {opened.metadata.num_rows} now.",
            hint="Somebody else writes to it; scan it again when it is complete.",
        )
    yield from _batches(opened, file, size, columns)


def _batches(
    opened: pq.ParquetFile, file: str, size: int, columns: list[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the records of an open file; what is damaged inside it is told as what is damaged at its ends."""
    try:
        yield from opened.iter_batches(size, columns=columns)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError):
        raise FileError(f"{file!r} is not a Parquet file that can be read.") from None


class ParquetSource(StoredTable):
    """Parquet files with the same columns, read in the order of their names.

    Parameters
    ----------
    path : path
        A file, or a folder of files.
    schema : Schema
        Declares every column.
    inputs : paths
        What else a release must not be written over.
    """

    def __init__(
        self, path: str | os.PathLike[str], schema: Schema, inputs: Iterable[str | os.PathLike[str]] = ()
    ) -> None:
        self.files = parquet_files(path)
        self.inputs = tuple(dict.fromkeys((str(path), *self.files, *map(str, inputs))))
        self.schema = schema
        self.sizes = tuple(_opened(file).metadata.num_rows for file in self.files)
        if not sum(self.sizes):
            raise FileError(f"{str(path)!r} has no records.")
        first = _opened(self.files[0]).schema_arrow
        column_names(first.empty_table())
        for file in self.files[1:]:
            if _opened(file).schema_arrow.names != first.names:
                raise SchemaError(f"{file!r} has other columns than {self.files[0]!r}.")
        Microdata(first.empty_table(), schema)  # refuses columns that are not declared

    def __len__(self) -> int:
        return sum(self.sizes)

    def __repr__(self) -> str:
        return f"ParquetSource({len(self)} records in {len(self.files)} files)"

    def step_target(self, path: Path) -> FileTarget:
        """Return where the first of several steps leaves its release for the next."""
        return ParquetTarget(path, self.inputs)

    def in_memory(self, names: Iterable[str]) -> Microdata:
        """Return some columns as one table, those among `names` that there are."""
        selection = set(names)
        columns = [name for name in self.schema.names if name in selection]
        parts = [table.to_arrow() for table in self.batches(131_072, columns)]
        return Microdata(_joined(parts).combine_chunks(), self.schema.select(columns))

    def batches(self, size: int, names: Iterable[str] | None = None) -> Iterator[Microdata]:
        selection = set(self.schema.names if names is None else names)
        columns = [name for name in self.schema.names if name in selection]
        schema = self.schema.select(columns)
        records = (
            pa.Table.from_batches([batch])
            for file, n_records in zip(self.files, self.sizes, strict=True)
            for batch in _read(file, n_records, size, columns)
        )
        for table in recut(records, size, _joined):
            yield Microdata(table, schema)


def _joined(tables: list[pa.Table]) -> pa.Table:
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise DataError("The files have columns of the same name and of different types.") from None


class FileTarget(Target):
    """A release in files that can be read again as soon as it is written."""

    @abstractmethod
    def stored(self, schema: Schema) -> ParquetSource:
        """Return what was written, which may wait for its name, as a table with this schema."""


class ParquetTarget(FileTarget):
    """One Parquet file, or a folder of part files where the path has no ending of Parquet.

    Parameters
    ----------
    path : path
    inputs : paths
        Never written over. What is written is compressed as the first Parquet file among them.
    """

    def __init__(self, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
        self.inputs = tuple(inputs)
        self.packing = packing_of(self.inputs)
        target = Path(path)
        self.path = str(target)
        self.is_folder = target.suffix.lower() not in {".parquet", ".pq"}
        if not self.is_folder:
            check_target(target, self.inputs)
            return
        check_folder(target, self.inputs)

    def write(self, tables: Iterable[Microdata]) -> None:
        with looked_at(lambda written: self.count_again(str(written))):
            if self.is_folder:
                with whole_folder(self.path) as folder:
                    _write(tables, folder / "part-00000.parquet", self.packing)
            else:
                with whole_file(self.path, self.inputs) as temporary:
                    _write(tables, temporary, self.packing)

    def count_again(self, written: str) -> None:
        count_written(Path(written), ".parquet", self.guarantees)

    def stored(self, schema: Schema) -> ParquetSource:
        return ParquetSource(content_of(self.path), schema)


def _write(tables: Iterable[Microdata], path: Path, packing: Packing) -> None:
    writer: pq.ParquetWriter | None = None
    try:
        for table in tables:
            arrow = clean_arrow(table.to_arrow())
            if writer is None:
                writer = pq.ParquetWriter(path, arrow.schema, **packing.options(arrow))
            writer.write_table(arrow)
    finally:
        if writer is not None:
            writer.close()
