"""CSV files that may be larger than memory: read and written a part at a time.

A file is read once, into a private temporary folder: the text of its fields, and beside it the table that they make.
What a column is can only be told by all of its values, so types, styles of numbers and what is asked of a user are
found in passes over the text, a column at a time. Everything after that runs on the table as on any Parquet file, and a
column that was not masked is released as the text that it came as.
"""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from discreet.data.cleaning import clean_arrow
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.errors import FileError, ParameterError
from discreet.io.atomic import looked_at, whole_file
from discreet.io.csv import (
    Dialect,
    ReadingOptions,
    TextFile,
    column_as_text,
    dialect_for,
    is_remembered,
    may_be_open,
    opened_text,
    origin_of,
    reading_of,
    refuse_open_end,
    refuse_ragged,
    released_name,
    stands_for,
    styles_of,
    titles_of,
    told_plainly,
    type_of,
    typed,
    write_text_frame,
    writes_numbers,
)
from discreet.io.door import check_target
from discreet.io.layout import (
    Ending,
    check_names,
    check_totals,
    check_units,
    own_names,
    read_lines,
    refuse_records_as_names,
)
from discreet.io.number_text import Style, as_accountants, check_marks, reads_in_two_ways, restyled
from discreet.io.packing import (
    PACKED,
    arrow_stream,
    ending_of,
    opened_for_reading,
    opened_for_writing,
    told_if_damaged,
    without_packing,
)
from discreet.io.recount import count_written
from discreet.io.stored_parquet import FileTarget, ParquetSource, ParquetTarget
from discreet.io.text_options import check_text_options
from discreet.io.text_parts import Texts
from discreet.io.text_spool import PART, LateTexts, TextSpool, recut
from discreet.progress import report
from discreet.scratch import ScratchPlace
from discreet.typing import Json

__all__ = ["CsvSource", "CsvTarget", "StoredText", "is_text", "read_stored_text", "target_of"]

_TEXTS = (".csv", ".tsv", ".txt")

_HEAD = 100_000
"""Records that names, units and whatever is proposed are judged by."""
_END = 64


def is_text(path: str | os.PathLike[str]) -> bool:
    """Say whether a path is, by its ending, that of a CSV file, packed or not."""
    return without_packing(ending_of(path)) in _TEXTS


def target_of(path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()) -> FileTarget:
    """Return where a release in files is written, by the ending of its path: text, Parquet, or a folder of Parquet."""
    return CsvTarget(path, inputs) if is_text(path) else ParquetTarget(path, inputs)


class StoredText(NamedTuple):
    """A text file that was read into a temporary folder."""

    place: ScratchPlace
    table: Path
    spool: TextSpool
    origin: Json
    remembered: dict[str, str]
    """By column whose numbers would not give back its text, what the text is called in the spool."""


def read_stored_text(
    path: Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    leave_out: str | Sequence[int] | None = None,
    names: Iterable[str] = (),
) -> StoredText:
    """Read a text file that may be larger than memory; the same options as :func:`discreet.io.csv.read_csv`."""
    check_text_options(delimiter, encoding)
    decimal, mark = check_marks(decimal, thousands)
    lines = read_lines(leave_out)
    if lines:
        raise ParameterError(
            "Lines can be left out only of a file that is read whole.",
            hint="Take them out of the file first, or read it in memory.",
        )
    place = ScratchPlace()
    try:
        source = opened_text(path, delimiter, encoding or "utf-8", lines, whole=False)
        titles, skipped, certain = titles_of(source, header, frozenset(names))
        spool, head, ending = _spooled(source, len(titles), skipped, place.folder / "text.arrow")
        own = spool.names
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            readings = list(pool.map(lambda name: reading_of(spool.texts(name), decimal, mark), own))
        if not certain:
            refuse_records_as_names(str(path), titles, head.columns, readings)
        check_names(str(path), titles)
        by_title = dict(zip(titles, readings, strict=True))
        texts = {title: spool.texts(name) for title, name in zip(titles, own, strict=True)}
        if lines is None:
            check_units(str(path), dict(zip(titles, head.columns, strict=True)), by_title, source.skip + skipped + 1)
            ending.last = {title: ending.last.get(name) for title, name in zip(titles, own, strict=True)}
            ending.nulls = {title: ending.nulls[name] for title, name in zip(titles, own, strict=True)}
            check_totals(str(path), ending, texts, by_title)
        styles = styles_of(texts, by_title, decimal)
        table = place.folder / "table.parquet"
        remembered = _typed_file(spool, dict(zip(titles, own, strict=True)), texts, by_title, styles.read, table)
        return StoredText(place, table, spool, origin_of(source, styles), remembered)
    except BaseException:
        place.close()
        raise


