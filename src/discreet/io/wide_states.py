"""State tables on their way out: what was gathered is spread again over the columns that it came from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.guarantees import Guarantee
from discreet.data.microdata import Microdata
from discreet.data.scales import Succession
from discreet.data.scales.scale import as_arrow
from discreet.data.schema import Attribute, Schema
from discreet.data.state_columns import in_order
from discreet.errors import DataError

__all__ = ["spread_promises", "spread_states"]


def spread_states(table: Microdata) -> Microdata:
    """Return a table in the shape that its file had: a column a position, in the places where they stood.

    Columns get the types back that they had, as far as these hold the states of the release. A sequence that is shorter
    than its table leaves the last cells empty.
    """
    tables = _tables(table)
    if not tables:
        return table
    arrow = table.to_arrow()
    columns: dict[str, Any] = dict(zip(arrow.column_names, arrow.columns, strict=True))
    attributes = {attribute.name: attribute for attribute in table.schema}
    kinds = table.origin.get("states", {})
    for name, positions in tables.items():
        declared = attributes.pop(name)
        scale = cast("Succession", declared.scale)
        for state, text in zip(positions, _positions(columns.pop(name), name, len(positions)), strict=True):
            columns[state] = _in_type(text, kinds.get(name, {}).get(state))
            attributes[state] = Attribute(state, scale.position_scale(as_arrow(columns[state])), declared.role)
    order = in_order(table.names, table.origin.get("column_order", ()), tables)
    return Microdata(
        pa.table({name: columns[name] for name in order}),
        Schema(attributes[name] for name in order),
        origin=table.origin,
    )


def spread_promises(promises: Iterable[Guarantee], table: Microdata) -> tuple[Guarantee, ...]:
    """Return promises that speak of the columns a file has: who shares a sequence shares every position of it."""
    tables = _tables(table)
    return tuple(
        replace(
            promise,
            attributes=tuple(column for name in promise.attributes for column in tables.get(name, (name,))),
        )
        for promise in promises
    )


def _tables(table: Microdata) -> dict[str, tuple[str, ...]]:
    return {
        attribute.name: attribute.scale.columns
        for attribute in table.schema
        if isinstance(attribute.scale, Succession) and attribute.scale.columns and attribute.name in table.names
    }


def _positions(column: Any, name: str, width: int) -> list[pa.Array]:
    """Return the states of every position; an empty word, and what comes after the last state, is an empty cell."""
    lists = as_arrow(column)
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    longer = int((lengths > width).sum())
    if longer:
        raise DataError(
            f"Attribute {name!r}: {longer} of {lengths.size} sequences are longer than its {width} columns."
        )
    events = lists.flatten().cast(pa.string())
    events = pc.if_else(pc.equal(events, ""), pa.scalar(None, pa.string()), events)
    starts = np.cumsum(lengths) - lengths
    return [
        events.take(pa.array(np.where(lengths > place, starts + place, 0), mask=lengths <= place))
        for place in range(width)
    ]


def _in_type(text: pa.Array, kind: pa.DataType | None) -> pa.Array:
    """Return states in the type that their column had, or as text where it does not hold them."""
    if kind is None or pa.types.is_dictionary(kind) or pa.types.is_null(kind):
        return text
    try:
        return text.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return text
