"""Groups and prototypes that keep tables of counts: what a release costs in tables, distance and entropy, made small.

Attributes have codes. The distance of two codes of attribute ``a`` is an entry of `table`, the square of ``sizes[a]``
entries that begins at ``starts[a]``; `joint` has the same layout and holds the weight of every original (row) and
released (column) level. `cells` holds released less original weight of every cell: the one-way table of ``a`` begins at
``pairs[a, a]``, the two-way table of ``a > b`` at ``pairs[a, b]``, or is left out where that is negative. `released`
holds the weight of every released level, those of attribute ``a`` from ``places[a]`` on. `bit_cost` is what a bit of
each attribute counts for. Ties go to the lowest index, and what is as good stays.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray

__all__ = ["fill_tables", "move_records", "settle_prototypes"]

_SLACK = 1e-9


@exact_kernel
def _bits(x: float) -> float:
    """Return x log₂ x."""
    return x * math.log2(x) if x > 0.0 else 0.0


@exact_kernel
def _put(
    codes: CodeArray,  # IN (q, m) int32
    i: int,  # IN the record
    weight: float,  # IN what is put there; negative to take it away
    prototype: CodeArray,  # IN (q,) int32
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    places: IntArray,  # IN (q,) int64
    pairs: IntArray,  # IN (q, q) int64
    cells: FloatArray,  # IN, OUT (all cells,) float64
    joint: FloatArray,  # IN, OUT (t,) float64
    released: FloatArray,  # IN, OUT (all levels,) float64
) -> None:
    """Release a record as a prototype."""
    for a in range(starts.size):
        v = prototype[a]
        released[places[a] + v] += weight
        joint[starts[a] + codes[a, i] * sizes[a] + v] += weight
        cells[pairs[a, a] + v] += weight
        for b in range(a):
            if pairs[a, b] >= 0:
                cells[pairs[a, b] + v * sizes[b] + prototype[b]] += weight


@exact_kernel
def _price(
    codes: CodeArray,  # IN (q, m) int32
    i: int,  # IN the record
    weight: float,  # IN its weight
    prototype: CodeArray,  # IN (q,) int32
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    places: IntArray,  # IN (q,) int64
    pairs: IntArray,  # IN (q, q) int64
    bit_cost: FloatArray,  # IN (q,) float64
    tables: int,  # IN how many tables are looked at
    cells: FloatArray,  # IN (all cells,) float64
    joint: FloatArray,  # IN (t,) float64
    released: FloatArray,  # IN (all levels,) float64
) -> float:
    """Return what it costs to release a record, which is nowhere yet, as a prototype."""
    off, far, bits = 0.0, 0.0, 0.0
    for a in range(starts.size):
        v = prototype[a]
        at = starts[a] + codes[a, i] * sizes[a] + v
        x, y, z = cells[pairs[a, a] + v], released[places[a] + v], joint[at]
        off += abs(x + weight) - abs(x)
        far += table[at]
        bits += bit_cost[a] * (_bits(y + weight) - _bits(y) - _bits(z + weight) + _bits(z))
        for b in range(a):
            if pairs[a, b] >= 0:
                x = cells[pairs[a, b] + v * sizes[b] + prototype[b]]
                off += abs(x + weight) - abs(x)
    return off / (2.0 * tables) + (weight * far + bits) / starts.size


@exact_kernel
def fill_tables(
    codes: CodeArray,  # IN (q, m) int32
    weights: FloatArray,  # IN (m,) float64
    labels: IntArray,  # IN (m,) int64
    prototypes: CodeArray,  # IN (groups, q) int32
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    places: IntArray,  # IN (q,) int64
    pairs: IntArray,  # IN (q, q) int64
    cells: FloatArray,  # OUT (all cells,) float64
    joint: FloatArray,  # OUT (t,) float64
    released: FloatArray,  # OUT (all levels,) float64
) -> None:
    """Count original and released levels."""
    cells[:] = 0.0
    joint[:] = 0.0
    released[:] = 0.0
    for i in range(labels.size):
        heed_stop()
        for a in range(starts.size):
            cells[pairs[a, a] + codes[a, i]] -= weights[i]
            for b in range(a):
                if pairs[a, b] >= 0:
                    cells[pairs[a, b] + codes[a, i] * sizes[b] + codes[b, i]] -= weights[i]
        _put(codes, i, weights[i], prototypes[labels[i]], starts, sizes, places, pairs, cells, joint, released)


@exact_kernel
def settle_prototypes(
    codes: CodeArray,  # IN (q, m) int32
    weights: FloatArray,  # IN (m,) float64
    order: IntArray,  # IN (m,) int64, records group by group
    offsets: IntArray,  # IN (groups + 1,) int64
    ordered: BoolArray,  # IN (q,) bool, whether levels between those of a group may stand for it
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64, the last level is the missing value
    places: IntArray,  # IN (q,) int64
    pairs: IntArray,  # IN (q, q) int64
    bit_cost: FloatArray,  # IN (q,) float64
    tables: int,  # IN how many tables are looked at
    cells: FloatArray,  # IN, OUT (all cells,) float64
    joint: FloatArray,  # IN, OUT (t,) float64
    released: FloatArray,  # IN, OUT (all levels,) float64
    inside: FloatArray,  # BUFFER (largest size,) float64
    prototypes: CodeArray,  # IN, OUT (groups, q) int32
) -> int:
    """Choose for every group and attribute the level that costs least, all others as they are; return the changes."""
    q, changes = starts.size, 0
    for g in range(offsets.size - 1):
        heed_stop()
        for a in range(q):
            size, start, place = sizes[a], starts[a], places[a]
            inside[:size] = 0.0
            total = 0.0
            low, high = size, -1
            for p in range(offsets[g], offsets[g + 1]):
                u = codes[a, order[p]]
                inside[u] += weights[order[p]]
                total += weights[order[p]]
                if u < size - 1:
                    low, high = min(low, u), max(high, u)
            old = prototypes[g, a]
            # Out of the tables with the level as it was, in again with the one that is chosen.
            cheapest, best = old, np.inf
            for entering in range(2):
                sign = total if entering else -total
                level = cheapest if entering else old
                released[place + level] += sign
                cells[pairs[a, a] + level] += sign
                for u in range(size):
                    joint[start + u * size + level] += inside[u] if entering else -inside[u]
                for b in range(q):
                    first, second = max(a, b), min(a, b)
                    if b != a and pairs[first, second] >= 0:
                        x, y = (level, prototypes[g, b]) if a > b else (prototypes[g, b], level)
                        cells[pairs[first, second] + x * sizes[second] + y] += sign
                if entering:
                    break
                for step in range(size + 1):
                    v = old if step == 0 else step - 1  # what is as good stays
                    between = ordered[a] and low <= v <= high
                    if step > 0 and not between and inside[v] == 0.0:
                        continue
                    x, y = cells[pairs[a, a] + v], released[place + v]
                    off = abs(x + total) - abs(x)
                    bits = _bits(y + total) - _bits(y)
                    far = 0.0
                    for b in range(q):
                        first, second = max(a, b), min(a, b)
                        if b != a and pairs[first, second] >= 0:
                            r, c = (v, prototypes[g, b]) if a > b else (prototypes[g, b], v)
                            x = cells[pairs[first, second] + r * sizes[second] + c]
                            off += abs(x + total) - abs(x)
                    for u in range(size):
                        if inside[u] > 0.0:
                            z = joint[start + u * size + v]
                            far += inside[u] * table[start + u * size + v]
                            bits += _bits(z) - _bits(z + inside[u])
                    cost = off / (2.0 * tables) + (far + bit_cost[a] * bits) / q
                    if cost < best - _SLACK:
                        cheapest, best = v, cost
            if cheapest != old:
                prototypes[g, a] = cheapest
                changes += 1
    return changes


@exact_kernel
def _nearest_groups(
    codes: CodeArray,  # IN (q, m) int32
    i: int,  # IN the record
    own: int,  # IN its group, which is left out
    prototypes: CodeArray,  # IN (groups, q) int32
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    near: IntArray,  # OUT (l,) int64, nearest first
    distance: FloatArray,  # BUFFER (l,) float64
) -> int:
    """List the groups with the nearest prototypes; return how many."""
    n_near = 0
    for g in range(prototypes.shape[0]):
        if g == own:
            continue
        total = 0.0
        for a in range(starts.size):
            total += table[starts[a] + codes[a, i] * sizes[a] + prototypes[g, a]]
        if n_near == near.size and total >= distance[n_near - 1]:
            continue
        p = n_near if n_near < near.size else n_near - 1
        while p > 0 and distance[p - 1] > total:
            distance[p], near[p] = distance[p - 1], near[p - 1]
            p -= 1
        distance[p], near[p] = total, g
        n_near = min(n_near + 1, near.size)
    return n_near


@exact_kernel
def move_records(
    codes: CodeArray,  # IN (q, m) int32
    weights: FloatArray,  # IN (m,) float64
    counts: IntArray,  # IN (m,) int64, how many records of the file are like this one
    k: int,  # IN the smallest group
    prototypes: CodeArray,  # IN (groups, q) int32
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    places: IntArray,  # IN (q,) int64
    pairs: IntArray,  # IN (q, q) int64
    bit_cost: FloatArray,  # IN (q,) float64
    tables: int,  # IN how many tables are looked at
    cells: FloatArray,  # IN, OUT (all cells,) float64
    joint: FloatArray,  # IN, OUT (t,) float64
    released: FloatArray,  # IN, OUT (all levels,) float64
    near: IntArray,  # BUFFER (l,) int64, how many groups a record looks at
    distance: FloatArray,  # BUFFER (l,) float64
    labels: IntArray,  # IN, OUT (m,) int64
) -> int:
    """Let every record move to a near group, or change places with a record of one, where that costs less.

    No group falls below k. Return how many records went.
    """
    m, groups = labels.size, prototypes.shape[0]
    members = np.zeros(groups, dtype=np.int64)
    head, after, before = np.full(groups, -1), np.full(m, -1), np.full(m, -1)
    for i in range(m - 1, -1, -1):
        g = labels[i]
        members[g] += counts[i]
        after[i] = head[g]
        if head[g] >= 0:
            before[head[g]] = i
        head[g] = i
    how = (starts, sizes, places, pairs)
    state = (cells, joint, released)
    moved = 0
    for i in range(m):
        heed_stop()
        g, w = labels[i], weights[i]
        n_near = _nearest_groups(codes, i, g, prototypes, table, starts, sizes, near, distance)
        _put(codes, i, -w, prototypes[g], *how, *state)
        best = _price(codes, i, w, prototypes[g], table, *how, bit_cost, tables, *state) - _SLACK
        target, partner = g, -1
        for p in range(n_near):
            h = near[p]
            there = _price(codes, i, w, prototypes[h], table, *how, bit_cost, tables, *state)
            if members[g] - counts[i] >= k:
                if there < best:
                    best, target, partner = there, h, -1
                continue
            _put(codes, i, w, prototypes[h], *how, *state)
            j = head[h]
            while j >= 0:
                if members[g] - counts[i] + counts[j] >= k and members[h] - counts[j] + counts[i] >= k:
                    _put(codes, j, -weights[j], prototypes[h], *how, *state)
                    leaving = _price(codes, j, weights[j], prototypes[h], table, *how, bit_cost, tables, *state)
                    coming = _price(codes, j, weights[j], prototypes[g], table, *how, bit_cost, tables, *state)
                    _put(codes, j, weights[j], prototypes[h], *how, *state)
                    if there + coming - leaving < best:
                        best, target, partner = there + coming - leaving, h, j
                j = after[j]
            _put(codes, i, -w, prototypes[h], *how, *state)
        _put(codes, i, w, prototypes[target], *how, *state)
        if target == g:
            continue
        if partner >= 0:
            _put(codes, partner, -weights[partner], prototypes[target], *how, *state)
            _put(codes, partner, weights[partner], prototypes[g], *how, *state)
        for step in range(2):
            r = i if step == 0 else partner
            if r < 0:
                continue
            old, new = labels[r], target if step == 0 else g
            if before[r] >= 0:
                after[before[r]] = after[r]
            else:
                head[old] = after[r]
            if after[r] >= 0:
                before[after[r]] = before[r]
            before[r], after[r] = -1, head[new]
            if head[new] >= 0:
                before[head[new]] = r
            head[new] = r
            labels[r] = new
            members[old] -= counts[r]
            members[new] += counts[r]
            moved += 1
    return moved
