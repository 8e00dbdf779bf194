"""Frames of any library: as narwhals sees them, their columns' names, and a column as Arrow has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import pyarrow as pa

from discreet.data.scales.scale import as_arrow
from discreet.errors import DataError, SchemaError, in_own_words

if TYPE_CHECKING:
    import polars as pl

__all__ = ["arrow_column", "arrow_of", "as_arrow_table", "as_narwhals", "column_names", "polars_of"]


def arrow_column(frame: nw.DataFrame[Any], name: str) -> pa.Array:
    """Return one column of a frame as one plain Arrow array; a column that has no such form is refused by name."""
    return as_arrow(arrow_of(frame, name))


def arrow_of(frame: nw.DataFrame[Any], name: str) -> Any:
    """Return a column as Arrow has it, in one or several chunks."""
    # The library's own message quotes the value it stumbled over.
    return in_own_words(
        frame[name].to_arrow,
        lambda: DataError(f"Column {name!r} mixes kinds of values.", hint="Make it all text or all numbers."),
    )


def as_arrow_table(frame: Any) -> pa.Table:
    """Return a frame of any library as an Arrow table: its columns, and nothing else that a frame may hold."""
    if isinstance(frame, pa.Table):
        return frame
    wrapped = as_narwhals(frame)
    return pa.table({name: arrow_of(wrapped, name) for name in wrapped.columns})


def polars_of(table: pa.Table) -> pl.DataFrame:
    """Return an Arrow table as a frame of polars."""
    frame: pl.DataFrame = nw.from_arrow(table, backend="polars").to_native()
    return frame


def column_names(frame: Any) -> list[str]:
    """Return the column names of a table, refusing names that are not text or appear twice."""
    columns = frame.column_names if isinstance(frame, pa.Table) else getattr(frame, "columns", [])
    names = list(columns)
    if not all(isinstance(name, str) for name in names):
        raise SchemaError("Column names must be text.", hint="df.columns = df.columns.astype(str)")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SchemaError(f"Column {twice[0]!r} appears {names.count(twice[0])} times.", hint="Rename one of them.")
    return names


def as_narwhals(frame: Any) -> nw.DataFrame[Any]:
    """Wrap a pandas, Polars or Arrow table; anything else is refused."""
    # A lazy frame would have to be resolved to tell its columns; it is refused below.
    if not hasattr(frame, "collect") and hasattr(frame, "columns"):
        column_names(frame)
    try:
        wrapped: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True, allow_series=False)
    except TypeError:
        raise DataError(
            f"A table must be a pandas, Polars or Arrow table; got {type(frame).__name__}.",
            hint="Collect a lazy frame first.",
        ) from None
    return wrapped
