"""Aggregation on positions of levels, many groups at once.

The distribution of a group is kept only between its lowest and its highest code, so that the cost of a group is its
size plus the span of its codes, whatever the size of the scale. The spans of all groups lie one after the other in one
flat array, where `starts` says where each begins; a quantifier is applied to that array by the caller.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = [
    "cumulate_levels",
    "cumulate_within",
    "first_above",
    "largest_step",
    "linguistic_means",
    "means_on_chain",
    "order_within",
    "upper_set_measures",
]

# Shares this close are equal. With whole weights below 5e11 in total the comparisons are those of exact integers.
_SLACK = 1e-12
# Above this size a counting sort beats insertion.
_SMALL = 32


@exact_kernel
def cumulate_levels(
    values: CodeArray,  # IN (n,) int32
    offsets: IntArray,  # IN (g + 1,) int64
    weights: FloatArray,  # IN (n,) float64
    convex: bool,  # IN fill valleys before cumulating
    lows: CodeArray,  # IN (g,) int32, lowest code of each group
    starts: IntArray,  # IN (g + 1,) int64, first entry of each group in cumulated
    cumulated: FloatArray,  # OUT (starts[-1],) float64, weight at or below each level
) -> None:
    """Cumulate each group's weights over its levels, ascending."""
    for g in range(lows.size):
        first, last = starts[g], starts[g + 1]
        for i in range(first, last):
            cumulated[i] = 0.0
        for i in range(offsets[g], offsets[g + 1]):
            cumulated[first + values[i] - lows[g]] += weights[i]
        if convex:
            # Left of the peak the right-hand maximum is the peak itself, so min(prefix max, suffix max) is the
            # prefix maximum there, and the suffix maximum right of it.
            peak = first
            for i in range(first + 1, last):
                if cumulated[i] > cumulated[peak]:
                    peak = i
            for i in range(first + 1, peak):
                cumulated[i] = max(cumulated[i], cumulated[i - 1])
            for i in range(last - 2, peak, -1):
                cumulated[i] = max(cumulated[i], cumulated[i + 1])
        for i in range(first + 1, last):
            cumulated[i] += cumulated[i - 1]


@exact_kernel
def first_above(
    cumulated: FloatArray,  # IN (starts[-1],) float64
    starts: IntArray,  # IN (g + 1,) int64
    lows: CodeArray,  # IN (g,) int32
    shares: FloatArray,  # IN (g,) float64, in [0, 1]
    out: CodeArray,  # OUT (g,) int32
) -> None:
    """Give each group its first level whose cumulated share exceeds the wanted one; the last level where none does."""
    for g in range(lows.size):
        first, last = starts[g], starts[g + 1]
        total = cumulated[last - 1]
        threshold = shares[g] * total + _SLACK * total
        i = first
        while i < last - 1 and not cumulated[i] > threshold:
            i += 1
        out[g] = lows[g] + (i - first)


@exact_kernel
def largest_step(
    cumulated: FloatArray,  # IN (starts[-1],) float64
    starts: IntArray,  # IN (g + 1,) int64
    lows: CodeArray,  # IN (g,) int32
    out: CodeArray,  # OUT (g,) int32
) -> None:
    """Give each group the level at which the cumulated weight rises most; the lowest of equals."""
    for g in range(lows.size):
        first, last = starts[g], starts[g + 1]
        slack = _SLACK * cumulated[last - 1]
        best, place = cumulated[first], first
        for i in range(first + 1, last):
            step = cumulated[i] - cumulated[i - 1]
            if step > best + slack:
                best, place = step, i
        out[g] = lows[g] + (place - first)


@exact_kernel
def order_within(
    values: CodeArray,  # IN (n,) int32
    offsets: IntArray,  # IN (g + 1,) int64
    counts: IntArray,  # BUFFER (largest code + 2,) int64
    order: IntArray,  # OUT (n,) int64, positions in values, ascending within each group, equal values in order
) -> None:
    """Sort every group: insertion for small ones, counting for large ones; both stable."""
    for g in range(offsets.size - 1):
        first, last = offsets[g], offsets[g + 1]
        if last - first <= _SMALL:
            for i in range(first, last):
                j = i
                while j > first and values[order[j - 1]] > values[i]:
                    order[j] = order[j - 1]
                    j -= 1
                order[j] = i
        else:
            low, high = values[first], values[first]
            for i in range(first, last):
                low, high = min(low, values[i]), max(high, values[i])
            for code in range(low, high + 2):
                counts[code] = 0
            for i in range(first, last):
                counts[values[i] + 1] += 1
            counts[low] = first
            for code in range(low + 1, high + 2):
                counts[code] += counts[code - 1]
            for i in range(first, last):
                order[counts[values[i]]] = i
                counts[values[i]] += 1


