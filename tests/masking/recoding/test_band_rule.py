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


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("width:5", BandRule("width", 5.0)),
        (" width : 0.5 , <15 , 75+ ", BandRule("width", 0.5, ("15", "75"), True, True)),
        ("width:5,<15", BandRule("width", 5.0, ("15",), True, False)),
        ("width:5,75+", BandRule("width", 5.0, ("75",), False, True)),
        ("equal:1", BandRule("equal", 1.0)),
        ("count:1000", BandRule("count", 1000.0)),
        ("log:3", BandRule("log", 3.0)),
        ("optimal:7", BandRule("optimal", 7.0)),
        ("<15,15", BandRule("breaks", 0.0, ("15",), True, False)),
        ("15,15+", BandRule("breaks", 0.0, ("15",), False, True)),
        ("<15", BandRule("breaks", 0.0, ("15",), True, False)),
        ("75+", BandRule("breaks", 0.0, ("75",), False, True)),
        ("<15+", BandRule("breaks", 0.0, ("15",), True, True)),
        ("1990-01-01T06:30,2000-01-01 12:00:30", BandRule("breaks", 0.0, ("1990-01-01T06:30", "2000-01-01 12:00:30"))),
    ],
)
def test_rules_are_read(text, rule):
    assert BandRule.of(text) == rule
    assert BandRule.of(rule) is rule
    assert BandConstraint().accepts(text)
    assert BandConstraint().accepts(rule)
    assert BandConstraint().parse(text) == text.strip()


@pytest.mark.parametrize(
    "bad",
    ["count:1001", "equal:0.5", "width:0", "width:inf", "width:nan", "width:5,a+", "width:5,<b", "width:5,10,75+",
     "equal:3,75+", "2000-13-01,2001", "2000-1,2001", "1,2,x", (), {}, None, ["1", b"2"]],
)  # fmt: skip
def test_further_words_that_say_no_bands(bad):
    assert not BandConstraint().accepts(bad)


def test_items_of_a_list_are_read_as_they_are_written():
    assert BandRule.of([np.int64(1), np.float64(2.5)]).edges == ("1", "2.5")
    assert BandRule.of(
        [
            dt.datetime(1990, 1, 1, 6, 30),  # noqa: DTZ001 - a column has no zone
            dt.date(2000, 1, 1),
        ]
    ).edges == (
        "1990-01-01T06:30:00",
        "2000-01-01",
    )
    assert BandRule.of([-0.0, 1]).numbers("Banding", "x", Numeric()) == [0.0, 1.0]
    for item in (True, np.True_, None, b"3"):
        with pytest.raises(ValueError, match=type(item).__name__):
            BandRule.of([item, 7])


def test_edges_of_a_rule_by_hand():
    assert BandRule.of("-5,0,5e3").numbers("Banding", "x", Numeric()) == [-5.0, 0.0, 5000.0]
    born = BandRule.of("1970,1970-02,1971-01-01").numbers("Banding", "born", Date())
    assert born == [0.0, 31.0, 365.0]
    with pytest.raises(ParameterError) as caught:
        BandRule.of("3,4,4").numbers("Banding", "age", Numeric())
    assert "Banding: the breaks of 'age' must ascend; break 3 of 3 is not above the one before it." in str(caught.value)
    most = ",".join(map(str, range(1001)))
    assert len(BandRule.of(most).numbers("Banding", "age", Numeric())) == 1001
    with pytest.raises(ParameterError, match="Banding: 'age' would have 1001 bands; 1000 are the most"):
        BandRule.of(most + ",1001").numbers("Banding", "age", Numeric())


@pytest.mark.parametrize(
    ("low", "high", "width", "ends", "edges"),
    [
        (17, 40, 10, (None, None), [10, 20, 30, 40, 50]),
        (20, 39.9, 10, (None, None), [20, 30, 40]),
        (20, 20, 10, (None, None), [20, 30]),
        (0, 0, 10, (None, None), [0, 10]),
        (-5, 5, 10, (None, None), [-10, 0, 10]),
        (-10, -10, 10, (None, None), [-10, 0]),
        (0.1, 0.3, 0.1, (None, None), [0.1, 0.2, 0.3, 0.4]),
        (0.7, 0.7, 0.1, (None, None), [0.7, 0.8]),
        (17, 98, 20, (None, 90.0), [10, 30, 50, 70, 90]),
        (17, 98, 20, (15.0, None), [15, 35, 55, 75, 95, 115]),
        (0, 200, 25, (15.0, 75.0), [15, 40, 65, 75]),
        (0, 200, 20, (15.0, 75.0), [15, 35, 55, 75]),
        (95, 99, 20, (None, 90.0), [90]),
    ],
)
def test_edges_of_a_width_by_hand(low, high, width, ends, edges):
    assert width_edges(low, high, width, ends).tolist() == edges


