from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.linkage.shared.test_pattern_counts import random_agreements
from tests.reference import linkage as twin

from discreet.contracts.engine import InProcess
from discreet.engines.memory import MemoryEngine
from discreet.linkage.nearest import gather
from discreet.linkage.shared import pattern_search
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.linkage.shared.pattern_counts import count_patterns
from discreet.linkage.shared.pattern_search import best_by_pattern, best_in_both_directions


@pytest.fixture(params=["by joining", "by comparing", "by whichever is cheaper"])
def way(request, monkeypatch):
    """Small files would all be compared; both ways must find the same."""
    if request.param != "by whichever is cheaper":
        comparing = request.param == "by comparing"
        monkeypatch.setattr(pattern_search, "_comparing_is_cheaper", lambda *_: comparing)


def searched(agreements, weights, engine=None):
    files = PackedFiles.of(agreements)
    return files.first, best_by_pattern(files, weights, engine or InProcess()).records(files.second.label)


def assert_as_defined(agreements, weights):
    a, found = searched(agreements, weights)
    table = np.round(twin.weight_matrix(agreements, weights), 9)
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


def additive(agreements, rng, *, equal=False):
    total = np.zeros([c.states for c in agreements])
    for axis, agreement in enumerate(agreements):
        steps = np.ones(agreement.states) if equal else rng.random(agreement.states)
        shape = [-1 if i == axis else 1 for i in range(len(agreements))]
        total = total + np.cumsum(steps).reshape(shape)
    return total


@pytest.mark.parametrize("kind", ["rising", "equal", "constant", "any"])
@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize(("missing", "absent"), [("ignore", 0.0), ("ignore", 0.2), ("disagree", 0.3)])
@pytest.mark.parametrize(("n_a", "n_b", "attributes"), [(40, 40, 4), (7, 30, 3), (30, 5, 5), (1, 4, 2), (60, 60, 1)])
def test_best_links_are_those_of_looking_at_every_pair(way, n_a, n_b, attributes, missing, absent, coarse, kind):
    agreements = random_agreements(11, n_a, n_b, attributes, missing=missing, absent=absent, coarse=coarse)
    rng = np.random.default_rng(5)
    shape = [c.states for c in agreements]
    weights = {
        "rising": lambda: additive(agreements, rng),
        "equal": lambda: additive(agreements, rng, equal=True),
        "constant": lambda: np.zeros(shape),
        "any": lambda: rng.normal(size=shape),
    }[kind]()
    assert_as_defined(agreements, weights)


def test_blocks_and_threads_change_nothing(way, monkeypatch):
    agreements = random_agreements(2, 300, 400, 5, absent=0.05, missing="disagree")
    weights = additive(agreements, np.random.default_rng(0))
    _, whole = searched(agreements, weights)
    monkeypatch.setattr(pattern_search, "_BLOCK", 37)
    monkeypatch.setattr(pattern_search, "_SMALL_BLOCK", 41)
    _, cut = searched(agreements, weights, MemoryEngine(workers=3))
    for name in ("best", "second", "score", "second_score", "ties"):
        assert np.array_equal(getattr(whole, name), getattr(cut, name)), name
    for j in range(400):
        one, other = (f.tied[f.row_offsets[f.row[j]] : f.row_offsets[f.row[j] + 1]] for f in (whole, cut))
        assert np.array_equal(one, other)


