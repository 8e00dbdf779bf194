"""Sequences of events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.scales.item_text import items_in
from discreet.data.scales.nominal import Nominal
from discreet.data.scales.scale import Scale, as_arrow, hide_missing, level_type, to_level_type
from discreet.data.scales.succession import Succession, check_columns, is_list
from discreet.errors import DataError, SchemaError, wrong_type
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray, Json, Level

__all__ = ["EncodedSequences", "Sequence", "distinct"]


class EncodedSequences(NamedTuple):
    """Sequences as kernels see them: record ``i`` is ``codes[offsets[i]:offsets[i + 1]]``."""

    codes: CodeArray
    offsets: IntArray
    missing: BoolArray

    def __len__(self) -> int:
        return self.offsets.size - 1

    @classmethod
    def of(cls, sequences: Iterable[Any]) -> EncodedSequences:
        """Put sequences of codes, None for a missing one, into this form."""
        members = list(sequences)
        parts = [np.asarray([] if one is None else one, dtype=np.int32).ravel() for one in members]
        offsets = np.concatenate([[0], np.cumsum([part.size for part in parts], dtype=np.int64)]).astype(np.int64)
        codes = np.concatenate([np.empty(0, dtype=np.int32), *parts])
        return cls(codes, offsets, np.array([one is None for one in members], dtype=np.bool_))

    @property
    def lengths(self) -> IntArray:
        """The number of events of every sequence; 0 for a missing one."""
        return np.diff(self.offsets)

    def take(self, rows: Any) -> EncodedSequences:
        """Return these sequences only, in this order."""
        positions = np.asarray(rows, dtype=np.int64)
        lengths = self.lengths[positions]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        where = np.arange(offsets[-1]) + np.repeat(self.offsets[positions] - offsets[:-1], lengths)
        return EncodedSequences(self.codes[where], offsets, self.missing[positions])

    def keys(self) -> list[bytes]:
        """Return a key for every sequence: equal sequences have equal keys, a missing one differs from an empty one."""
        raw = np.ascontiguousarray(self.codes, dtype=np.int32).tobytes()
        ends = (4 * self.offsets).tolist()
        bounds = zip(ends[:-1], ends[1:], self.missing.tolist(), strict=True)
        return [b"?" if absent else raw[start:stop] for start, stop, absent in bounds]

    def runs(self) -> tuple[CodeArray, CodeArray, CodeArray, CodeArray]:
        """Return the positions of every event, as the kernels of event distances read them.

        Returns
        -------
        positions : (events,) int32
            Positions within the sequence, by sequence, then by event, then in order.
        run_events : (runs,) int32
            The event of each run of positions.
        run_starts : (runs + 1,) int32
            Where a run's positions start.
        runs : (n + 1,) int32
            Where a sequence's runs start.
        """
        owner = np.repeat(np.arange(len(self)), self.lengths)
        order = np.lexsort((self.codes, owner))
        events, owner = self.codes[order], owner[order]
        positions = (order - self.offsets[owner]).astype(np.int32)
        new = np.ones(events.size, dtype=np.bool_)
        new[1:] = (events[1:] != events[:-1]) | (owner[1:] != owner[:-1])
        starts = np.flatnonzero(new)
        counts = np.bincount(owner[starts], minlength=len(self))
        run_starts = np.append(starts, events.size).astype(np.int32)
        return positions, events[starts], run_starts, np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def distinct(columns: list[EncodedSequences]) -> tuple[IntArray, IntArray, IntArray]:
    """Return the class of every record, and the first member and size of every class, in order of appearance.

    Records are equal where they are on every column. O(events).

    Examples
    --------
    >>> classes, first, counts = distinct([EncodedSequences.of([[0, 1], [2], [0, 1]])])
    >>> classes.tolist(), first.tolist(), counts.tolist()
    ([0, 1, 0], [0, 1], [2, 1])
    """
    numbers: dict[tuple[bytes, ...], int] = {}
    numbering = [numbers.setdefault(key, len(numbers)) for key in zip(*(c.keys() for c in columns), strict=True)]
    classes = np.array(numbering, dtype=np.int64)
    first = np.empty(len(numbers), dtype=np.int64)
    # Written from the back, so that the first of a class stays.
    first[classes[::-1]] = np.arange(classes.size)[::-1]
    return classes, first, np.bincount(classes, minlength=len(numbers)).astype(np.int64)


@dataclass(frozen=True)
class Sequence(Succession):
    """Events in the order in which they happened.

    Parameters
    ----------
    alphabet : sequence of str or int
        The events that can happen.
    delimiter : str
        What stands between two events where a sequence is written as text. A list column needs none.
    columns : sequence of str
        Where a file holds one column a position (states at fixed times): these columns, in the order of time. A table
        that has them is gathered when it is joined with its schema, and written in the same wide shape.

    Examples
    --------
    >>> visits = Sequence(["gate", "lake", "tower"])
    >>> visits.encode(["gate lake gate", "tower", ""]).offsets
    array([0, 3, 4, 4])
    >>> visits.decode(visits.encode(["gate lake gate"])).to_pylist()
    [['gate', 'lake', 'gate']]
    """

    alphabet: tuple[Level, ...]
    delimiter: str = " "
    columns: tuple[str, ...] = field(default=(), repr=False)
    name: ClassVar[str] = "sequence"
    answers: ClassVar[frozenset[str]] = frozenset({"sequence", "events"})
    own_fields: ClassVar[tuple[str, ...]] = ("alphabet",)
    own_distance: ClassVar[str] = "oss-owa"
    own_prototype: ClassVar[str] = "oesp"

    def __init__(self, alphabet: Iterable[Level], delimiter: str = " ", columns: Iterable[str] = ()) -> None:
        if not isinstance(alphabet, Iterable):
            raise wrong_type("Sequence", "alphabet must be a list of events", alphabet, 'Sequence(["home", "work"])')
        events = tuple(event.item() if isinstance(event, np.generic) else event for event in alphabet)
        if not events:
            raise SchemaError("Sequence: alphabet must name at least one event.")
        if not all(isinstance(event, (str, int, float)) for event in events):
            raise SchemaError("Sequence: alphabet must list events that are text or numbers.")
        if len(set(events)) != len(events):
            raise SchemaError(f"Sequence: {len(events) - len(set(events))} events are listed twice.")
        if not isinstance(delimiter, str) or not delimiter:
            raise SchemaError("Sequence: delimiter must be text, and not empty.")
        object.__setattr__(self, "alphabet", events)
        object.__setattr__(self, "delimiter", delimiter)
        object.__setattr__(self, "columns", check_columns(columns))
        level_type(events)

    def encode(self, values: Any, missing: tuple[Level, ...] = ()) -> EncodedSequences:
        """Return flat codes and offsets; an empty text is an empty sequence, a null is a missing one."""
        lists = self.as_lists(hide_missing(as_arrow(values), missing))
        absent = np.asarray(lists.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)
        events = lists.flatten()
        target = level_type(self.alphabet)
        codes = pc.index_in(to_level_type(events, target), value_set=pa.array(self.alphabet, type=target))
        if codes.null_count:
            raise DataError(
                f"{codes.null_count} of {len(events)} events are not in the declared alphabet "
                f"of {len(self.alphabet)} events.",
                hint="Add the events to the schema.",
            )
        lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return EncodedSequences(
            np.ascontiguousarray(codes.to_numpy(zero_copy_only=False), dtype=np.int32), offsets, absent
        )

    def as_lists(self, column: pa.Array) -> pa.Array:
        """Return a column of delimited text as a list column; a list column is returned as it is."""
        # "a  b " holds two events, not four: empty pieces are dropped.
        return column if is_list(column) else self._pieces(column)

    def decode(self, encoded: Any) -> pa.Array:
        """Return a list column."""
        codes, offsets, absent = encoded
        events = pa.array(self.alphabet, type=level_type(self.alphabet)).take(pa.array(codes))
        mask = np.append(np.asarray(absent), False)
        return pa.ListArray.from_arrays(pa.array(np.asarray(offsets), type=pa.int32(), mask=mask), events)

    def to_text(self, lists: pa.Array) -> pa.Array:
        """Write a list column as delimited text; an event that holds the delimiter could not be read back."""
        clashing = sum(self.delimiter in str(event) for event in self.alphabet)
        if clashing:
            raise SchemaError(f"Sequence: {clashing} events hold the delimiter.", hint="Choose another delimiter.")
        return pc.binary_join(lists.cast(pa.list_(pa.string())), self.delimiter)

    def distance(self, a: Any, b: Any) -> FloatArray:
        """Return the edit distance of records i of `a` and i of `b`, divided by the longer length (0 for two empties).

        Other dissimilarities are in :mod:`discreet.data.scales.dissimilarities`. O(length²) a pair, memory O(length).
        """
        if len(a) != len(b):
            raise DataError(f"Sequence: {len(a)} sequences cannot be compared with {len(b)} one by one.")
        from discreet.data.scales.dissimilarities.levenshtein import Levenshtein

        return Levenshtein().compare(a, b).pairs()

    @classmethod
    def read_off(cls, column: pa.Array, missing: tuple[Level, ...], fields: Json) -> Self:
        events, mark = items_in(column, missing, fields.get("delimiter"))
        return cls(events or [""], mark, fields.get("columns", ()))

    def occurring(self, codes: IntArray) -> Self:
        events = [self.alphabet[code] for code in codes]
        return replace(self, alphabet=tuple(sorted(events)) if events else ("",))

    def is_part_of(self, whole: Scale) -> bool:
        if not isinstance(whole, Sequence):
            return False
        return self.delimiter == whole.delimiter and {*self.alphabet} - {""} <= {*whole.alphabet}

    def translated(self, other: Scale, encoded: EncodedSequences) -> EncodedSequences:
        """Return what another alphabet encoded as positions in this one, its new events after this one's own."""
        if not isinstance(other, Sequence) or other.alphabet == self.alphabet:
            return encoded
        place = {event: code for code, event in enumerate(dict.fromkeys((*self.alphabet, *other.alphabet)))}
        codes = np.array([place[event] for event in other.alphabet], dtype=np.int32)
        return EncodedSequences(codes[encoded.codes], encoded.offsets, encoded.missing)

    def position_scale(self, values: pa.Array) -> Scale:
        return Nominal(tuple(sorted(set(values.drop_null().to_pylist()))) or ("(no value)",))

    @property
    def size(self) -> int:
        return len(self.alphabet)

    def to_dict(self) -> Json:
        states = {"columns": list(self.columns)} if self.columns else {}
        return {"alphabet": list(self.alphabet), "delimiter": self.delimiter, **states}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Self:
        return cls(tuple(fields["alphabet"]), fields.get("delimiter", " "), fields.get("columns", ()))
