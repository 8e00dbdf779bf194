from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.statistics import pitman
from discreet.statistics.pitman import _objective, fit_pitman, pitman_uniques


def likelihood(theta, alpha, sizes, classes):
    """The logarithm of Pitman's sampling formula, factor by factor."""
    n, u = int((sizes * classes).sum()), int(classes.sum())
    result = sum(math.log(theta + i * alpha) for i in range(1, u)) - sum(math.log(theta + i) for i in range(1, n))
    for size, number in zip(sizes.tolist(), classes.tolist(), strict=True):
        result += number * sum(math.log(j - alpha) for j in range(1, size))
    return result


def restaurant(theta, alpha, n, rng):
    """Seat n customers by the two-parameter Chinese restaurant; return the table of each."""
    tables, seats = [], []
    for i in range(n):
        if rng.random() < (theta + alpha * len(tables)) / (theta + i):
            tables.append(1)
            seats.append(len(tables) - 1)
            continue
        weights = np.array(tables) - alpha
        place = int(rng.choice(len(tables), p=weights / weights.sum()))
        tables[place] += 1
        seats.append(place)
    return np.array(seats)


def classes_of(labels):
    return np.unique(np.unique(labels, return_counts=True)[1], return_counts=True)


@settings(max_examples=min(25, settings().max_examples), deadline=None)
@given(st.lists(st.integers(1, 12), min_size=3, max_size=40))
def test_no_other_parameters_are_likelier(group_sizes):
    sizes, classes = np.unique(np.array(group_sizes), return_counts=True)
    if sizes[-1] == 1 or sizes[0] > 1:
        return
    theta, alpha = fit_pitman(sizes, classes)
    best = likelihood(theta, alpha, sizes, classes)
    for other in np.linspace(0.0, 0.99, 34):
        for reach in np.geomspace(1e-3, 1e4, 40):
            assert likelihood(reach - other, other, sizes, classes) <= best + 1e-6 * abs(best)


def test_the_parameters_of_a_simulated_partition_are_found():
    rng = np.random.default_rng(4)
    found = np.array([fit_pitman(*classes_of(restaurant(20.0, 0.5, 3000, rng))) for _ in range(4)])
    assert found[:, 1].mean() == pytest.approx(0.5, abs=0.06)
    assert np.median(found[:, 0]) == pytest.approx(20.0, rel=0.5)


def test_uniques_of_a_simulated_population():
    rng = np.random.default_rng(1)
    population = restaurant(30.0, 0.4, 8000, rng)
    truth = int((np.unique(population, return_counts=True)[1] == 1).sum())
    estimates = [pitman_uniques(*classes_of(rng.choice(population, 800, replace=False)), 8000.0) for _ in range(5)]
    assert np.mean(estimates) == pytest.approx(truth, rel=0.15)


def test_the_expectation_is_close_to_hoshinos_approximation():
    sizes, classes = np.array([1, 2, 3, 8]), np.array([120, 40, 15, 9])
    theta, alpha = fit_pitman(sizes, classes)
    approximate = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha)) * 1e6**alpha
    assert pitman_uniques(sizes, classes, 1e6) == pytest.approx(approximate, rel=1e-3)


def test_everybody_is_alone_where_every_record_is():
    assert pitman_uniques(np.array([1]), np.array([50]), 1000.0) == 1000.0


def ewens(theta, classes, n):
    """The expected number of classes less those that there are: nought at the θ of largest likelihood."""
    return sum(theta / (theta + i) for i in range(n)) - classes


def test_without_a_discount_the_partition_is_that_of_ewens(monkeypatch):
    sizes, classes = np.array([1, 6]), np.array([1, 9])
    monkeypatch.setattr(pitman, "_SMALL", 1e-6)
    theta, alpha = fit_pitman(sizes, classes)
    assert alpha == 0.0
    assert ewens(theta, 10, 55) == pytest.approx(0.0, abs=1e-4)
    # E S₁ = N θ / (θ + N − 1): everybody's chance of a class of their own.
    assert pitman_uniques(sizes, classes, 1000.0) == pytest.approx(1000 * theta / (theta + 999))


def test_the_expectation_is_its_formula():
    sizes, classes = np.array([1, 2, 5]), np.array([30, 10, 4])
    theta, alpha = fit_pitman(sizes, classes)
    assert (theta, alpha) == (pytest.approx(36.33, abs=0.005), pytest.approx(0.2077, abs=5e-4))
    for population in (71.0, 300.0, 7000.0):
        # Everybody's chance to be alone: nobody of the others joins them.
        alone = 1.0
        for others in range(1, int(population)):
            alone *= (theta + alpha + others - 1) / (theta + others)
        assert pitman_uniques(sizes, classes, population) == pytest.approx(population * alone)


@pytest.mark.parametrize("place", [(-0.5, 1.0), (1.5, 3.0), (-25.0, 2.0), (-3.0, -1.0)])
def test_the_objective_is_the_likelihood_and_its_gradient(place):
    sizes, classes = np.array([1.0, 2.0, 7.0]), np.array([12.0, 5.0, 2.0])
    value, gradient = _objective(np.array(place), sizes, classes)
    alpha, reach = 1 / (1 + math.exp(-place[0])), math.exp(place[1])
    assert value == pytest.approx(-likelihood(reach - alpha, alpha, sizes.astype(int), classes.astype(int)) / 36)
    for axis in (0, 1):
        step = np.zeros(2)
        step[axis] = 1e-5
        ends = [_objective(np.array(place) + sign * step, sizes, classes)[0] for sign in (1, -1)]
        assert gradient[axis] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-4, abs=1e-8)
