from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.statistics.pitman import fit_pitman, pitman_uniques


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
