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


# ------------------------------------------------------------------------------------------------------ the parts


def balanced(groups, costs, ceiling, prices, heat, passes):
    """Do what the loops say, record by record."""
    prices, k = prices.copy(), groups.shape[1]
    for _ in range(passes):
        demand = np.zeros(prices.size)
        for group, cost in zip(groups, costs, strict=True):
            demand[group] += np.exp(min((prices[group].sum() - cost) / (heat * max(cost, 1e-300)), 30.0))
        for i in range(prices.size):
            own = costs[(groups == i).any(axis=1)]
            if own.size:
                step = 0.7 * heat * own.mean() / k * np.log(max(demand[i], 1e-12))
                prices[i] = min(ceiling[i], prices[i] - step)
            else:
                prices[i] = ceiling[i]
    return prices


@pytest.mark.parametrize("heat", [0.1, 0.01])
def test_prices_move_by_what_their_groups_ask_for(heat):
    rng = np.random.default_rng(4)
    groups = np.array([rng.choice(7, 3, replace=False) for _ in range(9)])
    costs, ceiling = rng.uniform(1.0, 2.0, 9), np.append(rng.uniform(0.8, 1.2, 7), 9.0)
    costs[0] = 0.0  # whose weight has a limit
    start = np.append(rng.uniform(0.1, 0.8, 7), 0.5)
    for passes in (0, 1, 2, 30):
        prices = start.copy()
        bounds._balance(groups, costs, ceiling, prices, heat, passes)
        assert prices == pytest.approx(balanced(groups, costs, ceiling, start, heat, passes), rel=1e-9)
        assert prices[7] == (9.0 if passes else 0.5), "in no group"


def test_a_record_that_nobody_can_afford_is_raised_no_further_than_its_ceiling():
    groups, costs = np.array([[0, 1]]), np.array([100.0])
    prices = np.array([1.0, 2.0])
    bounds._balance(groups, costs, np.array([5.0, 1000.0]), prices, 0.01, 1)
    # Asked for by e⁻⁹⁷, which counts as 10⁻¹²: 0.7 · 0.01 · 100 / 2 · ln 10¹² more.
    assert prices == pytest.approx([5.0, 2.0 + 0.35 * 12 * np.log(10)])


def test_prices_are_raised_by_what_their_groups_leave():
    """Record after record: the first takes all that its tightest group leaves, and the next find it taken."""
    groups, costs = np.array([[0, 1], [0, 2], [2, 3]]), np.array([5.0, 4.0, 9.0])
    columns, starts = np.array([0, 1, 0, 1, 2, 2]), np.array([0, 2, 3, 5, 6, 6])
    prices = np.array([1.0, 1.0, 2.0, 5.0, 1.0])
    bounds._raise(groups, costs, starts, columns, np.array([9.0, 2.5, 9.0, 6.0, 3.0]), prices)
    assert prices.tolist() == [2.0, 2.5, 2.0, 6.0, 3.0]
    bounds._raise(groups, np.array([1.0, 1.0, 1.0]), starts, columns, np.full(5, 9.0), prices)
    assert prices.tolist() == [2.0, 2.5, 2.0, 6.0, 9.0], "nothing is lowered here"


def test_distances_of_one_record_are_squared():
    squares = np.empty(3)
    bounds._distances(np.array([[0.0, 1.0], [3.0, 5.0], [0.0, 3.0]]), 2, squares)
    assert squares.tolist() == [4.0, 13.0, 0.0]


def test_far_records_are_few_and_carry_much_of_the_error():
    """Of 16 records with lists of one, at most four: what they have above the next one is what their prices gain."""
    ends = np.ones(16)
    ends[[9, 3]] = 101.0, 51.0
    gain = 0.58 * (100 + 50)
    assert bounds._far_records(ends, 4.9 * gain, 1).tolist() == [3, 9]
    assert bounds._far_records(ends, 5.1 * gain, 1).tolist() == []
    assert bounds._far_records(ends, 5.1 * gain, 1).dtype == np.int64
    assert bounds._far_records(np.ones(16), 0.0, 1).tolist() == []
    ends[:6] = 101.0
    # Five are as far as the ninth, and there is room for four of the six: none stands out of the next.
    assert bounds._far_records(ends, 1.0, 1).tolist() == []
    few = np.ones(16)
    few[[2, 5, 7]] = 1001.0, 1000.0, 21.0
    # The two give 1979 + 1980 − 20 … of 2019, more than 95 parts of a hundred: the third is left out.
    assert bounds._far_records(few, 1.0, 1).tolist() == [2, 5]


