"""What a user writes about bands, and the edges that follow from it."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.scales import Date, Numeric
from discreet.errors import ParameterError
from discreet.masking.recoding.band_rule import (
    BandConstraint,
    BandRule,
    even_edges,
    log_edges,
    nice_edges,
    parting_number,
    width_edges,
)

NUMBERS = st.floats(-1e9, 1e9, allow_nan=False).map(lambda x: round(x, 3))


@pytest.mark.parametrize(
    ("text", "edges", "low", "high"),
    [
        ("0,15,30", ("0", "15", "30"), False, False),
        ("<15,15,30,75+", ("15", "30", "75"), True, True),
        ("<15,15+", ("15",), True, True),
        ("60,75,75+", ("60", "75"), False, True),
        ("-5, 0, 5e3", ("-5", "0", "5e3"), False, False),
        ("1990,2000-07,2010-01-01+", ("1990", "2000-07", "2010-01-01"), False, True),
    ],
)
def test_breaks_are_read(text, edges, low, high):
    assert BandRule.of(text) == BandRule("breaks", 0.0, edges, low, high)


def test_lists_say_the_same_as_text():
    assert BandRule.of([0, 15, "75+"]) == BandRule.of("0,15,75+")
    assert BandRule.of([dt.date(1990, 1, 1), dt.date(2000, 1, 1)]) == BandRule.of("1990-01-01,2000-01-01")


@pytest.mark.parametrize(
    "bad", ["", "15", "a,b", "nice", "nice:", "nice:0", "nice:2.5", "nice:x", "width:-1", "width:5,10", "count:5,<3",
            "1,,2", "equal:100000", [], [True, 2], [None], 5, "inf,3", "nan,3"]
)  # fmt: skip
def test_what_says_no_bands_is_not_accepted(bad):
    assert not BandConstraint().accepts(bad)


@pytest.mark.parametrize("text", ["3,3,4", "5,4", "0,15,10+"])
def test_breaks_ascend(text):
    with pytest.raises(ParameterError, match=r"breaks of 'age' must ascend; break \d of \d"):
        BandRule.of(text).numbers("Banding", "age", Numeric())


def test_dates_and_numbers_are_not_mixed():
    with pytest.raises(ParameterError, match="must be dates"):
        BandRule.of("15,30").numbers("Banding", "born", Date())
    with pytest.raises(ParameterError, match="must be numbers"):
        BandRule.of("1990-01-01,2000-01-01").numbers("Banding", "age", Numeric())
    assert BandRule.of("1970,1970-01-03").numbers("Banding", "born", Date()) == [0.0, 2.0]


@given(NUMBERS, NUMBERS, st.sampled_from([0.1, 0.25, 1.0, 5.0, 10.0, 3.0]))
def test_bands_of_a_width_hold_all_numbers_at_multiples(a, b, width):
    low, high = min(a, b), min(max(a, b), min(a, b) + 500 * width)
    edges = width_edges(low, high, width)
    assert edges[0] <= low
    assert high < edges[-1]
    assert edges.size == 2 or (low < edges[1] and edges[-2] <= high)
    assert np.allclose(edges / width, np.rint(edges / width), atol=1e-3)


def test_open_ends_of_a_width_are_edges():
    assert width_edges(0, 200, 1, (None, 90.0)).tolist() == [float(x) for x in range(91)]
    assert width_edges(0, 200, 25, (15.0, 75.0)).tolist() == [15.0, 40.0, 65.0, 75.0]


@given(NUMBERS, NUMBERS, st.integers(1, 20), st.sampled_from([even_edges, nice_edges]))
def test_bands_are_no_more_than_asked_for_and_as_wide_as_one_digit_says(a, b, bands, find):
    low, high = min(a, b), max(a, b)
    edges = find(low, high, bands, whole=False)
    assert edges.size - 1 <= bands
    assert edges[0] <= low
    assert high < edges[-1] or high == edges[-1] == 0
    digits = {f"{gap:.6e}".rstrip("0").rstrip(".")[0] for gap in np.diff(edges)}
    allowed = set("125") if find is nice_edges else set("123456789")
    if not (bands == 1 and low < 0 <= high):
        assert digits <= allowed
        assert len({f"{gap:.4e}" for gap in np.diff(edges)}) <= 1


@given(st.floats(1e-6, 1e9), st.floats(1.0, 1e6), st.integers(1, 12))
def test_logarithmic_bands_are_of_a_fixed_series(low, ratio, bands):
    edges = log_edges(low, low * ratio, bands)
    assert edges.size - 1 <= max(bands, 2)
    assert edges[0] <= low
    assert low * ratio < edges[-1]
    assert {f"{edge:.1e}"[:3] for edge in edges} <= {"1.0", "1.5", "2.0", "3.0", "5.0", "7.0"}
    assert all(a < b for a, b in pairwise(edges))


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6), st.sampled_from([1, 100, 1000]))
def test_the_number_that_parts_two_is_the_shortest(a, gap, scale):
    below, above = a / scale, (a + gap) / scale
    edge = parting_number(below, above)
    assert below < edge <= above
    digits = len(f"{abs(edge):.12g}".replace(".", "").strip("0"))
    for step in (10.0**e for e in range(7, -4, -1)):  # a coarser multiple that parts them would have fewer digits
        first = np.floor(below / step + 1e-12) * step + step
        if below < first <= above - 1e-12:
            assert digits <= max(len(f"{abs(first):.12g}".replace(".", "").strip("0")), 1)
            break
