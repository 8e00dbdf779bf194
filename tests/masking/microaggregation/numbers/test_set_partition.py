"""Bounds by column generation: never above the optimum; polishing: never worse, often optimal."""

import itertools
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.microaggregation import information_loss, plain_least_error

import discreet as dc
from discreet.errors import ParameterError
from discreet.kernels.groups.mdav import mdav
from discreet.kernels.groups.pricing import squared_distances
from discreet.masking.microaggregation.numbers import set_partition
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.microaggregation.numbers.polish import polished
from discreet.masking.microaggregation.numbers.refinement import Refine
from discreet.masking.microaggregation.numbers.set_partition import raise_prices, subsets_of_groups
from discreet.masking.running.quiet_solver import solver_kept_quiet


def squared_error(points, labels):
    return sum(float(((points[labels == g] - points[labels == g].mean(axis=0)) ** 2).sum()) for g in np.unique(labels))


def instances(n, number):
    rng = np.random.default_rng([n, number])
    d = 1 + number % 3
    kinds = (rng.standard_normal((n, d)), rng.integers(0, 3, (n, d)).astype(float), rng.standard_cauchy((n, d)))
    return kinds[number // 3 % 3]


@pytest.mark.parametrize("k", [2, 3, 4])
def test_bounds_stay_below_the_optimum_of_small_files(k):
    tight = []
    for n, number in itertools.product(range(2 * k, 13 if k > 2 else 10), (0, 4, 8)):
        points = instances(n, number)
        best = plain_least_error(points, k)
        bounds = [prices.bound for prices in raise_prices(squared_distances(points), k, rounds=12)]
        assert bounds == sorted(bounds)
        assert bounds[-1] <= best * (1 + 1e-12)
        if n % 2:
            labels = polished(points, k, mdav(points, k), seed=0, rounds=4)
            assert squared_error(points, labels) == pytest.approx(best, rel=1e-9, abs=1e-12)
        tight.append(bounds[-1] > 0.999 * best)
    assert np.mean(tight) > 0.2


@given(
    st.integers(0, 10**6), st.integers(2, 5), st.integers(10, 25), st.integers(1, 4), st.sampled_from([0.0, 1.0, 2.0])
)
def test_no_grouping_is_below_the_bound(seed, k, n, d, grid):
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((n, d)) * rng.choice([1.0, 30.0], size=(n, 1), p=[0.9, 0.1])
    points = np.round(points * grid) if grid else points
    final = list(raise_prices(squared_distances(points), k, rounds=3))[-1]
    labels = mdav(points, k)
    assert final.bound <= squared_error(points, labels) * (1 + 1e-12)
    shuffled = rng.permutation(n) * (n // k) // n
    assert final.bound <= squared_error(points, shuffled) * (1 + 1e-12)


def test_prices_converge_to_the_relaxation_and_repeat_themselves():
    points = np.random.default_rng(0).standard_t(3, (90, 4))
    D, start = squared_distances(points), subsets_of_groups(mdav(points, 3), 3)
    first, second = (list(raise_prices(D, 3, start, rounds=40)) for _ in range(2))
    assert first[-1].converged
    assert first[-1].bound == pytest.approx(first[-1].relaxation, rel=2e-6)
    assert np.array_equal(first[-1].values, second[-1].values)


def test_equal_records_cost_nothing():
    points = np.repeat(np.arange(4.0)[:, None], 5, axis=0)
    assert list(raise_prices(squared_distances(points), 5, rounds=3))[-1].bound == pytest.approx(0.0, abs=1e-9)


def test_subsets_cover_every_record():
    labels = np.array([0, 1, 0, 1, 0, 1, 1, 1])
    groups = subsets_of_groups(labels, 3)
    assert {tuple(sorted(g)) for g in groups.tolist()} >= {(0, 2, 4)}
    assert set(groups.ravel()) == set(range(8))
    assert all(len(set(g)) == 3 and len(set(labels[g])) == 1 for g in groups)


@pytest.fixture(scope="module")
def accounts():
    return dc.datasets.business(60)


def test_polish_lowers_the_loss_and_repeats_itself(accounts):
    def mask(**given):
        return MDAV(k=3, refine=500, random_state=3, **given).mask(accounts)

    plain, first, second = mask(), mask(polish=True), mask(polish=True)
    loss = [masked.provenance.details["information_loss"] for masked in (plain, first)]
    assert loss[1] <= loss[0]
    assert np.array_equal(first.labels, second.labels)
    assert np.bincount(first.labels).min() >= 3
    assert np.bincount(first.labels).max() <= 5


def test_polish_by_time_is_refines_too(accounts):
    masked = Refine(k=4, budget="1s", polish=True, random_state=0).mask(accounts)
    assert (
        masked.provenance.details["information_loss"] < MDAV(k=4).mask(accounts).provenance.details["information_loss"]
    )
    assert np.bincount(masked.labels).min() >= 4


def test_polish_of_pools_with_prices_of_their_own(monkeypatch):
    monkeypatch.setattr("discreet.masking.microaggregation.numbers.polish._WHOLE_UP_TO", 10)
    points = np.random.default_rng(0).standard_t(3, (150, 3))
    labels = mdav(points, 3)
    better = polished(points, 3, labels, seed=0, rounds=6)
    assert information_loss(points, better) < 0.99 * information_loss(points, labels)
    assert np.bincount(better).min() >= 3


def test_polish_needs_refine(accounts):
    with pytest.raises(ParameterError, match="polish needs refine"):
        MDAV(k=3, polish=True).mask(accounts)


def test_what_a_solver_prints_does_not_reach_standard_output(capfd):
    with solver_kept_quiet():
        os.write(1, b"a solver's own words\n")
    os.write(1, b"ours\n")
    assert capfd.readouterr().out == "ours\n"


# ------------------------------------------------------------------------------------------------------ the parts


def test_subsets_by_hand():
    labels = np.array([0, 1, 0, 1, 1, 0, 1])
    # Of three records the group itself; of four every run of three, around the end as well.
    assert subsets_of_groups(labels, 3).tolist() == [[0, 2, 5], [1, 3, 4], [3, 4, 6], [4, 6, 1], [6, 1, 3]]


def test_incidence_by_hand():
    found = set_partition.incidence([np.array([[0, 2], [1, 3]]), np.array([[0, 1, 3]])], 5).toarray()
    assert found.tolist() == [[1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 1, 1], [0, 0, 0]]


def test_near_groups_and_their_prices_by_hand():
    D = squared_distances(np.array([[0.0], [1.0], [3.0], [7.0]]))
    groups, prices = set_partition._near_groups(D, 2, 1)
    # Each with its nearest, and with the one after it; a price is a quarter of the squared distance to the nearest.
    assert groups.tolist() == [[0, 1], [1, 0], [2, 1], [3, 2], [0, 2], [1, 2], [2, 0], [3, 1]]
    assert prices.tolist() == [0.25, 0.25, 1.0, 4.0]
    groups, prices = set_partition._near_groups(D, 3, 9)
    assert groups.tolist() == [[0, 1, 2], [1, 0, 2], [2, 1, 0], [3, 2, 1], [0, 1, 3], [1, 0, 3], [2, 1, 3], [3, 2, 0]]
    assert prices.tolist() == [10 / 6, 5 / 6, 13 / 6, 52 / 6]


def test_a_few_of_the_most_negative_groups_of_every_record(monkeypatch):
    monkeypatch.setattr(set_partition, "_NEW", 1)
    groups = np.array([[0, 1], [0, 2], [1, 2], [2, 3], [0, 3]])
    # The worst is taken, then whoever still has a record without any.
    found = set_partition._most_negative(groups, np.array([-1.0, -5.0, -4.0, -3.0, -2.0]), 4)
    assert found.tolist() == [[0, 2], [1, 2], [2, 3]]


def test_the_linear_programme_over_groups_by_hand(monkeypatch):
    D = squared_distances(np.array([[0.0], [1.0], [5.0], [6.0]]))
    master = set_partition._Master(D, 2, np.array([[1, 0], [0, 1], [2, 3], [0, 2], [1, 3]]))
    assert master.groups.tolist() == [[0, 1], [0, 2], [1, 3], [2, 3]]
    value, duals = master.solve(None)
    assert value == pytest.approx(1.0)
    assert duals.sum() == pytest.approx(1.0)
    master.add([np.array([[3, 0]]), np.array([[2, 1]])])
    assert master.groups.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert master.solve(60.0)[0] == pytest.approx(1.0)


def test_columns_that_have_become_too_dear_are_dropped(monkeypatch):
    D = squared_distances(np.array([[0.0], [1.0], [5.0], [6.0], [20.0], [21.0]]))
    pairs = np.array(list(itertools.combinations(range(6), 2)))
    monkeypatch.setattr(set_partition, "_COLUMNS", 1)
    for number, left in ((9, 9), (10, 7)):  # one and a half for each of six records may be kept
        near = np.argsort([D[a, b] for a, b in pairs], kind="stable")[:number]
        master = set_partition._Master(D, 2, pairs[near])
        master.solve(None)
        master.add([np.array([[0, 5]])])
        groups = {tuple(group) for group in master.groups.tolist()}
        assert groups >= {(0, 1), (2, 3), (4, 5), (0, 5)}
        assert len(groups) == left + (number == 9)


def test_prices_say_where_the_search_stands():
    """Pairs around 0, 10 and 20, 1 apart: every pair costs 1/2, which prices of 1/4 a record are at once."""
    D = squared_distances(np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]]))
    first, *later = raise_prices(D, 2, rounds=5)
    assert (first.rounds, first.relaxation, first.converged) == (0, np.inf, False)
    assert first.values.tolist() == [0.25] * 6
    assert first.bound == pytest.approx(1.5)
    assert first.bound < 1.5, "with a margin for rounding"
    assert [prices.rounds for prices in later] == [1]
    assert later[0].converged
    assert later[0].relaxation == pytest.approx(1.5)
    assert later[0].bound == pytest.approx(1.5)


