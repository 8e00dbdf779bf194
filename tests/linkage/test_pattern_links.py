from __future__ import annotations

import numpy as np
import pytest
from tests.linkage.test_patterns import random_chains
from tests.reference import linkage as twin

from discreet.base import InProcess
from discreet.engines.local import LocalEngine
from discreet.linkage import pattern_links
from discreet.linkage.pattern_links import Classes, best_by_pattern, gather
from discreet.linkage.patterns import Layout, distinct_rows


@pytest.fixture(params=["by joining", "by comparing", "by whichever is cheaper"])
def way(request, monkeypatch):
    """Small files would all be compared; both ways must find the same."""
    if request.param != "by whichever is cheaper":
        comparing = request.param == "by comparing"
        monkeypatch.setattr(pattern_links, "_comparing_is_cheaper", lambda *_: comparing)


def searched(chains, weights, engine=None):
    layout = Layout.of(chains)
    finest = [chain.states - 1 for chain in chains]
    a = Classes(*distinct_rows(layout.packed([c.a for c in chains], finest)))
    b = Classes(*distinct_rows(layout.packed([c.b for c in chains], finest)))
    return a, best_by_pattern(chains, weights, a, b, layout, engine or InProcess()).records(b.label)


def assert_as_defined(chains, weights):
    a, found = searched(chains, weights)
    table = np.round(twin.weight_matrix(chains, weights), 9)
    for j, (order, ties) in enumerate(twin.best(-table)):
        assert found.best[j] == order[0]
        assert found.score[j] == table[j, order[0]]
        assert found.ties[j] == len(ties)
        if len(order) > 1:
            assert found.second[j] == order[1]
            assert found.second_score[j] == table[j, order[1]]
        else:
            assert found.second[j] == -1
        row = found.row[j]
        classes = found.tied[found.row_offsets[row] : found.row_offsets[row + 1]]
        assert sorted(np.flatnonzero(np.isin(a.label, classes))) == ties
        assert len(set(classes.tolist())) == classes.size


def additive(chains, rng, *, equal=False):
    total = np.zeros([c.states for c in chains])
    for axis, chain in enumerate(chains):
        steps = np.ones(chain.states) if equal else rng.random(chain.states)
        shape = [-1 if i == axis else 1 for i in range(len(chains))]
        total = total + np.cumsum(steps).reshape(shape)
    return total


@pytest.mark.parametrize("kind", ["rising", "equal", "constant", "any"])
@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize(("missing", "absent"), [("ignore", 0.0), ("ignore", 0.2), ("disagree", 0.3)])
@pytest.mark.parametrize(("n_a", "n_b", "attributes"), [(40, 40, 4), (7, 30, 3), (30, 5, 5), (1, 4, 2), (60, 60, 1)])
def test_best_links_are_those_of_looking_at_every_pair(way, n_a, n_b, attributes, missing, absent, coarse, kind):
    chains = random_chains(11, n_a, n_b, attributes, missing=missing, absent=absent, coarse=coarse)
    rng = np.random.default_rng(5)
    shape = [c.states for c in chains]
    weights = {
        "rising": lambda: additive(chains, rng),
        "equal": lambda: additive(chains, rng, equal=True),
        "constant": lambda: np.zeros(shape),
        "any": lambda: rng.normal(size=shape),
    }[kind]()
    assert_as_defined(chains, weights)


def test_blocks_and_threads_change_nothing(way, monkeypatch):
    chains = random_chains(2, 300, 400, 5, absent=0.05, missing="disagree")
    weights = additive(chains, np.random.default_rng(0))
    _, whole = searched(chains, weights)
    monkeypatch.setattr(pattern_links, "_BLOCK", 37)
    monkeypatch.setattr(pattern_links, "_SMALL_BLOCK", 41)
    _, cut = searched(chains, weights, LocalEngine(workers=3))
    for name in ("best", "second", "score", "second_score", "ties"):
        assert np.array_equal(getattr(whole, name), getattr(cut, name)), name
    for j in range(400):
        one, other = (f.tied[f.row_offsets[f.row[j]] : f.row_offsets[f.row[j] + 1]] for f in (whole, cut))
        assert np.array_equal(one, other)


def test_comparing_takes_over_when_few_are_left(monkeypatch):
    calls = iter([False, False, False] + [True] * 1000)
    monkeypatch.setattr(pattern_links, "_comparing_is_cheaper", lambda *_: next(calls))
    chains = random_chains(4, 60, 80, 5, levels=4)
    assert_as_defined(chains, additive(chains, np.random.default_rng(1)))


def test_gather():
    assert gather(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist() == [5, 6, 9, 10, 11]
