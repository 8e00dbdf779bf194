"""What two files say about each other under a match of their records: canonical correlations as a likelihood.

For jointly normal files the logarithm of the likelihood ratio of a match against no relation is the sum over canonical
pairs (x, y) with correlation ρ of ``ρ/(1 − ρ²) · (x·y − ρ·(x² + y²)/2)``, up to a constant. A match estimates the
correlations, the correlations rate all pairs, and the best assignment is a new match.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from discreet.typing import FloatArray, IntArray

__all__ = ["Match", "Whitened", "canonical_pairs", "gains", "improve", "solve", "whiten"]

_LARGEST = 0.995  # no canonical correlation counts for more
_ROUNDS = 30


class Whitened(NamedTuple):
    """Two files with uncorrelated columns of unit variance, record by record."""

    x: FloatArray
    y: FloatArray


class Match(NamedTuple):
    """Pairs of records, what the objective is worth, and the gain of every pair (n_x, n_y)."""

    rows: IntArray
    columns: IntArray
    objective: float
    table: FloatArray


def whiten(values: FloatArray, ridge: float) -> FloatArray:
    """Return principal components of unit variance, at most a quarter of n, weak ones damped by `ridge`."""
    n = len(values)
    directions, strength, _ = np.linalg.svd((values - values.mean(axis=0)) / np.sqrt(n), full_matrices=False)
    strong = (strength > 1e-6 * strength[0])[: max(n // 4, 1)].nonzero()[0]
    strength = strength[strong]
    return np.ascontiguousarray(directions[:, strong] * (np.sqrt(n) * strength / np.sqrt(strength**2 + ridge)))


def solve(table: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the one-to-one pairs of rows and columns with the largest sum; the caller has shuffled the records."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table, maximize=True)
    return rows.astype(np.int64), columns.astype(np.int64)


def gains(files: Sequence[Whitened], rows: IntArray, columns: IntArray) -> tuple[FloatArray, float]:
    """Return the gain of every pair under the correlations that a match shows, and the match's likelihood.

    Correlations are shrunk by what chance gives among so many columns. Several views of the files (normalisations) are
    averaged.
    """
    total: FloatArray = np.zeros((len(files[0].x), len(files[0].y)))
    likelihood = 0.0
    for x, y in files:
        first, second, shrunk, one = canonical_pairs(x, y, rows, columns)
        likelihood += one
        weight = shrunk / (1.0 - shrunk**2)
        total += (first * weight) @ second.T
        alone = 0.5 * weight * shrunk
        total -= (first**2 @ alone)[:, None] + (second**2 @ alone)[None, :]
    return total / len(files), likelihood / len(files)


def canonical_pairs(
    x: FloatArray, y: FloatArray, rows: IntArray, columns: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Return the canonical coordinates of both files under a match, their shrunk correlations and its likelihood."""
    left, rho, right = np.linalg.svd(x[rows].T @ y[columns] / rows.size, full_matrices=False)
    rho = np.minimum(rho, 0.9999)
    likelihood = -0.5 * rows.size * float(np.log1p(-(np.minimum(rho, 0.999) ** 2)).sum())
    by_chance = max(x.shape[1], y.shape[1]) / rows.size
    shrunk = np.minimum(np.sqrt(np.maximum(rho**2 - (1.0 - rho**2) * by_chance, 0.0)), _LARGEST)
    if not shrunk.any():
        shrunk[0] = min(rho[0], _LARGEST)
    return x @ left, y @ right.T, shrunk, likelihood


def improve(files: Sequence[Whitened], rows: IntArray, columns: IntArray, evidence: FloatArray) -> Match:
    """Alternate between correlations and assignment until the match stays; `evidence` is added to every pair's gain."""
    for _ in range(_ROUNDS):
        table, _likelihood = gains(files, rows, columns)
        table += evidence
        better_rows, better_columns = solve(table)
        if np.array_equal(better_rows, rows) and np.array_equal(better_columns, columns):
            break
        rows, columns = better_rows, better_columns
    table, likelihood = gains(files, rows, columns)
    return Match(rows, columns, likelihood + float(evidence[rows, columns].sum()), table + evidence)
