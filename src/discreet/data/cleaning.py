"""What a table carries besides its cells, taken off before it leaves the house.

A frame remembers more than it shows: the index of a pandas frame, the levels of a category that no record has any more,
the values of a dictionary in the order in which the original had them, bytes under a missing cell, notes in the
metadata. Every :class:`~discreet.contracts.masked.Masked` holds a cleaned table, and every writer is handed one, so
that what leaves holds what a stranger needs to read the cells and nothing that only the original had.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.microdata import Microdata
from discreet.data.own_types import take_rows
from discreet.data.scales import Categorical, EncodedSequences, Nominal, Ordinal, Scale, Succession
from discreet.data.scales.scale import hide_missing
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError
from discreet.typing import Level

if TYPE_CHECKING:
    import polars as pl

__all__ = ["clean_arrow", "clean_frame", "cleaned", "released_schema", "released_schema_of", "widened"]


def cleaned(table: Microdata) -> Microdata:
    """Return a table whose frame holds its cells alone; itself where there is nothing to take off.

    Examples
    --------
    >>> from discreet.data.microdata import microdata
    >>> levels = pa.DictionaryArray.from_arrays([1, 1, 1], ["vanished", "here"])
    >>> cleaned(microdata(pa.table({"place": levels}))).to_native().column("place").chunk(0).dictionary.to_pylist()
    ['here']
    """
    frame = table.to_native()
    clean = clean_frame(frame)
    if clean is frame:
        return table
    result = Microdata(clean, table.schema, origin=table.origin)
    result.share_encoding(table)
    return result


def clean_frame(frame: Any) -> Any:
    """Return a pandas, Polars or Arrow table without what it carries besides its cells."""
    if isinstance(frame, pa.Table):
        return clean_arrow(frame)
    if type(frame).__module__.startswith("polars."):  # whoever has such a frame has loaded its library
        return _clean_polars(frame)
    return _clean_pandas(frame) if hasattr(frame, "reset_index") else frame


# --------------------------------------------------------------------------------------------------------------- Arrow


def clean_arrow(table: pa.Table) -> pa.Table:
    """Return a table without metadata, with dictionaries of the values that occur and nothing under missing cells."""
    before = table.columns  # asked for once: a table makes its columns anew each time
    columns = [_clean_column(column) for column in before]
    bare = table.schema.metadata is None and all(field.metadata is None for field in table.schema)
    if bare and all(new is old for new, old in zip(columns, before, strict=True)):
        return table
    return pa.table(columns, names=table.column_names)


def _clean_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if isinstance(column.type, pa.BaseExtensionType):
        # What a type says about itself, beyond how its values are stored, travels as metadata.
        storage = column.type.storage_type
        return _clean_column(pa.chunked_array([chunk.storage for chunk in column.chunks], storage))
    if pa.types.is_dictionary(column.type):
        return _clean_dictionary(column)
    if pa.types.is_nested(column.type):
        plain = _without_dictionaries(column.type)
        column = column if plain == column.type else column.cast(plain)
    if column.null_count:
        # Copying value by value leaves the bytes behind that lie under missing cells.
        alone = pa.table({"": column})
        return take_rows(alone, np.arange(len(column), dtype=np.int64)).column(0)
    return column


def _clean_dictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    unified = column.unify_dictionaries()
    if not unified.num_chunks:
        return column
    dictionary = unified.chunk(0).dictionary
    codes = pa.chunked_array([chunk.indices for chunk in unified.chunks])
    values = dictionary.take(codes.combine_chunks() if codes.num_chunks > 1 else codes.chunk(0))
    occurring = values.unique().drop_null()
    if kind.ordered:
        place = pc.index_in(occurring, value_set=dictionary)
        occurring = occurring.take(pc.sort_indices(place))
    else:
        occurring = _sorted(occurring)
    if len(unified.chunks) == 1 and not dictionary.null_count and occurring.equals(dictionary):
        return column if column.num_chunks <= 1 else unified
    indices = pc.index_in(values, value_set=occurring, skip_nulls=True).cast(kind.index_type)
    array = pa.DictionaryArray.from_arrays(indices, occurring, ordered=kind.ordered)
    return pa.chunked_array([array], kind)


def _sorted(values: pa.Array) -> pa.Array:
    try:
        return values.take(pc.sort_indices(values))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
        return values.take(pa.array(np.argsort([str(value) for value in values.to_pylist()], kind="stable")))


def _without_dictionaries(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_list(kind):
        return pa.list_(_without_dictionaries(kind.value_type))
    if pa.types.is_large_list(kind):
        return pa.large_list(_without_dictionaries(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(kind.field(i).name, _without_dictionaries(kind.field(i).type)) for i in range(len(kind))])
    return kind


# -------------------------------------------------------------------------------------------------------------- Polars


def _clean_polars(frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    new = []
    for series in frame.get_columns():
        if isinstance(series.dtype, pl.Enum):
            present = set(series.drop_nulls().unique().cast(pl.String).to_list())
            levels = [level for level in series.dtype.categories.to_list() if level in present]
            if len(levels) < len(series.dtype.categories):
                new.append(series.cast(pl.String).cast(pl.Enum(levels)))
        elif series.dtype == pl.Categorical:
            new.append(series.cast(pl.String).cast(series.dtype))
        elif series.dtype == pl.List(pl.Enum) or series.dtype == pl.List(pl.Categorical):
            new.append(series.cast(pl.List(pl.String)))
    return frame.with_columns(new) if new else frame


# -------------------------------------------------------------------------------------------------------------- pandas


def _clean_pandas(frame: Any) -> Any:
    index = frame.index
    plain = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1 and index.name is None
    if not plain:
        frame = frame.reset_index(drop=True)
    if frame.columns.name is not None:
        frame = frame.rename_axis(columns=None)
    if frame.attrs or any(frame[name].attrs for name in frame.columns):
        frame = frame.copy(deep=False)
        frame.attrs = {}
    new = {}
    for name in frame.columns:
        series = frame[name]
        dtype = series.dtype
        if hasattr(series, "cat") and hasattr(dtype, "categories"):
            levels = _pandas_levels(series)
            if list(levels) != list(dtype.categories):
                new[name] = series.cat.set_categories(levels, ordered=dtype.ordered)
        elif hasattr(dtype, "pyarrow_dtype") and pa.types.is_dictionary(dtype.pyarrow_dtype):
            arrow = pa.chunked_array([pa.array(series)])
            new[name] = type(series)(type(series.array)(_clean_dictionary(arrow)), index=series.index)
    return frame.assign(**new) if new else frame


def _pandas_levels(series: Any) -> list[Any]:
    """Return the categories that occur: in their order where that means something, sorted where it does not."""
    occurring = set(series.cat.codes.unique().tolist()) - {-1}
    levels = [level for code, level in enumerate(series.cat.categories) if code in occurring]
    if series.cat.ordered:
        return levels
    try:
        return sorted(levels)
    except TypeError:
        return sorted(levels, key=str)


# ------------------------------------------------------------------------------------------------- the released schema


def released_schema(table: Microdata) -> Schema:
    """Return the declaration of a release: the levels, events and missing codes that occur in it, and no others.

    A level that no released record has is something that only the original had. The order of ordered levels stays;
    unordered ones are sorted, so that their order tells nothing either.

    Examples
    --------
    >>> schema = Schema([Attribute("size", Ordinal(["small", "middle", "large"]), "key")])
    >>> released_schema(Microdata(pa.table({"size": ["large", "small"]}), schema))["size"].scale.levels
    ('small', 'large')
    """
    return Schema(_released(table, attribute) for attribute in table.schema)


def released_schema_of(schema: Schema, batches: Iterable[Microdata]) -> Schema:
    """Return the same of a table that passes in batches."""
    codes: dict[str, set[int]] = {}
    missing: dict[str, set[Level]] = {attribute.name: set() for attribute in schema}
    unfit: set[str] = set()
    for batch in batches:
        for attribute in schema:
            name, column = attribute.name, batch.column(attribute.name)
            missing[name] |= {
                code for code in attribute.missing if hide_missing(column, (code,)).null_count > column.null_count
            }
            if isinstance(attribute.scale, (Categorical, Succession)) and attribute.role != "identifier":
                try:
                    encoded = batch.encoded(name)
                except DataError:
                    unfit.add(name)
                    continue
                present = encoded.codes if isinstance(encoded, EncodedSequences) else encoded
                codes.setdefault(name, set()).update(np.unique(present).tolist())
    declared = []
    for attribute in schema:
        seen = tuple(code for code in attribute.missing if code in missing[attribute.name])
        if attribute.name in unfit:
            declared.append(attribute)
        elif attribute.name in codes:
            present = np.array(sorted(codes[attribute.name]), dtype=np.int64)
            declared.append(replace(attribute, scale=_occurring(attribute.scale, present, seen), missing=seen))
        else:
            declared.append(replace(attribute, missing=seen))
    return Schema(declared)


def _released(table: Microdata, attribute: Attribute) -> Attribute:
    column = table.column(attribute.name)
    missing = tuple(code for code in attribute.missing if hide_missing(column, (code,)).null_count > column.null_count)
    if attribute.role == "identifier":
        scale: Scale = Nominal(("",)) if isinstance(attribute.scale, Categorical) else attribute.scale
        return replace(attribute, scale=scale, missing=tuple(code for code in missing if code != ""))
    try:
        encoded = table.encoded(attribute.name)
    except DataError:
        return attribute  # a column that does not fit its declaration has no levels to be found
    return replace(attribute, scale=_occurring(attribute.scale, encoded, missing), missing=missing)


def _occurring(scale: Scale, encoded: Any, missing: Iterable[Level]) -> Scale:
    codes = encoded.codes if isinstance(encoded, EncodedSequences) else encoded
    if isinstance(scale, Succession):
        return scale.occurring(np.unique(codes))
    if not isinstance(scale, Categorical):
        return scale
    present = [int(code) for code in np.unique(codes) if code >= 0]
    levels = tuple(scale.levels[code] for code in present)
    if isinstance(scale, Ordinal) and levels:
        # Intervals cover their range without a gap: one that is left out would tell which level has vanished.
        return Ordinal(levels, scale.semantics if len(present) == len(scale) else None)
    if levels:
        return Nominal(tuple(sorted(levels)))
    return Nominal(("",) if "" not in missing else ("(no value)",))


def widened(release: Microdata, original: Microdata) -> Microdata:
    """Return a release on the scales of its original, as far as levels have only vanished from it.

    A released declaration lists the levels that occur. Beside its original the release is compared on the original's
    scale again, so that a record gets the same figures as before it was written. Where levels were merged, that is,
    where every level went to one level and some went to another one, the release keeps its own scale: an intruder who
    knows the codebook recodes what he knows in the same way.
    """
    changed = []
    for attribute in release.schema:
        if attribute.name not in original.schema or attribute.role == "identifier":
            continue
        before = original.schema[attribute.name]
        missing = tuple(dict.fromkeys([*attribute.missing, *before.missing]))
        if before.scale == attribute.scale or not _is_part(attribute.scale, before.scale):
            continue
        if isinstance(before.scale, Categorical) and set(missing) & set(before.scale.levels):
            continue
        wider = replace(attribute, scale=before.scale, missing=missing)
        if not _is_recoded(release, original, attribute.name):
            changed.append(wider)
    if not changed:
        return release
    result = Microdata(release.to_native(), release.schema.replacing(*changed), origin=release.origin)
    result.share_encoding(release)
    return result


def _is_part(scale: Scale, whole: Scale) -> bool:
    if isinstance(scale, Succession):
        return scale.is_part_of(whole)
    if not isinstance(scale, Categorical) or not isinstance(whole, Categorical):
        return False
    if scale.levels in {("",), ("(no value)",)}:
        return True  # nothing occurs
    if type(scale) is not type(whole):
        return False
    place = {level: code for code, level in enumerate(whole.levels)}
    if not set(scale.levels) <= set(place):
        return False
    codes = [place[level] for level in scale.levels]
    if isinstance(scale, Ordinal) and isinstance(whole, Ordinal):
        return codes == sorted(codes) and (scale.semantics is None or scale.semantics == whole.semantics)
    return True


def _is_recoded(release: Microdata, original: Microdata, name: str) -> bool:
    """Say whether every level went to one level, and some to another one: a merging, as the two files show it."""
    before, after = original.schema[name].scale, release.schema[name].scale
    if len(release) != len(original) or not isinstance(before, Categorical) or not isinstance(after, Categorical):
        return False
    old, new = original.encoded(name), release.encoded(name)
    both = (old >= 0) & (new >= 0)
    pairs = np.unique(np.stack([old[both], new[both]]), axis=1)
    went = {before.levels[int(i)]: after.levels[int(j)] for i, j in pairs.T}
    return len(went) == pairs.shape[1] and any(level != to for level, to in went.items())
