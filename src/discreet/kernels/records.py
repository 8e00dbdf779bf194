"""Records of levels and numbers: nearest prototypes, starts, memberships, and moves to groups that are large enough.

The distance of two records is a sum over attributes: for levels an entry of a table, which holds the attribute's weight
and what a missing value is worth; for numbers, scaled by the caller, the absolute difference. The table of attribute
``a`` is the square of ``sizes[a]`` entries that begins at ``starts[a]``. Ties go to the lowest index everywhere.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["accumulate_memberships", "assign_records", "greedy_start", "relocate_records", "separation"]


@exact_kernel
def separation(
    codes: CodeArray,  # IN (m, q) int32
    numbers: FloatArray,  # IN (m, p) float64
    i: int,  # IN one record
    other_codes: CodeArray,  # IN (c, q) int32
    other_numbers: FloatArray,  # IN (c, p) float64
    c: int,  # IN another
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    absent: FloatArray,  # IN (p,) float64, the distance of a number from a missing one
    bound: float,  # IN stop adding where this is exceeded
) -> float:
    """Return the distance of two records, or something above the bound."""
    # Rows are reached by their index: a slice of a row would cost more than the sum.
    total = 0.0
    for a in range(codes.shape[1]):
        total += float(table[starts[a] + codes[i, a] * sizes[a] + other_codes[c, a]])
        if total > bound:
            return total
    for a in range(numbers.shape[1]):
        x, y = numbers[i, a], other_numbers[c, a]
        if math.isnan(x) or math.isnan(y):
            if not (math.isnan(x) and math.isnan(y)):
                total += absent[a]
        else:
            total += abs(x - y)
        if total > bound:
            return total
    return total


@exact_kernel
def assign_records(
    codes: CodeArray,  # IN (m, q) int32, missing is the last level of each table
    numbers: FloatArray,  # IN (m, p) float64, missing is NaN
    centre_codes: CodeArray,  # IN (c, q) int32
    centre_numbers: FloatArray,  # IN (c, p) float64
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    absent: FloatArray,  # IN (p,) float64
    labels: IntArray,  # IN, OUT (m,) int64, a guess of the nearest centre or −1; then the nearest
    distances: FloatArray,  # OUT (m,) float64
) -> None:
    """Give every record its nearest centre."""
    for i in range(labels.size):
        best, winner = np.inf, np.int64(-1)
        if labels[i] >= 0:
            winner = labels[i]
            best = separation(
                codes, numbers, i, centre_codes, centre_numbers, winner, table, starts, sizes, absent, np.inf
            )
        for c in range(centre_codes.shape[0]):
            d = separation(codes, numbers, i, centre_codes, centre_numbers, c, table, starts, sizes, absent, best)
            if d < best or (d == best and c < winner):
                best, winner = d, np.int64(c)
        labels[i], distances[i] = winner, best


@exact_kernel
def greedy_start(
    codes: CodeArray,  # IN (m, q) int32
    numbers: FloatArray,  # IN (m, p) float64
    weights: FloatArray,  # IN (m,) float64
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    absent: FloatArray,  # IN (p,) float64
    nearest: FloatArray,  # BUFFER (m,) float64
    seeds: IntArray,  # OUT (c,) int64, records to start from
) -> int:
    """Take the heaviest record, then again and again the one with the largest weight times distance from those taken.

    Return how many there are: fewer than asked for where every record lies on one that was taken.
    """
    first = 0
    for i in range(weights.size):
        nearest[i] = np.inf
        if weights[i] > weights[first]:
            first = i
    taken = 0
    chosen = first
    while taken < seeds.size:
        seeds[taken] = chosen
        taken += 1
        best, following = 0.0, -1
        for i in range(weights.size):
            if nearest[i] > 0.0:
                d = separation(codes, numbers, i, codes, numbers, chosen, table, starts, sizes, absent, nearest[i])
                nearest[i] = min(nearest[i], d)
                if weights[i] * nearest[i] > best:
                    best, following = weights[i] * nearest[i], i
        if following < 0:
            break
        chosen = following
    return taken


@exact_kernel
def accumulate_memberships(
    codes: CodeArray,  # IN (m, q) int32
    weights: FloatArray,  # IN (m,) float64
    centre_codes: CodeArray,  # IN (c, q) int32
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    places: IntArray,  # IN (q,) int64, where the levels of each attribute begin in a row of gathered
    fuzziness: float,  # IN above 1
    row: FloatArray,  # BUFFER (c,) float64
    gathered: FloatArray,  # OUT (c, levels of all attributes) float64
) -> None:
    """Gather at every centre and level the memberships, to the power of the fuzziness, of the records that have it.

    A record's memberships sum to one and fall with its distances to the power 1 / (fuzziness − 1); a record on a centre
    belongs to it alone, or to all those it lies on alike. No matrix of records and centres is kept.
    """
    none = np.empty((1, 0))
    gathered[:, :] = 0.0
    for i in range(weights.size):
        total, touching = 0.0, 0
        for c in range(row.size):
            row[c] = separation(codes, none, i, centre_codes, none, c, table, starts, sizes, none[0], np.inf)
            if row[c] <= 0.0:
                touching += 1
            else:
                total += row[c] ** (-1.0 / (fuzziness - 1.0))
        for c in range(row.size):
            if touching > 0:
                share = 1.0 / touching if row[c] <= 0.0 else 0.0
            else:
                share = row[c] ** (-1.0 / (fuzziness - 1.0)) / total
            if share > 0.0:
                part = weights[i] * share**fuzziness
                for a in range(codes.shape[1]):
                    gathered[c, places[a] + codes[i, a]] += part


@exact_kernel
def _dissolve(
    codes: CodeArray,
    numbers: FloatArray,
    counts: IntArray,
    centre_codes: CodeArray,
    centre_numbers: FloatArray,
    table: FloatArray,
    starts: IntArray,
    sizes: IntArray,
    absent: FloatArray,
    group: int,
    labels: IntArray,
    members: IntArray,
    targets: IntArray,
) -> float:
    """Write the nearest other group of every record of a group to ``targets``; return the distance that costs."""
    cost = 0.0
    for i in range(labels.size):
        targets[i] = -1
        if labels[i] != group:
            continue
        best = np.inf
        for c in range(members.size):
            if c != group and members[c] > 0:
                d = separation(codes, numbers, i, centre_codes, centre_numbers, c, table, starts, sizes, absent, best)
                if d < best:
                    best, targets[i] = d, c
        cost += counts[i] * best
    return cost


@exact_kernel
def _fill(
    counts: IntArray,
    nearness: FloatArray,
    most: int,
    lacking: int,
    k: int,
    labels: IntArray,
    members: IntArray,
    picked: IntArray,
) -> int:
    """List in ``picked`` at most ``most`` near records that other groups can spare; return how many, 0 if too few."""
    found = 0
    while lacking > 0 and found < most:
        best, winner = np.inf, -1
        for i in range(labels.size):
            if nearness[i] < best and members[labels[i]] - counts[i] >= k:
                best, winner = nearness[i], i
        if winner < 0:
            break
        nearness[winner] += np.inf  # not twice
        members[labels[winner]] -= counts[winner]
        picked[found] = winner
        found += 1
        lacking -= counts[winner]
    enough = lacking <= 0
    kept = 0
    for p in range(found):
        i = picked[p]
        members[labels[i]] += counts[i]
        if not enough:
            continue
        # A heavy record taken later can make a light one unnecessary: it stays where it is.
        if lacking + counts[i] <= 0:
            lacking += counts[i]
        else:
            picked[kept] = i
            kept += 1
    return kept


@exact_kernel
def relocate_records(
    codes: CodeArray,  # IN (m, q) int32
    numbers: FloatArray,  # IN (m, p) float64
    counts: IntArray,  # IN (m,) int64, how many records of the file are like this one
    centre_codes: CodeArray,  # IN (c, q) int32
    centre_numbers: FloatArray,  # IN (c, p) float64
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    absent: FloatArray,  # IN (p,) float64
    k: int,  # IN the smallest group
    labels: IntArray,  # IN, OUT (m,) int64
) -> int:
    """Move records until every group that is left holds at least k; return how many moves were made.

    The group with the fewest different records that is too small comes first. It is filled from groups that can spare
    records, or dissolved into its neighbours, whichever takes fewer moves; on a tie, whichever costs less distance.
    """
    m, groups = labels.size, centre_codes.shape[0]
    members = np.zeros(groups, dtype=np.int64)
    kinds = np.zeros(groups, dtype=np.int64)
    for i in range(m):
        members[labels[i]] += counts[i]
        kinds[labels[i]] += 1
    targets = np.empty(m, dtype=np.int64)
    picked = np.empty(m, dtype=np.int64)
    nearness = np.empty(m)
    moves = 0
    while True:
        group = -1
        for c in range(groups):
            if 0 < members[c] < k and (group < 0 or kinds[c] < kinds[group]):
                group = c
        if group < 0:
            return moves
        for i in range(m):
            nearness[i] = np.inf
            if labels[i] != group and members[labels[i]] - counts[i] >= k:
                nearness[i] = separation(
                    codes, numbers, i, centre_codes, centre_numbers, group, table, starts, sizes, absent, np.inf
                )
        filled = _fill(counts, nearness, kinds[group], k - members[group], k, labels, members, picked)
        dissolving = _dissolve(
            codes,
            numbers,
            counts,
            centre_codes,
            centre_numbers,
            table,
            starts,
            sizes,
            absent,
            group,
            labels,
            members,
            targets,
        )
        filling = 0.0
        for p in range(filled):
            filling += counts[picked[p]] * separation(
                codes, numbers, picked[p], centre_codes, centre_numbers, group, table, starts, sizes, absent, np.inf
            )
        by_filling = filled > 0 and (filled < kinds[group] or (filled == kinds[group] and filling < dissolving))
        for i in range(m):
            if by_filling or targets[i] < 0:
                targets[i] = -1
        if by_filling:
            for p in range(filled):
                targets[picked[p]] = group
        for i in range(m):
            if targets[i] >= 0:
                members[labels[i]] -= counts[i]
                kinds[labels[i]] -= 1
                labels[i] = targets[i]
                members[labels[i]] += counts[i]
                kinds[labels[i]] += 1
                moves += 1
