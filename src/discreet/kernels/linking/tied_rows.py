"""Rows of classes that are tied for a record: lists that grow while a search goes on, and from classes to records."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import kernel
from discreet.typing import FloatArray, IntArray

__all__ = ["copy_rows", "enlarged", "find_ends", "name_records", "put_in_order"]

_FAR = np.int64(9223372036854775807)


@kernel
def enlarged(
    entries: IntArray,  # IN int64
    used: int,  # IN how many of them count
    needed: int,  # IN how many there must be room for
) -> IntArray:
    """Return a copy of a list with room for twice as many as are needed."""
    # One by one, here and elsewhere: where a slice is put into a slice, the compiler spends seconds on code that would
    # word an error about their lengths.
    result = np.empty(2 * needed, dtype=np.int64)
    for e in range(used):
        result[e] = entries[e]
    return result


@kernel
def put_in_order(
    entries: IntArray,  # IN/OUT int64
    size: int,  # IN how many of them count
) -> None:
    """Sort a list upwards, where it lies; by a heap, whose code is a tenth of the compiler's own sort."""
    for step in range(size // 2 + size):
        # First every parent sinks, the last one first; then the largest leaves, and what replaces it sinks.
        end = size
        parent = size // 2 - 1 - step
        if parent < 0:
            end = size - 1 - (step - size // 2)
            entries[0], entries[end] = entries[end], entries[0]
            parent = 0
        child = 2 * parent + 1
        while child < end:
            if child + 1 < end and entries[child + 1] > entries[child]:
                child += 1
            if entries[child] <= entries[parent]:
                break
            entries[parent], entries[child] = entries[child], entries[parent]
            parent = child
            child = 2 * parent + 1


def name_records(
    a_first: IntArray,  # IN (classes,) int64, the first record of every class of A
    a_next: IntArray,  # IN its second record, a huge number where there is none
    a_size: IntArray,  # IN its number of records
    offsets: IntArray,  # IN (rows + 1,) int64, where every row of tied classes starts
    tied: IntArray,  # IN int64, the classes tied with the best
    best: IntArray,  # IN/OUT (m,) int64, a class, then its first record; −1 for nobody
    score: FloatArray,  # IN (m,) float64
    second: IntArray,  # IN/OUT (m,) int64, another class, then the record that comes second; −1 for nobody
    second_score: FloatArray,  # IN/OUT (m,) float64
    row: IntArray,  # IN/OUT (m,) int64, the row of tied classes, then −1 for nobody
    ties: IntArray,  # OUT (m,) int64, records of A at the best distance
) -> None:
    """Turn nearest classes into records: the second record of a class, or of a tied one, is its second nearest."""
    sizes = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(a_size[tied])))
    ties[:] = sizes[offsets[row + 1]] - sizes[offsets[row]]
    somebody, another = best >= 0, second >= 0
    crowded = np.full(best.size, _FAR)
    crowded[somebody] = a_next[best[somebody]]
    beside = somebody & another & (second_score == score)
    crowded[beside] = np.minimum(crowded[beside], a_first[second[beside]])
    best[somebody] = a_first[best[somebody]]
    row[~somebody] = -1
    is_crowded = crowded < _FAR
    alone = another & ~is_crowded
    second[alone] = a_first[second[alone]]
    second[is_crowded], second_score[is_crowded] = crowded[is_crowded], score[is_crowded]


def find_ends(
    row: IntArray,  # IN (n,) int64, the row of every record, −1 for none
    offsets: IntArray,  # IN (rows + 1,) int64
    ends: IntArray,  # OUT (n + 1,) int64, offsets of the rows if every record had its own
) -> int:
    """Return how long all rows would be together."""
    ends[0] = 0
    np.cumsum(np.where(row >= 0, offsets[row + 1] - offsets[row], 0), out=ends[1:])
    return int(ends[-1])


def copy_rows(
    row: IntArray,  # IN as above
    offsets: IntArray,
    tied: IntArray,  # IN int64, what the rows hold
    ends: IntArray,  # IN (n + 1,) int64
    out: IntArray,  # OUT (ends[n],) int64
) -> None:
    """Give every record a row of its own."""
    shift = np.where(row >= 0, offsets[row], 0) - ends[:-1]
    out[:] = tied[np.arange(out.size) + np.repeat(shift, np.diff(ends))]
