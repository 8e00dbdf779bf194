"""Ties that are counted are those that a look at every pair finds, and nobody is among them who is not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.linkage.shared.test_pattern_counts import random_agreements
from tests.linkage.shared.test_pattern_search import additive
from tests.reference import linkage as twin

from discreet.contracts.engine import InProcess
from discreet.engines.memory import MemoryEngine
from discreet.linkage.nearest import links_of
from discreet.linkage.shared import counted_ties, pattern_search
from discreet.linkage.shared.agreement import nested
from discreet.linkage.shared.counted_ties import CountedTies, counted_links
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.linkage.shared.pattern_counts import count_patterns
from discreet.linkage.shared.pattern_plan import PatternPlan
from discreet.linkage.shared.pattern_search import best_in_both_directions


@pytest.fixture(params=["by joining", "by joining with who is near", "by comparing the rest"], autouse=True)
def large(request, monkeypatch):
    """Small files would all be compared, and list ties on the way."""
    if request.param == "by joining with who is near":
        monkeypatch.setattr(counted_ties, "_SELDOM", 1)
        monkeypatch.setattr(counted_ties, "_FAR_FEWER", 0)
    monkeypatch.setattr(pattern_search, "are_few", lambda *_: False)
    monkeypatch.setattr(pattern_search, "_FEW_PAIRS", 0)
    comparing = request.param == "by comparing the rest"
    monkeypatch.setattr(pattern_search, "_comparing_is_cheaper", lambda *_: comparing)


@pytest.fixture(params=["by sets or looks", "by looks alone"])
def finer(request, monkeypatch):
    """Both ways to take off those who agree on more than a pattern."""
    if request.param == "by looks alone":
        monkeypatch.setattr(PatternPlan, "finer_sets", lambda plan, pattern: (bool(plan.verify[pattern]), []))


def counted(agreements, weights, engine=None, *, occurring=False):
    files = PackedFiles.of(agreements)
    occurs = count_patterns(files, InProcess()).between > 0 if occurring else None
    both = best_in_both_directions(
        files, [weights], engine or InProcess(), occurring=occurs, second=False, listed=False
    )[0]
    assert all(isinstance(one, CountedTies) for one in both)
    return files, both


def links_both_ways(files, both):
    sides = (files.first, files.second), (files.second, files.first)
    return [counted_links(one, a, b, ("v",), "test") for one, (a, b) in zip(both, sides, strict=True)]


def assert_as_defined(agreements, weights, *, occurring=False):
    files, both = counted(agreements, weights, occurring=occurring)
    table = np.round(twin.weight_matrix(agreements, weights), 9)
    sides = (table, files.first), (np.ascontiguousarray(table.T), files.second)
    for links, (scores, others) in zip(links_both_ways(files, both), sides, strict=True):
        for j, (order, ties) in enumerate(twin.best(-scores)):
            assert links.best[j] == order[0]
            assert links.score[j] == scores[j, order[0]]
            assert links.ties[j] == len(ties)
            assert links.tied_classes[j] == len({others.label[i] for i in ties})
            asked = np.full(links.n_a, j)
            assert np.flatnonzero(links.holds(np.arange(links.n_a), asked)).tolist() == ties


@pytest.mark.usefixtures("finer")
@pytest.mark.parametrize("kind", ["rising", "equal", "constant", "any", "middle"])
@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize(("missing", "absent"), [("ignore", 0.0), ("disagree", 0.3), ("agree", 0.2)])
@pytest.mark.parametrize(("n_a", "n_b", "attributes"), [(40, 40, 4), (7, 30, 3), (120, 20, 2), (1, 4, 2), (60, 60, 1)])
def test_counts_are_those_of_looking_at_every_pair(n_a, n_b, attributes, missing, absent, coarse, kind):
    agreements = random_agreements(11, n_a, n_b, attributes, missing=missing, absent=absent, coarse=coarse)
    rng = np.random.default_rng(5)
    shape = [agreement.states for agreement in agreements]
    weights = {
        "rising": lambda: additive(agreements, rng),
        "equal": lambda: additive(agreements, rng, equal=True),
        "constant": lambda: np.zeros(shape),
        "any": lambda: rng.normal(size=shape),
        # As where masking leaves numbers in their class and never as they were: being equal weighs less.
        "middle": lambda: sum(np.ix_(*([0.0, 3.0, 1.0][:states] for states in shape)), np.zeros(shape)),
    }[kind]()
    assert_as_defined(agreements, weights, occurring=kind in ("any", "middle"))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6), n_a=st.integers(1, 60), n_b=st.integers(1, 60), attributes=st.integers(1, 5),
    levels=st.integers(1, 5), digits=st.integers(0, 2), absent=st.sampled_from([0.0, 0.3]),
)  # fmt: skip
def test_counted_and_listed_links_say_the_same(seed, n_a, n_b, attributes, levels, digits, absent):
    agreements = random_agreements(
        seed, n_a, n_b, attributes, absent=absent, missing="disagree", levels=levels, coarse=True
    )
    rng = np.random.default_rng(seed)
    # Few digits: many patterns weigh the same.
    weights = np.round(rng.normal(size=[agreement.states for agreement in agreements]), digits)
    files, both = counted(agreements, weights)
    listed = best_in_both_directions(files, [weights], InProcess(), second=False)[0]
    sides = (files.first, files.second), (files.second, files.first)
    for ours, nearest, (a, b) in zip(links_both_ways(files, both), listed, sides, strict=True):
        theirs = links_of(nearest.records(b.label), a, ("v",), "test", higher_is_better=True, has_second=False)
        for name in ("best", "score", "ties", "tied_classes", "second", "second_score", "classes"):
            assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
        candidates, records = rng.integers(-1, ours.n_a, 200), rng.integers(-1, ours.n_b, 200)
        assert np.array_equal(ours.holds(candidates, records), theirs.holds(candidates, records))
        truth = rng.integers(-1, ours.n_a, ours.n_b)
        one, other = ours.evaluate(truth), theirs.evaluate(truth)
        assert np.array_equal(one.probability, other.probability)
        assert (one.expected, one.optimistic, one.pessimistic) == (other.expected, other.optimistic, other.pessimistic)


@pytest.mark.parametrize("occurring", [False, True])
def test_counting_by_sets_gives_what_looking_gives(monkeypatch, occurring):
    # Two classes each and many records: looking at everybody of a class would take longer than counting sets.
    rng = np.random.default_rng(9)
    agreements = [
        nested(f"v{j}", rng.integers(0, 12, 700), rng.integers(0, 12, 900), [np.arange(12) // 6], "agree")
        for j in range(3)
    ]
    weights = sum(np.ix_(*[[0.0, 3.0, 1.0]] * 3), np.zeros((3, 3, 3)))
    _, by_sets = counted(agreements, weights, occurring=occurring)
    monkeypatch.setattr(PatternPlan, "finer_sets", lambda plan, pattern: (bool(plan.verify[pattern]), []))
    _, by_looks = counted(agreements, weights, occurring=occurring)
    for one, other in zip(by_sets, by_looks, strict=True):
        for name in ("best", "rank", "ties", "classes"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert by_sets[0].ties.min() > 20


def test_blocks_and_threads_change_nothing(monkeypatch):
    agreements = random_agreements(2, 300, 400, 5, absent=0.05, missing="disagree")
    weights = additive(agreements, np.random.default_rng(0))
    files, whole = counted(agreements, weights)
    monkeypatch.setattr(pattern_search, "_BLOCK", 37)
    _, cut = counted(agreements, weights, MemoryEngine(workers=3))
    for one, other in zip(whole, cut, strict=True):
        for name in ("best", "rank", "ties", "classes"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
    every = np.arange(300)
    one, other = links_both_ways(files, whole)[0], links_both_ways(files, cut)[0]
    assert np.array_equal(one.holds(every, every), other.holds(every, every))


def test_only_finer_patterns_that_are_met_and_not_heavier_are_taken_off():
    agreements = random_agreements(1, 30, 30, 2, levels=6, coarse=True)
    states = [agreement.states for agreement in agreements]
    assert states == [2, 3]
    layout = PackedFiles.of(agreements).layout
    weights = np.array([[0.0, 3.0, 1.0], [5.0, 8.0, 6.0]])
    plan = PatternPlan.of(agreements, weights, layout)
    at = {states: np.ravel_multi_index(states, weights.shape) for states in np.ndindex(weights.shape)}
    # Agreeing on the first is always heavier. On the second, being in the class is heavier than being equal.
    assert plan.finer_sets(at[0, 1]) == (True, [at[0, 2]])
    assert plan.finer_sets(at[1, 1]) == (True, [at[1, 2]])
    assert plan.finer_sets(at[0, 0]) == (False, [])
    # Nobody is equal: then there is nobody to take off.
    occurring = np.ones(weights.shape, dtype=bool)
    occurring[:, 2] = False
    assert PatternPlan.of(agreements, weights, layout, occurring).finer_sets(at[0, 1]) == (False, [])
