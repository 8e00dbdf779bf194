"""A combination of codes as one number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.typing import IntArray

__all__ = ["LARGEST", "pack"]

LARGEST = 1 << 62
"""The most combinations that one number tells apart."""


def pack(columns: Sequence[IntArray], sizes: Sequence[int]) -> tuple[IntArray, int]:
    """Return one code a record for the combination of its codes, and how many codes there may be.

    Where the product of the sizes does not fit into 62 bits, the combinations so far are numbered anew.
    """
    packed, cells = columns[0].astype(np.int64), int(sizes[0])
    for codes, size in zip(columns[1:], sizes[1:], strict=True):
        if cells * size > LARGEST:
            distinct, packed = np.unique(packed, return_inverse=True)
            cells = distinct.size
        packed = packed * size + codes
        cells *= int(size)
    return packed, cells
