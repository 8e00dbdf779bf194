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

ShortArray = NDArray[np.uint16]

__all__ = ["coarsen", "distinct", "pack", "refine"]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_ROWS_A_COLUMN = 48  # rows of a group, for every column left, up to which its pairs are looked at: measured
_MOST_ROWS = 1024  # of such a group
_NOBODY = np.uint16(65535)  # the class of who agrees with nobody, where classes are short
_ZERO, _ONE = np.uint16(0), np.uint16(1)


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
def _look_at_pairs(
    members: CodeArray,  # IN/OUT (m,) int32, the rows of a group, put in another order
    short: ShortArray,  # IN (columns, n) uint16, as the values in refine, with another number for nobody
    counts: CodeArray,  # IN as in refine
    low: int,  # IN the first column that is left
    chain: int,  # IN how many columns from there on are finer levels of the attribute that the group agrees on
    local: ShortArray,  # IN (columns,) uint16, what agreeing on a column adds to the place of a combination
    combinations: int,  # IN how many there are of later attributes
    tally: IntArray,  # OUT (2, (chain + 1) · combinations or more) int64, pairs between the files, within the first
    table: ShortArray,  # OUT (columns, m + 32 or more) uint16, scratch, as the next three
    records: IntArray,
    place: ShortArray,
    steps: ShortArray,
) -> None:
    # Compare all rows of a group with each other, by every column that is left. Rows that both files have come first,
    # then those of the first file alone: a pair without one counts nowhere, and most pairs count in one way alone.
    m, columns = members.size, short.shape[0]
    both, leading = 0, 0
    for e in range(m):
        i = members[e]
        if counts[i, 0] > 0:
            members[e], members[leading] = members[leading], i
            if counts[i, 1] > 0:
                members[leading], members[both] = members[both], i
                both += 1
            leading += 1
    for e in range(m):
        records[0, e], records[1, e] = counts[members[e], 0], counts[members[e], 1]
    for c in range(low, columns):
        for e in range(m):
            table[c - low, e] = short[c, members[e]]
    for e in range(leading):
        # Whole vectors are compared: what stands behind the last row is not read.
        size = m - e - 1
        padded = (size + 31) // 32 * 32
        own = place[:padded]
        own[:] = 0
        for c in range(low + chain, columns):
            value, row, step = table[c - low, e], table[c - low, e + 1 : e + 1 + padded], local[c]
            if value != _NOBODY:
                for k in range(padded):
                    own[k] += step if row[k] == value else _ZERO
        a, b = records[0, e], records[1, e]
        first, second = records[0, e + 1 : m], records[1, e + 1 : m]
        within = leading - e - 1  # from here on, rows of the second file alone
        if e < both:
            for k in range(within):
                tally[0, own[k]] += a * second[k] + b * first[k]
        for k in range(within):
            tally[1, own[k]] += 2 * a * first[k]
        for k in range(within, size):
            tally[0, own[k]] += a * second[k]
        if chain > 0:
            levels = steps[:padded]
            levels[:] = 0
            for c in range(low, low + chain):
                value, row = table[c - low, e], table[c - low, e + 1 : e + 1 + padded]
                if value != _NOBODY:
                    for k in range(padded):
                        levels[k] += _ONE if row[k] == value else _ZERO
            for k in range(size):
                for level in range(1, levels[k] + 1):
                    tally[0, level * combinations + own[k]] += a * second[k] + b * first[k]
                    tally[1, level * combinations + own[k]] += 2 * a * first[k]


@kernel
def _shortened(values: CodeArray, largest: int) -> ShortArray:
    # The same classes in 16 bits: where a column has larger ones, they are numbered as they come.
    columns, n = values.shape
    if largest < 0:
        return np.empty((columns, 0), dtype=np.uint16)
    short = np.empty((columns, n), dtype=np.uint16)
    number = np.empty(largest + 1 if largest >= _NOBODY else 0, dtype=np.int64)
    for c in range(columns):
        if largest >= _NOBODY:
            number[:] = -1
        fresh = 0
        for i in range(n):
            value = values[c, i]
            if value < 0:
                short[c, i] = _NOBODY
            elif largest < _NOBODY:
                short[c, i] = value
            else:
                if number[value] < 0:
                    number[value] = fresh
                    fresh += 1
                short[c, i] = number[value]
    return short


