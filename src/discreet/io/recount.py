"""Reading back what was written as a stranger would, to count on it what the release promises.

No schema, no missing codes, no remembered types: the text of a CSV file, the cells of a workbook as text, the plain
values of the other formats. Whatever these tell apart is told apart in the count.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.ipc
import pyarrow.parquet as pq

from discreet.data.guarantees import Guarantee, recount_of, require
from discreet.errors import BrokenGuaranteeError
from discreet.io.csv import Dialect
from discreet.io.excel import read_cells
from discreet.io.packing import PACKED, arrow_stream, opened_for_reading, unpacked, without_packing
from discreet.io.statistical import read_plainly

__all__ = ["count_written"]

_BATCH = 1 << 20
_LARGE = 1 << 26
"""Bytes of text above which fields are read a part at a time."""


def count_written(
    path: Path,
    ending: str,
    guarantees: Sequence[Guarantee],
    *,
    records: int | None = None,
    columns: Collection[str] = (),
    dialect: Mapping[str, Any] | None = None,
    places: Mapping[str, slice] | None = None,
) -> None:
    """Refuse a file, or a folder of Parquet files, that does not keep what is promised of it.

    Parameters
    ----------
    path : path
        Where it lies before it is put in place.
    ending : str
        That of the name it will have.
    guarantees : sequence of Guarantee
    records : int, optional
        How many the file must hold.
    columns : collection of str
        Those that were written: what a promise speaks of must be found among them again.
    dialect : mapping, optional
        Of a text file, as far as a stranger must know it: delimiter and encoding.
    places : mapping, optional
        Of a file of fixed width, where its metadata say that columns stand.

    Raises
    ------
    BrokenGuaranteeError

    Notes
    -----
    O(records) for every promise. Large Parquet files are read a batch at a time.
    """
    if not guarantees:
        return
    names = tuple(dict.fromkeys(name for promise in guarantees for name in promise.columns))
    counts = [recount_of(promise) for promise in guarantees]
    n_read, quoted = 0, without_packing(ending) in {".ndjson", ".jsonl"}
    if places is not None:
        frames = _read_fixed(path, names, places)
    else:
        frames = _READERS[ending](path, names, Dialect(**(dialect or {})))
    for frame in frames:
        n_read += frame.height
        lost = [name for name in names if name in columns and name not in frame.columns]
        if lost:
            raise BrokenGuaranteeError(
                f"Column {lost[0]!r} was written and is not found in the file.",
                hint="Nothing was put in place. Please report it; another format may do.",
            )
        for count in counts:
            count.add(frame, quoted=quoted)
    if records is not None and n_read != records:
        raise BrokenGuaranteeError(
            f"{records} records were written, and {n_read} are read back from the file.",
            hint="Nothing was put in place. Please report it; another format may do.",
        )
    require(counts)


def _read_text(path: Path, names: tuple[str, ...], dialect: Dialect) -> Iterator[pl.DataFrame]:
    """Read fields as the text they are."""
    encoding = "utf-8-sig" if dialect.bom else dialect.encoding
    with path.open(encoding=encoding, newline="") as file:
        header = next(csv.reader(file, delimiter=dialect.delimiter), [])
    if path.stat().st_size > _LARGE:
        yield from _text_parts(path, header, names, dialect, ".csv")
    else:
        yield _text_frame(path, header, names, dialect)


def _read_packed_text(path: Path, names: tuple[str, ...], dialect: Dialect, ending: str) -> Iterator[pl.DataFrame]:
    encoding = "utf-8-sig" if dialect.bom else dialect.encoding
    if path.stat().st_size > _LARGE // 8:
        with io.TextIOWrapper(opened_for_reading(path, ending), encoding=encoding, newline="") as file:
            header = next(csv.reader(file, delimiter=dialect.delimiter), [])
        yield from _text_parts(path, header, names, dialect, ending)
        return
    content = unpacked(path, ending) or b""
    header = next(csv.reader(io.StringIO(content.decode(encoding), newline=""), delimiter=dialect.delimiter), [])
    yield _text_frame(io.BytesIO(content), header, names, dialect)


def _text_parts(
    path: Path, header: list[str], names: tuple[str, ...], dialect: Dialect, ending: str
) -> Iterator[pl.DataFrame]:
    """Read fields as the text they are, some records at a time; a field in quotes is never missing."""
    own = [str(place) for place in range(len(header))]
    # A name that begins like a formula is written behind an apostrophe.
    columns = {
        own[place]: name for name in names for place, heading in enumerate(header) if heading in (name, f"'{name}")
    }
    with arrow_stream(path, ending) as file:
        parts = pacsv.open_csv(
            file,
            read_options=pacsv.ReadOptions(
                encoding=dialect.encoding, column_names=own, skip_rows_after_names=1, block_size=_BATCH << 4
            ),
            parse_options=pacsv.ParseOptions(
                delimiter=dialect.delimiter, newlines_in_values=True, ignore_empty_lines=len(header) > 1
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(own, pa.string()),
                include_columns=list(columns),
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                null_values=[""],
            ),
        )
        for part in parts:
            yield pl.DataFrame(pa.Table.from_batches([part]).rename_columns(list(columns.values())))


def _text_frame(source: Path | io.BytesIO, header: list[str], names: tuple[str, ...], dialect: Dialect) -> pl.DataFrame:
    if dialect.encoding.lower().replace("_", "-") not in {"utf-8", "utf8"}:
        content = source.read_bytes() if isinstance(source, Path) else source.getvalue()
        source = io.BytesIO(content.decode(dialect.encoding).encode())
    # A name that begins like a formula is written behind an apostrophe.
    places = {name: place for name in names for place, heading in enumerate(header) if heading in (name, f"'{name}")}
    frame = pl.read_csv(
        source,
        separator=dialect.delimiter,
        infer_schema=False,
        has_header=False,
        skip_rows=1,
        eol_char="\r" if dialect.newline == "\r" else "\n",
        columns=sorted(places.values()),
    )
    order = sorted(places, key=lambda name: places[name])
    return frame.rename(dict(zip(frame.columns, order, strict=True)))


def _read_json_lines(path: Path, names: tuple[str, ...], _: Dialect, ending: str) -> Iterator[pl.DataFrame]:
    """Read every value as the JSON text that stands there."""
    content = unpacked(path, ending)
    lines = (path.read_bytes() if content is None else content).decode().split("\n")
    records = [json.loads(line) for line in lines if line]
    present = [name for name in names if any(name in record for record in records)]
    yield pl.DataFrame(
        {name: [json.dumps(record.get(name)) for record in records] for name in present},
        schema=dict.fromkeys(present, pl.String),
    )


def _read_parquet(path: Path, names: tuple[str, ...], _: Dialect) -> Iterator[pl.DataFrame]:
    files = sorted(file for file in path.iterdir() if file.suffix == ".parquet") if path.is_dir() else [path]
    for one in files:
        with pq.ParquetFile(one, pre_buffer=False) as file:
            present = [name for name in file.schema_arrow.names if name in names]
            for batch in file.iter_batches(_BATCH, columns=present):
                yield _plain(pa.Table.from_batches([batch]))


def _read_arrow(path: Path, names: tuple[str, ...], _: Dialect) -> Iterator[pl.DataFrame]:
    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
        yield _plain(table.select([name for name in table.column_names if name in names]))


def _plain(table: pa.Table) -> pl.DataFrame:
    """Return values without the numbering of categories, which differs from batch to batch."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pl.DataFrame(pa.table(dict(zip(table.column_names, columns, strict=True))))


