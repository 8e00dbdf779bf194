"""New values in the type that their column came in: what went in as Int16 or as an ordered category comes out so.

A type is exchanged only where it cannot hold what is released, and then for the nearest that can: whole numbers that
became fractions are ``float64``, whole numbers beyond their type's range ``int64``, and cells that became missing in a
NumPy column of pandas, which has no room for them, are of the nullable type of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.frames import arrow_of
from discreet.data.scales import Categorical, Moment, Numeric, Scale
from discreet.data.scales.scale import is_text
from discreet.errors import DataError

__all__ = ["take_rows", "with_new_values"]


def with_new_values(
    frame: nw.DataFrame[Any],
    columns: Mapping[str, pa.Array],
    scales: Mapping[str, Scale],
    kinds: Mapping[str, str] | None = None,
) -> Any:
    """Return a frame of its own library in which columns hold new values, in the types of those that they replace.

    Parameters
    ----------
    frame : narwhals.DataFrame
        What came in.
    columns : mapping of str to pyarrow.Array
        The new values, of any type.
    scales : mapping of str to Scale
        Of the new values: it says in which order levels stand.
    kinds : mapping of str to {"own", "int64", "float64"}, optional
        For numbers in columns of whole numbers. By default the values decide; a table that is released in parts says
        beforehand which type all of them have.
    """
    native = frame.to_native()
    typed = {
        name: _typed(
            column, arrow_of(frame, name).type, scales[name], None if kinds is None else kinds.get(name, "own")
        )
        for name, column in columns.items()
    }
    if isinstance(native, pa.Table):
        # What narwhals does, without wrapping every column first: a study releases tens of thousands of small tables.
        for name, column in typed.items():
            native = native.set_column(native.column_names.index(name), name, pa.chunked_array([column]))
        return native
    if hasattr(native, "reset_index"):
        new = [_of_pandas(native[name], column, scales[name]) for name, column in typed.items()]
    else:
        new = [_of_polars(native.get_column(name), column, scales[name]) for name, column in typed.items()]
    series = [nw.from_native(one, series_only=True) for one in new]
    return frame.with_columns(*series).to_native() if series else native


# --------------------------------------------------------------------------------------------------------------- Arrow


def _typed(column: pa.Array, came: pa.DataType, scale: Scale, kind: str | None) -> pa.Array:
    if isinstance(scale, Moment):
        return column  # its scale has written it as it came, whatever that was
    if pa.types.is_dictionary(came):
        return _dictionary(column, came, scale) if isinstance(scale, Categorical) else column
    if column.type == came or pa.types.is_null(came):
        return column
    if isinstance(scale, Numeric) and not is_text(column):
        return _number(column, came, kind)
    if is_text(column) != _is_text(came) and not pa.types.is_temporal(came):
        return column  # levels that got names, such as ranges, in a column of numbers
    try:
        return column.cast(came)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        return column


def _is_text(kind: pa.DataType) -> bool:
    return bool(is_text(pa.nulls(0, kind)))


def _number(column: pa.Array, came: pa.DataType, kind: str | None) -> pa.Array:
    numbers = column.cast(pa.float64())
    if pa.types.is_floating(came):
        return numbers.cast(came, safe=False)
    if pa.types.is_decimal(came):
        # A column with two decimals keeps two, whatever is asked for: its type is a promise about its digits.
        return _cast(pc.round(numbers, came.scale), came, numbers)
    if not pa.types.is_integer(came) or kind == "float64":
        return numbers
    if kind is not None:
        typed = _cast(numbers, came if kind == "own" else pa.int64(), None)
        if typed is None:
            raise DataError("Whole numbers became others in a table that is released in parts.")
        return typed
    return _cast(numbers, came, _cast(numbers, pa.int64(), numbers))


def _cast(numbers: pa.Array, target: pa.DataType, otherwise: Any) -> Any:
    try:
        return numbers.cast(target)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return otherwise


def _dictionary(column: pa.Array, came: pa.DataType, scale: Categorical) -> pa.Array:
    """Return levels as a dictionary in their order; missing codes that stand among them come after the levels."""
    values = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
    if is_text(values) == _is_text(came.value_type):
        values = values.cast(came.value_type)
    occurring = values.unique().drop_null()
    levels = pa.array(scale.levels)
    levels = levels.cast(values.type) if is_text(levels) == is_text(values) else levels.cast(pa.string())
    levels = levels.filter(pc.is_in(levels, value_set=occurring)) if levels.type == occurring.type else occurring
    others = occurring.filter(pc.invert(pc.is_in(occurring, value_set=levels)))
    ordered = pa.concat_arrays([levels, others])
    width = came.index_type if len(ordered) <= np.iinfo(came.index_type.to_pandas_dtype()).max else pa.int32()
    codes = pc.index_in(values, value_set=ordered, skip_nulls=True).cast(width)
    return pa.DictionaryArray.from_arrays(codes, ordered, ordered=came.ordered)


def take_rows(table: pa.Table, places: Any) -> pa.Table:
    """Return some rows; columns of string views, which Arrow cannot take from, are made text in between."""
    views = {i: field.type for i, field in enumerate(table.schema) if field.type == pa.string_view()}
    for i in views:
        table = table.set_column(i, table.field(i).name, table.column(i).cast(pa.large_string()))
    table = table.take(pa.array(places, pa.int64()))
    for i, kind in views.items():
        table = table.set_column(i, table.field(i).name, table.column(i).cast(kind))
    return table


# -------------------------------------------------------------------------------------------------------------- Polars


def _of_polars(before: Any, typed: pa.Array, scale: Scale) -> Any:
    import polars as pl

    plain = typed.dictionary_decode() if pa.types.is_dictionary(typed.type) else typed
    series = pl.Series(before.name, plain)
    if isinstance(before.dtype, pl.Enum):
        listed = before.dtype.categories.to_list()
        occurring = series.drop_nulls().unique().to_list()
        if set(occurring) <= set(listed):
            return series.cast(before.dtype)
        levels = [level for level in getattr(scale, "levels", ()) if level in set(occurring)]
        return series.cast(pl.Enum([*levels, *(v for v in occurring if v not in set(levels))]))
    if before.dtype == pl.Categorical:
        return series.cast(pl.String).cast(before.dtype)
    if series.dtype != before.dtype and _same_family(series.dtype, before.dtype):
        return series.cast(before.dtype)
    return series


def _same_family(new: Any, came: Any) -> bool:
    """Say whether only Arrow stands between two types: what was decided above is not decided again."""
    return bool(new.is_temporal() and came.is_temporal())


# -------------------------------------------------------------------------------------------------------------- pandas


def _of_pandas(before: Any, typed: pa.Array, scale: Scale) -> Any:
    import pandas as pd

    values = _pandas_values(pd, before.dtype, typed, scale)
    text = (
        {"dtype": object}
        if before.dtype == np.dtype(object) and getattr(values, "dtype", None) == np.dtype(object)
        else {}
    )
    return pd.Series(values, index=before.index, name=before.name, copy=False, **text)


def _pandas_values(pd: Any, dtype: Any, typed: pa.Array, scale: Scale) -> Any:
    if isinstance(dtype, pd.ArrowDtype):
        return pd.arrays.ArrowExtensionArray(typed)
    if pa.types.is_dictionary(typed.type):
        codes = np.array(typed.indices.fill_null(-1).to_numpy(zero_copy_only=False))
        levels = pd.Index(typed.dictionary.to_pylist())
        if isinstance(dtype, pd.CategoricalDtype) and set(levels) <= set(dtype.categories):
            here = pd.Categorical.from_codes(codes, levels)
            return here.set_categories(dtype.categories, ordered=dtype.ordered)
        return pd.Categorical.from_codes(
            codes, levels, ordered=bool(getattr(dtype, "ordered", False) and scale.ordered)
        )
    nullable = isinstance(dtype, pd.api.extensions.ExtensionDtype)
    if nullable and hasattr(dtype, "__from_arrow__") and _holds(pd, dtype, typed.type):
        return dtype.__from_arrow__(typed)
    if dtype == np.dtype(object):
        return np.array([*typed.to_pylist(), None], dtype=object)[:-1]
    kinds = _nullable_types(pd)
    if typed.type in kinds and (nullable or (typed.null_count and not pa.types.is_floating(typed.type))):
        return kinds[typed.type].__from_arrow__(typed)
    return typed.to_pandas().array


def _holds(pd: Any, dtype: Any, kind: pa.DataType) -> bool:
    kinds = _nullable_types(pd)
    if dtype in kinds.values():
        return bool(kinds.get(kind) == dtype)
    if isinstance(dtype, pd.StringDtype):
        return bool(is_text(pa.nulls(0, kind)))
    return bool(pa.types.is_temporal(kind))


def _nullable_types(pd: Any) -> dict[pa.DataType, Any]:
    whole = {getattr(pa, word.lower())(): getattr(pd, f"{word}Dtype")() for word in _WHOLE}
    return {
        **whole,
        pa.float32(): pd.Float32Dtype(),
        pa.float64(): pd.Float64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
    }


_WHOLE = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
