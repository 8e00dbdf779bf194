"""Frames of any library: as narwhals sees them, their columns' names, and a column as Arrow has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import pyarrow as pa

from discreet.data.foreign_tables import as_frame
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
    native = frame.to_native()
    if isinstance(native, pa.Table):
        column = native.column(name)
    else:
        # The library's own message quotes the value it stumbled over.
        column = in_own_words(
            frame[name].to_arrow,
            lambda: DataError(f"Column {name!r} mixes kinds of values.", hint="Make it all text or all numbers."),
        )
    inner = column.type
    while pa.types.is_list(inner) or pa.types.is_large_list(inner) or pa.types.is_fixed_size_list(inner):
        inner = inner.value_type
    if pa.types.is_struct(inner) or pa.types.is_map(inner):
        raise DataError(
            f"Column {name!r} holds dicts: several values in one cell.",
            hint="Make a column of each of their fields, or leave it out.",
        )
    return column


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


def _with_plain_labels(frame: Any) -> Any:
    """Return a pandas frame with intervals and periods as text, whose order is kept; other frames as they are.

    No other library has such columns: what :func:`pandas.cut` makes is read as ordered categories.
    """
    if type(frame).__module__.split(".")[0] != "pandas":
        return frame
    import pandas as pd

    changed = {}
    for name, kind in frame.dtypes.items():
        categories = kind.categories if isinstance(kind, pd.CategoricalDtype) else None
        if isinstance(kind, (pd.IntervalDtype, pd.PeriodDtype)):
            values = frame[name].dropna().unique()
            categories, held = pd.Index(sorted(values)), frame[name].astype(pd.CategoricalDtype(sorted(values)))
        elif categories is not None and isinstance(categories.dtype, (pd.IntervalDtype, pd.PeriodDtype)):
            held = frame[name]
        else:
            continue
        labels = pd.CategoricalDtype([str(one) for one in categories], ordered=True)
        codes = pd.Categorical.from_codes(held.cat.codes, dtype=labels)
        changed[name] = pd.Series(codes, index=frame.index, name=name)
    return frame.assign(**changed) if changed else frame


def as_narwhals(frame: Any) -> nw.DataFrame[Any]:
    """Wrap a pandas, Polars or Arrow table, or what can be made one (:mod:`discreet.data.foreign_tables`)."""
    frame = as_frame(frame)
    column_names(frame)
    frame = _with_plain_labels(frame)
    try:
        wrapped: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError(f"A table must be a pandas, Polars or Arrow table; got {type(frame).__name__}.") from None
    return wrapped