def test_proven_prices_to_begin_with_are_taken_if_they_are_higher():
    D = squared_distances(np.array([[0.0], [1.0], [3.0], [7.0]]))
    own = [0.25, 0.25, 1.0, 4.0]
    for prices, expected in (
        (np.array([0.3, 0.2, 1.5, 6.0]), [0.3, 0.2, 1.5, 6.0]),
        (np.array([0.5, 0.0, 1.0, 3.0]), own),
        (None, own),
    ):
        first = next(raise_prices(D, 2, prices=prices))
        assert first.values == pytest.approx(expected)


def test_prices_are_raised_no_further_than_they_need_to_be():
    points = np.random.default_rng(0).standard_t(3, (40, 3))
    D = squared_distances(points)
    every = list(raise_prices(D, 3, rounds=6))
    assert [prices.rounds for prices in every] == list(range(len(every)))
    assert len(every) > 3
    assert [prices.rounds for prices in raise_prices(D, 3, rounds=2)] == [0, 1, 2]
    assert [prices.rounds for prices in raise_prices(D, 3, rounds=6, enough=every[1].bound)] == [0, 1]
    assert [prices.rounds for prices in raise_prices(D, 3, rounds=6, enough=every[2].bound)] == [0, 1, 2]
    loose = list(raise_prices(D, 3, rounds=6, tolerance=0.9))
    assert [(prices.rounds, prices.converged) for prices in loose] == [(0, False), (1, True)]