@kernel
def refine(
    values: CodeArray,  # IN (columns, n) int32, class at every level of every attribute, −1 where nobody agrees
    counts: CodeArray,  # IN (n, 2) int32, how often each file has the row
    finer: IntArray,  # IN (columns,) int64, 1 where the column is a finer level of the attribute before it, else 0
    stride: IntArray,  # IN (columns,) int64, what agreeing on the column adds to the position of the sum
    attribute: IntArray,  # IN (columns,) int64, the place of its attribute
    order: CodeArray,  # IN (n,) int32, the rows, group by group
    ends: CodeArray,  # IN (groups,) int32, where every group ends
    base: int,  # IN position of the sum of pairs that share a group
    sums: IntArray,  # OUT (patterns, 2) int64: pairs of different rows between the files, within the first; added to
    pairs: IntArray,  # OUT (attributes, patterns, 2) int64, by the last attribute that is agreed on; see below
) -> None:
    """Add the pairs of different rows that agree on every combination of levels, each reached once.

    Groups are cut by one column after the other, in order, and those without a pair are left behind: the more columns
    agree, the fewer rows remain. The pairs of a small group are looked at instead of cutting it further: they stand in
    `pairs` with what they agree on exactly among later attributes, and so are still to be added to whatever asks less
    of these. Where `pairs` has no patterns, none is looked at. O(rows that still have a partner) for each combination;
    memory O(columns · n).
    """
    columns, n = values.shape
    rows, row_ends = np.empty((columns + 1, n), dtype=np.int32), np.empty((columns + 1, n), dtype=np.int32)
    groups, position = np.zeros(columns + 1, dtype=np.int64), np.full(columns + 1, base, dtype=np.int64)
    column, following = np.full(columns + 1, -1, dtype=np.int64), np.zeros(columns + 1, dtype=np.int64)
    largest = np.int64(0)
    for c in range(columns):
        for i in range(n):
            largest = max(largest, np.int64(values[c, i]))
    # By class: its rows, then where the next one goes; records of each file, and pairs of a row with itself.
    size = np.zeros(largest + 1, dtype=np.int64)
    tally = np.zeros((largest + 1, 4), dtype=np.int64)
    classes = np.empty(n, dtype=np.int32)
    small, small_ends = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    table = np.empty((columns, _MOST_ROWS + 33), dtype=np.uint16)
    records = np.empty((2, _MOST_ROWS), dtype=np.int64)
    scratch = np.empty(_MOST_ROWS + 32, dtype=np.uint16), np.empty(_MOST_ROWS + 32, dtype=np.uint16)
    # Combinations of the attributes after one, the last of them fastest: those of fewer attributes are the first ones.
    looks = columns > 0 and pairs.shape[1] > 0 and n < _NOBODY
    states, step_of = np.ones(pairs.shape[0], dtype=np.int64), np.zeros(pairs.shape[0], dtype=np.int64)
    for c in range(columns):
        states[attribute[c]] += 1
        step_of[attribute[c]] = stride[c]
    after, listed = np.ones(states.size, dtype=np.int64), np.int64(1)
    for p in range(states.size - 2, -1, -1):
        after[p] = after[p + 1] * states[p + 1]
        if after[p] <= _NOBODY:
            listed = after[p]
    positions = np.zeros(listed, dtype=np.int64)
    for place in range(listed):
        rest = place
        for p in range(states.size - 1, 0, -1):
            positions[place] += rest % states[p] * step_of[p]
            rest //= states[p]
    chain, most = np.zeros(columns + 1, dtype=np.int64), np.zeros(columns + 1, dtype=np.int64)
    local, longest = np.zeros(columns, dtype=np.uint16), np.int64(0)
    for c in range(columns - 1, -1, -1):
        chain[c] = 1 + chain[c + 1] if finer[c] == 1 else 0
        longest = max(longest, chain[c])
        if after[attribute[c]] <= _NOBODY:
            local[c] = after[attribute[c]]
            if looks:
                most[c] = min(_MOST_ROWS, _ROWS_A_COLUMN * (columns - c - 1))
    short = _shortened(values, int(largest) if looks else -1)
    compared = np.zeros((2, (longest + 1) * listed), dtype=np.int64)
    for i in range(order.size):
        rows[0, i] = order[i]
    groups[0] = ends.size
    for g in range(ends.size):
        row_ends[0, g] = ends[g]
    begin = np.int64(0)
    for g in range(ends.size):
        first, second, own, own_first = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for place in range(begin, ends[g]):
            a, b = np.int64(counts[order[place], 0]), np.int64(counts[order[place], 1])
            first, second, own, own_first = first + a, second + b, own + a * b, own_first + a * a
        sums[base, 0] += first * second - own
        sums[base, 1] += first * first - own_first
        begin = np.int64(ends[g])
    depth = 0
    while depth >= 0:
        heed_stop()
        c = following[depth]
        while c < columns and finer[c] == 1 and c != column[depth] + 1:
            c += 1
        if c >= columns:
            depth -= 1
            continue
        following[depth] = c + 1
        at = position[depth] + stride[c]
        between, within = np.int64(0), np.int64(0)
        begin, total, n_groups, looked = np.int64(0), np.int64(0), np.int64(0), False
        for g in range(groups[depth]):
            end = np.int64(row_ends[depth, g])
            met = 0
            for place in range(begin, end):
                i = rows[depth, place]
                value = values[c, i]
                if value < 0:
                    continue
                if size[value] == 0:
                    classes[met] = value
                    met += 1
                    tally[value] = 0
                size[value] += 1
                a, b = np.int64(counts[i, 0]), np.int64(counts[i, 1])
                tally[value, 0] += a
                tally[value, 1] += b
                tally[value, 2] += a * b
                tally[value, 3] += a * a
            kept, n_small, small_rows = 0, 0, np.int64(0)
            for k in range(met):
                value = classes[k]
                rows_in = size[value]
                size[value] = -1
                if rows_in < 2:
                    continue
                across = tally[value, 0] * tally[value, 1] - tally[value, 2]
                inside = tally[value, 0] * tally[value, 0] - tally[value, 3]
                if across == 0 and inside == 0:
                    continue
                if rows_in <= most[c]:
                    size[value] = -2 - small_rows  # below −1, where the next one goes among the small groups
                    small_rows += rows_in
                    small_ends[n_small] = small_rows
                    n_small += 1
                    continue
                between += across
                within += inside
                size[value] = total
                total += rows_in
                row_ends[depth + 1, n_groups] = total
                n_groups += 1
                kept += 1
            if kept + n_small > 0:
                for place in range(begin, end):
                    i = rows[depth, place]
                    value = values[c, i]
                    if value < 0:
                        continue
                    if size[value] >= 0:
                        rows[depth + 1, size[value]] = i
                        size[value] += 1
                    elif size[value] < -1:
                        small[-2 - size[value]] = i
                        size[value] -= 1
            low = np.int64(0)
            for k in range(n_small):
                _look_at_pairs(small[low : small_ends[k]], short, counts, c + 1, chain[c + 1], local,
                               after[attribute[c]], compared, table, records, *scratch)  # fmt: skip
                low = np.int64(small_ends[k])
            looked = looked or n_small > 0
            for k in range(met):
                size[classes[k]] = 0
            begin = end
        sums[at, 0] += between
        sums[at, 1] += within
        if looked:
            p = attribute[c]
            for level in range(chain[c + 1] + 1):
                begin = level * after[p]
                for place in range(after[p]):
                    exactly = at + level * stride[c] + positions[place]
                    for side in range(2):
                        pairs[p, exactly, side] += compared[side, begin + place]
                        compared[side, begin + place] = 0
        if n_groups > 0:
            depth += 1
            groups[depth], position[depth], column[depth], following[depth] = n_groups, at, c, c + 1


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
