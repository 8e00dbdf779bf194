from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.statistics.shifted_negative_binomial import (
    expected_classes,
    fit_shifted_negative_binomial,
    population_classes,
    shifted_negative_binomial_uniques,
)


@settings(max_examples=min(40, settings().max_examples), deadline=None)
@given(st.floats(0.1, 4), st.floats(0.15, 0.95), st.floats(0.05, 0.95))
def test_expected_classes_are_the_sums_over_sizes(alpha, beta, fraction):
    ones = twos = 0.0
    for size in range(1, 900):
        chance = math.exp(
            math.lgamma(alpha + size - 1) - math.lgamma(alpha) - math.lgamma(size)
            + (size - 1) * math.log(1 - beta) + alpha * math.log(beta)
        )  # fmt: skip
        ones += chance * size * fraction * (1 - fraction) ** (size - 1)
        twos += chance * math.comb(size, 2) * fraction**2 * (1 - fraction) ** max(size - 2, 0)
    found = expected_classes(alpha, beta, 100.0, fraction)
    assert found == pytest.approx((100 * ones, 100 * twos), rel=1e-6)


@settings(max_examples=min(20, settings().max_examples), deadline=None)
@given(st.floats(0.3, 3), st.floats(0.3, 0.9), st.floats(0.2, 0.8))
def test_a_solution_gives_the_expected_classes_back(alpha, beta, fraction):
    ones, twos = expected_classes(alpha, beta, 1000.0, fraction)
    parameters = fit_shifted_negative_binomial(ones, twos, 1000.0, fraction)
    assert parameters is not None
    assert expected_classes(*parameters, 1000.0, fraction) == pytest.approx((ones, twos), rel=1e-5)


def test_uniques_of_a_simulated_population():
    rng = np.random.default_rng(3)
    members = 1 + rng.negative_binomial(0.8, 0.45, 20_000)
    population = np.repeat(np.arange(members.size), members)
    sample = population[rng.random(population.size) < 0.4]
    sizes, classes = np.unique(np.unique(sample, return_counts=True)[1], return_counts=True)
    estimate = shifted_negative_binomial_uniques(sizes, classes, float(population.size))
    assert estimate == pytest.approx((members == 1).sum(), rel=0.15)
    assert population_classes(sizes, classes, sample.size / population.size) == pytest.approx(members.size, rel=0.1)


def test_no_solution_is_no_estimate():
    assert fit_shifted_negative_binomial(900.0, 1.0, 50.0, 0.5) is None  # more uniques than classes


def test_a_census_counts():
    assert shifted_negative_binomial_uniques(np.array([1, 2]), np.array([4, 3]), 10.0) == 4.0
