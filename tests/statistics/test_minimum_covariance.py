from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2

from discreet.statistics.minimum_covariance import RobustShape, robust_shape


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


def densest(rows):
    """Try every half of few records: the one with the smallest determinant, made consistent, and taken again."""
    n, p = rows.shape
    size = (n + p + 1) // 2

    def covariance(part):
        return np.atleast_2d(np.cov(part, rowvar=False, ddof=0))

    def factor(share):
        return share / chi2.cdf(chi2.ppf(share, p), p + 2)

    halves = (rows[list(chosen)] for chosen in combinations(range(n), size))
    best = min(halves, key=lambda half: np.linalg.det(covariance(half)))
    away, inverse = rows - best.mean(axis=0), np.linalg.inv(covariance(best) * factor(size / n))
    inside = rows[np.einsum("ij,jk,ik->i", away, inverse, away) <= chi2.ppf(0.975, p)]
    return inside.mean(axis=0), covariance(inside) * factor(0.975)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("n", [9, 12])
def test_it_is_the_densest_half_of_all_halves(n, p):
    rows = np.random.default_rng(10 * n + p).normal(size=(n, p)) ** 3
    shape = robust_shape(rows)
    centre, covariance = densest(rows)
    assert shape.robust
    assert shape.centre == pytest.approx(centre)
    assert shape.covariance == pytest.approx(covariance)


def test_too_few_records_have_the_plain_shape():
    rows = np.random.default_rng(3).normal(size=(6, 2))
    assert robust_shape(rows).robust, "twice as many as numbers and one"
    plain = robust_shape(rows[:5])
    assert not plain.robust
    assert plain.centre == pytest.approx(rows[:5].mean(axis=0))
    assert plain.covariance == pytest.approx(np.cov(rows[:5].T, ddof=0))


def test_whoever_is_beside_a_plane_is_far_away():
    shape = RobustShape(np.array([1.0, 0.0]), np.array([[4.0, 0.0], [0.0, 0.0]]), robust=False)
    # In the plane two units of spread; beside it the spread counts as 10⁻¹² of the largest.
    assert shape.distances(np.array([[5.0, 0.0], [1.0, 1.0]])) == pytest.approx([2.0, 1 / np.sqrt(4e-12)])
    point = RobustShape(np.zeros(1), np.zeros((1, 1)), robust=False)
    assert point.distances(np.array([[0.0], [2.0]])) == pytest.approx([0.0, 2e6])
