"""Products of records with a small matrix, the same in blocks of any size."""

from __future__ import annotations

import numpy as np

from discreet.typing import FloatArray

__all__ = ["row_products"]


def row_products(values: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return values @ matrix, summed attribute by attribute: a product of matrices rounds otherwise in other blocks.

    Examples
    --------
    >>> row_products(np.array([[1.0, 2.0]]), np.array([[1.0, 0.5], [0.25, 1.0]])).tolist()
    [[1.5, 2.5]]
    """
    result = np.zeros((len(values), matrix.shape[1]))
    for j in range(matrix.shape[0]):
        result += values[:, [j]] * matrix[j]
    return result
