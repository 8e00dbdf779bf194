from __future__ import annotations

import numpy as np
import pytest

from discreet.statistics.minimum_covariance import robust_shape


@pytest.mark.parametrize("n", [400, 4000])
def test_outliers_do_not_move_it(n):
    rng = np.random.default_rng(n)
    matrix = np.array([[2.0, 0.6], [0.6, 1.0]])
    rows = rng.multivariate_normal([3.0, -1.0], matrix, n)
    rows[: n // 4] = rng.normal(100.0, 1.0, (n // 4, 2))
    shape = robust_shape(rows)
    assert shape.robust
    assert shape.centre == pytest.approx([3.0, -1.0], abs=0.35)
    assert shape.covariance == pytest.approx(matrix, abs=0.6)
    assert shape.distances(rows)[: n // 4].min() > 30


def test_a_plane_is_said():
    rows = np.zeros((50, 2))
    rows[:20] = np.random.default_rng(0).normal(size=(20, 2))
    shape = robust_shape(rows)
    assert not shape.robust
    assert np.isfinite(shape.distances(rows)).all()


def test_distances_are_mahalanobis():
    rows = np.random.default_rng(1).normal(size=(60, 3))
    shape = robust_shape(rows)
    away = rows[7] - shape.centre
    assert shape.distances(rows)[7] == pytest.approx(np.sqrt(away @ np.linalg.inv(shape.covariance) @ away))
