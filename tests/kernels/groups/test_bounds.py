"""Prices from lists of near records: never too high, with lists of any length, at every round."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.reference.least_error import KINDS, SIZES, excess, least_error, small_file, subset_costs, subset_sums

from discreet.kernels.groups import bounds
from discreet.kernels.groups.bounds import ListedPrices
from discreet.kernels.groups.pricing import negative_groups, squared_distances
from discreet.masking.microaggregation.numbers.set_partition import raise_prices


@pytest.fixture(scope="module")
def workers():
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.mark.parametrize("n", range(4, 13))
def test_prices_are_never_too_high(n, workers):
    """Every k and every kind of file, with lists from the shortest to the whole file, after every round."""
    for number, kind in enumerate(KINDS):
        for k in range(2, n // 2 + 1):
            points = small_file(kind, n, k)
            best, largest = least_error(points, k), subset_costs(points)[-1]
            for width in sorted({k - 1 + number % 2, min(k + number % 4, n - 2), n - 1}):
                prices = ListedPrices(points, k, workers, width)
                bound = 0.0
                more = True
                for _ in range(12):
                    assert excess(points, prices.values, k) <= 1e-13 * largest
                    assert bound * (1 - 1e-13) <= prices.values.sum() <= best + 1e-13 * largest
                    bound = prices.values.sum()
                    if not more:
                        break
                    more = prices.raise_once()


def test_what_a_search_misses_is_open(workers):
    """With prices as high as lists allow: all exceeded groups are found, or some set is said to be open."""
    rng = np.random.default_rng(6)
    found_open = missed = 0
    for kind, n, number in itertools.product(KINDS, range(6, 13), range(6)):
        points = small_file(kind, n, 500 + number)
        k = int(rng.integers(3, max(n // 2, 3) + 1))
        listed = ListedPrices(points, k, workers, int(rng.integers(k - 1, n - 1)))
        most = np.minimum(listed._most, subset_costs(points)[-1])
        prices = most * (1.0 if number % 2 else rng.uniform(0.5, 1.0, n))
        answer = listed._exceeded(prices)
        if answer is None:
            continue
        groups, _, surplus = answer
        margin = subset_sums(prices) - subset_costs(points)
        wanted = np.flatnonzero((SIZES[: 1 << n] == k) & (margin > 1e-12 * subset_costs(points)[-1]))
        lost = set(wanted.tolist()) - set((1 << groups).sum(axis=1).tolist())
        assert surplus.any() or not lost
        # A group is written in the order in which its records were added, so that the sets on its path are known.
        D = squared_distances(points)
        for group, a in itertools.product(groups[:50], range(2, k)):
            path = group[:a]
            own = (k - 1) / k * D[np.ix_(path, path)].sum() / 2 - (a - 1) * prices[path].sum()
            left = own + (listed._reach[path] - prices[path]).sum()
            assert own < 1e-9 * D.max()
            assert (surplus[path] >= -left / a**2 - 1e-9 * D.max()).all()
        found_open += bool(surplus.any())
        missed += bool(lost)
    assert found_open > 10
    assert missed > 5


def test_lists_of_the_whole_file_bring_the_bound_near_the_optimum(workers):
    """So that a bound that stays low for no reason is seen."""
    parts = []
    for kind in ("normal", "grid", "clusters", "cauchy", "spread"):
        for n in range(6, 13):
            points = small_file(kind, n, 1)
            prices = ListedPrices(points, 3, workers)
            while prices.raise_once():
                pass
            best = least_error(points, 3)
            if best > 0:
                parts.append(prices.values.sum() / best)
    assert np.mean(parts) > 0.8


def test_lists_of_near_records_come_near_the_relaxation(workers):
    """A linear programme over some groups is never below the one over all, which is the best that prices can do."""
    rng = np.random.default_rng(0)
    for points in (rng.standard_normal((300, 3)), rng.standard_cauchy((300, 3))):
        prices = ListedPrices(points, 3, workers)
        while prices.raise_once():
            pass
        *_, best = raise_prices(squared_distances(points), 3, rounds=20)
        assert 0.96 * best.relaxation < prices.values.sum() <= best.relaxation * (1 + 1e-12)


def heavy_tailed(n, d, seed):
    """One record in ten is far from all others and from each other."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * np.where(rng.random(n) < 0.1, 100.0 * rng.random(n), 1.0)[:, None]


