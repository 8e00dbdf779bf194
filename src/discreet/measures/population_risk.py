"""The chance that a record with a given frequency is re-identified in the population."""

from __future__ import annotations

import numpy as np

from discreet.kernels.population import expected_inverse
from discreet.typing import FloatArray, IntArray

__all__ = ["benedetti_franconi"]


def benedetti_franconi(sizes: IntArray, totals: FloatArray) -> FloatArray:
    """Return E[1/F | f]: the expected chance of a correct guess among the F people with the same keys.

    Parameters
    ----------
    sizes : (n,) int64
        f, the records with the same keys.
    totals : (n,) float64
        The sum of their weights, which estimates F.

    Notes
    -----
    F given f is negative binomial with success probability p = f / totals, so that the risk is
    ``p^f / f · ₂F₁(f, f; f+1; 1−p)``. Euler's transformation makes that ``p / f · ₂F₁(1, 1; f+1; 1−p)``, which neither
    over- nor underflows and needs no approximation for large f. A sum of weights below f counts as f.

    Examples
    --------
    >>> benedetti_franconi(np.array([1, 2]), np.array([17.0, 2.0])).round(4)  # log(17)/16, and 1/2 in a census
    array([0.1771, 0.5   ])
    """
    risks = np.empty(sizes.size)
    expected_inverse(sizes, sizes / np.maximum(totals, sizes), risks)
    return risks
