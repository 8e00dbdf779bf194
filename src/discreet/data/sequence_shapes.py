"""The shapes in which people hold sequences, turned into one another without loss.

========== ======================================================== ==================================
shape      a record is                                              in and out
========== ======================================================== ==================================
text       one cell, events with a delimiter between them           :func:`from_text`, :func:`to_text`
list       one cell, a list of events                               what maskers see
long       one row an event: identifier, time, event                :func:`from_long`, :func:`to_long`
states     one column a position, as in life courses                :func:`from_states`, :func:`to_states`
points     one row a place and time                                 :func:`from_points`
========== ======================================================== ==================================

A table of any kind comes in (pandas, Polars, Arrow), and the same kind goes out. :func:`declare_sequence` then joins a
list or text column with its alphabet. :func:`grid_cells` turns coordinates into events.
"""

from __future__ import annotations

from collections.abc import Sequence as AbstractSequence
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.frames import as_narwhals
from discreet.data.microdata import Microdata, microdata
from discreet.data.scales import Sequence
from discreet.data.scales.scale import as_arrow, is_text, to_level_type
from discreet.data.schema import Attribute
from discreet.errors import DataError, ParameterError, SchemaError, door
from discreet.typing import BoolArray, IntArray, Level

__all__ = [
    "declare_sequence",
    "from_long",
    "from_points",
    "from_states",
    "from_text",
    "grid_cells",
    "to_long",
    "to_states",
    "to_text",
]


@door
def from_text(frame: Any, column: str, *, delimiter: str = " ") -> Any:
    """Split a column of delimited text into lists; an empty text is an empty sequence, a null stays a null.

    Examples
    --------
    >>> from_text(pa.table({"path": ["a b", "", None]}), "path")["path"].to_pylist()
    [['a', 'b'], [], None]
    """
    table = _arrow(frame, column)
    return _like(frame, _set(table, column, _lists(table, column, delimiter)))


@door
def to_text(frame: Any, column: str, *, delimiter: str = " ") -> Any:
    """Join a column of lists into delimited text, refusing events that hold the delimiter or are empty.

    Examples
    --------
    >>> to_text(pa.table({"path": [["a", "b"], []]}), "path", delimiter=">")["path"].to_pylist()
    ['a>b', '']
    """
    table = _arrow(frame, column)
    events = _lists(table, column, delimiter).cast(pa.list_(pa.string()))
    flat = events.flatten()
    clashing = int(np.sum(pc.match_substring(flat, delimiter).to_numpy(zero_copy_only=False).astype(np.bool_)))
    clashing += int(np.sum(pc.equal(flat, "").to_numpy(zero_copy_only=False).astype(np.bool_)))
    if clashing:
        raise DataError(
            f"Column {column!r}: {clashing} of {len(flat)} events are empty or hold the delimiter.",
            hint="Choose another delimiter.",
        )
    return _like(frame, _set(table, column, pc.binary_join(events, delimiter)))


