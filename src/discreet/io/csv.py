"""CSV in and out.

Every field is read as text. A column becomes numbers only where that loses nothing a person would miss: ``007`` stays
text, because it is a code, and dates stay the text they were. Where numbers have another canonical form than the file
(``1.50``, ``1.234,56``), the original text is remembered, so that a column that was not masked is released exactly as
it came. What cannot be told from the file, whether its first line is a record or its points stand between thousands, is
asked (:mod:`discreet.io.layout`, :mod:`discreet.io.number_text`).
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from discreet.data.inference import AMONG_NUMBERS, MISSING_WORDS
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.errors import FileError, ParameterError
from discreet.io.atomic import whole_file
from discreet.io.layout import check_names, check_records, own_names, read_lines, refuse_records_as_names, title_lines
from discreet.io.number_text import (
    DECIMAL,
    WHOLE,
    Reading,
    Style,
    as_accountants,
    canonical,
    check_marks,
    looks_like_number,
    read_style,
    restyled,
)
from discreet.io.packing import (
    PACKED,
    beginning,
    ending_of,
    opened_for_reading,
    opened_for_writing,
    unpacked,
    without_packing,
)
from discreet.io.text_parts import Texts
from discreet.typing import Json

__all__ = [
    "Dialect",
    "ReadingOptions",
    "TextFile",
    "column_as_text",
    "dialect_for",
    "is_remembered",
    "may_be_open",
    "opened_text",
    "origin_of",
    "read_csv",
    "reading_of",
    "refuse_open_end",
    "refuse_ragged",
    "released_name",
    "stands_for",
    "styles_of",
    "titles_of",
    "told_plainly",
    "type_of",
    "typed",
    "write_csv",
    "write_text_frame",
    "writes_numbers",
]

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 1 << 18
_UNREAD = Reading()
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_SEPARATOR = re.compile(r'\ufeff?"?sep=(?P<mark>[^"\r\n])"?(\r\n|\n|\r)', re.IGNORECASE)
"""A first line that tells a spreadsheet what separates fields."""
_OTHER_MARKS = (" ", ":", "^", "~", "¦", "§", "\x1f", "\x01", "/", "#", "*", "&")
csv.field_size_limit(max(csv.field_size_limit(), (1 << 31) - 1))  # a text may be longer than 131,072 characters
_COUNTS = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written."""

    delimiter: str = ","
    encoding: str = "utf-8"
    bom: bool = False
    newline: str = "\n"
    quote_all: bool = False
    decimal: str = "."


class TextFile(NamedTuple):
    """A CSV file before its columns are looked at."""

    path: Path
    dialect: Dialect
    data: Path | pa.BufferReader
    skip: int
    """Lines before the first row of the table."""


def _sniffed(path: Path, raw: bytes, delimiter: str | None, encoding: str) -> tuple[Dialect, str, int]:
    """Return the dialect, the beginning of the text, and how many lines are a note to a spreadsheet."""
    bom = raw.startswith(codecs.BOM_UTF8)
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and encoding == "utf-8":
        encoding = "utf-16"
    try:
        spelling = codecs.lookup(encoding).name
        encoding = "utf-8" if spelling in {"utf-8", "utf-8-sig"} else encoding  # the mark is kept as `bom`
        # A sample may end inside a character: an incremental decoder waits for the rest instead of failing.
        text = codecs.getincrementaldecoder("utf-8-sig" if bom else encoding)().decode(raw)
    except UnicodeDecodeError as error:
        raise FileError(
            f"{str(path)!r} is not {encoding} text (byte {error.start}).",
            hint=_likely_encoding(raw),
        ) from None
    except LookupError:
        raise ParameterError(f"There is no encoding named {encoding!r}.", hint="Such as utf-8 or latin-1.") from None
    if "\0" in text and (order := _order_of_bytes(raw)):
        raise FileError(
            f"{str(path)!r} looks like UTF-16 without a mark at its beginning.", hint=f"Add --encoding utf-16-{order}."
        )
    if "\0" in text:
        raise FileError(f"{str(path)!r} is not a text file.", hint="Read Parquet files by the ending .parquet.")
    bare = re.sub(r'"[^"]*"', "", text)  # what ends a line inside quotes ends none of the file
    newline = "\r\n" if "\r\n" in bare else "\n" if "\n" in bare or "\r" not in bare else "\r"
    note = _SEPARATOR.match(text)
    if note:
        text = text[note.end() :]
        _refuse_wrong_note(path, text, note["mark"], delimiter)
        delimiter = delimiter or note["mark"]
    separator = delimiter or _guess_delimiter(text)
    header = text.lstrip().split("\r" if newline == "\r" else "\n", 1)[0].strip()
    quote_all = header.startswith('"') and header.endswith('"') and f'"{separator}"' in header
    return Dialect(separator, encoding, bom, newline, quote_all), text, 1 if note else 0


