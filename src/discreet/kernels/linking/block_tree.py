"""Nearest and second-nearest records by sums of squares of numbers, in blocks.

Records lie in the order of a k-d tree whose halves end between leaves of 32, between nodes of sixteen leaves, between
sixteen nodes, and so on. So the tree needs no pointers: sixteen boxes that lie beside each other hold the next level.
What a query is compared with fills the caches, so the records and leaves of a node are kept in sixteen bits, as whole
numbers of units from the middle of the node: half the bytes of single precision, and half the instructions, whose sums
are exact. Only records that may still be near are compared exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import exact_kernel
from discreet.kernels.lanes import call_up, lowest_bit
from discreet.kernels.linking.mixed_tree import halve, spread
from discreet.kernels.linking.nearest_list import enter
from discreet.kernels.linking.query_lanes import (
    LANES,
    ROWS,
    CodeArray,
    aligned,
    code_query,
    near_boxes,
    near_leaves,
    near_rows,
    nearest_lane,
    still_near,
)
from discreet.kernels.linking.tied_rows import enlarged, put_in_order
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray, SingleArray

__all__ = ["arrange", "lay_out", "node_of", "search_blocks"]

_HALF_UNIT = 2.0**-24  # what rounding to single precision changes at most, relatively
_LEAST = 1e-36  # a sum of squares below which single precision has fewer digits
_MOST_LEVELS = 16
_NODE = LANES * ROWS
_SHORT, _WORD = 2**15 - 1, 2.0**31 - 1
_MOST_PER_UNIT = 1e30  # beyond, single precision has no room
_UNIT_LOST = 1.02  # by rounding to units twice; single precision adds three thousandths, as codes are below 2**15
_BITS = 4  # of a lane
_NEARLY = np.float32(1.0 - 2.0**-18)


class BlockTree(NamedTuple):
    """Records and boxes as a search reads them.

    A node is sixteen leaves. Its records are whole numbers of units from its middle, in as many bits as sums of squares
    of them allow; so are the boxes of its leaves. Boxes of nodes, and of sixteen nodes, are in single precision.
    Rounding keeps the order of numbers, so a rounded record lies in its rounded box.

    Attributes
    ----------
    rows : int16
        Of every leaf, two attributes at a time, all records.
    leaves : int16
        Of every node, two attributes at a time, the lowest codes of its leaves, then the highest.
    middles : float32
        Of every node.
    per_unit : (nodes,) float32
        How many units of a node there are to 1.
    farthest : float32
        How many units a query is from a middle at most: beyond, it is moved to the nearest place that is not.
    boxes : float32
        Of sixteen nodes or more, an attribute at a time, the lowest values, then the highest.
    starts : (levels,) int64
        Where the boxes of a level start.
    """

    rows: CodeArray
    leaves: CodeArray
    middles: SingleArray
    per_unit: SingleArray
    farthest: np.float32
    boxes: SingleArray
    starts: IntArray


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
        whole = ROWS
        if high - low <= whole:
            continue
        while whole * LANES < high - low:
            whole *= LANES
        # Both sides have at least one whole, or what is left of one at the end of the file.
        middle = low + ((high - low) // 2 + whole // 2) // whole * whole
        middle = min(max(middle, low + whole), low + (high - low - 1) // whole * whole)
        widest, by = -1.0, 0
        for p in range(dims):
            width = spread(columns[p], rows, low, high, no_terms, -1)
            if width > widest:
                widest, by = width, p
        halve(columns[by], rows, low, high, middle)
        stack[top, 0], stack[top, 1] = middle, high
        stack[top + 1, 0], stack[top + 1, 1] = low, middle
        top += 2


def lay_out(points: FloatArray) -> BlockTree:
    """Return records and the boxes around them, from leaves up to the root.

    Parameters
    ----------
    points : (n, attributes) float64
        In the order of the leaves.
    """
    n, dims = points.shape
    width, n_nodes = dims + dims % 2, -(-n // _NODE)
    # The last record once more, where there is none: nobody looks at it.
    padded = np.zeros((n_nodes * _NODE, width))
    padded[:n, :dims], padded[n:, :dims] = points, points[-1:]
    lowest, highest = _ends(padded, _NODE)
    low, high = lowest.astype(np.float32), highest.astype(np.float32)
    middles = low + (high - low) / 2
    reach = np.maximum(highest - middles, middles - lowest).max(axis=1)
    # Queries may be three times as far as records are: then differences fit sixteen bits, and their squares 31.
    most = min(_SHORT // 4, int(np.sqrt(_WORD / width)) // 4)
    per_unit = np.minimum(most / np.maximum(reach, _LEAST), _MOST_PER_UNIT) * (1 - 2.0**-20)
    per_unit = per_unit.astype(np.float32)
    units = (padded.reshape(n_nodes, _NODE, width) - middles[:, None]) * per_unit[:, None, None]
    codes = np.rint(units, out=units).astype(np.int16).reshape(-1, width)
    # Two codes of an attribute each are moved as one number.
    leaves = codes.view(np.int32).reshape(-1, ROWS, width // 2).transpose(0, 2, 1)
    ends = np.stack(_ends(codes, ROWS), axis=1).view(np.int32).reshape(n_nodes, LANES, 2, width // 2)
    levels: list[SingleArray] = []
    while not levels or len(low) > 1:
        size = max(1, -(-len(low) // LANES))
        boxes = np.empty((size, LANES, 2, width), dtype=np.float32)
        boxes[:] = np.array([np.inf, -np.inf], dtype=np.float32)[:, None]
        flat = boxes.reshape(size * LANES, 2, width)
        flat[: len(low), 0], flat[: len(low), 1] = low, high
        levels.append(boxes.transpose(0, 3, 2, 1).ravel())
        low, high = boxes[:, :, 0].min(axis=1), boxes[:, :, 1].max(axis=1)
    starts = np.cumsum([0, *(level.size for level in levels[:-1])])
    return BlockTree(
        aligned(leaves).view(np.int16),
        aligned(ends.transpose(0, 3, 2, 1)).view(np.int16),
        aligned(np.pad(middles, ((0, 0), (0, -width % LANES)))),
        per_unit,
        np.float32(3 * most),
        aligned(np.concatenate(levels)),
        starts,
    )


def _ends(rows: NDArray[Any], size: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the lowest and the highest values of so many rows at a time."""
    starts = np.arange(0, len(rows), size)
    return np.minimum.reduceat(rows, starts, axis=0), np.maximum.reduceat(rows, starts, axis=0)