def test_first_prices_and_limits_by_hand(workers, monkeypatch):
    """Of 0, 1, 3 and 7 in pairs with lists of one: a quarter of the least square, and 0.42 of a half of it at most."""
    monkeypatch.setattr(bounds, "GAIN", np.inf)
    points = np.array([[0.0], [1.0], [3.0], [7.0]])
    prices = ListedPrices(points, 2, workers, 1)
    assert prices.values == pytest.approx([0.25, 0.25, 1.0, 4.0])
    assert (prices.values < [0.25, 0.25, 1.0, 4.0]).all()
    assert prices._most == pytest.approx(0.42 * np.array([0.5, 0.5, 2.0, 8.0]))
    assert prices._reach == pytest.approx(0.58 * np.array([0.5, 0.5, 2.0, 8.0]))
    whole = ListedPrices(points, 2, workers)
    assert whole.far.size == 0
    assert np.isinf(whole._most).all()
    assert whole._offsets.tolist() == [0, 3, 6, 9, 12]
    assert whole._neighbours.tolist() == [1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2]


def test_lists_are_as_long_as_said(workers, monkeypatch):
    monkeypatch.setattr(bounds, "GAIN", np.inf)
    points = np.random.default_rng(0).standard_normal((120, 2))
    for width, length in ((None, 4 * 3 + 20), (5, 5)):
        prices = ListedPrices(points, 3, workers, width)
        lengths = np.diff(prices._offsets)
        assert lengths.min() == length
        D = squared_distances(points)
        assert prices._most == pytest.approx(0.42 * 2 / 3 * np.sort(D, axis=1)[:, length])


def test_a_round_that_finds_too_many_groups_is_tried_at_half_the_share(workers, monkeypatch):
    prices = ListedPrices(np.random.default_rng(0).standard_normal((30, 2)), 3, workers)
    before, asked = prices.values.copy(), []
    monkeypatch.setattr(prices, "_exceeded", asked.append)
    assert prices.raise_once()
    assert prices.raise_once()
    assert prices._share == 0.3 / 4
    assert asked[0] == pytest.approx(1.3 * before)
    assert asked[1] == pytest.approx(1.15 * before)
    while prices.raise_once():
        pass
    assert len(asked) == 9, "0.3 halved nine times is below a thousandth"
    assert prices.values.tolist() == before.tolist()


def test_records_of_open_sets_stay_lower(workers, monkeypatch):
    prices = ListedPrices(np.random.default_rng(0).standard_normal((30, 2)), 3, workers)
    start, asked, surplus = prices.values.copy(), [], np.zeros(30)
    surplus[:2] = 0.1 * start[0], 2.0 * start[1]

    def exceeded(ceiling):
        asked.append(ceiling)
        return np.empty((0, 3), np.int64), np.empty(0), surplus if len(asked) == 1 else np.zeros(30)

    monkeypatch.setattr(prices, "_exceeded", exceeded)
    assert prices.raise_once()
    expected = 1.3 * start
    expected[0] = min(expected[0] - 0.15 * start[0], start[0])
    expected[1] = 1.3 * start[1] - 3.0 * start[1]
    assert asked[1] == pytest.approx(expected)
    assert prices.values == pytest.approx(expected), "no group is exceeded"
    assert len(asked) == 2
    surplus[:] = 0.01
    asked.clear()
    monkeypatch.setattr(prices, "_exceeded", lambda _: asked.append(1) or (None, None, surplus))
    assert prices.raise_once()
    assert len(asked) == 6
    assert prices.values == pytest.approx(expected)


def test_the_share_falls_with_the_gain_but_not_too_fast(workers, monkeypatch):
    for gain, share in ((0.25, 0.25), (0.05, 0.18), (-0.1, 0.18), (0.9, 0.3)):
        prices = ListedPrices(np.random.default_rng(0).standard_normal((30, 2)), 3, workers)
        first = prices.values
        monkeypatch.setattr(prices, "_exceeded", lambda _: (None, None, np.zeros(30)))
        monkeypatch.setattr(prices, "_fitted", lambda *_, first=first, gain=gain: first * (1.0 + gain))
        assert prices.raise_once()
        assert prices._share == pytest.approx(share)
        assert prices.values.sum() == pytest.approx(first.sum() * (1.0 + max(gain, 0.0)))


def test_after_the_far_records_all_are_raised_together(workers, monkeypatch):
    prices = ListedPrices(heavy_tailed(500, 3, 3), 3, workers)
    asked, first = [], prices.values.copy()
    assert prices.far.size
    monkeypatch.setattr(prices, "_exceeded", asked.append)
    rest = np.delete(np.arange(500), prices.far)
    while prices._alone:
        assert prices.raise_once(), "the others are still to come"
    assert asked[0][rest] == pytest.approx(np.minimum(prices._most, asked[-1])[rest]), "only far ones were raised"
    assert (asked[0][prices.far] > asked[-1][prices.far]).any()
    assert prices._share == 0.3
    prices.raise_once()
    assert asked[-1][rest] == pytest.approx(np.minimum(1.3 * first, prices._most)[rest])
    assert asked[-1][prices.far] == pytest.approx(np.minimum(prices._prices, prices._most)[prices.far])