@door
def from_long(
    frame: Any, *, identifier: str, time: str, event: str, keep_times: bool = False, collapse: bool = False
) -> Any:
    """Gather rows of (identifier, time, event) into one row an identifier with a list of events.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
    identifier, time, event : str
        The columns. Times may be numbers, dates, or text that is one of them (ISO 8601).
    keep_times : bool
        Whether the times come along, as a second list column; with them, :func:`to_long` gives every row back.
    collapse : bool
        Whether an event that follows itself counts once: places visited rather than points recorded.

    Returns
    -------
    frame
        Of the same kind: the identifier, every column that is constant for each identifier, and the lists. Identifiers
        stand in the order of their first rows.

    Raises
    ------
    DataError
        Where an identifier, a time or an event is missing, a time cannot be read, or another column varies.

    Notes
    -----
    Rows need not be sorted: events are put in the order of time, and events of one time stay in the order of rows. An
    identifier whose only row has neither time nor event has an empty sequence. O(rows · log rows).

    Examples
    --------
    >>> visits = pa.table({"who": ["x", "y", "x"], "at": [9, 8, 7], "place": ["lake", "gate", "gate"]})
    >>> from_long(visits, identifier="who", time="at", event="place").to_pylist()
    [{'who': 'x', 'place': ['gate', 'lake']}, {'who': 'y', 'place': ['gate']}]
    """
    table = _arrow(frame, identifier, time, event)
    _refuse_nulls(table, identifier)
    owner, first = _owners(as_arrow(table[identifier]))
    times, events = _times(as_arrow(table[time]), time), as_arrow(table[event])
    empty = _empty_records(times, events, owner, time, event)
    order = pc.sort_indices(
        pa.table({"owner": owner, "time": times}), sort_keys=[("owner", "ascending"), ("time", "ascending")]
    ).to_numpy()
    order = order[~empty[order]]
    if collapse:
        order = order[_first_of_runs(events.take(pa.array(order)), owner[order])]
    lengths = np.bincount(owner[order], minlength=first.size)
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), type=pa.int32())
    result = {identifier: as_arrow(table[identifier]).take(pa.array(first))}
    for name in table.column_names:
        if name not in (identifier, time, event):
            result[name] = _constant(as_arrow(table[name]), owner, first, name, identifier)
    result[event] = pa.ListArray.from_arrays(offsets, events.take(pa.array(order)))
    if keep_times:
        result[time] = pa.ListArray.from_arrays(offsets, as_arrow(table[time]).take(pa.array(order)))
    return _like(frame, pa.table(result))


@door
def to_long(
    frame: Any, *, identifier: str, event: str, time: str = "time", delimiter: str = " ", times: str | None = None
) -> Any:
    """Write one row an event: what :func:`from_long` gathers.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        One row a record.
    identifier, event : str
        The columns; `event` holds lists, or text with `delimiter`.
    time : str
        What the column of times is to be called.
    times : str, optional
        A column of lists with a time for every event. Without it, times are the positions 1, 2, ….

    Notes
    -----
    Identifiers must not repeat. An empty sequence becomes one row without time and event; a missing one is refused,
    because the long format could not tell it from an empty one.

    Examples
    --------
    >>> to_long(pa.table({"who": ["x", "y"], "place": ["gate lake", ""]}), identifier="who", event="place").to_pylist()
    [{'who': 'x', 'time': 1, 'place': 'gate'}, {'who': 'x', 'time': 2, 'place': 'lake'},
     {'who': 'y', 'time': None, 'place': None}]
    """
    table = _arrow(frame, identifier, event, *([times] if times else []))
    _refuse_nulls(table, identifier)
    owner, first = _owners(as_arrow(table[identifier]))
    if first.size != owner.size:
        raise DataError(
            f"Column {identifier!r}: {owner.size - first.size} of {owner.size} identifiers repeat; one row a record is "
            "needed.",
            hint="A table with one row an event is read by from_long.",
        )
    lists = _lists(table, event, delimiter)
    if lists.null_count:
        raise DataError(f"Column {event!r}: {lists.null_count} of {len(lists)} sequences are missing.")
    lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False).astype(np.int64)
    rows = np.repeat(np.arange(lengths.size), np.maximum(lengths, 1))
    filled = np.repeat(lengths > 0, np.maximum(lengths, 1))
    starts = np.cumsum(np.maximum(lengths, 1)) - np.maximum(lengths, 1)
    place = np.cumsum(filled) - 1
    when = pa.array(np.arange(rows.size) - starts[rows] + 1, mask=~filled)
    if times is not None:
        when = _times_of(table, times, lengths).take(pa.array(place, mask=~filled))
    result = {}
    for name in table.column_names:
        if name == event:
            result[time] = when
            result[event] = lists.flatten().take(pa.array(place, mask=~filled))
        elif name != times:
            result[name] = as_arrow(table[name]).take(pa.array(rows))
    return _like(frame, pa.table(result))


