"""Arrow files (``.arrow``, ``.feather``) in and out; types are kept, and labels are in the metadata."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.ipc

from discreet.data.cleaning import clean_arrow
from discreet.data.frames import column_names
from discreet.data.microdata import Microdata
from discreet.errors import FileError
from discreet.io.atomic import whole_file
from discreet.io.label_upkeep import from_metadata, to_metadata
from discreet.typing import Json

__all__ = ["read_arrow", "write_arrow"]


def read_arrow(path: Path) -> tuple[pa.Table, Json]:
    """Return the table, mapped from the file rather than copied, and its origin."""
    try:
        with pa.memory_map(str(path)) as source:
            table = pa.ipc.open_file(source).read_all()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError):
        try:
            with pa.OSFile(str(path)) as source:
                table = pa.ipc.open_stream(source).read_all()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError):
            raise FileError(f"{str(path)!r} is not an Arrow file that can be read.") from None
    column_names(table)
    if not table.num_rows:
        raise FileError(f"{str(path)!r} has no records.")
    origin: Json = {"format": "arrow", "path": str(path)}
    labels = from_metadata(table.schema.metadata)
    return table, origin | ({} if labels is None else {"labels": labels})


def write_arrow(table: Microdata, path: Path, inputs: tuple[Path, ...] = ()) -> None:
    """Write a table as an Arrow file, with the labels of its columns in the metadata."""
    metadata = to_metadata(table.origin["labels"]) if table.origin.get("labels") else None
    arrow = clean_arrow(table.to_arrow()).replace_schema_metadata(metadata)
    with (
        whole_file(path, inputs) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, arrow.schema) as writer,
    ):
        writer.write_table(arrow)
