"""Records in small blocks, for the nearest and the farthest record while records are taken away.

Sixteen records that lie close together form a leaf, sixteen leaves a bundle. Coordinates, boxes and cones of the
sixteen lie side by side, so one pass over the columns treats all of them at once and still adds the columns of each
record from first to last: the sum, and with it every tie, is the one of the plain definition.

A record is deleted by writing NaN over its first coordinate: no comparison with NaN is true, so it never wins again.
Boxes and cones are not tightened; they stay valid, and the structure is rebuilt when enough records have gone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.kernels.jit import exact_kernel, kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = [
    "WIDTH",
    "Blocks",
    "Scratch",
    "build_blocks",
    "delete_record",
    "find_farthest",
    "find_nearest",
    "scratch_for",
]

WIDTH = 16
# Bounds that are not sums in the order of the distance itself may be wrong in the last digits.
SLACK = 1e-12
# Leaves looked at in the order of their bounds before the rest is swept.
BEST_FIRST = 8


class Blocks(NamedTuple):
    """The arrays of one build; L bundles, W = 16, d columns."""

    records: IntArray  # (L·W, W) the record in each place, −1 where none
    place: IntArray  # (n,) position of a record in the flat ``records``
    coordinates: FloatArray  # (L·W, d, W) leaf by leaf, a column's sixteen values together
    alive: IntArray  # (L, W) records left in each leaf
    low: FloatArray  # (L, d, W) boxes of the leaves
    high: FloatArray  # (L, d, W)
    axis: FloatArray  # (L, d, W) direction of the leaves' cones, seen from ``origin``
    cone: FloatArray  # (L, 5, W) squared reach, cosine and sine of the opening, centre on the axis, ball radius
    bundle_alive: IntArray  # (L,)
    bundle_low: FloatArray  # (d, L)
    bundle_high: FloatArray  # (d, L)
    bundle_axis: FloatArray  # (d, L)
    bundle_cone: FloatArray  # (5, L)
    origin: FloatArray  # (d,)


class Scratch(NamedTuple):
    """Room for the bounds of one search; L bundles."""

    bundles: FloatArray  # (L,)
    sixteen: FloatArray  # (W,)
    leaves: FloatArray  # (L·W,)
    ids: IntArray  # (L·W,)
    work: FloatArray  # (W,)
    direction: FloatArray  # (d,)
    top: FloatArray  # (BEST_FIRST,)
    places: IntArray  # (BEST_FIRST,)


def scratch_for(blocks: Blocks) -> Scratch:
    """Room for searches in ``blocks``; one for each thread."""
    bundles = blocks.bundle_alive.size
    return Scratch(
        bundles=np.empty(bundles),
        sixteen=np.empty(WIDTH),
        leaves=np.empty(bundles * WIDTH),
        ids=np.empty(bundles * WIDTH, dtype=np.int64),
        work=np.empty(WIDTH),
        direction=np.empty(blocks.origin.size),
        top=np.empty(BEST_FIRST),
        places=np.zeros(BEST_FIRST, dtype=np.int64),
    )


@kernel
def _select(keys: FloatArray, order: IntArray, start: int, stop: int, middle: int) -> None:
    """Put the smallest keys of [start, stop) before ``middle``; ``order`` moves along."""
    low, high = start, stop - 1
    while low < high:
        pivot = keys[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@kernel
def arrange(points: FloatArray, order: IntArray, width: int) -> None:
    """Order records so that every ``width`` (and every ``width``²) consecutive ones lie close together.

    Median cuts of the widest column, at positions that are multiples of the bundle and then of the leaf.
    """
    # IN  points (n, d) float64; width int
    # OUT order (m,) int64, records to arrange, permuted in place
    d = points.shape[1]
    keys = np.empty(order.size, np.float64)
    stack = np.empty((128, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, order.size
    depth = 1
    low, high = np.empty(d), np.empty(d)
    while depth:
        heed_stop()
        depth -= 1
        start, stop = stack[depth, 0], stack[depth, 1]
        size = stop - start
        if size <= width:
            continue
        unit = width * width if size > width * width else width
        middle = start + ((size + 2 * unit - 1) // (2 * unit)) * unit
        for j in range(d):
            low[j], high[j] = np.inf, -np.inf
        for i in range(start, stop):
            row = order[i]
            for j in range(d):
                value = points[row, j]
                low[j] = min(low[j], value)
                high[j] = max(high[j], value)
        widest = 0
        for j in range(1, d):
            if high[j] - low[j] > high[widest] - low[widest]:
                widest = j
        for i in range(start, stop):
            keys[i] = points[order[i], widest]
        _select(keys, order, start, stop, middle)
        stack[depth, 0], stack[depth, 1] = start, middle
        stack[depth + 1, 0], stack[depth + 1, 1] = middle, stop
        depth += 2


@kernel
def _enclose(
    points: FloatArray,
    members: IntArray,
    origin: FloatArray,
    low: FloatArray,
    high: FloatArray,
    axis: FloatArray,
    cone: FloatArray,
) -> None:
    """Box, cone and ball of some records; −1 is no record."""
    # IN  points (n, d) float64; members (m,) int64; origin (d,) float64
    # OUT low, high, axis (d,) float64; cone (5,) float64
    d = points.shape[1]
    for j in range(d):
        low[j], high[j], axis[j] = np.inf, -np.inf, 0.0
    reach, total, count = -np.inf, 0.0, 0
    for i in members:
        if i < 0:
            continue
        norm = 0.0
        for j in range(d):
            value = points[i, j]
            low[j] = min(low[j], value)
            high[j] = max(high[j], value)
            norm += (value - origin[j]) ** 2
        reach = max(reach, norm)
        norm = np.sqrt(norm)
        total += norm
        count += 1
        if norm > 0.0:
            for j in range(d):
                axis[j] += (points[i, j] - origin[j]) / norm
    length = 0.0
    for j in range(d):
        length += axis[j] * axis[j]
    length = np.sqrt(length)
    for j in range(d):
        # Directions that cancel leave no axis: any will do, with the cone wide open.
        if length > 1e-9:
            axis[j] /= length
        else:
            axis[j] = 1.0 if j == 0 else 0.0
    centre = total / max(count, 1)
    cosine, radius = 1.0, 0.0
    for i in members:
        if i < 0:
            continue
        norm, dot, far = 0.0, 0.0, 0.0
        for j in range(d):
            value = points[i, j] - origin[j]
            norm += value * value
            dot += value * axis[j]
            far += (value - centre * axis[j]) ** 2
        if norm > 0.0:
            cosine = min(cosine, dot / np.sqrt(norm))
        radius = max(radius, far)
    # A little wider than measured: the two sums above are rounded.
    cosine = max(-1.0, cosine - 1e-9)
    cone[0], cone[1], cone[2] = reach, cosine, np.sqrt(max(0.0, 1.0 - cosine * cosine))
    cone[3], cone[4] = centre, np.sqrt(radius) * (1.0 + SLACK)


@kernel
def _fill(
    points: FloatArray,
    records: IntArray,
    origin: FloatArray,
    place: IntArray,
    coordinates: FloatArray,
    alive: IntArray,
    low: FloatArray,
    high: FloatArray,
    axis: FloatArray,
    cone: FloatArray,
) -> None:
    """Write the leaves of an arrangement."""
    d = points.shape[1]
    for b in range(records.shape[0] // WIDTH):
        for leaf in range(WIDTH):
            for lane in range(WIDTH):
                i = records[b * WIDTH + leaf, lane]
                if i >= 0:
                    place[i] = (b * WIDTH + leaf) * WIDTH + lane
                    alive[b, leaf] += 1
                    for j in range(d):
                        coordinates[b * WIDTH + leaf, j, lane] = points[i, j]
            _enclose(
                points,
                records[b * WIDTH + leaf],
                origin,
                low[b, :, leaf],
                high[b, :, leaf],
                axis[b, :, leaf],
                cone[b, :, leaf],
            )


@kernel
def _fill_bundles(
    points: FloatArray,
    records: IntArray,
    origin: FloatArray,
    low: FloatArray,
    high: FloatArray,
    axis: FloatArray,
    cone: FloatArray,
) -> None:
    for b in range(records.shape[0]):
        _enclose(points, records[b], origin, low[:, b], high[:, b], axis[:, b], cone[:, b])


def build_blocks(points: FloatArray, remaining: IntArray, origin: FloatArray) -> Blocks:
    """Build the blocks of the remaining records; O(m log m) time, linear memory."""
    n, d = points.shape
    order = remaining.copy()
    arrange(points, order, WIDTH)
    bundles = -(-order.size // WIDTH**2)
    records = np.full(bundles * WIDTH**2, -1, dtype=np.int64)
    records[: order.size] = order
    shape = (bundles, d, WIDTH)
    blocks = Blocks(
        records=records.reshape(bundles * WIDTH, WIDTH),
        place=np.full(n, -1, dtype=np.int64),
        coordinates=np.full((bundles * WIDTH, d, WIDTH), np.nan),
        alive=np.zeros((bundles, WIDTH), dtype=np.int64),
        low=np.empty(shape),
        high=np.empty(shape),
        axis=np.empty(shape),
        cone=np.empty((bundles, 5, WIDTH)),
        bundle_alive=np.zeros(bundles, dtype=np.int64),
        bundle_low=np.empty((d, bundles)),
        bundle_high=np.empty((d, bundles)),
        bundle_axis=np.empty((d, bundles)),
        bundle_cone=np.empty((5, bundles)),
        origin=origin,
    )
    _fill(points, blocks.records, origin, *blocks[1:8])
    np.sum(blocks.alive, axis=1, out=blocks.bundle_alive)
    _fill_bundles(points, records.reshape(bundles, WIDTH**2), origin, *blocks[9:13])
    return blocks


@exact_kernel
def delete_record(blocks: Blocks, i: int) -> None:
    """Take record ``i`` away; a leaf or bundle without records is never looked at again."""
    place = blocks.place[i]
    lane = place % WIDTH
    leaf = (place // WIDTH) % WIDTH
    b = place // (WIDTH * WIDTH)
    blocks.coordinates[b * WIDTH + leaf, 0, lane] = np.nan
    blocks.alive[b, leaf] -= 1
    if blocks.alive[b, leaf] == 0:
        blocks.low[b, 0, leaf] = np.inf
        blocks.cone[b, 0, leaf] = -np.inf
    blocks.bundle_alive[b] -= 1
    if blocks.bundle_alive[b] == 0:
        blocks.bundle_low[0, b] = np.inf
        blocks.bundle_cone[0, b] = -np.inf


@exact_kernel
def _distances(coordinates: FloatArray, leaf: int, target: FloatArray, out: FloatArray) -> None:
    """Squared distances of a leaf's sixteen records, columns added from first to last."""
    d = target.size
    five = d - d % 5
    for lane in range(WIDTH):
        out[lane] = 0.0
    # Five columns a pass keep the sums in registers; the order of addition is the same.
    for j in range(0, five, 5):
        t0, t1, t2, t3, t4 = target[j], target[j + 1], target[j + 2], target[j + 3], target[j + 4]
        for lane in range(WIDTH):
            e0, e1 = coordinates[leaf, j, lane] - t0, coordinates[leaf, j + 1, lane] - t1
            e2, e3 = coordinates[leaf, j + 2, lane] - t2, coordinates[leaf, j + 3, lane] - t3
            e4 = coordinates[leaf, j + 4, lane] - t4
            out[lane] = ((((out[lane] + e0 * e0) + e1 * e1) + e2 * e2) + e3 * e3) + e4 * e4
    for j in range(five, d):
        t0 = target[j]
        for lane in range(WIDTH):
            e0 = coordinates[leaf, j, lane] - t0
            out[lane] += e0 * e0


