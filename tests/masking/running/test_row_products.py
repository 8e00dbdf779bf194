"""Products of records with a matrix: by hand, and the same in blocks of any size."""

from __future__ import annotations

import numpy as np

from discreet.masking.running.row_products import row_products


def test_products_by_hand():
    values = np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5]])
    matrix = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 0.0]])
    assert row_products(values, matrix).tolist() == [[17.0, 50.0], [0.0, -20.0]]
    assert row_products(np.empty((0, 3)), matrix).shape == (0, 2)


def test_blocks_give_the_same_to_the_bit():
    rng = np.random.default_rng(3)
    values, matrix = rng.normal(size=(50, 4)), rng.normal(size=(4, 4))
    whole = row_products(values, matrix)
    parts = [row_products(values[low : low + 7], matrix) for low in range(0, 50, 7)]
    assert np.concatenate(parts).tobytes() == whole.tobytes()