@exact_kernel
def cumulate_within(
    order: IntArray,  # IN (n,) int64
    offsets: IntArray,  # IN (g + 1,) int64
    weights: FloatArray,  # IN (n,) float64
    out: FloatArray,  # OUT (n,) float64, by place in the order
) -> None:
    """Cumulate weights in the order of each group, starting every group at zero: no cancellation between groups."""
    for g in range(offsets.size - 1):
        running = 0.0
        for i in range(offsets[g], offsets[g + 1]):
            running += weights[order[i]]
            out[i] = running


@exact_kernel
def upper_set_measures(
    order: IntArray,  # IN (n,) int64, n a multiple of arity
    arity: int,  # IN sources in every group
    measure: IntArray,  # IN (2 ** arity,) int64, bit s of an index is source s
    chain: IntArray,  # OUT (n,) int64, measure of the sources from this one upwards in the order of the group
) -> None:
    """Measure the sets of sources that lie above each value, as fuzzy integrals need them."""
    for first in range(0, order.size, arity):
        members = 0
        for i in range(first + arity - 1, first - 1, -1):
            members |= 1 << (order[i] - first)
            chain[i] = measure[members]


@exact_kernel
def linguistic_means(
    values: CodeArray,  # IN (n,) int32, descending within each group
    offsets: IntArray,  # IN (g + 1,) int64
    weights: FloatArray,  # IN (n,) float64, weight of each rank, largest value first
    out: CodeArray,  # OUT (g,) int32
) -> None:
    """Combine labels pairwise from the smallest upwards, rounding to the nearest label after every step."""
    for g in range(out.size):
        last = offsets[g + 1] - 1
        label, rest = values[last], weights[last]
        for i in range(last - 1, offsets[g] - 1, -1):
            rest += weights[i]
            if rest > 0.0:
                gap = weights[i] / rest * (values[i] - label)
                label += np.int32(math.floor(gap + 0.5 + _SLACK))
        out[g] = label


@exact_kernel
def _add(
    sequence: CodeArray,  # IN OUT (m,) int32, descending, zeros at its end
    label: int,  # IN
    tnorm: CodeArray,  # IN (r + 1, r + 1) int32
    tconorm: CodeArray,  # IN (r + 1, r + 1) int32
) -> None:
    """Add one label to a number of the extended scale: the t-conorm stays, the t-norm is carried on."""
    i = 0
    while label > 0 and i < sequence.size:
        digit = sequence[i]
        sequence[i] = tconorm[digit, label]
        label = tnorm[digit, label]
        i += 1


@exact_kernel
def means_on_chain(
    values: CodeArray,  # IN (n,) int32, ascending within each group
    offsets: IntArray,  # IN (g + 1,) int64
    counts: IntArray,  # IN (n,) int64, whole weights
    tnorm: CodeArray,  # IN (r + 1, r + 1) int32
    tconorm: CodeArray,  # IN (r + 1, r + 1) int32
    upwards: bool,  # IN round up
    total: CodeArray,  # BUFFER (m,) int32, m the largest sum of counts of a group
    multiples: CodeArray,  # BUFFER (r + 1, m) int32
    made: IntArray,  # BUFFER (r + 1,) int64, zeros: the size for which a row of multiples was made
    out: CodeArray,  # OUT (g,) int32
) -> None:
    """Divide the sum of each group by its number: the largest label whose multiple stays within the sum.

    Rounding up, it is the smallest label whose multiple reaches the sum.
    """
    step = -1 if upwards else 1
    for g in range(out.size):
        size = 0
        for i in range(offsets[g], offsets[g + 1]):
            size += counts[i]
        total[:size] = 0
        low, high = values[offsets[g + 1] - 1], values[offsets[g]]
        for i in range(offsets[g + 1] - 1, offsets[g] - 1, -1):
            if counts[i] > 0:
                low, high = min(low, values[i]), max(high, values[i])
            for _ in range(counts[i]):
                _add(total[:size], values[i], tnorm, tconorm)
        label, end = (high, low) if upwards else (low, high)
        while label != end:
            candidate = label + step
            multiple = multiples[candidate]
            # Groups of one size follow each other more often than not: a multiple is made once for all of them.
            if made[candidate] != size:
                multiple[:size] = 0
                for _ in range(size):
                    _add(multiple[:size], candidate, tnorm, tconorm)
                made[candidate] = size
            i = 0
            while i < size and step * multiple[i] <= step * total[i]:
                i += 1
            if i < size:
                break
            label = candidate
        out[g] = label