@door
def from_points(
    frame: Any,
    *,
    identifier: str,
    time: str,
    x: str,
    y: str,
    name: str = "trajectory",
    daily: bool = False,
    pause: float | None = None,
) -> Any:
    """Gather rows of (identifier, time, x, y) into trajectories, one a row.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
    identifier, time, x, y : str
        The columns. Times may be numbers, dates, or text that is one of them (ISO 8601).
    name : str
        The column of trajectories.
    daily : bool
        Whether every day of somebody is a trajectory, and times are seconds of the day, so that days can be compared.
    pause : float, optional
        A pause longer than this, in seconds (or the unit of times that are numbers), ends a trajectory.

    Returns
    -------
    frame
        Of the same kind: the identifier, once for each of its trajectories, and lists of points such as
        ``"21600,48.2,16.37"``, for :class:`~discreet.data.scales.trajectory.Trajectory`.

    Examples
    --------
    >>> fixes = pa.table({"who": ["x", "y", "x"], "at": [90, 8, 7], "e": [1.5, 2.0, 1.0], "n": [0, 0, 1]})
    >>> from_points(fixes, identifier="who", time="at", x="e", y="n").to_pylist()
    [{'who': 'x', 'trajectory': ['7,1,1', '90,1.5,0']}, {'who': 'y', 'trajectory': ['8,2,0']}]
    """
    table = _arrow(frame, identifier, time, x, y)
    lacking = [name for name in (identifier, time, x, y) if table[name].null_count]
    if lacking:
        count = table[lacking[0]].null_count
        raise DataError(f"Column {lacking[0]!r}: {count} of {len(table)} values are missing.", hint="Drop those rows.")
    owner, _ = _owners(as_arrow(table[identifier]))
    times = _times(as_arrow(table[time]), time)
    dated = pa.types.is_temporal(times.type)
    if daily and not dated:
        raise DataError(f"from_points: column {time!r} holds no dates, so that its days are not known.")
    seconds = (
        times.cast(pa.timestamp("us")).cast(pa.int64()).to_numpy() / 1e6
        if dated
        else times.cast(pa.float64()).to_numpy()
    )
    order = np.lexsort((seconds, owner))
    owner, seconds = owner[order], seconds[order]
    new = np.ones(owner.size, dtype=np.bool_)
    new[1:] = owner[1:] != owner[:-1]
    if daily:
        day = np.floor(seconds / 86_400.0)
        new[1:] |= day[1:] != day[:-1]
        seconds = seconds - 86_400.0 * day
    if pause is not None:
        new[1:] |= np.diff(seconds) > pause
    starts = np.flatnonzero(new)
    rows = pa.array(order)
    if dated and not daily:
        stamps = pc.strftime(times.cast(pa.timestamp("s"), safe=False).take(rows), format="%Y-%m-%d %H:%M:%S")
    else:
        whole = bool((seconds == np.floor(seconds)).all())
        stamps = pa.array(seconds).cast(pa.int64()).cast(pa.string()) if whole else pa.array(seconds).cast(pa.string())
    places = [as_arrow(table[column]).take(rows).cast(pa.string()) for column in (x, y)]
    points = pc.binary_join_element_wise(stamps, *places, ",")
    lists = pa.ListArray.from_arrays(pa.array(np.append(starts, owner.size), pa.int32()), points)
    who = as_arrow(table[identifier]).take(pa.array(order[starts]))
    return _like(frame, pa.table({identifier: who, name: lists}))


