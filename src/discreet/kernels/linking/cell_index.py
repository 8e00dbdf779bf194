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
def _slot(key: np.uint64, slots: int) -> np.int64:
    h = (key ^ (key >> np.uint64(32))) * _MIX
    h = (h ^ (h >> np.uint64(29))) * _MIX
    # The upper half as a share of all slots, which need not be a power of two.
    return np.int64(((h >> np.uint64(32)) * np.uint64(slots)) >> np.uint64(32))


@exact_kernel
def index_cells(
    keys: NDArray[np.uint64],  # IN (cells,) uint64, all different
    masks: NDArray[np.uint64],  # IN (indexes,) uint64, the fields that each index looks at
    tables: CodeArray,  # OUT (indexes, slots) int32, the first cell of a masked key, −1 in an empty slot; slots > cells
    following: CodeArray,  # OUT (indexes, cells) int32, the next cell with the same masked key, −1 after the last
) -> None:
    """Index cells by their keys under several masks; the cells of one masked key form a rising chain."""
    slots = tables.shape[1]
    tables[:] = -1
    for index in range(masks.size):
        mask, table, chain = masks[index], tables[index], following[index]
        for cell in range(keys.size - 1, -1, -1):
            key = keys[cell] & mask
            slot = _slot(key, slots)
            while table[slot] >= 0 and (keys[table[slot]] & mask) != key:
                slot += 1
                if slot == slots:
                    slot = np.int64(0)
            chain[cell] = table[slot]
            table[slot] = cell


@exact_kernel
def first_cell(keys: NDArray[np.uint64], key: np.uint64, mask: np.uint64, table: CodeArray) -> int:
    """Return the first cell that agrees with a key under a mask, −1 for none."""
    slots = table.size
    key &= mask
    slot = _slot(key, slots)
    while table[slot] >= 0 and (keys[table[slot]] & mask) != key:
        slot += 1
        if slot == slots:
            slot = np.int64(0)
    return int(table[slot])
