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


def test_nobody_alone_and_nobody_else():
    assert zayatz_uniques(np.array([2, 3]), np.array([4, 1]), 50.0) == 0.0
    assert zayatz_uniques(np.array([1]), np.array([4]), 50.0) == pytest.approx(50.0)
    # Classes of one and of two in a sample of all but one: 9 of 10 people, one of h(1), two of 2 · h.
    sizes, classes = np.array([1, 2]), np.array([3, 3])
    assert zayatz_uniques(sizes, classes, 10.0) == pytest.approx(3 * (3 * 0.9) / (3 * 0.9 + 3 * 0.2) * 10 / 9)
    # Of a census no class of two gives one record.
    assert zayatz_uniques(sizes, classes, 9.0) == pytest.approx(3.0)
