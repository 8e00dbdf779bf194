"""Lower bounds on hidden values, against everything that a handful of records can do."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import fewest_values as twin
from tests.stand_ins import instead

from discreet.masking.withholding import category_programme, fewest_values
from discreet.masking.withholding.category_programme import bounding_programme
from discreet.masking.withholding.fewest_values import least_cost
from discreet.masking.withholding.hiding_classes import distinct_rows
from discreet.masking.withholding.wildcard_programme import record_states, wildcard_programme
from discreet.progress import listening


def tables(seed, number, most=8):
    """Yield tiny tables with and without missing values, and equal and unequal costs."""
    rng = np.random.default_rng(seed)
    for turn in range(number):
        k, d = int(rng.integers(2, 4)), int(rng.integers(2, 4))
        keys = rng.integers(turn % 2, int(rng.integers(3, 6)), (int(rng.integers(k, most + 1)), d))
        costs = [np.ones(d), rng.integers(1, 5, d).astype(float), rng.random(d) + 0.1][turn % 3]
        yield keys, k, costs


def readable(keys):
    return [tuple(int(value) or None for value in row) for row in keys]


@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_of_tiny_tables_with_missing_as_a_category(seed):
    for keys, k, costs in tables(seed, 12):
        proof = least_cost(keys, k, costs)
        assert proof.bound == pytest.approx(twin.least_category(readable(keys), k, tuple(costs)), abs=2e-3)


@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_of_tiny_tables_with_wildcards(seed):
    for keys, k, costs in tables(seed, 12, most=6):
        proof = least_cost(keys, k, costs, wildcard=True)
        assert proof.bound == pytest.approx(twin.least_wildcard(readable(keys), k, tuple(costs)), abs=2e-3)


@pytest.mark.parametrize("seed", range(4))
def test_no_programme_for_larger_tables_exceeds_the_optimum(seed):
    """What is let go of the exact programme, at every size, only lowers it; nowhere is it empty."""
    reached = 0
    for keys, k, costs in tables(10 + seed, 12):
        optimum = twin.least_category(readable(keys), k, tuple(costs))
        distinct = distinct_rows(keys)
        if not (distinct.counts < k).any():
            assert optimum == 0
            continue
        bounds = []
        for size in range(1, keys.shape[1] + 1):
            model, cheapest = bounding_programme(distinct.rows, distinct.counts, k, costs, size)
            relaxed = model.programme.relaxed()
            solved = model.programme.solved()[1]
            assert cheapest.sum() <= solved + 2e-3
            assert relaxed.bound <= solved + 2e-3
            assert solved <= optimum + 1e-6
            bounds.append(solved)
        assert bounds == sorted(bounds) or np.diff(bounds).min() > -2e-3, "more combinations give a higher bound"
        reached += bounds[-1] > optimum - 2e-3
    assert reached >= 4


def test_lenient_programmes_of_wildcards_stay_below_the_optimum():
    lower = 0
    for keys, k, costs in tables(40, 20, most=6):
        optimum = twin.least_wildcard(readable(keys), k, tuple(costs))
        distinct = distinct_rows(keys)
        states = record_states(distinct.rows, distinct.counts, k, costs)
        if states.owners.size:
            model = wildcard_programme(distinct.rows, distinct.counts, k, states, lenient=True)
            assert model.programme.relaxed().bound <= optimum + 1e-6
            assert 0 < model.programme.solved()[1] <= optimum + 1e-6
            lower += model.programme.solved()[1] < optimum - 0.01
    assert lower, "somewhere a record has to hide more than one value"


def test_a_known_release_ends_the_search_and_is_never_exceeded():
    for keys, k, costs in tables(20, 8):
        optimum = twin.least_category(readable(keys), k, tuple(costs))
        assert least_cost(keys, k, costs, ceiling=optimum).bound == pytest.approx(optimum, abs=2e-3)
        assert least_cost(keys, k, costs, ceiling=optimum + 1.5).bound <= optimum + 1e-6


def test_where_nobody_stands_out_nothing_has_to_go():
    keys = np.array([[1, 1], [1, 1], [0, 2], [0, 2]])
    for wildcard in (False, True):
        assert least_cost(keys, 2, np.ones(2), wildcard=wildcard) == (0.0, "nothing stands out")


def test_read_literally_blank_records_would_do():
    """Why a wildcard release is asked for more: one blank record of four matches everybody."""
    rows = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]
    assert twin.least_wildcard(rows, 2, (1, 1), literal=True) == 2
    keys = np.array([[1, 1], [2, 2], [3, 3], [4, 4]])
    assert least_cost(keys, 2, np.ones(2), wildcard=True).bound == 2.0
    rows = [("a", "b"), ("a", "c"), ("d", "e"), ("d", "f")]
    assert twin.least_wildcard(rows, 3, (1, 1), literal=True) == 4
    assert twin.least_wildcard(rows, 3, (1, 1)) == 4


# ------------------------------------------------------------------------------------------------ larger tables


def test_a_clock_keeps_the_best_bound_and_says_when_to_end(monkeypatch):
    now, heard = [7.0], []
    monkeypatch.setattr(fewest_values, "time", instead(fewest_values.time, monotonic=lambda: now[0]))
    whole = fewest_values._Clock(10.0, np.array([1.0, 3.0]), 5.0)
    other = fewest_values._Clock(10.0, np.array([1.0, 2.5]), 5.0)
    assert (whole.best, whole.left, whole.ends) == ((0.0, "none"), 10.0, False)
    with listening(lambda *said: heard.append(said)):
        whole.raise_to(2.2, "linear programme")
        other.raise_to(2.2, "linear programme")
        assert (whole.best, other.best) == ((3.0, "linear programme"), (2.2, "linear programme"))
        now[0] = 9.5
        whole.raise_to(3.00005, "later")  # no more than rounding above what is known
        other.raise_to(2.2, "later")
        assert (whole.best, other.best) == ((3.0, "linear programme"), (2.2, "linear programme"))
        assert whole.left == 7.5
        whole.raise_to(4.2, "integer programme")
        assert whole.ends
        assert not other.ends
        now[0] = 30.0
        other.raise_to(1.0, "too late")
    assert other.ends
    assert other.best == (2.2, "linear programme")
    assert heard == [("certifying", done, 1000) for done in (0, 0, 250, 250, 250, 1000)]


@pytest.mark.parametrize("listed", [0, 10**9])
@pytest.mark.parametrize("seed", range(2))
def test_bounds_of_larger_tables_stay_below_the_optimum_or_reach_it(seed, listed, monkeypatch):
    """The way of larger tables, on tiny ones; where every combination can be listed as well, it ends at the optimum."""
    monkeypatch.setattr(fewest_values, "_SMALL", 0)
    monkeypatch.setattr(fewest_values, "_LISTED", listed)
    methods = set()
    for keys, k, costs in tables(60 + seed, 6):
        optimum = twin.least_category(readable(keys), k, tuple(costs))
        for ceiling in (np.inf, optimum + 1.5):
            proof = least_cost(keys, k, costs, ceiling=ceiling)
            methods.add(proof.method)
            assert proof.bound <= optimum + 1e-6
            if listed and optimum:
                assert proof.bound == pytest.approx(optimum, abs=2e-3)
            elif optimum:
                assert proof.bound > 0
    assert methods <= {"nothing stands out", "cheapest company", "linear programme", "integer programme"}
    assert {"cheapest company", "integer programme"} <= methods


@pytest.mark.parametrize(("listed", "shares"), [(10**9, [0.6, 1.0]), (0, [1.0])])
def test_the_exact_programme_is_left_some_of_the_time(monkeypatch, listed, shares):
    given = []
    monkeypatch.setattr(fewest_values, "_SMALL", 0)
    monkeypatch.setattr(fewest_values, "_LISTED", listed)
    monkeypatch.setattr(fewest_values, "time", instead(fewest_values.time, monotonic=lambda: 5.0))
    monkeypatch.setattr(fewest_values, "_branch", lambda _programme, _clock, seconds: given.append(seconds))
    keys = np.array([[1, 1, 1], [1, 2, 2], [2, 1, 3], [3, 3, 1], [2, 2, 2], [3, 1, 2]])
    least_cost(keys, 2, np.ones(3), seconds=40.0)
    assert given == [40.0 * share for share in shares]


def test_which_programmes_are_tried(monkeypatch):
    """Sizes one after the other up to what is listed, and at once where everything is small."""
    keys = np.array([[1, 1, 1], [1, 2, 2], [2, 1, 3], [3, 3, 1], [2, 2, 2], [3, 1, 2]])
    sizes, exact = [], []
    real = bounding_programme

    def bounding(rows, counts, k, costs, size):
        sizes.append(size)
        return real(rows, counts, k, costs, size)

    monkeypatch.setattr(fewest_values, "bounding_programme", bounding)
    monkeypatch.setattr(
        fewest_values, "exact_programme", lambda *given: exact.append(1) or category_programme.exact_programme(*given)
    )
    pairs = 6 * 2**3
    for small, listed, most, expected in [
        (pairs, 0, 10**9, ([], 1)),
        (pairs - 1, pairs, 0, ([1], 1)),
        (pairs - 1, pairs - 1, 0, ([1], 0)),
        (pairs - 1, pairs - 1, 6 * 7 - 1, ([1], 0)),
        (pairs - 1, pairs - 1, 6 * 7, ([1, 2], 0)),
    ]:
        for name, value in (("_SMALL", small), ("_LISTED", listed), ("_MOST", most)):
            monkeypatch.setattr(fewest_values, name, value)
        sizes.clear()
        exact.clear()
        least_cost(keys, 3, np.ones(3))
        assert (sizes, len(exact)) == expected


def test_without_time_what_is_known_is_the_cheapest_company(monkeypatch):
    monkeypatch.setattr(fewest_values, "_SMALL", 0)
    keys = np.array([[1, 1], [1, 1], [1, 2], [2, 2], [2, 3]])
    assert least_cost(keys, 2, np.ones(2), seconds=1e-9) == (3.0, "cheapest company")


def test_wildcards_that_meet_too_often_get_the_lenient_programme(monkeypatch):
    keys = np.array([[1, 1], [2, 2], [3, 3], [4, 4]])
    asked = []

    def programme(*given, lenient=False):
        asked.append(lenient)
        return wildcard_programme(*given, lenient=lenient) if lenient in allowed else None

    monkeypatch.setattr(fewest_values, "wildcard_programme", programme)
    for allowed, tries, bound in (
        ({False, True}, [False], 2.0),
        ({True}, [False, True], 2.0),
        (set(), [False, True], 0.0),
    ):
        asked.clear()
        proof = least_cost(keys, 2, np.ones(2), wildcard=True)
        assert asked == tries
        assert proof.bound == bound
        assert (proof.method == "none") == (not allowed)
