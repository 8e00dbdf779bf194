"""SPSS, Stata and SAS in and out, with labels, measurement levels, missing codes and dates.

The library behind it (ReadStat) is imported when such a file is opened; it comes with the extra ``files``. Files are
read in pieces, so that no more than one piece is held twice. What is written bears no time of day: the same table gives
the same bytes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.frames import column_names
from discreet.data.labels import Labels
from discreet.data.microdata import Microdata
from discreet.errors import FileError, MissingExtraError
from discreet.io.atomic import whole_file
from discreet.progress import report
from discreet.scratch import saying_if_full
from discreet.typing import Json

__all__ = ["KINDS", "list_statistical", "read_plainly", "read_statistical", "write_statistical"]

_PIECE = 200_000
_LARGEST_WHOLE = 2.0**53
_FORMATS = "formats.sas7bcat"
"""What SAS calls the catalogue of a folder."""

KINDS: dict[str, tuple[str, str, str | None]] = {
    ".sav": ("SPSS", "read_sav", "write_sav"),
    ".zsav": ("SPSS", "read_sav", "write_sav"),
    ".dta": ("Stata", "read_dta", "write_dta"),
    ".sas7bdat": ("SAS", "read_sas7bdat", None),
    ".xpt": ("SAS transport", "read_xport", "write_xport"),
}
"""By ending: what the format is called, and the functions of the library."""

_NAMES = {
    ".sav": (re.compile(r"[^\W\d][\w.@#$]{0,63}"), "64 letters, digits, dots and underscores, beginning with a letter"),
    ".dta": (re.compile(r"[^\W\d]\w{0,31}"), "32 letters, digits and underscores, beginning with a letter"),
    ".xpt": (re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}"), "32 letters, digits and underscores, beginning with a letter"),
}


def _library(kind: str) -> Any:
    try:
        import pyreadstat
    except ImportError:
        raise MissingExtraError(
            f"A {kind} file needs the library pyreadstat, which is not installed.", hint="pip install 'discreet[files]'"
        ) from None
    return pyreadstat


# ------------------------------------------------------------------------------------------------------------ reading


def list_statistical(path: Path, *, encoding: str | None = None) -> tuple[list[str], int]:
    """Return the columns of a file and the number of its records (0 where it does not say), without reading them."""
    _, metadata = _read(path, {"metadataonly": True} | ({} if encoding is None else {"encoding": encoding}))
    return list(metadata.column_names), int(metadata.number_rows or 0)


def _read(path: Path, options: dict[str, Any]) -> Any:
    kind, reader, _ = KINDS[path.suffix.lower()]
    read: Callable[..., Any] = getattr(_library(kind), reader)
    try:
        return read(str(path), output_format="polars", **options)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the library's message may quote what it stumbled over
        raise FileError(
            f"{str(path)!r} is not a {kind} file that can be read.",
            hint="Check that it is complete, and its ending; name its encoding where letters are wrong.",
        ) from None


def read_statistical(
    path: Path, *, encoding: str | None = None, columns: list[str] | None = None
) -> tuple[pa.Table, Json]:
    """Return the table, or some of its columns, and its origin: labels, and the letters of missing values.

    Numbers that are all whole become whole numbers; empty text becomes a missing value; user-missing codes of SPSS
    stay in the table, for the schema to declare.
    """
    ending = path.suffix.lower()
    options: dict[str, Any] = {}
    if ending != ".xpt":
        options["user_missing"] = True
    if encoding is not None:
        options["encoding"] = encoding
    if columns is not None:
        options["usecols"] = columns
    pieces: list[pl.DataFrame] = []
    letters: list[dict[str, pl.Series]] = []
    metadata: Any = None
    while not pieces or pieces[-1].height == _PIECE:
        piece, metadata = _read(path, options | {"row_offset": len(pieces) * _PIECE, "row_limit": _PIECE})
        clean, tagged = _cleaned(piece, metadata)
        pieces.append(clean)
        letters.append(tagged)
        report("reading", sum(part.height for part in pieces), max(metadata.number_rows or 0, 1))
    frame = pl.concat(pieces, how="vertical_relaxed") if len(pieces) > 1 else pieces[0]
    if not frame.width:
        raise FileError(f"{str(path)!r} has no columns.")
    if not frame.height:
        raise FileError(f"{str(path)!r} has no records.")
    table = _plain_types(frame)
    column_names(table)
    catalogue = _catalogue_of(path)
    if catalogue is not None:
        metadata.variable_value_labels = metadata.variable_value_labels or _from_catalogue(catalogue, metadata)
    origin: Json = {"format": ending[1:], "path": str(path), "labels": _labels(metadata, ending)}
    if catalogue is not None:
        origin["catalogue"] = str(catalogue)
    tags = _joined_letters(letters, pieces)
    if tags:
        origin["verbatim_missing"] = tags
    return table, origin


def read_plainly(path: Path, ending: str, names: tuple[str, ...]) -> pl.DataFrame:
    """Return some columns as they stand in a file of this kind, every way to be missing as a text of its own."""
    kind, reader, _ = KINDS[ending]
    options: dict[str, Any] = {} if ending == ".xpt" else {"user_missing": True}
    read: Callable[..., Any] = getattr(_library(kind), reader)
    frame, metadata = read(str(path), output_format="polars", **options)
    clean, letters = _cleaned(frame.select([name for name in frame.columns if name in names]), metadata)
    return clean.with_columns(
        pl.coalesce(tags, clean[name].cast(pl.String)).alias(name) for name, tags in letters.items()
    )


def _catalogue_of(path: Path) -> Path | None:
    """Return the catalogue that keeps the value labels of a SAS file, if one lies beside it."""
    if path.suffix.lower() != ".sas7bdat":
        return None
    return next((one for one in (path.with_suffix(".sas7bcat"), path.with_name(_FORMATS)) if one.is_file()), None)


def _from_catalogue(catalogue: Path, metadata: Any) -> dict[str, dict[Any, str]]:
    """Return the value labels of a SAS file by column, through its format."""
    try:
        _, contents = _library("SAS").read_sas7bcat(str(catalogue))
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the library's message may quote what it stumbled over
        raise FileError(
            f"{str(catalogue)!r} is not a catalogue of SAS formats that can be read.",
            hint="It names the values of the file beside it. Correct it, or move it elsewhere to read without it.",
        ) from None
    by_format = {name.upper(): labels for name, labels in contents.value_labels.items()}
    by_column = {}
    for column, named in (metadata.original_variable_types or {}).items():
        # A format may be written with the width that it is shown in: SEX8. is SEX.
        name = str(named or "").upper()
        labels = by_format.get(name) or by_format.get(re.sub(r"(?<=\D)\d*\.?\d*$", "", name))
        if labels:
            by_column[column] = dict(labels)
    return by_column


def _cleaned(piece: pl.DataFrame, metadata: Any) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """Take the letters of missing values out of number columns, and make empty text missing."""
    columns, letters = [], {}
    for series in piece.get_columns():
        text = metadata.readstat_variable_types.get(series.name) == "string"
        if text:
            series = series.cast(pl.String)  # noqa: PLW2901 - the same column
            columns.append(series.replace("", None) if len(series) else series)
        elif series.dtype in (pl.Object, pl.String):
            values = series.to_list()
            letters[series.name] = pl.Series(
                series.name, [v if isinstance(v, str) else None for v in values], pl.String
            )
            columns.append(pl.Series(series.name, [None if isinstance(v, str) else v for v in values], strict=False))
        else:
            columns.append(series.cast(pl.Float64) if series.dtype == pl.Null else series)
    return pl.DataFrame(columns), letters


def _plain_types(frame: pl.DataFrame) -> pa.Table:
    """Return an Arrow table in which numbers that are all whole are whole numbers, as in a CSV file."""
    columns = {}
    for name in frame.columns:
        column = frame[name].to_arrow()
        if pa.types.is_large_string(column.type) or column.type == pa.string_view():
            column = column.cast(pa.string())
        if pa.types.is_floating(column.type):
            column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
            near = pc.and_(pc.equal(column, pc.floor(column)), pc.less(pc.abs(column), _LARGEST_WHOLE))
            if column.null_count < len(column) and pc.all(near).as_py():
                column = column.cast(pa.int64())
        columns[name] = column
    return pa.table(columns)


def _labels(metadata: Any, ending: str) -> Labels:
    def whole(code: Any) -> Any:
        return int(code) if isinstance(code, float) and code.is_integer() else code

    return Labels(
        title=metadata.file_label or "",
        notes=tuple(metadata.notes or ()),
        variables={name: text for name, text in (metadata.column_names_to_labels or {}).items() if text},
        values={
            name: {whole(code): str(text) for code, text in values.items()}
            for name, values in (metadata.variable_value_labels or {}).items()
        },
        measures={n: m for n, m in (metadata.variable_measure or {}).items() if m in {"nominal", "ordinal", "scale"}},
        missing={name: list(entries) for name, entries in (metadata.missing_ranges or {}).items()},
        formats={name: text for name, text in (metadata.original_variable_types or {}).items() if text},
        source=ending,
    )


def _joined_letters(letters: list[dict[str, pl.Series]], pieces: list[pl.DataFrame]) -> dict[str, pa.ChunkedArray]:
    names = {name for piece in letters for name in piece}
    return {
        name: pa.chunked_array([
            (tagged[name] if name in tagged else pl.Series(name, [None] * piece.height, pl.String))
            .to_arrow()
            .cast(pa.string())
            for tagged, piece in zip(letters, pieces, strict=True)
        ])
        for name in sorted(names)
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ writing


def write_statistical(table: Microdata, path: Path, inputs: tuple[Path, ...] = ()) -> None:
    """Write a table with the labels in its origin, as far as the format has room for them."""
    ending = path.suffix.lower()
    kind, _, writer = KINDS[ending]
    if writer is None:
        raise FileError(f"{kind} files of the ending {ending} cannot be written.", hint="Write .xpt, which SAS reads.")
    write: Callable[..., None] = getattr(_library(kind), writer)
    labels: Labels = table.origin.get("labels") or Labels()
    _check_names(table, ending, kind)
    frame, values = _coded(table, labels)
    options: dict[str, Any] = {"column_labels": _column_labels(table, labels), "file_label": labels.title[:64]}
    if ending in {".sav", ".zsav"}:
        options |= _spss_options(table, labels, values, frame)
        options["compress"] = ending == ".zsav"
    elif ending == ".dta":
        frame, options = _with_stata(table, labels, values, frame, options)
    elif labels.source == ".xpt":
        # The width of text is that of the longest one in the file, which may be gone.
        numbers = {n for n in frame.columns if frame[n].dtype != pl.String}
        options["variable_format"] = {n: f for n, f in labels.formats.items() if n in numbers}
    with whole_file(path, inputs) as temporary:
        # The library looks at the ending, and writes the file itself.
        inner = temporary.with_name(f"{temporary.name}{ending}")
        try:
            with saying_if_full(inner):
                write(frame, str(inner), **options)
            inner.replace(temporary)
        except Exception as error:
            inner.unlink(missing_ok=True)
            if isinstance(error, (MemoryError, FileError)):
                raise
            raise FileError(
                f"The table cannot be written as a {kind} file.",
                hint="Text may be too long for the format, or a column of a type it has not; .parquet takes all.",
            ) from None
        _without_time(temporary, ending)


def _check_names(table: Microdata, ending: str, kind: str) -> None:
    pattern, meaning = _NAMES[".sav" if ending == ".zsav" else ending]
    bad = [name for name in table.names if not pattern.fullmatch(name)]
    if bad:
        raise FileError(
            f"{len(bad)} of {len(table.names)} column names cannot be written to a {kind} file, the first {bad[0]!r}.",
            hint=f"A name there has at most {meaning}. Rename the columns, or write .csv or .parquet.",
        )


def _column_labels(table: Microdata, labels: Labels) -> dict[str, str]:
    named = {a.name: a.label for a in table.schema if a.label}
    return named | {name: text for name, text in labels.variables.items() if name in table.schema}


def _coded(table: Microdata, labels: Labels) -> tuple[pl.DataFrame, dict[str, dict[Any, str]]]:
    """Return the table with categories as the codes that they were, and what the codes are called.

    A column of labelled codes whose categories were given names (by a hierarchy, a map, a range) is written as codes
    again: those that still stand for themselves keep theirs, a new category gets the next free one, and its name
    becomes its label.
    """
    arrow, columns, values = table.to_arrow(), {}, {}
    for name in arrow.column_names:
        column, scale = arrow.column(name), table.schema[name].scale
        value_labels = dict(labels.values.get(name, {}))
        if pa.types.is_nested(column.type):
            column = scale.to_text(column)  # type: ignore[attr-defined]
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        series = pl.Series(name, column)
        numbers = [code for code in value_labels if isinstance(code, (int, float)) and not isinstance(code, bool)]
        was_coded = numbers or labels.formats.get(name, "A").upper()[:1] in {"F", "N"}
        if series.dtype == pl.String and value_labels and was_coded and scale.kind in {"ordinal", "nominal"}:
            series, value_labels = _as_codes(series, value_labels, labels)
        elif series.dtype == pl.Boolean:
            series = series.cast(pl.Int64)
        columns[name] = series
        if value_labels:
            values[name] = _of_type(value_labels, series.dtype)
    return pl.DataFrame(list(columns.values())), values


def _as_codes(series: pl.Series, value_labels: Mapping[Any, str], labels: Labels) -> tuple[pl.Series, dict[Any, str]]:
    words = series.drop_nulls().unique().sort().to_list()
    old_codes = [code for code in value_labels if not isinstance(code, str)]
    old_codes += [entry["hi"] if isinstance(entry, Mapping) else entry for entry in labels.missing.get(series.name, [])]
    codes: dict[str, int | float] = {}
    # "1" and "01" stay two categories: the code is that of the one which is written so.
    for word in sorted(words, key=lambda one: str(_number(one)) != one):
        number = _number(word)
        if number is not None and number not in codes.values():
            codes[word] = number
    following = int(max([0, *(n for n in (*old_codes, *codes.values()) if not isinstance(n, str))])) + 1
    for word in words:
        if word not in codes:
            codes[word] = following
            following += 1
    texts = {code: value_labels.get(word, value_labels.get(code, word)) for word, code in codes.items()}
    rest = {code: text for code, text in value_labels.items() if not isinstance(code, str) and code not in texts}
    coded = series.replace_strict(codes, default=None, return_dtype=pl.Float64)
    return coded, {**rest, **texts}


def _number(word: str) -> int | float | None:
    try:
        number = int(word) if re.fullmatch(r"-?\d+", word) else float(word)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _of_type(value_labels: Mapping[Any, str], dtype: Any) -> dict[Any, str]:
    """Return value labels whose codes have the column's type; those of another type cannot be written."""
    if dtype == pl.String:
        return {str(code): text for code, text in value_labels.items()}
    if dtype.is_integer():
        return {int(code): text for code, text in value_labels.items() if _is_whole(code)}
    if dtype.is_float():
        return {float(code): text for code, text in value_labels.items() if not isinstance(code, str)}
    return {}


