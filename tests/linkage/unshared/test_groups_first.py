"""Large files: groups first, then records within them; the exact search beside it on small ones."""

from __future__ import annotations

import numpy as np
import pytest
from tests.linkage.unshared import problems
from tests.linkage.unshared.test_structural import latent

from discreet.linkage.unshared import structural
from discreet.linkage.unshared.canonical import gains, improve, solve
from discreet.linkage.unshared.groups_first import (
    Ratings,
    _improved,
    _large,
    by_correlation,
    by_distance,
    candidate_links,
    cells,
    match_cells,
)
from discreet.linkage.unshared.structural import StructuralLinkage, views_of, whitened_stages


@pytest.fixture(scope="module")
def files():
    x, y = latent(90, np.random.default_rng(4))
    return whitened_stages(views_of(x, y))[-1]


def test_every_record_is_in_one_cell_and_cells_are_small(files):
    ratings = by_distance(files[0])
    found = list(cells(ratings, 20, np.random.default_rng(1)))
    for side in (0, 1):
        assert sorted(np.concatenate([cell[side] for cell in found])) == list(range(90))
    assert all(8 <= rows.size <= 20 and abs(rows.size - columns.size) <= 1 for rows, columns in found)


def test_pairs_are_rated_as_the_exact_search_rates_them(files):
    rows = columns = np.arange(90)
    ratings, likelihood = by_correlation(files, rows, columns)
    table, expected = gains(files, rows, columns)
    assert ratings.table(rows, columns) == pytest.approx(table)
    assert likelihood == pytest.approx(expected)


def test_in_one_cell_it_is_the_exact_search(files):
    rng = np.random.default_rng(2)
    start = np.arange(90), rng.permutation(90)
    exact = improve(files, *start, np.zeros((90, 90)))
    ratings, likelihood = _improved(files, start, 90, 30, rng)
    assert likelihood == pytest.approx(exact.objective)
    rows, columns = match_cells(ratings, 90, rng)
    expected = solve(gains(files, exact.rows, exact.columns)[0])
    assert (rows.tolist(), columns.tolist()) == (expected[0].tolist(), expected[1].tolist())


def test_long_files_are_cut_into_smaller_cells():
    def ratings(n):
        return Ratings(np.zeros((n, 1)), np.zeros((n, 1)), np.zeros(n), np.zeros(n))

    assert [_large(ratings(n)) for n in (1_000, 20_000, 20_001)] == [768, 768, 384]


@pytest.mark.parametrize("one_to_one", [True, False])
def test_links_are_the_best_of_all_pairs_where_a_cell_holds_them_all(files, one_to_one):
    ratings, _ = by_correlation(files, np.arange(90), np.arange(90))
    rng = np.random.default_rng(3)
    order_x, order_y = rng.permutation(90), rng.permutation(90)
    links = candidate_links(ratings, order_x, order_y, one_to_one, rng)
    table = ratings.table(np.arange(90), np.arange(90))
    expected = np.full(90, -1)
    if one_to_one:
        rows, columns = solve(table)
        expected[order_y[columns]] = order_x[rows]
        assert sorted(links.best) == list(range(90))
    else:
        expected[order_y] = order_x[table.argmax(axis=0)]
    assert links.best.tolist() == expected.tolist()
    assert (links.second_score <= links.score).all()
    assert (links.second != links.best).all()


def test_it_finds_about_as_many_as_the_exact_search(monkeypatch):
    x, y = latent(300, np.random.default_rng(0), noise=0.03)
    order = np.random.default_rng(1).permutation(300)
    tables = problems.table(x, "a"), problems.table(y[order], "b")
    exact = StructuralLinkage(start="variables").link(*tables).evaluate(order).expected
    monkeypatch.setattr(structural, "MOST_PAIRS", 0)
    linker = StructuralLinkage(start="variables")
    found = linker.link(*tables).evaluate(order).expected
    assert exact > 270
    assert found > 0.9 * exact
    assert linker.evidence_[0] > 3
    # Much shorter files are not improved by their own correlations, and every record gets a link.
    short = StructuralLinkage(start="variables").link(tables[0], problems.table(y[order[:150]], "b"))
    assert (short.best >= 0).all()
    assert short.evaluate(order[:150]).expected > 5 * short.evaluate(order[:150]).chance
