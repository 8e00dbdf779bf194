"""Counting pairs that agree, from records packed into words: no pair is ever looked at.

A record is a row of 64-bit words; every attribute has a field of bits in one of them. The highest bit of a field says
that the value agrees with nobody. Rows that are equal are kept once, with how often each of the two files has them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, IntArray

__all__ = ["coarsen", "distinct", "pack", "walk"]

_MIX = np.uint64(0x9E3779B97F4A7C15)


@kernel
def _slot(words: NDArray[np.uint64], i: int, shift: np.uint64) -> np.uint64:
    # The high bits of a product depend on every bit of the key, so a field anywhere in the word spreads the slots.
    h = np.uint64(0)
    for w in range(words.shape[1]):
        h = (h ^ (h >> np.uint64(32)) ^ words[i, w]) * _MIX
    return (h ^ (h >> np.uint64(29))) * _MIX >> shift


def pack(
    codes: IntArray,  # IN (n,) int64, fields of one attribute, flag included
    word: int,  # IN which word
    shift: int,  # IN where in the word
    words: NDArray[np.uint64],  # OUT (n, words) uint64, the field is added to it
) -> None:
    """Write the field of one attribute into every record's words."""
    words[:, word] |= codes.astype(np.uint64) << np.uint64(shift)


@kernel
def coarsen(
    words: NDArray[np.uint64],  # IN (n, words) uint64, distinct rows
    counts: CodeArray,  # IN (n, 2) int32, how often each file has the row
    word: int,  # IN the word of the attribute
    shift: int,  # IN the place of its field in the word
    field: int,  # IN ones over the field's width, not shifted
    up: IntArray,  # IN (field + 1,) int64, the coarser value of every value of the field
    bits: int,  # IN the table has 2**bits slots, at least 2 n
    table: CodeArray,  # IN/OUT (2**bits,) int32, overwritten
    out: NDArray[np.uint64],  # OUT (n, words) uint64, the distinct coarser rows, in order of appearance
    out_counts: CodeArray,  # OUT (n, 2) int32
) -> int:
    """Replace one attribute by its coarser version and merge the rows that become equal; return their number.

    O(n) time, expected: open addressing with at most half of the slots taken.
    """
    n, width = words.shape
    last = np.uint64((1 << bits) - 1)
    high = np.uint64(64 - bits)
    keep = ~(np.uint64(field) << np.uint64(shift))
    table[: 1 << bits] = -1
    m = 0
    if width == 1:
        # Most files fit into one word: the same as below, without the loops over words.
        for i in range(n):
            old = words[i, 0]
            value = np.int64((old >> np.uint64(shift)) & np.uint64(field))
            new = (old & keep) | (np.uint64(up[value]) << np.uint64(shift))
            slot = (new * _MIX) >> high
            at = table[slot]
            while at >= 0 and out[at, 0] != new:
                slot = (slot + np.uint64(1)) & last
                at = table[slot]
            if at < 0:
                table[slot] = m
                out[m, 0] = new
                out_counts[m, 0], out_counts[m, 1] = counts[i, 0], counts[i, 1]
                m += 1
            else:
                out_counts[at, 0] += counts[i, 0]
                out_counts[at, 1] += counts[i, 1]
        return m
    for i in range(n):
        for w in range(width):
            out[m, w] = words[i, w]
        value = np.int64((words[i, word] >> np.uint64(shift)) & np.uint64(field))
        out[m, word] = (words[i, word] & keep) | (np.uint64(up[value]) << np.uint64(shift))
        slot = _slot(out, m, high)
        while True:
            at = table[slot]
            if at < 0:
                table[slot] = m
                out_counts[m, 0], out_counts[m, 1] = counts[i, 0], counts[i, 1]
                m += 1
                break
            same = True
            for w in range(width):
                same = same and out[at, w] == out[m, w]
            if same:
                out_counts[at, 0] += counts[i, 0]
                out_counts[at, 1] += counts[i, 1]
                break
            slot = (slot + np.uint64(1)) & last
    return m


@kernel
def agreeing_pairs(
    words: NDArray[np.uint64],  # IN (n, words) uint64, distinct rows
    counts: CodeArray,  # IN (n, 2) int32
    n: int,  # IN how many of the rows count
    flags: NDArray[np.uint64],  # IN (words,) uint64, the flag bits of all fields
    sums: IntArray,  # OUT (2,) int64: pairs between the files and ordered pairs within the first are added
) -> None:
    """Count the pairs of equal rows; a row with a flag agrees with nobody."""
    between, within = np.int64(0), np.int64(0)
    for i in range(n):
        agrees = True
        for w in range(words.shape[1]):
            agrees = agrees and (words[i, w] & flags[w]) == 0
        if agrees:
            a, b = np.int64(counts[i, 0]), np.int64(counts[i, 1])
            between += a * b
            within += a * a
    sums[0] += between
    sums[1] += within


