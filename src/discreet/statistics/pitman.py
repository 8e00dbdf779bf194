"""How many people are alone in the population: Pitman's random partition, fitted to the classes of a sample."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import digamma, expit, gammaln

from discreet.typing import FloatArray, IntArray

__all__ = ["fit_pitman", "pitman_uniques"]

_SMALL = 1e-9
"""Below this discount the partition is Ewens', and Σ log(θ + iα) is taken as (u − 1) log θ."""

_LARGEST = 40.0
"""How far the transformed parameters may go; beyond, the likelihood has no inner maximum."""


def pitman_uniques(sizes: IntArray, classes: IntArray, population: float) -> float:
    """Return the expected number of people in the population who are alone on their keys.

    Parameters
    ----------
    sizes, classes : (s,) int64
        Different sizes of classes of equal keys in the sample, and how many classes there are of each.
    population : float
        N, at least the number of records.

    Notes
    -----
    ``E S₁ = N Γ(θ+1) Γ(θ+α+N−1) / (Γ(θ+α) Γ(θ+N))``, which Hoshino approximates by ``Γ(θ+1)/Γ(θ+α) · N^α``, with θ and
    α of largest likelihood (:func:`fit_pitman`). Where every record is alone, α is 1, and everybody is alone. O(sizes)
    an iteration.

    References
    ----------
    Pitman (1996), Random discrete distributions invariant under size-biased permutation; Hoshino (2001), Applying
    Pitman's sampling formula to microdata disclosure risk assessment.

    Examples
    --------
    >>> round(pitman_uniques(np.array([1, 2, 5]), np.array([30, 10, 4]), 7000.0))
    108
    """
    if classes[sizes == 1].sum() == (sizes * classes).sum():
        return float(population)
    theta, alpha = fit_pitman(sizes, classes)
    if not alpha:  # Ewens: E S₁ = N θ / (θ + N − 1)
        return float(population * theta / (theta + population - 1.0))
    logarithm = gammaln(theta + 1.0) - gammaln(theta + alpha)
    logarithm += gammaln(theta + alpha + population - 1.0) - gammaln(theta + population)
    return float(min(population * np.exp(logarithm), population))


def fit_pitman(sizes: IntArray, classes: IntArray) -> tuple[float, float]:
    """Return θ and α of largest likelihood for a sample of which some records are alone and not all.

    Notes
    -----
    ``Σ_{i<u} log(θ+iα) − Σ_{i<n} log(θ+i) + Σ_classes Σ_{j<s} log(j−α)`` over 0 ≤ α < 1 and θ > −α, each sum as a
    difference of log-gamma functions. Found by BFGS from three starts, on logit α and log(θ + α).

    Examples
    --------
    >>> theta, alpha = fit_pitman(np.array([1, 2, 5]), np.array([30, 10, 4]))
    >>> round(theta, 2), round(alpha, 3)
    (36.33, 0.208)
    """
    sizes, classes = sizes.astype(np.float64), classes.astype(np.float64)
    starts = [np.array([a, np.log(t)]) for a, t in ((0.0, 1.0), (-2.0, 10.0), (2.0, max(float(classes.sum()), 1.0)))]
    bounds = [(-_LARGEST, _LARGEST)] * 2
    fits = [
        minimize(_objective, start, args=(sizes, classes), jac=True, method="L-BFGS-B", bounds=bounds,
                 options={"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-10})
        for start in starts
    ]  # fmt: skip
    a, t = min(fits, key=lambda fit: float(fit.fun)).x
    alpha = float(expit(a))
    alpha = 0.0 if alpha < _SMALL else alpha
    return float(np.exp(t) - alpha), alpha


def _objective(place: FloatArray, sizes: FloatArray, classes: FloatArray) -> tuple[float, FloatArray]:
    """Return minus the mean log-likelihood a record, and its gradient."""
    alpha, reach = float(expit(place[0])), float(np.exp(place[1]))
    theta = reach - alpha
    n, u = float((sizes * classes).sum()), float(classes.sum())
    if alpha < _SMALL:
        first, by_theta, by_alpha = (u - 1.0) * np.log(max(theta, 1e-300)), (u - 1.0) / max(theta, 1e-300), 0.0
    else:
        ratio = theta / alpha
        first = (u - 1.0) * np.log(alpha) + gammaln(ratio + u) - gammaln(ratio + 1.0)
        slope = digamma(ratio + u) - digamma(ratio + 1.0)
        by_theta = slope / alpha
        by_alpha = (u - 1.0 - ratio * slope) / alpha
    second = gammaln(theta + n) - gammaln(theta + 1.0)
    third = float((classes * (gammaln(sizes - alpha) - gammaln(1.0 - alpha))).sum())
    by_theta -= digamma(theta + n) - digamma(theta + 1.0)
    by_alpha -= float((classes * (digamma(sizes - alpha) - digamma(1.0 - alpha))).sum())
    # θ = reach − α: moving logit α moves θ as well.
    gradient = np.array([(by_alpha - by_theta) * alpha * (1.0 - alpha), by_theta * reach])
    return -(first - second + third) / n, -gradient / n
