"""Query logs: what somebody searched for, in free words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.scales.scale import Scale, as_arrow, hide_missing
from discreet.data.scales.sequence import EncodedSequences, Sequence
from discreet.data.scales.succession import is_list, offsets_of
from discreet.errors import DataError, SchemaError
from discreet.typing import IntArray, Json, Level

__all__ = ["BREAK", "OTHER", "QueryLog", "queries_of", "terms_of"]

BREAK, OTHER = 0, 1
"""The codes of what stands between two queries, and of a query that is not told."""
_RESERVED = ("", "*")


@dataclass(frozen=True, init=False)
class QueryLog(Sequence):
    """Queries of free words, one after the other: what somebody typed into a search box.

    Parameters
    ----------
    alphabet : sequence of str
        The terms that there are, the commonest first: rarer terms weigh more where logs are compared. Read off the
        table where it is left out.
    delimiter : str
        What stands between two queries where a log is written as text; the terms of a query have blanks between them. A
        list column has a text a query.

    Notes
    -----
    Terms are compared without regard to capitals (``ß`` is ``ss``). To kernels a log is the codes of its terms, with a
    break between two queries. A query that a release does not tell is ``*``.

    Examples
    --------
    >>> searches = QueryLog(["rome", "flights", "weather"], delimiter=" | ")
    >>> searches.encode(["flights Rome | weather"]).codes.tolist()
    [3, 2, 0, 4]
    >>> searches.decode(searches.encode(["flights Rome | weather"])).to_pylist()
    [['flights rome', 'weather']]
    """

    name: ClassVar[str] = "queries"
    answers: ClassVar[frozenset[str]] = frozenset({"sequence", "queries"})
    own_distance: ClassVar[str] = "weighted-jaccard"
    own_prototype: ClassVar[str] = "shared-terms"

    def __init__(self, alphabet: Iterable[Level], delimiter: str = " | ", columns: Iterable[str] = ()) -> None:
        if isinstance(alphabet, Iterable) and not isinstance(alphabet, str):
            terms = [term for term in alphabet if term not in _RESERVED]
            if not all(isinstance(term, str) and term == term.casefold() and len(term.split()) == 1 for term in terms):
                raise SchemaError("QueryLog: alphabet must list single words in small letters.")
            alphabet = (*_RESERVED, *terms)
        if tuple(columns):
            raise SchemaError("QueryLog: queries do not stand in columns of their own.")
        super().__init__(alphabet, delimiter)
        if not delimiter.strip():
            raise SchemaError("QueryLog: delimiter must be more than blanks, which stand between terms.")

    @property
    def terms(self) -> tuple[Level, ...]:
        """The terms, without what is reserved."""
        return self.alphabet[len(_RESERVED) :]

    def encode(self, values: Any, missing: tuple[Level, ...] = ()) -> EncodedSequences:
        """Return flat codes and offsets; an empty text is a log without queries, a null is a missing one."""
        terms, owner, lists = _split(self, hide_missing(as_arrow(values), missing))
        codes = pc.index_in(terms, value_set=pa.array(self.alphabet, pa.string()))
        if codes.null_count:
            raise DataError(
                f"{codes.null_count} of {len(terms)} terms are not among the {len(self.terms)} declared ones.",
                hint="Leave the alphabet out of the declaration: it is read off the table.",
            )
        lengths = np.bincount(owner, minlength=len(lists))
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        absent = np.asarray(lists.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)
        return EncodedSequences(
            np.ascontiguousarray(codes.to_numpy(zero_copy_only=False), dtype=np.int32), offsets, absent
        )

    def decode(self, encoded: Any) -> pa.Array:
        """Return a list column, a text a query."""
        log = EncodedSequences(*encoded)
        owner, query = queries_of(log)
        terms = pa.array(self.alphabet, pa.string()).take(pa.array(log.codes[query >= 0]))
        counts = np.bincount(query[query >= 0]) if (query >= 0).any() else np.empty(0, dtype=np.int64)
        texts = pc.binary_join(pa.ListArray.from_arrays(offsets_of(counts, np.zeros(counts.size, bool)), terms), " ")
        lengths = np.bincount(owner, minlength=len(log))
        return pa.ListArray.from_arrays(offsets_of(lengths, log.missing), texts)

    def to_text(self, lists: pa.Array) -> pa.Array:
        """Write a list column as delimited text; a term that holds the delimiter could not be read back."""
        mark = self.delimiter.strip()
        clashing = sum(mark in str(term) for term in self.alphabet)
        if clashing:
            raise SchemaError(f"QueryLog: {clashing} terms hold the delimiter.", hint="Choose another delimiter.")
        return pc.binary_join(as_arrow(lists).cast(pa.list_(pa.string())), self.delimiter)

    @classmethod
    def read_off(cls, column: pa.Array, missing: tuple[Level, ...], fields: Json) -> Self:
        values = hide_missing(as_arrow(column), missing)
        mark = fields.get("delimiter")
        if mark is None and not is_list(values):
            texts = values.drop_null().cast(pa.string())
            marks = [one for one in (" | ", "|", "; ", ";") if (pc.sum(pc.count_substring(texts, one)).as_py() or 0)]
            mark = marks[0] if marks else " | "
        terms, owner, _ = _split(cls((), mark or " | "), values)
        words = terms.dictionary_encode()
        held = np.unique(np.stack([words.indices.to_numpy(zero_copy_only=False), owner]), axis=1)[0]
        people = np.bincount(held, minlength=len(words.dictionary))
        counted = zip(-people, words.dictionary.to_pylist(), strict=True)
        return cls([term for _, term in sorted(counted) if term not in _RESERVED], mark or " | ")

    def occurring(self, codes: IntArray) -> Self:
        present = sorted(str(self.alphabet[code]) for code in codes if code > OTHER)
        return type(self)(present, self.delimiter)  # in the order of letters: how common terms were is not told

    def is_part_of(self, whole: Scale) -> bool:
        return isinstance(whole, QueryLog) and super().is_part_of(whole)

    def to_dict(self) -> Json:
        return {"alphabet": list(self.terms), "delimiter": self.delimiter}


def queries_of(log: EncodedSequences) -> tuple[IntArray, IntArray]:
    """Return the record of every query, and the query of every code, −1 for a break."""
    owner = np.repeat(np.arange(len(log)), log.lengths)
    breaks = log.codes == BREAK
    new = np.zeros(owner.size, dtype=np.bool_)
    new[1:] = (owner[1:] != owner[:-1]) | breaks[:-1]
    new[:1] = True
    number = np.cumsum(new & ~breaks) - 1
    return owner[new & ~breaks], np.where(breaks, -1, number)


def terms_of(log: EncodedSequences) -> EncodedSequences:
    """Return the different terms of every log, in the order of the alphabet, without what is no term."""
    owner = np.repeat(np.arange(len(log)), log.lengths)
    told = log.codes > OTHER
    cells = np.unique(owner[told] * np.int64(2**31) + log.codes[told])
    lengths = np.bincount(cells // 2**31, minlength=len(log))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return EncodedSequences((cells % 2**31).astype(np.int32), offsets, log.missing)


def _folded(texts: pa.Array) -> pa.Array:
    """Return texts in small letters, folded as the check of an alphabet folds: ``Straße`` and ``STRASSE`` are one."""
    different = texts.dictionary_encode()
    return pa.array([text.casefold() for text in different.dictionary.to_pylist()], pa.string()).take(different.indices)


def _split(scale: QueryLog, column: pa.Array) -> tuple[pa.Array, IntArray, pa.Array]:
    """Return every term, a break as the empty one; the record of each; and the lists of queries."""
    lists = scale.as_lists(column)
    queries = lists.flatten()
    if not pa.types.is_string(queries.type) and not pa.types.is_large_string(queries.type):
        if len(queries):
            raise DataError("Queries must be text.", hint="Declare another scale.")
        queries = queries.cast(pa.string())
    if queries.null_count:
        raise DataError(f"{queries.null_count} of {len(queries)} queries are missing.", hint="Leave them out.")
    # A break before every query but the first of a record; an empty query leaves no trace.
    texts = pc.utf8_trim_whitespace(_folded(queries.cast(pa.string())))
    held = pc.not_equal(texts, "").to_numpy(zero_copy_only=False)
    owner = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)[held]
    split = pc.utf8_split_whitespace(texts.filter(pa.array(held)))
    lengths = pc.list_value_length(split).to_numpy(zero_copy_only=False).astype(np.int64)
    first = np.ones(owner.size, dtype=np.bool_)
    first[1:] = owner[1:] != owner[:-1]
    sizes = lengths + ~first
    ends = np.cumsum(sizes)
    words = np.full(int(ends[-1]) if ends.size else 0, -1, dtype=np.int64)
    within = np.ones(words.size, dtype=np.bool_)
    within[(ends - sizes)[~first]] = False
    words[within] = np.arange(int(lengths.sum()))
    terms = pc.fill_null(split.flatten().take(pa.array(words, mask=words < 0)), "")
    return terms, np.repeat(owner, sizes), lists
