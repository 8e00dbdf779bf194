"""Rows of classes that are tied for a record: lists that grow while a search goes on, and from classes to records."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["copy_rows", "enlarged", "find_ends", "name_records"]

_FAR = np.int64(9223372036854775807)


@kernel
def enlarged(
    entries: IntArray,  # IN int64
    used: int,  # IN how many of them count
    needed: int,  # IN how many there must be room for
) -> IntArray:
    """Return a copy of a list with room for twice as many as are needed."""
    result = np.empty(2 * needed, dtype=np.int64)
    result[:used] = entries[:used]
    return result


@kernel
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
    for k in range(best.size):
        heed_stop()
        ties[k] = 0
        for j in range(offsets[row[k]], offsets[row[k] + 1]):
            ties[k] += a_size[tied[j]]
        crowded = _FAR
        if best[k] >= 0:
            crowded = a_next[best[k]]
            if second[k] >= 0 and second_score[k] == score[k]:
                crowded = min(crowded, a_first[second[k]])
            best[k] = a_first[best[k]]
        else:
            row[k] = -1
        if crowded < _FAR:
            second[k], second_score[k] = crowded, score[k]
        elif second[k] >= 0:
            second[k] = a_first[second[k]]


@kernel
def find_ends(
    row: IntArray,  # IN (n,) int64, the row of every record, −1 for none
    offsets: IntArray,  # IN (rows + 1,) int64
    ends: IntArray,  # OUT (n + 1,) int64, offsets of the rows if every record had its own
) -> int:
    """Return how long all rows would be together."""
    ends[0] = 0
    for i in range(row.size):
        ends[i + 1] = ends[i] + (offsets[row[i] + 1] - offsets[row[i]] if row[i] >= 0 else 0)
    return int(ends[row.size])


@kernel
def copy_rows(
    row: IntArray,  # IN as above
    offsets: IntArray,
    tied: IntArray,  # IN int64, what the rows hold
    ends: IntArray,  # IN (n + 1,) int64
    out: IntArray,  # OUT (ends[n],) int64
) -> None:
    """Give every record a row of its own."""
    for i in range(row.size):
        if row[i] >= 0:
            out[ends[i] : ends[i + 1]] = tied[offsets[row[i]] : offsets[row[i] + 1]]