def _read_workbook(path: Path, names: tuple[str, ...], _: Dialect) -> Iterator[pl.DataFrame]:
    yield read_cells(path, names)


def _read_statistical(path: Path, names: tuple[str, ...], ending: str) -> Iterator[pl.DataFrame]:
    yield read_plainly(path, ending, names)


def _read_fixed(path: Path, names: tuple[str, ...], places: Mapping[str, slice]) -> Iterator[pl.DataFrame]:
    lines = [line for line in path.read_bytes().decode().replace("\r\n", "\n").split("\n") if line]
    yield pl.DataFrame({name: [line[places[name]].strip() for line in lines] for name in names if name in places})


_Reader = Callable[[Path, tuple[str, ...], Dialect], Iterator[pl.DataFrame]]


def _of(ending: str) -> _Reader:
    return lambda path, names, _: _read_statistical(path, names, ending)


def _packed(ending: str) -> _Reader:
    if without_packing(ending) in {".ndjson", ".jsonl"}:
        return lambda path, names, dialect: _read_json_lines(path, names, dialect, ending)
    return lambda path, names, dialect: _read_packed_text(path, names, dialect, ending)


_READERS: dict[str, _Reader] = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), _read_text),
    **{ending: _packed(ending) for ending in PACKED},
    **{ending: _packed(ending) for ending in (".ndjson", ".jsonl")},
    **dict.fromkeys((".parquet", ".pq"), _read_parquet),
    **dict.fromkeys((".arrow", ".feather"), _read_arrow),
    ".xlsx": _read_workbook,
    **{ending: _of(ending) for ending in (".sav", ".zsav", ".dta", ".xpt")},
}
