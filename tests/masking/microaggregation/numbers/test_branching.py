"""Branching: valid at every step, and at the end the optimum itself."""

import itertools

import numpy as np
import pytest
from tests.reference.least_error import KINDS, least_error, small_file, subset_costs

from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.pricing import group_costs, squared_distances
from discreet.masking.microaggregation.numbers import branching
from discreet.masking.microaggregation.numbers.branching import Branching
from discreet.masking.microaggregation.numbers.set_partition import raise_prices

# Rounding, relative to the squared error of the whole file.
TINY = 1e-9


def begun(points, k, ceiling, rounds=2):
    D = squared_distances(points)
    *_, prices = raise_prices(D, k, rounds=rounds)
    return Branching(D, k, prices.values, prices.columns, ceiling)


def cost_of(points, groups):
    D = squared_distances(points)
    return sum(float(group_costs(D, group[None, :])[0]) for group in groups)


@pytest.mark.parametrize("n", range(4, 13))
def test_small_files_are_solved_and_no_bound_is_above_the_optimum(n):
    for kind, k in itertools.product(KINDS, range(2, n // 2 + 1)):
        points = small_file(kind, n, 700 + k)
        best, whole = least_error(points, k), float(subset_costs(points)[-1])
        search = begun(points, k, 1.001 * whole)
        bounds = [search.bound]
        for _ in range(400):
            if search.finished:
                break
            search.step()
            bounds.append(search.bound)
        assert bounds == sorted(bounds)
        assert bounds[-1] <= best + TINY * whole
        assert search.finished
        assert search.bound == pytest.approx(best, rel=1e-6, abs=TINY * whole)
        if search.best is not None:
            assert sorted(np.concatenate(search.best)) == list(range(n))
            assert min(group.size for group in search.best) >= k
            assert cost_of(points, search.best) == pytest.approx(best, rel=1e-6, abs=TINY * whole)


def test_a_ceiling_below_the_optimum_is_never_passed():
    """Whatever one claims to know: what is proven is that nothing lies below the bound, here the ceiling."""
    points = small_file("outlier", 12, 3)
    best = least_error(points, 3)
    search = begun(points, 3, 0.9 * best)
    while not search.finished:
        search.step()
    assert search.bound <= 0.9 * best


def test_groups_are_listed_further_when_there_was_too_little_room(monkeypatch):
    """With room for almost none, each record's groups come in several lists, and none is lost."""
    monkeypatch.setattr(branching, "_LISTED", 2)
    for kind, seed in itertools.product(KINDS, range(3)):
        points = small_file(kind, 9, seed)
        best, whole = least_error(points, 3), float(subset_costs(points)[-1])
        search = begun(points, 3, 1.001 * whole)
        for _ in range(2000):
            if search.finished:
                break
            search.step()
        assert search.finished
        assert search.bound == pytest.approx(best, rel=1e-6, abs=TINY * whole)


def test_one_far_record_is_what_the_relaxation_gets_wrong():
    """Three pairs of near records, and one far from all: the programme gives a part of it to each pair."""
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.standard_normal((60, 3)), [[40.0, 0.0, 0.0]]])
    labels = mdav(points, 3)
    ceiling = cost_of(points, [np.flatnonzero(labels == g) for g in range(labels.max() + 1)])
    search = begun(points, 3, ceiling, rounds=30)
    before = search.bound
    for _ in range(30):
        if not search.finished:
            search.step()
    assert before < search.bound <= ceiling
