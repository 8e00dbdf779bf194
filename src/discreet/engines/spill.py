"""Temporary files through which records are brought together that do not fit into memory at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.data.encoded_rows import Columns, EncodedRows
from discreet.engines.blocks import from_arrow, to_arrow

__all__ = ["Spill"]


class Spill:
    """Temporary files, one a bucket, that records are added to and taken back from."""

    def __init__(self, folder: Path, columns: Columns, buckets: int) -> None:
        self._folder = folder
        self._columns = columns
        self.buckets = buckets
        self._writers: list[Any] = [None] * buckets
        self._schema = to_arrow({name: [] for name in columns}, columns).schema

    def add(self, block: EncodedRows, buckets: Any) -> None:
        """Add records to their buckets."""
        buckets = buckets.astype(np.uint16)  # there are few, and numbers of so few bits are sorted without comparing
        order = np.argsort(buckets, kind="stable")
        table = to_arrow({name: block[name][order] for name in self._columns}, self._columns)
        distinct, first = np.unique(buckets[order], return_index=True)
        ends = np.append(first[1:], order.size)
        for bucket, low, high in zip(distinct, first, ends, strict=True):
            if self._writers[bucket] is None:
                sink = pa.OSFile(str(self._path(int(bucket))), "wb")
                self._writers[bucket] = (sink, pa.ipc.new_stream(sink, self._schema))
            self._writers[bucket][1].write_table(table.slice(low, high - low))

    def close(self) -> None:
        """End writing."""
        for writer in self._writers:
            if writer is not None:
                writer[1].close()
                writer[0].close()

    def take(self, bucket: int) -> EncodedRows:
        """Return the records of a bucket, in the order in which they were added, and remove its file."""
        if self._writers[bucket] is None:
            return {name: np.empty(0, dtype=np.int64) for name in self._columns}
        with pa.OSFile(str(self._path(bucket)), "rb") as stream:
            block = from_arrow(pa.ipc.open_stream(stream).read_all())
        self._path(bucket).unlink()
        return block

    def _path(self, bucket: int) -> Path:
        return self._folder / f"{bucket}.arrow"
