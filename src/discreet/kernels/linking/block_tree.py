"""Nearest and second-nearest records by sums of squares of numbers, in blocks of sixteen.

Records lie in the order of a k-d tree whose halves end between blocks, between sixteen blocks, and so on. So the tree
needs no nodes: sixteen boxes that lie beside each other hold the next level. Boxes and records are compared with a
query in single precision, sixteen at a time, and only records that may still be near are compared exactly.
"""

from __future__ import annotations

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.lanes import lowest_bit
from discreet.kernels.linking.mixed_tree import halve, spread
from discreet.kernels.linking.nearest_list import enter
from discreet.kernels.linking.query_lanes import LANES, aligned, near_boxes, near_rows, nearest_lane
from discreet.kernels.linking.tied_rows import enlarged, put_in_order
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray, SingleArray

__all__ = ["arrange", "block_of", "lay_out", "search_blocks"]

_HALF_UNIT = 2.0**-24  # what rounding to single precision changes at most, relatively
_LEAST = 1e-36  # a sum of squares below which single precision has fewer digits
_MOST_LEVELS = 16
_BITS = 4  # of a lane
_NEARLY = np.float32(1.0 - 2.0**-18)


@exact_kernel
def arrange(
    columns: FloatArray,  # IN (attributes, n) float64
    rows: IntArray,  # OUT (n,) int64, the rows in the order of the blocks
) -> None:
    """Put rows into order, so that those of a block, and of its neighbours, are near each other; O(n log n)."""
    dims, n = columns.shape
    no_terms = np.empty(0)
    for i in range(n):
        rows[i] = i
    stack = np.empty((128, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = 0, n
    top = 1
    while top > 0:
        heed_stop()
        top -= 1
        low, high = stack[top, 0], stack[top, 1]
        whole = LANES
        if high - low <= whole:
            continue
        while whole * LANES < high - low:
            whole *= LANES
        # Both sides have at least one whole, or what is left of one at the end of the file.
        middle = low + ((high - low) // 2 + whole // 2) // whole * whole
        middle = min(max(middle, low + whole), low + (high - low - 1) // whole * whole)
        widest, by = -1.0, 0
        for p in range(dims):
            width = spread(columns[p], rows, low, high, no_terms, 0)
            if width > widest:
                widest, by = width, p
        halve(columns[by], rows, low, high, middle)
        stack[top, 0], stack[top, 1] = middle, high
        stack[top + 1, 0], stack[top + 1, 1] = low, middle
        top += 2


def lay_out(points: FloatArray) -> tuple[SingleArray, SingleArray, IntArray]:
    """Return blocks of records in single precision, the boxes of all levels, and where the boxes of a level start.

    Rounding keeps the order of numbers, so a rounded record lies in its rounded box.

    Parameters
    ----------
    points : (n, attributes) float64
        In the order of the blocks.
    """
    n, dims = points.shape
    width, n_blocks = dims + dims % 2, -(-n // LANES)
    blocks = aligned(n_blocks * width * LANES)
    lanes = blocks.reshape(n_blocks, width, LANES)
    lanes[:, dims:] = 0.0
    whole = n // LANES
    lanes[:whole, :dims] = points[: whole * LANES].reshape(whole, LANES, dims).transpose(0, 2, 1)
    if whole < n_blocks:
        # The last record once more, where there is none: nobody looks at it.
        rest = points[whole * LANES :]
        lanes[whole, :dims] = rest[np.minimum(np.arange(LANES), len(rest) - 1)].T
    low, high = lanes.min(axis=2), lanes.max(axis=2)
    levels: list[SingleArray] = []
    while not levels or len(low) > 1:
        size = max(1, -(-len(low) // LANES))
        boxes = np.empty((size, LANES, 2, width), dtype=np.float32)
        boxes[:] = np.array([np.inf, -np.inf], dtype=np.float32)[:, None]
        flat = boxes.reshape(size * LANES, 2, width)
        flat[: len(low), 0], flat[: len(low), 1] = low, high
        levels.append(boxes.transpose(0, 3, 2, 1).ravel())
        low, high = boxes[:, :, 0].min(axis=1), boxes[:, :, 1].max(axis=1)
    ends = np.cumsum([level.size for level in levels])
    return blocks, np.concatenate(levels, out=aligned(int(ends[-1]))), ends - [level.size for level in levels]


@exact_kernel
def block_of(
    boxes: SingleArray,  # IN float32
    starts: IntArray,  # IN (levels,) int64
    n: int,  # IN how many rows there are
    queries: FloatArray,  # IN (n_b, attributes) float64
    blocks: IntArray,  # OUT (n_b,) int64
) -> None:
    """Find a block near every query: neighbours in this order share most of their way."""
    dims = queries.shape[1]
    single = np.zeros(dims + dims % 2, dtype=np.float32)
    bounds = np.empty(LANES, dtype=np.float32)
    for k in range(queries.shape[0]):
        for p in range(dims):
            single[p] = queries[k, p]
        block = 0
        for level in range(starts.size - 1, -1, -1):
            start = starts[level] + block * (2 * LANES * single.size)
            near_boxes(boxes, start, single, np.float32(np.inf), bounds, 0)
            lane = nearest_lane(bounds, 0, 2**LANES - 1)
            block = min(block * LANES + lane, (n - 1) >> (_BITS * (level + 1)))
        blocks[k] = block


@exact_kernel
def _at_most_roughly(bar: float, reach: float, dims: int) -> np.float32:
    # What a sum of squares in single precision may be at most if the exact one is at most `bar`. Rounding moves a row
    # and a query, together within `reach` of the middle, by its share of that, and every operation on their differences
    # changes the distance by its share of it; both are doubled here.
    factor = 1.0 + 2.0 * (dims + 3) * _HALF_UNIT
    root = np.sqrt(bar) * factor + 2.0 * _HALF_UNIT * reach
    return np.float32(root * root * factor + _LEAST)


@exact_kernel
def search_blocks(
    points: FloatArray,  # IN (n, attributes) float64, in the order of the blocks
    blocks: SingleArray,  # IN float32, the same in single precision, as laid out
    boxes: SingleArray,  # IN float32, all boxes
    starts: IntArray,  # IN (levels,) int64, where the boxes of a level start
    norm: float,  # IN the largest norm of a row, at most 1e15
    ids: IntArray,  # IN (n,) int64, the class of every row
    sizes: IntArray,  # IN (n,) int64, its number of records
    queries: FloatArray,  # IN (n_b, attributes) float64
    which: IntArray,  # IN (m,) int64, the queries to answer, in a good order
    lowest: FloatArray,  # IN (n_b or 0, attributes) float64, the least possible value of A for a query; no rows: any
    highest: FloatArray,  # IN the same, the largest
    slack: FloatArray,  # IN (n_b,) float64, what rounding of coordinates explains of a query's distances
    second_too: bool,  # IN whether the second nearest is looked for; if not, it is whoever was met
    best: IntArray,  # OUT (n_b,) int64, class, lowest on ties, −1 if everything is infinitely far
    score: FloatArray,  # OUT (n_b,) float64
    second: IntArray,  # OUT (n_b,) int64, another class
    second_score: FloatArray,  # OUT (n_b,) float64
    counts: IntArray,  # OUT (n_b,) int64, classes at the best distance
) -> IntArray:
    """Answer queries exactly and return the classes tied with the best, rising, query after query.

    Tied is what is no farther than the nearest by more than rounding can explain. A class of several records is its own
    second nearest as far as pruning goes. Depth first, the nearest box first but for those of blocks, which are many; a
    box or a row is skipped only if it is farther than the second nearest, or than what is tied, for sure.
    """
    n, dims = points.shape
    levels = starts.size
    single = np.zeros(dims + dims % 2, dtype=np.float32)
    bounds = np.empty(_MOST_LEVELS * LANES, dtype=np.float32)
    node, near = np.zeros(_MOST_LEVELS, dtype=np.int64), np.zeros(_MOST_LEVELS, dtype=np.int64)
    # Room for everybody, which is not touched before it is needed: arrays that are replaced by longer ones are counted
    # in and out all the time.
    mine, sums = np.empty(n + 1, dtype=np.int64), np.empty(n + 1)
    near_by, who = np.empty(4), np.empty(2, dtype=np.int64)
    tied = np.empty(max(64, which.size), dtype=np.int64)
    tied_end = 0
    for q in range(which.size):
        heed_stop()
        k = which[q]
        squares = 0.0
        for p in range(dims):
            single[p] = queries[k, p]
            squares += queries[k, p] * queries[k, p]
        reach = norm + np.sqrt(squares)
        near_by[:] = np.inf
        who[0], who[1] = -1, 0
        bar, limit = np.inf, np.float32(np.inf)
        level = levels - 1
        near[level] = near_boxes(boxes, starts[level], single, limit, bounds, level * LANES)
        while level < levels:
            lanes = near[level]
            if lanes == 0:
                level += 1
                continue
            in_order = level > 0 or bar == np.inf
            lane = nearest_lane(bounds, level * LANES, lanes) if in_order else lowest_bit(lanes)
            if bounds[level * LANES + lane] * _NEARLY > limit:
                # In order, all others are no nearer, but for the bits that the order does not see.
                near[level] = 0 if in_order else lanes & (lanes - 1)
                continue
            near[level] = lanes & ~(1 << lane)
            child = node[level] * LANES + lane
            if child << (_BITS * (level + 1)) >= n:
                continue
            if level > 0:
                level -= 1
                node[level] = child
                start = starts[level] + child * (2 * LANES * single.size)
                near[level] = near_boxes(boxes, start, single, limit, bounds, level * LANES)
                continue
            lanes = near_rows(blocks, child * (LANES * single.size), single, limit)
            while lanes != 0:
                i = child * LANES + lowest_bit(lanes)
                lanes &= lanes - 1
                if i >= n:
                    break
                d = 0.0
                for p in range(dims):
                    gap = points[i, p] - queries[k, p]
                    d += gap * gap
                if d > bar or d == np.inf:
                    continue
                possible = True
                if lowest.shape[0] > 0:
                    for p in range(dims):
                        possible = possible and lowest[k, p] <= points[i, p] <= highest[k, p]
                if not possible:
                    continue
                enter(ids[i], d, sizes[i] > 1, slack[k], True, second_too, near_by, who, mine, sums)
                if near_by[2] != bar:
                    bar = near_by[2]
                    limit = _at_most_roughly(bar, reach, dims)
        n_ties = who[1]
        put_in_order(mine, n_ties)
        if tied_end + n_ties > tied.size:
            tied = enlarged(tied, tied_end, tied_end + n_ties)
        for e in range(n_ties):
            tied[tied_end + e] = mine[e]
        tied_end += n_ties
        counts[k] = n_ties
        best[k], score[k] = (mine[0], near_by[0]) if n_ties > 0 else (-1, np.inf)
        second[k], second_score[k] = (mine[1], near_by[0]) if n_ties > 1 else (who[0], near_by[1])
    return tied[:tied_end].copy()
