"""Numeric aggregation of many groups at once.

Groups lie one after another: group ``g`` is ``[offsets[g], offsets[g + 1])``. Every sum runs in one order and is
clamped to the range of its group, so that a mean of equal numbers is that number to the last bit.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import PlainTwin, exact_kernel
from discreet.typing import FloatArray, IntArray

__all__ = [
    "accumulate_shares",
    "choquet_groups",
    "mean_by_label",
    "mean_groups",
    "measure_chains",
    "order_groups_down",
    "squares_within",
    "sugeno_groups",
    "weighted_mean_groups",
]

# Below this length a run is sorted by insertion: for groups of 3 to 10, the usual ones, nothing else is touched.
_RUN = 16


@exact_kernel
def order_groups_down(
    values: FloatArray,  # IN (n,) float64
    offsets: IntArray,  # IN (groups + 1,) int64
    buffer: IntArray,  # IN (largest group,) int64, scratch
    order: IntArray,  # OUT (n,) int64: positions in `values`, largest value first, ties by position
) -> None:
    """Sort each group downwards: insertion on short runs, then stable merges of neighbouring runs."""
    for group in range(offsets.size - 1):
        low = offsets[group]
        high = offsets[group + 1]
        for start in range(low, high, _RUN):
            stop = min(start + _RUN, high)
            for position in range(start, stop):
                value = values[position]
                slot = position
                while slot > start and values[order[slot - 1]] < value:
                    order[slot] = order[slot - 1]
                    slot -= 1
                order[slot] = position
        width = _RUN
        while width < high - low:
            for start in range(low, high - width, 2 * width):
                middle = start + width
                stop = min(middle + width, high)
                for position in range(start, middle):
                    buffer[position - start] = order[position]
                left = 0
                right = middle
                slot = start
                # The right run is read ahead of the slot being written, so only the left one needs a copy.
                while left < width:
                    if right < stop and values[order[right]] > values[buffer[left]]:
                        order[slot] = order[right]
                        right += 1
                    else:
                        order[slot] = buffer[left]
                        left += 1
                    slot += 1
            width *= 2


@exact_kernel
def _mean_groups(
    values: FloatArray,  # IN (n,) float64
    offsets: IntArray,  # IN (groups + 1,) int64
    out: FloatArray,  # OUT (groups,) float64
) -> None:
    """Arithmetic mean of each group."""
    for group in range(offsets.size - 1):
        low = values[offsets[group]]
        high = low
        total = 0.0
        for position in range(offsets[group], offsets[group + 1]):
            value = values[position]
            total += value
            low = min(low, value)
            high = max(high, value)
        mean = total / (offsets[group + 1] - offsets[group])
        out[group] = min(max(mean, low), high)


_TWIN = PlainTwin(1e6, _mean_groups)


def mean_groups(values: FloatArray, offsets: IntArray, out: FloatArray) -> None:
    """Arithmetic mean of each group."""
    # IN  values (n,) float64; offsets (groups + 1,) int64
    # OUT out (groups,) float64
    starts, sizes = offsets[:-1], np.diff(offsets)
    largest = int(sizes.max(initial=0))
    if sizes.min(initial=1) < 1 or not _TWIN.takes(values.size + 20.0 * largest):
        _mean_groups(values, offsets, out)
        return
    out[:] = 0.0
    for place in range(largest):
        # The next number of every group that has one: in each the sum runs from first to last.
        open_groups = np.flatnonzero(sizes > place)
        out[open_groups] += values[starts[open_groups] + place]
    out /= sizes
    if sizes.size:
        np.maximum(out, np.minimum.reduceat(values, starts), out=out)
        np.minimum(out, np.maximum.reduceat(values, starts), out=out)


@exact_kernel
def mean_by_label(
    values: FloatArray,  # IN (n,) float64
    labels: IntArray,  # IN (n,) int64, at most groups − 1
    sums: FloatArray,  # IN (groups, 4) float64, zeros: what is there of a group, its sum, least and largest value
    out: FloatArray,  # OUT (groups,) float64
) -> bool:
    """Arithmetic mean of each label, summed as :func:`mean_groups` does: a group's values from first to last.

    Returns whether it can be said: all labels are used and none is negative, all values finite.
    """
    for group in range(out.size):
        sums[group, 2], sums[group, 3] = np.inf, -np.inf
    for i in range(values.size):
        value, label = values[i], labels[i]
        if label < 0 or not np.isfinite(value):
            return False
        sums[label, 0] += 1.0
        sums[label, 1] += value
        sums[label, 2] = min(sums[label, 2], value)
        sums[label, 3] = max(sums[label, 3], value)
    for group in range(out.size):
        if sums[group, 0] == 0.0:
            return False
        mean = sums[group, 1] / sums[group, 0]
        out[group] = min(max(mean, sums[group, 2]), sums[group, 3])
    return True


@exact_kernel
def squares_within(
    values: FloatArray,  # IN (n,) float64, finite
    labels: IntArray,  # IN (n,) int64, 0 … groups − 1
    sums: FloatArray,  # IN (groups, 2) float64, zeros: scratch
    out: FloatArray,  # OUT (n,) float64
) -> None:
    """Squared deviation of every value from the mean of its label, which is summed from first to last."""
    for i in range(values.size):
        sums[labels[i], 0] += 1.0
        sums[labels[i], 1] += values[i]
    for group in range(len(sums)):
        sums[group, 1] /= max(sums[group, 0], 1.0)
    for i in range(values.size):
        deviation = values[i] - sums[labels[i], 1]
        out[i] = deviation * deviation


@exact_kernel
def weighted_mean_groups(
    values: FloatArray,  # IN (n,) float64
    weights: FloatArray,  # IN (n,) float64, each group with a positive sum
    offsets: IntArray,  # IN (groups + 1,) int64
    out: FloatArray,  # OUT (groups,) float64
) -> None:
    """Weighted mean of each group; the weights of a group need not sum to one."""
    for group in range(offsets.size - 1):
        low = values[offsets[group]]
        high = low
        total = 0.0
        weight = 0.0
        for position in range(offsets[group], offsets[group + 1]):
            value = values[position]
            total += weights[position] * value
            weight += weights[position]
            low = min(low, value)
            high = max(high, value)
        out[group] = min(max(total / weight, low), high)


@exact_kernel
def accumulate_shares(
    weights: FloatArray,  # IN (n,) float64, each group with a positive sum
    order: IntArray,  # IN (n,) int64
    offsets: IntArray,  # IN (groups + 1,) int64
    out: FloatArray,  # OUT (n,) float64: share of the group's weight up to each place in the order
) -> None:
    """Cumulate weights along the order; the last share of a group is exactly 1."""
    for group in range(offsets.size - 1):
        total = 0.0
        for position in range(offsets[group], offsets[group + 1]):
            total += weights[order[position]]
            out[position] = total
        for position in range(offsets[group], offsets[group + 1]):
            out[position] = out[position] / total


@exact_kernel
def measure_chains(
    order: IntArray,  # IN (n,) int64
    offsets: IntArray,  # IN (groups + 1,) int64, groups of equal size
    measure: FloatArray,  # IN (2 ** size,) float64, indexed by subset bits
    out: FloatArray,  # OUT (n,) float64: measure of the sources up to each place in the order
) -> None:
    """Measure the growing chain of sources that each group's order visits."""
    for group in range(offsets.size - 1):
        subset = 0
        for position in range(offsets[group], offsets[group + 1]):
            subset |= 1 << (order[position] - offsets[group])
            out[position] = measure[subset]


