"""Lower bounds on hidden values, against everything that a handful of records can do."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import fewest_values as twin

from discreet.masking.withholding.category_programme import bounding_programme
from discreet.masking.withholding.fewest_values import least_cost
from discreet.masking.withholding.hiding_classes import distinct_rows
from discreet.masking.withholding.wildcard_programme import record_states, wildcard_programme


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
