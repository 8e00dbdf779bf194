"""The optimal partition of a path against all of them, and MHM never worse than the groups it starts from."""

import numpy as np
import pytest
from tests.reference.microaggregation import information_loss, plain_path_cost

from discreet.kernels.centring import centred
from discreet.kernels.groups.genetic import genetic
from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.path import group_tour, optimal_along, repartition_along_tour


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("n", [5, 9, 31])
def test_optimal_along_a_path(n, k):
    rng = np.random.default_rng(n * k)
    values = rng.standard_normal((n, 3)) + 50.0
    order = rng.permutation(n)
    points = centred(values)
    labels = optimal_along(points, order, k)
    error = information_loss(points, labels) / 100 * ((points - points.mean(axis=0)) ** 2).sum()
    assert error == pytest.approx(plain_path_cost(points, order, k), rel=1e-9, abs=1e-15)


def test_tour_visits_every_record_once_and_groups_together():
    values = centred(np.random.default_rng(0).standard_normal((200, 4)))
    labels = mdav(values, 4)
    order = group_tour(values, labels)
    assert np.array_equal(np.sort(order), np.arange(200))
    assert np.sum(np.diff(labels[order]) != 0) == labels.max()


@pytest.mark.parametrize("k", [2, 3, 7])
def test_repartition_does_not_raise_the_loss(k):
    values = np.random.default_rng(k).standard_t(3, (400, 3))
    labels = mdav(values, k)
    assert (
        information_loss(values, repartition_along_tour(values, labels, k)) <= information_loss(values, labels) + 1e-9
    )


def test_genetic_lies_between_fixed_groups_and_the_optimum():
    values = np.random.default_rng(2).standard_t(3, (150, 2))
    order = np.argsort(values[:, 0])
    labels = genetic(values, 3, order, seed=5, generations=60)
    fixed = np.empty(150, dtype=np.int64)
    fixed[order] = np.arange(150) // 3
    best = optimal_along(centred(values), order, 3)
    assert information_loss(values, best) - 1e-9 <= information_loss(values, labels) < information_loss(values, fixed)
    assert np.array_equal(labels, genetic(values, 3, order, seed=5, generations=60))


@pytest.mark.parametrize(
    ("values", "k", "labels"),
    [
        ([0, 1, 10, 11], 2, [0, 0, 1, 1]),
        ([0, 1, 2, 10, 11], 2, [0, 0, 0, 1, 1]),
        ([0, 1, 9, 10, 11], 2, [0, 0, 1, 1, 1]),
        ([0, 1, 10], 2, [0, 0, 0]),
        ([0, 5, 9], 3, [0, 0, 0]),
        ([4, 2, 9], 1, [0, 1, 2]),
        ([4, 4, 4], 1, [0, 1, 2]),  # alone where that is as good
        ([4, 4, 4, 4], 2, [0, 0, 1, 1]),
        ([4, 4, 4, 4, 4], 2, [0, 0, 0, 1, 1]),  # of equal partitions that with the shortest last run
        ([3], 1, [0]),
    ],
)
def test_runs_by_hand(values, k, labels):
    points = np.array(values, dtype=float)[:, None]
    assert optimal_along(points, np.arange(len(values)), k).tolist() == labels
    turned = np.arange(len(values))[::-1].copy()  # the path leads back: labels go along it
    assert optimal_along(points[turned], turned, k)[turned].tolist() == labels


def plain_tour(points, labels):
    """Groups by the nearest centroid, records by the nearest record, the lowest on ties."""
    groups = [np.flatnonzero(labels == g).tolist() for g in range(max(labels) + 1)]
    centres = [points[group].mean(axis=0) for group in groups]

    def nearest(candidates, place, where):
        return min(candidates, key=lambda c: (((where[c] - place) ** 2).sum(), c))

    start = max(range(len(groups)), key=lambda g: ((centres[g] - points.mean(axis=0)) ** 2).sum())
    tour = [start]
    while len(tour) < len(groups):
        tour.append(nearest([g for g in range(len(groups)) if g not in tour], centres[tour[-1]], centres))
    here = centres[start] if len(tour) == 1 else 2 * centres[start] - centres[tour[1]]
    order = []
    for g in tour:
        unvisited = list(groups[g])
        while unvisited:
            order.append(nearest(unvisited, here, points))
            unvisited.remove(order[-1])
            here = points[order[-1]]
    return order


@pytest.mark.parametrize("groups", [1, 2, 4, 8])
def test_tours_lead_to_the_nearest_group_and_record(groups):
    for seed in range(15):
        rng = np.random.default_rng(seed)
        # Whole numbers, and groups of two or four: all means are exact, and many distances equal.
        points = rng.integers(0, 5, (groups * 4, 2)).astype(float)
        labels = rng.permutation(np.arange(groups * 4) % groups)
        assert group_tour(points, labels).tolist() == plain_tour(points, labels)
