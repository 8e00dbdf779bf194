"""Groups that are distributed as the whole file: distances of distributions, and exchanges that make them smaller."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["distribution_distance", "exchange_members"]


@exact_kernel
def distribution_distance(
    counts: IntArray,  # IN (m,) int64, how many members of the group have each value
    size: int,  # IN how many members there are
    shares: FloatArray,  # IN (m,) float64, of every value in the whole file
    ordered: bool,  # IN whether values are as far apart as their places; otherwise all alike
) -> float:
    """Earth mover's distance of a group from the whole, between 0 and 1."""
    total = 0.0
    if ordered:
        ahead = 0.0
        for value in range(shares.size - 1):
            ahead += counts[value] / size - shares[value]
            total += abs(ahead)
        return total / max(shares.size - 1, 1)
    for value in range(shares.size):
        total += abs(counts[value] / size - shares[value])
    return total / 2


@exact_kernel
def exchange_members(
    members: IntArray,  # IN/OUT (k,) int64, the records of the group
    candidates: IntArray,  # IN (c,) int64, other free records, the nearest first
    codes: IntArray,  # IN (n,) int64, the confidential value of every record
    shares: FloatArray,  # IN (m,) float64
    ordered: bool,
    t: float,
) -> None:
    """Exchange a member for the next candidate where that brings the group nearer to the whole, until it is in t."""
    counts = np.zeros(shares.size, dtype=np.int64)
    for i in range(members.size):
        counts[codes[members[i]]] += 1
    distance = distribution_distance(counts, members.size, shares, ordered)
    for c in range(candidates.size):
        heed_stop()
        if distance <= t:
            return
        arriving = codes[candidates[c]]
        best, place = distance, -1
        for i in range(members.size):
            leaving = codes[members[i]]
            if leaving == arriving:
                continue
            counts[leaving] -= 1
            counts[arriving] += 1
            value = distribution_distance(counts, members.size, shares, ordered)
            counts[leaving] += 1
            counts[arriving] -= 1
            if value < best:
                best, place = value, i
        if place >= 0:
            counts[codes[members[place]]] -= 1
            counts[arriving] += 1
            members[place] = candidates[c]
            distance = best
