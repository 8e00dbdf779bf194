"""MDAV on records of levels and numbers: no centroid is needed, only the mean distance from what is left."""

from __future__ import annotations

import math

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.kernels.values.nearest_prototypes import measure_from
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["mixed_mdav"]


@exact_kernel
def _count_out(
    codes: CodeArray,  # IN (q, n) int32
    numbers: FloatArray,  # IN (p, n) float64
    i: int,  # IN a record
    sign: int,  # IN 1 to count it in, −1 to take it out
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    places: IntArray,  # IN (q,) int64
    far: FloatArray,  # IN, OUT (levels,) float64, how far each level is from all that is left
    sums: FloatArray,  # IN, OUT (p,) float64
    present: IntArray,  # IN, OUT (p,) int64
) -> None:
    """Count a record into, or out of, the sums over what is left."""
    for a in range(sizes.size):
        row = starts[a] + codes[a, i] * sizes[a]
        for level in range(sizes[a]):
            far[places[a] + level] += sign * table[row + level]
    for a in range(sums.size):
        if not math.isnan(numbers[a, i]):
            sums[a] += sign * numbers[a, i]
            present[a] += sign


@exact_kernel
def _measure_from_all(
    codes: CodeArray,  # IN (q, n) int32
    numbers: FloatArray,  # IN (p, n) float64
    count: int,  # IN how many columns of codes and numbers are in use
    alive: int,  # IN how many of those are left
    absent: FloatArray,  # IN (p,) float64
    places: IntArray,  # IN (q,) int64
    far: FloatArray,  # IN (levels,) float64
    sums: FloatArray,  # IN (p,) float64
    present: IntArray,  # IN (p,) int64
    out: FloatArray,  # OUT (n,) float64
) -> None:
    """Write the sum of each record's distances from all that is left; numbers count from their mean."""
    for c in range(count):
        out[c] = 0.0
    for a in range(places.size):
        for c in range(count):
            out[c] += far[places[a] + codes[a, c]]
    for a in range(sums.size):
        middle = sums[a] / present[a] if present[a] > 0 else 0.0
        for c in range(count):
            if math.isnan(numbers[a, c]):
                out[c] += absent[a] * present[a]
            else:
                out[c] += absent[a] * (alive - present[a]) + present[a] * abs(numbers[a, c] - middle)


@exact_kernel
def _farthest(out: FloatArray, ids: IntArray, count: int) -> int:
    """Place of the largest entry among records that are left; the first of equals."""
    best, winner = -np.inf, -1
    for c in range(count):
        if ids[c] >= 0 and out[c] > best:
            best, winner = out[c], c
    return winner


@exact_kernel
def _nearest(
    out: FloatArray,  # IN (n,) float64, distances
    ids: IntArray,  # IN (n,) int64, −1 where a record has gone
    count: int,  # IN how many columns are in use
    self: int,  # IN the place that is not to be found
    most: int,  # IN how many to find
    neighbours: IntArray,  # OUT (most,) int64, their places, nearest first
) -> None:
    have = 0
    for c in range(count):
        if ids[c] < 0 or c == self:
            continue
        if have == most and out[c] >= out[neighbours[most - 1]]:
            continue  # an equal one that came earlier has the lower index
        place = have if have < most else most - 1
        while place > 0 and out[neighbours[place - 1]] > out[c]:
            neighbours[place] = neighbours[place - 1]
            place -= 1
        neighbours[place] = c
        have = min(have + 1, most)


@exact_kernel
def mixed_mdav(
    codes: CodeArray,  # IN, OUT (q, n) int32, missing is the last level of each table; used up
    numbers: FloatArray,  # IN, OUT (p, n) float64, missing is NaN; used up
    table: FloatArray,  # IN (t,) float64, see kernels.records
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    places: IntArray,  # IN (q,) int64, where the levels of each attribute begin when counted on
    absent: FloatArray,  # IN (p,) float64
    k: int,  # IN the smallest group, at most n
    labels: IntArray,  # OUT (n,) int64
) -> None:
    """Group the record farthest from all that is left, then the one farthest from it, each with its nearest k − 1."""
    n = labels.size
    ids = np.arange(n)
    far = np.zeros(places[-1] + sizes[-1] if sizes.size else 0)
    sums, present = np.zeros(absent.size), np.zeros(absent.size, dtype=np.int64)
    for i in range(n):
        heed_stop()
        _count_out(codes, numbers, i, 1, table, starts, sizes, places, far, sums, present)
    row, neighbours = np.empty(n), np.empty(k, dtype=np.int64)
    count, alive, group, paired = n, n, 0, False
    while alive >= 2 * k:
        heed_stop()
        if not paired:
            _measure_from_all(codes, numbers, count, alive, absent, places, far, sums, present, row)
        # Otherwise the row still holds the distances from the first of the pair.
        seed = _farthest(row, ids, count)
        # A partner at the other end is sought only while it leaves enough for a group of its own.
        paired = not paired and alive >= 3 * k
        measure_from(codes, numbers, seed, codes, numbers, count, table, starts, sizes, absent, row)
        _nearest(row, ids, count, seed, k - 1, neighbours)
        neighbours[k - 1] = seed
        for p in range(k):
            labels[ids[neighbours[p]]] = group
            ids[neighbours[p]] = -1
            _count_out(codes, numbers, neighbours[p], -1, table, starts, sizes, places, far, sums, present)
        group += 1
        alive -= k
        if not paired and count - alive > count // 8:
            target = 0
            for c in range(count):
                if ids[c] >= 0:
                    ids[target] = ids[c]
                    for a in range(starts.size):
                        codes[a, target] = codes[a, c]
                    for a in range(absent.size):
                        numbers[a, target] = numbers[a, c]
                    target += 1
            count = target
    for c in range(count):
        if ids[c] >= 0:
            labels[ids[c]] = group