def _is_whole(code: Any) -> bool:
    return not isinstance(code, str) and float(code).is_integer()


def _spss_options(table: Microdata, labels: Labels, values: dict[str, Any], frame: pl.DataFrame) -> dict[str, Any]:
    kinds = {"numeric": "scale", "ordinal": "ordinal", "nominal": "nominal"}
    options: dict[str, Any] = {
        "variable_value_labels": values,
        "variable_measure": {
            a.name: labels.measures.get(a.name, kinds.get(a.scale.kind, "unknown")) for a in table.schema
        },
        "missing_ranges": _spss_missing(table, labels, frame),
    }
    if labels.notes:
        options["note"] = list(labels.notes)
    if labels.source in {".sav", ".zsav"}:
        # A width of text is the library's to find: masked text may be longer. Dates are known by their type.
        options["variable_format"] = {
            name: text
            for name, text in labels.formats.items()
            if name in frame.columns and frame[name].dtype.is_numeric() and re.match(r"[FN]\d", text)
        }
    return options


def _spss_missing(table: Microdata, labels: Labels, frame: pl.DataFrame) -> dict[str, list[Any]]:
    result: dict[str, list[Any]] = {}
    for attribute in table.schema:
        name = attribute.name
        entries = list(labels.missing.get(name, attribute.missing))
        text = frame[name].dtype == pl.String
        fitting = [entry for entry in entries if isinstance(entry, str) == text] if not text else [
            entry["lo"] if isinstance(entry, Mapping) else entry for entry in entries
        ]  # fmt: skip
        ranges = [entry for entry in fitting if isinstance(entry, Mapping) and entry["lo"] != entry["hi"]]
        single = [e["lo"] if isinstance(e, Mapping) else e for e in fitting if e not in ranges]
        # The format has room for three codes, or for a range and one code.
        missing_values = ranges[:1] + single[: 1 if ranges else 3]
        if missing_values and (text or frame[name].dtype.is_numeric()):
            result[name] = [
                entry if isinstance(entry, Mapping) else (str(entry)[:8] if text else float(entry))
                for entry in missing_values
            ]
    return result


