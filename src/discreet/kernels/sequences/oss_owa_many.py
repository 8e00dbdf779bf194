"""d_OSS-OWA of many sequences with many: event by event instead of pair by pair.

The runs of a block of sequences are filed by event and by how often it happens. A sequence then meets, for each of its
events, lists of runs of one length: inner loops without a branch that depends on the pair.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import exact_kernel
from discreet.kernels.sequences.oss_owa import TRIANGLE
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["oss_owa_many"]

_at = np.uint64
_BLOCK = 2048  # sequences of b whose shifts are counted side by side, in the processor's own cache
_SMALL_BLOCK = 256  # where what a block holds below the diagonal is compared in vain


@exact_kernel
def _file(
    run_events: CodeArray,
    run_starts: CodeArray,
    runs: CodeArray,
    some: IntArray,  # IN (block,) int64, sequences of b
    most: int,
    ends: IntArray,  # OUT (events · (most + 1) + 1,) int64, where the runs of an event and a length end
    owner: CodeArray,  # OUT (runs of the block,) int32, place of the sequence in the block
    first: CodeArray,  # OUT (runs of the block,) int32, where the run's positions start
) -> None:
    ends[:] = 0
    for place in range(some.size):
        for run in range(runs[some[place]], runs[some[place] + 1]):
            ends[run_events[run] * (most + 1) + run_starts[run + 1] - run_starts[run] + 1] += 1
    for key in range(ends.size - 1):
        ends[key + 1] += ends[key]
    # Filling moves every start to the place where the list ends.
    for place in range(some.size):
        for run in range(runs[some[place]], runs[some[place] + 1]):
            key = run_events[run] * (most + 1) + run_starts[run + 1] - run_starts[run]
            owner[ends[key]], first[ends[key]] = place, run_starts[run]
            ends[key] += 1


@exact_kernel
def _meet(
    positions: CodeArray,
    a0: int,
    a: int,
    b: int,
    b_start: int,
    owner: CodeArray,  # IN (t,) int32, sequences of the block in which the event happens b times
    first: CodeArray,  # IN (t,) int32
    cost: CodeArray,
    choice: CodeArray,
    counts: NDArray[np.uint8],  # IN/OUT (block, longest + 1) uint8, pairs by shift
    pairs: CodeArray,  # IN/OUT (block,) int32
) -> None:
    # Pair the run of one sequence with every run of the list; the cases are those of oss_owa, and none of them depends
    # on the run.
    f, width = min(a, b), abs(b - a) + 1
    here = positions[_at(a0)]
    if a == 1 and b == 1:
        for t in range(owner.size):
            place = _at(owner[_at(t)])
            counts[place, _at(abs(here - positions[_at(b_start + first[_at(t)])]))] += 1
            pairs[place] += 1
        return
    for t in range(owner.size):
        place, b0 = _at(owner[_at(t)]), b_start + first[_at(t)]
        pairs[place] += f
        f0, g0 = (a0, b0) if a < b else (b0, a0)
        if width == 1:
            for p in range(f):
                counts[place, _at(abs(positions[_at(f0 + p)] - positions[_at(g0 + p)]))] += 1
        elif f == 1:
            alone = positions[_at(f0)]
            shift = abs(alone - positions[_at(g0)])
            for p in range(g0 + 1, g0 + width):
                shift = min(shift, abs(alone - positions[_at(p)]))
            counts[place, _at(shift)] += 1
        else:
            for o in range(width):
                cost[_at(o)] = 0
            for p in range(f - 1, -1, -1):
                alone = positions[_at(f0 + p)]
                least, offset = np.int32(2**30), np.int32(0)
                for o in range(width - 1, -1, -1):
                    sum_here = cost[_at(o)] + abs(alone - positions[_at(g0 + p + o)])
                    lower = sum_here <= least
                    least = sum_here if lower else least
                    offset = np.int32(o) if lower else offset
                    cost[_at(o)] = least
                    choice[_at(p * width + o)] = offset
            o = 0
            for p in range(f):
                o = choice[_at(p * width + o)]
                counts[place, _at(abs(positions[_at(f0 + p)] - positions[_at(g0 + p + o)]))] += 1


@exact_kernel
def oss_owa_many(
    positions: CodeArray,  # IN as in oss_owa, as all that follows
    b_start: int,
    a_run_events: CodeArray,
    a_run_starts: CodeArray,
    a_runs: CodeArray,
    b_run_events: CodeArray,
    b_run_starts: CodeArray,
    b_runs: CodeArray,
    n_events: int,
    heights: FloatArray,
    height_starts: IntArray,
    most: int,
    longest: int,  # IN at most 255
    which: IntArray,
    among: IntArray,
    mode: int,  # IN ALL or TRIANGLE
) -> FloatArray:  # OUT (q · m,) float64, row by row; nothing of use below the diagonal for TRIANGLE
    """Compare sequences by d_OSS-OWA; formula and pairing are those of oss_owa."""
    q, m = which.size, among.size
    result = np.zeros(q * m)
    block = _SMALL_BLOCK if mode == TRIANGLE else _BLOCK
    counts = np.zeros((block, longest + 1), dtype=np.uint8)
    pairs = np.zeros(block, dtype=np.int32)
    lengths = np.empty(block, dtype=np.int32)
    ends = np.empty(n_events * (most + 1) + 1, dtype=np.int64)
    cost = np.empty(most + 1, dtype=np.int32)
    choice = np.empty((most + 2) * (most + 2) // 4 + 1, dtype=np.int32)
    for low in range(0, m, block):
        heed_stop()
        some = among[low : low + block]
        n_runs = 0
        for place in range(some.size):
            j = some[place]
            n_runs += b_runs[j + 1] - b_runs[j]
            lengths[place] = b_run_starts[b_runs[j + 1]] - b_run_starts[b_runs[j]]
        owner, first = np.empty(n_runs, dtype=np.int32), np.empty(n_runs, dtype=np.int32)
        _file(b_run_events, b_run_starts, b_runs, some, most, ends, owner, first)
        for row in range(q if mode != TRIANGLE else min(q, low + some.size)):
            i = which[row]
            n_a = a_run_starts[a_runs[i + 1]] - a_run_starts[a_runs[i]]
            for run in range(a_runs[i], a_runs[i + 1]):
                a0 = a_run_starts[run]
                a = a_run_starts[run + 1] - a0
                key = a_run_events[run] * (most + 1)
                for b in range(1, most + 1):
                    begin, end = ends[_at(key + b - 1)], ends[_at(key + b)]
                    if begin < end:
                        _meet(positions, a0, a, b, b_start, owner[begin:end], first[begin:end], cost, choice, counts,
                              pairs)  # fmt: skip
            for place in range(some.size):
                total = n_a + lengths[_at(place)]
                if total == 0:
                    continue
                start, matched = height_starts[_at(total)], pairs[_at(place)]
                pairs[_at(place)] = 0
                floor = heights[_at(start + matched)]
                layers, v = 0.0, 0
                below = np.int32(counts[_at(place), _at(0)])
                counts[_at(place), _at(0)] = 0
                while below < matched:
                    layers += heights[_at(start + below)] - floor
                    v += 1
                    below += np.int32(counts[_at(place), _at(v)])
                    counts[_at(place), _at(v)] = 0
                result[_at(row * m + low + place)] = floor + layers / total
    return result
