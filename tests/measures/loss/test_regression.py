"""Intervals of coefficients, and what they have in common, by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.measures.loss.regression import RegressionLoss, _Estimates, _estimates, _overlaps
from discreet.statistics.linear_model import Fit

Z = 1.959963984540054
NAN = float("nan")


def estimates(coefficients, reaches):
    """Estimates with an intercept that nobody looks at, and intervals that reach so far to either side."""
    return _Estimates(np.array([7.0, *coefficients]), np.array([1.0, *reaches]) / Z)


@pytest.mark.parametrize(
    ("first", "second", "overlap"),
    [
        ((0.0, 1.0), (0.0, 1.0), 1.0),
        ((0.0, 1.0), (1.0, 1.0), 0.5),
        ((0.0, 1.0), (2.0, 1.0), 0.0),
        ((0.0, 1.0), (5.0, 1.0), 0.0),
        ((0.0, 2.0), (0.0, 1.0), 0.75),  # all of one, half of the other
        ((0.0, 2.0), (2.0, 1.0), 0.375),
        ((1.0, 0.0), (1.0, 0.0), 1.0),
        ((1.0, 0.0), (2.0, 0.0), 0.0),
        ((1.0, 1.0), (NAN, NAN), 0.0),
        ((1.0, 0.0), (1.0, 1.0), 0.0),  # a point is no part of an interval
    ],
)
def test_overlaps_are_shares_of_each_interval(first, second, overlap):
    one, two = (estimates([c], [r]) for c, r in (first, second))
    assert _overlaps(one, two) == pytest.approx([overlap])
    assert _overlaps(two, one) == pytest.approx([overlap])


def test_coefficients_are_put_in_their_own_units():
    fit = Fit(
        np.array([0, 2]),
        np.array([1.0, 1.0, 1.0, 50.0]),
        np.array([2.0, 4.0]),
        np.array([0.5, 6.0, 8.0]),
        np.array([0.25, 4.0, -1.0]),
    )
    # Σ w r² of 36 on 12 records less three coefficients: a variance of 4.
    found = _estimates(3, fit, 36.0, 12)
    assert found.coefficients == pytest.approx([50.5, 3.0, NAN, 2.0], nan_ok=True)
    assert found.errors == pytest.approx([1.0, 2.0, NAN, 0.0], nan_ok=True)
    few = _estimates(3, fit, 36.0, 3)
    assert few.errors[1] == pytest.approx(np.sqrt(4.0 * 36.0) / 2)
    nothing = _estimates(2, None, 36.0, 12)
    assert np.isnan(nothing.coefficients).all()
    assert nothing.coefficients.size == nothing.errors.size == 3


def test_a_regression_is_told_whole():
    result = RegressionLoss("y", ["x", "z"])._told(
        ["x", "z", "level"], estimates([0.0, 1.0, NAN], [1.0, 1.0, NAN]), estimates([1.0, 9.0, 2.0], [1.0, 1.0, 1.0])
    )
    # What the original cannot tell does not count.
    assert result.value == pytest.approx(75)
    assert result.sentence == "The 95 % intervals of 2 coefficients overlap by 25.0 % on average; 1 do not meet."
    assert result.details["coefficients"] == [
        {"term": "x", "before": 0.0, "after": 1.0, "overlap": pytest.approx(0.5)},
        {"term": "z", "before": 1.0, "after": 9.0, "overlap": 0.0},
        {"term": "level", "before": None, "after": 2.0, "overlap": 0.0},
    ]


def test_a_logistic_model_of_an_empty_release_overlaps_with_nothing():
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    data = pl.DataFrame({"x": x, "y": (x + rng.normal(size=80) > 0) * 1.5})
    gone = data.with_columns(y=pl.lit(None, dtype=pl.Float64))
    for family in ("linear", "logistic"):
        result = RegressionLoss("y", ["x"], family=family).measure(data, gone)
        assert (result.value, result.details["coefficients"][0]["after"]) == (100, None)


def test_which_columns_a_model_looks_at_and_what_levels_are_called():
    data = pl.DataFrame({"y": [1.0, 2.0, 4.0, 3.0, 2.5, 1.5], "home": ["own", "rent", "rent", "free", "rent", "own"]})
    result = RegressionLoss("y", ["home"]).measure(data, data)
    # The most frequent level has no column of its own.
    assert [row["term"] for row in result.details["coefficients"]] == ["home, level 1 of 3", "home, level 2 of 3"]
    assert result.value == 0