@exact_kernel
def node_of(
    boxes: SingleArray,  # IN float32
    starts: IntArray,  # IN (levels,) int64
    n: int,  # IN how many rows there are
    queries: FloatArray,  # IN (n_b, attributes) float64
    nodes: IntArray,  # OUT (n_b,) int64
) -> None:
    """Find a node near every query: neighbours in this order share most of their way."""
    dims = queries.shape[1]
    single = np.zeros(dims + dims % 2, dtype=np.float32)
    bounds = np.empty(LANES, dtype=np.float32)
    for k in range(queries.shape[0]):
        for p in range(dims):
            single[p] = queries[k, p]
        node = 0
        for level in range(starts.size - 1, -1, -1):
            start = starts[level] + node * (2 * LANES * single.size)
            near_boxes(boxes, start, single, single.size, np.float32(np.inf), bounds, 0)
            lane = nearest_lane(bounds, 0, 2**LANES - 1)
            node = min(node * LANES + lane, (n - 1) // _NODE >> (_BITS * level))
        nodes[k] = node


@exact_kernel
def _units_at_most(root: float, per_unit: float, lost: float) -> int:
    # What a sum of squares in units may be at most at a distance of `root`. A record and a query are moved by half a
    # unit along every attribute, and a little by single precision, which is `lost` together. A query that is moved back
    # to where codes end comes nearer to every record.
    distance = root * per_unit + lost
    return int(min(distance * distance + 1.0, _WORD))


@exact_kernel
def search_blocks(
    points: FloatArray,  # IN (n, attributes) float64, in the order of the blocks
    rows: CodeArray,  # IN int16, the same, and all further ones, as laid out
    leaves: CodeArray,  # IN int16
    middles: SingleArray,  # IN float32
    per_unit: SingleArray,  # IN (nodes,) float32
    farthest: np.float32,  # IN
    boxes: SingleArray,  # IN float32
    starts: IntArray,  # IN (levels,) int64
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
    second nearest as far as pruning goes. Depth first, the nearest box first but for those of nodes and leaves, which
    are many, once there is a second nearest; a box or a row is skipped only if it is farther than that, or than what is
    tied, for sure.
    """
    n, dims = points.shape
    levels = starts.size
    width = dims + dims % 2
    single = np.zeros((width + LANES - 1) // LANES * LANES, dtype=np.float32)
    codes = np.zeros(single.size, dtype=np.int16)
    factor, units_lost = 1.0 + 2.0 * (dims + 3) * _HALF_UNIT, _UNIT_LOST * np.sqrt(dims)
    # First the bounds of the rows of a leaf and of the leaves of a node, then those of every level.
    bounds = np.empty((3 + _MOST_LEVELS) * LANES, dtype=np.float32)
    of_leaves, of_levels = ROWS, ROWS + LANES
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
        call_up(queries, which[min(q + 1, which.size - 1)])
        squares = 0.0
        for p in range(dims):
            single[p] = queries[k, p]
            squares += queries[k, p] * queries[k, p]
        reach = norm + np.sqrt(squares)
        near_by[:] = np.inf
        who[0], who[1] = -1, 0
        bar, root, limit = np.inf, np.inf, np.float32(np.inf)
        # Above the root there is but the root, as near as can be.
        level, near[levels], bounds[of_levels + levels * LANES] = levels, 1, 0.0
        while level <= levels:
            lanes = near[level]
            if lanes == 0:
                level += 1
                continue
            in_order = level > 0 or bar == np.inf
            at = of_levels + level * LANES
            lane = nearest_lane(bounds, at, lanes) if in_order else lowest_bit(lanes)
            if bounds[at + lane] * _NEARLY > limit:
                # In order, all others are no nearer, but for the bits that the order does not see.
                near[level] = 0 if in_order else lanes & (lanes - 1)
                continue
            near[level] = lanes & ~(1 << lane)
            child = node[level] * LANES + lane
            if (child << (_BITS * level)) * _NODE >= n:
                continue
            if level > 0:
                level -= 1
                node[level] = child
                start = starts[level] + child * (2 * LANES * width)
                near[level] = near_boxes(boxes, start, single, width, limit, bounds, of_levels + level * LANES)
                continue
            unit = per_unit[child]
            code_query(single, middles, child * single.size, unit, farthest, codes)
            most = _units_at_most(root, unit, units_lost)
            near_by_box = near_leaves(leaves, child * (2 * LANES * width), codes, width // 2, most, bounds, of_leaves)
            while near_by_box != 0:
                lane = nearest_lane(bounds, of_leaves, near_by_box) if bar == np.inf else lowest_bit(near_by_box)
                near_by_box &= ~(1 << lane)
                first = (child * LANES + lane) * ROWS
                lanes = near_rows(rows, first * width, codes, width // 2, most, bounds, 0)
                while lanes != 0:
                    lane = lowest_bit(lanes)
                    if bar == np.inf:
                        lane += nearest_lane(bounds, lane & LANES, lanes >> (lane & LANES)) - (lane & (LANES - 1))
                    lanes &= ~(1 << lane)
                    i = first + lane
                    if i >= n:
                        continue
                    d = 0.0
                    for p in range(dims):
                        gap = points[i, p] - queries[k, p]
                        d += gap * gap
                    if not d <= bar or d == np.inf:
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
                        # Rounding to single precision moves a row and a query, together within `reach` of the origin,
                        # by its share of that, and every operation on their differences changes the distance by its
                        # share of it; both are doubled here.
                        root = np.sqrt(bar) * factor + 2.0 * _HALF_UNIT * reach
                        limit = np.float32(root * root * factor + _LEAST)
                        most = _units_at_most(root, unit, units_lost)
                        lanes &= still_near(bounds, 0, most) | still_near(bounds, LANES, most) << LANES
                        near_by_box &= still_near(bounds, of_leaves, most)
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
