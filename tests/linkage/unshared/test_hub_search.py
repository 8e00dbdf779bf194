from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import representatives as reference

from discreet.contracts.engine import InProcess
from discreet.engines.memory import MemoryEngine
from discreet.linkage.unshared import hub_search
from discreet.linkage.unshared.hub_search import (
    METRICS,
    assign_candidates,
    distances,
    hubness_corrected,
    one_to_one,
    search,
)
from discreet.progress import listening

SIZES = st.integers(1, 5)


@pytest.mark.parametrize("metric", METRICS)
def test_distances_by_definition(metric):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    expected = [[reference.distance(u, v, metric) for u in x] for v in y]
    assert distances(x, y, metric) == pytest.approx(np.array(expected))


def test_correction_of_hubs_by_definition():
    table = np.random.default_rng(0).random((6, 8))
    corrected = hubness_corrected(table, 3)
    for j in range(6):
        for i in range(8):
            near = np.mean(sorted(table[j])[:3]) + np.mean(sorted(table[:, i])[:3])
            assert corrected[j, i] == pytest.approx(2 * table[j, i] - near)
    assert np.isfinite(hubness_corrected(table, 50)).all()


def test_a_hub_loses_what_is_not_its_own():
    # A record in the middle is nearest to all of B, whose own partners lie a little further out.
    x = np.vstack([np.zeros(20), 10 * np.eye(20)])
    y = 4.5 * np.eye(20)
    assert search(x, y, "euclidean", 0, InProcess()).best.tolist() == [0] * 20
    assert search(x, y, "euclidean", 5, InProcess()).best.tolist() == list(range(1, 21))
    found = one_to_one(x, y, "euclidean", 5, np.random.default_rng(0))
    assert found.best.tolist() == list(range(1, 21))


@pytest.mark.parametrize("k", [1, 4])
def test_corrected_search_agrees_with_the_full_table(k):
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 3, (60, 2)).astype(float), rng.integers(0, 3, (40, 2)).astype(float)
    table = hubness_corrected(distances(x, y, "manhattan"), k)
    found = search(x, y, "manhattan", k, InProcess())
    assert found.score == pytest.approx(table.min(axis=1))
    # Corrections are means over k nearest: near_x does not count equal records of A once, so ties are whole classes.
    tied = np.isclose(table, table.min(axis=1)[:, None])
    for j in range(40):
        members = {
            i for i in range(60) if found.classes[i] in found.tied[found.row_offsets[j] : found.row_offsets[j + 1]]
        }
        assert members <= set(np.flatnonzero(tied[j]))
        assert found.ties[j] == len(members)


def test_threads_do_not_matter():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(1500, 4)), rng.normal(size=(1300, 4))
    for hubness in (0, 5):
        first = search(x, y, "root", hubness, InProcess())
        second = search(x, y, "root", hubness, MemoryEngine(workers=3))
        for name in ("best", "second", "score", "ties", "tied", "row_offsets"):
            assert np.array_equal(getattr(first, name), getattr(second, name))


@given(n=SIZES, seed=st.integers(0, 10_000), dense=st.booleans())
def test_assignments_are_optimal(n, seed, dense):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 5, (n, 2)).astype(float), rng.integers(0, 5, (n, 2)).astype(float)
    limit = hub_search.DENSE_PAIRS
    hub_search.DENSE_PAIRS = limit if dense else 0
    try:
        found = one_to_one(x, y, "manhattan", 0, np.random.default_rng(seed))
    finally:
        hub_search.DENSE_PAIRS = limit
    table = distances(x, y, "manhattan")
    assert sorted(found.best) == list(range(n))
    assert table[np.arange(n), found.best].sum() == pytest.approx(reference.best_permutation(table.tolist()))
    assert found.score == pytest.approx(table[np.arange(n), found.best])


@pytest.mark.parametrize("limit", [hub_search.DENSE_PAIRS, 0])
def test_ties_do_not_leak_the_order_of_the_files(monkeypatch, limit):
    monkeypatch.setattr(hub_search, "DENSE_PAIRS", limit)
    same = np.zeros((60, 2))
    right = [
        (one_to_one(same, same, "euclidean", 0, np.random.default_rng(s)).best == np.arange(60)).sum()
        for s in range(150)
    ]
    assert 0.6 < np.mean(right) < 1.4  # guessing finds 1, with a standard deviation of 0.08


def test_files_of_different_length(monkeypatch):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(90, 3))
    for limit in (hub_search.DENSE_PAIRS, 0):
        monkeypatch.setattr(hub_search, "DENSE_PAIRS", limit)
        few = one_to_one(x, x[20:40] + 1e-6, "euclidean", 0, rng)
        assert few.best.tolist() == list(range(20, 40))
        many = one_to_one(x[20:40], x, "euclidean", 3, rng)
        assert (many.best >= 0).sum() == 20
        assert np.isinf(many.score[many.best < 0]).all()


def test_candidates_that_cannot_all_be_served():
    # Three rows want column 0 alone: one gets it, the others what is left over.
    rows, columns = np.array([0, 1, 2, 3]), np.array([0, 0, 0, 1])
    chosen, score = assign_candidates(rows, columns, np.array([3.0, 1.0, 2.0, 0.0]), 4, 3, np.random.default_rng(0))
    assert chosen[1] == 0
    assert chosen[3] == 1
    assert sorted(chosen) == [-1, 0, 1, 2]
    assert score[1] == 1
    assert score[3] == 0
    assert np.isinf(score[[0, 2]]).all()


def test_progress_begins_at_the_first_slice_and_ends_with_the_last(monkeypatch):
    monkeypatch.setattr(hub_search, "_slices", lambda n: [(start, min(start + 4, n)) for start in range(0, n, 4)])
    rng = np.random.default_rng(2)
    told = []
    with listening(lambda *report: told.append(report)):
        search(rng.normal(size=(9, 2)), rng.normal(size=(10, 2)), "euclidean", 0, InProcess())
    assert told == [("comparing records", done, 3) for done in (1, 2, 3)]


def test_where_there_is_one_candidate_nobody_is_second():
    nearest = one_to_one(np.zeros((1, 2)), np.ones((3, 2)), "euclidean", 0, np.random.default_rng(0))
    assert sorted(nearest.best.tolist()) == [-1, -1, 0]
    linked = int(np.flatnonzero(nearest.best == 0)[0])
    assert nearest.second[linked] == -1
