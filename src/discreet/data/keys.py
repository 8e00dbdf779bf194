"""A combination of codes as one number, and the different ones among many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.kernels.distinct import number_classes
from discreet.typing import IntArray, LevelArray

__all__ = ["LARGEST", "distinct_codes", "pack"]

LARGEST = 1 << 62
"""The most combinations that one number tells apart."""


def pack(columns: Sequence[LevelArray], sizes: Sequence[int]) -> tuple[IntArray, int]:
    """Return one code a record for the combination of its codes, and how many codes there may be.

    Where the product of the sizes does not fit into 62 bits, the combinations so far are numbered anew.
    """
    packed, cells = columns[0].astype(np.int64), int(sizes[0])
    for codes, size in zip(columns[1:], sizes[1:], strict=True):
        if cells * size > LARGEST:
            first, packed, _ = distinct_codes(packed, cells)
            cells = first.size
        packed = packed * size + codes
        cells *= int(size)
    return packed, cells


_SPARSE = 4  # places a record, of a table of all codes there may be
_FEW = 100_000  # records that are sorted in the time that a kernel takes to load


def distinct_codes(packed: IntArray, cells: int) -> tuple[IntArray, IntArray, IntArray]:
    """Find the different codes: where each first stands, the number of each record's, and how many records have it.

    Parameters
    ----------
    packed : (n,) int64
        Codes 0 … cells − 1.
    cells : int
        How many codes there may be.

    Returns
    -------
    first, labels, counts : (m,), (n,), (m,) int64
        In rising order of codes, as of :func:`numpy.unique`.

    Notes
    -----
    O(n + cells) where there are not many more codes than records; else O(n + m log m), by a hash.

    Examples
    --------
    >>> [array.tolist() for array in distinct_codes(np.array([7, 2, 7]), 9)]
    [[1, 0], [1, 0, 1], [1, 2]]
    """
    n = packed.size
    if cells <= _SPARSE * n + 1024:
        counts = np.bincount(packed, minlength=cells)
        # The last one written stays, so they are written from the back.
        first = np.empty(cells, dtype=np.int64)
        first[packed[::-1]] = np.arange(n - 1, -1, -1)
        occurring = np.flatnonzero(counts)
        if occurring.size == cells:
            return first, packed.astype(np.int64, copy=False), counts
        rank = np.empty(cells, dtype=np.int64)
        rank[occurring] = np.arange(occurring.size)
        return first[occurring], rank[packed], counts[occurring]
    if n <= _FEW:
        _, first, labels, counts = np.unique(packed, return_index=True, return_inverse=True, return_counts=True)
        return first, labels, counts
    bits = int(2 * n - 1).bit_length()
    codes, labels = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    m = number_classes(np.ascontiguousarray(packed), bits, np.empty(1 << bits, dtype=np.int64), codes, labels)
    order = np.argsort(codes[:m])
    rank = np.empty(m, dtype=np.int64)
    rank[order] = np.arange(m)
    first = np.empty(m, dtype=np.int64)
    first[labels[::-1]] = np.arange(n - 1, -1, -1)
    return first[order], rank[labels], np.bincount(labels, minlength=m)[order]
