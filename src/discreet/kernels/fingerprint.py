"""Sums over the cells of a column in which every value counts at its own position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.draws import MIX_1, MIX_2, STEP
from discreet.kernels.jit import PlainTwin, exact_kernel

__all__ = ["add_cells"]


@exact_kernel
def _mixed(z: np.uint64) -> np.uint64:
    z = (z ^ (z >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    return np.uint64(z ^ (z >> np.uint64(31)))


@exact_kernel
def _add_cells(
    bits: NDArray[np.uint64], positions: NDArray[np.int64], salt: np.uint64, sums: NDArray[np.uint64]
) -> None:
    """Add the cells of a column to two sums modulo 2⁶⁴; sums of parts of a table are those of the table."""
    # IN  bits (n,) uint64; positions (n,) int64; salt uint64, another one for every column
    # IN and OUT sums (2,) uint64
    first, second = np.uint64(0), np.uint64(0)
    for i in range(bits.size):
        cell = _mixed(_mixed(bits[i] + salt) + (np.uint64(positions[i]) + np.uint64(1)) * STEP)
        first += cell
        second += _mixed(cell ^ salt)
    sums[0] += first
    sums[1] += second


_TWIN = PlainTwin(2e6, _add_cells)


def add_cells(
    bits: NDArray[np.uint64], positions: NDArray[np.int64], salt: np.uint64, sums: NDArray[np.uint64]
) -> None:
    """Add the cells of a column to two sums modulo 2⁶⁴; sums of parts of a table are those of the table."""
    if not _TWIN.takes(bits.size):
        _add_cells(bits, positions, salt, sums)
        return
    mixed = _mixed.py_func  # type: ignore[attr-defined]
    place = (positions.astype(np.uint64) + np.uint64(1)) * STEP
    cells = mixed(mixed(bits + salt) + place)
    sums[0:1] += cells.sum(keepdims=True)
    sums[1:2] += mixed(cells ^ salt).sum(keepdims=True)
