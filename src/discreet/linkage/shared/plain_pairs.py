"""All pairs of two small files without compiled code: their agreement patterns, and the heaviest of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from discreet.kernels.jit import PlainTwin
from discreet.kernels.linking.all_pairs import best_both_ways
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.typing import CodeArray, IntArray, LevelArray

__all__ = ["are_few", "heaviest", "patterns_between", "tabulate_plainly"]

_MOST_PAIRS = 1 << 23  # whose patterns fit into some tens of megabytes
_FAR = np.int32(2147483647)
# What is counted and what is searched come together, so one kernel stands for all.
_TWIN = PlainTwin(6e8, best_both_ways)


def are_few(files: PackedFiles, times: int = 1) -> bool:
    """Say whether pairs are so few that plain code looks at all of them, so many times, before kernels are made."""
    n_a, n_b = files.first.first.size, files.second.first.size
    pairs = max(n_a, n_b) ** 2
    return pairs <= _MOST_PAIRS and _TWIN.takes(float(pairs) * times * len(files.strides))


def patterns_between(a: LevelArray, b: LevelArray, strides: CodeArray) -> CodeArray:
    """Return the position of the pattern of every pair, a row a record of B; classes below 0 agree with nobody."""
    positions = np.zeros((b.shape[1], a.shape[1]), dtype=np.int32)
    for ours, theirs, stride in zip(a, b, strides, strict=True):
        agreeing = ours[None, :] == np.where(theirs < 0, theirs.dtype.type(-2), theirs)[:, None]
        positions += stride * agreeing
    return positions


def tabulate_plainly(files: PackedFiles, shape: tuple[int, ...]) -> tuple[IntArray, IntArray]:
    """Count the pairs of every pattern between the files and within the first, pair by pair."""
    first, second = files.classes
    tables = []
    for others, sizes in ((second, files.second.size), (first, files.first.size)):
        positions = patterns_between(first, others, files.strides)
        # Sums of whole numbers far below 2^53 are exact.
        pairs = (sizes[:, None] * files.first.size[None, :]).astype(np.float64)
        counted = np.bincount(positions.ravel(), weights=pairs.ravel(), minlength=math.prod(shape))
        tables.append(counted.astype(np.int64).reshape(shape))
    return tables[0], tables[1]


def heaviest(steps: CodeArray) -> tuple[tuple[Any, ...], IntArray]:
    """Find the heaviest pairs of every row.

    Parameters
    ----------
    steps : (rows, columns) int32
        The rank by weight of every pair, 0 the heaviest.

    Returns
    -------
    best, its rank, second, its rank, number of tied columns
        The second is the lowest column of the next rank that occurs, −1 if there is none.
    tied : int64
        The columns of the best rank, row after row.
    """
    rows = np.arange(len(steps))
    best = np.argmin(steps, axis=1)
    best_step = steps[rows, best]
    is_tied = steps == best_step[:, None]
    others = np.where(is_tied, _FAR, steps)
    second = np.argmin(others, axis=1)
    second_step = others[rows, second]
    second[second_step == _FAR] = -1
    return (best, best_step, second, second_step, is_tied.sum(axis=1)), np.nonzero(is_tied)[1]
