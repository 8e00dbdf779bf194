"""Files in and out. The only room that opens data files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa

from discreet.errors import FileError, ParameterError
from discreet.io.atomic import check_target, whole_file, write_text
from discreet.io.csv import read_csv, write_csv
from discreet.io.parquet import read_parquet, write_parquet
from discreet.microdata import Microdata
from discreet.typing import Json

__all__ = ["FORMATS", "Format", "check_target", "read_table", "write_frame", "write_table", "write_text"]


class Format(NamedTuple):
    """How one kind of file is read and written."""

    read: Callable[..., tuple[pa.Table, Json]]
    write: Callable[[Microdata, Path, tuple[Path, ...]], None]


_CSV, _PARQUET = Format(read_csv, write_csv), Format(read_parquet, write_parquet)
FORMATS = {".csv": _CSV, ".tsv": _CSV, ".txt": _CSV, ".parquet": _PARQUET, ".pq": _PARQUET}


def read_table(path: str | os.PathLike[str], **options: Any) -> tuple[pa.Table, Json]:
    """Read a file by its ending and return the table with what the writer wants to know about it.

    Parameters
    ----------
    path : path
        ``.csv``, ``.tsv``, ``.txt``, ``.parquet`` or ``.pq``.
    **options
        `delimiter` and `encoding` for text files.
    """
    source = Path(path)
    if source.is_dir():
        raise FileError(f"{str(source)!r} is a folder.", hint="Give a file name.")
    if not source.exists():
        raise FileError(f"The file {str(source)!r} does not exist.", hint="Check the path.")
    reader = _format(source).read
    given = {name: value for name, value in options.items() if value is not None}
    try:
        return reader(source, **given)
    except PermissionError:
        raise FileError(f"The file {str(source)!r} cannot be read.", hint="Check its permissions.") from None
    except TypeError:
        raise ParameterError(f"{', '.join(given)} cannot be set for a {source.suffix} file.") from None


def write_table(table: Microdata, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Write a table by the ending of the path, whole or not at all, and never over one of the `inputs`."""
    target = check_target(path, inputs)
    _format(target).write(table, target, tuple(Path(source) for source in inputs))


def write_frame(
    frame: pl.DataFrame, path: str | os.PathLike[str], inputs: Iterable[str | os.PathLike[str]] = ()
) -> None:
    """Write a table of results, which holds no records, as CSV or Parquet; whole or not at all."""
    with whole_file(path, inputs) as temporary:
        if Path(path).suffix.lower() in {".parquet", ".pq"}:
            frame.write_parquet(temporary)
        else:
            frame.write_csv(temporary)


def _format(path: Path) -> Format:
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise FileError(f"{str(path)!r} has an unknown ending.", hint=f"Known endings: {', '.join(FORMATS)}.")
    return FORMATS[ending]