@kernel
def walk(
    words: NDArray[np.uint64],  # IN (n, words) uint64, distinct rows
    counts: CodeArray,  # IN (n, 2) int32
    word: IntArray,  # IN (attributes,) int64, those that coarsen, in the order in which they do
    shift: IntArray,  # IN (attributes,) int64
    field: IntArray,  # IN (attributes,) int64, ones over the field's width
    level: IntArray,  # IN (attributes,) int64, the level of every attribute in the rows
    stride: IntArray,  # IN (attributes,) int64, of the level in the position of the sum
    ups: IntArray,  # IN (all,) int64, the coarser fields, one table after the other
    up_start: IntArray,  # IN (attributes, levels + 1) int64, where the table of a level starts
    base: int,  # IN position of the sum where all levels are 0
    flags: NDArray[np.uint64],  # IN (words,) uint64
    sums: IntArray,  # OUT (patterns, 2) int64, added to
) -> None:
    """Add the agreeing pairs of every combination of levels, each reached once.

    Attributes coarsen one level at a time and in order, so the path to a combination is unique. O(n) for each
    combination, on rows that merge on the way.
    """
    n, width = words.shape
    attributes = level.size
    deepest = level.sum()
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    table = np.empty(1 << bits, dtype=np.int32)
    rows = np.empty((deepest + 1, n, width), dtype=np.uint64)
    row_counts = np.empty((deepest + 1, n, 2), dtype=np.int32)
    rows[0], row_counts[0] = words, counts
    size = np.empty(deepest + 1, dtype=np.int64)
    levels = np.empty((deepest + 1, attributes), dtype=np.int64)
    place = np.zeros(deepest + 1, dtype=np.int64)
    position = np.empty(deepest + 1, dtype=np.int64)
    size[0], levels[0] = n, level
    position[0] = base
    for p in range(attributes):
        position[0] += level[p] * stride[p]
    agreeing_pairs(rows[0], row_counts[0], n, flags, sums[position[0]])
    depth = 0
    while depth >= 0:
        heed_stop()
        p = place[depth]
        while p < attributes and levels[depth, p] == 0:
            p += 1
        if p == attributes:
            depth -= 1
            if depth >= 0:
                place[depth] += 1
            continue
        place[depth] = p
        m = size[depth]
        while bits > 4 and (1 << (bits - 1)) >= 2 * m:
            bits -= 1
        while (1 << bits) < 2 * m:
            bits += 1
        start = up_start[p, levels[depth, p]]
        up = ups[start : start + field[p] + 1]
        size[depth + 1] = coarsen(rows[depth, :m], row_counts[depth, :m], word[p], shift[p], field[p], up, bits, table,
                                  rows[depth + 1], row_counts[depth + 1])  # fmt: skip
        levels[depth + 1] = levels[depth]
        levels[depth + 1, p] -= 1
        position[depth + 1] = position[depth] - stride[p]
        place[depth + 1] = p
        depth += 1
        agreeing_pairs(rows[depth], row_counts[depth], size[depth], flags, sums[position[depth]])


@kernel
def distinct(
    words: NDArray[np.uint64],  # IN (n, words) uint64
    bits: int,  # IN the table has 2**bits slots, at least 2 n
    table: CodeArray,  # IN/OUT (2**bits,) int32, overwritten
    label: IntArray,  # OUT (n,) int64, the class of every row, in order of appearance
    members: IntArray,  # OUT (n,) int64, the first row of every class
    sizes: IntArray,  # OUT (n,) int64, how many rows a class has
) -> int:
    """Give equal rows one number and return how many numbers there are."""
    n, width = words.shape
    last = np.uint64((1 << bits) - 1)
    high = np.uint64(64 - bits)
    table[: 1 << bits] = -1
    m = 0
    for i in range(n):
        heed_stop()
        slot = _slot(words, i, high)
        while True:
            at = table[slot]
            if at < 0:
                table[slot] = m
                label[i] = m
                members[m] = i
                sizes[m] = 1
                m += 1
                break
            same = True
            for w in range(width):
                same = same and words[members[at], w] == words[i, w]
            if same:
                label[i] = at
                sizes[at] += 1
                break
            slot = (slot + np.uint64(1)) & last
    return m
