"""A genetic algorithm for groups along an order of the records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.centring import centred
from discreet.kernels.draws import below, uniform
from discreet.kernels.jit import exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["genetic"]


@exact_kernel
def _decode(ordered: FloatArray, k: int, cuts: BoolArray, labels: IntArray, total: FloatArray) -> float:
    """Read the groups of a chromosome and measure their squared error.

    A cut is obeyed when the group has k records; a group of 2k−1 is always closed. A group is also closed when exactly
    k records follow, or the rest could become too large; so every chromosome has groups of k to 2k−1.
    """
    # IN  ordered (n, d) float64, records in order; cuts (n,) bool; total (d,) float64 scratch
    # OUT labels (n,) int64; returns the squared error
    n, d = ordered.shape
    error, square, size, group, start = 0.0, 0.0, 0, 0, 0
    total[:] = 0.0
    for i in range(n):
        # About the first record of the group, so that sums are as small as the group.
        for j in range(d):
            gap = ordered[i, j] - ordered[start, j]
            total[j] += gap
            square += gap * gap
        size += 1
        labels[i] = group
        follow = n - i - 1
        if follow == 0 or (size >= k and follow >= k and (cuts[i] or size == 2 * k - 1 or follow == k)):
            norm = 0.0
            for j in range(d):
                norm += total[j] * total[j]
                total[j] = 0.0
            error += max(square - norm / size, 0.0)
            square, size, start = 0.0, 0, i + 1
            group += 1
    return error


@exact_kernel
def _generation(
    ordered: FloatArray,
    k: int,
    parents: BoolArray,
    fitness: FloatArray,
    children: BoolArray,
    errors: FloatArray,
    mutation: float,
    state: NDArray[np.uint64],
    labels: IntArray,
    total: FloatArray,
) -> None:
    """One generation: tournaments of two, two-point crossover, mutation; the best parent survives."""
    # IN  parents (p, n) bool; fitness (p,) float64; mutation float; state (1,) uint64
    # OUT children (p, n) bool; errors (p,) float64
    size, n = parents.shape
    elite = 0
    for q in range(1, size):
        if fitness[q] < fitness[elite]:
            elite = q
    children[0] = parents[elite]
    errors[0] = fitness[elite]
    for q in range(1, size):
        heed_stop()
        a, b = below(state, size), below(state, size)
        mother = a if fitness[a] <= fitness[b] else b
        a, b = below(state, size), below(state, size)
        father = a if fitness[a] <= fitness[b] else b
        left, right = below(state, n + 1), below(state, n + 1)
        if right < left:
            left, right = right, left
        for i in range(n):
            children[q, i] = parents[father, i] if left <= i < right else parents[mother, i]
        for _ in range(1 + below(state, max(1, int(2.0 * mutation * n)))):
            i = below(state, n)
            children[q, i] = uniform(state) < 0.5
        errors[q] = _decode(ordered, k, children[q], labels, total)


def genetic(
    values: FloatArray,
    k: int,
    order: IntArray,
    *,
    seed: int,
    generations: int = 300,
    population: int = 40,
    mutation: float = 0.01,
) -> IntArray:
    """Breed groups of k to 2k−1 consecutive records of an order for a low squared error.

    Parameters
    ----------
    values : ndarray of shape (n, d), float64
        Finite, standardised as the caller wishes.
    k : int
        At least 1, at most n.
    order : ndarray of shape (n,), int64
        Records along a projection or a tour; a chromosome says where it is cut.
    seed : int
        From which all draws follow.
    generations, population : int
        Their product is the number of partitions tried.
    mutation : float
        Share of the cuts redrawn in a child.

    Returns
    -------
    ndarray of shape (n,), int64
        Labels 0 … g−1 along the order; never worse than fixed groups of k, which are in the first population.

    Notes
    -----
    O(generations · population · nd) time, population · n bytes of memory.

    References
    ----------
    Mateo-Sanz & Domingo-Ferrer 1998, "A comparative study of microaggregation methods".
    """
    ordered = np.ascontiguousarray(centred(values)[order])
    n, d = ordered.shape
    draws = np.random.default_rng(seed)
    state = draws.integers(0, 2**63, size=1, dtype=np.uint64)
    parents: BoolArray = draws.random((population, n)) < 0.5
    parents[0] = True
    children = np.empty_like(parents)
    errors, next_errors = np.empty(population), np.empty(population)
    labels, total = np.empty(n, dtype=np.int64), np.empty(d)
    for q in range(population):
        errors[q] = _decode(ordered, k, parents[q], labels, total)
    for _ in range(generations):
        _generation(ordered, k, parents, errors, children, next_errors, mutation, state, labels, total)
        parents, children, errors, next_errors = children, parents, next_errors, errors
    _decode(ordered, k, parents[np.argmin(errors)], labels, total)
    result = np.empty(n, dtype=np.int64)
    result[order] = labels
    return result
