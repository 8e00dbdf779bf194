"""One-to-one links from lists of candidates, against the full table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from discreet.errors import DiscreetWarning
from discreet.linkage import assignment
from discreet.linkage.assignment import assign


@pytest.fixture
def sparse(monkeypatch):
    monkeypatch.setattr(assignment, "_DENSE_PAIRS", 0)
    monkeypatch.setattr(assignment, "_BLOCK_PAIRS", 700)


def least(table):
    rows, columns = linear_sum_assignment(table)
    return table[rows, columns].sum()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_a", [60, 90])
def test_lists_are_enough_for_the_optimum(sparse, monkeypatch, seed, n_a):
    monkeypatch.setattr(assignment, "_CANDIDATES", 4)
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_a, 3))
    y = x[:60] + 0.4 * rng.normal(size=(60, 3))
    table = np.sqrt(((y[:, None] - x[None]) ** 2).sum(axis=2))
    chosen, score = assign("X", lambda rows: table[rows].copy(), n_a, 60)
    assert len(set(chosen.tolist())) == 60
    assert score == pytest.approx(table[np.arange(60), chosen])
    assert score.sum() == pytest.approx(least(table))


def test_equal_records_do_not_ask_for_the_same_ones(sparse):
    codes = np.random.default_rng(0).integers(0, 3, (300, 2))
    table = (codes[:, None] != codes[None]).sum(axis=2).astype(float)
    chosen, score = assign("X", lambda rows: table[rows].copy(), 300, 300)
    assert len(set(chosen.tolist())) == 300
    assert score.sum() == 0


@given(st.integers(0, 10**6))
def test_prices_prove_what_they_accept(seed):
    rng = np.random.default_rng(seed)
    table = np.round(rng.random((12, 15)), 1)
    lists = assignment._Lists(lambda rows: table[rows].copy(), 15, 12, rng)
    lists.extend(np.arange(12), 3)
    _, score, prices = lists.solve()
    if (prices <= lists.last).all():
        assert score.sum() == pytest.approx(least(table))


def test_what_is_impossible_stays_so(sparse):
    table = np.full((40, 40), np.inf)
    table[np.arange(40), np.arange(40)[::-1]] = 1.0
    table[0] = np.inf
    chosen, score = assign("X", lambda rows: table[rows].copy(), 40, 40)
    assert chosen[0] == -1
    assert np.isinf(score[0])
    assert chosen[1:].tolist() == list(range(38, -1, -1))


def test_what_is_not_proved_is_said(sparse, monkeypatch):
    monkeypatch.setattr(assignment, "_CANDIDATES", 2)
    monkeypatch.setattr(assignment, "_ROUNDS", 1)
    table = np.random.default_rng(0).random((40, 40))
    with pytest.warns(DiscreetWarning, match=r"best among the 2 nearest of every record; for \d+ of 40 records"):
        assign("X", lambda rows: table[rows].copy(), 40, 40)
