"""Records that have the very same keys: what anybody finds in a file as it is, and in a release by looking for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from discreet.contracts.engine import Engine, TableEngine
from discreet.data.encoded_rows import EncodedRows
from discreet.data.microdata import Microdata
from discreet.data.scales import EncodedSequences
from discreet.data.table import StoredTable
from discreet.statistics import question
from discreet.typing import IntArray

__all__ = ["exact_groups", "exact_match", "risk_of_unmasked"]

_MOST_COMBINATIONS = 1 << 62  # that a code can tell apart


def exact_match(known: Microdata, after: Microdata, names: Sequence[str]) -> float:
    """Return the percentage of released records that are found by looking for the very same keys.

    A released record is looked for among the originals with equal keys; a gap is like a gap. Of t such originals one is
    taken at random, so that the true one, if it is among them, counts 1/t. For an unmasked file nobody can do better.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.microdata import microdata
    >>> a, b = pl.DataFrame({"x": [1.5, 1.5, 9.0, 8.5]}), pl.DataFrame({"x": [1.5, 1.5, 9.0, 9.0]})
    >>> exact_match(microdata(a), microdata(b), ["x"])  # 1/2 + 1/2 + 1 + 0 of four
    50.0
    """
    n = len(after)
    if known is after:
        combination = _combined(_joint([after.encoded(name)]) for name in names)
        first = second = combination
    else:
        combination = _combined(_codes_of_both(known, after, name) for name in names)
        first, second = combination[:n], combination[n:]
    size = int(combination.max(initial=0)) + 1
    sizes, hits = np.bincount(first, minlength=size), np.bincount(first[first == second], minlength=size)
    # Class by class: one that is found whole counts one, exactly, and no limit that is met is missed by rounding.
    return float(100.0 * (hits / np.maximum(sizes, 1)).sum() / n)


def exact_groups(table: Microdata, names: Sequence[str]) -> IntArray:
    """Return how many records have each combination of values that occurs."""
    if not names:
        return np.bincount(np.zeros(len(table), dtype=np.int64))
    return np.bincount(_combined(_joint([table.encoded(name)]) for name in names))


def _combined(columns: Iterable[IntArray]) -> IntArray:
    """Return combinations of codes as numbers, counted in their sequence."""
    combination, most = np.zeros(1, dtype=np.int64), 1
    for codes in columns:
        levels = int(codes.max(initial=0)) + 1
        if most * levels > _MOST_COMBINATIONS:
            combination = np.unique(combination, return_inverse=True)[1].ravel()
            most = int(combination.max(initial=0)) + 1
        combination, most = combination * levels + codes, most * levels
    return np.unique(combination, return_inverse=True)[1].ravel()


def _codes_of_both(known: Microdata, after: Microdata, name: str) -> IntArray:
    if known.schema[name].scale != after.schema[name].scale:
        return _texts(known, after, name)
    return _joint([known.encoded(name), after.encoded(name)])


def _joint(columns: Sequence[Any]) -> IntArray:
    """Return codes of the values of several columns on one list: equal where the values are; a gap is like a gap."""
    if isinstance(columns[0], EncodedSequences):
        keys = np.array([key for one in columns for key in EncodedSequences.keys(one)], dtype=object)
        return np.unique(keys, return_inverse=True)[1].ravel().astype(np.int64)
    values = np.concatenate([np.asarray(one) for one in columns])
    if values.dtype.kind == "i":
        return values.astype(np.int64) + 1  # positions of levels, −1 for a gap
    if values.dtype.kind == "f":
        values = values + 0.0  # one nought
    return np.unique(values, return_inverse=True)[1].ravel().astype(np.int64)


def _texts(before: Microdata, after: Microdata, name: str) -> IntArray:
    """Return codes of an attribute whose scales differ in the two tables: equal where they are written the same."""
    texts = [str(value) for table in (before, after) for value in table.column(name).to_pylist()]
    return np.unique(np.array(texts, dtype=object), return_inverse=True)[1].ravel().astype(np.int64)


def risk_of_unmasked(original: Microdata | StoredTable, known: Sequence[str], engine: Engine | None = None) -> float:
    """Return the percentage of records that an intruder finds in the file as it is, whatever linker he uses.

    Records that are alike in all that he knows cannot be told apart, and all others are: he finds as many as there are
    different combinations of values. Exact, in one sort.
    """
    names = tuple(name for name in original.schema.names if name in set(known))
    if isinstance(original, StoredTable):
        if len(original) > question.MOST_AT_ONCE and names:
            return 100.0 * _combinations(original, names, cast("TableEngine", engine)) / len(original)
        original = original.in_memory(names)

    def count() -> float:
        return exact_match(original, original, names) if names else 100.0 / max(len(original), 1)

    return original.once(("risk of the unmasked file", names), count)


def _combinations(original: StoredTable, names: Sequence[str], engine: TableEngine) -> int:
    counted = engine.count(engine.open(original, names), names)
    return int(engine.fold(counted, _count_rows)["combinations"][0])


def _count_rows(block: EncodedRows) -> EncodedRows:
    return {"combinations": np.array([len(block["#count"])])}
