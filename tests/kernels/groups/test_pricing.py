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


def test_high_prices_give_way_before_low_ones():
    """Of an excess of 4, half is shared by the prices, 3 to 1, and half alike."""
    prices = np.array([3.0, 1.0, 7.0])
    lower_prices(np.array([[0, 1]]), np.array([-4.0]), prices, prices.copy())
    assert prices.tolist() == [3.0 - 2.5, 1.0 - 1.5, 7.0]
    prices = np.zeros(2)
    lower_prices(np.array([[0, 1]]), np.array([-4.0]), prices, np.zeros(2))
    assert prices.tolist() == [-2.0, -2.0]
    prices = np.array([-3.0, 1.0])
    lower_prices(np.array([[0, 1]]), np.array([-4.0]), prices, prices.copy())
    assert prices.tolist() == [-5.5, -0.5]


def test_what_an_earlier_group_lowered_counts_for_the_later():
    """The first group takes 2 from each, so that the second, exceeded by 3, is by 1 only, and the third not at all."""
    prices = np.full(4, 2.0)
    groups = np.array([[0, 1], [1, 2], [0, 3]])
    lower_prices(groups, np.array([-4.0, -3.0, -2.0]), prices, np.full(4, 2.0))
    assert prices.tolist() == [0.0, 0.0 - 0.25, 2.0 - 0.75, 2.0]


def test_squared_distances_by_hand():
    D = squared_distances(np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
    assert D.tolist() == [[0.0, 25.0, 1.0], [25.0, 0.0, 18.0], [1.0, 18.0, 0.0]]


def test_as_many_groups_as_there_is_room_for_are_returned():
    D, prices = np.zeros((6, 6)), np.full(6, 1.0)
    for s, count in ((2, 15), (3, 20)):
        groups, reduced = negative_groups(D, prices, s, room=count)
        assert len({tuple(sorted(group)) for group in groups.tolist()}) == count
        assert reduced.tolist() == pytest.approx([-s] * count)
        assert negative_groups(D, prices, s, room=count - 1) is None
    with ThreadPoolExecutor(2) as workers:
        assert len(negative_groups(D, prices, 3, room=20, workers=workers)[0]) == 20
        assert negative_groups(D, prices, 3, room=19, workers=workers) is None
    groups, reduced = negative_groups(D, np.zeros(6), 2, room=15)
    assert (groups.shape, reduced.shape) == ((0, 2), (0,)), "prices that are met are not exceeded"
    assert [part.shape for part in negative_groups(D, prices, 7, room=15)] == [(0, 7), (0,)]
    assert len(negative_groups(D, prices, 6, room=15)[0]) == 1
