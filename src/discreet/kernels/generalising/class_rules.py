"""What a privacy model demands of one class of equal keys.

A class is its size, how many of the population share its keys, and how often each confidential value occurs in it. Each
rule is a figure of these and a threshold; whoever judges classes, the search or a measure, asks here.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.kernels.jit import exact_kernel
from discreet.typing import FloatArray, IntArray

__all__ = [
    "ALPHA",
    "AVERAGE",
    "BETA",
    "BETA_ENHANCED",
    "CLOSE_EQUAL",
    "CLOSE_ORDERED",
    "CLOSE_TREE",
    "DELTA",
    "DISTINCT",
    "ENTROPY",
    "ITEMS",
    "POPULATION",
    "PRESENCE",
    "PROFIT",
    "PROFIT_OF_PEOPLE",
    "RECURSIVE",
    "SIZE",
    "UNIQUES",
    "class_figure",
    "class_passes",
    "expected_payout",
]

# Of a class.
SIZE, POPULATION, PRESENCE, DISTINCT, ENTROPY, RECURSIVE = 0, 1, 2, 3, 4, 5
CLOSE_EQUAL, CLOSE_ORDERED, CLOSE_TREE, BETA, BETA_ENHANCED, DELTA, ALPHA, ITEMS = 6, 7, 8, 9, 10, 11, 12, 13
# Of a class and of what its keys still tell; among the records, and among the population.
PROFIT, PROFIT_OF_PEOPLE = 14, 15
# Of all classes together.
AVERAGE, UNIQUES = 20, 21

# A figure that equals its threshold in exact numbers may miss it by rounding.
_ROUNDING = 1e-12


@exact_kernel
def _earth_movers_tree(counts: IntArray, share: FloatArray, size: int, tree: IntArray, extra: FloatArray) -> float:
    """Return the distance where moving costs the step of the lowest common name over the number of steps.

    On a tree the least cost is the sum over branches of what must cross them.
    """
    steps = tree.shape[0]
    total = 0.0
    for step in range(steps):
        extra[:] = 0.0
        for value in range(share.size):
            extra[tree[step, value]] += counts[value] / size - share[value]
        for group in range(share.size):
            total += abs(extra[group])
    return float(total / (2.0 * steps))


@exact_kernel
def class_figure(
    kind: int,  # IN one of the rules above
    first: float,  # IN of a recursive rule l, of enhanced likeness β
    size: int,  # IN records of the class
    population: int,  # IN people of the population who share its keys
    counts: IntArray,  # IN (values,) how often each confidential value occurs
    share: FloatArray,  # IN (values,) of the whole table
    tree: IntArray,  # IN (steps, values) the group of every value, from the values themselves upwards
    work: FloatArray,  # BUFFER (values,)
) -> float:
    """Return what is compared with the threshold."""
    result = 0.0
    if kind in (SIZE, ITEMS):
        return float(size)
    if kind == POPULATION:
        return float(population)
    if kind == PRESENCE:
        return size / population if population > 0 else np.inf
    if kind == DISTINCT:
        for value in range(share.size):
            if counts[value] > 0:
                result += 1.0
        return result
    if kind == ENTROPY:
        for value in range(share.size):
            if counts[value] > 0:
                part = counts[value] / size
                result -= part * math.log2(part)
        return float(2.0**result)
    if kind == RECURSIVE:
        # The smallest c for which the most frequent value stays below c times the tail; the rule is strict.
        work[:] = 0.0
        for value in range(share.size):
            work[value] = -float(counts[value])
        work.sort()
        tail = 0.0
        for place in range(math.ceil(first) - 1, share.size):
            tail -= work[place]
        return -work[0] / tail if tail > 0.0 else np.inf
    if kind == CLOSE_EQUAL:
        for value in range(share.size):
            result += max(counts[value] / size - share[value], 0.0)
        return result
    if kind == CLOSE_ORDERED:
        reached = 0.0
        for value in range(share.size - 1):
            reached += counts[value] / size - share[value]
            result += abs(reached)
        return result / (share.size - 1) if share.size > 1 else 0.0
    if kind == CLOSE_TREE:
        return _earth_movers_tree(counts, share, size, tree, work)
    if kind in (BETA, BETA_ENHANCED):
        for value in range(share.size):
            if counts[value] > 0:
                gain = (counts[value] / size - share[value]) / share[value]
                if kind == BETA_ENHANCED:
                    # As a multiple of what is allowed, so that the threshold is 1.
                    most = min(first, -math.log(share[value]))
                    gain = gain / most if most > 0.0 else (np.inf if gain > _ROUNDING else 0.0)
                result = max(result, gain)
        return result
    if kind == DELTA:
        for value in range(share.size):
            if share[value] > 0.0:
                part = counts[value] / size
                result = max(result, abs(math.log(part / share[value])) if part > 0.0 else np.inf)
        return result
    for value in range(share.size):  # ALPHA
        result = max(result, counts[value] / size)
    return result


@exact_kernel
def expected_payout(lost: float, hidden_among: int, loss: float, deterred_at: float) -> float:
    """Return what a record pays its publisher, as a share of what it would pay untouched and never attacked.

    `lost` is the share of its information that is gone, `loss` what a record that is found costs in the same unit, and
    whoever needs at least `deterred_at` guesses does not attack.
    """
    attacked = hidden_among < deterred_at * (1.0 - _ROUNDING)
    return 1.0 - lost - (loss / max(hidden_among, 1) if attacked else 0.0)


@exact_kernel
def class_passes(kind: int, figure: float, low: float, high: float) -> bool:
    """Say whether a figure keeps the rule: of at least `low`, of at most `high`, or strictly below it."""
    if kind in (PROFIT, PROFIT_OF_PEOPLE):
        return figure > low + _ROUNDING
    if kind in (RECURSIVE, DELTA):
        return figure < high - _ROUNDING * max(1.0, high)
    return low - _ROUNDING * max(1.0, low) <= figure <= high + _ROUNDING * max(1.0, high)
