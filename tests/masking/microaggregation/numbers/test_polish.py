"""The parts of polishing one by one: what a clock says, which groups are candidates, and what a partition becomes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from tests.reference.least_error import least_error, small_file
from tests.stand_ins import instead

from discreet.kernels.centring import centred
from discreet.kernels.groups.pricing import squared_distances
from discreet.masking.microaggregation.numbers import polish
from discreet.masking.microaggregation.numbers.branching import Node
from discreet.progress import listening

LINE = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0], [22.0]])


def cost(points, group):
    chosen = points[list(group)]
    return float(((chosen - chosen.mean(axis=0)) ** 2).sum())


def as_sets(groups):
    return {frozenset(int(i) for i in group) for group in groups}


def told(clock, done):
    heard = []
    with listening(lambda *said: heard.append(said)):
        clock.tell(done)
    return heard


def test_a_clock_of_seconds_and_one_of_rounds(monkeypatch):
    now = [50.0]
    monkeypatch.setattr(polish, "time", instead(polish.time, monotonic=lambda: now[0]))
    timed, counted = polish._Clock(10.0, 7), polish._Clock(None, 7)
    assert counted.seconds_left() == np.inf
    assert counted.share(0.3) is None
    assert counted.options(3.0, 60) == {"node_limit": 60}
    assert told(counted, 0) == [("polishing", 0, 7)]
    assert told(counted, 5) == [("polishing", 5, 7)]
    for at, left, share, limit, done in [
        (50.0, 10.0, 3.0, 4.0, 0),
        (52.5, 7.5, 3.0, 4.0, 250),
        (58.0, 2.0, 2.0, 2.0, 800),
        (60.0, 0.0, 0.05, 0.05, 1000),
        (65.0, -5.0, 0.05, 0.05, 1000),
    ]:
        now[0] = at
        assert timed.seconds_left() == left
        assert timed.share(0.3) == share
        assert timed.options(4.0, 60) == {"time_limit": limit}
        assert told(timed, 3) == [("polishing", done, 1000)]


def test_candidates_are_the_groups_nearest_to_their_prices():
    """Every group whose excess over its prices stays below a share of them, for the largest share there is room for."""
    points = np.random.default_rng(4).standard_normal((9, 2))
    D, k = squared_distances(points), 2
    prices = np.sort(D, axis=1)[:, 1] / 4
    slack = prices + max(0.02 * prices.mean(), 1e-3 * D.mean() / 9)
    groups = {
        group: (cost(points, group) - prices[list(group)].sum()) / slack[list(group)].sum()
        for size in (2, 3)
        for group in combinations(range(9), size)
    }
    shares = [0.005]
    while shares[-1] < 1e4:
        shares.append(shares[-1] * (1.4 if shares[-1] < 0.5 else 2.5))
    for room in (4, 5, 12, 40, 119, 120, 121):
        fitting = [set()]
        for share in shares[:-1]:
            chosen = {frozenset(group) for group, excess in groups.items() if excess < share}
            if len(chosen) >= room:
                break
            fitting.append(chosen)
        found = polish.candidate_groups(D, k, prices, room)
        assert as_sets(group for part in found for group in part) == fitting[-1]
        assert [part.shape[1] for part in found] == ([2, 3] if len(fitting) > 1 else [])
    assert len(fitting[-1]) == 120, "with room for all of them, all are candidates"


def test_records_without_a_price_are_candidates_for_a_small_share():
    points = np.array([[0.0], [0.0], [0.0], [9.0], [9.5]])
    D = squared_distances(points)
    found = polish.candidate_groups(D, 2, np.zeros(5), 6)
    assert {frozenset((0, 1)), frozenset((0, 2)), frozenset((1, 2)), frozenset((0, 1, 2))} <= as_sets(
        group for part in found for group in part
    )


def test_the_best_partition_is_made_of_the_groups_given():
    D = squared_distances(LINE)
    own = [np.array([0, 2]), np.array([1, 3]), np.array([4, 5, 6])]
    now = sum(cost(LINE, group) for group in own)
    pairs = np.array([[0, 1], [2, 3], [4, 5], [0, 6]])
    better = polish.best_of(D, 2, [pairs, np.zeros((0, 3), np.int64)], own, now, {})
    assert as_sets(better) == {frozenset((0, 1)), frozenset((2, 3)), frozenset((4, 5, 6))}
    reached = sum(cost(LINE, group) for group in better)
    assert reached == 3.0
    # What is no better than the ceiling is none, and neither is what cannot be put together or is not there.
    assert polish.best_of(D, 2, [pairs], own, 3.0, {}) is None
    assert polish.best_of(D, 2, [pairs], own, 3.0 + 1e-6, {}) is not None
    assert polish.best_of(D, 2, [pairs], [], 1e9, {}) is None
    assert polish.best_of(D, 2, [], [], 1e9, {}) is None
    assert as_sets(polish.best_of(D, 2, [], own, 1e9, {})) == as_sets(own)


def test_a_solver_that_leaves_a_record_out_is_not_believed(monkeypatch):
    class Wrong:
        x = np.array([1.0, 0.0, 0.0])

    monkeypatch.setattr("scipy.optimize.milp", lambda *_arguments, **_options: Wrong)
    own = [np.array([0, 2]), np.array([1, 3]), np.array([4, 5, 6])]
    assert polish.best_of(squared_distances(LINE), 2, [], own, 1e9, {}) is None


def test_a_partition_knows_its_costs_gaps_and_groups():
    state = polish._State(LINE, 2, np.array([0, 0, 1, 1, 2, 2, 2]))
    assert state.costs().tolist() == [0.5, 0.5, 2.0]
    assert state.gaps().tolist() == [0.5, 0.5, 2.0]
    state.prices = np.array([0.1, 0.2, 0.5, 0.5, 0.25, 0.25, 0.5])
    assert state.gaps() == pytest.approx([0.2, 0.0, 1.0])
    inside = np.array([True, True, True, False, True, True, True])
    assert [group.tolist() for group in state.groups(inside)] == [[0, 1], [4, 5, 6]]
    state.replace(np.array([2, 3, 4, 5, 6]), np.array([1, 1, 0, 0, 1]))
    assert state.labels.tolist() == [0, 0, 2, 2, 1, 1, 2]
    assert polish._labels_of([np.array([3, 0]), np.array([1])], 5).tolist() == [0, 1, -1, 0, -1]
    assert polish._numbered(np.array([7, 3, 7, 9])).tolist() == [1, 0, 1, 2]


@pytest.mark.parametrize(("n", "k"), [(3, 2), (5, 3)])
def test_one_group_stays_one_group(n, k):
    labels = polish.polished(np.arange(float(n))[:, None], k, np.full(n, 4), seed=0)
    assert labels.tolist() == [0] * n


def test_two_groups_of_two_are_already_worth_it():
    labels = polish.polished(LINE[:4], 2, np.array([0, 1, 0, 1]), seed=0, rounds=1)
    assert as_sets(np.flatnonzero(labels == g) for g in np.unique(labels)) == {frozenset((0, 1)), frozenset((2, 3))}


def test_large_groups_are_split_before_anything_else():
    labels = polish.polished(LINE, 2, np.zeros(7, np.int64), seed=0, rounds=1)
    assert sorted(np.bincount(labels).tolist()) == [2, 2, 3]


class Passed:
    """A source of chance that passes over the groups named."""

    def __init__(self, *draws):
        self.draws = np.array(draws)

    def random(self, size):
        assert size == self.draws.size
        return self.draws


@pytest.mark.parametrize(
    ("records", "draws", "pool"),
    [
        (1, (1.0, 1.0, 1.0), [1]),
        (2, (1.0, 1.0, 1.0), [1]),
        (3, (1.0, 1.0, 1.0), [1, 0]),
        (4, (1.0, 1.0, 1.0), [1, 0]),
        (5, (1.0, 1.0, 1.0), [1, 0, 3]),
        (7, (1.0, 1.0, 1.0), [1, 0, 3]),
        (8, (1.0, 1.0, 1.0), [1, 0, 3, 2]),
        (99, (1.0, 1.0, 1.0), [1, 0, 3, 2]),
        (99, (0.15, 0.16, 0.1), [1, 3]),
        (3, (0.0, 1.0, 1.0), [1, 3]),
    ],
)
def test_a_pool_is_the_groups_of_the_nearest_records(records, draws, pool):
    labels = np.array([0, 0, 1, 1, 2, 2, 3, 3, 3])
    lists = {2: np.array([0, 3, 6, 1, 4, 5, 7, 8])}
    assert polish._pool(labels, 2, lists, records, Passed(*draws)).tolist() == pool


def test_a_pool_of_one_group_has_nothing_better():
    state = polish._State(LINE, 2, np.array([0, 0, 1, 1, 2, 2, 2]))
    assert polish._solved_pool(state, np.array([4, 5, 6]), 1, polish._Clock(None, 1)) is None


@pytest.mark.parametrize("prices", [None, np.full(7, 0.2)])
def test_a_pool_is_solved_within_its_records(prices):
    state = polish._State(LINE, 2, np.array([0, 1, 0, 1, 2, 2, 2]))
    state.prices = prices
    better = polish._solved_pool(state, np.array([0, 1, 2, 3]), 1, polish._Clock(None, 1))
    assert better[0] == better[1] != better[2] == better[3]


def test_what_a_node_leaves_open_is_mended_and_refined():
    """A group of the node breaks up others; whoever is left joins the nearest group that is whole."""
    points = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [13.0], [30.0]])
    state = polish._State(points, 2, np.array([0, 0, 0, 1, 1, 2, 2, 2]))
    node = Node((np.array([6, 7]),), np.array([0, 1, 2, 3, 4, 5]), np.zeros(6), np.zeros((0, 2), np.int64), 0.0)
    with ThreadPoolExecutor(1) as workers:
        labels = polish._refined_rest(state, node, polish._Clock(None, 1), workers, 0)
        assert as_sets(np.flatnonzero(labels == g) for g in range(3)) == {
            frozenset((0, 1, 2)),
            frozenset((3, 4, 5)),
            frozenset((6, 7)),
        }
        assert labels[6] == labels[7] == 2
        # No group is left whole: the rest is grouped from the start.
        state = polish._State(points, 2, np.array([0, 0, 0, 1, 1, 1, 0, 1]))
        again = polish._refined_rest(state, node, polish._Clock(None, 1), workers, 0)
    assert as_sets(np.flatnonzero(again == g) for g in range(3)) == as_sets(
        np.flatnonzero(labels == g) for g in range(3)
    )


def test_one_far_record_is_settled_by_branching(monkeypatch):
    """With no programme over the whole file and no pools, branching alone comes to the optimum."""
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.standard_normal((11, 2)), [[40.0, 0.0]]])
    best = least_error(points, 3)
    asked = []
    monkeypatch.setattr(polish, "_solve_whole", lambda _state, inside, prices, _clock: asked.append((inside, prices)))
    labels = polish.polished(points, 3, np.arange(12) // 3, seed=0, rounds=0)
    assert np.bincount(labels).min() >= 3
    assert polish._State(points, 3, labels).costs().sum() == pytest.approx(best)
    ((inside, prices),) = asked
    assert (~inside).sum() == 3, "the group that was settled first stays"
    assert prices.sum() == pytest.approx(least_error(centred(points), 3)), "prices are those of the node that was kept"


def test_the_programme_over_the_whole_file_finds_the_optimum_by_itself(monkeypatch):
    points = small_file("normal", 12, 5)
    monkeypatch.setattr(polish, "_ALONE", 2.0)
    heard = []
    with listening(lambda *said: heard.append(said)):
        labels = polish.polished(points, 3, np.arange(12) // 3, seed=0, rounds=0)
    assert polish._State(points, 3, labels).costs().sum() == pytest.approx(least_error(points, 3))
    assert set(heard) == {("polishing", 0, 0)}


def test_the_programme_grows_while_that_is_quick(monkeypatch):
    """Half of twenty seconds, a second for each: until three times as long is more than what is left of the half."""
    now, rooms, limits = [0.0], [], []

    def listed(_D, _k, prices, room):
        assert prices.tolist() == [2.0, 3.0, 4.0, 5.0]
        rooms.append(room)
        return []

    def solved(_D, _k, _groups, own, ceiling, options):
        assert [group.tolist() for group in own] == [[0, 1], [2, 3]]
        assert ceiling == 1.0
        limits.append(options)
        now[0] += 1.0

    monkeypatch.setattr(polish, "time", instead(polish.time, monotonic=lambda: now[0]))
    monkeypatch.setattr(polish, "candidate_groups", listed)
    monkeypatch.setattr(polish, "best_of", solved)
    state = polish._State(LINE[:6], 2, np.arange(6) // 2)
    inside = np.array([False, False, True, True, True, True])
    polish._solve_whole(state, inside, np.arange(6.0), polish._Clock(20.0, 1))
    assert rooms == [44 * 2**turn for turn in range(8)]
    assert limits == [{"time_limit": float(left)} for left in range(10, 2, -1)]
    rooms.clear()
    polish._solve_whole(state, inside, np.arange(6.0), polish._Clock(None, 1))
    assert rooms == [44]
    assert limits[8:] == [{"node_limit": 20}]


def test_every_pool_is_told(monkeypatch):
    """Twenty-five pools without success make the next one twice as large, fifty four times; success begins anew."""
    factors, answers = [], [None] * 60 + [np.array([0, 0, 1, 1])] + [None] * 2
    heard = []

    def solved(state, inside, factor, _clock):
        factors.append(factor)
        answer = answers[len(factors) - 1]
        return None if answer is None else np.arange(inside.size) // 2

    monkeypatch.setattr(polish, "_solved_pool", solved)
    points = np.arange(12.0)[:, None] ** 2
    state = polish._State(points, 2, np.arange(12) // 2)
    with ThreadPoolExecutor(1) as workers, listening(lambda *said: heard.append(said)):
        polish._polish_pools(state, polish._Clock(None, 63), workers, np.random.default_rng(0))
    assert factors == [1] * 25 + [2] * 25 + [4] * 11 + [1] * 2
    assert heard == [("polishing", done, 63) for done in range(1, 64)]
    assert np.bincount(state.labels).tolist() == [2] * 6


def test_without_a_gap_there_is_no_pool(monkeypatch):
    monkeypatch.setattr(polish, "_solved_pool", None)
    state = polish._State(np.repeat(np.arange(3.0), 2)[:, None], 2, np.arange(6) // 2)
    with ThreadPoolExecutor(1) as workers:
        polish._polish_pools(state, polish._Clock(None, 5), workers, np.random.default_rng(0))
    assert state.labels.tolist() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize(("seconds", "limits"), [(None, (None, 12)), (20.0, (6.0, None))])
def test_how_prices_of_the_whole_file_are_asked_for_and_none_are_enough(monkeypatch, seconds, limits):
    """Without a round of prices nothing is known, and the partition stays as it is."""
    asked, turns = [], []

    class Listed:
        values = np.arange(7.0)

        def __init__(self, points, k, workers):
            assert (len(points), k, workers) == (7, 2, "workers")

        def raise_once(self):
            turns.append(1)
            return True

    def raised(D, k, start, **given):
        assert D.tolist() == squared_distances(LINE).tolist()
        asked.append((k, start.tolist(), given))
        return iter([SimpleNamespace(rounds=0, values=np.ones(7))])

    monkeypatch.setattr(polish, "time", instead(polish.time, monotonic=lambda: 0.0))
    monkeypatch.setattr(polish, "ListedPrices", Listed)
    monkeypatch.setattr(polish, "raise_prices", raised)
    monkeypatch.setattr(polish, "_solve_whole", None)
    state = polish._State(LINE, 2, np.array([0, 0, 1, 1, 2, 2, 2]))
    polish._polish_whole(state, polish._Clock(seconds, 1), "workers", 0)
    assert len(turns) == 25
    ((k, start, given),) = asked
    assert k == 2
    assert start == [[0, 1], [2, 3], [4, 5], [5, 6], [6, 4]]
    assert given.pop("prices") is Listed.values
    assert given == {"seconds": limits[0], "rounds": limits[1], "tolerance": 1e-4, "workers": "workers"}
    assert state.prices is None
    monkeypatch.setattr(polish, "raise_prices", lambda *_, **__: iter([]))
    polish._polish_whole(state, polish._Clock(seconds, 1), "workers", 0)
    assert state.prices is None


class Search:
    """A search whose bound rises by given steps, and whose lowest node is always a new one."""

    def __init__(self, bounds, node=None):
        self.bounds, self.node = list(bounds), node
        self.ceiling, self.best, self.steps = 100.0, None, []
        self.lowest = node

    @property
    def bound(self):
        return self.bounds[0]

    @property
    def finished(self):
        return len(self.bounds) == 1

    def step(self, seconds):
        self.steps.append(seconds)
        self.bounds.pop(0)


def test_branching_goes_on_while_it_closes_a_part_of_the_gap():
    """Twelve steps in vain end it; a tenth of the gap, from 100 to below 90, begins anew."""
    state, clock = polish._State(LINE, 2, np.array([0, 0, 1, 1, 2, 2, 2])), polish._Clock(None, 1)
    for bounds, steps in (
        ([0.0] * 40, 12),
        ([0.0] * 6 + [10.5] * 40, 6 + 12),
        ([0.0] * 6 + [9.5] * 40, 12),
        ([0.0] * 4, 3),
    ):
        search = Search(bounds)
        assert polish._settled(state, search, clock, None, 0) is None
        assert search.steps == [None] * steps
    assert state.labels.tolist() == [0, 0, 1, 1, 2, 2, 2]


def test_what_the_lowest_node_leaves_open_is_refined_once_and_kept_if_it_is_cheaper(monkeypatch):
    node = Node((np.array([0, 1]),), np.arange(2, 7), np.zeros(5), np.zeros((0, 2), np.int64), 0.0)
    asked, better = [], np.array([0, 0, 1, 1, 2, 2, 2])

    def refined_rest(state, given, _clock, workers, seed):
        assert (given, workers, seed) == (node, "workers", 7)
        asked.append(state)
        return better

    monkeypatch.setattr(polish, "_refined_rest", refined_rest)
    clock = polish._Clock(None, 1)
    state = polish._State(LINE, 2, np.zeros(7, np.int64))
    search = Search([0.0] * 5, node)
    assert polish._settled(state, search, clock, "workers", 7) is node
    assert len(asked) == 1
    assert state.labels is better
    assert search.ceiling == pytest.approx(0.5 + 0.5 + 2.0)
    state, search = polish._State(LINE, 2, np.zeros(7, np.int64)), Search([0.0] * 5, node)
    search.ceiling = 3.0
    assert polish._settled(state, search, clock, "workers", 7) is None, "as dear as what is known"
    assert state.labels.tolist() == [0] * 7
    asked.clear()
    for fixed, uncovered in (((), np.arange(7)), (node.fixed, np.arange(4, 7))):
        small = Node(fixed, uncovered, np.zeros(len(uncovered)), np.zeros((0, 2), np.int64), 0.0)
        assert polish._settled(state, Search([0.0] * 3, small), clock, "workers", 7) is None
    assert asked == []


def test_an_optimum_is_taken_over():
    state, search = polish._State(LINE, 2, np.zeros(7, np.int64)), Search([0.0] * 2)
    search.best = (np.array([4, 5, 6]), np.array([0, 1]), np.array([2, 3]))
    assert polish._settled(state, search, polish._Clock(None, 1), None, 0) is None
    assert state.labels.tolist() == [1, 1, 2, 2, 0, 0, 0]
