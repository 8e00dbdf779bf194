"""Weights from an orness or from comparisons, against a general optimiser and printed examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from discreet.errors import ParameterError
from discreet.operators import OWA, entropy_weights, pairwise_weights


@pytest.mark.parametrize(("n", "orness"), [(3, 0.7), (5, 0.2), (6, 0.55)])
def test_no_weights_of_that_orness_have_a_larger_entropy(n, orness):
    places = (n - np.arange(1, n + 1)) / (n - 1)
    best = minimize(
        lambda w: float((w * np.log(np.maximum(w, 1e-300))).sum()),
        np.full(n, 1 / n),
        bounds=[(1e-9, 1)] * n,
        constraints=[
            {"type": "eq", "fun": lambda w: w.sum() - 1},
            {"type": "eq", "fun": lambda w: w @ places - orness},
        ],
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert np.allclose(entropy_weights(n, orness), best.x, atol=2e-5)


@given(st.integers(2, 12), st.floats(0.01, 0.99))
def test_weights_have_the_orness_asked_for(n, orness):
    weights = entropy_weights(n, orness)
    assert weights.sum() == pytest.approx(1)
    assert OWA(weights=weights)(np.arange(n) / (n - 1)) == pytest.approx(orness, abs=1e-9)
    assert np.allclose(entropy_weights(n, 1 - orness), weights[::-1], atol=1e-9)


def test_the_ends_are_maximum_and_minimum():
    assert entropy_weights(4, 1.0).tolist() == [1, 0, 0, 0]
    assert entropy_weights(4, 0.0).tolist() == [0, 0, 0, 1]
    assert entropy_weights(1, 0.3).tolist() == [1]


def test_consistent_comparisons_give_their_weights_back():
    weights = np.array([0.5, 0.3, 0.15, 0.05])
    result = pairwise_weights(weights[:, None] / weights[None, :])
    assert np.allclose(result.weights, weights)
    assert result.consistency_index == pytest.approx(0, abs=1e-9)


def test_a_cycle_of_preferences_is_inconsistent():
    """1 over 2, 2 over 3 and 3 over 1, each twofold: λ = 1 + 2 + 1/2, index (3.5 − 3)/2, ratio 0.25/0.58."""
    result = pairwise_weights([[1, 2, 0.5], [0.5, 1, 2], [2, 0.5, 1]])
    assert np.allclose(result.weights, 1 / 3)
    assert result.consistency_index == pytest.approx(0.25)
    assert result.consistency_ratio == pytest.approx(0.25 / 0.58)


@pytest.mark.parametrize(
    ("comparisons", "message"),
    [
        ([[1, 2]], "square"),
        ([[1, -2], [-0.5, 1]], "positive"),
        ([[1, 2], [2, 1]], "reciprocal"),
        ([[2, 2], [0.5, 1]], "reciprocal"),
    ],
)
def test_comparisons_that_are_none(comparisons, message):
    with pytest.raises(ParameterError, match=message):
        pairwise_weights(comparisons)


@pytest.mark.parametrize(("n", "orness"), [(0, 0.5), (3, 1.1), (3, -0.1)])
def test_orness_out_of_range(n, orness):
    with pytest.raises(ParameterError, match="entropy_weights"):
        entropy_weights(n, orness)
