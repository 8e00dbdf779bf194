"""One-to-one links from lists of candidates, against the full table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from discreet.errors import DataError, DiscreetWarning
from discreet.linkage import assignment
from discreet.linkage.assignment import assign, best_assignment, check_size, links_from_assignment
from discreet.linkage.record_classes import Classes
from discreet.progress import listening


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


def test_prices_that_still_fall_prove_nothing(sparse, monkeypatch):
    monkeypatch.setattr(assignment, "_SWEEPS", 1)
    monkeypatch.setattr(assignment, "_CANDIDATES", 4)
    monkeypatch.setattr(assignment, "_ROUNDS", 2)
    # Everybody wants the first columns: whoever gets another one makes them worth more, step by step.
    table = np.add.outer(np.arange(40.0), 3.0 * np.arange(40.0)) + np.random.default_rng(0).random((40, 40))
    with pytest.warns(DiscreetWarning, match="X: .* best among the 16 nearest of every record; for 40 of 40 records"):
        chosen, score = assign("X", lambda rows: table[rows].copy(), 40, 40)
    assert score[chosen >= 0].tolist() == table[np.flatnonzero(chosen >= 0), chosen[chosen >= 0]].tolist()


def test_prices_are_what_a_record_costs_and_what_its_partner_is_worth_to_others():
    table = np.array([[1.0, 5.0, 9.0], [2.0, 9.0, 9.0], [9.0, 9.0, 4.0]])
    lists = assignment._Lists(lambda rows: table[rows].copy(), 3, 3, np.random.default_rng(0))
    lists.extend(np.arange(3), 2)
    partner, score, prices = lists.solve()
    # The second gets column 0, which saves the first 4: so much it is worth to him.
    assert partner.tolist() == [1, 0, 2]
    assert score.tolist() == [5.0, 2.0, 4.0]
    assert prices.tolist() == pytest.approx([5.0, 6.0, 4.0])
    assert lists.last.tolist() == [5.0, 9.0, 9.0]


def test_whoever_has_everybody_on_his_list_is_proved_at_once(sparse, monkeypatch):
    monkeypatch.setattr(assignment, "_CANDIDATES", 40)
    asked = []
    table = np.random.default_rng(1).random((30, 40))

    def costs(rows):
        asked.append(rows.tolist())
        return table[rows].copy()

    told = []
    with listening(lambda *report: told.append(report)):
        chosen, score = assign("X", costs, 40, 30)
    # Blocks of 700 pairs are 17 rows of 40.
    assert asked == [list(range(17)), list(range(17, 30))]
    assert told == [("listing candidates", 17, 30), ("listing candidates", 30, 30)]
    assert score.sum() == pytest.approx(least(table))
    assert score.tolist() == table[np.arange(30), chosen].tolist()


def test_longer_lists_are_made_only_for_those_who_need_them(sparse, monkeypatch):
    monkeypatch.setattr(assignment, "_CANDIDATES", 2)
    monkeypatch.setattr(assignment, "_BLOCK_PAIRS", 10**6)
    asked = []
    rng = np.random.default_rng(2)
    x = np.concatenate([np.arange(100.0, 130.0), rng.random(10) / 100])
    table = np.abs(x[:, None] - np.concatenate([x[:30], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]])[None])

    def costs(rows):
        asked.append(rows.tolist())
        return table[rows].copy()

    _, score = assign("X", costs, 40, 40)
    assert score.sum() == pytest.approx(least(table))
    assert asked[0] == list(range(40))
    assert len(asked) > 1
    assert {row for rows in asked[1:] for row in rows} <= set(range(30, 40))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([[1.0, 2.0], [2.0, 4.0]], [1, 0]),
        ([[1.0, np.inf], [2.0, np.inf]], [0, -1]),
        ([[np.inf, np.inf], [np.inf, np.inf]], [-1, -1]),
        ([[3.0, 1.0, 2.0]], [1]),
        ([[3.0], [1.0], [2.0]], [-1, 0, -1]),
        ([[-5.0, -1.0], [-4.0, np.inf]], [1, 0]),
        # Whoever can be served is served, however dear.
        ([[1.0, 900.0], [1.0, np.inf]], [1, 0]),
        ([[0.0, 0.25], [0.0, np.inf]], [1, 0]),
    ],
)
def test_a_small_table_is_solved_whole(table, expected):
    table = np.array(table)
    assert best_assignment(table.copy()).tolist() == expected
    partner, cost = assign("X", lambda rows: table[rows].copy(), table.shape[1], table.shape[0])
    assert partner.tolist() == expected
    assert cost.tolist() == [np.inf if at < 0 else table[row, at] for row, at in enumerate(expected)]


def test_the_order_of_the_files_does_not_settle_ties():
    assert best_assignment(np.zeros((50, 50))).tolist() != list(range(50))


def test_up_to_the_limit_files_are_accepted():
    check_size("X", 50_000, 50_000)
    for sizes in ((50_001, 1), (1, 50_001)):
        with pytest.raises(DataError, match=f"X: one-to-one .* files of {sizes[0]} and {sizes[1]} records"):
            check_size("X", *sizes)


@pytest.mark.parametrize("higher", [False, True])
def test_within_a_class_of_equal_records_a_link_is_a_tie(higher):
    classes = Classes(np.array([0, 1, 0, 2]), np.array([0, 1, 3]), np.array([2, 1, 1]))
    score = np.array([0.5, np.inf, 2.0])
    links = links_from_assignment(np.array([2, -1, 1]), score, classes, ("x",), "made", higher=higher)
    assert (links.n_a, links.n_b, links.attributes, links.method) == (4, 3, ("x",), "made")
    assert links.best.tolist() == [2, -1, 1]
    assert links.second.tolist() == [-1, -1, -1]
    assert links.score.tolist() == score.tolist()
    assert links.second_score.tolist() == [-np.inf if higher else np.inf] * 3
    assert links.ties.tolist() == [2, 0, 1]
    assert (links.tied_offsets.tolist(), links.tied.tolist()) == ([0, 1, 1, 2], [0, 1])
    assert links.classes.tolist() == [0, 1, 0, 2]
    assert links.higher_is_better == higher
    assert links.evaluate(np.array([0, 1, 1])).probability.tolist() == [0.5, 0.0, 1.0]
