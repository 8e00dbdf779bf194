"""Refinement: exact sums, reproducible with any number of threads, and low losses."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.reference.microaggregation import information_loss, plain_least_error

from discreet.kernels.groups import pool
from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.partitioned import partitioned_mdav
from discreet.kernels.groups.refine import Refinement, nearest_records, refine


def refined(values, k, steps, threads=2, seed=1):
    with ThreadPoolExecutor(threads) as workers:
        for refinement in refine(values, k, mdav(values, k), seed=seed, steps=steps, workers=workers):
            labels = refinement.labels
    return labels


def test_reaches_the_optimum_of_a_handful_of_records():
    for seed in range(5):
        values = np.random.default_rng(seed).standard_normal((11, 2))
        labels = refined(values, 3, 3000)
        error = information_loss(values, labels) / 100 * ((values - values.mean(axis=0)) ** 2).sum()
        assert error == pytest.approx(plain_least_error(values, 3), rel=1e-9)


def test_lowers_the_loss_by_a_tenth_and_repeats_itself():
    values = np.random.default_rng(0).standard_t(3, (900, 5))
    start = information_loss(values, mdav(values, 4))
    labels = refined(values, 4, 60_000, threads=1)
    assert information_loss(values, labels) < 0.9 * start
    assert np.array_equal(labels, refined(values, 4, 60_000, threads=3))


def test_cost_is_the_squared_error_of_the_labels():
    values = np.random.default_rng(0).standard_normal((500, 3))
    with ThreadPoolExecutor(2) as workers:
        refinement = Refinement(values, 3, mdav(values, 3), 0, workers)
        start = refinement.cost
        for _ in range(3):
            refinement.anneal(5000, 0.5)
    ratio = information_loss(values, refinement.labels) / information_loss(values, mdav(values, 3))
    assert refinement.cost / start == pytest.approx(ratio, rel=1e-9)


def test_pool_descent_keeps_its_sums():
    rng = np.random.default_rng(3)
    points = rng.standard_normal((14, 3))
    size, groups, k = 14, 3, 4
    D, columns = np.empty((size, size)), np.empty((3, size))
    pool.pairwise(points, np.arange(size), size, columns, D)
    group = np.arange(size) % groups
    R, T, count = np.empty((groups, size)), np.empty(groups), np.empty(groups, dtype=np.int64)
    before = pool.measure(D, size, groups, group, R, T, count)
    after = pool.descend(D, size, groups, k, group, R, T, count)
    again = pool.measure(D, size, groups, group, R.copy(), T.copy(), count.copy())
    assert after < before
    assert after == pytest.approx(again, rel=1e-12)
    assert np.bincount(group).min() >= k


def test_nearest_records():
    points = np.random.default_rng(0).standard_normal((700, 3))
    with ThreadPoolExecutor(2) as workers:
        lists = nearest_records(points, 5, workers)
    distances = ((points[:, None] - points) ** 2).sum(axis=2)
    assert np.array_equal(lists, np.argsort(distances, axis=1)[:, 1:6])


def test_partitioned_is_close_to_exact_and_repeats_itself():
    values = np.random.default_rng(0).standard_normal((6000, 3))
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
        labels = partitioned_mdav(values, 5, seed=0, workers=one, block=2000)
        assert np.array_equal(labels, partitioned_mdav(values, 5, seed=0, workers=two, block=2000))
    assert information_loss(values, labels) < 1.01 * information_loss(values, mdav(values, 5))