@exact_kernel
def _box_distances(low: FloatArray, high: FloatArray, target: FloatArray, out: FloatArray) -> None:
    """Squared distances to boxes: rounding is monotone, so never above the computed distance of a record inside."""
    m = low.shape[1]
    out[:m] = 0.0
    for j in range(target.size):
        for b in range(m):
            gap = max(low[j, b] - target[j], target[j] - high[j, b], 0.0)
            out[b] += gap * gap


@kernel
def _cone_reach(axis: FloatArray, cone: FloatArray, direction: FloatArray, length: float, out: FloatArray) -> None:
    """Squared distances from a record that nothing inside the cones can exceed.

    With r and x seen from the origin, |r−x|² = |r|² + |x|² − 2 r·x. The product is bounded twice: by the angle
    between −r and the cone, and by the ball around the cone's centre.
    """
    m = axis.shape[1]
    out[:m] = 0.0
    for j in range(direction.size):
        for b in range(m):
            out[b] -= axis[j, b] * direction[j]
    for b in range(m):
        t = min(1.0, max(-1.0, out[b]))
        reach, opening = cone[0, b], cone[1, b]
        within = t * opening + np.sqrt(1.0 - t * t) * cone[2, b]
        angle = 1.0 if t >= opening else max(within, 0.0)
        by_angle = angle * np.sqrt(max(reach, 0.0))
        by_ball = cone[3, b] * t + cone[4, b]
        out[b] = (length * length + reach) * (1.0 + SLACK) + 2.0 * length * (min(by_angle, by_ball) + SLACK)


