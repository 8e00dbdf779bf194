"""Coordinates whose squares are safe: centred, and scaled by one power of two."""

from __future__ import annotations

import numpy as np

from discreet.typing import FloatArray

__all__ = ["centred"]


def centred(values: FloatArray) -> FloatArray:
    """Centre every column and scale all columns by one power of two, so that the largest magnitude is in [½, 1).

    Distances keep their order: a shift changes none, and a power of two changes only exponents. An offset of 1e9 no
    longer swamps the differences between records, and magnitudes of 1e±150 neither overflow nor vanish when squared.

    Parameters
    ----------
    values : ndarray of shape (n, d), float64
        Finite numbers.

    Returns
    -------
    ndarray of shape (n, d), float64
        A new C-contiguous array.

    Examples
    --------
    >>> centred(np.array([[1e9], [1e9 + 4.0]])).tolist()
    [[-0.5], [0.5]]
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest == 0.0:
        return np.zeros(values.shape)
    # Before the mean is taken, so that its sum cannot overflow either.
    points = np.ldexp(values, -int(np.frexp(largest)[1]))
    points = np.ascontiguousarray(points - points.mean(axis=0))
    largest = float(np.max(np.abs(points), initial=0.0))
    return np.ldexp(points, -int(np.frexp(largest)[1])) if largest > 0.0 else points
