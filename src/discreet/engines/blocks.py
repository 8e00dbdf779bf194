"""Blocks as Arrow tables, and counting in them: what every table engine shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from discreet.data.encoded_rows import ROW, WRITTEN, Columns, EncodedRows
from discreet.data.microdata import Microdata
from discreet.data.scales import EncodedSequences
from discreet.data.schema import Schema
from discreet.errors import DataError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COUNT", "TOTAL", "columns_of", "counted", "encoded", "from_arrow", "joined", "stored", "summed", "to_arrow"]

COUNT, TOTAL = "#count", "#total"

_TYPES = {"float": pa.float64(), "code": pa.int32(), "int": pa.int64(), "bytes": pa.binary()}
_KINDS = {"numeric": "float", "ordinal": "code", "nominal": "code", "sequence": "bytes"}


def columns_of(schema: Schema, names: Iterable[str]) -> dict[str, str]:
    """Return the kinds of encoded attributes, and of the record's position before them."""
    return {ROW: "int", **{n: "int" if n.endswith(WRITTEN) else _KINDS[schema[n].scale.kind] for n in names}}


def stored(names: Iterable[str]) -> tuple[str, ...]:
    """Return the attributes that stand in the files, each once, of names some of which ask how they are written."""
    return tuple(dict.fromkeys(name.removesuffix(WRITTEN) for name in names))


def encoded(table: Microdata, names: Iterable[str], rows: Any) -> dict[str, Any]:
    """Return attributes of some records as a block; a sequence becomes the bytes of its codes."""
    block: dict[str, Any] = {ROW: np.asarray(rows, dtype=np.int64)}
    for name in names:
        if name.endswith(WRITTEN):
            block[name] = table.cell_keys(name.removesuffix(WRITTEN))
            continue
        column = table.encoded(name)
        if isinstance(column, EncodedSequences):
            texts = np.empty(len(column), dtype=object)
            texts[:] = column.keys()
            column = texts
        block[name] = column
    return block


def to_arrow(block: EncodedRows, columns: Columns) -> pa.Table:
    """Return a block as an Arrow table of these columns."""
    absent = [name for name in columns if name not in block]
    if absent:
        raise DataError(f"A function on blocks gave no column {absent[0]!r}.")
    arrays = [pa.array(block[name], type=_TYPES[kind], from_pandas=False) for name, kind in columns.items()]
    return pa.table(arrays, names=list(columns))


def from_arrow(table: pa.Table) -> dict[str, Any]:
    """Return an Arrow table as a block."""
    result: dict[str, Any] = {}
    for name in table.column_names:
        column = table.column(name)
        if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
            texts = np.empty(len(column), dtype=object)
            texts[:] = column.to_pylist()
            result[name] = texts
        else:
            result[name] = column.to_numpy()
    return result


def joined(blocks: Sequence[EncodedRows], columns: Columns) -> dict[str, Any]:
    """Return blocks as one, in the order of the records' positions where there are any."""
    if not blocks:
        return from_arrow(to_arrow({name: [] for name in columns}, columns))
    result = {name: np.concatenate([block[name] for block in blocks]) for name in columns}
    if ROW not in result:
        return result
    order = np.argsort(result[ROW], kind="stable")
    return {name: column[order] for name, column in result.items()}


def summed(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the sums of arrays by name, in the order in which they come."""
    result: dict[str, Any] = {}
    for part in parts:
        for name, array in part.items():
            result[name] = result[name] + array if name in result else np.asarray(array)
    return result


def counted(block: EncodedRows, keys: Sequence[str], weight: str | None) -> dict[str, Any]:
    """Return the combinations of keys in a block, sorted, with how often they occur and their weight in all.

    A block that was counted before is counted on; −0.0 is 0.0, and NaN is one value.
    """
    import polars as pl

    n = len(next(iter(block.values())))
    again = COUNT in block
    counts = np.asarray(block[COUNT] if again else np.ones(n, dtype=np.int64))
    totals = np.asarray(block[TOTAL] if again else counts if weight is None else block[weight], dtype=np.float64)
    frame = pl.DataFrame({**{name: _key(block[name]) for name in keys}, COUNT: counts, TOTAL: totals})
    sums = [pl.col(COUNT).sum(), pl.col(TOTAL).sum()]
    groups = frame.group_by(list(keys)).agg(sums).sort(list(keys)) if keys else frame.select(sums)
    return {name: _array(groups[name]) for name in (*keys, COUNT, TOTAL)}


def _key(column: Any) -> Any:
    import polars as pl

    if column.dtype == object:
        return pl.Series(values=list(column), dtype=pl.Binary)
    return column + 0.0 if column.dtype.kind == "f" else column


def _array(series: pl.Series) -> Any:
    import polars as pl

    if series.dtype == pl.Binary:
        texts = np.empty(len(series), dtype=object)
        texts[:] = series.to_list()
        return texts
    return series.to_numpy()
