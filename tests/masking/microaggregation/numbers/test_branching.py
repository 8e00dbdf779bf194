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