@pytest.mark.parametrize(
    ("find", "low", "high", "bands", "whole", "edges"),
    [
        (even_edges, 17.2, 90.1, 5, False, [0, 20, 40, 60, 80, 100]),
        (even_edges, 0, 9, 10, True, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        (even_edges, 0, 1, 10, True, [0, 1, 2]),
        (even_edges, 0, 0.9, 10, False, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]),
        (even_edges, 0, 59, 9, True, [0, 7, 14, 21, 28, 35, 42, 49, 56, 63]),
        (nice_edges, 0, 59, 9, True, [0, 10, 20, 30, 40, 50, 60]),
        (nice_edges, 17, 90, 4, True, [0, 50, 100]),
        (nice_edges, 5, 5, 3, True, [5, 6]),
        (nice_edges, 5, 5, 3, False, [5, 6]),
        (nice_edges, 550, 550, 3, False, [500, 600]),
        (nice_edges, -3, 90, 1, True, [-100, 100]),
        (nice_edges, -3, 100, 1, True, [-1000, 1000]),
        (nice_edges, -100, 3, 1, True, [-1000, 1000]),
        (nice_edges, -3, -2, 1, True, [-5, 0]),
        (nice_edges, 0, 99, 1, True, [0, 100]),
    ],
)
def test_even_and_nice_edges_by_hand(find, low, high, bands, whole, edges):
    assert find(low, high, bands, whole=whole).tolist() == edges


@pytest.mark.parametrize(
    ("low", "high", "bands", "edges"),
    [
        (120.0, 90_000.0, 6, [100, 300, 1000, 3000, 10000, 30000, 100000]),
        (1.0, 9.0, 6, [1, 1.5, 2, 3, 5, 7, 10]),
        (1.0, 9.0, 5, [1, 2, 5, 10]),
        (1.0, 9.0, 2, [1, 3, 10]),
        (1.0, 9.0, 1, [1, 10]),
        (1.0, 10.0, 2, [1, 10, 100]),
        (1.0, 99.0, 1, [1, 100]),
        (10.0, 999.0, 1, [1, 1000]),
        (0.05, 0.05, 3, [0.05, 0.07]),
        (1.0, 1.0, 1, [1, 1.5]),
    ],
)
def test_logarithmic_edges_by_hand(low, high, bands, edges):
    assert log_edges(low, high, bands).tolist() == edges


@pytest.mark.parametrize(
    ("below", "above", "edge"),
    [
        (51_987.21, 53_012.4, 52_000.0),
        (14.0, 15.0, 15.0),
        (14.2, 14.9, 14.3),
        (8.2, 8.4, 8.3),
        (-14.9, -14.2, -14.2),
        (-3.2, 7.0, 0.0),
        (-3.2, 0.0, 0.0),
        (0.0, 7.0, 1.0),
        (0.0, 0.03, 0.01),
        (-15.0, -14.0, -14.0),
        (-53_012.4, -51_987.21, -52_000.0),
        (-7.0, -0.5, -1.0),
        (99.0, 100.0, 100.0),
        (100.0, 101.0, 101.0),
        (0.1, np.nextafter(0.1, 1), np.nextafter(0.1, 1)),
    ],
)
def test_numbers_that_part_two_by_hand(below, above, edge):
    assert parting_number(below, above) == edge


def test_bands_that_may_be_given_are_described():
    assert BandConstraint().describe() == (
        "breaks such as '0,15,30,75+' or '<15,30,75+', or one of width:W, equal:N, nice:N, log:N, count:N, optimal:N "
        "with at most 1000 bands"
    )


def test_numbers_next_to_each_other_are_parted_by_one_of_them():
    above = float(np.nextafter(1.0, 2.0))
    assert parting_number(1.0, above) == above
    assert parting_number(-above, -1.0) == -1.0
    assert parting_number(0.1, 0.2) == 0.2
    assert parting_number(-0.2, -0.1) == -0.1
    assert parting_number(0.0, 0.004) == 0.001
    assert parting_number(99.5, 100.5) == 100.0
    assert parting_number(-100.5, -99.5) == -100.0
