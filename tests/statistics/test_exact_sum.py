"""Sums against fractions, which have no rounding at all."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.statistics import exact_sum
from discreet.statistics.exact_sum import exact_sums, nearest

numbers = st.floats(allow_nan=False, allow_infinity=False, width=64)


@given(st.lists(st.tuples(numbers, st.integers(0, 2)), max_size=30))
def test_sums_of_groups_are_exact_and_rounded_once(pairs):
    values, groups = np.array([v for v, _ in pairs], dtype=float), np.array([g for _, g in pairs], dtype=np.int64)
    totals = exact_sums(values, groups, 3)
    for group, total in enumerate(totals):
        exact = sum((Fraction(v) for v, g in pairs if g == group), Fraction(0))
        assert Fraction(total, 1 << 1127) == exact
        if abs(exact) < Fraction(2) ** 1023:
            assert nearest(total) == float(exact)
            assert nearest(total, 3) == float(exact / 3)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_the_number_of_records_at_a_time_does_not_matter(monkeypatch, most):
    values = np.array([1e16, 1.0, -1e16, 2.5, -0.125, 1e-310])
    whole = exact_sums(values, np.array([0, 0, 0, 1, 1, 1]), 2)
    monkeypatch.setattr(exact_sum, "_MOST", most)
    assert exact_sums(values, np.array([0, 0, 0, 1, 1, 1]), 2) == whole
    assert [nearest(total) for total in whole] == [1.0, 2.375]
    assert exact_sums(np.array([]), np.array([], dtype=np.int64), 2) == (0, 0)
