from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.perturbing.swapping_distribution import DistributionSwapping

NUMBERS = Schema([Attribute("x", Numeric(), "key")])


@pytest.mark.parametrize("p", [2, 10, 40])
def test_differences_are_drawn_with_mean_and_deviation_of_half_p(p):
    """Nin, Herranz and Torra 2008: N(p/2, p/2), in percent; what is not above the rank is the next one."""
    n = 40_000
    lows, highs = DistributionSwapping(p)._goals(n, np.random.default_rng(2))
    assert (lows == highs).all()
    assert (lows[:-1] > np.arange(n - 1)).all()
    inside = np.arange(n) < n * (1 - 4 * p / 100) if p < 20 else np.arange(n) < 100
    shifts = 100 * (lows - np.arange(n))[inside] / n
    upper = shifts[shifts > p / 2]
    # Above the mean nothing is cut off: a half normal, whose mean excess is sd times sqrt(2/pi).
    assert upper.size / shifts.size == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(shifts.size))
    deviation = (upper - p / 2).mean() / np.sqrt(2 / np.pi)
    assert deviation == pytest.approx(p / 2, rel=10 / np.sqrt(upper.size))


def test_the_values_stay_and_no_window_is_certain():
    original = np.random.default_rng(3).permutation(2000).astype(float)
    after = DistributionSwapping(10, random_state=5).mask(pa.table({"x": original}), NUMBERS).microdata.encoded("x")
    assert sorted(after) == sorted(original)
    moved = np.abs(after - original)
    assert moved.max() > 0.12 * 2000  # beyond the window that a rank swapping of the same p keeps
    assert np.median(moved) < 0.12 * 2000


def test_ties_and_missing_values():
    column = np.array([1.0, 1.0, 1.0, 2.0, np.nan, 2.0, 3.0])
    after = DistributionSwapping(50, random_state=1).mask(pa.table({"x": column}), NUMBERS).microdata.encoded("x")
    assert np.isnan(after).tolist() == np.isnan(column).tolist()
    assert sorted(after[~np.isnan(after)]) == [1.0, 1.0, 1.0, 2.0, 2.0, 3.0]


@pytest.mark.parametrize("p", [0.05, 0, 101, float("nan")])
def test_fractions_are_refused_with_a_hint(p):
    with pytest.raises(ParameterError, match="for 5 percent write p=5"):
        DistributionSwapping(p).mask(pa.table({"x": np.arange(9.0)}), NUMBERS)


def test_the_seed_alone_undoes_nothing():
    original = np.random.default_rng(3).permutation(500).astype(float)
    masked = DistributionSwapping(10, random_state=1).mask(pa.table({"x": original}), NUMBERS).microdata.encoded("x")
    again = DistributionSwapping(10, random_state=1).mask(pa.table({"x": masked}), NUMBERS).microdata.encoded("x")
    assert (again == original).mean() < 0.05


def test_goals_by_hand():
    drawn = np.array([0.0, -2.0, 0.5, -1.0, 5.0, 0.0, -0.5, 1.0, 0.0, 0.0])
    rng = SimpleNamespace(standard_normal=lambda size: drawn[:size])
    goals, same = DistributionSwapping(40)._goals(10, rng)
    assert goals.tolist() == same.tolist() == [2, 2, 5, 4, 9, 7, 7, 9, 9, 9]
