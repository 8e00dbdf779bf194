from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.values.fuzzy_sets import spread_minima


def test_spread_minima_is_the_double_sum():
    rows = np.random.default_rng(2).random((5, 12))
    out = np.empty_like(rows)
    spread_minima(rows, np.empty(12), out)
    for row, found in zip(rows, out, strict=True):
        for i in range(12):
            total = sum(row[a : b + 1].min() / (b - a + 1) for a in range(i + 1) for b in range(i, 12))
            assert found[i] == pytest.approx(total, rel=1e-13)


def test_zero_memberships_stay_exactly_zero():
    out = np.empty((1, 3))
    spread_minima(np.array([[0.3, 0.0, 0.7]]), np.empty(3), out)
    assert out.tolist() == [[0.3, 0.0, 0.7]]
