"""The threshold of individual risk that brings the risk of a whole file down to a wanted one."""

from __future__ import annotations

import numpy as np

from discreet.typing import FloatArray, IntArray

__all__ = ["threshold_for"]


def threshold_for(risks: FloatArray, records: IntArray, wanted: float) -> float:
    """Return the largest individual risk that may be left, so that the mean risk of a file is at most `wanted`.

    Parameters
    ----------
    risks : (m,) float64
        Different individual risks.
    records : (m,) int64
        How many records have each.
    wanted : float
        The mean risk (expected re-identifications by record) that is wanted, between 0 and 1.

    Returns
    -------
    float
        r* such that ``mean min(r, r*) = wanted``: every record above it is to be protected until it has r*. The largest
        risk of the file where nothing needs to be done.

    Notes
    -----
    Peers return the next smaller risk that occurs in the file; every threshold between the two protects the same
    records. O(m log m).

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, 3.3.5 (re-identification rate and threshold); Templ,
    Kowarik and Meindl (2015), ``max_global_risk``.

    Examples
    --------
    >>> round(threshold_for(np.array([0.1, 0.5, 1.0]), np.array([8, 1, 1]), 0.13), 4)  # (.8 + 2 · .25) / 10
    0.25
    """
    order = np.argsort(risks, kind="stable")
    value, count = risks[order].astype(np.float64), records[order].astype(np.float64)
    n, goal = count.sum(), wanted * count.sum()
    below = np.concatenate([[0.0], np.cumsum(value * count)[:-1]])
    above = n - np.concatenate([[0.0], np.cumsum(count)[:-1]])
    # With r* at the i-th risk, Σ min(r, r*) is what is below plus r* for the rest: it rises with i.
    reached = np.flatnonzero(below + value * above >= goal)
    if not reached.size:
        return float(value[-1])
    place = int(reached[0])
    return float(min((goal - below[place]) / above[place], value[-1]))
