"""Weights of a distance, learned from links that are known: each must be nearer than its rivals by a margin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.typing import FloatArray, IntArray

__all__ = ["drawn_rivals", "learn_weights"]

_RIVALS = 50


def drawn_rivals(links: IntArray, n_a: int, n_b: int, rng: np.random.Generator) -> list[tuple[IntArray, IntArray]]:
    """Return for every known link pairs that are none: others of A with its record of B, and the other way round.

    At most 50 each, drawn.
    """
    rivals = []
    for a, b in links:
        others_a = rng.permutation(np.setdiff1d(np.arange(n_a), [a]))[:_RIVALS]
        others_b = rng.permutation(np.setdiff1d(np.arange(n_b), [b]))[:_RIVALS]
        first = np.concatenate([others_a, np.full(others_b.size, a)])
        rivals.append((first, np.concatenate([np.full(others_a.size, b), others_b])))
    return rivals


def learn_weights(
    features: Callable[[IntArray, IntArray], FloatArray],
    links: IntArray,
    rivals: list[tuple[IntArray, IntArray]],
    regularisation: float,
    *,
    positive: bool,
) -> FloatArray:
    """Return the weights under which known links fit better than their rivals by a margin.

    Minimises ``regularisation · |w|² + mean over rivals of max(0, 1 − w·(known − rival))²``, a convex quadratic
    programme, by a quasi-Newton method with bounds. Features are scaled by their spread before, and weights back.

    Parameters
    ----------
    features : callable
        Of m pairs (positions in A, positions in B) the (m, weights) vectors whose weighted sum says how well they fit.
    links : (k, 2) int64
    rivals : list of (positions in A, positions in B)
        By known link, the pairs that it is compared with.
    regularisation : float
    positive : bool
        Whether weights must not be negative.

    Examples
    --------
    >>> x, y = np.array([[0.0, 5.0], [9.0, 4.0]]), np.array([[1.0, 4.0], [8.0, 5.0]])
    >>> weights = learn_weights(
    ...     lambda a, b: -((x[a] - y[b]) ** 2),
    ...     np.array([[0, 0], [1, 1]]),
    ...     drawn_rivals(np.array([[0, 0], [1, 1]]), 2, 2, np.random.default_rng(0)),
    ...     0.1,
    ...     positive=True,
    ... )
    >>> weights.round(3)  # the second column misleads
    array([0.014, 0.   ])
    """
    from scipy.optimize import minimize

    gaps = [features(links[[at], 0], links[[at], 1]) - features(*others) for at, others in enumerate(rivals)]
    differences = np.vstack(gaps)
    spread = np.sqrt((differences**2).mean(axis=0))
    differences = differences / np.where(spread > 0, spread, 1.0)

    def objective(w: FloatArray) -> tuple[float, FloatArray]:
        short = np.maximum(1.0 - differences @ w, 0.0)
        value = regularisation * float(w @ w) + float((short**2).mean())
        slope = 2.0 * regularisation * w - 2.0 * (short @ differences) / len(differences)
        return value, slope

    width = differences.shape[1]
    start = np.full(width, 1.0 / width) if positive else np.zeros(width)
    bounds = [(0.0, None)] * width if positive else None
    minimum = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 2000})
    return np.asarray(minimum.x, dtype=np.float64) / np.where(spread > 0, spread, 1.0)
