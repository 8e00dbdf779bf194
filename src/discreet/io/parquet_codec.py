"""How a Parquet file is packed: a release as the file it is made from, and numbers without a dictionary of them all."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

__all__ = ["Packing", "packing_of"]

_DEFAULT = "SNAPPY"
_NAMES = {"UNCOMPRESSED": "NONE", "LZ4_RAW": "LZ4"}
_KNOWN = {"NONE", "SNAPPY", "GZIP", "BROTLI", "LZ4", "ZSTD"}
_LOOKED_AT = 131_072
_WORTH = 0.5
"""What a dictionary of numbers may take at most of what the numbers take, before either is compressed."""


class Packing(NamedTuple):
    """By which codec columns are compressed: each by its own, and one that was not there by that of the most."""

    by_column: Mapping[str, str]
    otherwise: str

    def options(self, table: pa.Table) -> dict[str, Any]:
        """Return what a writer is told for a file that begins with these records."""
        codecs = {name: self.by_column.get(name, self.otherwise) for name in table.column_names}
        alike = len(set(codecs.values())) == 1
        return {
            "compression": next(iter(codecs.values())) if alike else codecs,
            "use_dictionary": [name for name in table.column_names if _repeats(table.column(name))],
        }


def packing_of(inputs: Iterable[str | os.PathLike[str]]) -> Packing:
    """Return how the first Parquet file among these is compressed; where there is none, the usual way."""
    for path in map(Path, inputs):
        if path.suffix.lower() not in {".parquet", ".pq"} or not path.is_file():
            continue
        try:
            metadata = pq.read_metadata(path)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError):
            continue
        if metadata.num_row_groups:
            return _packing(metadata.row_group(0))
    return Packing({}, _DEFAULT)


def _packing(group: pq.RowGroupMetaData) -> Packing:
    codecs: dict[str, str] = {}
    for place in range(group.num_columns):
        column = group.column(place)
        codec = _NAMES.get(column.compression, column.compression)
        codecs[column.path_in_schema.split(".")[0]] = codec if codec in _KNOWN else _DEFAULT
    return Packing(codecs, Counter(codecs.values()).most_common(1)[0][0])


def _repeats(column: pa.ChunkedArray) -> bool:
    """Say whether a dictionary is worth it: of levels always, of numbers where they repeat.

    One of numbers most of which differ is as large as they are, and takes four times as long to write.
    """
    if not pa.types.is_floating(column.type):
        return True
    some = column.slice(0, _LOOKED_AT)
    distinct = pc.count_distinct(some).as_py()
    size = column.type.bit_width / 8
    return bool(distinct * size + len(some) * distinct.bit_length() / 8 <= _WORTH * size * len(some))
