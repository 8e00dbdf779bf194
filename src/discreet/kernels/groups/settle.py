"""Relocations and swaps between neighbouring groups, group after group, while they help.

Most visits change nothing, all the more the longer it goes on, and that is seen without measuring. With u and v the
mean points of groups a and b of m and c records, an exchange of x for y changes the squared error by

    2 (u − v)·(x − y) − (1/m + 1/c) |x − y|²,

and a relocation of x from a to b by c/(c + 1) |x − v|² − m/(m − 1) |x − u|². Both are taken in single precision, eight
records at once, with coordinates as seen from a record of the pool; where all of them are above zero by more than
rounding explains, nothing can help. Every other pool is measured on its full coordinates, as the definition says: so
what is done does not depend on what was ruled out, to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.draws import below, uniform
from discreet.kernels.groups.pool import descend, gather, measure, pairwise, write_back
from discreet.kernels.jit import lean_kernel
from discreet.kernels.lanes import STEP, call_up, shift_lanes, swap_lanes
from discreet.kernels.stop import heed_stop
from discreet.typing import FloatArray, IntArray

__all__ = ["Room", "Views", "room_for", "settle", "views_for"]

# Groups in a pool.
POOLED = 5
# Let N be the largest squared distance of a record to the pool's origin. Coordinates are off by at most 2⁻²² √N and
# means as much, so products, sums and their d roundings add up to less than (184 + 12 d) 2⁻²⁴ N; twice that is allowed.
ROUNDING, ROUNDING_BY_COLUMN = 200.0 * 2.0**-23, 12.0 * 2.0**-23
# Of the next group's neighbours, the labels of so many are called up.
NEXT = 8
# Squares of what is smaller are lost in single precision.
LEAST_SQUARE = 1e-25


class Views(NamedTuple):
    """Groups in single precision; of G groups, S lanes, a multiple of eight."""

    lanes: NDArray[np.float32]  # (G, d, S) records as seen from the first of the group, 0 where there is none
    means: NDArray[np.float32]  # (G, d) their mean, as seen from there
    origins: FloatArray  # (G, d) the first record itself
    errors: FloatArray  # (G,) squared error as it is measured in a pool, NaN where the group has changed since


def views_for(groups: int, d: int, k: int) -> Views:
    """Room for views of groups of k records; larger ones are seen as far as they fit in."""
    lanes = np.zeros((groups, d, -(-k // STEP) * STEP), dtype=np.float32)
    return Views(lanes, np.empty((groups, d), dtype=np.float32), np.empty((groups, d)), np.full(groups, np.nan))


@lean_kernel
def _look(points: FloatArray, g: int, members: IntArray, size: int, views: Views) -> None:
    """Draw the view of a group anew, and measure it in the order in which a pool is measured."""
    d = points.shape[1]
    origin = members[g, 0]
    for j in range(d):
        views.origins[g, j] = points[origin, j]
        mean = 0.0
        for p in range(views.lanes.shape[2]):
            views.lanes[g, j, p] = 0.0
        for p in range(size):
            difference = points[members[g, p], j] - points[origin, j]
            mean += difference
            views.lanes[g, j, p] = difference
        views.means[g, j] = mean / size
    total = 0.0
    for p in range(size):
        row = 0.0
        for q in range(size):
            distance = 0.0
            for j in range(d):
                difference = points[members[g, p], j] - points[members[g, q], j]
                distance += difference * difference
            row += distance
        total += 0.5 * row
    views.errors[g] = max(total, 0.0) / size


@lean_kernel
def _relocation_may_help(
    lanes: NDArray[np.float32], means: NDArray[np.float32], a: int, m: int, b: int, c: int, room: float
) -> bool:
    for p in range(m):
        near, far = 0.0, 0.0
        for j in range(means.shape[1]):
            difference = lanes[a, j, p] - means[b, j]
            near += difference * difference
            difference = lanes[a, j, p] - means[a, j]
            far += difference * difference
        if not near * c / (c + 1) - far * m / (m - 1) > room:
            return True
    return False


class Room(NamedTuple):
    """Room for one pool of at most P records in five groups, for one thread."""

    pool: IntArray  # (5,) its groups
    records: IntArray  # (P,)
    before: IntArray  # (P,) the group of every record, as a place in the pool
    group: IntArray  # (P,) the same now
    D: FloatArray  # (P, P)
    columns: FloatArray  # (d, P)
    R: FloatArray  # (5, P)
    T: FloatArray  # (5,)
    counts: IntArray  # (5,)
    lanes: NDArray[np.float32]  # (5, d, S) the groups as seen from the first record of the first
    means: NDArray[np.float32]  # (5, d)
    norms: NDArray[np.float32]  # (5, S) squared distances to that record, −inf where there is none
    largest: NDArray[np.float32]  # (8,) the largest of them, lane by lane
    shift: NDArray[np.float32]  # (d,)


def room_for(d: int, k: int, views: Views) -> Room:
    """Room for one thread."""
    P, S = POOLED * (2 * k - 1), views.lanes.shape[2]
    records, before, group = np.empty((3, P), dtype=np.int64)
    return Room(
        pool=np.empty(POOLED, dtype=np.int64),
        records=records,
        before=before,
        group=group,
        D=np.empty((P, P)),
        columns=np.empty((d, P)),
        R=np.empty((POOLED, P)),
        T=np.empty(POOLED),
        counts=np.empty(POOLED, dtype=np.int64),
        lanes=np.empty((POOLED, d, S), dtype=np.float32),
        means=np.empty((POOLED, d), dtype=np.float32),
        norms=np.empty((POOLED, S), dtype=np.float32),
        largest=np.empty(STEP, dtype=np.float32),
        shift=np.empty(d, dtype=np.float32),
    )


@lean_kernel
def _is_quiet(
    points: FloatArray, k: int, groups: int, members: IntArray, sizes: IntArray, views: Views, room: Room
) -> bool:
    """Say that no relocation and no swap in a pool helps, as far as single precision can tell."""
    # OUT views of groups that have changed, drawn anew
    d, pool, lanes, means, shift = points.shape[1], room.pool, room.lanes, room.means, room.shift
    for q in range(groups):
        g = pool[q]
        if sizes[g] > lanes.shape[2]:
            return False
        if np.isnan(views.errors[g]):
            _look(points, g, members, sizes[g], views)
    origin = pool[0]
    for lane in range(STEP):
        room.largest[lane] = 0.0
    for q in range(groups):
        g = pool[q]
        for j in range(d):
            shift[j] = views.origins[g, j] - views.origins[origin, j]
            means[q, j] = views.means[g, j] + shift[j]
        shift_lanes(views.lanes, g, sizes[g], shift, q, lanes, room.norms, room.largest)
    square = room.largest[0]
    for lane in range(1, STEP):
        square = max(square, room.largest[lane])
    if not square > LEAST_SQUARE:
        return False
    rounding = (ROUNDING + ROUNDING_BY_COLUMN * d) * square
    most = 2 * k - 1
    for a in range(groups):
        m = sizes[pool[a]]
        for b in range(a + 1, groups):
            c = sizes[pool[b]]
            if swap_lanes(lanes, room.norms, means, a, m, b, 0.5 / m + 0.5 / c, 0.5 * rounding):
                return False
            if m > k and c < most and _relocation_may_help(lanes, means, a, m, b, c, rounding):
                return False
            if c > k and m < most and _relocation_may_help(lanes, means, b, c, a, m, rounding):
                return False
    return True


@lean_kernel
def _call_up_next(
    row: IntArray,
    lists: NDArray[np.int32],
    labels: IntArray,
    members: IntArray,
    sizes: IntArray,
    ids: IntArray,
    place: int,
) -> None:
    """Let memory bring what the next visits read, each a step further: one hangs on the other, and all lie apart."""
    if place + 3 >= ids.size:
        return
    g = ids[place + 3]
    call_up(members, g)
    call_up(sizes, g)
    call_up(row, members[ids[place + 2], 0])
    call_up(lists, row[members[ids[place + 1], 0]])
    near = row[members[ids[place], 0]]
    for p in range(min(lists.shape[1], NEXT)):
        call_up(labels, lists[near, p])


@lean_kernel
def _settle_region(
    points: FloatArray,
    k: int,
    row: IntArray,
    lists: NDArray[np.int32],
    labels: IntArray,
    members: IntArray,
    sizes: IntArray,
    costs: FloatArray,
    views: Views,
    region: NDArray[np.int32],
    ids: IntArray,
    here: int,
    state: NDArray[np.uint64],
    steps: int,
    room: Room,
) -> None:
    pool, records, before, group = room.pool, room.records, room.before, room.group
    place = 0
    for _ in range(steps):
        heed_stop()
        first = ids[place]
        place = place + 1 if place + 1 < ids.size else 0
        _call_up_next(row, lists, labels, members, sizes, ids, place)
        if sizes[first] == 0:
            continue
        # Here and below, what annealing draws to choose how many groups: so draws are the same in both.
        uniform(state)
        start = members[first, below(state, sizes[first])]
        groups = gather(labels, region, here, start, row, lists, state, POOLED, pool)
        uniform(state)
        if groups == 1:
            continue
        old = 0.0
        for q in range(groups):
            old += costs[pool[q]]
        if _is_quiet(points, k, groups, members, sizes, views, room):
            new = 0.0
            for q in range(groups):
                new += views.errors[pool[q]]
            # Not a gain but the same squared error, summed otherwise than when the group was formed.
            if old - new > 1e-13 * old:
                for q in range(groups):
                    costs[pool[q]] = views.errors[pool[q]]
            continue
        size = 0
        for q in range(groups):
            g = pool[q]
            for p in range(sizes[g]):
                records[size] = members[g, p]
                before[size] = q
                group[size] = q
                size += 1
        pairwise(points, records, size, room.columns, room.D)
        measure(room.D, size, groups, group, room.R, room.T, room.counts)
        gain = old - descend(room.D, size, groups, k, group, room.R, room.T, room.counts)
        if gain < 0.0 or gain <= 1e-13 * old:
            continue
        for p in range(size):
            if group[p] != before[p]:
                views.errors[pool[group[p]]] = np.nan
                views.errors[pool[before[p]]] = np.nan
        write_back(records, size, groups, group, room.T, room.counts, pool, labels, members, sizes, costs)


@lean_kernel
def settle(
    points: FloatArray,
    k: int,
    row: IntArray,
    lists: NDArray[np.int32],
    labels: IntArray,
    members: IntArray,
    sizes: IntArray,
    costs: FloatArray,
    views: Views,
    region: NDArray[np.int32],
    ids: IntArray,
    offsets: IntArray,
    states: NDArray[np.uint64],
    steps: int,
    start: int,
    stop: int,
    room: Room,
) -> None:
    """Visit the groups of some regions in turn, and relocate and swap records between each and its neighbours."""
    # IN  points (n, d) float64; row (n,) int64, its line in lists (r, m) int32; region (G,) int32;
    #     ids (G,) int64, groups region by region, and offsets (regions + 1,) int64, where each begins;
    #     steps int, visits to each of the regions start … stop−1
    # OUT labels (n,) int64; members (G, 2k−1) int64; sizes (G,) int64; costs (G,) float64; views;
    #     states (regions,) uint64
    for here in range(start, stop):
        _settle_region(
            points,
            k,
            row,
            lists,
            labels,
            members,
            sizes,
            costs,
            views,
            region,
            ids[offsets[here] : offsets[here + 1]],
            here,
            states[here : here + 1],
            steps,
            room,
        )