@pytest.mark.parametrize("absent", [0.0, 0.3])
@pytest.mark.parametrize("kind", ["rising", "equal", "constant"])
@pytest.mark.parametrize(("n_a", "n_b"), [(50, 60), (90, 20), (1, 5), (5, 1)])
def test_one_look_at_every_pair_answers_both_files_and_all_models(monkeypatch, n_a, n_b, kind, absent):
    agreements = random_agreements(8, n_a, n_b, 3, absent=absent, missing="disagree", coarse=True)
    rng = np.random.default_rng(3)
    files = PackedFiles.of(agreements)
    shape = [agreement.states for agreement in agreements]
    one = np.zeros(shape) if kind == "constant" else additive(agreements, rng, equal=kind == "equal")
    weights = [one, rng.normal(size=shape)]
    monkeypatch.setattr(pattern_search, "_comparing_is_cheaper", lambda *_: True)
    once = best_in_both_directions(files, weights, InProcess())
    occurring = count_patterns(files, InProcess()).between > 0
    monkeypatch.setattr(pattern_search, "_comparing_is_cheaper", lambda *_: False)
    joined = best_in_both_directions(files, weights, InProcess(), occurring=occurring)
    for model, both in enumerate(once):
        for side, found in zip((files, files.swapped()), both, strict=True):
            alone = best_by_pattern(side, weights[model], InProcess())
            for other in (alone, joined[model][0 if side is files else 1]):
                for name in ("best", "second", "score", "second_score", "ties"):
                    assert np.array_equal(getattr(found, name), getattr(other, name)), name
                for j in range(found.best.size):
                    ours, theirs = (
                        f.tied[f.row_offsets[f.row[j]] : f.row_offsets[f.row[j] + 1]] for f in (found, other)
                    )
                    assert ours.tolist() == sorted(theirs.tolist())


def test_comparing_takes_over_when_few_are_left(monkeypatch):
    calls = iter([False, False, False] + [True] * 1000)
    monkeypatch.setattr(pattern_search, "_comparing_is_cheaper", lambda *_: next(calls))
    agreements = random_agreements(4, 60, 80, 5, levels=4)
    assert_as_defined(agreements, additive(agreements, np.random.default_rng(1)))


def test_gather():
    assert gather(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist() == [5, 6, 9, 10, 11]


def rows_of(settled):
    row, offsets, tied = settled
    return [None if at < 0 else tied[offsets[at] : offsets[at + 1]].tolist() for at in row.tolist()]


def test_rows_are_shared_and_those_of_one_record_put_together():
    rows = pattern_search._Rows()
    assert rows_of(rows.settled(2)) == [None, None]
    nothing = np.empty(0, dtype=np.int64)
    rows.add(nothing, nothing, nothing, nothing)
    # Records 4 and 1 share the classes 7 and 8, record 0 has 2; then 1 has 3 and 5 too, and 2 has 9.
    rows.add(np.array([4, 1, 0]), np.array([0, 0, 1]), np.array([2, 3]), np.array([7, 8, 2]))
    rows.add(np.array([1, 2]), np.array([0, 1]), np.array([2, 3]), np.array([5, 3, 9]))
    assert (rows.rows, rows.entries) == (4, 6)
    assert rows_of(rows.settled(6)) == [[2], [3, 5, 7, 8], [9], None, [7, 8], None]


def test_blocks_are_small_where_everybody_is_compared_with_everybody(monkeypatch):
    agreements = random_agreements(2, 30, 50, 3)
    files = PackedFiles.of(agreements)
    n_a, n_b = files.first.first.size, files.second.first.size
    weights = additive(agreements, np.random.default_rng(0))
    monkeypatch.setattr(pattern_search, "_BLOCK", 20)
    monkeypatch.setattr(pattern_search, "_SMALL_BLOCK", 15)

    def blocks(cheaper, few, *, second=True):
        monkeypatch.setattr(pattern_search, "_comparing_is_cheaper", lambda *_: cheaper)
        monkeypatch.setattr(pattern_search, "_FEW_PAIRS", few)
        plan = pattern_search.PatternPlan.of(agreements, weights, files.layout, second=second)
        return pattern_search._blocks(files, plan)

    def cut(step):
        ends = [*range(0, n_b, step), n_b]
        return list(itertools.pairwise(ends))

    assert blocks(True, n_a * n_b - 1) == cut(15)
    assert blocks(True, n_a * n_b) == blocks(False, 0) == blocks(True, 0, second=False) == cut(20)


@pytest.mark.parametrize(
    ("active", "n_a", "patterns", "cheaper"),
    [(10, 20_000, 5, False), (9, 20_000, 5, True), (40_000, 1, 1, False), (20_000, 1, 1, True), (1, 1, 0, False)],
)
def test_a_join_costs_its_records_and_twenty_thousand_pairs(active, n_a, patterns, cheaper):
    assert pattern_search._comparing_is_cheaper(active, n_a, patterns) is cheaper
