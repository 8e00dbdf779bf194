"""State tables: one column a position, gathered into the one attribute that they are, and where their columns stood.

A life course of seventy months is seventy columns of a file and one sequence to every method. The scale remembers the
columns (:attr:`~discreet.data.scales.sequence.Sequence.columns`); whoever joins a table with such a schema finds them
gathered, and a writer spreads them again (:mod:`discreet.io.wide_states`), in the places where they stood.

States are text, as the file shows them. A cell without a state before the last one is a state of its own, the empty
word; after the last one, the sequence has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.frames import arrow_of, as_narwhals
from discreet.data.scales.scale import as_arrow, is_text, to_level_type
from discreet.data.scales.succession import Succession
from discreet.data.schema import Schema
from discreet.errors import SchemaError
from discreet.registry import unknown_name
from discreet.typing import Json

__all__ = ["StateTable", "as_one_column", "declared_tables", "gather", "parse_states"]


class StateTable(NamedTuple):
    """Columns that are one attribute: its name, the columns in the order of time, and the scale they are told to be."""

    name: str
    columns: tuple[str, ...]
    scale: str = "sequence"


def parse_states(text: str, columns: Sequence[str], scale: str = "sequence") -> StateTable:
    """Read what somebody says of a state table: a range of columns, or a list of them.

    Parameters
    ----------
    text : str
        ``"Jul.93..Jun.99"`` is every column from the first to the last; ``"m1,m2,m5..m9"`` lists columns, ranges and
        patterns; ``"life=m1..m9"`` also says what the attribute is called, which else is the range itself.
    columns : sequence of str
        Those of the table, in its order.
    scale : str
        What they are positions of.

    Examples
    --------
    >>> parse_states("m1..m3", ["sex", "m1", "m2", "m3"])
    StateTable(name='m1..m3', columns=('m1', 'm2', 'm3'), scale='sequence')
    >>> parse_states("work=m3,m1", ["m1", "m2", "m3"])
    StateTable(name='work', columns=('m3', 'm1'), scale='sequence')
    """
    word = "states" if scale == "sequence" else scale
    name, equals, rest = text.partition("=")
    if not equals or "," in name or ".." in name or any(column.startswith(f"{name}=") for column in columns):
        name, rest = "", text
    parts = [part.strip() for part in rest.split(",") if part.strip()]
    positions = tuple(column for part in parts for column in _columns_of(part, columns, word))
    twice = sorted({column for column in positions if positions.count(column) > 1})
    if twice:
        raise SchemaError(f"{word}: column {twice[0]!r} is named twice.", hint="Name every position once.")
    if len(positions) < 2:
        raise SchemaError(
            f"{word}: a table of them has at least two columns.", hint="Name the first and the last: Jul.93..Jun.99"
        )
    name = name.strip() or f"{positions[0]}..{positions[-1]}"
    if name in columns and name not in positions:
        raise SchemaError(f"{word}: the table has a column {name!r} already.", hint="Give it another name: name=a..b")
    return StateTable(name, positions, scale)


def _columns_of(part: str, columns: Sequence[str], word: str) -> list[str]:
    """Return the columns that a name, a range or a pattern stands for; a name that is there goes before all."""
    if part in columns:
        return [part]
    cuts = [place for place in range(len(part)) if part.startswith("..", place)]
    for place in cuts:
        first, last = part[:place].strip(" '\""), part[place + 2 :].strip(" '\"")
        if first in columns and last in columns:
            low, high = columns.index(first), columns.index(last)
            if low > high:
                raise SchemaError(
                    f"{word}: column {first!r} stands after {last!r} in the table.", hint="Name the first one first."
                )
            return list(columns[low : high + 1])
    if cuts:
        ends = (part[: cuts[0]].strip(" '\""), part[cuts[-1] + 2 :].strip(" '\""))
        absent = next((end for end in ends if end not in columns), ends[0])
        raise unknown_name("column", absent, columns, error=SchemaError, hint=f"It is an end of a range in {word}.")
    matches = [column for column in columns if fnmatchcase(column, part)]
    if not matches:
        raise unknown_name("column", part, columns, error=SchemaError, hint=f"It is listed in {word}.")
    return matches


def declared_tables(schema: Schema | Iterable[Json], columns: Sequence[str]) -> list[StateTable]:
    """Return the state tables that a schema, or the tables of its file, declares and that are not gathered yet."""
    if isinstance(schema, Schema):
        told = [
            StateTable(attribute.name, attribute.scale.columns)
            for attribute in schema
            if isinstance(attribute.scale, Succession) and attribute.scale.columns
        ]
    else:
        told = [
            StateTable(str(table.get("name")), tuple(map(str, table["columns"])))
            for table in schema
            if isinstance(table.get("columns"), (list, tuple)) and table["columns"]
        ]
    present = set(columns)
    waiting = [one for one in told if one.name not in present or one.name in one.columns]
    for one in waiting:
        absent = [column for column in one.columns if column not in present]
        if len(absent) == len(one.columns):
            continue  # the table lacks all of it, which whoever joins it with its schema says
        if absent:
            raise SchemaError(
                f"Attribute {one.name!r}: {len(absent)} of its {len(one.columns)} columns are not in the table, the "
                f"first {absent[0]!r}.",
                hint="The columns of states are listed in the schema; check their spelling.",
            )
    return [one for one in waiting if set(one.columns) <= present]


def gather(frame: Any, origin: Json | None, tables: Iterable[StateTable]) -> tuple[Any, Json]:
    """Return a frame in which every state table is one column of lists, and what the writer wants to know of it.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
    origin : dict, optional
        As a reader gives it. The text of cells that it remembers is what states are.
    tables : iterable of StateTable

    Returns
    -------
    frame
        Of the same kind. A table stands where its first column stood.
    origin : dict
        With the types and places of the columns that were gathered.
    """
    state_tables = list(tables)
    known = dict(origin or {})
    if not state_tables:
        return frame, known
    wrapped = as_narwhals(frame)
    columns: dict[str, pa.Array] = {name: arrow_of(wrapped, name) for name in wrapped.columns}
    taken = [column for one in state_tables for column in one.columns]
    twice = sorted({column for column in taken if taken.count(column) > 1})
    if twice:
        raise SchemaError(f"Column {twice[0]!r} is one of the states of two attributes.")
    verbatim = known.get("verbatim", {})
    by_first = {min(one.columns, key=wrapped.columns.index): one for one in state_tables}
    gathered: dict[str, Any] = {}
    for name, column in columns.items():
        if name in by_first:
            one = by_first[name]
            texts = [_text(columns[state], verbatim.get(state), state) for state in one.columns]
            gathered[one.name] = as_one_column(texts)
        if name not in taken:
            gathered[name] = column
    known["states"] = {
        **known.get("states", {}),
        **{
            one.name: {n: pa.string() if n in verbatim else columns[n].type for n in one.columns}
            for one in state_tables
        },
    }
    known.setdefault("column_order", tuple(wrapped.columns))
    for by_column in ("verbatim", "styles", "verbatim_missing"):
        if by_column in known:
            known[by_column] = {name: kept for name, kept in known[by_column].items() if name not in taken}
    table = pa.table(gathered)
    return nw.from_arrow(table, backend=nw.get_native_namespace(wrapped)).to_native(), known


def _text(column: Any, remembered: Any, name: str) -> pa.Array:
    """Return the states of a column as a file shows them."""
    if remembered is not None and len(remembered) == len(column):
        return as_arrow(remembered).cast(pa.string())
    plain = as_arrow(column)
    if pa.types.is_nested(plain.type):
        raise SchemaError(f"Column {name!r} holds lists, and cannot be one position of a sequence.")
    if is_text(plain) or pa.types.is_null(plain.type):
        return plain.cast(pa.string())
    return to_level_type(plain, pa.string()) if pa.types.is_floating(plain.type) else plain.cast(pa.string())


def as_one_column(texts: Sequence[pa.Array]) -> pa.Array:
    """Return columns of text as one column of lists, cut after the last cell that holds anything.

    Examples
    --------
    >>> as_one_column([pa.array(["a", None]), pa.array([None, "b"]), pa.array(["c", ""])]).to_pylist()
    [['a', '', 'c'], ['', 'b']]
    """
    filled = [pc.fill_null(text, "") for text in texts]
    present = np.stack([pc.not_equal(text, "").to_numpy(zero_copy_only=False) for text in filled], axis=1)
    n, width = present.shape
    lengths = np.where(present.any(axis=1), width - np.argmax(present[:, ::-1], axis=1), 0)
    # Row by row: state j of record i stands at j · n + i of the columns laid end to end.
    inside = np.arange(width)[None, :] < lengths[:, None]
    places = (np.arange(width)[None, :] * n + np.arange(n)[:, None])[inside]
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), type=pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.concat_arrays(filled).take(pa.array(places)))


def in_order(names: Iterable[str], order: Sequence[str], tables: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the columns of a release as they stood in its original: states spread, the others where they were.

    Examples
    --------
    >>> in_order(["life", "sex", "new"], ["m1", "sex", "m2"], {"life": ["m1", "m2"]})
    ['m1', 'sex', 'm2', 'new']
    """
    spread = [column for name in names for column in tables.get(name, [name])]
    place = {name: position for position, name in enumerate(order)}
    return sorted(spread, key=lambda name: place.get(name, len(place)))