@exact_kernel
def _look_near(
    coordinates: FloatArray,
    records: IntArray,
    leaf: int,
    target: FloatArray,
    size: int,
    near: FloatArray,
    neighbours: IntArray,
    work: FloatArray,
) -> None:
    """Merge one leaf into the sorted list of the nearest; ties go to the lower record."""
    _distances(coordinates, leaf, target, work)
    worst = near[size - 1]
    for lane in range(WIDTH):
        value = work[lane]
        if value <= worst:
            i = records[leaf, lane]
            p = size - 1
            if value == worst and i > neighbours[p]:
                continue
            while p > 0 and (near[p - 1] > value or (near[p - 1] == value and neighbours[p - 1] > i)):
                near[p] = near[p - 1]
                neighbours[p] = neighbours[p - 1]
                p -= 1
            near[p] = value
            neighbours[p] = i
            worst = near[size - 1]


@exact_kernel
def _remember(bound: float, position: int, bounds: FloatArray, positions: IntArray) -> None:
    """Keep the smallest bounds seen so far, smallest first, with their positions."""
    p = bounds.size - 1
    while p > 0 and bounds[p - 1] > bound:
        bounds[p] = bounds[p - 1]
        positions[p] = positions[p - 1]
        p -= 1
    bounds[p] = bound
    positions[p] = position


