"""Robust axes and distances: outliers do not decide who is near."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.masking.microaggregation.numbers.projection import _pursued
from discreet.masking.running.robust_ellipsoid import sphered


def cloud(outliers=8, seed=0, n=120):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 2)) * [5.0, 0.5]
    values[:outliers] = rng.normal((0.0, 60.0), size=(outliers, 2))
    return values


def test_the_pursued_axis_is_the_best_of_all_directions_through_records():
    values = cloud(n=40)
    away = values - np.median(values, axis=0)
    spreads = []
    for row in away:
        along = away @ row / np.linalg.norm(row)
        spreads.append(np.median(np.abs(along - np.median(along))))
    projected = _pursued(values)
    assert np.median(np.abs(projected - np.median(projected))) == pytest.approx(max(spreads))


def test_outliers_turn_the_principal_axis_and_not_the_pursued_one():
    values = cloud()
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in "xy"])
    frame = pl.DataFrame({"x": values[:, 0], "y": values[:, 1]})
    lost = {}
    for axis in ("principal", "pursuit"):
        masked = dc.ProjectionMicroaggregation(k=3, axis=axis, standardise="none").mask(frame, schema).to_native()
        lost[axis] = float(((masked["x"] - frame["x"])[8:] ** 2).sum())
    assert lost["pursuit"] < lost["principal"] / 3


def test_sphered_distances_are_mahalanobis_distances_of_the_dense_half():
    from discreet.statistics.minimum_covariance import robust_shape

    values = cloud()
    inverse = np.linalg.inv(robust_shape(values).covariance)
    points = sphered(values)
    for i, j in ((10, 50), (3, 90), (20, 21)):
        apart = values[i] - values[j]
        assert ((points[i] - points[j]) ** 2).sum() == pytest.approx(apart @ inverse @ apart)


def test_few_or_flat_records_are_taken_as_they_are():
    assert sphered(np.ones((4, 2))) is not None
    flat = np.column_stack([np.arange(40.0), np.zeros(40)])
    assert np.isfinite(sphered(flat)).all()


def test_robust_mdav_groups_are_of_k_and_by_the_robust_distance():
    values = cloud()
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in "xy"])
    frame = pl.DataFrame({"x": values[:, 0], "y": values[:, 1]})
    masked = dc.MDAV(k=4, distance="mahalanobis").mask(frame, schema)
    assert np.bincount(masked.labels).min() >= 4
    assert (masked.labels != dc.MDAV(k=4).mask(frame, schema).labels).any()
