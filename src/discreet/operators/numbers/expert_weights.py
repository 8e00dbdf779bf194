"""Weights that an expert can give: by how much large values should count (O'Hagan), or by comparing pairs (Saaty)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from discreet.errors import ParameterError
from discreet.typing import FloatArray

__all__ = ["PairwiseWeights", "entropy_weights", "pairwise_weights"]

_RANDOM_INDEX = (0.0, 0.0, 0.0, 0.58, 0.90, 1.12, 1.24, 1.32, 1.41, 1.45, 1.49)
"""Mean inconsistency of random comparisons of n things, n from 0 to 10 (Saaty 1980)."""


def entropy_weights(n: int, orness: float) -> FloatArray:
    """Return the weights of an OWA that have a given orness and are otherwise as even as can be (O'Hagan).

    Of all weights of n places, the largest value first, with ``Σ (n − i)/(n − 1) · w_i = orness``, those of the largest
    entropy: they fall or rise by one factor from place to place.

    Parameters
    ----------
    n : int
        How many values are aggregated.
    orness : float
        Between 0 (the minimum) and 1 (the maximum); 0.5 is the mean.

    References
    ----------
    O'Hagan (1988); Fullér and Majlender (2001) for the closed form.

    Notes
    -----
    The factor is the one positive root of a polynomial of degree n − 1, found by bisection on its logarithm.

    Examples
    --------
    >>> entropy_weights(3, 0.5).round(4).tolist(), entropy_weights(3, 1.0).tolist()
    ([0.3333, 0.3333, 0.3333], [1.0, 0.0, 0.0])
    >>> entropy_weights(4, 0.7).round(3).tolist()
    [0.461, 0.276, 0.165, 0.098]
    """
    if n < 1:
        raise ParameterError(f"entropy_weights: n must be at least 1; got {n}.")
    if not 0.0 <= orness <= 1.0:
        raise ParameterError(f"entropy_weights: orness must be between 0 and 1; got {orness}.")
    if n == 1:
        return np.ones(1)
    if orness in (0.0, 1.0):
        return np.asarray(np.eye(n)[0 if orness == 1.0 else n - 1])
    places = np.arange(n - 1, -1, -1) / (n - 1)

    def weights(slope: float) -> FloatArray:
        exponents = slope * places
        powers = np.exp(exponents - exponents.max())
        return np.asarray(powers / powers.sum())

    low, high = -1.0, 1.0
    while weights(low) @ places > orness:
        low *= 2.0
    while weights(high) @ places < orness:
        high *= 2.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if weights(middle) @ places < orness else (low, middle)
    return weights(0.5 * (low + high))


class PairwiseWeights(NamedTuple):
    """Weights from comparisons in pairs, and how far the comparisons contradict each other."""

    weights: FloatArray
    consistency_index: float
    consistency_ratio: float
    """The index divided by that of random comparisons; up to 0.1 is taken as consistent."""


def pairwise_weights(comparisons: Sequence[Sequence[float]] | FloatArray) -> PairwiseWeights:
    """Return the weights of sources from how many times one is more important than another (Saaty).

    Parameters
    ----------
    comparisons : (n, n) matrix
        Entry (i, j) says how many times source i is more important than j; (j, i) is its reciprocal, the diagonal is 1.

    Returns
    -------
    PairwiseWeights
        The principal eigenvector, divided by its sum; ``(λ − n)/(n − 1)`` and that divided by the mean of random
        comparisons (for n up to 10; nan beyond).

    References
    ----------
    Saaty (1980), The analytic hierarchy process.

    Examples
    --------
    >>> pairwise_weights([[1, 3], [1 / 3, 1]]).weights.round(4).tolist()
    [0.75, 0.25]
    """
    matrix = np.asarray(comparisons, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ParameterError(f"pairwise_weights: comparisons must be a square matrix; got the shape {matrix.shape}.")
    if not (np.isfinite(matrix).all() and (matrix > 0).all()):
        raise ParameterError("pairwise_weights: comparisons must be positive numbers.")
    if not np.allclose(matrix * matrix.T, 1.0, rtol=1e-6):
        raise ParameterError(
            "pairwise_weights: entry (j, i) must be the reciprocal of (i, j), and the diagonal 1.",
            hint="Give 1/3 where the other side is 3.",
        )
    n = len(matrix)
    values, vectors = np.linalg.eig(matrix)
    at = int(np.argmax(values.real))
    principal = np.abs(vectors[:, at].real)
    index = (float(values[at].real) - n) / (n - 1) if n > 1 else 0.0
    random = _RANDOM_INDEX[n] if n < len(_RANDOM_INDEX) else float("nan")
    ratio = max(index, 0.0) / random if random else 0.0  # two things cannot contradict each other
    return PairwiseWeights(principal / principal.sum(), max(index, 0.0), ratio)
