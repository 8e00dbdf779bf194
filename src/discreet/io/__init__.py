"""Files in and out. The only room that opens data files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa

from discreet.data.guarantees import Guarantee
from discreet.data.labels import Labels, declared_by_labels
from discreet.data.microdata import Microdata
from discreet.errors import FileError, ParameterError
from discreet.io.arrow import read_arrow, write_arrow
from discreet.io.atomic import looked_at, whole_file, write_text
from discreet.io.csv import dialect_for, read_csv, write_csv
from discreet.io.door import check_target, check_targets, content_of, written_together
from discreet.io.excel import read_excel, write_excel
from discreet.io.fixed_width import FIXED, declared_by_rda, places_in, rda_text, read_fixed_width, write_fixed_width
from discreet.io.gate import at_the_gate
from discreet.io.json_text import parse_json, read_json
from discreet.io.label_upkeep import after_masking
from discreet.io.ndjson import read_ndjson, write_ndjson
from discreet.io.packing import PACKED, ending_of
from discreet.io.parquet import list_parquet, read_parquet, write_parquet
from discreet.io.recount import count_written
from discreet.io.statistical import KINDS, list_statistical, read_statistical, write_statistical
from discreet.io.text_options import check_text_options
from discreet.io.wide_states import spread_promises, spread_states
from discreet.typing import Json

__all__ = [
    "FORMATS",
    "Format",
    "Labels",
    "after_masking",
    "can_write",
    "check_target",
    "check_targets",
    "content_of",
    "declared_by_labels",
    "declared_by_rda",
    "ending_of",
    "parse_json",
    "read_groups",
    "read_json",
    "read_table",
    "write_frame",
    "write_table",
    "write_text",
    "written_together",
]


class Format(NamedTuple):
    """How one kind of file is read and written."""

    read: Callable[..., tuple[pa.Table, Json]]
    write: Callable[[Microdata, Path, tuple[Path, ...]], None]
    columns: Callable[..., tuple[list[str], int]] | None = None
    """How the columns and the number of records are found without reading them, where the format can tell."""
    beside: tuple[str, Callable[[Microdata], str]] | None = None
    """The ending of a text that belongs beside the file, and what is in it."""


_CSV, _PARQUET = Format(read_csv, write_csv), Format(read_parquet, write_parquet, list_parquet)
_FIXED = Format(read_fixed_width, write_fixed_width, beside=(".rda", rda_text))
_NDJSON = Format(read_ndjson, write_ndjson)
_ARROW, _STATISTICAL = Format(read_arrow, write_arrow), Format(read_statistical, write_statistical, list_statistical)
FORMATS = {
    ".csv": _CSV,
    ".tsv": _CSV,
    ".txt": _CSV,
    ".ndjson": _NDJSON,
    ".jsonl": _NDJSON,
    ".parquet": _PARQUET,
    ".pq": _PARQUET,
    ".arrow": _ARROW,
    ".feather": _ARROW,
    ".xlsx": Format(read_excel, write_excel),
    **dict.fromkeys(KINDS, _STATISTICAL),
    **dict.fromkeys(FIXED, _FIXED),
    **{ending: _NDJSON if "json" in ending else _CSV for ending in PACKED},
}


_CELLS = 20_000_000
"""Cells that a look at a file holds at a time."""


def read_table(path: str | os.PathLike[str], **options: Any) -> tuple[pa.Table, Json]:
    """Read a file by its ending and return the table with what the writer wants to know about it.

    Parameters
    ----------
    path : path
        See :data:`FORMATS`.
    **options
        `delimiter`, `encoding`, `decimal`, `thousands` and `leave_out` for text files, `header` and `names` for them
        and for workbooks, `encoding` for SPSS, Stata and SAS files, `sheet` for workbooks.
    """
    source = Path(path)
    if source.is_dir():
        raise FileError(f"{str(source)!r} is a folder.", hint="Give a file name.")
    if not source.exists():
        raise FileError(f"The file {str(source)!r} does not exist.", hint="Check the path.")
    reader = _format(source).read
    arguments = {name: value for name, value in options.items() if value is not None}
    parameters = signature(reader).parameters
    if "names" not in parameters:
        arguments.pop("names", None)
    unknown = [name for name in arguments if name not in parameters]
    if unknown:
        raise ParameterError(f"{', '.join(unknown)} cannot be set for a {ending_of(source)} file.")
    check_text_options(arguments.get("delimiter"), arguments.get("encoding"))
    try:
        return reader(source, **arguments)
    except PermissionError:
        raise FileError(f"The file {str(source)!r} cannot be read.", hint="Check its permissions.") from None
    except UnicodeError:
        raise FileError(
            f"{str(source)!r} holds bytes that are not {arguments.get('encoding', 'utf-8')} text.",
            hint="Name its encoding, such as --encoding latin-1.",
        ) from None


def read_groups(path: str | os.PathLike[str], **options: Any) -> Iterator[tuple[pa.Table, Json]]:
    """Read a file in groups of columns, so that a look at it holds few of them at a time.

    Formats that cannot be read by columns, and tables that are small, come as one group.
    """
    source = Path(path)
    arguments = {name: value for name, value in options.items() if value is not None}
    listed = _format(source).columns if source.is_file() else None
    if listed is None or set(arguments) - {"encoding"}:
        yield read_table(path, **options)
        return
    names, records = listed(source, **arguments)
    size = max(1, _CELLS // max(records, 1))
    if not records or len(names) <= size:
        yield read_table(path, **options)
        return
    for start in range(0, len(names), size):
        yield read_table(path, **options, columns=names[start : start + size])


def write_table(
    table: Microdata,
    path: str | os.PathLike[str],
    inputs: Iterable[str | os.PathLike[str]] = (),
    guarantees: Sequence[Guarantee] = (),
) -> None:
    """Write a table by the ending of the path, whole or not at all, and never over one of the `inputs`.

    Every writer is handed what the gate lets through: cells, and what is needed to read them. What the table promises
    is counted again on the bytes that were written, before they are put in place.
    """
    target = check_target(path, inputs)
    sources = tuple(Path(source) for source in inputs)
    guarantees, table = spread_promises(guarantees, table), spread_states(table)
    dialect = asdict(dialect_for(table.origin, target))
    kind, clean = _format(target), at_the_gate(table)
    about = kind.beside[1](clean) if kind.beside is not None else ""
    places = places_in(about) if kind.beside is not None else None

    def look(written: Path) -> None:
        count_written(
            written, ending_of(target), guarantees,
            records=len(table), columns=table.names, dialect=dialect, places=places,
        )  # fmt: skip

    if kind.beside is None:
        with looked_at(look):
            kind.write(clean, target, sources)
        return
    companion = target.with_suffix(kind.beside[0])
    with written_together([target, companion], sources):
        with looked_at(look):
            kind.write(clean, target, sources)
        write_text(companion, about, sources)


def write_frame(
    frame: pl.DataFrame, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()
) -> None:
    """Write a table of results, which holds no records, as CSV or Parquet; whole or not at all."""
    with whole_file(path, inputs) as temporary:
        if Path(path).suffix.lower() in {".parquet", ".pq"}:
            frame.write_parquet(temporary)
        else:
            frame.write_csv(temporary)


def can_write(path: str | os.PathLike[str]) -> bool:
    """Say whether there is a writer for the ending of a path."""
    ending = ending_of(path)
    return ending in FORMATS and KINDS.get(ending, ("", "", ""))[2] is not None


def _format(path: Path) -> Format:
    ending = ending_of(path)
    if ending not in FORMATS:
        old = " Save an old workbook as .xlsx." if ending == ".xls" else ""
        raise FileError(f"{str(path)!r} has an unknown ending.", hint=f"Known endings: {', '.join(FORMATS)}.{old}")
    return FORMATS[ending]
