"""How many people are alone in the population: Zayatz's chance that a sample unique is one there."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from discreet.typing import FloatArray, IntArray

__all__ = ["zayatz_uniques"]


def zayatz_uniques(sizes: IntArray, classes: IntArray, population: float) -> float:
    """Return the expected number of people in the population who are alone on their keys.

    Parameters
    ----------
    sizes, classes : (s,) int64
        Different sizes of classes of equal keys in the sample, and how many classes there are of each.
    population : float
        N, at least the number of records.

    Notes
    -----
    The sizes of classes in the population are taken to be distributed as those of the sample; by Bayes, a class of one
    in the sample is one of one in the population with probability ``p₁ h(1) / Σ_s p_s h(s)``, h(s) the hypergeometric
    chance that a class of s gives exactly one record to the sample. That share of the sample uniques, over the sampling
    fraction. It overestimates where the sample is small: classes are larger in the population. O(sizes).

    References
    ----------
    Zayatz (1991), Estimation of the number of unique population elements using a sample.

    Examples
    --------
    >>> zayatz_uniques(np.array([1, 2]), np.array([6, 2]), 20.0)  # (6/8 · .5) / (6/8 · .5 + 2/8 · 10/19) of 6, over .5
    8.883116883116884
    """
    n = float((sizes * classes).sum())
    alone = float(classes[sizes == 1].sum())
    if not alone:
        return 0.0
    chances = np.exp(_one_of(sizes.astype(np.float64), n, population))
    share = alone * chances[sizes == 1].sum() / float((classes * chances).sum())
    return float(min(alone * share * population / n, population))


def _one_of(sizes: FloatArray, n: float, population: float) -> FloatArray:
    """Return the logarithm of the chance that exactly one of a class is among n of the population."""
    with np.errstate(divide="ignore"):
        result = np.log(sizes) + _choose(population - sizes, n - 1.0) - _choose(population, n)
    return np.where(population - sizes < n - 1.0, -np.inf, result)


def _choose(n: FloatArray | float, k: float) -> FloatArray:
    rest = np.maximum(np.asarray(n, dtype=np.float64) - k, 0.0)
    return np.asarray(gammaln(np.asarray(n) + 1.0) - gammaln(k + 1.0) - gammaln(rest + 1.0))