def _spooled(source: TextFile, width: int, skipped: int, path: Path) -> tuple[TextSpool, pa.Table, Ending]:
    """Write the fields of a file to the spool; return it with the first records, and how the file ends."""
    ragged: list[int] = []
    options = ReadingOptions.of(source, width, skipped, ragged)
    spool, ending = TextSpool(path, own_names(width)), Ending()
    head: list[pa.Table] = []
    n_head, n_bytes, size = 0, 0, source.path.stat().st_size
    last: pa.Table | None = None
    with told_if_damaged(source.path), told_plainly(source, width):
        batches = pacsv.open_csv(arrow_stream(source.path), **options.arguments(threads=False))
        for part in recut((pa.Table.from_batches([batch]) for batch in batches), PART):
            spool.add(part)
            ending.add(dict(zip(part.column_names, part.columns, strict=True)))
            if n_head < _HEAD:
                head.append(part.slice(0, _HEAD - n_head))
                n_head += head[-1].num_rows
            last = part
            n_bytes += part.nbytes
            report("reading", min(n_bytes, size), size)
        spool.close()
    refuse_ragged(source, width, ragged)
    if last is None:
        raise FileError(f"{str(source.path)!r} has a header and no records.")
    if may_be_open(last):
        refuse_open_end(source, _last_bytes(source.path))
    return spool, pa.concat_tables(head), ending


def _last_bytes(path: Path) -> bytes:
    """Return how the content of a file ends; what is packed is unpacked once more, and not held."""
    end = b""
    with told_if_damaged(path), opened_for_reading(path) as file:
        if ending_of(path) not in PACKED:
            file.seek(-min(_END, path.stat().st_size), 2)
        while part := file.read(1 << 20):
            end = (end + part)[-_END:]
    return end


def _typed_file(
    spool: TextSpool,
    own: dict[str, str],
    texts: dict[str, Texts],
    readings: dict[str, Any],
    styles: dict[str, Style | None],
    path: Path,
) -> dict[str, str]:
    """Write the table that the text makes, and return the columns whose text has to be remembered."""
    remembered: dict[str, str] = {}
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        kinds = dict(
            zip(own, pool.map(lambda name: type_of(texts[name], styles[name], readings[name]), own), strict=True)
        )
        odd = [name for name in own if styles[name] is not None and not readings[name].kind]
        accounts = dict(zip(odd, pool.map(lambda name: as_accountants(texts[name]), odd), strict=True))
        writer = pq.ParquetWriter(
            path,
            pa.schema(list(kinds.items())),
            compression="lz4",
            use_dictionary=[name for name, kind in kinds.items() if pa.types.is_string(kind)],
        )

        def column(item: tuple[str, pa.ChunkedArray]) -> pa.ChunkedArray:
            name, text = item
            values = typed(text, styles[name], kinds[name], readings[name], accounts.get(name))
            if name not in remembered and is_remembered(text, values, styles[name], readings[name]):
                remembered[name] = own[name]
            return values

        with writer:
            for place, part in enumerate(spool.parts()):
                report("typing", place * PART, len(spool))
                columns = list(pool.map(column, zip(own, part.columns, strict=True)))
                writer.write_table(pa.table(columns, names=list(own)))
    return {name: remembered[name] for name in own if name in remembered}


