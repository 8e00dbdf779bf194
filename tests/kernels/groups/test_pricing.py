"""Groups that prices exceed: all of them, and each once."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from discreet.kernels.groups.pricing import group_costs, lower_prices, negative_groups, squared_distances


def cost(points, members):
    inside = points[list(members)]
    return float(((inside - inside.mean(axis=0)) ** 2).sum())


def exceeded(points, prices, s):
    """Look at every group of s."""
    groups = itertools.combinations(range(len(points)), s)
    return {g for g in groups if cost(points, g) - prices[list(g)].sum() < -1e-11}


def problems(count, seed=0):
    """Small files: Gaussian, on a grid (ties and duplicates), in clusters; prices of every kind."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        n, d = int(rng.integers(4, 13)), int(rng.integers(1, 4))
        points = [
            rng.standard_normal((n, d)),
            rng.integers(0, 3, (n, d)).astype(float),
            rng.integers(0, 2, (n, d)) * 10.0 + rng.standard_normal((n, d)) / 10,
        ][number % 3]
        prices = np.full(n, 0.6) if number % 5 == 0 else rng.uniform(-0.3, 1.0, n) * rng.choice([0.3, 1.0, 3.0])
        yield points, prices


def test_all_exceeded_groups_are_found_once():
    for points, prices in problems(150):
        D = squared_distances(points)
        for s in range(2, min(6, len(points)) + 1):
            groups, reduced = negative_groups(D, prices, s, room=10_000)
            found = [tuple(sorted(g)) for g in groups.tolist()]
            assert len(set(found)) == len(found)
            assert exceeded(points, prices, s) <= set(found)
            for g, r in zip(found, reduced, strict=True):
                assert r == pytest.approx(cost(points, g) - prices[list(g)].sum(), abs=1e-9)


def test_threads_change_nothing_and_room_is_kept():
    rng = np.random.default_rng(1)
    points = rng.standard_normal((200, 3))
    D, prices = squared_distances(points), np.full(200, 0.12)
    alone = negative_groups(D, prices, 4, room=100_000)
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(3) as three:
        few, many = (negative_groups(D, prices, 4, room=100_000, workers=w) for w in (one, three))
    assert len(alone[0]) > 100
    assert all(np.array_equal(a, b) for a, b in zip(few, many, strict=True))
    assert {tuple(sorted(g)) for g in few[0].tolist()} == {tuple(sorted(g)) for g in alone[0].tolist()}
    assert negative_groups(D, prices, 4, room=len(alone[0]) - 1) is None
    assert len(negative_groups(D[:3, :3], prices[:3], 4, room=5)[0]) == 0


def test_lowered_prices_exceed_nothing_and_lose_no_more_than_needed():
    for points, prices in problems(60, seed=2):
        D = squared_distances(points)
        groups, reduced = negative_groups(D, prices, 3, room=10_000)
        order = np.argsort(reduced)
        lower = prices.copy()
        lower_prices(groups[order], reduced[order], lower, prices)
        assert (lower <= prices).all()
        assert not exceeded(points, lower, 3)
        assert np.allclose(lower[np.setdiff1d(np.arange(len(points)), groups)], prices[
            np.setdiff1d(np.arange(len(points)), groups)])  # fmt: skip


def test_larger_groups_follow_from_groups_of_k():
    for points, prices in problems(40, seed=3):
        if len(points) < 6 or exceeded(points, prices, 3):
            continue
        assert not exceeded(points, prices, 4)
        assert not exceeded(points, prices, 5)


def test_group_costs():
    points = np.random.default_rng(0).standard_normal((9, 2))
    groups = np.array([[0, 3, 5], [8, 1, 2]])
    expected = [cost(points, g) for g in groups]
    assert group_costs(squared_distances(points), groups) == pytest.approx(expected)
