"""Combinations of keys with how often they occur: may be as many as records, and stay where they are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from discreet.data.block import Block
from discreet.data.keys import distinct_codes, pack
from discreet.data.microdata import Microdata
from discreet.data.scales.written import absent_of
from discreet.progress import report
from discreet.statistics.value_counts import check_different
from discreet.typing import BoolArray, FloatArray, IntArray, LevelArray

__all__ = ["Combinations", "Counts", "Digest", "agreeing", "written_codes"]

S_co = TypeVar("S_co", covariant=True)

_BITS = 62
"""Keys whose gaps one number tells."""


@dataclass(frozen=True, repr=False)
class Combinations:
    """Different combinations of keys, as a written file shows them.

    Attributes
    ----------
    codes : (m, keys) int64
        Equal numbers in a column exactly where a written file shows the same.
    absent : (m, keys) bool
        Whether the cell is missing.
    counts : (m,) int64
        The records that have the combination.
    totals : (m,) float64
        The sum of their weights.
    """

    codes: IntArray
    absent: BoolArray
    counts: IntArray
    totals: FloatArray

    def agreeing(self) -> tuple[IntArray, FloatArray]:
        """Return for every combination the records, and their weight, that agree with it where both have values."""
        if not self.absent.any():
            return self.counts, self.totals
        check_different("combinations of keys", len(self.counts))
        columns = [np.unique(column, return_inverse=True)[1].ravel() for column in self.codes.T]
        sizes = [int(column.max()) + 1 for column in columns]
        return agreeing(np.stack(columns, axis=1), self.absent, sizes, self.counts, self.totals)


class Digest(Protocol[S_co]):
    """What is wanted of counted combinations: small statistics that merge. A frozen dataclass."""

    @property
    def whole(self) -> bool:
        """Whether all combinations must be brought together for it."""

    def summarise(self, combinations: Combinations, /) -> S_co:
        """Return the statistics of some combinations."""


@dataclass(frozen=True)
class Counts:
    """How many records of the release share each combination of keys, and what `digest` says of that.

    The combinations are counted once for all questions that differ by their digest alone.

    Parameters
    ----------
    keys : tuple of str
        Columns of the release, on any scale.
    weight : str, optional
        The survey weight, a column of the original.
    digest : Digest
    """

    keys: tuple[str, ...]
    weight: str | None
    digest: Digest[Any]

    @property
    def original(self) -> tuple[str, ...]:
        return () if self.weight is None else (self.weight,)

    @property
    def released(self) -> tuple[str, ...]:
        return self.keys

    @property
    def counted(self) -> tuple[tuple[str, ...], str | None]:
        """What two questions must have in common to be counted together."""
        return self.keys, self.weight

    def combinations(self, block: Block) -> Combinations:
        """Count a block that holds all records."""
        weights = np.ones(len(block)) if self.weight is None else block.original.weights()
        written = [written_codes(block.release, name) for name in self.keys]
        packed = pack([codes for codes, _, _ in written], [size for _, size, _ in written])
        first, labels, counts = distinct_codes(*packed)
        rows = np.stack([codes[first] for codes, _, _ in written], axis=1, dtype=np.int64)
        absent = rows >= np.array([values for _, _, values in written])[None, :]
        totals = np.bincount(labels, weights=weights).astype(np.float64, copy=False)
        return Combinations(rows, absent, counts, totals)

    # An engine that counts by itself is given numbers, and gives them back with counts.

    @property
    def columns(self) -> dict[str, str]:
        """The columns of numbers that :meth:`encoded` gives, and their kinds; the weight is the last."""
        gaps = -(-len(self.keys) // _BITS)
        columns = {**{f"key {i}": "int" for i in range(len(self.keys))}, **{f"gaps {i}": "int" for i in range(gaps)}}
        return columns if self.weight is None else {**columns, "weight": "float"}

    def encoded(self, block: Block) -> dict[str, Any]:
        """Return for every record a number a key, the same in every block, and which keys are missing."""
        table = block.release
        result: dict[str, Any] = {f"key {i}": table.cell_keys(name) for i, name in enumerate(self.keys)}
        absent = np.stack([absent_of(table.encoded(name)) for name in self.keys], axis=1)
        for place, start in enumerate(range(0, len(self.keys), _BITS)):
            part = absent[:, start : start + _BITS]
            result[f"gaps {place}"] = part.astype(np.int64) @ (1 << np.arange(part.shape[1], dtype=np.int64))
        if self.weight is not None:
            result["weight"] = block.original.weights()
        return result

    def decoded(self, rows: Mapping[str, Any], counts: IntArray, totals: FloatArray) -> Combinations:
        """Undo :meth:`encoded` for combinations that were counted."""
        codes = np.stack([rows[f"key {i}"] for i in range(len(self.keys))], axis=1)
        absent = [(rows[f"gaps {i // _BITS}"] >> (i % _BITS)) & 1 for i in range(len(self.keys))]
        return Combinations(codes, np.stack(absent, axis=1).astype(np.bool_), counts, totals)


def written_codes(data: Microdata, name: str) -> tuple[LevelArray, int, int]:
    """Return any attribute as codes that are equal exactly where a written file shows the same.

    Returns
    -------
    codes : (n,) int8 or wider
    size : int
        How many codes there may be.
    values : int
        The code from which on cells are missing; those that the file tells apart (empty, −8, −9) have own codes.
    """
    written = data.as_written(name)
    values, kinds = int(written.max(initial=-1)) + 1, max(-int(written.min(initial=0)), 0)
    codes = np.where(written < 0, values - 1 - written.astype(np.int64), written) if kinds else written
    return codes, values + kinds, values


def agreeing(
    rows: IntArray, absent: BoolArray, sizes: Sequence[int], counts: IntArray, totals: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return, for every distinct row, the records (and weight) of all rows that agree where both have values.

    Notes
    -----
    Every two patterns of missing values are compared on the keys that both have: O(patterns · rows log rows).
    """
    patterns, pattern = np.unique(absent, axis=0, return_inverse=True)
    pattern = pattern.ravel()
    members = [np.flatnonzero(pattern == p) for p in range(len(patterns))]
    all_counts, all_totals = np.zeros(len(rows)), np.zeros(len(rows))
    compared, pairs = 0, len(patterns) * (len(patterns) + 1) // 2
    for p, own in enumerate(members):
        for q in range(p, len(members)):
            other = members[q]
            common = np.flatnonzero(~(patterns[p] | patterns[q]))
            both = np.concatenate([own, other]) if q != p else own
            if common.size:
                packed, _ = pack([rows[both, j] for j in common], [sizes[int(j)] for j in common])
                _, place = np.unique(packed, return_inverse=True)
            else:
                place = np.zeros(both.size, dtype=np.int64)
            own_place, other_place = place[: own.size], place[-other.size :]
            for source, sums in ((counts, all_counts), (totals, all_totals)):
                sums[own] += np.bincount(other_place, weights=source[other], minlength=place.max() + 1)[own_place]
                if q != p:
                    sums[other] += np.bincount(own_place, weights=source[own], minlength=place.max() + 1)[other_place]
            compared += 1
        report("matching missing values", compared, pairs)
    return np.rint(all_counts).astype(np.int64), all_totals
