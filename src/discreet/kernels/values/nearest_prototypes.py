"""Records of levels and numbers: nearest prototypes, starts, memberships, and moves to groups that are large enough.

The distance of two records is a sum over attributes: for levels an entry of a table, which holds the attribute's weight
and what a missing value is worth; for numbers, scaled by the caller, the absolute difference. The table of attribute
``a`` is the square of ``sizes[a]`` entries that begins at ``starts[a]``. Blocks of records are kept by attribute, so
that one record is measured against all others in a few long loops without a branch. Ties go to the lowest index.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["accumulate_memberships", "assign_records", "greedy_start", "measure_from", "relocate_records"]


@exact_kernel
def measure_from(
    codes: CodeArray,  # IN (q, m) int32, missing is the last level of each table
    numbers: FloatArray,  # IN (p, m) float64, missing is NaN
    i: int,  # IN the record to measure from
    other_codes: CodeArray,  # IN (q, c) int32
    other_numbers: FloatArray,  # IN (p, c) float64
    count: int,  # IN how many of the others to measure, from the first on
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    absent: FloatArray,  # IN (p,) float64, the distance of a number from a missing one
    out: FloatArray,  # OUT (c,) float64
) -> None:
    """Write the distance of one record from each of the others."""
    for c in range(count):
        out[c] = 0.0
    for a in range(starts.size):
        row = starts[a] + codes[a, i] * sizes[a]
        for c in range(count):
            out[c] += table[row + other_codes[a, c]]
    for a in range(absent.size):
        x, far = numbers[a, i], absent[a]
        if math.isnan(x):
            for c in range(count):
                if not math.isnan(other_numbers[a, c]):
                    out[c] += far
        else:
            for c in range(count):
                gap = abs(x - other_numbers[a, c])
                out[c] += far if math.isnan(gap) else gap


@exact_kernel
def assign_records(
    codes: CodeArray,  # IN (q, m) int32
    numbers: FloatArray,  # IN (p, m) float64
    centre_codes: CodeArray,  # IN (q, c) int32
    centre_numbers: FloatArray,  # IN (p, c) float64
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    absent: FloatArray,  # IN (p,) float64
    row: FloatArray,  # BUFFER (c,) float64
    labels: IntArray,  # OUT (m,) int64
) -> None:
    """Give every record its nearest centre."""
    for i in range(labels.size):
        heed_stop()
        measure_from(codes, numbers, i, centre_codes, centre_numbers, row.size, table, starts, sizes, absent, row)
        winner = 0
        for c in range(1, row.size):
            if row[c] < row[winner]:
                winner = c
        labels[i] = winner


@exact_kernel
def greedy_start(
    codes: CodeArray,  # IN (q, m) int32
    numbers: FloatArray,  # IN (p, m) float64
    weights: FloatArray,  # IN (m,) float64
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    absent: FloatArray,  # IN (p,) float64
    row: FloatArray,  # BUFFER (m,) float64
    nearest: FloatArray,  # BUFFER (m,) float64
    seeds: IntArray,  # OUT (c,) int64, records to start from
) -> int:
    """Take the heaviest record, then again and again the one with the largest weight times distance from those taken.

    Return how many there are: fewer than asked for where every record lies on one that was taken.
    """
    m, seed, n_seeds = weights.size, 0, 0
    for i in range(m):
        nearest[i] = np.inf
        if weights[i] > weights[seed]:
            seed = i
    while n_seeds < seeds.size:
        heed_stop()
        seeds[n_seeds] = seed
        n_seeds += 1
        measure_from(codes, numbers, seed, codes, numbers, m, table, starts, sizes, absent, row)
        best, following = 0.0, -1
        for i in range(m):
            nearest[i] = min(nearest[i], row[i])
            if weights[i] * nearest[i] > best:
                best, following = weights[i] * nearest[i], i
        if following < 0:
            break
        seed = following
    return n_seeds


@exact_kernel
def accumulate_memberships(
    codes: CodeArray,  # IN (q, m) int32
    numbers: FloatArray,  # IN (p, m) float64
    weights: FloatArray,  # IN (m,) float64
    centre_codes: CodeArray,  # IN (q, c) int32
    centre_numbers: FloatArray,  # IN (p, c) float64
    table: FloatArray,  # IN (t,) float64
    starts: IntArray,  # IN (q,) int64
    sizes: IntArray,  # IN (q,) int64
    absent: FloatArray,  # IN (p,) float64
    places: IntArray,  # IN (q,) int64, where the levels of each attribute begin in a row of gathered
    fuzziness: float,  # IN above 1
    row: FloatArray,  # BUFFER (c,) float64
    gathered: FloatArray,  # OUT (c, levels of all attributes) float64
) -> None:
    """Gather at every centre and level the memberships, to the power of the fuzziness, of the records that have it.

    A record's memberships sum to one and fall with its distances to the power 1 / (fuzziness − 1); a record on a centre
    belongs to it alone, or to all those it lies on alike. No matrix of records and centres is kept.
    """
    power = -1.0 / (fuzziness - 1.0)
    gathered[:, :] = 0.0
    for i in range(weights.size):
        heed_stop()
        measure_from(codes, numbers, i, centre_codes, centre_numbers, row.size, table, starts, sizes, absent, row)
        total, touching = 0.0, 0
        for c in range(row.size):
            if row[c] <= 0.0:
                touching += 1
            else:
                row[c] = row[c] ** power
                total += row[c]
        if touching == 0 and not 0.0 < total < np.inf:
            # Powers that are no numbers any more: shares depend on ratios alone, and that of the nearest is one.
            measure_from(codes, numbers, i, centre_codes, centre_numbers, row.size, table, starts, sizes, absent, row)
            nearest = row.min()
            total = 0.0
            for c in range(row.size):
                row[c] = (row[c] / nearest) ** power
                total += row[c]
        for c in range(row.size):
            if touching > 0:
                share = 1.0 / touching if row[c] <= 0.0 else 0.0
            else:
                share = row[c] / total
            if share > 0.0:
                part = weights[i] * share**fuzziness
                for a in range(starts.size):
                    gathered[c, places[a] + codes[a, i]] += part


@exact_kernel
def _fill(
    counts: IntArray,  # IN (m,) int64
    nearness: FloatArray,  # IN, OUT (m,) float64, infinite where a record is not asked for
    most: int,  # IN the most records to take
    lacking: int,  # IN how many records of the file are needed
    k: int,  # IN the smallest group
    labels: IntArray,  # IN (m,) int64
    members: IntArray,  # IN, OUT (groups,) int64, left as it was
    spares: IntArray,  # OUT (m,) int64
) -> int:
    """List near records that other groups can spare; return how many, 0 where they are not enough."""
    n_near = 0
    while lacking > 0 and n_near < most:
        best, winner = np.inf, -1
        for i in range(labels.size):
            if nearness[i] < best and members[labels[i]] - counts[i] >= k:
                best, winner = nearness[i], i
        if winner < 0:
            break
        nearness[winner] = np.inf  # not twice
        members[labels[winner]] -= counts[winner]
        spares[n_near] = winner
        n_near += 1
        lacking -= counts[winner]
    enough = lacking <= 0
    n_spares = 0
    for p in range(n_near):
        i = spares[p]
        members[labels[i]] += counts[i]
        if not enough:
            continue
        # A heavy record taken later can make a light one unnecessary: it stays where it is.
        if lacking + counts[i] <= 0:
            lacking += counts[i]
        else:
            spares[n_spares] = i
            n_spares += 1
    return n_spares


@exact_kernel
def relocate_records(
    codes: CodeArray,  # IN (q, m) int32
    numbers: FloatArray,  # IN (p, m) float64
    counts: IntArray,  # IN (m,) int64, how many records of the file are like this one
    centre_codes: CodeArray,  # IN (q, c) int32
    centre_numbers: FloatArray,  # IN (p, c) float64
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
    m, groups = labels.size, centre_codes.shape[1]
    members = np.zeros(groups, dtype=np.int64)
    kinds = np.zeros(groups, dtype=np.int64)
    for i in range(m):
        members[labels[i]] += counts[i]
        kinds[labels[i]] += 1
    targets = np.full(m, -1, dtype=np.int64)
    spares = np.empty(m, dtype=np.int64)
    nearness, first, row = np.empty(m), np.empty(m), np.empty(groups)
    moves = 0
    while True:
        heed_stop()
        group = -1
        for c in range(groups):
            if 0 < members[c] < k and (group < 0 or kinds[c] < kinds[group]):
                group = c
        if group < 0:
            return moves
        # Filling: what the nearest records that can be spared cost.
        measure_from(centre_codes, centre_numbers, group, codes, numbers, m, table, starts, sizes, absent, first)
        for i in range(m):
            nearness[i] = first[i] if labels[i] != group else np.inf
        filled = _fill(counts, nearness, kinds[group], k - members[group], k, labels, members, spares)
        filling = 0.0
        for p in range(filled):
            filling += counts[spares[p]] * first[spares[p]]
        # Dissolving: what it costs to send every member to the nearest other group.
        dissolving = 0.0
        for i in range(m):
            targets[i] = -1
            if labels[i] == group:
                measure_from(codes, numbers, i, centre_codes, centre_numbers, groups, table, starts, sizes, absent, row)
                best = np.inf
                for c in range(groups):
                    if c != group and members[c] > 0 and row[c] < best:
                        best, targets[i] = row[c], c
                dissolving += counts[i] * best
        if filled > 0 and (filled < kinds[group] or (filled == kinds[group] and filling < dissolving)):
            targets[:] = -1
            for p in range(filled):
                targets[spares[p]] = group
        for i in range(m):
            if targets[i] >= 0:
                members[labels[i]] -= counts[i]
                kinds[labels[i]] -= 1
                labels[i] = targets[i]
                members[labels[i]] += counts[i]
                kinds[labels[i]] += 1
                moves += 1
