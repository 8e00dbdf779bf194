"""Branching: valid at every step, and at the end the optimum itself."""

import itertools

import numpy as np
import pytest
from tests.reference.least_error import KINDS, least_error, small_file, subset_costs
from tests.stand_ins import instead

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


# ------------------------------------------------------------------------------------------------------ the parts


def waiting(part, ceiling=9.0):
    """A search in which one part is waiting, of six records on a line."""
    search = begun(np.array([[0.0], [1.0], [5.0], [6.0], [20.0], [21.0]]), 2, ceiling)
    search._queue = []
    search._push(0.0, part)
    return search


NODE = branching.Node((), np.arange(6), np.full(6, 0.25), np.zeros((0, 2), np.int64), 1.5)


def rest(excess, reach, room=5):
    groups = [np.array([0, place + 1]) for place in range(len(excess))]
    return branching._Rest(NODE, 0, groups, np.array(excess, dtype=float), reach, room)


def test_what_is_left_of_a_branching_is_bounded_by_its_next_group():
    assert rest([0.5, 0.75], 2.0).bound == 2.0
    assert rest([], 2.0).bound == 3.5


def test_a_list_that_came_to_its_end_goes_on_where_it_ended(monkeypatch):
    search, asked = waiting(rest([], 0.5)), []

    def containing(*given):
        asked.append(given)
        return rest([0.25, 0.5, 0.75], 1.0, room=20)

    monkeypatch.setattr(search, "_containing", containing)
    search.step()
    assert asked == [(NODE, 0, 20)]
    ((bound, _, part),) = search._queue
    assert bound == 2.0
    assert part.excess.tolist() == [0.5, 0.75], "what lies below where it ended was gone through"
    assert [group.tolist() for group in part.groups] == [[0, 2], [0, 3]]
    assert not search.finished


def test_too_many_groups_of_equal_cost_end_the_search(monkeypatch):
    search = waiting(rest([], 0.5))
    monkeypatch.setattr(search, "_containing", lambda *_: None)
    search.step()
    assert search.finished
    assert search.bound == 2.0
    search = waiting(NODE)
    monkeypatch.setattr(search, "_branched", lambda *_: None)
    assert search.lowest is NODE
    search.step()
    assert search.finished
    assert search.bound == 1.5


def test_parts_that_the_ceiling_rules_out_are_not_kept():
    for ceiling, kept in ((1.5, False), (1.6, True)):
        search = waiting(NODE, ceiling)
        assert bool(search._queue) == kept
        assert search.finished == (not kept)
        assert search.bound == 1.5
    assert waiting(rest([], 0.5)).lowest is None


def test_a_group_leaves_a_smaller_file_or_none():
    search = waiting(NODE)
    assert search._child(NODE, np.array([0, 1, 2, 3, 4]), None) is None, "one record would be left"
    whole = search._child(NODE, np.array([0, 1, 2, 3, 4, 5]), None)
    assert whole.uncovered.size == 0
    assert whole.bound == pytest.approx(0 + 1 + 25 + 36 + 400 + 441 - 53**2 / 6)
    two = search._child(NODE, np.array([0, 1, 2, 3]), None)
    # 0, 1, 5 and 6 lie 3, 2, 2 and 3 from their mean, and 20 and 21 half from theirs.
    assert two.uncovered.tolist() == [4, 5]
    assert two.bound == pytest.approx(26.0 + 0.5)
    four = search._child(NODE, np.array([0, 1]), None)
    assert four.uncovered.tolist() == [2, 3, 4, 5]
    assert four.bound == pytest.approx(0.5 + 0.5 + 0.5, rel=1e-3)


def listed(rest):
    return [(sorted(group.tolist()), float(excess)) for group, excess in zip(rest.groups, rest.excess, strict=True)]


def test_groups_with_a_record_are_listed_by_what_they_cost_beyond_their_prices():
    """Of 0, 1, 5, 6, 20 and 21 with prices of 1/4, and 18.5 to spend: 0 and 1 cost nothing more, 0 and 5 cost 12."""
    search = waiting(NODE, 20.0)
    found = search._containing(NODE, 0, 50)
    assert listed(found) == [([0, 1], 0.0), ([0, 2], 12.0), ([0, 1, 2], pytest.approx(13.25)), ([0, 3], 17.5)]
    assert (found.node, found.record, found.reach, found.room) == (NODE, 0, 18.5, 50)
    found = waiting(NODE, 13.5)._containing(NODE, 0, 50)
    assert listed(found) == [([0, 1], 0.0)], "what costs as much as there is to spend is of no use"
    part = branching.Node((np.array([0, 1]),), np.arange(2, 6), np.full(4, 0.25), np.zeros((0, 2), np.int64), 1.5)
    found = waiting(NODE, 3.0)._containing(part, 1, 50)
    assert listed(found) == [([2, 3], 0.0)], "records are those of the whole file"


