from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.statistics.zayatz import zayatz_uniques


def by_definition(group_sizes, population):
    n, classes = sum(group_sizes), len(group_sizes)

    def one_of(size):
        return size * math.comb(population - size, n - 1) / math.comb(population, n)

    alone = group_sizes.count(1)
    if not alone:
        return 0.0
    share = alone / classes * one_of(1) / sum(one_of(size) / classes for size in group_sizes)
    return alone * share * population / n


@given(st.lists(st.integers(1, 9), min_size=1, max_size=20), st.integers(0, 300))
def test_equals_the_definition(group_sizes, outside):
    population = sum(group_sizes) + outside
    sizes, classes = np.unique(np.array(group_sizes), return_counts=True)
    expected = by_definition(group_sizes, population)
    assert zayatz_uniques(sizes, classes, float(population)) == pytest.approx(expected, rel=1e-8)


def test_a_census_counts():
    assert zayatz_uniques(np.array([1, 4]), np.array([3, 2]), 11.0) == pytest.approx(3.0)
