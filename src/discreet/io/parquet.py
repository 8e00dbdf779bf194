"""Parquet in and out; types are kept, and the labels of columns and values are in the metadata."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.cleaning import clean_arrow
from discreet.data.frames import column_names
from discreet.data.microdata import Microdata
from discreet.errors import FileError
from discreet.io.atomic import whole_file
from discreet.io.label_upkeep import from_metadata, to_metadata
from discreet.io.parquet_codec import packing_of
from discreet.typing import Json

__all__ = ["list_parquet", "read_parquet", "write_parquet"]


def list_parquet(path: Path) -> tuple[list[str], int]:
    """Return the columns of a file and the number of its records, without reading them."""
    try:
        about = pq.read_metadata(path)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError):
        raise FileError(f"{str(path)!r} is not a Parquet file that can be read.") from None
    return list(about.schema.to_arrow_schema().names), about.num_rows


def read_parquet(path: Path, *, columns: list[str] | None = None) -> tuple[pa.Table, Json]:
    """Return the table (or some of its `columns`), its metadata in its schema, and its origin."""
    try:
        table = pq.read_table(path, columns=columns)
    except pa.ArrowCancelled:
        raise KeyboardInterrupt from None
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError):
        raise FileError(f"{str(path)!r} is not a Parquet file that can be read.") from None
    column_names(table)
    if not table.num_rows:
        raise FileError(f"{str(path)!r} has no records.")
    origin: Json = {"format": "parquet", "path": str(path)}
    labels = from_metadata(table.schema.metadata)
    return table, origin | ({} if labels is None else {"labels": labels})


def write_parquet(table: Microdata, path: Path, inputs: tuple[Path, ...] = ()) -> None:
    """Write a table with the labels of its columns and values; of other metadata nobody knows what they say.

    It is compressed as the first Parquet file among `inputs`.
    """
    metadata = to_metadata(table.origin["labels"]) if table.origin.get("labels") else None
    arrow = clean_arrow(table.to_arrow()).replace_schema_metadata(metadata)
    with whole_file(path, inputs) as temporary:
        pq.write_table(arrow, temporary, **packing_of(inputs).options(arrow))
