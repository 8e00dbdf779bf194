"""Tables that are no frames yet: arrays, dicts, lists of records, lazy frames, relations and streams of Arrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.errors import DataError, SchemaError, in_own_words

__all__ = ["as_frame"]

_KINDS = (
    "a pandas, Polars or Arrow table, a LazyFrame, a DuckDB relation, a NumPy array, a dict of columns or a list of "
    "dicts"
)


def as_frame(source: Any, names: Sequence[str] | None = None) -> Any:
    """Return a table as a frame: what is one comes back itself, all else as Polars (a lazy frame) or Arrow.

    Parameters
    ----------
    source : object
        A frame; a Polars LazyFrame, which is collected; a DuckDB relation, a RecordBatch, a RecordBatchReader or
        anything else that hands out Arrow; a dict of columns; a list of dicts, one a record; a NumPy array with two
        dimensions or with fields.
    names : sequence of str, optional
        Of the columns of an array that has none; by default ``column_1``, ``column_2`` and so on.

    Examples
    --------
    >>> as_frame(np.array([[1.5, 2.0], [3.5, 4.0]])).column_names
    ['column_1', 'column_2']
    >>> as_frame([{"age": 31}, {"age": 45, "sex": "f"}]).to_pydict()
    {'age': [31, 45], 'sex': [None, 'f']}
    """
    if isinstance(source, np.ndarray):
        return _of_array(source, names)
    if isinstance(source, Mapping):
        return _of_columns({name: source[name] for name in source})
    if isinstance(source, (list, tuple)):
        return _of_records(source)
    if isinstance(source, pa.RecordBatchReader):
        return in_own_words(source.read_all, lambda: DataError("The stream of records cannot be read to its end."))
    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    module = type(source).__module__.split(".")[0].strip("_")
    if module == "polars" and type(source).__name__ == "LazyFrame":
        return in_own_words(source.collect, lambda: DataError("The lazy frame cannot be collected."))
    if module == "duckdb" and hasattr(source, "fetch_arrow_table"):
        return in_own_words(
            lambda: pa.table(source) if hasattr(source, "__arrow_c_stream__") else source.fetch_arrow_table(),
            lambda: DataError("The relation cannot be fetched."),
        )
    if hasattr(source, "columns") or hasattr(source, "column_names"):
        return source
    strange = DataError(f"A table must be {_KINDS}; got {type(source).__name__}.", hint="discreet.read reads a file.")
    if hasattr(source, "__arrow_c_stream__"):
        return in_own_words(lambda: pa.table(source), lambda: strange)
    raise strange


def _of_array(array: Any, names: Sequence[str] | None) -> pa.Table:
    if array.dtype.names is not None:
        if array.ndim != 1:
            raise DataError(f"An array with fields has one dimension, one entry a record; got {array.ndim}.")
        return _of_columns({name: np.ascontiguousarray(array[name]) for name in array.dtype.names})
    if array.ndim != 2:
        raise DataError(
            f"An array must have two dimensions, records and attributes; got {array.ndim}.",
            hint="array.reshape(-1, 1) makes one attribute of a row of numbers.",
        )
    headings = [f"column_{i}" for i in range(1, array.shape[1] + 1)] if names is None else list(names)
    if len(headings) != array.shape[1]:
        raise SchemaError(f"The array has {array.shape[1]} columns, and {len(headings)} names are given.")
    return _of_columns({name: np.ascontiguousarray(array[:, i]) for i, name in enumerate(headings)})


def _of_columns(columns: dict[Any, Any]) -> pa.Table:
    if not all(isinstance(name, str) for name in columns):
        raise SchemaError("Column names must be text.")
    arrays = {name: _column(name, values) for name, values in columns.items()}
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) > 1:
        raise DataError(
            f"The columns have {len(lengths)} different lengths, between {min(lengths)} and {max(lengths)}."
        )
    return pa.table(arrays)


def _column(name: str, values: Any) -> Any:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise DataError(f"Column {name!r} is no list of values.", hint="Give one value a record.")
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise DataError(f"Column {name!r} has {values.ndim} dimensions.", hint="A column has one.")
    # The library's own message quotes the value it stumbled over.
    return in_own_words(
        lambda: pa.array(values.tolist() if getattr(values, "dtype", None) == np.dtype(object) else values),
        lambda: DataError(f"Column {name!r} mixes kinds of values.", hint="Make it all text or all numbers."),
    )


def _of_records(records: Sequence[Any]) -> pa.Table:
    if not all(isinstance(record, Mapping) for record in records):
        raise DataError(
            f"A list must hold one dict a record; {_strangers(records)} of its {len(records)} items are none."
        )
    if not records:
        raise DataError("The list holds no records.")
    names = dict.fromkeys(name for record in records for name in record)
    return _of_columns({name: [record.get(name) for record in records] for name in names})


def _strangers(records: Sequence[Any]) -> int:
    return sum(not isinstance(record, Mapping) for record in records)