def test_what_there_was_no_room_for_is_looked_for_less_far():
    search = waiting(NODE, 20.0)
    found = search._containing(NODE, 0, 2)
    assert listed(found) == [([0, 1], 0.0)]
    assert found.reach == 18.5 / 4
    assert search._share == 0.25
    assert search._containing(NODE, 0, 50).reach == 18.5, "next time up to four times as far"


def test_equal_groups_get_more_room_up_to_a_limit(monkeypatch):
    node = branching.Node((), np.arange(6), np.zeros(6), np.zeros((0, 2), np.int64), 0.0)
    for most, groups in ((8, None), (9, 5 + 10)):
        monkeypatch.setattr(branching, "_MOST_LISTED", most)
        search = waiting(NODE)
        search._D = np.zeros((6, 6))
        found = search._containing(node, 0, 2)
        assert (found if found is None else len(found.groups)) == groups
    assert found.room == 32
    assert (found.excess == 0.0).all()


def test_a_node_is_branched_on_the_dearest_record_that_is_divided(monkeypatch):
    prices = np.array([1.0, 4.0, 2.0, 3.0, 0.5, 0.25])
    node = branching.Node((), np.arange(6), prices, np.zeros((0, 2), np.int64), 1.0)
    # A fiftieth of the gap of 100 counts as used: 2.
    found = {1: rest([0.0], 9.0), 3: rest([0.0, 2.0], 9.5), 2: rest([0.0, 1.0], 9.25), 0: rest([0.0, 1.0], 50.0)}
    search, asked = waiting(NODE, 101.0), []

    def containing(_node, record, room):
        asked.append((record, room))
        return found.get(record)

    monkeypatch.setattr(search, "_containing", containing)
    assert search._branched(node, None) is found[2]
    assert asked == [(1, 4000), (3, 4000), (2, 4000)]
    found[2] = rest([0.0, 1.0], 2.0)  # not listed beyond what is used
    assert search._branched(node, None) is found[0]
    del found[0]  # too many, as of every cheaper one
    assert search._branched(node, None) is found[3], "the one listed farthest"
    asked.clear()
    found.clear()
    assert search._branched(node, None) is None
    assert asked == [(1, 4000)]
    monkeypatch.setattr(branching, "_RECORDS", 1)
    found.update({1: rest([0.0], 9.0), 3: rest([0.0, 1.0], 99.0)})
    assert search._branched(node, None) is found[1]


def test_time_ends_the_choice_of_a_record_but_not_before_one_is_found(monkeypatch):
    now = itertools.count(5.0, 2.0)
    monkeypatch.setattr(branching, "time", instead(branching.time, monotonic=lambda: next(now)))
    search, asked = waiting(NODE, 101.0), []

    def containing(_node, record, _room):
        asked.append(record)
        return rest([0.0], 9.0)

    monkeypatch.setattr(search, "_containing", containing)
    search._branched(NODE, 1.0)
    assert asked == [0]
    asked.clear()
    search._branched(NODE, 4.0)
    assert asked == [0, 1, 2]


def test_a_step_takes_the_next_group_and_leaves_the_others(monkeypatch):
    search = waiting(rest([0.5, 0.75], 2.0))
    asked = []

    def child(*given):
        asked.append(given)
        return branching.Node((given[1],), np.arange(2, 6), np.zeros(4), np.zeros((0, 2), np.int64), 1.0)

    monkeypatch.setattr(search, "_child", child)
    search.step(3.0)
    ((node, group, seconds),) = asked
    assert (node, group.tolist(), seconds) == (NODE, [0, 1], 3.0)
    (first, _, new), (second, _, others) = sorted(search._queue, key=lambda part: part[0])
    assert (first, new.bound) == (2.0, 1.0), "a part is never below what it lies within"
    assert second == 2.25
    assert others.excess.tolist() == [0.75]
    assert [group.tolist() for group in others.groups] == [[0, 2]]


def test_a_node_that_is_a_partition_is_the_optimum():
    fixed = (np.array([0, 1]), np.array([2, 3]))
    for uncovered in ([4, 5], []):
        left = np.array(uncovered, dtype=np.int64)
        search = waiting(branching.Node(fixed, left, np.zeros(left.size), np.zeros((0, 2), np.int64), 1.5))
        search.step()
        assert search.ceiling == 1.5
        assert search.finished
        assert [group.tolist() for group in search.best] == [[0, 1], [2, 3], *([uncovered] if uncovered else [])]
