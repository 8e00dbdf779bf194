"""Best links by agreement pattern where ties are counted, and nobody reads who they are.

A record of B may tie with thousands of A, and everybody who shares its key with the same ones: listing them takes time
and memory in the pairs, counting them in the records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import kernel
from discreet.kernels.linking.hashjoin import meet_by_key, position_of
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, IntArray

__all__ = ["count_join", "find_steps"]


@kernel
def _sizes_of_groups(
    groups: int,
    near: CodeArray,  # IN (hits,) int32, as meet_by_key gives them
    who: CodeArray,
    a_size: IntArray,
    records: IntArray,  # OUT (groups,) int64, records of A with the key
    classes: IntArray,  # OUT (groups,) int64, distinct ones
) -> None:
    for g in range(groups):
        records[g], classes[g] = 0, 0
    for place in range(near.size):
        records[who[place]] += a_size[near[place]]
        classes[who[place]] += 1


@kernel
def count_join(
    a: NDArray[np.uint64],  # IN as in join, like the next six
    a_columns: NDArray[np.uint64],
    a_first: IntArray,
    a_size: IntArray,
    b: NDArray[np.uint64],
    active: IntArray,
    masks: NDArray[np.uint64],  # IN (sets, levels · words) uint64, the fields of the pattern, then of finer ones
    signs: IntArray,  # IN (sets,) int64, 1 or −1 as a set adds an even or odd number of agreements to the pattern
    flags: NDArray[np.uint64],
    pattern: int,  # IN its position
    step: int,  # IN its rank by weight
    verify: bool,  # IN whether an active record may agree on more than the pattern with somebody
    at: IntArray,  # IN as in position_of
    ones: NDArray[np.uint64],
    flag: NDArray[np.uint64],
    stride: IntArray,
    best_step: IntArray,  # IN/OUT (n_b,) int64, −1 while nobody was found
    lowest: IntArray,  # IN/OUT (n_b,) int64, the lowest position at the best weight
    ties: IntArray,  # IN/OUT (n_b,) int64, records of A at the best weight
    classes: IntArray,  # IN/OUT (n_b,) int64, distinct ones
) -> None:
    """Link the active records, who all have nobody or somebody of this weight, that agree exactly on a pattern.

    Where some may agree on more (`verify`), those are taken off: by looking at everybody who shares the key, or, where
    that is dearer, by counting who agrees on each set of finer agreements (inclusion and exclusion; `masks` then are
    all sets that anybody can agree on). O(sets · (n_a + m)) time, expected, and as many looks as there are who agree on
    more and stand before the lowest that does not; memory O(n_a + m).
    """
    n_a, m, sets = a.shape[0], active.size, masks.shape[0]
    group, groups, near, who = meet_by_key(a, a_columns, b, active, masks[0], flags)
    records_of, classes_of = np.empty(groups, dtype=np.int64), np.empty(groups, dtype=np.int64)
    _sizes_of_groups(groups, near, who, a_size, records_of, classes_of)
    starts = np.zeros(groups + 1, dtype=np.int64)
    for g in range(groups):
        starts[g + 1] = starts[g] + classes_of[g]
    members = np.empty(near.size, dtype=np.int32)
    fill = starts[:groups].copy()
    for place in range(near.size):
        g = who[place]
        members[fill[g]] = near[place]
        fill[g] += 1
    asking = np.empty(m, dtype=np.int64)
    key = np.empty(m, dtype=np.int32)
    n_asking, looks = 0, np.int64(0)
    for i in range(m):
        g = group[i]
        if g >= 0 and classes_of[g] > 0:
            asking[n_asking], key[n_asking] = active[i], g
            n_asking += 1
            looks += classes_of[g]
    asking = asking[:n_asking]
    records, distinct = np.empty(n_asking, dtype=np.int64), np.empty(n_asking, dtype=np.int64)
    leader = np.full(n_asking, -1, dtype=np.int64)
    if verify and (sets == 1 or looks <= (sets - 1) * (n_a + n_asking)):
        for i in range(n_asking):
            heed_stop()
            records[i], distinct[i] = 0, 0
            for place in range(starts[key[i]], starts[key[i] + 1]):
                c = members[place]
                if position_of(a, c, b, asking[i], at, ones, flag, stride) == pattern:
                    if distinct[i] == 0:
                        leader[i] = c
                    records[i] += a_size[c]
                    distinct[i] += 1
    else:
        for i in range(n_asking):
            records[i], distinct[i] = records_of[key[i]], classes_of[key[i]]
        if verify:
            for s in range(1, sets):
                finer, n_finer, near, who = meet_by_key(a, a_columns, b, asking, masks[s], flags)
                records_of, classes_of = np.empty(n_finer, dtype=np.int64), np.empty(n_finer, dtype=np.int64)
                _sizes_of_groups(n_finer, near, who, a_size, records_of, classes_of)
                for i in range(n_asking):
                    if finer[i] >= 0:
                        records[i] += signs[s] * records_of[finer[i]]
                        distinct[i] += signs[s] * classes_of[finer[i]]
        for i in range(n_asking):
            heed_stop()
            place = starts[key[i]]
            while verify and distinct[i] > 0:
                if position_of(a, members[place], b, asking[i], at, ones, flag, stride) == pattern:
                    break
                place += 1
            leader[i] = members[place]
    for i in range(n_asking):
        if distinct[i] == 0:
            continue
        k = asking[i]
        if best_step[k] < 0:
            best_step[k], lowest[k], ties[k], classes[k] = step, a_first[leader[i]], 0, 0
        lowest[k] = min(lowest[k], a_first[leader[i]])
        ties[k] += records[i]
        classes[k] += distinct[i]


@kernel
def find_steps(
    a: NDArray[np.uint64],  # IN (n_a, levels · words) uint64, as in join
    b: NDArray[np.uint64],  # IN (n_b, levels · words) uint64
    of_a: IntArray,  # IN (m,) int64, records of A
    of_b: IntArray,  # IN (m,) int64, the record of B that each is paired with
    at: IntArray,  # IN as in position_of
    ones: NDArray[np.uint64],
    flag: NDArray[np.uint64],
    stride: IntArray,
    step_of: CodeArray,  # IN (patterns,) int32, the rank by weight of every pattern
    steps: CodeArray,  # OUT (m,) int32, that of every pair
) -> None:
    """Rank some pairs by the weight of their pattern."""
    for i in range(of_a.size):
        heed_stop()
        steps[i] = step_of[position_of(a, of_a[i], b, of_b[i], at, ones, flag, stride)]
