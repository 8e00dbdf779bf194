from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError, ParameterError
from discreet.operators.levels.least_distance import LeastDistance
from discreet.operators.levels.ordinal_medians import Plurality


def twin(values, weights, table):
    """The first of the group's levels with the least weighted sum."""
    sums = {c: sum(w * table[c][v] for v, w in zip(values, weights, strict=True)) for c in sorted(set(values))}
    least = min(sums.values())
    return next(c for c, total in sums.items() if total <= least + 1e-9)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5)), min_size=1, max_size=12), st.integers(0, 99))
def test_it_is_what_the_twin_finds(pairs, seed):
    half = np.triu(np.random.default_rng(seed).integers(1, 5, (5, 5)), 1) / 4
    table = half + half.T
    values, weights = [v for v, _ in pairs], [w for _, w in pairs]
    assert LeastDistance(table)(values, weights) == twin(values, weights, table.tolist())
    assert LeastDistance(table)(values) == twin(values, [1] * len(values), table.tolist())


@given(st.lists(st.integers(0, 6), min_size=1, max_size=12))
def test_with_zero_and_one_it_is_the_plurality(values):
    assert LeastDistance(1 - np.eye(7))(values) == Plurality()(values)


def test_many_groups_are_aggregated_block_by_block(monkeypatch):
    monkeypatch.setattr("discreet.operators.levels.least_distance._CELLS", 14)
    draws = np.random.default_rng(3)
    values, labels = draws.integers(0, 7, 60).astype(np.int32), np.repeat(np.arange(12), 5)
    operator = LeastDistance.examples()[1]
    assert operator.by_label(values, labels).tolist() == [operator(values[labels == g]) for g in range(12)]


@pytest.mark.parametrize("table", [[[0, 1], [2, 0]], [[1, 1], [1, 0]], [[0, -1], [-1, 0]], [[0, 1, 2]]])
def test_a_table_that_is_no_distance_is_refused(table):
    with pytest.raises(ParameterError, match="distances must be a square table"):
        LeastDistance(table)


def test_a_level_beyond_the_table_is_refused():
    with pytest.raises(DataError):
        LeastDistance(1 - np.eye(3))([0, 5])
