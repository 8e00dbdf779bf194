"""What the scales of sequences share: things in an order, in one cell or over columns, and how a file writes them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.scales.scale import Scale, is_text
from discreet.errors import DataError
from discreet.typing import CodeArray, FloatArray, IntArray, Json, Level

if TYPE_CHECKING:
    from discreet.data.scales.sequence import EncodedSequences

__all__ = ["Succession", "check_columns", "is_list", "offsets_of", "shown"]


class Succession(Scale):
    """Things in an order: events, items, readings, points, queries.

    To every kernel a record is a run of whole numbers (:class:`EncodedSequences`), so that distinct records, blocks,
    keys and counts are the same for all of them. What the numbers mean is the scale's: positions in an alphabet, or
    units of a measurement. Distances and prototypes that must know it are handed the scale (``bound_to``).
    """

    kind: ClassVar[str] = "sequence"
    ordered: ClassVar[bool] = False
    own_fields: ClassVar[tuple[str, ...]] = ()
    """The fields of a declaration that are read off the table where nobody tells them."""
    delimiter: str
    columns: tuple[str, ...] = ()

    @classmethod
    @abstractmethod
    def read_off(cls, column: pa.Array, missing: tuple[Level, ...], fields: Json) -> Self:
        """Return the scale of a column, of which some fields are told."""

    @classmethod
    def guessed(cls, column: pa.Array, delimiter: str | None = None) -> Self:
        """Return the scale of a column that nobody declared, open where the column does not tell it."""
        fields: Json = {} if delimiter is None else {"delimiter": delimiter}
        try:
            return cls.read_off(column, (), fields)
        except DataError:  # said when the column is joined with the table, unless it is declared until then
            return cls(**fields)

    @abstractmethod
    def occurring(self, codes: IntArray) -> Self:
        """Return the declaration that says no more than these codes, each once, do: what a release is declared by."""

    @abstractmethod
    def is_part_of(self, whole: Scale) -> bool:
        """Say whether the declaration of a release can be that of its original, of which it shows a part."""

    @abstractmethod
    def translated(self, other: Scale, encoded: EncodedSequences) -> EncodedSequences:
        """Return what another declaration of the same scale encoded in the codes of this one."""

    @property
    @abstractmethod
    def size(self) -> int | str:
        """How many things there are, where they are listed."""

    @abstractmethod
    def to_text(self, lists: pa.Array) -> pa.Array:
        """Write a list column as text that reads back."""

    def moments(self, codes: CodeArray, known: int, draws: int, rng: np.random.Generator) -> list[IntArray]:  # noqa: ARG002
        """Return sets of places in a record that somebody may know of it; none where the scale has no times."""
        return []

    def far_from(self, codes: CodeArray, places: IntArray, others: EncodedSequences) -> FloatArray:
        """Return how badly other records fit what is known: the places of a record, with their times."""
        raise NotImplementedError

    def position_scale(self, values: pa.Array) -> Scale:
        """Return the scale of one position, where a release is spread over columns."""
        raise NotImplementedError

    def distance(self, a: Any, b: Any) -> FloatArray:
        """Return the scale's own dissimilarity of records i of `a` and i of `b`."""
        if len(a) != len(b):
            raise DataError(f"{type(self).__name__}: {len(a)} records cannot be compared with {len(b)} one by one.")
        from discreet.data.scales.dissimilarities import dissimilarity_named

        return dissimilarity_named(self.own_distance)().bound_to(self).compare(a, b).pairs()

    def _pieces(self, column: pa.Array, *, keep_empty: bool = False) -> pa.Array:
        """Return a column of delimited text as lists of its pieces; empty pieces are dropped unless they are kept."""
        if not is_text(column) and column.null_count < len(column):
            raise DataError("A sequence must be text or a list.", hint="Declare another scale.")
        text = column.cast(pa.string())
        split = pc.split_pattern(text, self.delimiter)
        pieces = split.flatten()
        owner = pc.list_parent_indices(split).to_numpy(zero_copy_only=False)
        empty = pc.equal(pc.utf8_trim_whitespace(text), "").to_numpy(zero_copy_only=False).astype(object)
        pieces_there = pc.not_equal(pieces, "").to_numpy(zero_copy_only=False)
        if keep_empty:  # a text without anything is a record without anything, not one with an empty piece
            pieces_there = np.asarray(empty[owner] != True, dtype=np.bool_)  # noqa: E712 - None where the text is null
        lengths = np.bincount(owner[pieces_there], minlength=len(text))
        absent = text.is_null().to_numpy(zero_copy_only=False)
        return pa.ListArray.from_arrays(offsets_of(lengths, absent), pieces.filter(pa.array(pieces_there)))


def is_list(column: pa.Array) -> bool:
    """Say whether a column holds lists."""
    return bool(pa.types.is_list(column.type) or pa.types.is_large_list(column.type))


def offsets_of(lengths: Any, absent: Any) -> pa.Array:
    """Return where the lists of a column begin, as Arrow wants it."""
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.array(ends, mask=np.append(np.asarray(absent, dtype=np.bool_), False))


def check_columns(columns: Any) -> tuple[str, ...]:
    """Return the columns that are the positions of one sequence, or say what is wrong with them."""
    from discreet.errors import SchemaError

    if isinstance(columns, str) or not all(isinstance(name, str) and name for name in columns):
        raise SchemaError("Sequence: columns must list names of columns.")
    positions = tuple(columns)
    if len(set(positions)) != len(positions):
        raise SchemaError(f"Sequence: {len(positions) - len(set(positions))} columns are listed twice.")
    return positions


def shown(column: pa.Array) -> pa.Array:
    r"""Return lists as text that tells apart whatever a file that holds them tells apart.

    Examples
    --------
    >>> shown(pa.array([[1.5, None], [], None])).to_pylist()
    ['1.5\x1f\x1e\x1f', '', None]
    """
    values = column.flatten()
    texts = pc.fill_null(values.cast(pa.string()), "\x1e")
    # Behind every element a mark, so that no list is a list without its last, empty element.
    texts = pc.binary_join_element_wise(texts, "\x1f", "")
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    lists = pa.ListArray.from_arrays(offsets_of(lengths, column.is_null().to_numpy(zero_copy_only=False)), texts)
    return pc.binary_join(lists, "")
