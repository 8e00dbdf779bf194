"""How many people are alone in the population: class sizes as a shifted negative binomial (SNB)."""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit

from discreet.typing import FloatArray, IntArray

__all__ = ["fit_shifted_negative_binomial", "population_classes", "shifted_negative_binomial_uniques"]

_CLOSE = 1e-6
"""How far, relatively, the expected uniques and doubles may be from those of the sample."""


def shifted_negative_binomial_uniques(sizes: IntArray, classes: IntArray, population: float) -> float | None:
    """Return the expected number of people in the population who are alone on their keys, or None without a solution.

    Parameters
    ----------
    sizes, classes : (s,) int64
        Different sizes of classes of equal keys in the sample, and how many classes there are of each.
    population : float
        N, at least the number of records.

    Notes
    -----
    A class of the population has F = 1 + X people, X negative binomial with parameters α and β, so that ``K β^α`` of K
    classes are of one. K is Shlosser's modified estimator (:func:`population_classes`); α and β are those for which the
    expected classes of one and of two in the sample are as many as there are. There may be no such α and β: then there
    is no estimate. O(sizes).

    References
    ----------
    Chen and Keller-McNulty (1998), Estimation of identification disclosure risk in microdata; Haas and Stokes (1998),
    Estimating the number of classes in a finite population.

    Examples
    --------
    >>> round(shifted_negative_binomial_uniques(np.array([1, 2, 3, 4]), np.array([500, 200, 60, 15]), 2280.0))
    481
    """
    n = float((sizes * classes).sum())
    alone, doubles = (float(classes[sizes == size].sum()) for size in (1, 2))
    if not alone:
        return 0.0
    if population <= n:
        return alone
    fraction = n / population
    total = population_classes(sizes, classes, fraction)
    parameters = fit_shifted_negative_binomial(alone, doubles, total, fraction)
    if parameters is None:
        return None
    alpha, beta = parameters
    return float(min(total * beta**alpha, population))


def population_classes(sizes: IntArray, classes: IntArray, fraction: float) -> float:
    """Return how many classes the population is expected to have, by Shlosser as modified by Haas and Stokes.

    Examples
    --------
    >>> round(population_classes(np.array([1, 2]), np.array([6, 2]), 0.5), 2)  # 8, and 6 · 2.25/2.125 · (3.5/4)²
    12.86
    """
    size, number = sizes.astype(np.float64), classes.astype(np.float64)
    square, rest = fraction**2, 1.0 - fraction
    seen = float((number * size * square * (1.0 - square) ** (size - 1.0)).sum())
    grown = float((number * rest**size * ((1.0 + fraction) ** size - 1.0)).sum())
    unseen = float((number * rest**size).sum())
    once = float((number * size * fraction * rest ** (size - 1.0)).sum())
    alone = float(classes[sizes == 1].sum())
    return float(classes.sum()) + (alone * seen / grown * (unseen / once) ** 2 if grown and once else 0.0)


def fit_shifted_negative_binomial(
    alone: float, doubles: float, total: float, fraction: float
) -> tuple[float, float] | None:
    """Return α and β for which the sample is expected to have so many classes of one and of two, or None.

    Notes
    -----
    With d = (1 − π)(1 − β) and g = (β / (1 − d))^α, ``E S₁ = K π g (1 + α d / (1 − d))`` and
    ``E S₂ = K π² g α (1 − β) (2 − (1 − α) d) / (2 (1 − d)²)``, from the generating function t (β / (1 − (1 − β) t))^α.
    """

    def misses(place: FloatArray) -> FloatArray:
        expected = expected_classes(np.exp(place[0]), expit(place[1]), total, fraction)
        return np.asarray(np.array([expected[0] / alone, expected[1] / max(doubles, 0.5)]) - aim)

    aim = np.array([1.0, doubles / max(doubles, 0.5)])
    best = None
    for start in ((0.0, 0.0), (-2.0, -3.0), (2.0, 2.0), (-4.0, -6.0)):
        fit = least_squares(misses, np.array(start), bounds=(-30.0, 30.0), xtol=1e-15, ftol=1e-15, gtol=1e-15)
        if best is None or fit.cost < best.cost:
            best = fit
    if best is None or float(np.abs(best.fun).max()) > _CLOSE:
        return None
    return float(np.exp(best.x[0])), float(expit(best.x[1]))


def expected_classes(alpha: float, beta: float, total: float, fraction: float) -> tuple[float, float]:
    """Return the classes of one and of two that a sample is expected to have."""
    part = (1.0 - fraction) * (1.0 - beta)
    power = np.exp(alpha * (np.log(beta) - np.log1p(-part)))
    ones = total * fraction * power * (1.0 + alpha * part / (1.0 - part))
    twos = total * fraction**2 * power * alpha * (1.0 - beta) * (2.0 - (1.0 - alpha) * part) / (2.0 * (1.0 - part) ** 2)
    return float(ones), float(twos)
