"""CSV in and out.

Every field is read as text. A column becomes numbers only where that loses nothing a person would miss: ``007`` stays
text, because it is a code, and dates stay the text they were. Where numbers have another canonical form than the file
(``1.50``), the original text is remembered, so that a column that was not masked is released exactly as it came.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from discreet.errors import FileError, ParameterError, SchemaError
from discreet.io.atomic import whole_file
from discreet.microdata import Microdata
from discreet.typing import Json

__all__ = ["Dialect", "read_csv", "sniff", "write_csv"]

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 1 << 18
_WHOLE = r"^(0|-?[1-9][0-9]{0,17})$"
_DECIMAL = r"^-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_COUNTS = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written."""

    delimiter: str = ","
    encoding: str = "utf-8"
    bom: bool = False
    newline: str = "\n"
    quote_all: bool = False


def sniff(path: Path, *, delimiter: str | None = None, encoding: str = "utf-8") -> Dialect:
    """Read the dialect off the beginning of a file."""
    with path.open("rb") as file:
        raw = file.read(_SAMPLE)
    bom = raw.startswith(codecs.BOM_UTF8)
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and encoding == "utf-8":
        encoding = "utf-16"
    try:
        # A sample may end inside a character: an incremental decoder waits for the rest instead of failing.
        text = codecs.getincrementaldecoder("utf-8-sig" if bom else encoding)().decode(raw)
    except UnicodeDecodeError as error:
        raise FileError(
            f"{str(path)!r} is not {encoding} text (byte {error.start}).",
            hint="Name its encoding, such as --encoding latin-1.",
        ) from None
    except LookupError:
        raise ParameterError(f"There is no encoding named {encoding!r}.", hint="Such as utf-8 or latin-1.") from None
    if "\0" in text:
        raise FileError(f"{str(path)!r} is not a text file.", hint="Read Parquet files by the ending .parquet.")
    newline = "\r\n" if "\r\n" in text else "\n"
    chosen = delimiter or _guess_delimiter(text)
    header = text.lstrip().split("\n", 1)[0].strip()
    quote_all = header.startswith('"') and header.endswith('"') and f'"{chosen}"' in header
    return Dialect(chosen, encoding, bom, newline, quote_all)


def _guess_delimiter(text: str) -> str:
    """Return the delimiter that cuts the first rows into the most columns of equal number."""
    best, most = ",", 1
    for candidate in _DELIMITERS:
        rows = []
        try:
            for row in csv.reader(io.StringIO(text), delimiter=candidate):
                rows.append(len(row))
                if len(rows) == 50:
                    break
        except csv.Error:
            continue
        widths = [width for width in rows[:-1] if width] or rows
        if widths and min(widths) == max(widths) and widths[0] > most:
            best, most = candidate, widths[0]
    return best


def read_csv(path: Path, *, delimiter: str | None = None, encoding: str = "utf-8") -> tuple[pa.Table, Json]:
    """Return the table and its origin: dialect, and the text of columns that numbers would not give back."""
    if not path.stat().st_size:
        raise FileError(f"{str(path)!r} is empty.", hint="The first line must name the columns.")
    dialect = sniff(path, delimiter=delimiter, encoding=encoding)
    header = _header(path, dialect)
    names = [name[1:] if name[:1] == "'" and name[1:2] in _FORMULA else name for name in header]
    table = _parse(path, dialect, header).rename_columns(names)
    if not table.num_rows:
        raise FileError(f"{str(path)!r} has a header and no records.")
    columns, verbatim = {}, {}
    for name in names:
        text = table.column(name)
        columns[name] = _typed(text)
        if pa.types.is_floating(columns[name].type) and not columns[name].cast(pa.string()).equals(text):
            verbatim[name] = text
    return pa.table(columns), {"format": "csv", "dialect": asdict(dialect), "verbatim": verbatim, "path": str(path)}


def _header(path: Path, dialect: Dialect) -> list[str]:
    encoding = "utf-8-sig" if dialect.bom else dialect.encoding
    try:
        with path.open(encoding=encoding, newline="") as file:
            names = next(csv.reader(file, delimiter=dialect.delimiter), [])
    except UnicodeDecodeError:
        raise _wrong_encoding(path, dialect.encoding) from None
    except csv.Error:
        raise _malformed(path) from None
    if not names:
        raise FileError(f"The first line of {str(path)!r} is empty.", hint="It must name the columns.")
    empty = [i for i, name in enumerate(names, start=1) if not name.strip()]
    if empty:
        raise SchemaError(f"Column {empty[0]} of {str(path)!r} has no name.", hint="Name it in the first line.")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SchemaError(f"Column {twice[0]!r} appears {names.count(twice[0])} times.", hint="Rename one of them.")
    return names