@door
def from_states(frame: Any, columns: AbstractSequence[str], *, name: str = "sequence", gaps: str = "error") -> Any:
    """Gather one column a position into one list column.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
    columns : sequence of str
        The positions, in order.
    name : str
        What the list column is to be called; it stands where the first position stood.
    gaps : {"error", "drop"}
        What a missing state before the last one is: an error, or no event at all.

    Notes
    -----
    Nulls, NaN and empty texts after the last state end the sequence; a row without any state is an empty sequence.

    Examples
    --------
    >>> states = pa.table({"m1": ["work", "home"], "m2": ["work", None]})
    >>> from_states(states, ["m1", "m2"]).to_pylist()
    [{'sequence': ['work', 'work']}, {'sequence': ['home']}]
    """
    if gaps not in ("error", "drop"):
        raise ParameterError(f"from_states: gaps must be one of 'error', 'drop'; got {gaps!r}.")
    if not columns or len(set(columns)) != len(columns):
        raise ParameterError("from_states: columns must be a list of different names.")
    table = _arrow(frame, *columns)
    clashes = [other for other in table.column_names if other == name and other not in columns]
    if clashes:
        raise SchemaError(f"from_states: the table has a column {name!r} already.", hint="Choose another name.")
    parts = _same_type([as_arrow(table[column]) for column in columns])
    present = np.stack([_present(part) for part in parts], axis=1)
    after = np.flip(np.logical_or.accumulate(np.flip(present, axis=1), axis=1), axis=1)
    holes = int((after & ~present).sum())
    if holes and gaps == "error":
        raise DataError(
            f"{holes} states are missing before the last one, in {int((after & ~present).any(axis=1).sum())} of "
            f"{len(present)} records.",
            hint='gaps="drop" leaves them out.',
        )
    # Row by row: state j of record i stands at j · n + i of the columns laid end to end.
    n = len(present)
    places = (np.arange(len(parts))[None, :] * n + np.arange(n)[:, None])[present]
    offsets = pa.array(np.concatenate([[0], np.cumsum(present.sum(axis=1))]), type=pa.int32())
    lists = pa.ListArray.from_arrays(offsets, pa.concat_arrays(parts).take(pa.array(places)))
    result = {}
    for column in table.column_names:
        if column not in columns:
            result[column] = as_arrow(table[column])
        elif name not in result:
            result[name] = lists
    return _like(frame, pa.table(result))


@door
def to_states(frame: Any, column: str, columns: AbstractSequence[str] | None = None, *, delimiter: str = " ") -> Any:
    """Spread sequences over one column a position; what comes after the last event is null.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
    column : str
        Lists, or text with `delimiter`. A missing sequence becomes a row of nulls.
    columns : sequence of str, optional
        The names of the positions, at least as many as the longest sequence has events; by default those that the
        schema of Microdata lists, or else the column's name and 1, 2, ….

    Examples
    --------
    >>> to_states(pa.table({"path": [["a", "b"], ["c"]]}), "path").to_pylist()
    [{'path1': 'a', 'path2': 'b'}, {'path1': 'c', 'path2': None}]
    """
    table = _arrow(frame, column)
    lists = _lists(table, column, delimiter)
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    longest = int(lengths.max(initial=0))
    scale = frame.schema[column].scale if isinstance(frame, Microdata) else None
    listed = scale.columns if isinstance(scale, Sequence) else ()
    if columns is None:
        columns = listed or [f"{column}{j + 1}" for j in range(longest)]
    names = list(columns)
    if len(names) < longest:
        raise DataError(
            f"Column {column!r}: the longest sequence has {longest} events; {len(names)} columns are named."
        )
    others = [name for name in table.column_names if name != column]
    twice = sorted({name for name in names if names.count(name) > 1 or name in others})
    if twice:
        raise SchemaError(f"to_states: column {twice[0]!r} would appear twice.", hint="Give other names as columns.")
    events = lists.flatten()
    starts = np.cumsum(lengths) - lengths
    result = {}
    for name in table.column_names:
        if name != column:
            result[name] = as_arrow(table[name])
            continue
        for j, state in enumerate(names):
            over = lengths <= j
            result[state] = events.take(pa.array(np.where(over, 0, starts + j), mask=over))
    return _like(frame, pa.table(result))


