"""What is ruled out in single precision is what full coordinates would have left as it is, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.groups import refine, settle
from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.refine import Refinement


def pairs_of(labels, k):
    """Join groups and leave some larger than k, so that records can also be relocated."""
    return np.where(labels < labels.max() // 3, labels // 2, labels) if k < 8 else labels


def tables():
    rng = np.random.default_rng(7)
    tails = np.exp(1.5 * rng.standard_normal((420, 3)))
    grid = rng.integers(0, 4, (300, 2)).astype(float)
    yield "even", rng.standard_normal((500, 4)), 5
    yield "tails", tails, 3
    yield "ties", grid, 4
    yield "offset", 1e6 + 1e-3 * rng.standard_normal((300, 2)), 2
    yield "far apart", np.vstack([1e-7 * rng.standard_normal((200, 3)), 1.0 + 1e-7 * rng.standard_normal((200, 3))]), 5
    yield "many columns", rng.standard_normal((260, 19)), 6
    yield "large groups", rng.standard_normal((420, 3)), 10
    yield "equal", np.ones((60, 2)), 3


@pytest.mark.parametrize(("name", "values", "k"), [pytest.param(*one, id=one[0]) for one in tables()])
@pytest.mark.parametrize("joined", [False, True])
def test_settling_does_what_measuring_every_pool_does(name, values, k, joined, monkeypatch):
    labels = mdav(values, k)
    if joined:
        labels = np.unique(pairs_of(labels, k), return_inverse=True)[1]
    quick = Refinement(values, k, labels, 3, None, by_group=True)
    for _ in range(6):
        quick.settle()

    def measured(points, k, row, lists, labels, members, sizes, costs, views, *regions):
        region, ids, offsets, states, steps, start, stop, room = regions
        for here in range(start, stop):
            own, state = ids[offsets[here] : offsets[here + 1]], states[here : here + 1]
            table = (points, k, row, lists, labels, members, sizes, costs)
            settle._settle_region.py_func(*table, views, region, own, here, state, steps, room)

    monkeypatch.setattr(settle, "_is_quiet", lambda *_: False)
    monkeypatch.setattr(refine, "settle", measured)
    plain = Refinement(values, k, labels, 3, None, by_group=True)
    for _ in range(6):
        plain.settle()
    for array in ("_current", "_members", "_sizes", "_costs"):
        assert np.array_equal(getattr(quick, array), getattr(plain, array)), array
    assert (quick.cost, quick.labels.tolist()) == (plain.cost, plain.labels.tolist())


def test_most_pools_of_settled_groups_are_ruled_out():
    values = np.random.default_rng(1).standard_normal((1000, 5))
    settling = Refinement(values, 5, mdav(values, 5), 1, None, by_group=True)
    for _ in range(30):
        settling.settle()
    room, quiet = settle.room_for(5, 5, settling._views), 0
    for g in range(settling.groups - 5):
        room.pool[:] = np.arange(g, g + 5)
        arrays = (settling._members, settling._sizes, settling._views)
        quiet += settle._is_quiet(settling._points, 5, 5, *arrays, room)
    assert quiet > 0.9 * settling.groups


def test_annealing_between_passes_leaves_no_old_views():
    values = np.random.default_rng(2).standard_normal((400, 3))
    refinement = Refinement(values, 4, mdav(values, 4), 1, None, by_group=True)
    for _ in range(4):
        refinement.settle()
        refinement.anneal(500, 0.1)
    before = refinement._costs.sum()
    assert refinement.settle() <= before * (1 + 1e-12)
    sizes = refinement._sizes
    assert np.array_equal(np.bincount(refinement._current, minlength=sizes.size), sizes)


# ------------------------------------------------------------------------------------------------------ the parts


@pytest.mark.parametrize(("k", "lanes"), [(2, 8), (8, 8), (9, 16), (16, 16)])
def test_views_have_lanes_by_eights(k, lanes):
    views = settle.views_for(3, 2, k)
    assert views.lanes.shape == (3, 2, lanes)
    assert not views.lanes.any()
    assert views.means.shape == views.origins.shape == (3, 2)
    assert np.isnan(views.errors).all()
    room = settle.room_for(2, k, views)
    assert (room.records.size, room.D.shape, room.R.shape) == (
        5 * (2 * k - 1),
        (5 * (2 * k - 1),) * 2,
        (5, 5 * (2 * k - 1)),
    )
    assert (room.lanes.shape, room.norms.shape, room.largest.size) == ((5, 2, lanes), (5, lanes), 8)


def test_a_group_is_seen_from_its_first_record():
    points = np.array([[9.0, 9.0], [3.0, 1.0], [1.0, 1.0], [2.0, 7.0]])
    views = settle.views_for(2, 2, 3)
    views.lanes[:] = 5.0
    settle._look(points, 1, np.array([[0, 0, 0], [2, 1, 3]]), 3, views)
    assert views.origins[1].tolist() == [1.0, 1.0]
    assert views.lanes[1].tolist() == [[0, 2, 1, 0, 0, 0, 0, 0], [0, 0, 6, 0, 0, 0, 0, 0]]
    assert views.means[1].tolist() == [1.0, 2.0]
    assert views.errors[1] == 2.0 + 24.0
    assert (views.lanes[0] == 5.0).all()
    assert np.isnan(views.errors[0])


def test_a_relocation_may_help_where_it_lowers_the_error_by_more_than_rounding():
    """Of 0, 1 and 8 the last is 5 from its mean and 1 from the 9 of two others: 2/3 − 3/2 · 25 is far below zero."""
    lanes, means = np.zeros((2, 1, 8), np.float32), np.array([[3.0], [9.0]], np.float32)
    lanes[0, 0, :3] = 0.0, 1.0, 8.0
    assert settle._relocation_may_help(lanes, means, 0, 3, 1, 2, 0.0)
    means[1] = 100.0
    assert not settle._relocation_may_help(lanes, means, 0, 3, 1, 2, 0.0)
    # The least of the changes is that of 8: 2/3 · 92² − 3/2 · 5².
    least = 2 / 3 * 92**2 - 3 / 2 * 25
    assert not settle._relocation_may_help(lanes, means, 0, 3, 1, 2, least - 0.01)
    assert settle._relocation_may_help(lanes, means, 0, 3, 1, 2, least + 0.01)
    assert not settle._relocation_may_help(lanes, means, 0, 2, 1, 2, least + 0.01), "8 is not of the group"