def _parse(path: Path, dialect: Dialect, names: list[str]) -> pa.Table:
    ragged: list[int] = []

    def count(row: pacsv.InvalidRow) -> str:
        ragged.append(row.number or 0)
        return "skip"

    parse = pacsv.ParseOptions(
        delimiter=dialect.delimiter,
        newlines_in_values=True,
        invalid_row_handler=count,
        # One column: an empty line is a record with a missing value, not a gap.
        ignore_empty_lines=len(names) > 1,
    )
    convert = pacsv.ConvertOptions(
        column_types={name: pa.string() for name in names},
        strings_can_be_null=True,
        null_values=[""],
    )

    def read(*, threads: bool) -> pa.Table:
        options = pacsv.ReadOptions(encoding=dialect.encoding, use_threads=threads)
        return pacsv.read_csv(path, read_options=options, parse_options=parse, convert_options=convert)

    try:
        table = read(threads=True)
        if ragged:
            # Row numbers are known to a reader without threads only.
            ragged.clear()
            read(threads=False)
    except pa.ArrowCancelled:
        raise KeyboardInterrupt from None
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        # Arrow quotes the row in its message; only the numbers in it may be shown.
        counts = _COUNTS.search(str(error))
        if counts:
            raise _ragged(path, len(names), int(counts[1]), 1) from None
        if "UTF8" in str(error) or isinstance(error, UnicodeDecodeError):
            raise _wrong_encoding(path, dialect.encoding) from None
        raise _malformed(path) from None
    if ragged:
        raise _ragged(path, len(names), ragged[0], len(ragged))
    return table.rename_columns(names)


def _wrong_encoding(path: Path, encoding: str) -> FileError:
    return FileError(
        f"{str(path)!r} holds bytes that are not {encoding} text.",
        hint="Name its encoding, such as --encoding latin-1.",
    )


def _malformed(path: Path) -> FileError:
    return FileError(f"{str(path)!r} is not a well-formed CSV file.", hint="Check quotes and line ends.")


def _ragged(path: Path, expected: int, row: int, count: int) -> FileError:
    where = f", the first in row {row}" if row else ""
    return FileError(
        f"{count} {'row' if count == 1 else 'rows'} of {str(path)!r} do not have {expected} fields{where}.",
        hint="Check the delimiter, and quote fields that hold it.",
    )


def _typed(text: pa.ChunkedArray) -> pa.ChunkedArray:
    if text.null_count == len(text):
        return text
    if pc.all(pc.match_substring_regex(text, _WHOLE)).as_py():
        return text.cast(pa.int64())
    if pc.all(pc.match_substring_regex(text, _DECIMAL)).as_py():
        return text.cast(pa.float64())
    return text


def write_csv(table: Microdata, path: Path, inputs: tuple[Path, ...] = ()) -> None:
    """Write a table in the dialect it came in; columns that were not masked come out as they went in."""
    dialect = Dialect(**table.origin.get("dialect", {}))
    verbatim = table.origin.get("verbatim", {})
    arrow = table.to_arrow()
    columns = {
        name: verbatim[name] if _stands_for(verbatim.get(name), column) else _as_text(column, table, name)
        for name, column in zip(arrow.column_names, arrow.columns, strict=True)
    }
    # A spreadsheet runs a name that begins like a formula; an apostrophe makes it text, and we take it off again.
    frame = pl.DataFrame(pa.table({f"'{n}" if n[0] in _FORMULA else n: column for n, column in columns.items()}))
    with whole_file(path, inputs) as temporary:
        if dialect.encoding == "utf-8":
            _write(frame, temporary, dialect)
        else:
            buffer = io.BytesIO()
            _write(frame, buffer, dialect)
            temporary.write_bytes(buffer.getvalue().decode("utf-8").encode(dialect.encoding, errors="strict"))


def _stands_for(text: pa.ChunkedArray | None, column: pa.ChunkedArray) -> bool:
    """Say whether a remembered text still is what the column holds: what was masked must never come out by it."""
    if text is None or len(text) != len(column) or not pa.types.is_floating(column.type):
        return False
    numbers = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return bool(_typed(text).cast(pa.float64()).combine_chunks().equals(numbers.cast(pa.float64()).combine_chunks()))


def _write(frame: pl.DataFrame, target: Path | io.BytesIO, dialect: Dialect) -> None:
    frame.write_csv(
        target,
        separator=dialect.delimiter,
        include_bom=dialect.bom,
        line_terminator=dialect.newline,
        quote_style="always" if dialect.quote_all else "necessary",
    )


def _as_text(column: pa.ChunkedArray, table: Microdata, name: str) -> pa.ChunkedArray:
    if pa.types.is_nested(column.type):
        scale = table.schema[name].scale
        return scale.to_text(column)  # type: ignore[attr-defined]
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return column.cast(pa.string())