@door
def declare_sequence(
    data: Any, name: str, *, delimiter: str = " ", role: str = "key", alphabet: AbstractSequence[Level] | None = None
) -> Microdata:
    """Join a table with a schema in which a column of lists or delimited text is a sequence.

    Parameters
    ----------
    data : Microdata or frame
        The other attributes keep their declaration, or get the inferred one.
    name : str
        The column.
    delimiter : str
        What stands between two events of a text.
    role : str
        What the attribute is for; a key by default.
    alphabet : sequence, optional
        The events that can happen; by default those that do, sorted.

    Examples
    --------
    >>> trips = pa.table({"visits": ["b a", "a c a"]})
    >>> declare_sequence(trips, "visits").schema["visits"].scale
    Sequence(alphabet=('a', 'b', 'c'), delimiter=' ')
    """
    table = microdata(data)
    before = table.schema[name]
    if alphabet is None:
        column = pa.table({name: table.column(name)})
        events = pc.unique(_lists(column, name, delimiter).flatten()).drop_null().to_pylist()
        alphabet = sorted(events)
        if not alphabet:
            raise DataError(f"Column {name!r} holds no event in {len(table)} records.")
    attribute = Attribute(name, Sequence(tuple(alphabet), delimiter), role, before.missing, before.label)
    return Microdata(table.to_native(), table.schema.replacing(attribute), origin=table.origin)


@door
def grid_cells(latitude: Any, longitude: Any, *, size: float = 500.0) -> pa.Array:
    """Name the cell of a grid in which each point lies: coordinates as events.

    Parameters
    ----------
    latitude, longitude : array of float
        In degrees.
    size : float
        The side of a cell in metres. Cells are rows of equal latitude; a row's cells are as wide as its middle allows.

    Examples
    --------
    >>> grid_cells([48.2, 48.2], [16.37, 16.38]).to_pylist()
    ['10731:2429', '10731:2430']
    """
    if not size > 0:
        raise ParameterError(f"grid_cells: size must be a number above 0; got {size!r}.")
    north, east = np.asarray(latitude, dtype=np.float64), np.asarray(longitude, dtype=np.float64)
    wrong = int((~((np.abs(north) <= 90) & (np.abs(east) <= 180))).sum())
    if north.shape != east.shape or wrong:
        raise DataError(f"grid_cells: {wrong} of {north.size} points have no place on the map.")
    degree = 111_320.0
    row = np.floor(north * degree / size)
    width = np.cos(np.radians((row + 0.5) * size / degree)).clip(1e-3)
    column = np.floor(east * width * degree / size)
    words = (row.astype(np.int64).astype(str), column.astype(np.int64).astype(str))
    return pa.array(np.char.add(np.char.add(words[0], ":"), words[1]).tolist(), type=pa.string())


# ------------------------------------------------------------------------------------------------------------ tables


def _arrow(frame: Any, *columns: str) -> pa.Table:
    wrapped = as_narwhals(frame.to_native() if isinstance(frame, Microdata) else frame)
    # Without pandas' own notes: they describe an index, and kinds of columns that change here.
    table = wrapped.to_arrow().select(wrapped.columns).replace_schema_metadata(None)
    absent = [name for name in columns if name not in table.column_names]
    if absent:
        raise SchemaError(
            f"The table has no column {absent[0]!r}.",
            hint=f"It has {len(table.column_names)} columns; check the spelling.",
        )
    return table


def _like(frame: Any, table: pa.Table) -> Any:
    backend = nw.get_native_namespace(as_narwhals(frame.to_native() if isinstance(frame, Microdata) else frame))
    return nw.from_arrow(table, backend=backend).to_native()


def _set(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, column)


def _lists(table: pa.Table, name: str, delimiter: str) -> pa.Array:
    column = as_arrow(table[name])
    try:
        return Sequence(("",), delimiter).as_lists(column)
    except DataError as error:
        raise DataError(f"Column {name!r}: {error.message}", hint=error.hint) from None


