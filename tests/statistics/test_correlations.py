"""Covariances and correlations with weights and gaps, beside numpy's and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.statistics.correlations import correlations, covariances, mid_ranks, off_diagonal, ranks

RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 2.0, -1.0], [0.0, 0.0, 1.0]]) + 1e6
W = RNG.integers(1, 5, 40).astype(float)


def with_gaps():
    table = X.copy()
    table[::7, 0] = np.nan
    table[3::5, 2] = np.nan
    return table


def test_covariances_of_whole_columns():
    assert covariances(X, W) == pytest.approx(np.cov(X.T, aweights=W, ddof=0), rel=1e-6)
    by_hand = covariances(np.array([[1.0, 2.0], [3.0, 8.0]]), np.array([1.0, 3.0]))
    # Means 2.5 and 6.5; from them −1.5, 0.5 and −4.5, 1.5.
    assert by_hand.tolist() == [[0.75, 2.25], [2.25, 6.75]]


def test_each_pair_takes_the_records_that_have_both():
    table = with_gaps()
    covariance, correlation = covariances(table, W), correlations(table, W)
    for i in range(3):
        for j in range(3):
            both = ~np.isnan(table[:, [i, j]]).any(axis=1)
            expected = np.cov(table[both][:, [i, j]].T, aweights=W[both], ddof=0)
            assert covariance[i, j] == pytest.approx(expected[0, 1], rel=1e-6)
            assert correlation[i, j] == pytest.approx(
                expected[0, 1] / np.sqrt(expected[0, 0] * expected[1, 1]), rel=1e-6
            )
    assert correlations(X, W) == pytest.approx(np.corrcoef(X.T) if (W == 1).all() else correlations(X, 2 * W), rel=1e-9)


def test_columns_that_never_meet_or_never_vary_are_unrelated():
    nan = np.nan
    apart = np.array([[1.0, nan, 2.0], [2.0, nan, 2.0], [nan, 3.0, 2.0]])
    assert covariances(apart, np.ones(3)).tolist() == [[0.25, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert correlations(apart, np.ones(3)).tolist() == np.eye(3).tolist()
    same = np.array([[1.0, 5.0], [2.0, 5.0]])
    assert correlations(same, np.ones(2)).tolist() == np.eye(2).tolist()
    exact = correlations(np.array([[1.0, -2.0], [2.0, -4.0], [4.0, -8.0]]), np.array([1.0, 1.0, 5.0]))
    assert exact == pytest.approx(np.array([[1, -1], [-1, 1]]), abs=1e-12)
    assert np.abs(exact).max() <= 1.0


def test_ranks_share_the_middle_and_leave_gaps():
    assert mid_ranks(np.array([3.0])).tolist() == [1]
    assert mid_ranks(np.array([])).tolist() == []
    assert mid_ranks(np.array([2.0, 1.0, 2.0, 2.0])).tolist() == [3, 1, 3, 3]
    table = np.array([[5.0, 1.0], [np.nan, 1.0], [4.0, 0.0]])
    assert ranks(table)[:, 1].tolist() == [2.5, 2.5, 1]
    assert ranks(table)[[0, 2], 0].tolist() == [2, 1]
    assert np.isnan(ranks(table)[1, 0])


def test_what_stands_below_the_diagonal():
    assert off_diagonal(np.arange(9.0).reshape(3, 3)).tolist() == [3, 6, 7]
