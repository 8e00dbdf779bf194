"""Comparing distinct records of two files pair by pair, without ever holding the pairs.

A pair gets one 64-bit sum: what agreeing on each column adds to it, and what a table says of two codes. Steps that are
bits of a key give the packed agreement pattern, steps that are weights give the weight.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, IntArray

__all__ = ["best_by_sum", "count_sums", "rehash"]

_RUN = 2048  # records of A whose sums are worked out together
_MIX = np.uint64(0x9E3779B97F4A7C15)


@exact_kernel
def _sums(
    columns: CodeArray,  # IN (columns, n_a) int32, classes of A at every level, −1 where nobody agrees
    graded: CodeArray,  # IN (graded, n_a) int32, codes of A
    steps: IntArray,  # IN (columns,) int64, what agreeing on a column adds
    tables: IntArray,  # IN (all,) int64, what two codes add, a row for a code of B
    starts: IntArray,  # IN (graded,) int64, where the table of an attribute starts
    sizes: IntArray,  # IN (graded,) int64, its number of codes
    classes: CodeArray,  # IN (columns,) int32, one record of B, −2 where nobody agrees
    codes: CodeArray,  # IN (graded,) int32
    begin: int,
    end: int,
    sums: IntArray,  # OUT (run,) int64
) -> None:
    sums[: end - begin] = 0
    for c in range(steps.size):
        value, step, row = classes[c], steps[c], columns[c, begin:end]
        for i in range(end - begin):
            sums[i] += step * np.int64(row[i] == value)
    for g in range(starts.size):
        first = starts[g] + sizes[g] * codes[g]
        row, table = graded[g, begin:end], tables[first : first + sizes[g]]
        for i in range(end - begin):
            sums[i] += table[row[i]]


@exact_kernel
def _slot(key: np.int64, bits: int) -> np.uint64:
    h = np.uint64(key)
    h = (h ^ (h >> np.uint64(32))) * _MIX
    return ((h ^ (h >> np.uint64(29))) * _MIX) >> np.uint64(64 - bits)


@exact_kernel
def rehash(
    old_keys: IntArray,  # IN (slots,) int64, −1 in an empty slot
    old_counts: IntArray,  # IN (slots,) int64
    bits: int,  # IN the new table has 2**bits slots
    keys: IntArray,  # OUT (2**bits,) int64
    counts: IntArray,  # OUT (2**bits,) int64
) -> None:
    """Move counts into a larger table."""
    last = np.uint64((1 << bits) - 1)
    keys[:] = -1
    counts[:] = 0
    for i in range(old_keys.size):
        if old_keys[i] >= 0:
            slot = _slot(old_keys[i], bits)
            while keys[slot] >= 0:
                slot = (slot + np.uint64(1)) & last
            keys[slot], counts[slot] = old_keys[i], old_counts[i]


@exact_kernel
def count_sums(
    columns: CodeArray,  # IN as above
    graded: CodeArray,
    steps: IntArray,
    tables: IntArray,
    starts: IntArray,
    sizes: IntArray,
    weights: IntArray,  # IN (n_a,) int64, how many records each distinct one of A stands for
    b_classes: CodeArray,  # IN (m, columns) int32
    b_codes: CodeArray,  # IN (m, graded) int32
    b_weights: IntArray,  # IN (m,) int64
    state: IntArray,  # IN/OUT (3,) int64: the record of B and of A to go on with, and the sums met so far
    bits: int,  # IN the table has 2**bits slots
    keys: IntArray,  # IN/OUT (2**bits,) int64, −1 in an empty slot
    counts: IntArray,  # IN/OUT (2**bits,) int64, pairs of records with the sum
) -> bool:
    """Count pairs by their sums; return whether all were counted, or the table became too full to go on."""
    n_a = weights.size
    room = 1 << (bits - 1)
    last = np.uint64((1 << bits) - 1)
    sums = np.empty(_RUN, dtype=np.int64)
    entries = state[2]
    for k in range(state[0], b_weights.size):
        heed_stop()
        for begin in range(state[1] if k == state[0] else 0, n_a, _RUN):
            end = min(begin + _RUN, n_a)
            if entries + end - begin > room:
                state[0], state[1], state[2] = k, begin, entries
                return False
            _sums(columns, graded, steps, tables, starts, sizes, b_classes[k], b_codes[k], begin, end, sums)
            for i in range(begin, end):
                key = sums[i - begin]
                slot = _slot(key, bits)
                while keys[slot] >= 0 and keys[slot] != key:
                    slot = (slot + np.uint64(1)) & last
                if keys[slot] < 0:
                    keys[slot] = key
                    entries += 1
                counts[slot] += weights[i] * b_weights[k]
    state[0], state[1], state[2] = b_weights.size, 0, entries
    return True


@exact_kernel
def best_by_sum(
    columns: CodeArray,  # IN as above
    graded: CodeArray,
    steps: IntArray,
    tables: IntArray,
    starts: IntArray,
    sizes: IntArray,
    b_classes: CodeArray,
    b_codes: CodeArray,
    which: IntArray,  # IN (m,) int64, the records of B to answer
    best: IntArray,  # OUT (n_b,) int64, the record of A with the largest sum, lowest on ties
    score: IntArray,  # OUT (n_b,) int64, its sum
    second: IntArray,  # OUT (n_b,) int64, another record of A, −1 where there is none
    second_score: IntArray,  # OUT (n_b,) int64
    counts: IntArray,  # OUT (n_b,) int64, records of A with the largest sum
) -> IntArray:
    """Find the largest and second-largest sums and return the records tied with the largest, one list after the other.

    O(n_a · m · columns) time, memory linear.
    """
    n_a = columns.shape[1]
    lowest = np.iinfo(np.int64).min
    sums = np.empty(_RUN, dtype=np.int64)
    tied = np.empty(max(64, 2 * which.size), dtype=np.int64)
    total = 0
    for question in range(which.size):
        heed_stop()
        k = which[question]
        first, other, n_ties = lowest, lowest, 0
        leader, follower = -1, -1
        for begin in range(0, n_a, _RUN):
            end = min(begin + _RUN, n_a)
            _sums(columns, graded, steps, tables, starts, sizes, b_classes[k], b_codes[k], begin, end, sums)
            for i in range(begin, end):
                s = sums[i - begin]
                if s < first and s <= other:
                    continue
                if s > first:
                    other, follower = first, leader
                    first, leader, n_ties = s, i, 0
                elif s < first:
                    other, follower = s, i
                    continue
                if total + n_ties == tied.size:
                    longer = np.empty(2 * tied.size, dtype=np.int64)
                    for e in range(tied.size):
                        longer[e] = tied[e]
                    tied = longer
                tied[total + n_ties] = i
                n_ties += 1
        best[k], score[k], counts[k] = leader, first, n_ties
        second[k], second_score[k] = (tied[total + 1], first) if n_ties > 1 else (follower, other)
        total += n_ties
    return tied[:total].copy()
