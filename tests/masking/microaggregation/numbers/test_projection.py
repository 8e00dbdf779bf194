from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.microaggregation.numbers.projection import ProjectionMicroaggregation

SCHEMA = Schema([Attribute(name, Numeric(), "key") for name in ("x", "y")])


def line(far, n=300, seed=0):
    """Records along a rising line, and a few far away across it."""
    rng = np.random.default_rng(seed)
    place = rng.normal(size=n)
    x, y = place + 0.1 * rng.normal(size=n), place + 0.1 * rng.normal(size=n)
    x[:far] += 30 * (1 + rng.random(far))
    y[:far] -= 30 * (1 + rng.random(far))
    return pl.DataFrame({"x": x, "y": y})


def told(axis, far):
    """How well the axis tells where the records on the line are."""
    values = line(far).to_numpy()
    points = SimpleNamespace(values=values / values.std(axis=0), names=("x", "y"))
    along = ProjectionMicroaggregation(k=5, axis=axis)._projected(points)
    return abs(np.corrcoef(along[far:], values[far:].sum(axis=1))[0, 1])


def test_outliers_turn_the_principal_axis_and_not_the_robust_one():
    assert told("principal", 0) > 0.99
    assert told("robust", 0) > 0.99
    assert told("robust", 15) > 0.99
    assert told("principal", 15) < 0.5


def test_groups_along_the_robust_axis_hold_k():
    masked = ProjectionMicroaggregation(k=5, axis="robust").mask(line(15), SCHEMA)
    assert np.bincount(masked.labels).min() >= 5


def test_an_axis_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="'robust', 'pursuit', 'zscores' or one of the masked"):
        ProjectionMicroaggregation(k=5, axis="z").mask(line(0), SCHEMA)


def test_of_equally_good_directions_the_first_by_its_entries_is_pursued():
    """From the median (1, 0), deviations along both axes are 1 in the median; to the left comes first."""
    values = np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 0.0], [2.0, 2.0], [2.0, -1.0]])
    points = SimpleNamespace(values=values, names=("x", "y"))
    for order in (np.arange(5), np.array([3, 0, 4, 2, 1])):
        points.values = values[order]
        along = ProjectionMicroaggregation(k=2, axis="pursuit")._projected(points)
        assert (4 * along).tolist() == (values[order, 0] - 1.0).tolist()  # centred and shrunk first, exactly
