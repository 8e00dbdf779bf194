"""Means, covariances and correlations of two tables, with weights and missing values."""

from __future__ import annotations

import numpy as np

from discreet.typing import FloatArray

__all__ = ["correlations", "covariances", "mid_ranks", "off_diagonal", "ranks"]


def covariances(numbers: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the (p, p) covariances, divisor Σ w; each from the records that have both values (0 where there are none).

    Columns are centred before they are multiplied, so that an offset of the numbers costs no digits.
    """
    present = ~np.isnan(numbers)
    if present.all():
        centred = numbers - numbers[:1]
        centred = centred - (centred * weights[:, None]).sum(axis=0) / weights.sum()
        return np.asarray((centred * weights[:, None]).T @ centred / weights.sum())
    size = numbers.shape[1]
    result = np.zeros((size, size))
    for i in range(size):
        for j in range(i, size):
            both = present[:, i] & present[:, j]
            if both.any():
                two = covariances(numbers[both][:, [i, j]], weights[both])
                result[i, j] = result[j, i] = two[0, 1]
    return result


def correlations(numbers: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the (p, p) correlations, pair by pair; an attribute without spread is related to none (0)."""
    size = numbers.shape[1]
    if not np.isnan(numbers).any():
        return _scaled(covariances(numbers, weights))
    result = np.eye(size)
    for i in range(size):
        for j in range(i):
            both = ~np.isnan(numbers[:, [i, j]]).any(axis=1)
            if both.any():
                result[i, j] = result[j, i] = _scaled(covariances(numbers[both][:, [i, j]], weights[both]))[0, 1]
    return result


def _scaled(covariance: FloatArray) -> FloatArray:
    spread = np.sqrt(np.diagonal(covariance))
    unit = np.outer(spread, spread)
    scaled = np.where(unit > 0, covariance / np.where(unit > 0, unit, 1.0), 0.0)
    np.fill_diagonal(scaled, 1.0)
    return np.clip(scaled, -1.0, 1.0)


def ranks(numbers: FloatArray) -> FloatArray:
    """Return the ranks of every column, equal numbers sharing theirs; missing values stay missing."""
    result = np.full(numbers.shape, np.nan)
    for column, ranked in zip(numbers.T, result.T, strict=True):
        present = ~np.isnan(column)
        ranked[present] = mid_ranks(column[present])
    return result


def mid_ranks(numbers: FloatArray) -> FloatArray:
    """Return the ranks of numbers, from 1 on; equal ones share the middle of theirs.

    Examples
    --------
    >>> mid_ranks(np.array([7.0, 3.0, 7.0, 9.0])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    order = np.argsort(numbers)
    ordered = numbers[order]
    begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))[: numbers.size])
    ends = np.append(begins[1:], numbers.size)
    result = np.empty(numbers.size)
    result[order] = np.repeat(0.5 * (begins + ends + 1), ends - begins)
    return result


def off_diagonal(matrix: FloatArray) -> FloatArray:
    """Return the entries of a square matrix below its diagonal."""
    return np.asarray(matrix[np.tril_indices(len(matrix), -1)])
