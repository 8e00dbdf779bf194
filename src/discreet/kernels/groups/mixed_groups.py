"""MDAV on records of levels and numbers: no centroid is needed, only the mean distance from what is left.

The record farthest from all, the one farthest from it, and the nearest ones of both are extremes of sums over
attributes. The first is found among those that were far before, the others in leaves of like records.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from discreet.kernels.groups.mixed_directions import Directions, build_directions, find_opposite
from discreet.kernels.groups.mixed_leaves import (
    WIDTH,
    LeafSearch,
    Leaves,
    build_leaves,
    find_nearest,
    question_for,
    take_record,
    weigh_ranges,
)
from discreet.kernels.groups.mixed_standings import Standings, build_standings, find_farthest, leave_standings
from discreet.kernels.jit import PlainTwin, lean_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["mixed_mdav"]

# Rebuild when this share of the records is left: later, leaves are half empty; sooner, building dominates.
REBUILD = 0.6


@lean_kernel
def _count(
    codes: CodeArray,  # IN (q, n) int32
    numbers: FloatArray,  # IN (p, n) float64
    i: int,  # IN a record
    sign: int,  # IN 1 to count it in, −1 to take it out
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    places: IntArray,  # IN (q + 1,) int64
    far: FloatArray,  # IN, OUT (levels,) float64, how far each level is from all that is left
    sums: FloatArray,  # IN, OUT (p,) float64
    present: IntArray,  # IN, OUT (p,) int64
) -> None:
    """Count a record into, or out of, the sums over what is left."""
    for a in range(starts.size):
        size = places[a + 1] - places[a]
        row = starts[a] + codes[a, i] * size
        for level in range(size):
            far[places[a] + level] += sign * table[row + level]
    for a in range(sums.size):
        if not math.isnan(numbers[a, i]):
            sums[a] += sign * numbers[a, i]
            present[a] += sign


@lean_kernel
def _count_all(
    codes: CodeArray,
    numbers: FloatArray,
    table: FloatArray,
    starts: IntArray,
    places: IntArray,
    far: FloatArray,
    sums: FloatArray,
    present: IntArray,
) -> None:
    for i in range(codes.shape[1]):
        heed_stop()
        _count(codes, numbers, i, 1, table, starts, places, far, sums, present)


@lean_kernel
def _ask_from_all(
    alive: int, absent: FloatArray, far: FloatArray, sums: FloatArray, present: IntArray, question: LeafSearch
) -> None:
    """Ask for the sum of distances from all that is left; numbers count from their mean."""
    for level in range(far.size):
        question.weights[level] = far[level]
    for a in range(sums.size):
        question.target[a] = sums[a] / present[a] if present[a] > 0 else 0.0
        question.alpha[a] = present[a]
        question.beta[a] = absent[a] * (alive - present[a])
        question.gamma[a] = absent[a] * present[a]


@lean_kernel
def _ask_from(
    codes: CodeArray,
    numbers: FloatArray,
    i: int,
    table: FloatArray,
    starts: IntArray,
    places: IntArray,
    absent: FloatArray,
    question: LeafSearch,
) -> None:
    """Ask for the distance from one record."""
    for a in range(starts.size):
        size = places[a + 1] - places[a]
        row = starts[a] + codes[a, i] * size
        for level in range(size):
            question.weights[places[a] + level] = table[row + level]
    for a in range(absent.size):
        x = numbers[a, i]
        lacks = math.isnan(x)
        question.target[a] = 0.0 if lacks else x
        question.alpha[a] = 0.0 if lacks else 1.0
        question.beta[a] = absent[a] if lacks else 0.0
        question.gamma[a] = 0.0 if lacks else absent[a]


@lean_kernel
def _run(
    codes: CodeArray,  # IN (q, n) int32
    numbers: FloatArray,  # IN (p, n) float64
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    places: IntArray,  # IN (q + 1,) int64
    absent: FloatArray,  # IN (p,) float64
    k: int,  # IN
    standings: Standings,  # IN, OUT in which the farthest from all is sought
    leaves: Leaves,  # IN, OUT in which the others are sought
    directions: Directions,  # IN, OUT by which the farthest from a record is sought in them
    question: LeafSearch,  # BUFFER
    alive: int,  # IN how many records are left
    stop_at: int,  # IN leave when no more than so many are
    group: int,  # IN the next group
    far: FloatArray,  # IN, OUT (levels,) float64
    sums: FloatArray,  # IN, OUT (p,) float64
    present: IntArray,  # IN, OUT (p,) int64
    values: FloatArray,  # BUFFER (k,) float64
    winners: IntArray,  # BUFFER (k,) int64
    labels: IntArray,  # OUT (n,) int64
) -> tuple[int, int]:
    """Close pairs of groups until ``stop_at`` records are left; return how many are, and the next group."""
    while alive >= 2 * k and alive > stop_at:
        heed_stop()
        _ask_from_all(alive, absent, far, sums, present, question)
        seed = find_farthest(standings, question)
        # A partner at the other end is sought only while it leaves enough for a group of its own.
        pair = 2 if alive >= 3 * k else 1
        for turn in range(pair):
            if turn == 1:
                # The question is still of the first seed.
                weigh_ranges(leaves, places, True, question)
                seed = find_opposite(leaves, directions, seed, question, values, winners)
            _ask_from(codes, numbers, seed, table, starts, places, absent, question)
            take_record(leaves, seed)
            weigh_ranges(leaves, places, False, question)
            find_nearest(leaves, leaves.place[seed] // (WIDTH * WIDTH), question, k - 1, values, winners)
            winners[k - 1] = seed
            for p in range(k):
                labels[winners[p]] = group
                _count(codes, numbers, winners[p], -1, table, starts, places, far, sums, present)
                leave_standings(standings, winners[p])
                if p < k - 1:
                    take_record(leaves, winners[p])
            group += 1
            alive -= k
    return alive, group


_TWIN = PlainTwin(3e8, _run)


def _mdav_plainly(
    codes: CodeArray,
    numbers: FloatArray,
    table: FloatArray,
    starts: IntArray,
    sizes: IntArray,
    absent: FloatArray,
    k: int,
    labels: IntArray,
) -> None:
    """Do what the kernels do, without them: all distances of what is left, group after group; O(n² (q + p) / k)."""
    squares = [
        table[start : start + size * size].reshape(size, size) for start, size in zip(starts, sizes, strict=True)
    ]
    far = [np.zeros(size) for size in sizes]
    sums, present = np.zeros(absent.size), np.zeros(absent.size, dtype=np.int64)
    free, group = np.arange(labels.size), 0

    def count(i: int, sign: int) -> None:
        for a, square in enumerate(squares):
            far[a] += sign * square[codes[a, i]]
        for a in range(absent.size):
            if not math.isnan(numbers[a, i]):
                sums[a] += sign * numbers[a, i]
                present[a] += sign

    def total(weights: list[FloatArray], lines: list[tuple[float, float, float, float]]) -> FloatArray:
        value = np.zeros(free.size)
        for a, weight in enumerate(weights):
            value += weight[codes[a, free]]
        for a, (middle, alpha, beta, gamma) in enumerate(lines):
            part = beta + alpha * np.abs(numbers[a, free] - middle)
            value += np.where(np.isnan(part), gamma, part)
        return value

    def from_record(i: int) -> FloatArray:
        lines = [
            (0.0, 0.0, gap, 0.0) if math.isnan(x) else (x, 1.0, 0.0, gap)
            for x, gap in zip(numbers[:, i].tolist(), absent.tolist(), strict=True)
        ]
        return total([square[codes[a, i]] for a, square in enumerate(squares)], lines)

    for i in range(labels.size):
        count(i, 1)
    while free.size >= 2 * k:
        heed_stop()
        lines = [
            (x / max(m, 1), float(m), gap * (free.size - m), gap * m)
            for x, m, gap in zip(sums.tolist(), present.tolist(), absent.tolist(), strict=True)
        ]
        seed = int(np.argmax(total(far, lines)))
        for _ in range(2 if free.size >= 3 * k else 1):
            distance = from_record(free[seed])
            others = np.argsort(distance, kind="stable")
            members = np.append(others[others != seed][: k - 1], seed)
            labels[free[members]] = group
            group += 1
            for i in free[members]:
                count(i, -1)
            free, distance = np.delete(free, members), np.delete(distance, members)
            seed = int(np.argmax(distance))
    labels[free] = group


def mixed_mdav(
    codes: CodeArray,
    numbers: FloatArray,
    table: FloatArray,
    starts: IntArray,
    sizes: IntArray,
    absent: FloatArray,
    k: int,
    tell: Callable[[int, int], None] | None = None,
) -> IntArray:
    """Group the record farthest from all that is left, then the one farthest from it, each with its nearest k − 1.

    Parameters
    ----------
    codes : ndarray of shape (q, n), int32
        Levels; a missing one is the last of its attribute.
    numbers : ndarray of shape (p, n), float64
        Scaled as the caller wishes; a missing one is NaN.
    table, starts, sizes : ndarray
        The distances of levels: of attribute ``a`` the square of ``sizes[a]`` entries that begins at ``starts[a]``.
    absent : ndarray of shape (p,), float64
        The distance of a number from a missing one.
    k : int
        At least 2, at most n.
    tell : callable, optional
        Called now and then with the number of records that are in a group and the number of all.

    Returns
    -------
    ndarray of shape (n,), int64
        Labels 0 … g−1 in the order in which the groups were closed.

    Notes
    -----
    Ties go to the record with the lowest index. Sums over what is left are kept up to date as records leave, in the
    order in which they do. Far below n² in time where records are alike in groups, n²/k in the worst case; memory is
    linear.
    """
    n = codes.shape[1]
    places = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    labels = np.full(n, -1, dtype=np.int64)
    if _TWIN.takes(n * n * (sizes.size + absent.size) / k):
        _mdav_plainly(codes, numbers, table, starts, sizes, absent, k, labels)
        return labels
    far, sums, present = np.zeros(int(places[-1])), np.zeros(absent.size), np.zeros(absent.size, dtype=np.int64)
    _count_all(codes, numbers, table, starts, places, far, sums, present)
    alive, group = n, 0
    while alive >= 2 * k:
        remaining = np.flatnonzero(labels < 0)
        leaves = build_leaves(codes, numbers, table, starts, sizes, places, remaining)
        directions = build_directions(codes, numbers, table, starts, places, absent, remaining, leaves)
        question = question_for(leaves)
        _ask_from_all(alive, absent, far, sums, present, question)
        standings = build_standings(codes, numbers, places, remaining, question)
        stop_at = int(REBUILD * alive) if alive > 1024 else 0
        alive, group = _run(
            codes, numbers, table, starts, places, absent, k, standings, leaves, directions, question,
            alive, stop_at, group, far, sums, present, np.empty(k), np.empty(k, dtype=np.int64), labels,
        )  # fmt: skip
        if tell is not None:
            tell(n - alive, n)
    labels[labels < 0] = group
    return labels
