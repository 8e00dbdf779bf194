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


@pytest.mark.parametrize("fraction", [0.1, 0.5, 0.9])
def test_classes_of_the_population_are_those_of_haas_and_stokes(fraction):
    sizes, classes = [1, 2, 5], [6, 2, 1]
    q = fraction
    ratio = sum(i * q**2 * (1 - q**2) ** (i - 1) * f for i, f in zip(sizes, classes, strict=True)) / sum(
        (1 - q) ** i * ((1 + q) ** i - 1) * f for i, f in zip(sizes, classes, strict=True)
    )
    square = sum((1 - q) ** i * f for i, f in zip(sizes, classes, strict=True)) / sum(
        i * q * (1 - q) ** (i - 1) * f for i, f in zip(sizes, classes, strict=True)
    )
    expected = 9 + 6 * ratio * square**2
    assert population_classes(np.array(sizes), np.array(classes), fraction) == pytest.approx(expected)
    assert population_classes(np.array([2, 5]), np.array([2, 1]), fraction) == 3.0
    assert population_classes(np.array([2, 5]), np.array([2, 1]), 1.0) == 3.0


def test_the_estimate_is_the_classes_of_one():
    sizes, classes = np.array([1, 2, 3, 4]), np.array([500, 200, 60, 15])
    total = population_classes(sizes, classes, 1140 / 2280)
    alpha, beta = fit_shifted_negative_binomial(500.0, 200.0, total, 0.5)
    assert expected_classes(alpha, beta, total, 0.5) == pytest.approx((500, 200), rel=1e-5)
    assert shifted_negative_binomial_uniques(sizes, classes, 2280.0) == pytest.approx(total * beta**alpha)


def test_nobody_alone_and_more_records_than_people():
    assert shifted_negative_binomial_uniques(np.array([2, 3]), np.array([4, 3]), 90.0) == 0.0
    assert shifted_negative_binomial_uniques(np.array([1, 2]), np.array([4, 3]), 3.0) == 4.0
    assert shifted_negative_binomial_uniques(np.array([1, 3]), np.array([30, 40]), 300.0) is None


def test_classes_of_two_that_are_none_are_aimed_at_as_well():
    ones, twos = expected_classes(1.0, 0.9999999, 100.0, 0.5)
    parameters = fit_shifted_negative_binomial(ones, 0.0, 100.0, 0.5)
    assert twos < 1e-5
    if parameters is not None:
        assert expected_classes(*parameters, 100.0, 0.5) == pytest.approx((ones, 0.0), rel=1e-4, abs=1e-4)