_STATA_LONG = (-2147483647, 2147483620)
"""What Stata's type of whole numbers holds; what is beyond stands for missing values there."""


def _stata_whole(series: pl.Series) -> pl.Series:
    """Return whole numbers in the type in which Stata keeps them, where it holds them all.

    The library writes wider ones as double, so that a column that nobody touched would come back as another type.
    """
    if not series.dtype.is_integer() or series.null_count() == len(series):
        return series
    least, most = int(series.min()), int(series.max())  # type: ignore[arg-type]
    return series.cast(pl.Int32) if _STATA_LONG[0] <= least and most <= _STATA_LONG[1] else series


def _with_stata(
    table: Microdata, labels: Labels, values: dict[str, Any], frame: pl.DataFrame, options: dict[str, Any]
) -> tuple[pl.DataFrame, dict[str, Any]]:
    letters: dict[str, list[str]] = {}
    columns = []
    for series in frame.get_columns():
        tags = table.origin.get("verbatim_missing", {}).get(series.name)
        if tags is not None and series.dtype.is_numeric():
            marks = tags.to_pylist()
            joined = [m if v is None and m is not None else v for v, m in zip(series.to_list(), marks, strict=True)]
            own_letters = sorted({v for v in joined if isinstance(v, str)})
            if own_letters:
                letters[series.name] = own_letters
                columns.append(pl.Series(series.name, joined, dtype=pl.Object))
                continue
        columns.append(_stata_whole(series))
    labelled = {
        name: {
            **{code: text for code, text in value_labels.items() if not isinstance(code, str) and _is_whole(code)},
            **{m: labels.values.get(name, {})[m] for m in letters.get(name, []) if m in labels.values.get(name, {})},
        }
        for name, value_labels in values.items()
        if frame[name].dtype.is_numeric()
    }
    options = {**options, "variable_value_labels": {n: k for n, k in labelled.items() if k}}
    options["missing_user_values"] = letters or None
    if labels.source == ".dta":
        options["variable_format"] = {
            name: text
            for name, text in labels.formats.items()
            if name in frame.columns and frame[name].dtype.is_numeric() and re.fullmatch(r"%-?\d+\.\d+[gf]c?", text)
        }
    return pl.DataFrame(columns), options


_TIMES = {
    ".sav": (92, 109, re.compile(rb"\d\d [A-Z][a-z]{2} \d\d\d\d:\d\d:\d\d"), b"01 Jan 0000:00:00"),
    ".dta": (0, 4096, re.compile(rb"\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d"), b"01 Jan 2000 00:00"),
    ".xpt": (0, 1040, re.compile(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d"), b"01JAN00:00:00:00"),
}


def _without_time(path: Path, ending: str) -> None:
    """Set the time of writing, which the formats keep at their beginning, to one and the same."""
    low, high, pattern, instead = _TIMES[".sav" if ending == ".zsav" else ending]
    with path.open("r+b") as file:
        file.seek(low)
        head = file.read(high - low)
        file.seek(low)
        file.write(pattern.sub(instead, head))