def test_no_time_leaves_the_first_prices():
    D = squared_distances(np.random.default_rng(0).standard_normal((20, 2)))
    assert [prices.rounds for prices in raise_prices(D, 3, seconds=0.0)] == [0]


def test_the_unit_of_distances_changes_prices_by_its_square():
    points = np.random.default_rng(3).standard_normal((30, 2))
    small, large = (list(raise_prices(squared_distances(points * unit), 3, rounds=3))[-1] for unit in (1.0, 1024.0))
    assert (small.values * 2.0**20).tolist() == large.values.tolist()
    assert small.relaxation * 2.0**20 == large.relaxation


def test_a_programme_without_an_answer_has_none():
    D = squared_distances(np.array([[0.0], [1.0], [5.0]]))
    assert set_partition._Master(D, 2, np.array([[0, 1]])).solve(None) is None


def test_trials_that_exceed_too_many_groups_prove_nothing(monkeypatch):
    D = squared_distances(np.array([[0.0], [1.0], [3.0], [7.0]]))
    lower, groups, reduced = set_partition._proven(D, 2, np.full(4, 1.0), None)
    assert groups.tolist() == [[0, 1]]
    assert reduced.tolist() == [-1.5]
    assert (lower + lower[1:2]).min() >= 0.5
    assert lower[[2, 3]].tolist() == [1.0, 1.0]
    monkeypatch.setattr(set_partition, "_ROOM", 0)
    assert set_partition._proven(D, 2, np.full(4, 1.0), None) is None