def _likely_encoding(raw: bytes) -> str:
    """Return which encoding to try: bytes that are no characters of Latin-1 are some of Windows'."""
    windows = any(0x80 <= byte <= 0x9F for byte in raw) and not any(byte in raw for byte in b"\x81\x8d\x8f\x90\x9d")
    return f"Name its encoding, such as --encoding {'cp1252' if windows else 'latin-1'}."


def _order_of_bytes(raw: bytes) -> str:
    """Return the order of bytes of a text in which every other byte is nearly always zero; nothing of any other."""
    even, odd = raw[0::2].count(0), raw[1::2].count(0)
    most = 0.4 * len(raw) / 2
    return "le" if odd > most and not even else "be" if even > most and not odd else ""


def _refuse_wrong_note(path: Path, text: str, mark: str, delimiter: str | None) -> None:
    """Ask where the note to a spreadsheet names a mark that the lines do not hold, and they hold another."""
    first, other = re.split(r"[\r\n]", text, maxsplit=1)[0], _guess_delimiter(text)
    if delimiter is None and mark not in first and other in first:
        raise FileError(
            f"The note in line 1 of {str(path)!r} names another delimiter than its lines hold.",
            hint="Say which with --delimiter (delimiter=), such as --delimiter ,",
        )


def _first_rows(text: str, delimiter: str, most: int = 50) -> list[list[str]]:
    rows = []
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
        rows.append(row)
        if len(rows) == most + 1:
            break
    return rows[:-1] if len(rows) > most else rows


def _guess_delimiter(text: str) -> str:
    """Return the delimiter that cuts the first rows into the most columns of equal number.

    Where none does, lines before the table may be in the way: then the one that does after them.
    """
    best, most = ",", 1
    titled, widest = ",", 1
    for candidate in _DELIMITERS:
        try:
            first_rows = _first_rows(text, candidate)
        except csv.Error:
            continue
        rows = [len(row) for row in first_rows]
        widths = [width for width in rows[:-1] if width] or rows
        equal = widths and min(widths) == max(widths) and widths[0] > 1
        if equal and best == "," and candidate != "," and _are_decimal(first_rows):
            return candidate  # 31;1234,56 has two fields, whatever else a comma may do
        if equal and widths[0] > most:
            best, most = candidate, widths[0]
        elif (lines := title_lines(first_rows)) and len(first_rows[lines]) > widest:
            titled, widest = candidate, len(first_rows[lines])
    return best if most > 1 else titled


def _are_decimal(rows: list[list[str]]) -> bool:
    """Say whether there are commas in fields, and all of them between digits."""
    fields = [field for row in rows for field in row if "," in field]
    return bool(fields) and all(re.search(r"\D,|,\D|^,|,$", field) is None for field in fields)


def read_csv(
    path: Path,
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    leave_out: str | Sequence[int] | None = None,
    names: Collection[str] = (),
) -> tuple[pa.Table, Json]:
    """Return the table and its origin: dialect, and the text of columns that numbers would not give back.

    Parameters
    ----------
    path : Path
    delimiter, encoding : str, optional
    header : bool, optional
        Whether the first line names the columns; columns without names are called ``column_1`` and so on. By default
        it does, unless it looks like a record: then the user is asked.
    decimal, thousands : str, optional
        The marks of numbers, where they cannot be told from the file.
    leave_out : str or sequence of int, optional
        Lines that are no part of the table: a title, units, totals. They are counted from 1, or from −1 at the end.
    names : collection of str
        Names that columns may have: a first line that holds nothing else is the line of names.
    """
    decimal, mark = check_marks(decimal, thousands)
    lines = read_lines(leave_out)
    source = opened_text(path, delimiter, encoding, lines)
    titles, skipped, certain = titles_of(source, header, names)
    table = _parse(source, len(titles), skipped)
    if not table.num_rows:
        raise FileError(f"{str(path)!r} has a header and no records.")
    _refuse_open_quote(source, table)
    texts = [Texts.of(column) for column in table.columns]
    readings = [reading_of(column, decimal, mark) for column in texts]
    if not certain:
        refuse_records_as_names(str(path), titles, table.columns, readings)
    check_names(str(path), titles)
    columns = dict(zip(titles, table.columns, strict=True))
    by_title = dict(zip(titles, readings, strict=True))
    if lines is None:
        check_records(str(path), columns, by_title, source.skip + skipped + 1)
    return _typed_table(source, columns, by_title, decimal)


