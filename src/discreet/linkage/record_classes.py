"""Records that no linker can tell apart: the classes of equal records of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import PlainTwin
from discreet.kernels.linking.patterns import distinct
from discreet.typing import FloatArray, IntArray, LevelArray

__all__ = ["NOBODY", "Classes", "Words", "classes_of", "classes_of_codes", "distinct_rows", "packed", "table_bits"]

Words = NDArray[np.uint64]

NOBODY = np.iinfo(np.int64).max
"""The position of a record that is not there: later than every other."""


@dataclass(frozen=True, repr=False)
class Classes:
    """Distinct records of a file, in order of appearance.

    Attributes
    ----------
    label : (n,) int64
        The class of every row.
    first : (classes,) int64
        The first row of every class.
    size : (classes,) int64
        How many records it holds: its rows, or what they stand for.
    """

    label: IntArray
    first: IntArray
    size: IntArray

    @property
    def taken(self) -> IntArray | slice:
        """What takes the first row of every class from all rows: without a copy where no two are equal."""
        return self.first if self.first.size < self.label.size else slice(None)

    @property
    def following(self) -> IntArray:
        """The position of the second record of every class, `NOBODY` where there is none."""
        result = np.full(self.first.size, NOBODY, dtype=np.int64)
        # Written from the back, so that the lowest position after the first stays.
        later = np.flatnonzero(self.first[self.label] != np.arange(self.label.size))[::-1]
        result[self.label[later]] = later
        # A row that stands for several records is followed by itself.
        return np.where((result == NOBODY) & (self.size > 1), self.first, result)

    def standing_for(self, frequencies: IntArray | None) -> Classes:
        """Return the same classes where every row stands for so many records."""
        if frequencies is None:
            return self
        size = np.zeros(self.first.size, dtype=np.int64)
        np.add.at(size, self.label, frequencies)
        return replace(self, size=size)


def classes_of(codes: LevelArray, numbers: FloatArray) -> Classes:
    """Return the distinct records of a file, given by codes and coordinates."""
    # Adding zero turns −0.0 into 0.0; after that equal numbers have equal bits.
    bits = np.ascontiguousarray(numbers + 0.0).view(np.uint64)
    words = packed(codes)
    if not words and not bits.shape[1]:
        words = [np.zeros(len(codes), dtype=np.uint64)]
    # Numbers alone lie as they have to already.
    return distinct_rows(np.ascontiguousarray(np.stack([*words, *bits.T], axis=1)) if words else bits)


def classes_of_codes(columns: Sequence[LevelArray]) -> Classes:
    """Return the distinct records of a file given by columns of codes."""
    codes = np.stack([column.astype(np.int32) for column in columns], axis=1)
    return classes_of(codes, np.empty((len(codes), 0)))


def packed(codes: LevelArray) -> list[Words]:
    """Return codes side by side in as few 64-bit words as they need, the first column in the highest bits."""
    words: list[Words] = []
    bits = 64
    for column in codes.T:
        width = max(1, int(column.max(initial=0)).bit_length())
        bits += width
        if bits > 64:
            words.append(np.zeros(len(codes), dtype=np.uint64))
            bits = width
        words[-1] <<= np.uint64(width)
        words[-1] |= column.astype(np.uint64)
    return words


def distinct_rows(words: Words) -> Classes:
    """Return the distinct rows of packed records, in order of appearance."""
    n = len(words)
    if _TWIN.takes(words.size):
        return _distinct_plainly(words)
    bits = table_bits(n)
    label, members, sizes = (np.empty(n, dtype=np.int64) for _ in range(3))
    m = distinct(words, bits, np.empty(1 << bits, dtype=np.int32), label, members, sizes)
    return Classes(label, members[:m].copy(), sizes[:m].copy())


_TWIN = PlainTwin(3e5, distinct)


def _distinct_plainly(words: Words) -> Classes:
    order = np.lexsort(words.T)
    ordered = words[order]
    fresh = np.ones(len(words), dtype=np.bool_)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    # The sort is stable, so the first of a run is the first that appeared.
    firsts = order[fresh]
    rank = np.empty(firsts.size, dtype=np.int64)
    rank[np.argsort(firsts)] = np.arange(firsts.size)
    label = np.empty(len(words), dtype=np.int64)
    label[order] = rank[np.cumsum(fresh) - 1]
    return Classes(label, np.sort(firsts), np.bincount(label, minlength=firsts.size))


def table_bits(n: int) -> int:
    """Return how many bits address a hash table for `n` rows, at most half full."""
    return max(4, int(2 * n - 1).bit_length())
