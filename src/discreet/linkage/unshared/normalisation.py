"""Putting the attributes of a file on one footing, each file by itself."""

from __future__ import annotations

import numpy as np

from discreet.statistics.correlations import mid_ranks
from discreet.typing import FloatArray

__all__ = ["NORMALISATIONS", "impute", "normalise"]

NORMALISATIONS = ("ranging", "standard", "rank", "rank_gauss")

_RIDGE = 0.05
_SWEEPS = 10


def normalise(values: FloatArray, how: str) -> FloatArray:
    """Return every column normalised; missing values stay missing, constant columns are left out.

    Parameters
    ----------
    values : (n, p) float64
    how : {"ranging", "standard", "rank", "rank_gauss"}
        To [0, 1] by minimum and maximum (the papers' N1); to mean 0 and standard deviation 1 (N2); to mid-ranks in
        (0, 1); to normal scores of the ranks.

    Examples
    --------
    >>> normalise(np.array([[1.0, 7.0], [2.0, 7.0], [5.0, 7.0]]), "ranging").tolist()
    [[0.0], [0.25], [1.0]]
    """
    columns = [_column(values[:, j], how) for j in range(values.shape[1])]
    varying = [column for column in columns if column is not None]
    return np.ascontiguousarray(np.stack(varying, axis=1)) if varying else np.empty((len(values), 0))


def _column(values: FloatArray, how: str) -> FloatArray | None:
    from scipy.special import ndtri

    present = ~np.isnan(values)
    numbers = values[present]
    if numbers.size < 2 or numbers.min() == numbers.max():
        return None
    if how == "ranging":
        scaled = (numbers - numbers.min()) / (numbers.max() - numbers.min())
    elif how == "standard":
        # A column of huge equal numbers and rounding noise is treated like any other; only constants are left out.
        centred = numbers - numbers.mean()
        scaled = centred / centred.std()
    else:
        scaled = (mid_ranks(numbers) - 0.5) / numbers.size
        if how == "rank_gauss":
            scaled = ndtri(scaled)
    result = np.full(values.size, np.nan)
    result[present] = scaled
    return result


def impute(values: FloatArray) -> FloatArray:
    """Fill missing values by what the record's other attributes predict, and standardise.

    The prediction is the conditional mean of a normal distribution with a little ridge, found by a few sweeps; a record
    without any value becomes the mean. O(sweeps · n · p³) for records with missing values, nothing for others.
    """
    absent = np.isnan(values)
    filled = np.where(absent, 0.0, values)
    if absent.any():
        affected = np.flatnonzero(absent.any(axis=1))
        for _ in range(_SWEEPS):
            middle = filled.mean(axis=0)
            spread = np.atleast_2d(np.cov(filled.T)) + _RIDGE * np.eye(values.shape[1])
            for i in affected:
                gap = absent[i]
                present = ~gap
                if gap.all():
                    filled[i] = middle
                    continue
                weights = np.linalg.solve(spread[np.ix_(present, present)], filled[i, present] - middle[present])
                filled[i, gap] = middle[gap] + spread[np.ix_(gap, present)] @ weights
    filled = filled - filled.mean(axis=0)
    deviation = filled.std(axis=0)
    return np.ascontiguousarray(filled / np.where(deviation > 0, deviation, 1.0))