@exact_kernel
def choquet_groups(
    values: FloatArray,  # IN (n,) float64
    order: IntArray,  # IN (n,) int64
    heights: FloatArray,  # IN float64: non-decreasing heights, one run a group
    starts: IntArray,  # IN (groups,) int64: where a group's run of heights begins
    offsets: IntArray,  # IN (groups + 1,) int64
    floor: float,  # IN height of the empty set
    clamped: bool,  # IN whether heights run from 0 to 1, so that the result must lie in the group's range
    out: FloatArray,  # OUT (groups,) float64
) -> None:
    """Sum values downwards, each with the step that the height takes there."""
    for group in range(offsets.size - 1):
        low = offsets[group]
        high = offsets[group + 1]
        total = 0.0
        below = floor
        for position in range(low, high):
            height = heights[starts[group] + position - low]
            total += (height - below) * values[order[position]]
            below = height
        if clamped:
            total = min(max(total, values[order[high - 1]]), values[order[low]])
        out[group] = total


@exact_kernel
def sugeno_groups(
    values: FloatArray,  # IN (n,) float64
    order: IntArray,  # IN (n,) int64
    heights: FloatArray,  # IN float64: non-decreasing heights, one run a group
    starts: IntArray,  # IN (groups,) int64: where a group's run of heights begins
    offsets: IntArray,  # IN (groups + 1,) int64
    out: FloatArray,  # OUT (groups,) float64
) -> None:
    """Largest of the minima between a value and the height at its place."""
    for group in range(offsets.size - 1):
        low = offsets[group]
        best = min(heights[starts[group]], values[order[low]])
        for position in range(low + 1, offsets[group + 1]):
            height = heights[starts[group] + position - low]
            best = max(best, min(height, values[order[position]]))
        out[group] = best
