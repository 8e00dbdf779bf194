"""Best links by agreement pattern: the records of B that agree with somebody of A on a pattern, found by hashing.

Records are packed words (see :mod:`discreet.kernels.linking.patterns`), once for every level of agreement, side by
side; a pattern is a mask over them. Both files hold distinct records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel
from discreet.kernels.linking.all_pairs import pattern_positions
from discreet.kernels.linking.tied_rows import enlarged
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, IntArray, LevelArray

__all__ = ["best_by_comparing", "join", "meet_by_key", "position_of"]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_FAR = np.int64(9223372036854775807)
_RUN = 2048  # records of A whose patterns are worked out together


@kernel
def _project(
    words: NDArray[np.uint64], i: int, mask: NDArray[np.uint64], flags: NDArray[np.uint64], key: NDArray[np.uint64]
) -> np.uint64:
    # The fields of the pattern, each at its level; returns the hash, or 0 where a value agrees with nobody.
    width = flags.size
    h = np.uint64(1)
    for w in range(width):
        k = np.uint64(0)
        for at in range(w, mask.size, width):
            k |= words[i, at] & mask[at]
        if (k & flags[w]) != 0:
            return np.uint64(0)
        key[w] = k
        h = (h ^ (h >> np.uint64(32)) ^ k) * _MIX
    h = (h ^ (h >> np.uint64(29))) * _MIX
    return h | np.uint64(1)


@kernel
def _coarse_hash(key: NDArray[np.uint64]) -> np.uint64:
    # Good enough to sift by, and quick.
    h = np.uint64(0)
    for w in range(key.size):
        h = (h ^ (h >> np.uint64(32)) ^ key[w]) * _MIX
    return h


@kernel
def _sifted(
    columns: NDArray[np.uint64],  # IN (levels · words, n_a) uint64, the words of A, a row a word
    mask: NDArray[np.uint64],
    flags: NDArray[np.uint64],
    sieve: NDArray[np.uint64],  # IN (2 ** (bits − 2),) uint64, a bit for each of 2 ** (bits + 4) ranges of hashes
    bits: int,
    near: CodeArray,  # OUT (n_a,) int32
) -> int:
    # List the records of A whose hash falls where one of B does; returns their number. Many records are hashed at a
    # time, word by word, and words without a field of the pattern are left out.
    word_shift, bit_shift, low = np.uint64(66 - bits), np.uint64(60 - bits), np.uint64(63)
    one, half = np.uint64(1), np.uint64(32)
    width = flags.size
    n_a = columns.shape[1]
    hashes, key, flagged = (
        np.empty(_RUN, dtype=np.uint64),
        np.empty(_RUN, dtype=np.uint64),
        np.empty(_RUN, dtype=np.uint64),
    )
    count = np.int64(0)
    for start in range(0, n_a, _RUN):
        size = min(_RUN, n_a - start)
        h, k, f = hashes[:size], key[:size], flagged[:size]
        h[:], f[:] = 0, 0
        for w in range(width):
            k[:] = 0
            for at in range(w, mask.size, width):
                fields = mask[at]
                if fields != 0:
                    word = columns[at, start : start + size]
                    for i in range(size):
                        k[i] |= word[i] & fields
            for i in range(size):
                f[i] |= k[i] & flags[w]
                h[i] = (h[i] ^ (h[i] >> half) ^ k[i]) * _MIX
        for i in range(size):
            near[count] = start + i
            count += np.int64(((sieve[h[i] >> word_shift] >> ((h[i] >> bit_shift) & low)) & one) & np.uint64(f[i] == 0))
    return int(count)


@kernel
def position_of(
    a: NDArray[np.uint64],
    i: int,
    b: NDArray[np.uint64],
    k: int,
    at: IntArray,  # IN (attributes, levels) int64, the word of the field at a level, −1 where there is none
    ones: NDArray[np.uint64],  # IN (attributes, levels) uint64, the field in the word, flag included
    flag: NDArray[np.uint64],  # IN (attributes, levels) uint64, its flag
    stride: IntArray,  # IN (attributes,) int64
) -> int:
    """Return the position of the pattern of one pair."""
    position = np.int64(0)
    if at.shape[1] == 1:
        for j in range(at.shape[0]):
            w = at[j, 0]
            differs = ((a[i, w] ^ b[k, w]) & ones[j, 0]) | (a[i, w] & flag[j, 0])
            position += stride[j] * np.int64(differs == 0)
        return int(position)
    for j in range(at.shape[0]):
        for level in range(at.shape[1]):
            w = at[j, level]
            if w < 0 or ((a[i, w] ^ b[k, w]) & ones[j, level]) != 0 or (a[i, w] & flag[j, level]) != 0:
                break
            position += stride[j]
    return int(position)


@kernel
def meet_by_key(
    a: NDArray[np.uint64],  # IN as in join, like the next five
    a_columns: NDArray[np.uint64],
    b: NDArray[np.uint64],
    active: IntArray,
    mask: NDArray[np.uint64],
    flags: NDArray[np.uint64],
) -> tuple[CodeArray, int, CodeArray, CodeArray]:
    """Give equal keys of the active records of B one number, and find the records of A that have one of these keys.

    Returns the number of every active record, −1 where it agrees with nobody; how many there are; the records of A, in
    their order, and the number of each.

    O(n_a + m) time, expected.
    """
    n_a, m, width = a.shape[0], active.size, flags.size
    bits = 4
    while (1 << bits) < 2 * m:
        bits += 1
    high, last = np.uint64(64 - bits), np.uint64((1 << bits) - 1)
    table = np.full(1 << bits, -1, dtype=np.int32)
    keys = np.empty((m + 1, width), dtype=np.uint64)
    group = np.full(m, -1, dtype=np.int32)
    groups = 0
    for i in range(m):
        heed_stop()
        h = _project(b, active[i], mask, flags, keys[groups])
        if h == 0:
            continue
        slot = h >> high
        while True:
            g = table[slot]
            if g < 0:
                table[slot] = groups
                group[i] = groups
                groups += 1
                break
            same = True
            for w in range(width):
                same = same and keys[g, w] == keys[groups, w]
            if same:
                group[i] = g
                break
            slot = (slot + np.uint64(1)) & last
    # Most of A agrees with nobody here: a bit of the hash says so of almost all, without a look into the table.
    sieve = np.zeros(1 << (bits - 2), dtype=np.uint64)
    for g in range(groups):
        heed_stop()
        h = _coarse_hash(keys[g])
        sieve[h >> np.uint64(66 - bits)] |= np.uint64(1) << ((h >> np.uint64(60 - bits)) & np.uint64(63))
    near, who = np.empty(n_a, dtype=np.int32), np.empty(n_a, dtype=np.int32)
    count = _sifted(a_columns, mask, flags, sieve, bits, near)
    hits = 0
    key = np.empty(width, dtype=np.uint64)
    for place in range(count):
        heed_stop()
        i = near[place]
        h = _project(a, i, mask, flags, key)
        if h == 0:
            continue
        slot = h >> high
        while True:
            g = table[slot]
            if g < 0:
                break
            same = True
            for w in range(width):
                same = same and keys[g, w] == key[w]
            if same:
                near[hits], who[hits] = i, g
                hits += 1
                break
            slot = (slot + np.uint64(1)) & last
    return group, groups, near[:hits], who[:hits]


@kernel
def join(
    a: NDArray[np.uint64],  # IN (n_a, levels · words) uint64, distinct records of A
    a_columns: NDArray[np.uint64],  # IN (levels · words, n_a) uint64, the same, word by word
    a_first: IntArray,  # IN (n_a,) int64, position of the first record of the class, rising
    a_next: IntArray,  # IN (n_a,) int64, position of its second record, a huge number where there is none
    a_size: IntArray,  # IN (n_a,) int64
    b: NDArray[np.uint64],  # IN (n_b, levels · words) uint64, distinct records of B
    active: IntArray,  # IN (m,) int64, the records of B that still look for somebody
    mask: NDArray[np.uint64],  # IN (levels · words,) uint64, the fields of the pattern
    flags: NDArray[np.uint64],  # IN (words,) uint64
    pattern: int,  # IN its position
    step: int,  # IN its rank by weight; patterns of equal weight share one
    verify: bool,  # IN whether a finer pattern may not have come before
    at: IntArray,  # IN as in position_of
    ones: NDArray[np.uint64],
    flag: NDArray[np.uint64],
    stride: IntArray,
    best_step: IntArray,  # IN/OUT (n_b,) int64, −1 while nobody was found
    second_step: IntArray,  # IN/OUT (n_b,) int64, −1 while nobody was found
    lowest: IntArray,  # IN/OUT (n_b, 2) int64, the two lowest positions at the best weight
    lowest_second: IntArray,  # IN/OUT (n_b,) int64, the lowest position at the second-best weight
    best_class: IntArray,  # IN/OUT (n_b,) int64
    ties: IntArray,  # IN/OUT (n_b,) int64, records of A at the best weight
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Link the active records that agree with somebody exactly on a pattern.

    Returns the records of B that got a row of ties, the row of each, where every row ends, and the classes of A on the
    rows, one after the other.

    O(n_a + m) time, expected. Without `verify` agreeing at least on the pattern is agreeing exactly on it, because
    everybody who agrees on more was met before: then all records of B with one key share one row.
    """
    m = active.size
    group, groups, near, who = meet_by_key(a, a_columns, b, active, mask, flags)
    hits = near.size
    sizes = np.zeros(groups + 1, dtype=np.int64)
    for place in range(hits):
        sizes[who[place] + 1] += 1
    for g in range(groups):
        sizes[g + 1] += sizes[g]
    members = np.empty(sizes[groups], dtype=np.int64)
    fill = sizes[:groups].copy()
    for place in range(hits):
        g = who[place]
        members[fill[g]] = near[place]
        fill[g] += 1
    shared = np.full(groups, -1, dtype=np.int64)
    room = members.size
    if verify:
        # Every record of B has a row of its own: at worst its whole group.
        room = 0
        for i in range(m):
            if group[i] >= 0 and (best_step[active[i]] < 0 or best_step[active[i]] == step):
                room += sizes[group[i] + 1] - sizes[group[i]]
    owners, owner_rows, row_ends = (
        np.empty(m, dtype=np.int64),
        np.empty(m, dtype=np.int64),
        np.empty(m, dtype=np.int64),
    )
    records, following, leader = (
        np.empty(m, dtype=np.int64),
        np.empty(m, dtype=np.int64),
        np.empty(m, dtype=np.int64),
    )
    tied = np.empty(room, dtype=np.int64)
    n_owners, rows, end = 0, 0, 0
    for i in range(m):
        heed_stop()
        g = group[i]
        if g < 0 or sizes[g + 1] == sizes[g]:
            continue
        k = active[i]
        if best_step[k] >= 0 and best_step[k] < step:
            # Only the second best is missing: the lowest position of anybody but the best.
            for j in range(sizes[g], sizes[g + 1]):
                c = members[j]
                if c != best_class[k] and (not verify or position_of(a, c, b, k, at, ones, flag, stride) == pattern):
                    if second_step[k] < 0:
                        second_step[k] = step
                        lowest_second[k] = a_first[c]
                    elif a_first[c] < lowest_second[k]:
                        lowest_second[k] = a_first[c]
                    break
            continue
        row = shared[g]
        if verify or row < 0:
            begin = end
            for j in range(sizes[g], sizes[g + 1]):
                c = members[j]
                if not verify or position_of(a, c, b, k, at, ones, flag, stride) == pattern:
                    tied[end] = c
                    end += 1
            if end == begin:
                continue
            row = rows
            row_ends[row] = end
            rows += 1
            shared[g] = row
            # What all who share the row learn from it; its classes rise, and so do their first records.
            leader[row], following[row] = tied[begin], a_next[tied[begin]]
            if end > begin + 1:
                following[row] = min(following[row], a_first[tied[begin + 1]])
            records[row] = 0
            for j in range(begin, end):
                records[row] += a_size[tied[j]]
        if best_step[k] < 0:
            best_step[k] = step
            lowest[k, 0], lowest[k, 1] = _FAR, _FAR
            ties[k] = 0
        ties[k] += records[row]
        low = a_first[leader[row]]
        if low < lowest[k, 0]:
            lowest[k, 1] = min(lowest[k, 0], following[row])
            lowest[k, 0] = low
            best_class[k] = leader[row]
        else:
            lowest[k, 1] = min(lowest[k, 1], low)
        owners[n_owners] = k
        owner_rows[n_owners] = row
        n_owners += 1
    return owners[:n_owners], owner_rows[:n_owners], row_ends[:rows], tied[:end]