class CsvSource(ParquetSource):
    """A CSV file, read into a temporary folder that is gone when nobody holds the table any more.

    Parameters
    ----------
    text : StoredText
    schema : Schema
        Declares every column.
    inputs : paths
        What a release must not be written over: the file itself, and that of its schema.
    """

    def __init__(self, text: StoredText, schema: Schema, inputs: Iterable[str | os.PathLike[str]]) -> None:
        super().__init__(text.table, schema)
        self.inputs = tuple(dict.fromkeys(map(str, inputs)))
        self._text = text

    def __repr__(self) -> str:
        return f"CsvSource({len(self)} records)"

    @property
    def decimal(self) -> str:
        """The mark before decimals."""
        mark: str = self._text.origin.get("dialect", {}).get("decimal", ".")
        return mark

    def in_memory(self, names: Iterable[str]) -> Microdata:
        return self._with_texts(super().in_memory(names), 0)

    def batches(self, size: int, names: Iterable[str] | None = None) -> Iterator[Microdata]:
        start = 0
        for table in super().batches(size, names):
            yield self._with_texts(table, start)
            start += len(table)

    def step_target(self, path: Path) -> FileTarget:
        del path
        return _StepTarget()

    def _with_texts(self, table: Microdata, start: int) -> Microdata:
        names = {name: own for name, own in self._text.remembered.items() if name in table.schema}
        texts = LateTexts(self._text.spool, names, start, start + len(table))
        return Microdata(table.to_native(), table.schema, origin={**self._text.origin, "verbatim": texts})


