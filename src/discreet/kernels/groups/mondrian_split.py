"""Mondrian: a table cut in two along its widest attribute, again and again, while both halves hold k records."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["split_table"]


@exact_kernel
def _cut(column: FloatArray, rows: IntArray, k: int, buffer: FloatArray) -> tuple[bool, float]:
    """Return whether the rows can be cut, and the largest value of the lower part: nearest to halves, ties low."""
    m = rows.size
    for r in range(m):
        buffer[r] = column[rows[r]]
    values = np.sort(buffer[:m])
    middle = values[m // 2]
    below = np.searchsorted(values, middle, side="left")
    upto = np.searchsorted(values, middle, side="right")
    low_fits = below >= k and m - below >= k
    high_fits = upto >= k and m - upto >= k
    if low_fits and (not high_fits or abs(2 * below - m) <= abs(2 * upto - m)):
        return True, values[below - 1]
    return high_fits, middle


@exact_kernel
def split_table(
    columns: FloatArray,  # IN (q, n) float64, every attribute scaled to the unit interval; −1 is missing
    ordered: BoolArray,  # IN (q,) bool, measured by its extent; otherwise by its number of different values
    levels: IntArray,  # IN (q,) int64, how many values an unordered attribute has
    weights: FloatArray,  # IN (q,) float64
    k: int,  # IN the smallest part, at most n
    labels: IntArray,  # OUT (n,) int64
) -> None:
    """Give every record its part."""
    q, n = columns.shape
    rows, spare, buffer = np.arange(n), np.empty(n, dtype=np.int64), np.empty(n)
    stack = np.empty((2 * n, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = 0, n
    depth, part = 1, 0
    width = np.empty(q)
    while depth > 0:
        heed_stop()
        depth -= 1
        begin, end = stack[depth, 0], stack[depth, 1]
        inside = rows[begin:end]
        for a in range(q):
            width[a] = -1.0
            if end - begin < 2 * k:
                continue
            low, high = np.inf, -np.inf
            for r in range(inside.size):
                low = min(low, columns[a, inside[r]])
                high = max(high, columns[a, inside[r]])
            if high > low:
                width[a] = weights[a] * (high - low)
                if not ordered[a]:
                    for r in range(inside.size):
                        buffer[r] = columns[a, inside[r]]
                    values = np.sort(buffer[: inside.size])
                    different = 0
                    for r in range(1, values.size):
                        if values[r] > values[r - 1]:
                            different += 1
                    width[a] = weights[a] * different / max(levels[a] - 1, 1)
        while True:
            widest = np.argmax(width)
            if width[widest] <= 0.0:
                for r in range(inside.size):
                    labels[inside[r]] = part
                part += 1
                break
            fits, edge = _cut(columns[widest], inside, k, buffer)
            if not fits:
                width[widest] = -1.0
                continue
            below, above = 0, 0
            for r in range(inside.size):
                if columns[widest, inside[r]] <= edge:
                    inside[below] = inside[r]
                    below += 1
                else:
                    spare[above] = inside[r]
                    above += 1
            for r in range(above):
                inside[below + r] = spare[r]
            stack[depth, 0], stack[depth, 1] = begin + below, end
            stack[depth + 1, 0], stack[depth + 1, 1] = begin, begin + below
            depth += 2
            break