def titles_of(source: TextFile, header: bool | None, names: Collection[str]) -> tuple[list[str], int, bool]:
    """Return what the columns are called, how many lines that takes, and whether it is certain."""
    first = _first_line(source)
    own = own_names(len(first))
    if header is False and first != own:
        titles, skipped = own, 0
    else:
        headings = [n.strip() for n in first]  # spaces after a delimiter are no part of a name
        titles, skipped = [n[1:] if n[:1] == "'" and n[1:2] in _FORMULA else n for n in headings], 1
    certain = header is not None or (bool(names) and set(titles) <= set(names)) or titles == own
    return titles, skipped, certain


def reading_of(column: Texts, decimal: str | None, mark: str | None) -> Reading:
    """Return how a column writes numbers: with the marks that were named, or else plainly."""
    reading = read_style(column, decimal, mark)
    # What the marks that were named cannot read may be plain all the same.
    return read_style(column) if (decimal or mark) and not reading.styles else reading


class ColumnStyles(NamedTuple):
    """How the columns of a file write their numbers."""

    comma: bool
    """Whether decimals stand behind a comma."""
    read: dict[str, Style | None]
    """By column, how its numbers are read; None where it holds none."""
    written: dict[str, Style]
    """By column, how those that masking brings are written, where that is not as all others are."""


def styles_of(texts: Mapping[str, Texts], readings: Mapping[str, Reading], decimal: str | None) -> ColumnStyles:
    """Return how columns write numbers, or ask where there are two ways to read them."""
    # A file in which one column has a decimal comma for certain has no decimal points.
    commas = any(r.styles and r.styles[0].decimal == "," for r in readings.values())
    certain = {r.styles[0].decimal for n, r in readings.items() if commas and _shows_decimals(texts[n], r)}
    comma = decimal == "," or (decimal is None and certain == {","})
    read = {name: _style(name, column, readings[name], comma=comma) for name, column in texts.items()}
    written = {}
    for name, style in read.items():
        if style is None:
            continue
        if comma and style.thousands not in {".", ","} and not _shows_decimals(texts[name], Reading((style,))):
            style = style._replace(decimal=",")  # noqa: PLW2901 - those of masking are written as all others
        if style != Style(decimal="," if comma else "."):
            written[name] = style
    return ColumnStyles(comma, read, written)


def origin_of(source: TextFile, styles: ColumnStyles) -> Json:
    """Return what a writer wants to know of a text file, but for the text of its columns."""
    dialect = asdict(source.dialect) | {"decimal": "," if styles.comma else "."}
    origin: Json = {"format": "csv", "dialect": dialect, "path": str(source.path)}
    return origin | ({"styles": styles.written} if styles.written else {})


def _typed_table(
    source: TextFile, columns: dict[str, pa.ChunkedArray], readings: dict[str, Reading], decimal: str | None
) -> tuple[pa.Table, Json]:
    styles = styles_of({name: Texts.of(text) for name, text in columns.items()}, readings, decimal)
    arrays, verbatim = {}, {}
    for name, text in columns.items():
        style = styles.read[name]
        arrays[name] = typed(text, style, type_of(Texts.of(text), style, readings[name]), readings[name])
        if is_remembered(text, arrays[name], style, readings[name]):
            verbatim[name] = text
    return pa.table(arrays), {**origin_of(source, styles), "verbatim": verbatim}


def is_remembered(text: pa.ChunkedArray, column: pa.ChunkedArray, style: Style | None, reading: Reading) -> bool:
    """Say whether numbers would not give back the text that they were read from."""
    # Numbers that are not as computers write them (padded, with a plus) come out as they went in.
    other = style is not None and (pa.types.is_floating(column.type) or not reading.kind)
    lossy = other and not column.cast(pa.string()).equals(text)
    return lossy or (style is not None and style != Style())