def _refuse_nulls(table: pa.Table, name: str) -> None:
    column = as_arrow(table[name])
    if column.null_count:
        raise DataError(f"Column {name!r}: {column.null_count} of {len(column)} identifiers are missing.")


def _owners(identifiers: pa.Array) -> tuple[IntArray, IntArray]:
    """Return the record of every row, numbered by first appearance, and the first row of every record."""
    codes = identifiers.dictionary_encode().indices.to_numpy(zero_copy_only=False).astype(np.int64)
    first = np.empty(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    # Written from the back, so that the first row of an identifier stays.
    first[codes[::-1]] = np.arange(codes.size)[::-1]
    return codes, first


def _times(column: pa.Array, name: str) -> pa.Array:
    """Return times in a type that sorts by time: text must be numbers or ISO dates, all of it."""
    if not is_text(column):
        return column
    numbers = to_level_type(column, pa.float64())
    if numbers.null_count == column.null_count:
        return numbers
    for kind in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
        try:
            return column.cast(pa.string()).cast(kind)
        except pa.ArrowInvalid:
            continue  # Arrow's own message quotes the value it stumbled over
    raise DataError(
        f"Column {name!r}: the times are text that is neither numbers nor dates in the form 2009-03-19 05:46:37.",
        hint="Convert the column, or give the order as a number.",
    )


def _empty_records(times: pa.Array, events: pa.Array, owner: IntArray, time: str, event: str) -> BoolArray:
    """Say which rows stand for an empty sequence; any other row needs a time and an event."""
    no_time, no_event = (column.is_null().to_numpy(zero_copy_only=False) for column in (times, events))
    alone = np.bincount(owner)[owner] == 1 if owner.size else np.zeros(0, dtype=np.bool_)
    empty: BoolArray = no_time & no_event & alone
    for column, name in ((no_time, time), (no_event, event)):
        missing = int((column & ~empty).sum())
        if missing:
            raise DataError(
                f"Column {name!r}: {missing} of {owner.size} rows have no value.",
                hint="Only an empty sequence, one row without time and event, may be missing.",
            )
    return empty


def _first_of_runs(events: pa.Array, owner: IntArray) -> BoolArray:
    codes = events.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    first = np.ones(codes.size, dtype=np.bool_)
    first[1:] = (codes[1:] != codes[:-1]) | (owner[1:] != owner[:-1])
    return first


def _constant(column: pa.Array, owner: IntArray, first: IntArray, name: str, identifier: str) -> pa.Array:
    codes = pc.fill_null(column.dictionary_encode().indices, -1).to_numpy(zero_copy_only=False)
    varies = np.unique(owner[codes != codes[first[owner]]]).size
    if varies:
        raise DataError(
            f"Column {name!r} has more than one value for {varies} of {first.size} values of {identifier!r}.",
            hint="Leave the column out, or make it part of the identifier.",
        )
    return column.take(pa.array(first))


def _times_of(table: pa.Table, name: str, lengths: IntArray) -> pa.Array:
    column = as_arrow(table[name])
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        raise DataError(f"Column {name!r} must hold a list of times for every sequence.")
    n_times = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    wrong = int((n_times != lengths).sum())
    if wrong:
        raise DataError(f"Column {name!r}: {wrong} of {lengths.size} lists of times do not fit their sequences.")
    return column.flatten()


def _same_type(parts: list[pa.Array]) -> list[pa.Array]:
    kinds = {part.type for part in parts if not pa.types.is_null(part.type)}
    if len(kinds) > 1:
        numbers = all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds)
        target = pa.float64() if numbers else pa.string()
    else:
        target = kinds.pop() if kinds else pa.string()
    return [part.cast(target) for part in parts]


def _present(column: pa.Array) -> BoolArray:
    present: BoolArray = ~column.is_null().to_numpy(zero_copy_only=False)
    if is_text(column):
        present &= pc.fill_null(pc.not_equal(column, ""), False).to_numpy(zero_copy_only=False)
    return present