class CsvTarget(FileTarget):
    """One CSV file, written in the dialect of the table that it is made from.

    How a column is written depends on all of its values, so that a release goes through a temporary folder first; there
    it can be read again, too (:meth:`stored`).

    Parameters
    ----------
    path : path
    inputs : paths
        Never written over.
    """

    def __init__(self, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
        self.inputs = tuple(inputs)
        self.path = str(path)
        check_target(Path(path), self.inputs)
        self._release: _Release | None = None

    def write(self, tables: Iterable[Microdata]) -> None:
        place = ScratchPlace()
        try:
            release = self._release = _Release(place, Path(self.path))
            for table in tables:
                release.add(table)
            release.close()
            with (
                looked_at(lambda written: self.count_again(str(written))),
                whole_file(self.path, self.inputs) as temporary,
            ):
                release.write(temporary)
        except BaseException:
            place.close()
            raise

    def count_again(self, written: str) -> None:
        release = self._release
        assert release is not None  # noqa: S101 - for the type checker
        count_written(
            Path(written), ending_of(self.path), self.guarantees,
            records=release.records, columns=release.names, dialect=asdict(release.dialect),
        )  # fmt: skip

    def stored(self, schema: Schema) -> ParquetSource:
        assert self._release is not None  # noqa: S101 - for the type checker
        return self._release.stored(schema, self.path)


class _StepTarget(FileTarget):
    """Where one of several steps leaves its release for the next: in a temporary folder, with the texts it came as."""

    path = ""

    def __init__(self) -> None:
        self._release: _Release | None = None

    def write(self, tables: Iterable[Microdata]) -> None:
        place = ScratchPlace()
        try:
            release = self._release = _Release(place, Path("step.csv"))
            for table in tables:
                release.add(table)
            release.close()
            self.count_again(str(release.path))
        except BaseException:
            place.close()
            raise

    def count_again(self, written: str) -> None:
        count_written(Path(written), ".parquet", self.guarantees)

    def stored(self, schema: Schema) -> ParquetSource:
        assert self._release is not None  # noqa: S101 - for the type checker
        return self._release.stored(schema)


class _Release:
    """A release on its way: its values and remembered texts in a temporary folder, and how its columns are written."""

    def __init__(self, place: ScratchPlace, target: Path) -> None:
        self.place = place
        self.path = place.folder / "released.parquet"
        self.records = 0
        self.names: tuple[str, ...] = ()
        self.origin: Json = {}
        self.dialect = Dialect()
        self.spool = TextSpool(place.folder / "texts.arrow", ())
        self._target = target
        self._schema: Any = None
        self._writer: pq.ParquetWriter | None = None
        self._other: set[str] = set()
        """Columns whose remembered text is no longer what they hold."""
        self._one_way: set[str] = set()
        """Columns whose numbers nobody can read in two ways."""
        self._any: set[str] = set()

    def add(self, table: Microdata) -> None:
        """Take the next records."""
        arrow = clean_arrow(table.to_arrow())
        texts = table.origin.get("verbatim", {})
        if self._writer is None:
            self._begin(table, arrow, [name for name in arrow.column_names if name in texts])
        assert self._writer is not None  # noqa: S101 - for the type checker
        for part in recut([arrow], PART):
            self._writer.write_table(part)
        if self.spool.names:
            remembered = pa.table([texts[name] for name in self.spool.names], names=list(self.spool.names))
            for part in recut([remembered], PART):
                self.spool.add(part)
        for name in self.names:
            self._look_at(table, arrow.column(name), name, texts)
        self.records += len(table)

    def _begin(self, table: Microdata, arrow: pa.Table, remembered: list[str]) -> None:
        self.names = tuple(arrow.column_names)
        self._schema = table.schema
        self.origin = {key: value for key, value in table.origin.items() if key != "verbatim"}
        self.dialect = dialect_for(self.origin, self._target)
        self.spool = TextSpool(self.spool.path, remembered)
        texts = [field.name for field in arrow.schema if not pa.types.is_floating(field.type)]
        self._writer = pq.ParquetWriter(self.path, arrow.schema, compression="lz4", use_dictionary=texts)

    def _look_at(self, table: Microdata, column: pa.ChunkedArray, name: str, texts: Any) -> None:
        if name in self.spool.names and name not in self._other:
            if stands_for(texts[name], column, self._style(name)):
                return
            self._other.add(name)
        if name in self._one_way or pa.types.is_integer(column.type) or not self._is_number(column, name):
            return
        text = column_as_text(column, table.schema, name)
        if text.null_count == len(text):
            return
        self._any.add(name)
        if not reads_in_two_ways(Texts.of(text)):
            self._one_way.add(name)

    def _style(self, name: str) -> Style:
        style = self.origin.get("styles", {}).get(name, Style(decimal=self.dialect.decimal))
        return style if isinstance(style, Style) else Style(**style)

    def _is_number(self, column: pa.ChunkedArray, name: str) -> bool:
        return writes_numbers(column.type, named=name in self.origin.get("styles", {}))

    def stored(self, schema: Schema, path: str | None = None) -> CsvSource:
        """Return the release as a table, with the path that it is written to, if it is."""
        origin = self.origin if path is None else {**self.origin, "path": path}
        text = StoredText(self.place, self.path, self.spool, origin, {name: name for name in self.spool.names})
        return CsvSource(text, schema, [] if path is None else [path])

    def close(self) -> None:
        """End what is on its way."""
        if self._writer is not None:
            self._writer.close()
        self.spool.close()

    def write(self, path: Path) -> None:
        """Write the text."""
        encoder = codecs.getincrementalencoder(self.dialect.encoding)(errors="strict")
        own = [name for name in self.spool.names if name not in self._other]
        with (
            pq.ParquetFile(self.path, pre_buffer=False) as file,
            opened_for_writing(path, ending_of(self._target)) as stream,
        ):
            start = 0
            for batch in file.iter_batches(PART):
                report("writing", start, self.records)
                content = self._text_of(pa.Table.from_batches([batch]), own, start)
                if self.dialect.encoding != "utf-8":
                    content = encoder.encode(content.decode())
                stream.write(content)
                start += batch.num_rows

    def _text_of(self, arrow: pa.Table, own: list[str], start: int) -> bytes:
        columns: dict[str, Any] = {}
        for name, column in zip(arrow.column_names, arrow.columns, strict=True):
            if name in own:
                columns[name] = self.spool.rows(name, start, start + arrow.num_rows)
                continue
            text = column_as_text(column, self._schema, name)
            if self._is_number(column, name):
                text = restyled(text, self._style(name), two_ways=name in self._any and name not in self._one_way)
            columns[name] = text
        frame = pl.DataFrame(pa.table({released_name(name): column for name, column in columns.items()}))
        buffer = io.BytesIO()
        write_text_frame(frame, buffer, self.dialect, beginning=not start)
        return buffer.getvalue()