@kernel
def best_by_comparing(
    a: LevelArray,  # IN (columns, n_a) int8 to int32, classes at every level of every attribute, −1 where nobody agrees
    a_first: IntArray,  # IN as in join
    a_next: IntArray,
    a_size: IntArray,
    b: LevelArray,  # IN (m, columns), the same of those records of B, −2 where nobody agrees
    stride: CodeArray,  # IN (columns,) int32, what agreeing on a column adds to the position of the pattern
    active: IntArray,  # IN (m,) int64, the records of B to compare with all of A
    step_of: CodeArray,  # IN (patterns,) int32, the rank by weight of every pattern
    best_step: IntArray,  # IN/OUT (n_b,) int64, −1 where nobody was found before
    second_step: IntArray,  # OUT (n_b,) int64
    lowest: IntArray,  # OUT (n_b, 2) int64
    lowest_second: IntArray,  # OUT (n_b,) int64
    best_class: IntArray,  # OUT (n_b,) int64
    ties: IntArray,  # OUT (n_b,) int64
    classes: IntArray,  # OUT (m,) int64, how many classes of A have the best weight
    listed: bool,  # IN whether they are listed
) -> IntArray:
    """Compare some records of B with every record of A: for small files, and the few that no early pattern links.

    Returns the classes of A at the best weight, record after record, of those who had nobody before; see `listed`.
    """
    n_a = a.shape[1]
    positions = np.empty(_RUN, dtype=np.int32)
    mine, tied = np.empty(64, dtype=np.int64), np.empty(max(64, active.size), dtype=np.int64)
    total = 0
    for i in range(active.size):
        heed_stop()
        k = active[i]
        first, second = _FAR, _FAR
        low, following, low_second = _FAR, _FAR, _FAR
        n_ties, records, leader = 0, 0, -1
        for begin in range(0, n_a, _RUN):
            end = min(begin + _RUN, n_a)
            pattern_positions(a, begin, end, b, i, stride, positions)
            for c in range(begin, end):
                step = np.int64(step_of[positions[c - begin]])
                if step >= second:
                    continue
                if step < first:
                    second, low_second = first, low
                    first, low, following = step, a_first[c], a_next[c]
                    n_ties, records, leader = 1, a_size[c], c
                    mine[0] = c
                elif step == first:
                    if listed:
                        if n_ties == mine.size:
                            mine = enlarged(mine, n_ties, n_ties)
                        mine[n_ties] = c
                    n_ties += 1
                    records += a_size[c]
                    following = min(following, a_first[c])
                else:
                    second, low_second = step, a_first[c]
        if listed and best_step[k] < 0:
            if total + n_ties > tied.size:
                tied = enlarged(tied, total, total + n_ties)
            for e in range(n_ties):
                tied[total + e] = mine[e]
            total += n_ties
        best_step[k], ties[k], best_class[k], classes[i] = first, records, leader, n_ties
        lowest[k, 0], lowest[k, 1] = low, following
        second_step[k] = second if second != _FAR else -1
        lowest_second[k] = low_second
    return tied[:total].copy()
