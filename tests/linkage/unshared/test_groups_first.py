"""Large files: groups first, then records within them; the exact search beside it on small ones."""

from __future__ import annotations

import numpy as np
import pytest
from tests.linkage.unshared import problems
from tests.linkage.unshared.test_structural import latent

from discreet.linkage.unshared import groups_first as module
from discreet.linkage.unshared import structural
from discreet.linkage.unshared.canonical import Whitened, gains, improve, solve
from discreet.linkage.unshared.groups_first import (
    Ratings,
    _averaged,
    _candidates,
    _improved,
    _large,
    by_correlation,
    by_distance,
    candidate_links,
    cells,
    groups_first,
    match_cells,
)
from discreet.linkage.unshared.structural import StructuralLinkage, views_of, whitened_stages
from discreet.progress import listening


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


@pytest.fixture(scope="module")
def near():
    """Coordinates in which a record is near its own in the other file."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=(90, 4)) * [1.0, 0.8, 0.7, 0.6]
    return Whitened(x, x + 0.2 * rng.normal(size=(90, 4)))


def test_a_rating_by_distance_is_half_the_squared_distance_in_units_of_the_spread():
    x, y = np.array([[0.0, 1.0], [4.0, 1.0]]), np.array([[1.0, 1.0], [4.0, 5.0], [0.0, 0.0]])
    # The spreads 2 and 0 of the first file's columns are 1 on average.
    table = by_distance(Whitened(x, y)).table(np.array([1, 0]), np.array([0, 1, 2]))
    assert table == pytest.approx(np.array([[-4.5, -8.0, -8.5], [-0.5, -16.0, -0.5]]))


def test_what_is_said_of_pairs_besides_is_added():
    class Besides:
        def table(self, rows, columns):
            return 100.0 * rows[:, None] + columns

    ratings = Ratings(np.array([[1.0], [2.0]]), np.array([[3.0], [5.0]]), np.array([0.5, 0.25]), np.array([4.0, 8.0]))
    rows, columns = np.array([1, 0]), np.array([0, 1])
    expected = np.array([[6 - 0.25 - 4, 10 - 0.25 - 8], [3 - 0.5 - 4, 5 - 0.5 - 8]])
    assert ratings.table(rows, columns) == pytest.approx(expected)
    with_more = ratings._replace(near=Besides()).table(rows, columns)
    assert with_more == pytest.approx(expected + np.array([[100, 101], [0, 1]]))


def test_ratings_are_averaged_by_what_their_matches_are_worth():
    one = Ratings(np.array([[2.0], [0.0]]), np.array([[1.0]]), np.array([1.0, 3.0]), np.array([0.5]))
    other = Ratings(np.array([[1.0], [4.0]]), np.array([[3.0]]), np.array([5.0, 7.0]), np.array([2.5]))
    both = np.arange(2), np.arange(1)
    equal = _averaged([(1.0, one), (1.0, other)])
    assert equal.table(*both) == pytest.approx((one.table(*both) + other.table(*both)) / 2)
    # A fifth of a nat a record more is worth e times as much.
    better = _averaged([(1.2, one), (1.0, other)])
    share = np.e / (1 + np.e)
    assert better.table(*both) == pytest.approx(share * one.table(*both) + (1 - share) * other.table(*both))
    assert (better.own_first, better.own_second) == (
        pytest.approx([share + 5 * (1 - share), 3 * share + 7 * (1 - share)]),
        pytest.approx([0.5 * share + 2.5 * (1 - share)]),
    )


def test_without_correlations_to_improve_by_the_distance_in_all_coordinates_rates(near):
    told = []
    parts = [Whitened(*(one[:, :3] for one in near)), Whitened(*(one[:, 3:] for one in near))]
    with listening(lambda *report: told.append(report)):
        ratings, worth = groups_first(parts, [], np.random.default_rng(0))
    assert worth == 0.0
    some = np.arange(9), np.arange(7)
    assert ratings.table(*some) == pytest.approx(by_distance(near).table(*some))
    assert told == [("matching groups", 0, 3), ("matching groups", 3, 3)]


@pytest.mark.parametrize("long", [False, True])
def test_every_start_is_followed_and_told(files, near, long, monkeypatch):
    improved = []
    monkeypatch.setattr(module, "_LONG", 89 if long else 90)
    monkeypatch.setattr(module, "_LARGE", 80)
    usual = module._improved

    def noted(files, pairs, size, rounds, *others):
        improved.append((size, rounds))
        return usual(files, pairs, size, rounds, *others)

    monkeypatch.setattr(module, "_improved", noted)
    told = []
    seen = []

    def weigh(some):
        seen.append([cell[0].size for cell in some])

    starts = [near, Whitened(near[1], near[0])]
    with listening(lambda *report: told.append(report)):
        ratings, worth = groups_first(starts, [files, files], np.random.default_rng(0), weigh)
    assert told == [("matching groups", done, 3) for done in range(4)]
    # Two stages of every start in small cells; then the best alone of long files, or each, in large ones.
    assert improved == [(64, 3)] * 4 + ([(80, 8)] if long else [(768, 8)] * 2)
    assert [sum(sizes) for sizes in seen] == [90]
    assert [len(sizes) for sizes in seen] == [2 if long else 1]
    assert ratings.near is None
    assert worth > 0.3
    rows, columns = match_cells(ratings, 90, np.random.default_rng(1))
    assert (rows == columns).mean() > 0.5


def test_candidates_are_the_best_few_of_either_side_each_once(near, monkeypatch):
    monkeypatch.setattr(module, "_CANDIDATES", 2)
    monkeypatch.setattr(module, "_CUTS", 3)
    ratings = by_distance(Whitened(near[0], near[1][:70]))
    told = []
    with listening(lambda *report: told.append(report)):
        rows, columns, values = _candidates(ratings, np.random.default_rng(0))
    assert told == [("looking within groups", cut, 3) for cut in range(4)]
    table = ratings.table(np.arange(90), np.arange(70))
    best = {(i, int(j)) for i in range(90) for j in np.argsort(-table[i])[:2]}
    best |= {(int(i), j) for j in range(70) for i in np.argsort(-table[:, j])[:2]}
    assert list(zip(rows.tolist(), columns.tolist(), strict=True)) == sorted(best)
    assert values == pytest.approx(table[rows, columns])


@pytest.mark.parametrize(("sizes", "size", "count"), [((90, 90), 90, 1), ((90, 90), 89, 2), ((90, 1), 20, 1)])
def test_files_are_cut_only_where_a_cell_is_too_large_and_both_sides_have_two(near, sizes, size, count):
    whole = by_distance(near)
    ratings = whole._replace(second=whole.second[: sizes[1]])
    found = list(cells(ratings, size, np.random.default_rng(0)))
    assert len(found) == count
    for side in (0, 1):
        assert sorted(np.concatenate([cell[side] for cell in found])) == list(range(sizes[side]))
    if count == 2:
        # Both are cut at the same share, between 40 and 60 %, along the coordinate with the widest spread.
        assert all(36 <= rows.size <= 54 and rows.size == columns.size for rows, columns in found)
        along = int(whole.first.std(axis=0).argmax())
        (low, low_too), (high, high_too) = sorted(found, key=lambda cell: whole.first[cell[0], along].mean())
        assert whole.first[low, along].max() <= whole.first[high, along].min()
        assert whole.second[low_too, along].max() <= whole.second[high_too, along].min()