def proven(points, prices, k):
    """Whether the search over all pairs finds nothing that the prices exceed by more than rounding."""
    found = negative_groups(squared_distances(points), prices * (1.0 - 1e-11), k, room=1000)
    return found is not None and len(found[0]) == 0


@pytest.mark.parametrize("k", [2, 3, 5])
def test_short_lists_exceed_nothing_that_the_whole_search_finds(k, workers):
    rng = np.random.default_rng(5)
    for points in (
        rng.standard_normal((400, 3)),
        rng.standard_t(2, (400, 4)),
        rng.standard_cauchy((300, 2)),
        heavy_tailed(400, 3, 0),
        np.round(heavy_tailed(300, 2, 1)),
    ):
        for width in (None, k + 3):
            prices = ListedPrices(points, k, workers, width)
            first = prices.values.sum()
            while prices.raise_once():
                assert proven(points, prices.values, k)
            assert proven(points, prices.values, k)
            assert prices.values.sum() > (1.03 if width is None else 1.0) * first


def test_far_records_have_prices_of_their_own(workers, monkeypatch):
    rng = np.random.default_rng(2)
    points, k = rng.standard_normal((2000, 3)) * rng.pareto(1.0, (2000, 1)), 3
    prices = ListedPrices(points, k, workers)
    assert 10 < prices.far.size <= np.sqrt(2000 * 32)
    assert (points[prices.far] ** 2).sum() > 0.9 * (points**2).sum()
    while prices.raise_once():
        pass
    assert proven(points, prices.values, k)
    monkeypatch.setattr(bounds, "GAIN", np.inf)
    without = ListedPrices(points, k, workers)
    assert without.far.size == 0
    while without.raise_once():
        pass
    assert prices.values.sum() > 1.2 * without.values.sum()


def test_far_records_list_each_other_and_their_lists_end_where_they_say(workers):
    points, k = heavy_tailed(500, 3, 3), 3
    prices = ListedPrices(points, k, workers)
    listed = [set(prices._neighbours[prices._offsets[i] : prices._offsets[i + 1]].tolist()) for i in range(500)]
    far = set(prices.far.tolist())
    share, D = (k - 1) / k, squared_distances(points)
    for i in range(500):
        assert i not in listed[i]
        assert all(i in listed[j] for j in listed[i])
        if i in far:
            assert far - {i} <= listed[i]
    ends = np.array([share * min(D[i, j] for j in range(500) if j != i and j not in listed[i]) for i in range(500)])
    # What the docstring claims, pair by pair: no pair that is not listed is negative at the highest prices, and each
    # record is left at least its reach.
    for i in range(500):
        for j in set(range(500)) - listed[i] - {i}:
            assert share * D[i, j] - prices._most[i] - prices._most[j] > 0.0
            assert share * D[i, j] - prices._most[j] >= prices._reach[i]
    assert (prices._most[prices.far] <= ends[prices.far]).all()


def test_even_files_have_no_far_records(workers):
    rng = np.random.default_rng(0)
    for points in (rng.standard_normal((3000, 10)), rng.random((3000, 4)), np.zeros((300, 2))):
        assert ListedPrices(points, 5, workers).far.size == 0


def test_memory_of_far_records_is_linear(workers):
    for n in (1000, 4000):
        prices = ListedPrices(heavy_tailed(n, 2, 0), 3, workers)
        assert prices.far.size > 0
        assert prices.far.size**2 <= 32 * n
        assert prices._neighbours.size <= 32 * (3 * n + 2 * bounds.LONGER * prices.far.size)


def test_threads_change_nothing():
    points = heavy_tailed(600, 3, 4)
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(3) as three:
        few, many = (ListedPrices(points, 4, pool) for pool in (one, three))
        for _ in range(6):
            assert few.raise_once() == many.raise_once()
            assert np.array_equal(few.values, many.values)


def test_a_search_that_meets_too_many_groups_says_so(workers):
    """Nothing would be proven by what a search that stopped has found."""
    points = np.random.default_rng(0).standard_normal((60, 2))
    prices = ListedPrices(points, 5, workers)
    assert prices._exceeded(prices.values) is not None
    assert prices._exceeded(np.full(60, 100.0)) is None