def _shows_decimals(column: Texts, reading: Reading) -> bool:
    if not reading.styles or reading.ambiguous:
        return False
    return column.any(re.escape(reading.styles[0].decimal) + "[0-9]")


def _style(name: str, text: Texts, reading: Reading, *, comma: bool) -> Style | None:
    """Return how a column writes its numbers, None where it holds none; or ask."""
    if not reading.styles:
        _refuse_two_ways(name, text)
        return None
    if not reading.ambiguous:
        return reading.styles[0]
    if comma and any(style.decimal == "," and style.thousands == "." for style in reading.styles):
        return next(style for style in reading.styles if style.decimal == "," and style.thousands == ".")
    marks = {style.thousands for style in reading.styles} - {""}
    mark = {" ": "space", "'": "apostrophe"}.get(max(marks), max(marks))
    other = f"--decimal {mark}" if mark in {".", ","} else "--thousands none"
    raise FileError(
        f"Column {name!r} can be read in two ways: its {mark if mark == 'space' else repr(mark)} may stand between "
        f"thousands or {'before decimals' if mark in {'.', ','} else 'between codes'}.",
        hint=f"Say which with --thousands {mark} or {other}; in Python, thousands={mark!r} and so on.",
    )


def _refuse_two_ways(name: str, text: Texts) -> None:
    """Stop at a column of numbers with two kinds of decimal marks, or with signs that differ."""
    if not any(looks_like_number(value) for value in text.first(1000)[:20]):
        return
    marks, signs = set[str](), False
    for value in text.values():
        if value in MISSING_WORDS + AMONG_NUMBERS:
            continue
        if not looks_like_number(value) or re.match(r"-?0\d", value):
            return
        marks.update(re.findall(r"\d([.,])\d", value))
        signs = signs or bool(re.search(r"[^\d.,'’+\-−eE\s]", value))
    if len(marks) > 1 or signs:
        raise FileError(
            f"Column {name!r} writes its numbers in more than one way.",
            hint="Write all with the same decimal mark and the same sign of a currency or of percent.",
        )


def opened_text(
    path: Path, delimiter: str | None, encoding: str, lines: tuple[int, ...] | None, *, whole: bool = True
) -> TextFile:
    """Return a file with its dialect; what is packed is unpacked as a whole, or with `whole` false not yet."""
    content = unpacked(path) if whole else None
    raw = beginning(path, _SAMPLE) if content is None else content[:_SAMPLE]
    if not raw:
        raise FileError(f"{str(path)!r} is empty.", hint="The first line must name the columns.")
    if not lines:
        dialect, text, skip = _sniffed(path, raw, delimiter, encoding)
        rows = _sample_rows(path, text, dialect)
        title = title_lines(rows) if lines is None else 0
        if title:
            counted = ",".join(str(line) for line in range(1 + skip, 1 + skip + title))
            raise FileError(
                f"{title} {'line has' if title == 1 else 'lines have'} fewer fields at the beginning of {str(path)!r} "
                f"than the {len(rows[title])} of all that follow: a title.",
                hint=f"Leave it out with --leave-out {counted} (leave_out=[{counted}]).",
            )
        if delimiter is None and not skip:
            _refuse_hidden_delimiter(path, rows)
        if content is None:
            return TextFile(path, dialect, path, skip)
        return TextFile(path, dialect, pa.BufferReader(_decoded(path, dialect, content).encode()), skip)
    # Lines that a user leaves out may have any number of fields, so they are taken away before the table is read.
    original, _, _ = _sniffed(path, raw, delimiter, encoding)
    everything = _decoded(path, original, content)
    guess = delimiter or _guess_delimiter(everything[:_SAMPLE])
    body = _without_lines(path, everything, guess, lines)
    dialect, _, skip = _sniffed(path, body[:_SAMPLE].encode(), delimiter, "utf-8")
    file_dialect = replace(dialect, encoding=original.encoding, bom=raw.startswith(codecs.BOM_UTF8))
    return TextFile(path, file_dialect, pa.BufferReader(body.encode()), skip)


def _sample_rows(path: Path, text: str, dialect: Dialect) -> list[list[str]]:
    try:
        return _first_rows(text, dialect.delimiter)
    except csv.Error:
        raise malformed(path) from None


def _decoded(path: Path, dialect: Dialect, content: bytes | None = None) -> str:
    content = path.read_bytes() if content is None else content
    try:
        return content.decode("utf-8-sig" if dialect.bom else dialect.encoding)
    except UnicodeDecodeError:
        raise _wrong_encoding(path, dialect.encoding) from None


