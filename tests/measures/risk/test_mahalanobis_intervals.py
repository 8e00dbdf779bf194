from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import MissingValueError
from discreet.measures.risk.mahalanobis_intervals import MahalanobisIntervalDisclosure
from discreet.statistics.minimum_covariance import robust_shape


def by_all_pairs(before, after, width, neighbour):
    spread = before.std(axis=0, ddof=1)
    spread[spread == 0] = 1.0
    x, y = (before - before.mean(axis=0)) / spread, (after - before.mean(axis=0)) / spread
    reach = 0.05 * width * robust_shape(x).distances(x)
    count = 0
    for i in range(len(x)):
        near = any(abs(a - b) < reach[i] or a == b for a, b in zip(x[i], y[i], strict=True))
        others = [np.sqrt(((y[i] - y[j]) ** 2).sum()) for j in range(len(x)) if j != i]
        count += near and min(others) > neighbour
    return 100.0 * count / len(x)


@settings(max_examples=min(20, settings().max_examples), deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.01, 1.0, 5.0]), st.sampled_from([0.0, 0.05, 0.5]))
def test_equals_a_comparison_of_all_pairs(seed, width, neighbour):
    rng = np.random.default_rng(seed)
    before = rng.normal(size=(30, 2)).round(1)
    after = (before + rng.normal(scale=0.1, size=before.shape)).round(1)
    frames = [pl.DataFrame(rows, schema=["x", "y"]) for rows in (before, after)]
    found = MahalanobisIntervalDisclosure(width, neighbour=neighbour).measure(*frames).value
    assert found == pytest.approx(by_all_pairs(before, after, width, neighbour))


def test_doubles_hide_each_other():
    data = pl.DataFrame({"x": [1.0, 1.0, 5.0, 5.0, 9.5]})
    assert MahalanobisIntervalDisclosure().measure(data, data).value == 20.0


def test_records_with_gaps_are_left_out():
    data = pl.DataFrame({"x": [1.0, None, 5.5, 9.5]})
    assert MahalanobisIntervalDisclosure().measure(data, data).details["n"] == 3
    none = pl.DataFrame({"x": [1.5, None], "y": [None, 2.5]})
    with pytest.raises(MissingValueError):
        MahalanobisIntervalDisclosure().measure(none, none)
