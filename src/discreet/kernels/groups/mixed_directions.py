"""The record farthest from another one, sought in leaves by what lies farthest in each of a few directions.

Bounds by ranges add up what is largest in each attribute, as if one record had it all. Here some attributes, those in
which that errs the most, have a few profiles, and a direction is a choice of one profile in each. Of every direction a
leaf knows the largest sum that a record in it has. A record at t is no farther from one at x than the largest of a few
sums, one for each profile: of a part that depends on x alone and one that depends on t alone. On a line two profiles,
its poles, are enough: x − t and t − x, and there the bound of a leaf is what is largest in it and not only a bound.

Sums of directions are of single precision, so a bound leaves room for rounding; who is farthest, and every tie, is
decided by the sums of the plain definition.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.kernels.groups.mixed_leaves import BEST_FIRST, WIDTH, LeafSearch, Leaves, ShortCodes, open_bundle
from discreet.kernels.jit import lean_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray, SingleArray

__all__ = ["Directions", "build_directions", "find_opposite"]

# With each doubling of the profiles of an attribute leaves know twice as many sums.
MOST_DOUBLINGS = 9
MOST_PROFILES = 16
MOST_MEDOIDS = 32
# Numbers that lie farther apart than this have no poles: their sums might exceed what single precision holds.
_FARTHEST = 1e30
_LEAST_GAIN = 1e-4  # of the largest sum, for which directions are doubled
# Shares of the largest sums: more than what is rounded in single and in double precision.
_SINGLE, _DOUBLE = 1e-6, 1e-12


class Directions(NamedTuple):
    """The arrays of one build; D directions, B bundles, W = 16, q attributes with levels, p with numbers."""

    levels: IntArray  # attributes with levels that have poles
    numbers: IntArray  # attributes with numbers that have
    other_levels: IntArray  # those that have none
    other_numbers: IntArray
    n_profiles: IntArray  # (q + p,)
    parts: FloatArray  # (2, K, levels) of a sum: of a record's level, and of that of the one that a question is of
    middle: FloatArray  # (p,) from which numbers count in sums
    absent: FloatArray  # (p,)
    sums: SingleArray  # (B, D, W) the largest in a leaf
    bundle_sums: SingleArray  # (D, B)
    room: FloatArray  # (1,) for rounding
    asked: IntArray  # (D,) the directions that bound a question
    aim: SingleArray  # (D,) its parts of their sums
    record_sums: FloatArray  # (2, D) those of one record, and the largest of a leaf
    highest: SingleArray  # (≥ B, W) the largest sum and aim of a node


class Profiles(NamedTuple):
    """Of one attribute: what a bound adds for a level x and for the level t that a question is of, the largest of K."""

    reach: FloatArray  # (K, levels) the part of x
    aims: FloatArray  # (K, levels) the part of t, −∞ where another one bounds it
    excess: float  # by how much the bound is above the distance, in the mean


def _poles(square: FloatArray, present: BoolArray, share: FloatArray, asked: FloatArray) -> Profiles:
    """Return two profiles, the distances from either end: no bound is tighter where levels stand on a line."""
    first = np.argmax(np.where(present, square @ share, -np.inf))
    reach = np.array([square[first], square[np.argmax(np.where(present, square[first], -np.inf))]])
    # Whoever is not nearer than t to the first pole is bounded by how far it is from there, all others from the second.
    beyond = np.subtract.outer(reach[0] - reach[1], reach[0] - reach[1]) <= 0.0
    above = np.where(present, square - reach[:, None, :], -np.inf)
    aims = np.array([np.where(beyond, above[0], -np.inf).max(axis=1), np.where(beyond, -np.inf, above[1]).max(axis=1)])
    bound = (aims[:, :, None] + reach[:, None, :]).max(axis=0)
    return Profiles(reach, aims, float(asked @ (bound - square) @ share - (asked * share) @ np.diag(bound)))


def _medoids(square: FloatArray, present: BoolArray, share: FloatArray, asked: FloatArray) -> list[Profiles]:
    """Return one, two, four … profiles, the distances from levels like which others are; the first is 0 for all."""
    size, likely = len(square), np.argsort(-asked, kind="stable")[:MOST_MEDOIDS]
    likely = likely[present[likely]]
    reach, aims = np.zeros((1 + likely.size, size)), np.empty((1 + likely.size, size))
    reach[1:] = square[likely]
    for r in range(len(reach)):
        aims[r] = np.where(present, square - reach[r], -np.inf).max(axis=1)
    # That a record has the very level that a question is of is left out: it is rare for those that are far.
    excess = aims * (1.0 - share) + (reach @ share)[:, None] - reach * share - square @ share
    members, options = [0], []
    while True:
        if len(members) & (len(members) - 1) == 0:
            nearest = np.argmin(excess[members], axis=0)
            own = np.where(np.arange(len(members))[:, None] == nearest, aims[members], -np.inf)
            options.append(Profiles(reach[members], own, float(asked @ excess[members].min(axis=0))))
        if len(members) == min(MOST_PROFILES, len(reach)):
            return options
        members.append(int(np.argmin(np.minimum(excess, excess[members].min(axis=0)) @ asked)))


def _profiles_of_levels(square: FloatArray, counts: IntArray) -> list[Profiles]:
    """Return the profiles that an attribute may have: one, two, four and so on."""
    present, share = counts > 0, counts / counts.sum()
    # Questions are of outlying records, whose levels are not the usual ones.
    asked = (share + present / present.sum()) / 2.0
    options = _medoids(square, present, share, asked)
    poles = _poles(square, present, share, asked)
    return [poles if len(one.reach) > 1 and poles.excess <= one.excess else one for one in options]


def _excess_of_numbers(values: FloatArray) -> float:
    """Return by how much the largest distance from a number is above the usual one."""
    low, high = values.min(), values.max()
    if not high - low < _FARTHEST:
        return 0.0
    return float(
        np.maximum(values - low, high - values).mean() - np.abs(values - np.roll(values, values.size // 2)).mean()
    )


def build_directions(
    codes: CodeArray,
    numbers: FloatArray,
    table: FloatArray,
    starts: IntArray,
    places: IntArray,
    absent: FloatArray,
    remaining: IntArray,
    leaves: Leaves,
) -> Directions:
    """Build the sums of the remaining records, which are in `leaves`; linear time and memory."""
    q, p, bundles = len(codes), len(numbers), leaves.bundle_alive.size
    parts = np.zeros((2, MOST_PROFILES, int(places[-1])))
    middle, single, double = np.zeros(p), np.zeros(q + p), np.zeros(q + p)
    options: list[list[Profiles]] = []
    excesses: list[list[float]] = []
    for a in range(q):
        size = int(places[a + 1] - places[a])
        square = table[starts[a] : starts[a] + size * size].reshape(size, size)
        options.append(_profiles_of_levels(square, np.bincount(codes[a, remaining], minlength=size)))
        excesses.append([one.excess for one in options[-1]])
        double[a] = square.max()
    for a in range(p):
        values = numbers[a, remaining]
        values = values[~np.isnan(values)]
        double[q + a] = absent[a]
        excesses.append([0.0])
        if values.size:
            low, high = values.min(), values.max()
            middle[a], excesses[q + a] = low + (high - low) / 2.0, [_excess_of_numbers(values), 0.0]
            single[q + a] = (high - low) + 2.0 * absent[a]
            double[q + a] += high - low
    doublings = np.zeros(q + p, dtype=np.int64)
    # Of few records, few sums: with as many as a bundle has records, or more, it costs less to look at the records.
    for _ in range(min(MOST_DOUBLINGS, max(remaining.size.bit_length() - 8, 0))):
        gains = [one[d] - one[d + 1] if d + 1 < len(one) else 0.0 for one, d in zip(excesses, doublings, strict=True)]
        if not gains or max(gains) <= _LEAST_GAIN * double.sum():
            break
        doublings[np.argmax(gains)] += 1
    n_profiles = np.ones(q + p, dtype=np.int64)
    for a in np.flatnonzero(doublings).tolist():
        n_profiles[a] = 2
        if a < q:
            levels, profiles = slice(places[a], places[a + 1]), options[a][doublings[a]]
            n_profiles[a] = len(profiles.reach)
            parts[0, : n_profiles[a], levels], parts[1, : n_profiles[a], levels] = profiles.reach, profiles.aims
            single[a] = np.abs(profiles.reach).max() + np.abs(profiles.aims[profiles.aims > -np.inf]).max()
    has_profiles, size = n_profiles > 1, int(np.prod(n_profiles))
    directions = Directions(
        # The more profiles, the later: of many only one bounds a question, and its directions lie together.
        levels=np.argsort(n_profiles[:q], kind="stable")[q - np.count_nonzero(has_profiles[:q]) :],
        numbers=np.flatnonzero(has_profiles[q:]),
        other_levels=np.flatnonzero(~has_profiles[:q]),
        other_numbers=np.flatnonzero(~has_profiles[q:]),
        n_profiles=n_profiles,
        parts=parts,
        middle=middle,
        absent=absent,
        sums=np.zeros((bundles, size, WIDTH), dtype=np.float32),
        bundle_sums=np.zeros((size, bundles), dtype=np.float32),
        room=np.array([_SINGLE * single[has_profiles].sum() + _DOUBLE * double.sum()]),
        asked=np.zeros(size, dtype=np.int64),
        aim=np.zeros(size, dtype=np.float32),
        record_sums=np.zeros((2, size)),
        highest=np.zeros(max(bundles, WIDTH), dtype=np.float32),
    )
    _sum_up(leaves, directions, 0, bundles)
    return directions


@lean_kernel
def _add_up(leaves: Leaves, directions: Directions, leaf: int, lane: int, role: int) -> None:
    """Write the parts of sums in all directions: of a record as it is found, or as one that a question is of."""
    # IN  role int, 0 or 1
    sums, parts, size = directions.record_sums[0], directions.parts[role], 1
    sums[0] = 0.0
    for a in directions.numbers:
        first = leaves.numbers[leaf, a, lane] - directions.middle[a]
        second = -first
        if math.isnan(first):
            # Seen from its side of the middle, a missing number is as far as it can be at either pole.
            first = second = directions.absent[a]
        elif role == 1:
            first, second = second, first
        for s in range(size):
            sums[size + s] = sums[s] + second
            sums[s] += first
        size *= 2
    for a in directions.levels:
        level, n_profiles = leaves.codes[leaf, a, lane], directions.n_profiles[a]
        for r in range(n_profiles - 1, -1, -1):
            part = parts[r, level]
            for s in range(size):
                sums[r * size + s] = sums[s] + part
        size *= n_profiles


@lean_kernel
def _sum_up(leaves: Leaves, directions: Directions, start: int, stop: int) -> None:
    """Find the largest sums of bundles, where records have left."""
    sums, largest = directions.record_sums[0], directions.record_sums[1]
    for b in range(start, stop):
        heed_stop()
        for c in range(WIDTH):
            if not leaves.stale[b, c]:
                continue
            leaves.stale[b, c] = False
            for s in range(largest.size):
                largest[s] = -np.inf
            for lane in range(WIDTH):
                if leaves.records[b * WIDTH + c, lane] >= 0:
                    _add_up(leaves, directions, b * WIDTH + c, lane, 0)
                    for s in range(largest.size):
                        largest[s] = sums[s] if sums[s] > largest[s] else largest[s]  # noqa: FURB136
            for s in range(largest.size):
                directions.sums[b, s, c] = largest[s]
        for s in range(largest.size):
            most = directions.sums[b, s, 0]
            for c in range(1, WIDTH):
                most = max(most, directions.sums[b, s, c])
            directions.bundle_sums[s, b] = most


@lean_kernel
def _bound_far(
    alive: IntArray,
    cells: ShortCodes,
    low: FloatArray,
    high: FloatArray,
    lacks: BoolArray,
    sums: SingleArray,
    directions: Directions,
    n_asked: int,
    question: LeafSearch,
    out: FloatArray,
) -> None:
    """Write, negative, what nothing in each node exceeds."""
    # IN  alive (m,) int64; cells (q, m) int; low, high (p, m) float64; lacks (p, m) bool; sums (D, m) float32
    # OUT out (≥ m,) float64
    m, ranges, highest = alive.size, question.ranges, directions.highest
    for c in range(m):
        highest[c] = -np.inf
    for s in directions.asked[:n_asked]:
        aim = directions.aim[s]
        for c in range(m):
            value = sums[s, c] + aim
            highest[c] = value if value > highest[c] else highest[c]  # noqa: FURB136
    for c in range(m):
        out[c] = highest[c] + directions.room[0]
    for a in directions.other_levels:
        for c in range(m):
            out[c] += ranges[cells[a, c]]
    for a in directions.other_numbers:
        t, alpha, beta, gamma = question.target[a], question.alpha[a], question.beta[a], question.gamma[a]
        for c in range(m):
            part = beta + alpha * max(abs(low[a, c] - t), abs(high[a, c] - t))
            out[c] += max(part, gamma) if lacks[a, c] else part
    for c in range(m):
        out[c] = -out[c] if alive[c] else np.inf


@lean_kernel
def find_opposite(
    leaves: Leaves, directions: Directions, i: int, question: LeafSearch, values: FloatArray, winners: IntArray
) -> int:
    """Find the record farthest from record `i`, which has left; ties go to the lower record."""
    # IN  question, the distance from i, with the largest weights of ranges
    # BUFFER values (≥ 1,) float64; winners (≥ 1,) int64
    bounds, n_asked = question.bundles, 0
    _add_up(leaves, directions, leaves.place[i] // WIDTH, leaves.place[i] % WIDTH, 1)
    for s in range(directions.aim.size):
        directions.aim[s] = directions.record_sums[0, s]
        if directions.aim[s] > -np.inf:
            directions.asked[n_asked] = s
            n_asked += 1
    values[0], winners[0] = np.inf, np.iinfo(np.int64).max
    _bound_far(
        leaves.bundle_alive, leaves.bundle_cells, leaves.bundle_low, leaves.bundle_high, leaves.bundle_lacks,
        directions.bundle_sums, directions, n_asked, question, bounds,
    )  # fmt: skip
    # The farthest few first, then one sweep.
    for step in range(-BEST_FIRST, bounds.size):
        b = step
        if step < 0:
            b = 0
            for other in range(1, bounds.size):
                if bounds[other] < bounds[b]:
                    b = other
            if bounds[b] > values[0]:
                break
        if bounds[b] > values[0] or bounds[b] == np.inf:
            continue
        bounds[b] = np.inf
        for c in range(WIDTH):
            if leaves.stale[b, c]:
                _sum_up(leaves, directions, b, b + 1)
                break
        _bound_far(
            leaves.alive[b], leaves.cells[b], leaves.low[b], leaves.high[b], leaves.lacks[b], directions.sums[b],
            directions, n_asked, question, question.leaves,
        )  # fmt: skip
        open_bundle(leaves, b, -1.0, question, 1, values, winners)
    return int(winners[0])
