"""Numbers that once hung a kernel, divided by zero or left a record alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

from discreet import catalogue
from discreet.errors import DataError
from discreet.masking.microaggregation.numbers.mhm import MHM
from discreet.masking.microaggregation.numbers.projection import ProjectionMicroaggregation
from discreet.masking.microaggregation.numbers.refinement import Refine
from discreet.masking.microaggregation.records.kmodes import KModes
from discreet.masking.microaggregation.records.mixed_mdav import MixedMDAV


@pytest.mark.parametrize("how", ["zscore", "range", "robust", "none"])
@pytest.mark.parametrize("value", [1e155, 1e308, 8.98846567431158e307, -1.7e308])
@pytest.mark.parametrize("method", [ProjectionMicroaggregation, MHM])
def test_enormous_numbers_are_refused_and_not_told(method, value, how):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=12), rng.normal(size=12)
    x[3] = y[7] = value
    with pytest.raises(DataError, match=r"1 of 12 values are larger than 1e\+152") as raised:
        method(k=3, standardise=how).fit_transform(pl.DataFrame({"x": x, "y": -y}))
    assert "308" not in str(raised.value)


@pytest.mark.parametrize("how", ["zscore", "range", "robust", "none"])
@pytest.mark.parametrize("method", ["projection", "mhm", "mdav", "ward"])
def test_the_largest_numbers_that_are_allowed_are_grouped(method, how):
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"x": rng.normal(size=30) * 1e151, "y": rng.normal(size=30) * 1e-290})
    released = catalogue.method("masker", method)(k=3, standardise=how).fit_transform(frame)
    assert min(Counter(released.rows()).values()) >= 3


@pytest.mark.parametrize("unit", [5e-324, 1e-310, 1e-300, 1e-160])
def test_tiny_numbers_leave_nobody_alone(unit):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        frame = pl.DataFrame({name: rng.integers(-4, 5, 11) * unit for name in ("x", "y")})
        released = MixedMDAV(k=2).fit_transform(frame)
        assert min(Counter(released.rows()).values()) >= 2


def test_refine_of_errors_whose_square_is_nothing():
    frame = pl.DataFrame({"x": [0.0, 1e-90, 1.0, 1.0, -1.0, -1.0]})
    released = Refine(k=2, budget=40, standardise="none", random_state=1).fit_transform(frame)
    assert min(Counter(released.rows()).values()) >= 2


@pytest.mark.parametrize("fuzziness", [1.0001, 1.0 + 1e-12])
def test_memberships_that_are_hardly_fuzzy(fuzziness):
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({name: rng.choice(list("abcdef"), 60) for name in ("x", "y", "z")})
    released = KModes(k=3, fuzziness=fuzziness, random_state=1).fit_transform(frame)
    assert min(Counter(released.rows()).values()) >= 3
