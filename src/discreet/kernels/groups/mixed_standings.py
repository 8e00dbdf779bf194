"""Who is farthest from all that is left, asked again and again while records leave.

How far a record is from all is a sum over attributes that falls as records leave: its levels' distances from what is
left can only fall, and so can the number of records from whose mean its numbers are counted. A mean that moves adds at
most what it moved by, times that number. So what a record was once, with room for the moves since then, bounds what it
is. Records stand in leaves in the order of what they are when the leaves are made; a leaf's bound is the largest value
that was last found in it, and leaves are looked at from the largest bound on, as long as one reaches the best record.
Few do: what is farthest now was nearly so before.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.kernels.groups.mixed_leaves import WIDTH, LeafSearch, ShortCodes, short_codes
from discreet.kernels.jit import lean_kernel
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["Standings", "build_standings", "find_farthest", "leave_standings"]

# Sums are rounded: so much of the largest one is more than all of their rounding, and few records are so close.
_ROUNDING = 1e-9


class Standings(NamedTuple):
    """The arrays of one build; L leaves of W = 16 records, q attributes with levels, p with numbers."""

    records: IntArray  # (L, W) the record in each place, −1 where none
    place: IntArray  # (n,) position of a record in the flat ``records``
    codes: ShortCodes  # (L, q, W) levels, counted on over all attributes
    numbers: FloatArray  # (L, p, W)
    tree: FloatArray  # (2 T,) from T on what was last found in each leaf, less ``moved`` then; above, the larger of two
    moved: FloatArray  # (1,) what means have moved by since the build
    room: FloatArray  # (1,) for rounding
    target: FloatArray  # (p,) the means of the last question
    opened: IntArray  # (L,) the leaves that a question looks into
    largest: FloatArray  # (L,) what it finds in them
    sums: FloatArray  # (W,)


def build_standings(
    codes: CodeArray, numbers: FloatArray, places: IntArray, remaining: IntArray, question: LeafSearch
) -> Standings:
    """Build the standings of the remaining records, with the question how far each is from all of them."""
    values = np.zeros(remaining.size)
    for a in range(len(codes)):
        values += question.weights[places[a] + codes[a, remaining]]
    for a in range(len(numbers)):
        part = question.beta[a] + question.alpha[a] * np.abs(numbers[a, remaining] - question.target[a])
        values += np.where(np.isnan(part), question.gamma[a], part)
    order = np.argsort(-values, kind="stable")
    n_leaves, first = -(-order.size // WIDTH), 1 << (-(-order.size // WIDTH) - 1).bit_length()
    records = np.full(n_leaves * WIDTH, -1, dtype=np.int64)
    records[: order.size] = remaining[order]
    place = np.full(codes.shape[1], -1, dtype=np.int64)
    place[records[: order.size]] = np.arange(order.size)
    # In a place without a record any one will do: it is not looked at.
    stands = records.reshape(n_leaves, WIDTH)
    levels = (codes + places[:-1, None].astype(np.int32)).astype(short_codes(int(places[-1])))
    tree = np.full(2 * first, -np.inf)
    tree[first : first + n_leaves] = values[order[::WIDTH]]
    while first > 1:
        first //= 2
        tree[first : 2 * first] = tree[2 * first : 4 * first].reshape(first, 2).max(axis=1)
    return Standings(
        records=stands,
        place=place,
        codes=np.ascontiguousarray(levels[:, stands].swapaxes(0, 1)),
        numbers=np.ascontiguousarray(numbers[:, stands].swapaxes(0, 1)),
        tree=tree,
        moved=np.zeros(1),
        room=np.array([_ROUNDING * values.max()]),
        target=question.target.copy(),
        opened=np.empty(n_leaves, dtype=np.int64),
        largest=np.empty(n_leaves),
        sums=np.empty(WIDTH),
    )


@lean_kernel
def leave_standings(standings: Standings, i: int) -> None:
    """Take record ``i`` away; what was found in its leaf still bounds the others."""
    standings.records[standings.place[i] // WIDTH, standings.place[i] % WIDTH] = -1


@lean_kernel
def _set_bound(tree: FloatArray, leaf: int, value: float) -> None:
    node = tree.size // 2 + leaf
    tree[node] = value
    node //= 2
    while node > 0:
        larger = max(tree[2 * node], tree[2 * node + 1])
        if larger == tree[node]:
            break
        tree[node] = larger
        node //= 2


@lean_kernel
def find_farthest(standings: Standings, question: LeafSearch) -> int:
    """Find the record of the largest sum; ties go to the lower record. Questions come in the order of time."""
    codes, numbers, records, tree = standings.codes, standings.numbers, standings.records, standings.tree
    weights, sums = question.weights, standings.sums
    for a in range(numbers.shape[1]):
        standings.moved[0] += question.alpha[a] * abs(question.target[a] - standings.target[a])
        standings.target[a] = question.target[a]
    room = standings.moved[0] + standings.room[0]
    first, n_opened, best, winner = tree.size // 2, 0, -np.inf, -1
    while tree[1] > -np.inf and tree[1] + room >= best:
        node = 1
        while node < first:
            node *= 2
            if tree[node] < tree[node + 1]:
                node += 1
        leaf = node - first
        for lane in range(WIDTH):
            sums[lane] = 0.0
        for a in range(codes.shape[1]):
            for lane in range(WIDTH):
                sums[lane] += weights[codes[leaf, a, lane]]
        for a in range(numbers.shape[1]):
            t, alpha, beta, gamma = question.target[a], question.alpha[a], question.beta[a], question.gamma[a]
            for lane in range(WIDTH):
                value = numbers[leaf, a, lane]
                sums[lane] += gamma if math.isnan(value) else beta + alpha * abs(value - t)
        largest = -np.inf
        for lane in range(WIDTH):
            i, value = records[leaf, lane], sums[lane]
            if i >= 0:
                largest = max(largest, value)
                if value > best or (value == best and i < winner):
                    best, winner = value, i
        # Out of the way until all others are below the best.
        _set_bound(tree, leaf, -np.inf)
        standings.opened[n_opened], standings.largest[n_opened] = leaf, largest - standings.moved[0]
        n_opened += 1
    for t in range(n_opened):
        _set_bound(tree, standings.opened[t], standings.largest[t])
    return winner
