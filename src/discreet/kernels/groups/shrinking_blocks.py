"""Records in small blocks, for the nearest and the farthest record while records are taken away.

Sixteen records that lie close together form a leaf, sixteen leaves a bundle. Coordinates and boxes of the sixteen lie
side by side, so one pass over the columns treats all of them at once. They are kept in single precision, as seen from
the middle of their bundle, and only rule records out, with room for rounding; a record that they cannot rule out is
measured on its full coordinates, column after column: that sum, and with it every tie, is the one of the plain
definition.

The farthest record is sought like the nearest one, from the other side. With x and r seen from the origin,
|x − r|² = 2|x|² + 2|r|² − |x + r|²: what is far from r is far from the origin and near to the mirror image of r.

A record is deleted by writing NaN over its coordinates: no comparison with NaN is true, so it never wins again. The
boxes around it are drawn anew, and the structure is rebuilt when enough records have gone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import inlined_kernel, kernel, lean_kernel
from discreet.kernels.lanes import LEAF, box_lanes, lowest_bit, near_lanes
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = [
    "BEST_FIRST",
    "WIDTH",
    "Blocks",
    "Scratch",
    "build_blocks",
    "delete_record",
    "find_farthest",
    "find_nearest",
    "find_neighbours",
    "scratch_for",
    "select",
]

WIDTH = LEAF
# Bundles looked at in the order of their bounds before the rest is swept.
BEST_FIRST = 8
# What rounding explains. Let u be a distance, v what coordinates in single precision add to it: at most 2⁻²¹ times the
# radius of the bundle. (u + v)² ≤ (1 + 2⁻¹³) u² + (1 + 2¹³) v²; a sum of d squares adds at most d 2⁻²³ to the first.
GROWTH, GROWTH_BY_COLUMN = 2.0**-12, 2.0**-21
BLUR, LEAST = 2.0**-28, 1e-36
# Squares of what is larger would not fit into single precision, and what is smaller is not told from nothing by it.
WIDEST, FINEST = 2.0**40, 2.0**-126
# The same in double precision: relative to sums of squares, and of the mirror image to squared coordinates.
SLACK, MIRRORING = 1e-9, 1e-20


_Floats = NDArray[np.float32] | NDArray[np.float64]


class Blocks(NamedTuple):
    """The arrays of one build; L bundles, W = 16, d columns."""

    points: FloatArray  # (n, d) the records themselves
    records: IntArray  # (L·W, W) the record in each place, −1 where none
    place: IntArray  # (n,) position of a record in the flat ``records``
    coordinates: NDArray[np.float32]  # (L·W, d, W) leaf by leaf, a column's sixteen values together; NaN where none
    norms: FloatArray  # (L·W, W) squared distances from ``origin``, −inf where none
    low: NDArray[np.float32]  # (L, d, W) boxes of the leaves, seen from ``middle`` as coordinates are
    high: NDArray[np.float32]  # (L, d, W)
    reach: FloatArray  # (L, W) largest norm of each leaf
    middle: FloatArray  # (L, d) a point amidst each bundle
    blur: FloatArray  # (L,) what single precision may add to a squared distance
    bundle_low: FloatArray  # (d, L)
    bundle_high: FloatArray  # (d, L)
    bundle_reach: FloatArray  # (L,)
    origin: FloatArray  # (d,)
    scale: float  # a power of two, by which what is kept in single precision was multiplied; 1 unless numbers are huge


class Scratch(NamedTuple):
    """Room for one search; L bundles."""

    bundles: FloatArray  # (L,)
    boxes: NDArray[np.float32]  # (W,)
    image: FloatArray  # (d,)
    shifted: NDArray[np.float32]  # (d,)
    shifted_image: NDArray[np.float32]  # (d,)
    top: FloatArray  # (BEST_FIRST,)
    places: IntArray  # (BEST_FIRST,)


def scratch_for(blocks: Blocks) -> Scratch:
    """Room for searches in ``blocks``; one for each thread."""
    d = blocks.origin.size
    return Scratch(
        bundles=np.empty(blocks.blur.size),
        boxes=np.empty(WIDTH, dtype=np.float32),
        image=np.empty(d),
        shifted=np.empty(d, dtype=np.float32),
        shifted_image=np.empty(d, dtype=np.float32),
        top=np.empty(BEST_FIRST),
        places=np.zeros(BEST_FIRST, dtype=np.int64),
    )


@kernel
def select(keys: FloatArray, order: IntArray, start: int, stop: int, middle: int) -> None:
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
        select(keys, order, start, stop, middle)
        stack[depth, 0], stack[depth, 1] = start, middle
        stack[depth + 1, 0], stack[depth + 1, 1] = middle, stop
        depth += 2


@lean_kernel
def _enclose_leaf(blocks: Blocks, b: int, leaf: int) -> None:
    """Draw the box of a leaf around the records that it has, and find the largest norm."""
    row = b * WIDTH + leaf
    reach = -np.inf
    for lane in range(WIDTH):
        reach = max(reach, blocks.norms[row, lane])
    blocks.reach[b, leaf] = reach
    for j in range(blocks.origin.size):
        low, high = np.float32(np.inf), np.float32(-np.inf)
        for lane in range(WIDTH):
            value = blocks.coordinates[row, j, lane]
            # In this order, so that NaN is passed over.
            low = value if value < low else low  # noqa: FURB136
            high = value if value > high else high  # noqa: FURB136
        blocks.low[b, j, leaf], blocks.high[b, j, leaf] = low, high


@lean_kernel
def _enclose_bundle(blocks: Blocks, b: int) -> None:
    """Draw the box of a bundle around those of its leaves, a little wider than rounding asks for."""
    reach = -np.inf
    for leaf in range(WIDTH):
        reach = max(reach, blocks.reach[b, leaf])
    blocks.bundle_reach[b] = reach
    for j in range(blocks.origin.size):
        low, high = np.float32(np.inf), np.float32(-np.inf)
        for leaf in range(WIDTH):
            low = min(low, blocks.low[b, j, leaf])
            high = max(high, blocks.high[b, j, leaf])
        middle = blocks.middle[b, j]
        blocks.bundle_low[j, b], blocks.bundle_high[j, b] = np.inf, -np.inf
        if low <= high:
            below, above = low / blocks.scale, high / blocks.scale
            room = 2.0**-50 * abs(middle) + FINEST / blocks.scale
            blocks.bundle_low[j, b] = middle + below - 2.0**-22 * abs(below) - room
            blocks.bundle_high[j, b] = middle + above + 2.0**-22 * abs(above) + room


@lean_kernel
def _fill(blocks: Blocks) -> None:
    """Write the leaves and bundles of an arrangement."""
    points, d = blocks.points, blocks.origin.size
    for b in range(blocks.blur.size):
        heed_stop()
        for j in range(d):
            low, high = np.inf, -np.inf
            for row in range(b * WIDTH, (b + 1) * WIDTH):
                for lane in range(WIDTH):
                    i = blocks.records[row, lane]
                    if i >= 0:
                        low = min(low, points[i, j])
                        high = max(high, points[i, j])
            blocks.middle[b, j] = 0.5 * (low + high)
        radius = 0.0
        for row in range(b * WIDTH, (b + 1) * WIDTH):
            for lane in range(WIDTH):
                i = blocks.records[row, lane]
                if i < 0:
                    continue
                blocks.place[i] = row * WIDTH + lane
                norm, square = 0.0, 0.0
                for j in range(d):
                    norm += (points[i, j] - blocks.origin[j]) ** 2
                    difference = (points[i, j] - blocks.middle[b, j]) * blocks.scale
                    square += difference * difference
                    blocks.coordinates[row, j, lane] = difference
                blocks.norms[row, lane] = norm
                radius = max(radius, square)
        blocks.blur[b] = BLUR * radius + LEAST
        for leaf in range(WIDTH):
            _enclose_leaf(blocks, b, leaf)
        _enclose_bundle(blocks, b)


def build_blocks(points: FloatArray, remaining: IntArray, origin: FloatArray) -> Blocks:
    """Build the blocks of the remaining records; O(m log m) time, linear memory."""
    n, d = points.shape
    order = remaining.copy()
    arrange(points, order, WIDTH)
    bundles = -(-order.size // WIDTH**2)
    records = np.full(bundles * WIDTH**2, -1, dtype=np.int64)
    records[: order.size] = order
    leaves = bundles * WIDTH
    # Of all records, also of those that are gone: what is looked for may be one of them.
    widest = max(float((points.max(axis=0) - origin).max()), float((origin - points.min(axis=0)).max()))
    scale = 1.0 if widest <= WIDEST else 2.0 ** -np.ceil(np.log2(widest))
    blocks = Blocks(
        points=points,
        records=records.reshape(leaves, WIDTH),
        place=np.full(n, -1, dtype=np.int64),
        coordinates=np.full((leaves, d, WIDTH), np.nan, dtype=np.float32),
        norms=np.full((leaves, WIDTH), -np.inf),
        low=np.empty((bundles, d, WIDTH), dtype=np.float32),
        high=np.empty((bundles, d, WIDTH), dtype=np.float32),
        reach=np.empty((bundles, WIDTH)),
        middle=np.empty((bundles, d)),
        blur=np.empty(bundles),
        bundle_low=np.empty((d, bundles)),
        bundle_high=np.empty((d, bundles)),
        bundle_reach=np.empty(bundles),
        origin=origin,
        scale=float(scale),
    )
    _fill(blocks)
    return blocks


@lean_kernel
def delete_record(blocks: Blocks, i: int) -> None:
    """Take record ``i`` away; a leaf or bundle without records is never looked at again."""
    place = blocks.place[i]
    lane, row = place % WIDTH, place // WIDTH
    b = row // WIDTH
    for j in range(blocks.origin.size):
        blocks.coordinates[row, j, lane] = np.nan
    blocks.norms[row, lane] = -np.inf
    _enclose_leaf(blocks, b, row % WIDTH)
    _enclose_bundle(blocks, b)


@lean_kernel
def _box_distances(low: _Floats, high: _Floats, target: _Floats, out: _Floats) -> None:
    """Squared distances to boxes."""
    m = low.shape[1]
    for b in range(m):
        out[b] = 0.0
    for j in range(target.size):
        t = target[j]
        nothing = t - t
        for b in range(m):
            gap = max(low[j, b] - t, t - high[j, b], nothing)
            out[b] += gap * gap


@lean_kernel
def _remember(bound: float, position: int, bounds: FloatArray, positions: IntArray) -> None:
    """Keep the smallest bounds seen so far, smallest first, with their positions."""
    p = bounds.size - 1
    while p > 0 and bounds[p - 1] > bound:
        bounds[p] = bounds[p - 1]
        positions[p] = positions[p - 1]
        p -= 1
    bounds[p] = bound
    positions[p] = position


@lean_kernel
def _compete(value: float, i: int, size: int, values: FloatArray, winners: IntArray) -> None:
    """Insert a record into the list of the smallest values; ties go to the lower record."""
    p = size - 1
    if value > values[p] or (value == values[p] and i > winners[p]):
        return
    while p > 0 and (values[p - 1] > value or (values[p - 1] == value and winners[p - 1] > i)):
        values[p] = values[p - 1]
        winners[p] = winners[p - 1]
        p -= 1
    values[p] = value
    winners[p] = i


@inlined_kernel
def _open_bundle(
    blocks: Blocks,
    b: int,
    target: FloatArray,
    length: float,
    size: int,
    far: bool,
    values: FloatArray,
    winners: IntArray,
    scratch: Scratch,
) -> None:
    """Let the records of one bundle compete."""
    d = target.size
    growth, blur = 1.0 + GROWTH + GROWTH_BY_COLUMN * d, blocks.blur[b]
    squared = blocks.scale * blocks.scale
    shifted, image, boxes = scratch.shifted, scratch.shifted, scratch.boxes
    for j in range(d):
        shifted[j] = (target[j] - blocks.middle[b, j]) * blocks.scale
    room = values[size - 1]
    if far:
        image = scratch.shifted_image
        for j in range(d):
            image[j] = (scratch.image[j] - blocks.middle[b, j]) * blocks.scale
        room += 2.0 * (1.0 + SLACK) * blocks.bundle_reach[b] + length
    # As wide as single precision may make it; what is between is told apart below.
    leaves = box_lanes(blocks.low, blocks.high, b, image, (room * squared * growth + blur) * (1.0 + GROWTH), boxes)
    while leaves:
        leaf = lowest_bit(leaves)
        leaves &= leaves - 1
        room = values[size - 1]
        if far:
            room += 2.0 * (1.0 + SLACK) * blocks.reach[b, leaf] + length
        if not boxes[leaf] <= room * squared * growth + blur or boxes[leaf] == np.inf:
            continue
        row = b * WIDTH + leaf
        least, most = np.float32(-np.inf), np.float32(np.inf)
        if far:
            least = np.float32(-values[size - 1] * squared * (2.0 - growth) - blur)
        else:
            most = np.float32(values[size - 1] * squared * growth + blur)
        candidates = near_lanes(blocks.coordinates, row, shifted, least, most)
        while candidates:
            i = blocks.records[row, lowest_bit(candidates)]
            candidates &= candidates - 1
            value = 0.0
            for j in range(d):
                difference = blocks.points[i, j] - target[j]
                value += difference * difference
            _compete(-value if far else value, i, size, values, winners)


@lean_kernel
def _promising(
    blocks: Blocks,
    target: FloatArray,
    home: int,
    size: int,
    far: bool,
    values: FloatArray,
    winners: IntArray,
    image: FloatArray,
    bounds: FloatArray,
    top: FloatArray,
    places: IntArray,
) -> float:
    """Begin a search: bounds of all bundles, and the few that promise most; returns what the mirror image adds."""
    # IN  target (d,) float64; home int, the bundle to look at first; size int, how many; far bool
    # OUT values (≥ size,) float64 and winners (≥ size,) int64, without a record yet; image (d,) float64;
    #     bounds (L,) float64, the least that each bundle can have; top float64 and places int64 (BEST_FIRST,)
    length, scale = 0.0, 0.0
    for j in range(target.size):
        image[j] = target[j]
        if far:
            image[j] = 2.0 * blocks.origin[j] - target[j]
            length += (target[j] - blocks.origin[j]) ** 2
            scale += (abs(target[j]) + abs(blocks.origin[j])) ** 2
    length = 2.0 * (1.0 + SLACK) * length + MIRRORING * scale
    for p in range(size):
        values[p] = np.inf
        winners[p] = np.iinfo(np.int64).max
    for p in range(BEST_FIRST):
        top[p] = np.inf
        places[p] = home
    _box_distances(blocks.bundle_low, blocks.bundle_high, image, bounds)
    for b in range(bounds.size):
        bounds[b] *= 1.0 - SLACK
        if far:
            bounds[b] -= 2.0 * (1.0 + SLACK) * blocks.bundle_reach[b] + length
        if bounds[b] < top[BEST_FIRST - 1]:
            _remember(bounds[b], b, top, places)
    return length


@lean_kernel
def _search(
    blocks: Blocks,
    target: FloatArray,
    home: int,
    size: int,
    far: bool,
    values: FloatArray,
    winners: IntArray,
    scratch: Scratch,
) -> None:
    """Find the records of the smallest squared distances, or of the largest, which are then negative."""
    # IN  target (d,) float64; home int, the bundle to look at first; size int, how many; far bool
    # OUT values (≥ size,) float64, smallest first; winners (≥ size,) int64
    bounds, top, places = scratch.bundles, scratch.top, scratch.places
    length = _promising(blocks, target, home, size, far, values, winners, scratch.image, bounds, top, places)
    # The closest few first, then one sweep: nearly as good as a priority queue, and much lighter.
    for step in range(-1 - BEST_FIRST, bounds.size):
        b = step
        if step < 0:
            b = home if step < -BEST_FIRST else places[step + BEST_FIRST]
        if bounds[b] > values[size - 1] or bounds[b] == np.inf:
            continue
        bounds[b] = np.inf
        _open_bundle(blocks, b, target, length, size, far, values, winners, scratch)


@lean_kernel
def find_neighbours(
    blocks: Blocks,
    leaf: int,
    wanted: int,
    near: FloatArray,
    neighbours: IntArray,
    bounds: FloatArray,
    places: IntArray,
    scratch: Scratch,
) -> None:
    """Find the ``wanted`` records nearest to each record of a leaf, as :func:`find_nearest` does for one.

    What is near to one of them is near to all, so a bundle is brought from memory once for the sixteen.
    """
    # OUT near (16, wanted) float64 squared distances; neighbours (16, wanted) int64 records;
    #     bounds (16, L) float64 and places (16, BEST_FIRST) int64, scratch
    records, points, home = blocks.records[leaf], blocks.points, leaf // WIDTH
    for lane in range(WIDTH):
        i = records[lane]
        if i >= 0:
            values, winners, image, top = near[lane], neighbours[lane], scratch.image, scratch.top
            target, own, first = points[i], bounds[lane], places[lane]
            _promising(blocks, target, home, wanted, False, values, winners, image, own, top, first)
    for step in range(-1 - BEST_FIRST, bounds.shape[1]):
        for lane in range(WIDTH):
            i = records[lane]
            if i < 0:
                continue
            b = step
            if step < 0:
                b = home if step < -BEST_FIRST else places[lane, step + BEST_FIRST]
            if bounds[lane, b] > near[lane, wanted - 1] or bounds[lane, b] == np.inf:
                continue
            bounds[lane, b] = np.inf
            _open_bundle(blocks, b, points[i], 0.0, wanted, False, near[lane], neighbours[lane], scratch)


@lean_kernel
def find_nearest(
    blocks: Blocks, target: FloatArray, home: int, wanted: int, near: FloatArray, found: IntArray, scratch: Scratch
) -> None:
    """Find the ``wanted`` records nearest to a point, nearest first, ties to the lower record."""
    # IN  target (d,) float64; home int, the bundle to look at first; wanted int
    # OUT near (≥ wanted,) float64 squared distances; found (≥ wanted,) int64 records
    _search(blocks, target, home, wanted, False, near, found, scratch)


@lean_kernel
def find_farthest(
    blocks: Blocks, target: FloatArray, home: int, wanted: int, far: FloatArray, found: IntArray, scratch: Scratch
) -> None:
    """Find the ``wanted`` records farthest from a point, farthest first, ties to the lower record."""
    # IN  target (d,) float64; home int, the bundle to look at first; wanted int
    # OUT far (≥ wanted,) float64 squared distances, negative; found (≥ wanted,) int64 records
    _search(blocks, target, home, wanted, True, far, found, scratch)
