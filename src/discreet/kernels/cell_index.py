"""Cells of a prefix tree, found by hashing: those with a given prefix, and those that differ from it in one place.

A cell is a node of the tree whose prefix is packed into one 64-bit key, a field of bits an attribute.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import exact_kernel
from discreet.typing import CodeArray

__all__ = ["first_cell", "index_cells"]

_MIX = np.uint64(0x9E3779B97F4A7C15)


@exact_kernel
def _slot(key: np.uint64, bits: int) -> np.uint64:
    h = (key ^ (key >> np.uint64(32))) * _MIX
    return ((h ^ (h >> np.uint64(29))) * _MIX) >> np.uint64(64 - bits)


@exact_kernel
def index_cells(
    keys: NDArray[np.uint64],  # IN (cells,) uint64, all different
    masks: NDArray[np.uint64],  # IN (indexes,) uint64, the fields that each index looks at
    bits: int,  # IN a table has 2**bits slots, at least 2 · cells
    tables: CodeArray,  # OUT (indexes, 2**bits) int32, the first cell of a masked key, −1 in an empty slot
    following: CodeArray,  # OUT (indexes, cells) int32, the next cell with the same masked key, −1 after the last
) -> None:
    """Index cells by their keys under several masks; the cells of one masked key form a rising chain."""
    last = np.uint64((1 << bits) - 1)
    tables[:] = -1
    for index in range(masks.size):
        mask, table, chain = masks[index], tables[index], following[index]
        for cell in range(keys.size - 1, -1, -1):
            key = keys[cell] & mask
            slot = _slot(key, bits)
            while table[slot] >= 0 and (keys[table[slot]] & mask) != key:
                slot = (slot + np.uint64(1)) & last
            chain[cell] = table[slot]
            table[slot] = cell


@exact_kernel
def first_cell(keys: NDArray[np.uint64], key: np.uint64, mask: np.uint64, bits: int, table: CodeArray) -> int:
    """Return the first cell that agrees with a key under a mask, −1 for none."""
    last = np.uint64((1 << bits) - 1)
    key &= mask
    slot = _slot(key, bits)
    while table[slot] >= 0 and (keys[table[slot]] & mask) != key:
        slot = (slot + np.uint64(1)) & last
    return int(table[slot])
