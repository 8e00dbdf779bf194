"""How far the levels of two files are apart: a table of each with each, or, of many levels, what makes one needless."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.data.scales import Categorical, Nominal, Ordinal
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray

__all__ = ["LevelSteps", "as_seen", "level_steps", "level_table", "unchanged_steps"]

_TOGETHER = 1 << 16  # cells of a table that are worked out at a time


class LevelSteps(NamedTuple):
    """Levels as places on a line, and their distance by how far two places are apart.

    Attributes
    ----------
    distances : (steps,) float64
        By difference of places; none is less than the one before it.
    a_places, b_places : (levels + 1,) int32
        Where a level lies, the missing value last.
    """

    distances: FloatArray
    a_places: CodeArray
    b_places: CodeArray


def as_seen(allowed: BoolArray, shape: tuple[int, ...]) -> BoolArray:
    """Fit a transition matrix to a table that has a row and a column for the missing value."""
    if allowed.shape == shape:
        return allowed
    result = np.zeros(shape, dtype=np.bool_)
    result[: allowed.shape[0], : allowed.shape[1]] = allowed
    # A matrix that does not speak of missing values: one stays missing, and any value may have been suppressed.
    result[:, -1] = True
    return result


def level_table(a: Categorical, b: Categorical) -> FloatArray:
    """Return the distance of every level of `a` to every level of `b`, the missing value last in both.

    Distances beyond 1, which an ordinal scale with a meaning of its own may have, are divided by the largest, so that
    every attribute counts alike. Levels are recognised by name. A level that only `b` has is, on an ordered scale,
    where the levels of `a` are that it stands for: those that `b` lacks between its neighbours. On an unordered scale
    it is different from everything.
    """
    levels = np.append(np.arange(len(a), dtype=np.int32), np.int32(-1))
    unit = max(a.largest_distance, 1.0)
    if a.levels == b.levels:
        return _distances(a, levels, unit)
    counterpart = _counterparts(a, b)
    # The missing value of `b` is one of `a`; other levels that only `b` has are written over.
    result = _distances(a, np.append(counterpart, np.int32(-1)), unit)
    only = np.flatnonzero(counterpart < 0)
    result[:-1, only] = 1.0
    if isinstance(a, Ordinal) and isinstance(b, Ordinal):
        free, first, past = _stands_for(counterpart, len(a))
        means: dict[tuple[int, int], FloatArray] = {}
        for j in only:
            run = int(first[j]), int(past[j])
            if run[0] >= run[1]:
                continue
            if run not in means:
                # One level after the other: all at once they may be as many as the table has rows.
                total = np.zeros(len(a) + 1)
                for k in free[slice(*run)]:
                    total += a.distance(levels, k) / unit
                means[run] = total / (run[1] - run[0])
                means[run][free[slice(*run)]] = 0.0
            result[:, j] = means[run]
    return result


def level_steps(a: Categorical, b: Categorical) -> LevelSteps | None:
    """Return the distances of `level_table`, bit by bit, as steps between places; None where they are no such steps.

    They are not where a level has a meaning of its own, and where one of an ordered scale stands for several others or
    for none. O(levels) in memory.
    """
    n = len(a)
    ordered = isinstance(a, Ordinal)
    if n < 2 or not isinstance(a, (Nominal, Ordinal)) or (isinstance(a, Ordinal) and a.semantics is not None):
        return None
    if ordered:
        # So far beyond the last level, a missing value is at the largest distance from all of them.
        missing = 2 * n - 1
        distances = np.minimum(np.arange(2.0 * n), n - 1) / n
    else:
        missing = n
        distances = np.append(0.0, np.ones(n))
    a_places = np.append(np.arange(n, dtype=np.int32), np.int32(missing))
    if a.levels == b.levels:
        return LevelSteps(distances, a_places, a_places)
    counterpart = _counterparts(a, b)
    only = counterpart < 0
    if ordered and only.any():
        free, first, past = _stands_for(counterpart, n)
        if not isinstance(b, Ordinal) or (past - first != 1)[only].any():
            return None
        counterpart[only] = free[first[only]]
    # Without an order, a level that only `b` has is as far from every level as a missing value, and as near to one.
    b_places = np.append(np.where(counterpart < 0, missing, counterpart), missing).astype(np.int32)
    return LevelSteps(distances, a_places, b_places)


def unchanged_steps(levels: int) -> LevelSteps:
    """Return the steps of two files with the same levels, in which nothing can have become anything else."""
    distances = np.full(levels + 1, np.inf)
    distances[0] = 0.0
    places = np.arange(levels + 1, dtype=np.int32)
    return LevelSteps(distances, places, places)


def _counterparts(a: Categorical, b: Categorical) -> CodeArray:
    """Return by level of `b` which of `a` has its name, −1 for none."""
    position = {level: i for i, level in enumerate(a.levels)}
    return np.array([position.get(level, -1) for level in b.levels], dtype=np.int32)


def _stands_for(counterpart: CodeArray, n: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return the levels of A that B lacks, and by level of B the first of those between its neighbours, and past them.

    Below, a neighbour is the highest level of A that any earlier one of B is; above, the lowest of any later one.
    """
    free = np.setdiff1d(np.arange(n), counterpart)
    before = np.maximum.accumulate(np.append(-1, counterpart))[:-1]
    later = np.append(np.where(counterpart < 0, n, counterpart), n)[::-1]
    after = np.minimum.accumulate(later)[::-1][1:]
    return free, np.searchsorted(free, before + 1), np.searchsorted(free, after)


def _distances(a: Categorical, columns: CodeArray, unit: float) -> FloatArray:
    """Return how far every level, the missing value last, is from some of them, in these units."""
    levels = np.append(np.arange(len(a), dtype=np.int32), np.int32(-1))
    result = np.empty((levels.size, columns.size))
    rows = max(1, _TOGETHER // columns.size)
    for low in range(0, levels.size, rows):
        result[low : low + rows] = a.distance(levels[low : low + rows, None], columns[None, :])
    if unit > 1.0:
        result /= unit
    return result
