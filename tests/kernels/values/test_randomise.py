"""Levels drawn from rows of a Markov matrix, and blocks of a logistic regression, against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.values.logistic import add_logistic_block
from discreet.kernels.values.randomise import randomise_levels


def test_a_code_becomes_the_first_level_whose_cumulated_probability_exceeds_its_draw() -> None:
    rows = np.array([[0.2, 0.3, 0.0, 0.5], [0.0, 1.0, 0.0, 0.0], [0.25, 0.25, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0]])
    cumulated = np.cumsum(rows, axis=1)
    cumulated[cumulated >= 1.0] = 2.0
    codes = np.array([0, 0, 0, 0, 0, -1, 1, 1, 2, 2, 2, 3], dtype=np.int32)
    draws = np.array([0.0, 0.19, 0.2, 0.5, 0.999, 0.4, 0.0, 0.9, 0.24, 0.49, 0.5, 0.0])
    out = np.full(codes.size, 9, dtype=np.int32)
    randomise_levels(codes, cumulated, draws, out)
    assert out.tolist() == [0, 0, 1, 3, 3, -1, 1, 1, 0, 1, 2, 3]
    twin = [int(np.argmax(cumulated[c] > u)) if c >= 0 else -1 for c, u in zip(codes, draws, strict=True)]
    assert out.tolist() == twin


@pytest.mark.parametrize("truth", [0.0, 1.0])
def test_gradient_and_curvature_of_a_block(truth: float) -> None:
    rng = np.random.default_rng(4)
    terms, weights, solution = rng.normal(size=(3, 20)), rng.uniform(1, 3, 20), np.array([0.5, -1.0, 40.0])
    gradient, curvature = np.full(3, 2.0), np.full((3, 3), 5.0)
    value = add_logistic_block(terms, weights, truth, solution, np.empty((2, 20)), gradient, curvature)
    chance = 1 / (1 + np.exp(-np.clip(solution @ terms, -30, 30)))
    assert value == pytest.approx((weights * (chance - 0.5) ** 2).sum())
    np.testing.assert_allclose(gradient, 2.0 + terms @ (weights * (chance - truth)))
    whole = (terms * (weights * chance * (1 - chance))) @ terms.T
    np.testing.assert_allclose(np.tril(curvature), np.tril(5.0 + whole))
    np.testing.assert_array_equal(np.triu(curvature, 1), np.triu(np.full((3, 3), 5.0), 1))
