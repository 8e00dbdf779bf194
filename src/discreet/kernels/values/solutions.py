"""Whole-number solutions of one weighted sum for every group: what an exact mean tells about its members."""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["MOST_MEMBERS", "least_solutions"]

MOST_MEMBERS = 8
"""Members of the largest group that is solved."""
# Combinations of half a group that are held at a time.
_MOST = 8192


@exact_kernel
def least_solutions(
    weights: FloatArray,  # IN (n,) float64, one group after another
    offsets: IntArray,  # IN (groups + 1,) int64
    sums: FloatArray,  # IN (groups,) float64: the wanted sum of weight times step
    slack: FloatArray,  # IN (groups,) float64: how far a sum may be off
    steps: IntArray,  # OUT (n,) int64: the solution with the least sum of squares, 0 where there is none
    found: IntArray,  # OUT (groups,) int64: 0 without a solution, 1 with one that is least, 2 where several tie
) -> None:
    """Solve Σ w · step = sum over whole steps, group by group, least squares first.

    Half of a group's combinations are sorted by their sum and the other half looked up in them, in boxes that grow
    until no solution outside could be less, or half a group has more than 8,192 combinations.
    """
    half = np.empty(_MOST)
    for group in range(offsets.size - 1):
        heed_stop()
        low = offsets[group]
        members = offsets[group + 1] - low
        found[group] = 0
        for position in range(low, offsets[group + 1]):
            steps[position] = 0
        if members < 2 or members > MOST_MEMBERS:
            continue
        first = members // 2
        second = members - first
        best = np.inf
        radius = 1
        while True:
            side = 2 * radius + 1
            count = side**second
            if count > _MOST:
                break
            for combination in range(count):
                rest = combination
                total = 0.0
                for place in range(second):
                    total += weights[low + first + place] * (rest % side - radius)
                    rest //= side
                half[combination] = total
            order = np.argsort(half[:count])
            best = np.inf
            found[group] = 0
            for combination in range(side**first):
                rest = combination
                total = 0.0
                norm = 0.0
                for place in range(first):
                    step = rest % side - radius
                    total += weights[low + place] * step
                    norm += step * step
                    rest //= side
                if norm > best:
                    continue
                remainder = sums[group] - total
                left = 0
                right = count
                while left < right:
                    middle = (left + right) // 2
                    if half[order[middle]] < remainder - slack[group]:
                        left = middle + 1
                    else:
                        right = middle
                while left < count and half[order[left]] <= remainder + slack[group]:
                    rest = order[left]
                    whole = norm
                    for _ in range(second):
                        step = rest % side - radius
                        whole += step * step
                        rest //= side
                    if whole < best:
                        best = whole
                        found[group] = 1
                        rest = combination
                        for place in range(first):
                            steps[low + place] = rest % side - radius
                            rest //= side
                        rest = order[left]
                        for place in range(second):
                            steps[low + first + place] = rest % side - radius
                            rest //= side
                    elif whole == best:
                        found[group] = 2
                    left += 1
            if best < (radius + 1) ** 2:
                break
            radius *= 2
