"""Nearest records of two small files in both directions, from one look at every pair.

Sums of terms are first taken roughly, in single precision and several categories at a time; only pairs that may be near
for one of the two records are summed exactly. No term is negative, so a rough sum is wrong by a share of itself.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel, kernel
from discreet.kernels.linking.nearest_list import enter, lengthened, tied_up_to
from discreet.kernels.linking.tied_rows import enlarged, put_in_order
from discreet.kernels.stop import heed_stop
from discreet.typing import BoolArray, FloatArray, IntArray, LevelArray, SingleArray

__all__ = ["nearest_both_ways"]

_UNIT = 2.0**-22  # four times what rounding to single precision changes at most, relatively
_TINY = 1e-37  # below, single precision has fewer digits


@kernel
def _sum_roughly(
    joint_codes: LevelArray,  # IN (groups, n_a) uint8
    numbers: FloatArray,  # IN (numbers, n_a) float64
    joint: SingleArray,  # IN (all,) float32
    starts: IntArray,  # IN (groups,) int64, where the row of the query starts
    query: FloatArray,  # IN (numbers,) float64
    squared: bool,
    total: SingleArray,  # OUT (n_a,) float32
) -> None:
    n = total.size
    total[:] = np.float32(0.0)
    for g in range(starts.size):
        codes, row = joint_codes[g], joint[starts[g] :]
        for i in range(n):
            total[i] += row[codes[i]]
    for p in range(query.size):
        column, value = numbers[p], query[p]
        if squared:
            for i in range(n):
                gap = column[i] - value
                total[i] += np.float32(gap * gap)
        else:
            for i in range(n):
                total[i] += np.float32(abs(column[i] - value))


@exact_kernel
def _sum(
    a_codes: LevelArray, a_numbers: FloatArray, c: int, b_codes: LevelArray, b_numbers: FloatArray, k: int,
    terms: FloatArray, table: IntArray, codes_of: IntArray, squared: bool,
) -> float:  # fmt: skip
    d = 0.0
    for p in range(codes_of.size):
        d += terms[table[p] + np.int64(b_codes[k, p]) * codes_of[p] + a_codes[c, p]]
    for p in range(a_numbers.shape[1]):
        gap = a_numbers[c, p] - b_numbers[k, p]
        d += gap * gap if squared else abs(gap)
    return d


@exact_kernel
def _limit(bar: float, dims: int) -> float:
    # What a rough sum may be at most if the exact one is at most `bar`.
    return bar * (1.0 + (dims + 3) * _UNIT) + _TINY


@exact_kernel
def _settle(
    k: int, near: FloatArray, who: IntArray, mine: IntArray, tied: IntArray, total: int,
    best: IntArray, score: FloatArray, second: IntArray, second_score: FloatArray, counts: IntArray,
) -> IntArray:  # fmt: skip
    # Write the answer of one query; its tied classes go to the end of the list, which may grow.
    n_ties = who[1]
    put_in_order(mine, n_ties)
    if total + n_ties > tied.size:
        tied = enlarged(tied, total, total + n_ties)
    for e in range(n_ties):
        tied[total + e] = mine[e]
    counts[k] = n_ties
    best[k], score[k] = (mine[0], near[0]) if n_ties > 0 else (-1, np.inf)
    second[k], second_score[k] = (mine[1], near[0]) if n_ties > 1 else (who[0], near[1])
    return tied


@exact_kernel
def nearest_both_ways(
    a_codes: LevelArray,  # IN (n_a, categories) codes of the distinct records of A
    b_codes: LevelArray,  # IN (n_b, categories)
    a_numbers: FloatArray,  # IN (n_a, numbers) float64
    b_numbers: FloatArray,  # IN (n_b, numbers) float64
    a_columns: FloatArray,  # IN (numbers, n_a) float64, the numbers of A column by column
    terms: FloatArray,  # IN (all,) float64, the tables of terms, one after the other, a row for a code of B
    table: IntArray,  # IN (categories,) int64, where the table of a category starts
    codes_of: IntArray,  # IN (categories,) int64, its number of codes of A
    joint: SingleArray,  # IN (all,) float32, the same of several categories together
    joint_starts: IntArray,  # IN (n_b, groups) int64, where the row of a record of B starts
    joint_codes: LevelArray,  # IN (groups, n_a) uint8
    squared: bool,  # IN whether terms are squares
    a_several: BoolArray,  # IN (n_a,) bool, whether a class has more than one record
    b_several: BoolArray,  # IN (n_b,) bool
    a_slack: FloatArray,  # IN (n_a,) float64, what rounding of coordinates explains of the distances of a record
    b_slack: FloatArray,  # IN (n_b,) float64
    best: IntArray,  # OUT (n_b,) int64, class, lowest on ties, −1 if everything is infinitely far
    score: FloatArray,  # OUT (n_b,) float64
    second: IntArray,  # OUT (n_b,) int64, another class
    second_score: FloatArray,  # OUT (n_b,) float64
    counts: IntArray,  # OUT (n_b,) int64, classes at the best distance
    a_best: IntArray,  # OUT (n_a,) the same for the records of A, asked about B
    a_score: FloatArray,
    a_second: IntArray,
    a_second_score: FloatArray,
    a_counts: IntArray,
) -> tuple[IntArray, IntArray]:
    """Answer all records of both files exactly; return the classes tied with the best, rising, record after record.

    Tied is what is no farther than the nearest by more than rounding can explain. A class of several records is its own
    second nearest. O(n_a · n_b) time, memory O(n + ties).
    """
    n_a, n_b = a_codes.shape[0], b_codes.shape[0]
    dims = codes_of.size + a_numbers.shape[1]
    rough = np.empty(n_a, dtype=np.float32)
    near, who = np.empty(4), np.empty(2, dtype=np.int64)
    mine, sums = np.empty(64, dtype=np.int64), np.empty(64)
    tied = np.empty(max(64, n_b), dtype=np.int64)
    total = 0
    # Of every record of A the two least sums so far, and what a rough sum must not exceed to matter to it.
    least = np.full((n_a, 2), np.inf)
    bars = np.full(n_a, np.float32(np.inf))
    asking = np.empty(max(64, 8 * n_a), dtype=np.int64)
    answering, distance = np.empty_like(asking), np.empty(asking.size)
    waiting = 0
    for k in range(n_b):
        heed_stop()
        _sum_roughly(joint_codes, a_columns, joint, joint_starts[k], b_numbers[k], squared, rough)
        near[:] = np.inf
        who[0], who[1] = -1, 0
        limit = np.float32(np.inf)
        if waiting + n_a > asking.size:
            # What is too far by now is dropped before the lists grow.
            stay = 0
            for i in range(waiting):
                c = asking[i]
                if distance[i] <= tied_up_to(least[c, 1], a_slack[c], squared):
                    asking[stay], answering[stay], distance[stay] = c, answering[i], distance[i]
                    stay += 1
            waiting = stay
            if 2 * (waiting + n_a) > asking.size:
                asking = enlarged(asking, waiting, waiting + n_a)
                answering = enlarged(answering, waiting, waiting + n_a)
                distance = lengthened(distance, asking.size)
        for c in range(n_a):
            if rough[c] > limit and rough[c] > bars[c]:
                continue
            d = _sum(a_codes, a_numbers, c, b_codes, b_numbers, k, terms, table, codes_of, squared)
            if d == np.inf:
                continue
            if d <= near[2]:
                if who[1] == mine.size:
                    mine = enlarged(mine, mine.size, mine.size)
                    sums = lengthened(sums, mine.size)
                enter(c, d, a_several[c], b_slack[k], squared, True, near, who, mine, sums)
                limit = np.float32(_limit(near[2], dims))
            if d <= tied_up_to(least[c, 1], a_slack[c], squared):
                asking[waiting], answering[waiting], distance[waiting] = c, k, d
                waiting += 1
                if d < least[c, 1]:
                    least[c, 1] = max(d, least[c, 0])
                    least[c, 0] = min(d, least[c, 0])
                    bars[c] = np.float32(_limit(tied_up_to(least[c, 1], a_slack[c], squared), dims))
        tied = _settle(k, near, who, mine, tied, total, best, score, second, second_score, counts)
        total += who[1]
    ends = np.zeros(n_a + 1, dtype=np.int64)
    for i in range(waiting):
        ends[asking[i] + 1] += 1
    for c in range(n_a):
        ends[c + 1] += ends[c]
    order, fill = np.empty(waiting, dtype=np.int64), ends[:n_a].copy()
    for i in range(waiting):
        order[fill[asking[i]]] = i
        fill[asking[i]] += 1
    a_tied = np.empty(max(64, n_a), dtype=np.int64)
    a_total = 0
    for c in range(n_a):
        heed_stop()
        near[:] = np.inf
        who[0], who[1] = -1, 0
        for place in range(ends[c], ends[c + 1]):
            k, d = answering[order[place]], distance[order[place]]
            if d <= near[2]:
                if who[1] == mine.size:
                    mine = enlarged(mine, mine.size, mine.size)
                    sums = lengthened(sums, mine.size)
                enter(k, d, b_several[k], a_slack[c], squared, True, near, who, mine, sums)
        a_tied = _settle(c, near, who, mine, a_tied, a_total, a_best, a_score, a_second, a_second_score, a_counts)
        a_total += who[1]
    return tied[:total].copy(), a_tied[:a_total].copy()
