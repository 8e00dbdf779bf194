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


def test_figures_are_told_whole():
    before = pl.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 30.0]})
    after = pl.DataFrame({"x": [0.0, 1.0, 2.0, 4.5, 4.5, 5.0, 6.25, 7.0, 7.0, 30.0]})
    result = MahalanobisIntervalDisclosure(0.5, neighbour=0.05).measure(before, after)
    x = before["x"].to_numpy()
    standard = (x - x.mean())[:, None] / x.std(ddof=1)
    reach = robust_shape(standard).distances(standard)
    # All but three keep their number; 7 is released twice, and so is 4.5.
    near = np.array([True, True, True, False, False, True, False, True, False, True])
    assert not (np.abs(x - after["x"].to_numpy()) / x.std(ddof=1) < 0.5 * 0.05 * reach)[~near].any()
    apart = np.array([True, True, True, False, False, True, True, False, False, True])
    both = near & apart
    assert result.value == 50
    assert result.sentence == (
        "5 of 10 records keep a number near its original and have nobody's near theirs; 6 keep a number."
    )
    assert result.details == {
        "percent_near": 60, "percent_apart": 60, "weighted_near": pytest.approx(0.6 * 0.05 * reach[near].sum()),
        "weighted": pytest.approx(0.5 * 0.05 * reach[both].sum()), "robust": True, "n": 10,
    }  # fmt: skip


def test_one_record_and_records_all_alike():
    one = pl.DataFrame({"x": [1.5], "y": [2.5]})
    assert MahalanobisIntervalDisclosure().measure(one, one).value == 100, "nobody else is near"
    same = pl.DataFrame({"x": [1.5] * 7, "y": [2.5] * 7})
    result = MahalanobisIntervalDisclosure().measure(same, same)
    assert (result.value, result.details["percent_near"], result.details["robust"]) == (0, 100, False)
    assert result.sentence == (
        "0 of 7 records keep a number near its original and have nobody's near theirs; 7 keep a number. Most records "
        "lie in a plane: distances are plain, not robust."
    )
