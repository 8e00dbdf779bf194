"""Bands: where numbers lie, what stands for them, and what they are called."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.scales import Date, DateTime, Numeric
from discreet.masking.recoding.band_names import Bands, band_names


@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=6, unique=True).map(sorted),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.lists(st.one_of(st.integers(-60, 60), st.none()), min_size=1, max_size=20),
)
def test_a_number_lies_where_the_definition_says(edges, low_open, high_open, closed, numbers):
    closed = closed and not high_open
    bands = Bands(tuple(map(float, edges)), low_open, high_open, closed)
    bounds = [*([-np.inf] if low_open else []), *edges, *([np.inf] if high_open else [])]
    expected = []
    for number in numbers:
        inside = [
            place
            for place in range(len(bounds) - 1)
            if number is not None
            and (
                bounds[place] <= number < bounds[place + 1]
                or (closed and place == len(bounds) - 2 and number == bounds[-1])
            )
        ]
        expected.append(-1 if number is None else inside[0] if inside else -2)
    column = np.array([np.nan if number is None else float(number) for number in numbers])
    assert bands.places(column).tolist() == expected
    assert (
        len(set(band_names(bands, Numeric(), whole=True))) == bands.size == len(band_names(bands, Date(), whole=True))
    )


def test_joined_bands_keep_their_ends():
    bands = Bands((10.0, 20.0, 30.0), low_open=True, high_open=True)
    assert bands.joined(np.array([0, 0, 1, 1])) == Bands((20.0,), low_open=True, high_open=True)
    assert bands.joined(np.zeros(4, dtype=int)).size == 1
    assert band_names(bands.joined(np.zeros(4, dtype=int)), Numeric(), whole=True) == ("any",)
    assert Bands((0.0, 5.0, 9.0), closed=True).joined(np.array([0, 0])) == Bands((0.0, 9.0), closed=True)


def test_what_stands_for_a_band_stays_in_it_when_rounded():
    bands = Bands((0.0, 15.0, 30.0), low_open=True, high_open=True)
    assert bands.middles().tolist() == [0.0, 7.5, 22.5, 30.0]
    assert bands.held(np.array([0.0, 14.6, 29.7, 80.4]), 1.0).tolist() == [0.0, 14.0, 29.0, 80.4]
    assert bands.held(np.array([-0.3, 14.6, 29.7, 80.4]), None).tolist() == [-0.3, 14.6, 29.7, 80.4]
    assert bands.held(np.array([-0.3, 7.5, 22.5, 30.0]), 1.0).tolist() == [-1.0, 7.5, 22.5, 30.0]


def test_names_of_numbers():
    assert band_names(Bands((0.0, 1.0, 2.0, 5.0), closed=True), Numeric(), whole=True) == ("0", "1", "2–5")
    assert band_names(Bands((-10.0, -5.0, 0.0)), Numeric(), whole=True) == ("-10 to -6", "-5 to -1")
    assert band_names(Bands((0.5, 1_000_000.0), high_open=True), Numeric(), whole=True) == ("0.5–<1000000", "1000000+")


def test_names_of_dates():
    days = [float(np.datetime64(day, "D").astype(int)) for day in ("1990-01-01", "2000-01-01", "2010-01-01")]
    assert band_names(Bands(tuple(days), high_open=True), Date(), whole=True) == (
        "1990 to 1999",
        "2000 to 2009",
        "2010+",
    )
    assert band_names(Bands(tuple(days[:2]), closed=True), Date(), whole=True) == ("1990-01-01 to 2000-01-01",)
    month = (days[0], float(np.datetime64("1990-05-01", "D").astype(int)))
    assert band_names(Bands(month, low_open=True), Date(), whole=True) == ("<1990-01", "1990-01 to 1990-04")
    hours = (0.0, 3600.0)
    assert band_names(Bands(hours), DateTime(), whole=True) == ("1970-01-01T00:00:00 to <1970-01-01T01:00:00",)


@pytest.mark.parametrize(
    ("bands", "whole", "middles"),
    [
        (Bands((0.0, 3.0, 4.0, 9.0)), True, [1.0, 3.0, 6.0]),
        (Bands((0.0, 3.0, 4.0, 9.0)), False, [1.5, 3.5, 6.5]),
        (Bands((0.0, 3.0, 9.0), closed=True), True, [1.0, 6.0]),
        (Bands((0.0, 3.0), low_open=True, high_open=True), True, [0.0, 1.0, 3.0]),
        (Bands((), low_open=True, high_open=True), True, [0.0]),
        (Bands((), low_open=True, high_open=True), False, [0.0]),
        (Bands((5.0,), low_open=True, high_open=True), False, [5.0, 5.0]),
    ],
)
def test_middles_by_hand(bands, whole, middles):
    assert bands.middles(whole=whole).tolist() == middles


@pytest.mark.parametrize(
    ("bands", "values", "unit", "held"),
    [
        (Bands((0.0, 10.0, 20.0)), [9.7, 19.2], 1.0, [9.0, 19.0]),
        (Bands((0.0, 10.0, 20.0), closed=True), [9.7, 20.0], 1.0, [9.0, 20.0]),
        (Bands((0.0, 10.0, 20.0)), [-1.0, 25.0], 0.5, [0.0, 19.5]),
        (Bands((0.0, 0.5, 20.0)), [0.2, 3.0], 1.0, [0.2, 3.0]),  # a band narrower than the unit
        (Bands((0.0, 10.0, 20.0)), [10.0, 20.0], None, [10.0, 20.0]),
    ],
)
def test_values_are_held_in_their_bands(bands, values, unit, held):
    assert bands.held(np.array(values), unit).tolist() == held


@pytest.mark.parametrize(
    ("bands", "whole", "names"),
    [
        (Bands((0.0, 15.0, 30.0)), False, ("0–<15", "15–<30")),
        (Bands((0.0, 15.0, 30.0), closed=True), False, ("0–<15", "15–30")),
        (Bands((0.0, 15.5, 30.0)), True, ("0–<15.5", "15.5–<30")),
        (Bands((5.0,), low_open=True, high_open=True), True, ("<5", "5+")),
        (Bands((-1.0, 0.0, 5.0), low_open=True), True, ("<-1", "-1", "0 to 4")),
        (Bands((0.0, 5.0)), True, ("0–4",)),
    ],
)
def test_names_by_hand(bands, whole, names):
    assert band_names(bands, Numeric(), whole=whole) == names