@exact_kernel
def find_nearest(
    blocks: Blocks, target: FloatArray, home: int, wanted: int, near: FloatArray, found: IntArray, scratch: Scratch
) -> None:
    """Find the ``wanted`` records nearest to a point, nearest first, ties to the lower record."""
    # IN  target (d,) float64; home int, the bundle to look at first; wanted int
    # OUT near (≥ wanted,) float64 squared distances; found (≥ wanted,) int64 records
    bundle_bound, bound, leaf_bound, leaves = scratch.bundles, scratch.sixteen, scratch.leaves, scratch.ids
    coordinates, records = blocks.coordinates, blocks.records
    work, top, places = scratch.work, scratch.top, scratch.places
    top[:] = np.inf
    for p in range(wanted):
        near[p] = np.inf
        found[p] = np.iinfo(np.int64).max
    _box_distances(blocks.bundle_low, blocks.bundle_high, target, bundle_bound)
    bundles = blocks.bundle_alive.size
    count = 0
    for step in range(-1, bundles):
        b = home if step < 0 else step
        if bundle_bound[b] > near[wanted - 1] or bundle_bound[b] == np.inf:
            continue
        bundle_bound[b] = np.inf
        _box_distances(blocks.low[b], blocks.high[b], target, bound)
        for leaf in range(WIDTH):
            if bound[leaf] <= near[wanted - 1] and bound[leaf] < np.inf:
                if step < 0:
                    _look_near(coordinates, records, b * WIDTH + leaf, target, wanted, near, found, work)
                else:
                    leaf_bound[count] = bound[leaf]
                    leaves[count] = b * WIDTH + leaf
                    if leaf_bound[count] < top[BEST_FIRST - 1]:
                        _remember(leaf_bound[count], count, top, places)
                    count += 1
    # The closest few leaves first, then one sweep: nearly as good as a priority queue, and much lighter.
    for step in range(-min(count, BEST_FIRST), count):
        p = places[step + min(count, BEST_FIRST)] if step < 0 else step
        if leaf_bound[p] <= near[wanted - 1] and leaf_bound[p] < np.inf:
            _look_near(coordinates, records, leaves[p], target, wanted, near, found, work)
            leaf_bound[p] = np.inf


