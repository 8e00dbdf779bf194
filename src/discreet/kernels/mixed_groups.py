"""MDAV on records of levels and numbers: no centroid is needed, only the mean distance from what is left."""

from __future__ import annotations

import math

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.records import separation
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray

__all__ = ["mixed_mdav"]


@exact_kernel
def _take(
    i: int,
    codes: CodeArray,
    numbers: FloatArray,
    table: FloatArray,
    starts: IntArray,
    sizes: IntArray,
    places: IntArray,
    far: FloatArray,
    sums: FloatArray,
    present: IntArray,
    free: BoolArray,
) -> None:
    """Take record ``i`` out of the sums that say how far each level and number is from what is left."""
    free[i] = False
    for a in range(sizes.size):
        row = starts[a] + codes[i, a] * sizes[a]
        for level in range(sizes[a]):
            far[places[a] + level] -= table[row + level]
    for a in range(sums.size):
        if not math.isnan(numbers[i, a]):
            sums[a] -= numbers[i, a]
            present[a] -= 1


@exact_kernel
def _farthest_from_all(
    codes: CodeArray,
    numbers: FloatArray,
    absent: FloatArray,
    places: IntArray,
    far: FloatArray,
    sums: FloatArray,
    present: IntArray,
    left: IntArray,
    count: int,
) -> int:
    best, winner = -np.inf, -1
    for p in range(count):
        i = left[p]
        total = 0.0
        for a in range(places.size):
            total += far[places[a] + codes[i, a]]
        for a in range(sums.size):
            if math.isnan(numbers[i, a]):
                total += absent[a] * present[a]
            else:
                total += absent[a] * (count - present[a])
                if present[a] > 0:
                    total += present[a] * abs(numbers[i, a] - sums[a] / present[a])
        if total > best:
            best, winner = total, i
    return winner


@exact_kernel
def _farthest_from_one(
    i: int,
    codes: CodeArray,
    numbers: FloatArray,
    table: FloatArray,
    starts: IntArray,
    sizes: IntArray,
    absent: FloatArray,
    left: IntArray,
    count: int,
) -> int:
    best, winner = -1.0, -1
    for p in range(count):
        j = left[p]
        d = separation(codes, numbers, i, codes, numbers, j, table, starts, sizes, absent, np.inf)
        if d > best:
            best, winner = d, j
    return winner


@exact_kernel
def _nearest(
    i: int,
    codes: CodeArray,
    numbers: FloatArray,
    table: FloatArray,
    starts: IntArray,
    sizes: IntArray,
    absent: FloatArray,
    left: IntArray,
    count: int,
    wanted: int,
    found: IntArray,
    near: FloatArray,
) -> None:
    """Write the ``wanted`` records nearest to ``i``, and not ``i`` itself, to ``found``."""
    have = 0
    for p in range(count):
        j = left[p]
        if j == i:
            continue
        bound = near[wanted - 1] if have == wanted else np.inf
        d = separation(codes, numbers, i, codes, numbers, j, table, starts, sizes, absent, bound)
        if d >= bound:
            continue  # an equal one that came earlier has the lower index
        place = have if have < wanted else wanted - 1
        while place > 0 and near[place - 1] > d:
            near[place], found[place] = near[place - 1], found[place - 1]
            place -= 1
        near[place], found[place] = d, j
        have = min(have + 1, wanted)


@exact_kernel
def mixed_mdav(
    codes: CodeArray,  # IN (n, q) int32, missing is the last level of each table
    numbers: FloatArray,  # IN (n, p) float64, missing is NaN
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
    free = np.ones(n, dtype=np.bool_)
    left = np.arange(n)
    width = places[-1] + sizes[-1] if sizes.size else 0
    far = np.zeros(width)
    sums = np.zeros(numbers.shape[1])
    present = np.zeros(numbers.shape[1], dtype=np.int64)
    for i in range(n):
        for a in range(sizes.size):
            row = starts[a] + codes[i, a] * sizes[a]
            for level in range(sizes[a]):
                far[places[a] + level] += table[row + level]
        for a in range(sums.size):
            if not math.isnan(numbers[i, a]):
                sums[a] += numbers[i, a]
                present[a] += 1
    found = np.empty(k, dtype=np.int64)
    near = np.empty(k)
    count, group, anchor = n, 0, -1
    while count >= 2 * k:
        if anchor >= 0:
            seed = _farthest_from_one(anchor, codes, numbers, table, starts, sizes, absent, left, count)
            anchor = -1
        else:
            seed = _farthest_from_all(codes, numbers, absent, places, far, sums, present, left, count)
            # A partner at the other end is sought only while it leaves enough for a group of its own.
            anchor = seed if count >= 3 * k else -1
        _nearest(seed, codes, numbers, table, starts, sizes, absent, left, count, k - 1, found, near)
        labels[seed] = group
        _take(seed, codes, numbers, table, starts, sizes, places, far, sums, present, free)
        for p in range(k - 1):
            labels[found[p]] = group
            _take(found[p], codes, numbers, table, starts, sizes, places, far, sums, present, free)
        group += 1
        kept = 0
        for p in range(count):
            if free[left[p]]:
                left[kept] = left[p]
                kept += 1
        count = kept
    for p in range(count):
        labels[left[p]] = group
