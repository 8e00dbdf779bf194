from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.statistics.risk_threshold import threshold_for

RISKS = st.lists(st.tuples(st.floats(0.001, 1), st.integers(1, 50)), min_size=1, max_size=20)


@given(RISKS, st.floats(0.001, 0.999))
def test_risks_cut_at_the_threshold_have_the_wanted_mean(pairs, wanted):
    risks, records = (np.array(column) for column in zip(*pairs, strict=True))
    limit = threshold_for(risks, records, wanted)
    reached = float((np.minimum(risks, limit) * records).sum() / records.sum())
    if float((risks * records).sum() / records.sum()) <= wanted:
        assert limit == risks.max()
    else:
        assert reached == pytest.approx(wanted, rel=1e-9)


@given(RISKS, st.floats(0.001, 0.999))
def test_what_is_above_is_what_a_walk_down_the_risks_finds(pairs, wanted):
    """The published search: from the largest risk down, until those above, cut to the next, are few enough."""
    values = sorted((r for r, count in pairs for _ in range(count)), reverse=True)
    limit = threshold_for(*(np.array(column) for column in zip(*pairs, strict=True)), wanted)
    below, cut, goal = sum(values), 0, wanted * len(values)
    walked = None
    for place, value in enumerate(values):
        if (place == 0 or value != values[place - 1]) and below + value * cut < goal * (1 - 1e-12):
            walked = value
            break
        below, cut = below - value, cut + 1
    if walked is not None:
        assert limit >= walked * (1 - 1e-9)
        assert not any(walked * (1 + 1e-9) < value <= limit * (1 - 1e-9) for value in values) or walked == values[0]


@pytest.mark.parametrize(
    ("wanted", "limit"),
    [
        # Eight records at 0.1, one at 0.5, one at 1: cut at 0.1 they add up to 1, cut at 0.5 to 1.8, uncut to 2.3.
        (0.05, 0.05),
        (0.1, 0.1),
        (0.13, 0.25),
        (0.18, 0.5),
        (0.2, 0.7),
        (0.23, 1.0),
        (0.5, 1.0),
        (1.0, 1.0),
        (0.0, 0.0),
    ],
)
def test_thresholds_by_hand(wanted, limit):
    risks, records = np.array([0.5, 0.1, 1.0]), np.array([1, 8, 1])
    assert threshold_for(risks, records, wanted) == pytest.approx(limit, rel=1e-12)


def test_a_threshold_between_equal_risks_is_theirs():
    assert threshold_for(np.array([0.25, 0.25, 0.5]), np.array([2, 1, 1]), 0.25) == 0.25
    assert threshold_for(np.array([0.25]), np.array([7]), 0.25) == 0.25
    assert threshold_for(np.array([0.25]), np.array([7]), 0.125) == 0.125
