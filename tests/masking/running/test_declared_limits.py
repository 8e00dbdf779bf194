from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.masking.running.declared_limits import LimitInterval, folded, interval_of, outside

NUMBER = st.floats(-1e6, 1e6)


def by_hand(value, low, high):
    while not low <= value <= high:
        value = 2 * low - value if value < low else 2 * high - value
    return value


@given(st.lists(NUMBER, min_size=1, max_size=20), st.floats(-50, 50), st.floats(1e3, 1e5))
def test_folding_is_reflecting_until_inside(values, low, width):
    for ends in ((low, low + width), (low, np.inf), (-np.inf, low)):
        result = folded(np.array(values), *ends)
        assert not outside(result, *ends).any()
        assert np.allclose(result, [by_hand(value, *ends) for value in values], atol=1e-6)
        inside = ~outside(np.array(values), *ends)
        assert (result[inside] == np.array(values)[inside]).all()


def test_gaps_stay_gaps():
    assert np.isnan(folded(np.array([np.nan, -1.0]), 0.0, 5.0)).tolist() == [True, False]
    assert outside(np.array([np.nan, -1.0]), 0.0, 5.0).tolist() == [False, True]


def test_intervals_are_read_from_text_and_pairs():
    assert interval_of(" 0 : 5 ") == (0.0, 5.0)
    assert interval_of(":5") == (-np.inf, 5.0)
    for bad in (":", "5", "5:1", "nan:1", [1], [1, 2, 3], [True, 2], ["a", 2], 7, None, "inf:"):
        assert not LimitInterval().accepts(bad)


def test_an_interval_as_a_parameter():
    constraint = LimitInterval()
    assert all(constraint.accepts(good) for good in ("0:", ":100", "-1:1", [0, 0.5], (-3, -1)))
    assert not any(constraint.accepts(bad) for bad in ("3:3", [3, 3], [0, np.inf], ["0", 1], [0, True], "0:1:2"))
    assert constraint.parse("0:5") == "0:5"
    with pytest.raises(ValueError, match="5:0"):
        constraint.parse("5:0")
    assert constraint.describe() == 'an interval such as "0:", ":100" or [0, 100]'


def test_ends_belong_to_an_interval():
    assert outside(np.array([-0.1, 0.0, 5.0, 5.1]), 0.0, 5.0).tolist() == [True, False, False, True]
    assert folded(np.array([-0.5, 0.0, 5.0, 5.5, 10.5, -5.5]), 0.0, 5.0).tolist() == [0.5, 0, 5, 4.5, 0.5, 4.5]
