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
