"""Who lies inside of an ellipsoid and who does not, by hand; and what has none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from discreet.errors import DataError
from discreet.masking.running.robust_ellipsoid import RobustEllipsoid, robust_ellipsoid, sphered

NAMES = ("u", "v")


def cloud(n=60, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 2)) * [5.0, 0.5] + [100.0, -3.0]


def test_factors_draw_to_the_edge():
    """Spreads of 4 and 1: a record is drawn until its distance is the quantile's, measured by the values it has."""
    ellipsoid = RobustEllipsoid(np.array([10.0, 0.0]), np.diag([16.0, 1.0]), 0.9, robust=True)
    two, one = np.sqrt(chi2.ppf(0.9, 2)), np.sqrt(chi2.ppf(0.9, 1))
    values = np.array(
        [[10.0, 0.0], [10.0, two], [10.0, 2 * two], [10.0 - 12 * two, 0.0], [np.nan, 5 * one], [10 + 4 * one, np.nan],
         [np.nan, np.nan]]
    )  # fmt: skip
    assert ellipsoid.factors(values) == pytest.approx([1, 1, 1 / 2, 1 / 3, 1 / 5, 1, 1])
    assert ellipsoid.notes == ()
    plain = RobustEllipsoid(np.zeros(1), np.ones((1, 1)), 0.9, robust=False)
    assert plain.notes == ("More than half of the records lie in a plane: plain covariances were taken.",)


def test_the_ellipsoid_is_where_most_records_are():
    rows = cloud(200)
    rows[:10] += [0.0, 50.0]
    found = robust_ellipsoid("Masker", NAMES, np.vstack([rows, [[np.nan, 1.0]]]), 0.975, "the table")
    assert found.centre == pytest.approx([100.0, -3.0], abs=1.0)
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx([5.0, 0.5], rel=0.25)
    assert found.quantile == 0.975
    assert found.robust
    assert (found.factors(rows)[:10] < 0.1).all()
    assert (found.factors(rows)[10:] > 0.5).all()
    moved = robust_ellipsoid("Masker", NAMES, rows * [1000.0, 0.001] + [1e6, 0], 0.975, "the table")
    assert moved.factors(rows * [1000.0, 0.001] + [1e6, 0]) == pytest.approx(found.factors(rows), rel=1e-6)


def test_what_has_no_ellipsoid_is_said():
    rows = cloud()
    few = rows[: 5 * 3]
    for number in (len(few) - 1, len(few)):
        try:
            robust_ellipsoid("Masker", NAMES, few[:number], 0.9, "a stratum")
            enough = True
        except DataError as error:
            enough = False
            said = f"Masker: a stratum has {number} records with all of 2 attributes; it takes 15 to tell who is far"
            assert str(error).startswith(said)
        assert enough == (number == 15)
    with pytest.raises(DataError, match=r"Masker: 'v' does not vary\."):
        robust_ellipsoid("Masker", NAMES, rows * [1.0, 0.0], 0.9, "the table")
    with pytest.raises(DataError, match="Masker: the 2 attributes are collinear"):
        robust_ellipsoid("Masker", NAMES, rows[:, [0, 0]], 0.9, "the table")


def test_few_records_and_those_without_spread_stay_as_they_are():
    rows = cloud()
    few = rows[:10]
    assert sphered(few) is few
    still = np.full((40, 2), 3.0)
    assert sphered(still) is still
    flat = np.column_stack([np.arange(40.0), np.zeros(40)])
    points = sphered(flat)
    assert points.shape == (40, 1), "a direction without spread counts for nothing"
    assert np.ptp(np.diff(points[:, 0])) == pytest.approx(0.0, abs=1e-9)
    assert sphered(rows).shape == (60, 2)
