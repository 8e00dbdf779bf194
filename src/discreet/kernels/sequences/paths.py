"""How far apart two trajectories are, and where somebody was at a time.

A point has a time and a place in three coordinates: a plane leaves the third 0, a globe has its centre at the origin.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["EDR", "FRECHET", "HAUSDORFF", "aligned_paths", "places_at", "synchronous_paths"]

HAUSDORFF, FRECHET, EDR = 0, 1, 2


@exact_kernel
def _apart(a: FloatArray, i: int, b: FloatArray, j: int, radius: float) -> float:
    x, y, z = a[i, 0] - b[j, 0], a[i, 1] - b[j, 1], a[i, 2] - b[j, 2]
    chord: float = np.sqrt(x * x + y * y + z * z)
    if radius == 0.0:
        return chord
    arc: float = 2.0 * radius * np.arcsin(min(chord / (2.0 * radius), 1.0))
    return arc


@exact_kernel
def _first_from(times: FloatArray, low: int, high: int, t: float) -> int:
    while low < high:
        middle = (low + high) // 2
        if times[middle] < t:
            low = middle + 1
        else:
            high = middle
    return low


@exact_kernel
def _one_way(
    a_times: FloatArray,
    a_points: FloatArray,
    a0: int,
    a1: int,
    b_times: FloatArray,
    b_points: FloatArray,
    b0: int,
    b1: int,
    span: float,
    radius: float,
    place: FloatArray,
) -> float:
    # The sum over the points of a of how far b was at that time; 1 where b was nowhere yet, or no longer.
    total, rank, at = 0.0, 0, b0
    for i in range(a0, a1):
        t = a_times[i]
        rank = rank + 1 if i > a0 and a_times[i - 1] == t else 0
        # Times rise in both, so that the first point of b from t on is never before that of an earlier t.
        while at < b1 and b_times[at] < t:
            at += 1
        if at == b1 or (b_times[at] > t and at == b0):
            total += 1.0
            continue
        if b_times[at] == t:
            # Of several points of one time, the first meets the first: equal trajectories are at distance 0.
            other = at
            while other - at < rank and other + 1 < b1 and b_times[other + 1] == t:
                other += 1
            far = _apart(a_points, i, b_points, other, radius)
        else:
            share = (t - b_times[at - 1]) / (b_times[at] - b_times[at - 1])
            for d in range(3):
                place[0, d] = b_points[at - 1, d] + share * (b_points[at, d] - b_points[at - 1, d])
            far = _apart(a_points, i, place, 0, radius)
        total += far / (far + span)
    return total


@exact_kernel
def synchronous_paths(
    a_times: FloatArray,  # IN (points of a,) float64, ascending within a trajectory
    a_points: FloatArray,  # IN (points of a, 3) float64
    a_offsets: IntArray,  # IN (n_a + 1,) int64
    b_times: FloatArray,  # IN as of a
    b_points: FloatArray,
    b_offsets: IntArray,
    which: IntArray,  # IN (q,) int64, trajectories of a
    among: IntArray,  # IN (m,) int64, trajectories of b; m = q where paired
    paired: bool,  # IN whether the i-th of which meets the i-th of among only
    span: float,  # IN the distance at which two places are half as far apart as can be
    radius: float,  # IN that of the globe, 0 on a plane
) -> FloatArray:  # OUT (q · m,) float64, row by row, or (q,) where paired
    """Mean over the points of both of how far the other was at that time: O(points) a pair."""
    q, m = which.size, among.size
    result = np.empty(q if paired else q * m)
    place = np.empty((1, 3))
    t = 0
    for row in range(q):
        heed_stop()
        a0, a1 = a_offsets[which[row]], a_offsets[which[row] + 1]
        low, high = (row, row + 1) if paired else (0, m)
        for column in range(low, high):
            b0, b1 = b_offsets[among[column]], b_offsets[among[column] + 1]
            there = _one_way(a_times, a_points, a0, a1, b_times, b_points, b0, b1, span, radius, place)
            back = _one_way(b_times, b_points, b0, b1, a_times, a_points, a0, a1, span, radius, place)
            result[t] = (there + back) / max(a1 - a0 + b1 - b0, 1)
            t += 1
    return result


@exact_kernel
def aligned_paths(
    a_points: FloatArray,  # IN as above
    a_offsets: IntArray,
    b_points: FloatArray,
    b_offsets: IntArray,
    which: IntArray,
    among: IntArray,
    paired: bool,
    span: float,
    radius: float,
    kind: int,  # IN HAUSDORFF, FRECHET or EDR
    tolerance: float,  # IN of EDR, up to which two places are the same
    longest: int,  # IN the most points of a trajectory of b
) -> FloatArray:  # OUT as above
    """Compare paths without their times: O(points²) a pair, O(points) memory."""
    q, m = which.size, among.size
    result = np.empty(q if paired else q * m)
    lines = np.empty((2, longest + 1))
    t = 0
    for row in range(q):
        heed_stop()
        a0, a1 = a_offsets[which[row]], a_offsets[which[row] + 1]
        low, high = (row, row + 1) if paired else (0, m)
        for column in range(low, high):
            b0, b1 = b_offsets[among[column]], b_offsets[among[column] + 1]
            n, r = a1 - a0, b1 - b0
            if n == 0 or r == 0:
                result[t] = 1.0 if max(n, r) > 0 else 0.0
                t += 1
                continue
            if kind == HAUSDORFF:
                most = 0.0
                for p in range(r):
                    lines[0, p] = np.inf
                for i in range(n):
                    nearest = np.inf
                    for p in range(r):
                        far = _apart(a_points, a0 + i, b_points, b0 + p, radius)
                        nearest = min(nearest, far)
                        lines[0, p] = min(lines[0, p], far)
                    most = max(most, nearest)
                for p in range(r):
                    most = max(most, lines[0, p])
                result[t] = most / (most + span)
            elif kind == FRECHET:
                for i in range(n):
                    before, now = lines[(i + 1) % 2], lines[i % 2]
                    for p in range(r):
                        far = _apart(a_points, a0 + i, b_points, b0 + p, radius)
                        reach = np.inf
                        if i == 0 and p == 0:
                            reach = 0.0
                        if i > 0:
                            reach = min(reach, before[p])
                        if p > 0:
                            reach = min(reach, now[p - 1])
                        if i > 0 and p > 0:
                            reach = min(reach, before[p - 1])
                        now[p] = max(reach, far)
                most = lines[(n - 1) % 2, r - 1]
                result[t] = most / (most + span)
            else:
                for p in range(r + 1):
                    lines[0, p] = p
                for i in range(1, n + 1):
                    before, now = lines[(i + 1) % 2], lines[i % 2]
                    now[0] = i
                    for p in range(1, r + 1):
                        far = _apart(a_points, a0 + i - 1, b_points, b0 + p - 1, radius)
                        swap = before[p - 1] + (0.0 if far <= tolerance else 1.0)
                        now[p] = min(swap, before[p] + 1.0, now[p - 1] + 1.0)
                result[t] = lines[n % 2, r] / max(n, r)
            t += 1
    return result


@exact_kernel
def places_at(
    times: FloatArray,  # IN (points,) float64, ascending within a trajectory
    points: FloatArray,  # IN (points, 3) float64
    offsets: IntArray,  # IN (n + 1,) int64
    which: IntArray,  # IN (q,) int64, a trajectory
    moments: FloatArray,  # IN (q,) float64, a time
) -> FloatArray:  # OUT (q, 3) float64
    """Say where somebody was at a time: between two points on the line, before the first and after the last there.

    A trajectory without points is nowhere: NaN.
    """
    result = np.empty((which.size, 3))
    for row in range(which.size):
        heed_stop()
        start, stop, t = offsets[which[row]], offsets[which[row] + 1], moments[row]
        if start == stop:
            result[row] = np.nan
            continue
        at = _first_from(times, start, stop, t)
        if at == stop:
            result[row] = points[stop - 1]
        elif at == start or times[at] == t:
            result[row] = points[at]
        else:
            share = (t - times[at - 1]) / (times[at] - times[at - 1])
            for d in range(3):
                result[row, d] = points[at - 1, d] + share * (points[at, d] - points[at - 1, d])
    return result