def _without_lines(path: Path, text: str, delimiter: str, lines: tuple[int, ...]) -> str:
    """Return a text without some of its rows; a row may go over several lines where a field does."""
    physical = text.splitlines(keepends=True) if "\n" in text else text.replace("\r", "\n").splitlines(keepends=True)
    ends = []
    reader = csv.reader(physical, delimiter=delimiter)
    try:
        for _ in reader:
            ends.append(reader.line_num)  # noqa: PERF401 - the reader moves on
    except csv.Error:
        raise malformed(path) from None
    out = {line - 1 if line > 0 else len(ends) + line for line in lines}
    if any(not 0 <= row < len(ends) for row in out):
        raise ParameterError(f"leave_out names a line that {str(path)!r} has not: it has {len(ends)}.")
    starts = [0, *ends[:-1]]
    return "".join(
        "".join(physical[start:end])
        for row, (start, end) in enumerate(zip(starts, ends, strict=True))
        if row not in out
    )


def _refuse_hidden_delimiter(path: Path, rows: list[list[str]]) -> None:
    """Ask where all lines are one field, and hold another mark equally often."""
    lines = [row[0] for row in rows if row]
    if len(lines) < 3 or any(len(row) > 1 for row in rows):
        return
    for mark in _OTHER_MARKS:
        counts = {line.count(mark) for line in lines}
        if len(counts) == 1 and counts.pop() > 0:
            raise FileError(
                f"{str(path)!r} has one column, and every line holds the same number of another mark.",
                hint="Does it separate fields? Name it, such as --delimiter ' '. If there is one column: --delimiter ,",
            )


def _first_line(source: TextFile) -> list[str]:
    dialect = source.dialect
    try:
        with _lines(source) as file:
            rows = csv.reader(file, delimiter=dialect.delimiter)
            for _ in range(source.skip):
                next(rows, [])
            first = next(rows, [])
    except UnicodeDecodeError:
        raise _wrong_encoding(source.path, dialect.encoding) from None
    except csv.Error:
        raise malformed(source.path) from None
    if not first:
        raise FileError(f"The first line of {str(source.path)!r} is empty.", hint="It must name the columns.")
    return first


def _lines(source: TextFile) -> io.TextIOBase:
    if isinstance(source.data, Path):
        encoding = "utf-8-sig" if source.dialect.bom else source.dialect.encoding
        return io.TextIOWrapper(opened_for_reading(source.data), encoding=encoding, newline="")
    source.data.seek(0)
    return io.StringIO(source.data.read().decode(), newline="")


def _parse(source: TextFile, width: int, skipped: int) -> pa.Table:
    ragged: list[int] = []
    reading = ReadingOptions.of(source, width, skipped, ragged)

    def read(*, threads: bool) -> pa.Table:
        if not isinstance(source.data, Path):
            source.data.seek(0)
        return pacsv.read_csv(source.data, **reading.arguments(threads=threads))

    with told_plainly(source, width):
        table = read(threads=True)
        if ragged:
            # Row numbers are known to a reader without threads only.
            ragged.clear()
            read(threads=False)
    refuse_ragged(source, width, ragged)
    return table


