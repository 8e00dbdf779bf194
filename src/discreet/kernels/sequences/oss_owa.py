"""Event distances of two sequences and their ordered weighted average (d_OSS-OWA), and the plain sum (OSS).

Both see a sequence as runs: for every event that it holds, the positions at which it happens, in order. The first
sequence of a comparison is opened once, as a table from event to run, and every other sequence is read against it, so
that a pair costs no more than the runs of its second sequence and the pairs it forms.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["ALL", "PAIRED", "TRIANGLE", "mirror", "oss", "oss_owa"]

ALL, PAIRED, TRIANGLE = 0, 1, 2
"""Which pairs are compared: all, the i-th with the i-th, or every two of one collection once."""

# An index that is known not to be negative costs no test for counting from the end.
_at = np.uint64


@exact_kernel
def oss_owa(
    positions: CodeArray,  # IN (events of a and b,) int32, by collection, sequence, event, order
    b_start: int,  # IN where the positions of b start
    a_run_events: CodeArray,  # IN (runs of a,) int32, the event of each run
    a_run_starts: CodeArray,  # IN (runs of a + 1,) int32, where a run's positions start
    a_runs: CodeArray,  # IN (n_a + 1,) int32, where a sequence's runs start
    a_marks: IntArray,  # IN (n_a,) uint64, bit e mod 64 set for every event e
    b_run_events: CodeArray,  # IN the same for b; its runs count positions from b_start
    b_run_starts: CodeArray,
    b_runs: CodeArray,
    b_marks: IntArray,
    n_events: int,  # IN size of the alphabet
    heights: FloatArray,  # IN row N holds Q((N − 2p)/N) − Q(0) for p = 0 … N // 2
    height_starts: IntArray,  # IN (longest a + longest b + 1,) int64, where row N starts
    most: int,  # IN the largest number of times an event happens in a sequence
    longest: int,  # IN the length of the longest sequence
    which: IntArray,  # IN (q,) int64, sequences of a
    among: IntArray,  # IN (m,) int64, sequences of b; the same ones, in the same order, for TRIANGLE
    mode: int,  # IN ALL, PAIRED (m = q) or TRIANGLE (m = q)
) -> FloatArray:  # OUT (q · m,) float64, row by row, or (q,) where PAIRED; zeros below the diagonal for TRIANGLE
    """Compare sequences by d_OSS-OWA.

    With N = |s| + |r| events, p pairs in all and c(v) pairs shifted by less than v, the OWA of the event distances is
    Q((N − 2p)/N) + Σ_v [Q((N − 2c(v))/N) − Q((N − 2p)/N)] / N, the sum of the heights of its layers.

    An event that happens as often in both is paired first to first, second to second. Otherwise, with f positions here
    and g > f there: an optimal pairing need not cross, because uncrossing two pairs on a line never lengthens them. So
    the i-th of the few goes to place i + o of the many with o never falling, and cost[o] is the least total of the
    pairs i, i + 1, … with offsets of at least o. Going back from the last, a tie keeps the lower offset.
    """
    q, m = which.size, among.size
    result = np.zeros(q) if mode == PAIRED else np.zeros(q * m)
    home = np.full(n_events, -1, dtype=np.int32)
    count = np.zeros(longest + 1, dtype=np.int32)
    cost = np.empty(most + 1, dtype=np.int32)
    choice = np.empty((most + 2) * (most + 2) // 4 + 1, dtype=np.int32)
    nothing = np.uint64(0)
    for row in range(q):
        heed_stop()
        i = which[row]
        for run in range(a_runs[i], a_runs[i + 1]):
            home[a_run_events[run]] = run
        n_a = a_run_starts[a_runs[i + 1]] - a_run_starts[a_runs[i]]
        marks = a_marks[i]
        low, high = 0, m
        if mode == PAIRED:
            low, high = row, row + 1
        elif mode == TRIANGLE:
            low = row + 1
        for column in range(low, high):
            j = _at(among[column])
            r0, r1 = b_runs[j], b_runs[j + _at(1)]
            total = n_a + b_run_starts[_at(r1)] - b_run_starts[_at(r0)]
            if total == 0:
                continue
            pairs, widest = 0, 0
            for run in range(r0, r1 if marks & b_marks[j] != nothing else r0):
                other = home[_at(b_run_events[_at(run)])]
                if other < 0:
                    continue
                a0, b0 = a_run_starts[_at(other)], b_run_starts[_at(run)]
                a, b = a_run_starts[_at(other + 1)] - a0, b_run_starts[_at(run + 1)] - b0
                b0 += b_start
                pairs += min(a, b)
                if a == b:
                    for p in range(a):
                        shift = abs(positions[_at(a0 + p)] - positions[_at(b0 + p)])
                        count[_at(shift)] += 1
                        widest = max(widest, shift)
                    continue
                f0, f, g0, g = (a0, a, b0, b) if a < b else (b0, b, a0, a)
                if f == 1:
                    here = positions[_at(f0)]
                    shift = abs(here - positions[_at(g0)])
                    for p in range(g0 + 1, g0 + g):
                        further = abs(here - positions[_at(p)])
                        if further >= shift:
                            break  # positions rise, so from here on shifts only grow
                        shift = further
                    count[_at(shift)] += 1
                    widest = max(widest, shift)
                    continue
                width = g - f + 1
                for o in range(width):
                    cost[_at(o)] = 0
                for p in range(f - 1, -1, -1):
                    here = positions[_at(f0 + p)]
                    least, offset = np.int32(2**30), np.int32(0)
                    for o in range(width - 1, -1, -1):
                        sum_here = cost[_at(o)] + abs(here - positions[_at(g0 + p + o)])
                        lower = sum_here <= least
                        least = sum_here if lower else least
                        offset = np.int32(o) if lower else offset
                        cost[_at(o)] = least
                        choice[_at(p * width + o)] = offset
                o = 0
                for p in range(f):
                    o = choice[_at(p * width + o)]
                    shift = abs(positions[_at(f0 + p)] - positions[_at(g0 + p + o)])
                    count[_at(shift)] += 1
                    widest = max(widest, shift)
            start = height_starts[_at(total)]
            floor = heights[_at(start + pairs)]
            layers, below = 0.0, 0
            for v in range(widest):
                below += count[_at(v)]
                count[_at(v)] = 0
                layers += heights[_at(start + below)] - floor
            count[_at(widest)] = 0
            value = floor + layers / total
            result[_at(row if mode == PAIRED else row * m + column)] = value
        for run in range(a_runs[i], a_runs[i + 1]):
            home[a_run_events[run]] = -1
    return result


@exact_kernel
def mirror(
    square: FloatArray,  # IN OUT (n, n) float64, filled above the diagonal
) -> None:
    """Copy what is above the diagonal to below it, tile by tile, so that both ends stay in the cache."""
    n = square.shape[0]
    for i0 in range(0, n, 64):
        for j0 in range(i0, n, 64):
            for i in range(i0, min(i0 + 64, n)):
                for j in range(max(j0, i + 1), min(j0 + 64, n)):
                    square[j, i] = square[i, j]


@exact_kernel
def oss(
    a_positions: CodeArray,  # IN as above
    a_run_events: CodeArray,
    a_run_starts: CodeArray,
    a_runs: CodeArray,
    b_positions: CodeArray,
    b_run_events: CodeArray,
    b_run_starts: CodeArray,
    b_runs: CodeArray,
    n_events: int,
    which: IntArray,
    among: IntArray,
    paired: bool,
) -> FloatArray:  # OUT as above
    """Compare sequences by OSS: unpaired events and the shifts, in units of the longer length, over all events."""
    q, m = which.size, among.size
    result = np.empty(q if paired else q * m)
    home = np.full(n_events, -1, dtype=np.int64)
    t = 0
    for row in range(q):
        heed_stop()
        i = which[row]
        for run in range(a_runs[i], a_runs[i + 1]):
            home[a_run_events[run]] = run
        n_a = a_run_starts[a_runs[i + 1]] - a_run_starts[a_runs[i]]
        low, high = (row, row + 1) if paired else (0, m)
        for column in range(low, high):
            j = among[column]
            n_b = b_run_starts[b_runs[j + 1]] - b_run_starts[b_runs[j]]
            pairs, moved = 0, 0
            for run in range(b_runs[j], b_runs[j + 1]):
                other = home[b_run_events[run]]
                if other < 0:
                    continue
                a0, b0 = a_run_starts[other], b_run_starts[run]
                both = min(a_run_starts[other + 1] - a0, b_run_starts[run + 1] - b0)
                for p in range(both):
                    moved += abs(a_positions[a0 + p] - b_positions[b0 + p])
                pairs += both
            total = n_a + n_b
            result[t] = (moved / max(n_a, n_b) + (total - 2 * pairs)) / total if total > 0 else 0.0
            t += 1
        for run in range(a_runs[i], a_runs[i + 1]):
            home[a_run_events[run]] = -1
    return result