@exact_kernel
def _look_far(
    coordinates: FloatArray,
    records: IntArray,
    leaf: int,
    target: FloatArray,
    best: float,
    winner: int,
    work: FloatArray,
) -> tuple[float, int]:
    """Let the records of one leaf compete for the farthest; ties go to the lower record."""
    _distances(coordinates, leaf, target, work)
    for lane in range(WIDTH):
        if work[lane] >= best and (work[lane] > best or records[leaf, lane] < winner):
            best = work[lane]
            winner = records[leaf, lane]
    return best, winner


@exact_kernel
def find_farthest(blocks: Blocks, target: FloatArray, first: int, scratch: Scratch) -> int:
    """Find the record farthest from a point; ties to the lower record."""
    # IN  target (d,) float64; first int, a leaf where the search may start
    # OUT int64
    bundle_bound, bound, leaf_bound, leaves = scratch.bundles, scratch.sixteen, scratch.leaves, scratch.ids
    coordinates, records = blocks.coordinates, blocks.records
    work, top, places = scratch.work, scratch.top, scratch.places
    top[:] = np.inf
    direction = scratch.direction
    length = 0.0
    for j in range(target.size):
        direction[j] = target[j] - blocks.origin[j]
        length += direction[j] * direction[j]
    length = np.sqrt(length)
    if length > 0.0:
        for j in range(target.size):
            direction[j] /= length
    bundles = blocks.bundle_alive.size
    _cone_reach(blocks.bundle_axis, blocks.bundle_cone, direction, length, bundle_bound)
    best, winner = _look_far(coordinates, records, first, target, -1.0, np.iinfo(np.int64).max, work)
    count = 0
    places[:2] = 0
    # Two bundles at once, so that the list starts with a good candidate.
    for b in range(bundles):
        if -bundle_bound[b] < top[1]:
            _remember(-bundle_bound[b], b, top[:2], places[:2])
    opening = places[0], places[1]
    top[:] = np.inf
    for step in range(-min(2, bundles), bundles):
        b = step if step >= 0 else opening[step + min(2, bundles)]
        if bundle_bound[b] < best or bundle_bound[b] == -np.inf:
            continue
        bundle_bound[b] = -np.inf
        _cone_reach(blocks.axis[b], blocks.cone[b], direction, length, bound)
        for leaf in range(WIDTH):
            if bound[leaf] >= best and bound[leaf] > -np.inf:
                if step < 0:
                    best, winner = _look_far(coordinates, records, b * WIDTH + leaf, target, best, winner, work)
                else:
                    leaf_bound[count] = -bound[leaf]
                    leaves[count] = b * WIDTH + leaf
                    if leaf_bound[count] < top[BEST_FIRST - 1]:
                        _remember(leaf_bound[count], count, top, places)
                    count += 1
    for step in range(-min(count, BEST_FIRST), count):
        p = places[step + min(count, BEST_FIRST)] if step < 0 else step
        if leaf_bound[p] <= -best:
            best, winner = _look_far(coordinates, records, leaves[p], target, best, winner, work)
            leaf_bound[p] = np.inf
    return winner