class ReadingOptions(NamedTuple):
    """What Arrow is told: every field is text, and rows of another width are counted."""

    parse: pacsv.ParseOptions
    convert: pacsv.ConvertOptions
    rows: Json

    @classmethod
    def of(cls, source: TextFile, width: int, skipped: int, ragged: list[int]) -> ReadingOptions:
        """Return the options for a file; the numbers of unfit rows are added to `ragged`."""
        names = own_names(width)

        def count(row: pacsv.InvalidRow) -> str:
            ragged.append(row.number or 0)
            return "skip"

        parse = pacsv.ParseOptions(
            delimiter=source.dialect.delimiter,
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
        rows: Json = {
            "encoding": source.dialect.encoding if isinstance(source.data, Path) else "utf-8",
            "column_names": names,
            "skip_rows": source.skip,
            "skip_rows_after_names": skipped,
        }
        return cls(parse, convert, rows)

    def arguments(self, *, threads: bool) -> Json:
        """Return what a reader is called with."""
        options = pacsv.ReadOptions(use_threads=threads, **self.rows)
        return {"read_options": options, "parse_options": self.parse, "convert_options": self.convert}


@contextmanager
def told_plainly(source: TextFile, width: int) -> Iterator[None]:
    """Say in our own words what Arrow finds wrong in a file: its messages quote rows."""
    path, encoding = source.path, source.dialect.encoding
    try:
        yield
    except pa.ArrowCancelled:
        raise KeyboardInterrupt from None
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        # Arrow quotes the row in its message; only the numbers in it may be shown.
        counts = _COUNTS.search(str(error))
        if counts:
            raise _ragged(path, width, int(counts[1]), 1) from None
        if "UTF8" in str(error) or isinstance(error, UnicodeDecodeError):
            raise _wrong_encoding(path, encoding) from None
        raise malformed(path) from None


def refuse_ragged(source: TextFile, width: int, ragged: list[int]) -> None:
    """Refuse a file in which rows have more or fewer fields than it has columns."""
    if ragged:
        raise _ragged(source.path, width, ragged[0], len(ragged))


def _refuse_open_quote(source: TextFile, table: pa.Table) -> None:
    """Stop where a quote that is never closed made one field of all that follows it: records would become a value."""
    if not may_be_open(table):
        return
    if isinstance(source.data, Path):
        with source.data.open("rb") as file:
            file.seek(-min(64, source.data.stat().st_size), 2)
            end = file.read()
    else:
        source.data.seek(max(0, source.data.size() - 64))
        end = source.data.read()
    refuse_open_end(source, end)


def may_be_open(table: pa.Table) -> bool:
    """Say whether the last field of a table goes over several lines."""
    last = table.column(table.num_columns - 1)[table.num_rows - 1].as_py()
    return last is not None and bool(re.search(r"[\r\n]", last))


def refuse_open_end(source: TextFile, end: bytes) -> None:
    """Refuse a file whose last field goes over several lines and whose last bytes do not close it."""
    if not end.rstrip(b"\r\n\0 ").endswith(b'"'):
        raise malformed(source.path)


def _wrong_encoding(path: Path, encoding: str) -> FileError:
    return FileError(
        f"{str(path)!r} holds bytes that are not {encoding} text.",
        hint="Name its encoding, such as --encoding latin-1.",
    )


def malformed(path: Path) -> FileError:
    """Return what is said of a file that is no CSV file."""
    return FileError(f"{str(path)!r} is not a well-formed CSV file.", hint="Check quotes and line ends.")


def _ragged(path: Path, expected: int, row: int, count: int) -> FileError:
    one = count == 1
    where = (f": row {row}" if one else f", the first in row {row}") if row else ""
    rows = "1 row" if one else f"{count} rows"
    return FileError(
        f"{rows} of {str(path)!r} {'does' if one else 'do'} not have {expected} fields{where}.",
        hint="Check the delimiter, and quote fields that hold it; --leave-out 1 or -1 leaves out a title or a footer.",
    )


def type_of(texts: Texts, style: Style | None, reading: Reading = _UNREAD) -> pa.DataType:
    """Return what a column is read as: numbers, where it holds nothing else."""
    if style is None or texts.empty():
        return pa.string()
    if reading.kind:
        return pa.int64() if reading.kind == "whole" else pa.float64()
    accounts = as_accountants(texts)
    plain = texts.changed(lambda part: canonical(part, style, reading.words, accounts=accounts))
    return pa.int64() if plain.all(WHOLE) else pa.float64() if plain.all(DECIMAL) else pa.string()


def typed(
    text: pa.ChunkedArray,
    style: Style | None,
    kind: pa.DataType,
    reading: Reading = _UNREAD,
    accounts: bool | None = None,
) -> pa.ChunkedArray:
    """Return a column as numbers, where it holds nothing else; as canonical text where words are among them."""
    if style is None or (text.null_count == len(text) and pa.types.is_string(kind)):
        return text
    if reading.kind:
        return text.cast(kind)
    return canonical(text, style, reading.words, accounts=accounts).cast(kind)


def _plainly(text: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | None:
    """Return numbers that are written as computers write them; None where some are not."""
    try:
        return text.cast(pa.int64() if pa.types.is_integer(kind) else pa.float64())
    except pa.ArrowInvalid:
        return None


def _typed(text: pa.ChunkedArray, style: Style) -> pa.ChunkedArray:
    return typed(text, style, type_of(Texts.of(text), style))


def write_csv(table: Microdata, path: Path, inputs: tuple[Path, ...] = ()) -> None:
    """Write a table in the dialect it came in; columns that were not masked come out as they went in."""
    dialect = dialect_for(table.origin, path)
    verbatim, styles = table.origin.get("verbatim", {}), table.origin.get("styles", {})
    arrow = table.to_arrow()
    columns = {}
    for name, column in zip(arrow.column_names, arrow.columns, strict=True):
        style = styles.get(name, Style(decimal=dialect.decimal))
        if stands_for(verbatim.get(name), column, style):
            columns[name] = verbatim[name]
        else:
            text = column_as_text(column, table.schema, name)
            columns[name] = restyled(text, style) if writes_numbers(column.type, named=name in styles) else text
    frame = pl.DataFrame(pa.table({released_name(n): column for n, column in columns.items()}))
    packing = ending_of(path) in PACKED
    with whole_file(path, inputs) as temporary:
        if dialect.encoding == "utf-8" and not packing:
            write_text_frame(frame, temporary, dialect)
        else:
            buffer = io.BytesIO()
            write_text_frame(frame, buffer, dialect)
            content = buffer.getvalue()
            if dialect.encoding != "utf-8":
                content = content.decode("utf-8").encode(dialect.encoding, errors="strict")
            with opened_for_writing(temporary, ending_of(path)) as file:
                file.write(content)


def dialect_for(origin: Json, path: Path) -> Dialect:
    """Return how a table is written to a text file: as it came, but for the delimiter that an ending stands for."""
    dialect = Dialect(**origin.get("dialect", {}))
    if without_packing(ending_of(path)) == ".tsv":
        return replace(dialect, delimiter="\t")
    came_as_tabs = without_packing(ending_of(origin.get("path", ""))) == ".tsv"
    if came_as_tabs and dialect.delimiter == "\t" and without_packing(ending_of(path)) == ".csv":
        return replace(dialect, delimiter=",")
    return dialect


def stands_for(text: pa.ChunkedArray | None, column: pa.ChunkedArray, style: Style) -> bool:
    """Say whether a remembered text still is what the column holds: what was masked must never come out by it."""
    if text is None or len(text) != len(column) or pa.types.is_nested(column.type):
        return False
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        plain = canonical(text, style, [*MISSING_WORDS, *AMONG_NUMBERS])
        return bool(plain.combine_chunks().equals(column.cast(pa.string()).combine_chunks()))
    if not (pa.types.is_floating(column.type) or pa.types.is_integer(column.type)):
        return False
    remembered = _plainly(text, column.type) if style == Style() else None
    if remembered is None:
        remembered = _typed(text, style)
    if pa.types.is_string(remembered.type):
        return False
    if pa.types.is_integer(remembered.type) and pa.types.is_integer(column.type):
        # Floats would take two large numbers for the same one.
        return bool(remembered.combine_chunks().equals(column.cast(pa.int64()).combine_chunks()))
    numbers = column.cast(pa.float64(), safe=False)
    numbers = pc.if_else(pc.is_nan(numbers), pa.scalar(None, numbers.type), numbers)
    return bool(remembered.cast(pa.float64(), safe=False).combine_chunks().equals(numbers.combine_chunks()))


def released_name(name: str) -> str:
    """Return what a column is called in a text file.

    A spreadsheet runs a name that begins like a formula; an apostrophe makes it text, and we take it off again.
    """
    return f"'{name}" if name[0] in _FORMULA else name


def writes_numbers(kind: pa.DataType, *, named: bool) -> bool:
    """Say whether a column is written in the style of its numbers: it holds some, or words `named` among some."""
    return named or bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def write_text_frame(
    frame: pl.DataFrame, target: Path | io.BytesIO, dialect: Dialect, *, beginning: bool = True
) -> None:
    """Write fields that are text already; the names of the columns stand at the beginning."""
    frame.write_csv(
        target,
        include_header=beginning,
        separator=dialect.delimiter,
        include_bom=dialect.bom and beginning,
        line_terminator=dialect.newline,
        quote_style="always" if dialect.quote_all else "necessary",
    )


def column_as_text(column: pa.ChunkedArray, schema: Schema, name: str) -> pa.ChunkedArray:
    """Return values as they stand in a text file, before numbers are given the style of their column."""
    if pa.types.is_nested(column.type):
        return schema[name].scale.to_text(column)  # type: ignore[attr-defined]
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    return column.cast(pa.string())
