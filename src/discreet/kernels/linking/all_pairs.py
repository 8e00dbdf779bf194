"""All pairs of two files of distinct records, looked at once for everything that is asked of them.

A record is its classes at every level of every attribute. A finer class lies in a coarser one, so agreements just add
up to the position of a pair's pattern.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import kernel
from discreet.kernels.linking.tied_rows import enlarged
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, IntArray, LevelArray

__all__ = ["best_both_ways", "pattern_positions", "tabulate_patterns", "tabulate_within"]

_RUN = 2048  # records of A whose patterns are worked out together
_FAR = np.int32(2147483647)


@kernel
def pattern_positions(
    a: LevelArray,  # IN (columns, n_a) int8 to int32, classes at every level of every attribute, −1 where nobody agrees
    begin: int,
    end: int,
    b: LevelArray,  # IN (n_b, columns), the same of B, −2 where nobody agrees
    k: int,  # IN which record of B
    stride: CodeArray,  # IN (columns,) int32, what agreeing on a column adds to the position of the pattern
    positions: CodeArray,  # OUT (end − begin or more,) int32
) -> None:
    """Find the patterns of one record of B with a run of A."""
    positions[: end - begin] = 0
    for c in range(a.shape[0]):
        value, step = b[k, c], stride[c]
        row = a[c, begin:end]
        for i in range(end - begin):
            positions[i] += step * np.int32(row[i] == value)


@kernel
def tabulate_patterns(
    a: LevelArray,  # IN as above
    a_size: IntArray,  # IN (n_a,) int64, how many records each distinct one of A stands for
    b: LevelArray,  # IN as above
    b_size: IntArray,  # IN (n_b,) int64
    stride: CodeArray,  # IN as above
    table: IntArray,  # OUT (patterns,) int64, pairs by pattern, added to
) -> None:
    """Count the pairs of two files by pattern."""
    n_a = a.shape[1]
    positions = np.empty(_RUN, dtype=np.int32)
    for k in range(b.shape[0]):
        heed_stop()
        for begin in range(0, n_a, _RUN):
            end = min(begin + _RUN, n_a)
            pattern_positions(a, begin, end, b, k, stride, positions)
            for i in range(end - begin):
                table[positions[i]] += a_size[begin + i] * b_size[k]


@kernel
def tabulate_within(
    a: LevelArray,  # IN as above
    a_size: IntArray,  # IN as above
    rows: LevelArray,  # IN (n_a, columns), the same records in the place of B
    stride: CodeArray,  # IN as above
    table: IntArray,  # OUT (patterns,) int64, ordered pairs by pattern, added to
) -> None:
    """Count the pairs of a file with itself, a record with itself included: two records are looked at once."""
    n = a.shape[1]
    positions = np.empty(_RUN, dtype=np.int32)
    for k in range(n):
        heed_stop()
        pattern_positions(a, k, k + 1, rows, k, stride, positions)
        table[positions[0]] += a_size[k] * a_size[k]
        for begin in range(k + 1, n, _RUN):
            end = min(begin + _RUN, n)
            pattern_positions(a, begin, end, rows, k, stride, positions)
            for i in range(end - begin):
                table[positions[i]] += 2 * a_size[begin + i] * a_size[k]


@kernel
def best_both_ways(
    a: LevelArray,  # IN as above
    b: LevelArray,  # IN as above
    stride: CodeArray,  # IN as above
    step_of: CodeArray,  # IN (models, patterns) int32, by model the rank by weight of every pattern, 0 the heaviest
    best: IntArray,  # OUT (models, n_b) int64, the class of A with the heaviest pair, lowest on ties
    best_step: CodeArray,  # OUT (models, n_b) int32, its rank
    second: IntArray,  # OUT (models, n_b) int64, the lowest class of the next rank that occurs, −1 if there is none
    second_step: CodeArray,  # OUT (models, n_b) int32
    counts: IntArray,  # OUT (models, n_b) int64, classes of A of the best rank
    a_best: IntArray,  # OUT (models, n_a) int64, the same for the records of A, asked about B
    a_best_step: CodeArray,  # OUT (models, n_a) int32
    a_second: IntArray,  # OUT (models, n_a) int64
    a_second_step: CodeArray,  # OUT (models, n_a) int32
    a_counts: IntArray,  # OUT (models, n_a) int64
) -> tuple[IntArray, IntArray, IntArray]:
    """Find the heaviest pairs of every record of either file, under several models.

    Returns the classes tied with the best of every record of B, record after record and model after model; then of
    every such class for a record of A where that record stands (model · n_a + record), and the class, in rising
    sequence of classes.

    O(n_a · n_b) time; memory for the ties and as much again.
    """
    models, n_a = step_of.shape[0], a.shape[1]
    positions = np.empty(n_a, dtype=np.int32)
    tied = np.empty(max(64, models * b.shape[0]), dtype=np.int64)
    asking = np.empty(max(64, 4 * models * n_a), dtype=np.int64)
    answering, rank = np.empty_like(asking), np.empty_like(asking)
    total, waiting = 0, 0
    a_best[:], a_second[:], a_counts[:] = -1, -1, 0
    a_best_step[:], a_second_step[:] = _FAR, _FAR
    for k in range(b.shape[0]):
        heed_stop()
        pattern_positions(a, 0, n_a, b, k, stride, positions)
        for model in range(models):
            steps = step_of[model]
            theirs = a_second_step[model]
            first, then, leader, follower, n_ties = _FAR, _FAR, -1, -1, 0
            if total + n_a > tied.size:
                tied = enlarged(tied, total, total + n_a)
            if waiting + n_a > asking.size:
                # What has been outweighed since is dropped before the lists grow.
                stay = 0
                for i in range(waiting):
                    if rank[i] == a_best_step[asking[i] // n_a, asking[i] % n_a]:
                        asking[stay], answering[stay], rank[stay] = asking[i], answering[i], rank[i]
                        stay += 1
                waiting = stay
                if 2 * (waiting + n_a) > asking.size:
                    asking = enlarged(asking, waiting, waiting + n_a)
                    answering = enlarged(answering, waiting, waiting + n_a)
                    rank = enlarged(rank, waiting, waiting + n_a)
            for c in range(n_a):
                step = steps[positions[c]]
                if step < then:
                    if step < first:
                        then, follower = first, leader
                        first, leader = step, c
                        tied[total] = c
                        n_ties = 1
                    elif step == first:
                        tied[total + n_ties] = c
                        n_ties += 1
                    else:
                        then, follower = step, c
                if step < theirs[c]:
                    if step <= a_best_step[model, c]:
                        if step < a_best_step[model, c]:
                            theirs[c], a_second[model, c] = a_best_step[model, c], a_best[model, c]
                            a_best_step[model, c], a_best[model, c] = step, k
                            a_counts[model, c] = 0
                        a_counts[model, c] += 1
                        asking[waiting], answering[waiting], rank[waiting] = model * n_a + c, k, step
                        waiting += 1
                    else:
                        theirs[c], a_second[model, c] = step, k
            total += n_ties
            best[model, k], best_step[model, k], counts[model, k] = leader, first, n_ties
            second[model, k], second_step[model, k] = follower, then
    stay = 0
    for i in range(waiting):
        if rank[i] == a_best_step[asking[i] // n_a, asking[i] % n_a]:
            asking[stay], answering[stay] = asking[i], answering[i]
            stay += 1
    return tied[:total].copy(), asking[:stay].copy(), answering[:stay].copy()
