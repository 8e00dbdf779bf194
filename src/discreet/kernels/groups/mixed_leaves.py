"""Records of levels and numbers in small leaves, for the smallest and the largest of a sum over attributes.

A distance from a record, and a sum of distances from all records, are both a sum over attributes: of a weight that the
attribute's level has, and of β + α|x − t| for a number x, or γ where it is missing. Levels stand in an order in which
like ones are neighbours, so a leaf has a range of them in every attribute. For one question, the least or the largest
weight of every range is tabulated once; then what nothing in a leaf can fall below, or exceed, costs as much as one
record. Sixteen leaves form a bundle.

Sums are taken in the order of the attributes, for records as for leaves. Rounding is monotone, so a bound needs no room
for it, and every tie is the one of the plain definition.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.groups.shrinking_blocks import select
from discreet.kernels.jit import exact_kernel, lean_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray

__all__ = [
    "BEST_FIRST",
    "WIDTH",
    "LeafSearch",
    "Leaves",
    "ShortCodes",
    "build_leaves",
    "find_nearest",
    "open_bundle",
    "question_for",
    "short_codes",
    "take_record",
    "weigh_ranges",
]

WIDTH = 16
# Most ranges of levels begin, and end, at so many places of an attribute.
MOST_BINS = 32
_MOST_SHORT = 2**15  # codes that fit into two bytes
# Bundles looked at in the order of their bounds before the rest is swept.
BEST_FIRST = 8

ShortCodes: TypeAlias = NDArray[np.int16 | np.int32]
Bins: TypeAlias = NDArray[np.int8]


class Leaves(NamedTuple):
    """The arrays of one build; B bundles, W = 16, q attributes with levels, p with numbers."""

    records: IntArray  # (B·W, W) the record in each place, −1 where none
    place: IntArray  # (n,) position of a record in the flat ``records``
    codes: ShortCodes  # (B·W, q, W) levels, counted on over all attributes
    bins: Bins  # (B·W, q, W) places of levels in the order of an attribute's
    numbers: FloatArray  # (B·W, p, W)
    starts: IntArray  # (q + 1,) where the ranges of each attribute begin; the one from f to l is the f·n_bins + l th
    n_bins: IntArray  # (q,)
    bin_of: IntArray  # (levels,) the bin that each level is in
    alive: IntArray  # (B, W) records left in each leaf
    cells: ShortCodes  # (B, q, W) range of the levels in a leaf
    low: FloatArray  # (B, p, W) least number; 0 where none is present
    high: FloatArray  # (B, p, W) largest number
    lacks: BoolArray  # (B, p, W) whether one is missing
    bundle_alive: IntArray  # (B,)
    bundle_cells: ShortCodes  # (q, B)
    bundle_low: FloatArray  # (p, B)
    bundle_high: FloatArray  # (p, B)
    bundle_lacks: BoolArray  # (p, B)
    stale: BoolArray  # (B, W) whether a record has left since a caller last looked at a leaf


class LeafSearch(NamedTuple):
    """What to sum over attributes, and room for the search; levels and ranges of all attributes counted on."""

    weights: FloatArray  # (levels,)
    alpha: FloatArray  # (p,)
    beta: FloatArray  # (p,)
    gamma: FloatArray  # (p,)
    target: FloatArray  # (p,)
    ranges: FloatArray  # (ranges,) least, or largest, weight of each range
    of_bins: FloatArray  # (MOST_BINS,)
    bundles: FloatArray  # (B,) bounds
    leaves: FloatArray  # (W,) bounds
    sums: FloatArray  # (W,)
    top: FloatArray  # (BEST_FIRST,)
    closest: IntArray  # (BEST_FIRST,)


def short_codes(size: int) -> type[np.int16 | np.int32]:
    """Return in what codes below ``size`` are kept: a search waits for memory, and for fewer bytes less long."""
    return np.int16 if size <= _MOST_SHORT else np.int32


def question_for(leaves: Leaves) -> LeafSearch:
    """Room for questions to ``leaves``."""
    p = leaves.numbers.shape[1]
    return LeafSearch(
        weights=np.zeros(leaves.bin_of.size),
        alpha=np.zeros(p),
        beta=np.zeros(p),
        gamma=np.zeros(p),
        target=np.zeros(p),
        ranges=np.zeros(int(leaves.starts[-1])),
        of_bins=np.zeros(MOST_BINS),
        bundles=np.zeros(leaves.bundle_alive.size),
        leaves=np.zeros(WIDTH),
        sums=np.zeros(WIDTH),
        top=np.zeros(BEST_FIRST),
        closest=np.zeros(BEST_FIRST, dtype=np.int64),
    )


@exact_kernel
def _spread(
    counts: IntArray, size: int, apart: FloatArray, start: int, n_bins: int, share: FloatArray, before: int
) -> float:
    """How much the distances from a record that a question is of differ between the records of a node."""
    # IN  counts (≥ before + n_bins,) int64, of the node; size int, its records; apart (…,) float64, from ``start`` on
    #     the distances of bins; share (≥ before + n_bins,) float64, of questions
    total = 0.0
    for r in range(n_bins):
        mean, square = 0.0, 0.0
        for x in range(n_bins):
            if counts[before + x]:
                distance = apart[start + r * n_bins + x]
                mean += counts[before + x] * distance
                square += counts[before + x] * distance * distance
        total += share[before + r] * (square / size - (mean / size) ** 2)
    return total


@exact_kernel
def _arrange(
    bins: Bins,
    numbers: FloatArray,
    n_bins: IntArray,
    starts: IntArray,
    apart: FloatArray,
    order: IntArray,
    cuts: IntArray,
) -> int:
    """Order records so that those of a bundle are alike, and those of a leaf more so; return how many bundles.

    Nodes are cut at the attribute in which distances from a record differ the most. Above a bundle, levels stay
    together where that leaves no part too small.
    """
    # IN  bins (q, n) int8; numbers (p, n) float64; n_bins (q,) int64; starts (q + 1,) int64, of each attribute in
    #     apart (…,) float64, the distances of its bins
    # OUT order (m,) int64, records to arrange; cuts (≥ m + 1,) int64, where each bundle begins, and the last ends
    q, p, m = n_bins.size, numbers.shape[0], order.size
    stack, spare, keys = np.empty((m + 2, 3), np.int64), np.empty(m, np.int64), np.empty(m)
    before = np.zeros(q + 1, np.int64)
    for a in range(q):
        before[a + 1] = before[a] + n_bins[a]
    counts, share = np.zeros(before[q], np.int64), np.zeros(before[q])
    for a in range(q):
        for i in order:
            share[before[a] + bins[a, i]] += 1.0 / m
    depth, bundles = 1, 0
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, m, 0
    while depth:
        heed_stop()
        depth -= 1
        start, stop, inside = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        size = stop - start
        if not inside and size <= WIDTH * WIDTH:
            cuts[bundles], inside = start, 1
            bundles += 1
        if size <= WIDTH:
            continue
        best, winner = 0.0, 0
        for a in range(q):
            for x in range(before[a], before[a + 1]):
                counts[x] = 0
            for t in range(start, stop):
                counts[before[a] + bins[a, order[t]]] += 1
            spread = _spread(counts, size, apart, starts[a], n_bins[a], share, before[a])
            if spread > best:
                best, winner = spread, a
        for a in range(p):
            mean, square = 0.0, 0.0
            for t in range(start, stop):
                value = numbers[a, order[t]]
                if not math.isnan(value):
                    mean += value / size
                    square += value * value / size
            if square - mean * mean > best:
                best, winner = square - mean * mean, q + a
        unit = WIDTH if inside else 1
        middle = start + (size + 2 * unit - 1) // (2 * unit) * unit
        limit, most = -1, size // 4
        if winner < q and not inside:
            below = 0
            for x in range(n_bins[winner]):
                below += counts[before[winner] + x]
                if min(below, size - below) > most:
                    most, limit = min(below, size - below), x
        if limit >= 0:
            middle, right = start, 0
            for t in range(start, stop):
                i = order[t]
                if bins[winner, i] <= limit:
                    order[middle] = i
                    middle += 1
                else:
                    spare[right] = i
                    right += 1
            for t in range(right):
                order[middle + t] = spare[t]
        else:
            for t in range(start, stop):
                keys[t] = bins[winner, order[t]] if winner < q else numbers[winner - q, order[t]]
                if math.isnan(keys[t]):
                    keys[t] = -np.inf
            select(keys, order, start, stop, middle)
        stack[depth, 0], stack[depth, 1], stack[depth, 2] = middle, stop, inside
        stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = start, middle, inside
        depth += 2
    cuts[bundles] = m
    return bundles


@lean_kernel
def _enclose(leaves: Leaves, leaf: int) -> None:
    """Find the ranges of the records that a leaf has, and those of its bundle where they may have changed."""
    b, c = leaf // WIDTH, leaf % WIDTH
    for a in range(leaves.n_bins.size):
        first, last, n_bins, start = leaves.n_bins[a], 0, leaves.n_bins[a], leaves.starts[a]
        for lane in range(WIDTH):
            if leaves.records[leaf, lane] >= 0:
                first = min(first, leaves.bins[leaf, a, lane])
                last = max(last, leaves.bins[leaf, a, lane])
        cell = start + min(first, last) * n_bins + last
        if cell == leaves.cells[b, a, c] and leaves.alive[b, c]:
            continue
        leaves.cells[b, a, c] = cell
        first, last = n_bins, 0
        for other in range(WIDTH):
            if leaves.alive[b, other]:
                cell = leaves.cells[b, a, other] - start
                first, last = min(first, cell // n_bins), max(last, cell % n_bins)
        leaves.bundle_cells[a, b] = start + min(first, last) * n_bins + last
    for a in range(leaves.numbers.shape[1]):
        low, high, lacks = np.inf, -np.inf, False
        for lane in range(WIDTH):
            if leaves.records[leaf, lane] >= 0:
                value = leaves.numbers[leaf, a, lane]
                lacks |= math.isnan(value)
                # In this order, so that NaN is passed over.
                low = value if value < low else low  # noqa: FURB136
                high = value if value > high else high  # noqa: FURB136
        # Where none is present any number will do: what a missing one is worth bounds the node, as it does records.
        if low > high:
            low, high = 0.0, 0.0
        same = low == leaves.low[b, a, c] and high == leaves.high[b, a, c] and lacks == leaves.lacks[b, a, c]
        if same and leaves.alive[b, c]:
            continue
        leaves.low[b, a, c], leaves.high[b, a, c], leaves.lacks[b, a, c] = low, high, lacks
        low, high, lacks = np.inf, -np.inf, False
        for other in range(WIDTH):
            if leaves.alive[b, other]:
                low, high = min(low, leaves.low[b, a, other]), max(high, leaves.high[b, a, other])
                lacks |= leaves.lacks[b, a, other]
        if low > high:
            low, high = 0.0, 0.0
        leaves.bundle_low[a, b], leaves.bundle_high[a, b], leaves.bundle_lacks[a, b] = low, high, lacks


@lean_kernel
def _fill(
    leaves: Leaves,
    codes: CodeArray,
    bins: Bins,
    numbers: FloatArray,
    places: IntArray,
    order: IntArray,
    cuts: IntArray,
) -> None:
    """Write the leaves of an arrangement."""
    # IN  codes (q, n) int32; bins (q, n) int8; numbers (p, n) float64; places (q + 1,) int64; order, cuts as arranged
    for leaf in range(leaves.records.shape[0]):
        heed_stop()
        b, c = leaf // WIDTH, leaf % WIDTH
        start = cuts[b] + c * WIDTH
        size = min(max(cuts[b + 1] - start, 0), WIDTH)
        leaves.alive[b, c] = size
        leaves.bundle_alive[b] += size
        for lane in range(size):
            i = order[start + lane]
            leaves.records[leaf, lane] = i
            leaves.place[i] = leaf * WIDTH + lane
            for a in range(codes.shape[0]):
                leaves.codes[leaf, a, lane] = places[a] + codes[a, i]
                leaves.bins[leaf, a, lane] = bins[a, i]
            for a in range(numbers.shape[0]):
                leaves.numbers[leaf, a, lane] = numbers[a, i]
        for a in range(codes.shape[0]):
            leaves.cells[b, a, c] = -1
        for a in range(numbers.shape[0]):
            leaves.low[b, a, c] = np.nan
        _enclose(leaves, leaf)


def _ordered_levels(
    codes: CodeArray, table: FloatArray, starts: IntArray, sizes: IntArray, remaining: IntArray
) -> tuple[Bins, IntArray, IntArray, FloatArray]:
    """Return the bin of each record's level and of each level, how many attributes have, and how far they are apart.

    Levels stand by their distance from the one that is farthest from all, and those as far by how near they are to all:
    an order is kept, and levels that are merely different stand from the rare to the frequent ones.
    """
    bins, n_bins = np.empty(codes.shape, dtype=np.int8), np.minimum(sizes, MOST_BINS)
    bin_of, apart = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for a, size in enumerate(sizes):
        square = table[starts[a] : starts[a] + size * size].reshape(size, size)
        from_all = square @ np.bincount(codes[a, remaining], minlength=size).astype(np.float64)
        order = np.lexsort((-from_all, square[np.argmax(from_all)]))
        position = np.empty(size, dtype=np.int64)
        position[order] = np.arange(size)
        bin_of.append(position * n_bins[a] // size)
        bins[a] = bin_of[-1][codes[a]]
        # A level in the midst of a bin stands for it; how records are arranged changes no result.
        middle = order[(np.arange(n_bins[a]) * size + size // 2) // n_bins[a]]
        apart.append(square[np.ix_(middle, middle)].ravel())
    return bins, np.concatenate(bin_of), n_bins, np.concatenate(apart)


def build_leaves(
    codes: CodeArray,
    numbers: FloatArray,
    table: FloatArray,
    starts: IntArray,
    sizes: IntArray,
    places: IntArray,
    remaining: IntArray,
) -> Leaves:
    """Build the leaves of the remaining records; O(m log m) time, linear memory."""
    q, n, p = codes.shape[0], codes.shape[1], numbers.shape[0]
    bins, bin_of, n_bins, apart = _ordered_levels(codes, table, starts, sizes, remaining)
    range_starts = np.concatenate([[0], np.cumsum(n_bins * n_bins)]).astype(np.int64)
    order, cuts = remaining.copy(), np.empty(remaining.size + 1, dtype=np.int64)
    bundles = _arrange(bins, numbers, n_bins, range_starts, apart, order, cuts)
    short = short_codes(int(max(places[-1], range_starts[-1])))
    leaves = Leaves(
        records=np.full((bundles * WIDTH, WIDTH), -1, dtype=np.int64),
        place=np.full(n, -1, dtype=np.int64),
        codes=np.zeros((bundles * WIDTH, q, WIDTH), dtype=short),
        bins=np.zeros((bundles * WIDTH, q, WIDTH), dtype=np.int8),
        numbers=np.zeros((bundles * WIDTH, p, WIDTH)),
        starts=range_starts,
        n_bins=n_bins,
        bin_of=bin_of,
        alive=np.zeros((bundles, WIDTH), dtype=np.int64),
        cells=np.zeros((bundles, q, WIDTH), dtype=short),
        low=np.zeros((bundles, p, WIDTH)),
        high=np.zeros((bundles, p, WIDTH)),
        lacks=np.zeros((bundles, p, WIDTH), dtype=np.bool_),
        bundle_alive=np.zeros(bundles, dtype=np.int64),
        bundle_cells=np.zeros((q, bundles), dtype=short),
        bundle_low=np.zeros((p, bundles)),
        bundle_high=np.zeros((p, bundles)),
        bundle_lacks=np.zeros((p, bundles), dtype=np.bool_),
        stale=np.ones((bundles, WIDTH), dtype=np.bool_),
    )
    _fill(leaves, codes, bins, numbers, places, order, cuts[: bundles + 1])
    return leaves


@lean_kernel
def take_record(leaves: Leaves, i: int) -> None:
    """Take record ``i`` away, and draw the ranges around it anew."""
    leaf = leaves.place[i] // WIDTH
    leaves.records[leaf, leaves.place[i] % WIDTH] = -1
    leaves.alive[leaf // WIDTH, leaf % WIDTH] -= 1
    leaves.bundle_alive[leaf // WIDTH] -= 1
    leaves.stale[leaf // WIDTH, leaf % WIDTH] = True
    _enclose(leaves, leaf)


@lean_kernel
def weigh_ranges(leaves: Leaves, places: IntArray, far: bool, question: LeafSearch) -> None:
    """Tabulate the least weight of every range of levels, or the largest."""
    # IN  places (q + 1,) int64, where the levels of each attribute begin
    sign = -1.0 if far else 1.0
    for a in range(leaves.n_bins.size):
        n_bins = leaves.n_bins[a]
        for x in range(n_bins):
            question.of_bins[x] = np.inf
        for level in range(places[a], places[a + 1]):
            x = leaves.bin_of[level]
            question.of_bins[x] = min(question.of_bins[x], sign * question.weights[level])
        # A range is the one from the next bin on and its own first bin; all that begin at one bin are found together.
        start = leaves.starts[a] + n_bins * (n_bins - 1)
        for first in range(n_bins - 1, -1, -1):
            row, beyond = question.ranges[start : start + n_bins], question.ranges[start + n_bins : start + 2 * n_bins]
            own = sign * question.of_bins[first]
            if far:
                for last in range(beyond.size):
                    row[last] = max(beyond[last], own)
            else:
                for last in range(beyond.size):
                    row[last] = min(beyond[last], own)
            row[first] = own
            start -= n_bins


@lean_kernel
def _bound(
    alive: IntArray,
    cells: ShortCodes,
    low: FloatArray,
    high: FloatArray,
    lacks: BoolArray,
    question: LeafSearch,
    out: FloatArray,
) -> None:
    """Write what nothing in each node falls below."""
    # IN  alive (m,) int64; cells (q, m) int16 or int32; low, high (p, m) float64; lacks (p, m) bool
    # OUT out (m,) float64
    m, ranges = alive.size, question.ranges
    for c in range(m):
        out[c] = 0.0
    for a in range(cells.shape[0]):
        for c in range(m):
            out[c] += ranges[cells[a, c]]
    for a in range(low.shape[0]):
        t, alpha, beta, gamma = question.target[a], question.alpha[a], question.beta[a], question.gamma[a]
        for c in range(m):
            part = beta + alpha * max(low[a, c] - t, t - high[a, c], 0.0)
            out[c] += min(part, gamma) if lacks[a, c] else part
    for c in range(m):
        out[c] = out[c] if alive[c] else np.inf


@lean_kernel
def open_bundle(
    leaves: Leaves, b: int, sign: float, question: LeafSearch, size: int, values: FloatArray, winners: IntArray
) -> None:
    """Let the records of a bundle whose leaves are bounded compete; ties go to the lower record."""
    # IN  sign float, −1 where the largest sums are sought: bounds and values are negative then
    sums, weights = question.sums, question.weights
    for leaf in range(b * WIDTH, (b + 1) * WIDTH):
        bound = question.leaves[leaf - b * WIDTH]
        if bound > values[size - 1] or bound == np.inf:
            continue
        for lane in range(WIDTH):
            sums[lane] = 0.0
        for a in range(leaves.n_bins.size):
            for lane in range(WIDTH):
                sums[lane] += weights[leaves.codes[leaf, a, lane]]
        for a in range(question.target.size):
            t, alpha, beta, gamma = question.target[a], question.alpha[a], question.beta[a], question.gamma[a]
            for lane in range(WIDTH):
                value = leaves.numbers[leaf, a, lane]
                sums[lane] += gamma if math.isnan(value) else beta + alpha * abs(value - t)
        for lane in range(WIDTH):
            value, i, p = sign * sums[lane], leaves.records[leaf, lane], size - 1
            if i < 0 or value > values[p] or (value == values[p] and i > winners[p]):
                continue
            while p > 0 and (values[p - 1] > value or (values[p - 1] == value and winners[p - 1] > i)):
                values[p], winners[p] = values[p - 1], winners[p - 1]
                p -= 1
            values[p], winners[p] = value, i


@lean_kernel
def find_nearest(
    leaves: Leaves, home: int, question: LeafSearch, size: int, values: FloatArray, winners: IntArray
) -> None:
    """Find the records of the smallest sums, smallest first; ties go to the lower record."""
    # IN  home int, the bundle to look at first; question, whose ranges are weighed; size int, no more than there are
    # OUT values (≥ size,) float64; winners (≥ size,) int64
    bounds, top, closest = question.bundles, question.top, question.closest
    for p in range(size):
        values[p], winners[p] = np.inf, np.iinfo(np.int64).max
    for p in range(BEST_FIRST):
        top[p], closest[p] = np.inf, home
    _bound(
        leaves.bundle_alive, leaves.bundle_cells, leaves.bundle_low, leaves.bundle_high, leaves.bundle_lacks,
        question, bounds,
    )  # fmt: skip
    for b in range(bounds.size):
        p = BEST_FIRST - 1
        if bounds[b] < top[p]:
            while p > 0 and top[p - 1] > bounds[b]:
                top[p], closest[p] = top[p - 1], closest[p - 1]
                p -= 1
            top[p], closest[p] = bounds[b], b
    # The closest few first, then one sweep: nearly as good as a priority queue, and much lighter.
    for step in range(-1 - BEST_FIRST, bounds.size):
        b = step
        if step < 0:
            b = home if step < -BEST_FIRST else closest[step + BEST_FIRST]
        if bounds[b] > values[size - 1] or bounds[b] == np.inf:
            continue
        bounds[b] = np.inf
        _bound(
            leaves.alive[b], leaves.cells[b], leaves.low[b], leaves.high[b], leaves.lacks[b], question, question.leaves
        )
        open_bundle(leaves, b, 1.0, question, size, values, winners)
