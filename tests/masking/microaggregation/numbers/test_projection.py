from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.microaggregation.numbers import projection
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


def test_records_that_are_all_alike_lie_nowhere():
    assert projection._pursued(np.full((4, 2), 7.0)).tolist() == [0.0] * 4


def test_of_many_directions_some_are_tried(monkeypatch):
    """Records on a circle and the one direction along which they spread widest, which the first and last are not."""
    angles = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    values = np.stack([9 * np.cos(angles), np.sin(angles)], axis=1)
    away = values - np.median(values, axis=0)
    directions = np.unique(away / np.sqrt((away**2).sum(axis=1))[:, None], axis=0)

    def widest(chosen):
        def spread(direction):
            along = away @ direction
            return np.median(np.abs(along - np.median(along)))

        best = max(chosen, key=spread)
        return away @ (best * np.sign(best[np.argmax(np.abs(best))]))

    assert projection._pursued(values) == pytest.approx(widest(directions))
    for number, places in ((2, [0, 39]), (3, [0, 19, 39])):
        monkeypatch.setattr(projection, "_DIRECTIONS", number)
        assert projection._pursued(values) == pytest.approx(widest(directions[places]))


def test_an_attribute_or_the_sum_as_axis():
    points = SimpleNamespace(values=np.array([[1.0, 5.0], [2.0, 3.0]]), names=("x", "y"))
    assert ProjectionMicroaggregation(axis="y")._projected(points).tolist() == [5.0, 3.0]
    assert ProjectionMicroaggregation(axis="zscores")._projected(points).tolist() == [6.0, 5.0]
    points.values = points.values[:, :1]
    with pytest.raises(ParameterError, match="an attribute as axis needs missing='refuse' or 'fill'"):
        ProjectionMicroaggregation(axis="x")._projected(points)


def test_the_largest_entry_of_an_axis_is_positive():
    points = SimpleNamespace(values=np.array([[3.0, -1.0], [-3.0, 1.0], [6.0, -2.0], [-6.0, 2.0]]), names=("x", "y"))
    along = ProjectionMicroaggregation(axis="principal")._projected(points)
    assert np.sign(along).tolist() == [1.0, -1.0, 1.0, -1.0]
    assert along == pytest.approx(along[0] * np.array([1, -1, 2, -2]))
