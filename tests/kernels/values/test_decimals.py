"""Decimals and steps of numbers by hand, and numbers rounded by their size, beside their decimal texts."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pytest

from discreet.kernels.values.decimals import count_decimals, round_by_size

POWERS = 10.0 ** np.arange(4)
DIGITS = 1e6
# By the exponent of a number, with how many of three decimals all numbers of this exponent stay below DIGITS.
ROOM = np.array([int((DIGITS / 2.0**e >= POWERS).sum()) - 1 for e in range(-1022, 1024)] + [-1, -1])
FRACTIONS, WHOLES = np.array([20.0, 4.0]), np.array([2.0, 5.0, 10.0])


def counted(*values: float) -> tuple[list[int], list[int]]:
    """Who needs 0, 1, 2, 3 and more decimals, and who is a multiple of 1/20, 1/4, 2, 5 and 10."""
    numbers = np.array(values)
    counts, multiples = np.zeros(5, dtype=np.int64), np.zeros(5, dtype=np.int64)
    count_decimals(numbers, numbers.view(np.int64), POWERS, ROOM, DIGITS, FRACTIONS, WHOLES, counts, multiples)
    return counts.tolist(), multiples.tolist()


@pytest.mark.parametrize(
    ("value", "decimals"),
    [
        (7.0, 0),
        (-7.0, 0),
        (0.5, 1),
        (-0.1, 1),
        (12.34, 2),
        (0.001, 3),
        (-99.125, 3),
        (0.0005, 4),
        (1 / 3, 4),
        (999_999.0, 0),
        (1_000_000.0, 4),  # too many digits
        (2.0**52, 0),  # numbers that have no fraction, whatever their digits
        (2.0**52 - 1, 4),
        (2.0**51 + 0.5, 4),
        (99_999.5, 1),
        (999_999.5, 4),  # a decimal more would be a digit too many
        (100_000.5, 4),  # as many as are not told any more
        (9_999.25, 2),
        (9_999.125, 4),
        (600.125, 3),  # where there is room for one decimal more than for all numbers of its exponent
        (1000.125, 4),
    ],
)
def test_a_number_needs_the_decimals_that_give_it_back(value: float, decimals: int) -> None:
    expected = [0] * 5
    expected[decimals] = 1
    assert counted(value)[0] == expected


@pytest.mark.parametrize(
    ("value", "multiples"),
    [
        (10.0, [1, 1, 1, 1, 1]),
        (-15.0, [1, 1, 0, 1, 0]),
        (4.0, [1, 1, 1, 0, 0]),
        (0.25, [1, 1, 0, 0, 0]),
        (0.15, [1, 0, 0, 0, 0]),
        (-0.75, [1, 1, 0, 0, 0]),
        (0.01, [0, 0, 0, 0, 0]),
        (1 / 3, [0, 0, 0, 0, 0]),
        (49_999.0, [1, 1, 0, 0, 0]),
        (50_000.0, [0, 1, 1, 1, 1]),  # a million twentieths are too many digits, quarters are not
        (250_000.0, [0, 0, 1, 1, 1]),
    ],
)
def test_a_number_is_a_multiple_of_steps(value: float, multiples: list[int]) -> None:
    assert counted(value)[1] == multiples


def test_counts_add_up() -> None:
    counts, multiples = counted(1.0, 2.0, 0.5, 0.25, 0.001, 10.0)
    assert counts == [3, 1, 1, 1, 0]
    assert multiples == [5, 5, 2, 1, 1]


def rounded(values: list[float], below: int, above: int) -> tuple[list[float], list[int]]:
    """Round to some decimals below ten, others from ten on; −9 where nothing is written."""
    numbers = np.array(values)
    limits, places = np.full(2048, 10.0), np.tile(np.array([below, above]), (2048, 1))
    out, close = np.full(numbers.size, -9.0), np.full(numbers.size, -9)
    n_close = round_by_size(numbers, numbers.view(np.int64), limits, places, POWERS, out, close)
    assert (close[n_close:] == -9).all()
    return out.tolist(), close[:n_close].tolist()


def as_text(value: float, decimals: int) -> float:
    return float(Decimal(value).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN))


def test_numbers_are_rounded_by_which_side_of_a_power_of_ten_they_are_on() -> None:
    values = [1.2346, 9.99996, 12.346, -1.2346, -12.346, 0.0, 123.456]
    assert rounded(values, 3, 1) == ([as_text(x, 3 if abs(x) < 10 else 1) for x in values], [])
    assert rounded([1.5, 2.5, 14.5, -2.5], 0, 0) == ([2.0, 2.0, 14.0, -2.0], [])
    assert rounded([4.0, 5.1, 25.0, 351.0, 250.0, 350.0], -1, -2) == ([0.0, 10.0, 0.0, 400.0, 200.0, 400.0], [])


def test_what_is_nearly_a_power_of_ten_is_left_to_the_caller() -> None:
    values = [3.25, 10.0, -10.0, 10.0 * (1 + 0.9e-13), 10.0 * (1 - 0.9e-13), 10.0 * (1 + 2e-13), 10.0 * (1 - 2e-13)]
    out, close = rounded(values, 1, 1)
    assert close == [1, 2, 3, 4]
    assert out == [3.2, -9.0, -9.0, -9.0, -9.0, 10.0, 10.0]


def test_more_decimals_than_there_are_powers_and_what_is_no_number_change_nothing() -> None:
    assert rounded([1.23456, 77.7], 4, -4) == ([1.23456, 77.7], [])
    assert rounded([1.23456, 1777.7], 3, -3) == ([1.235, 2000.0], [])
    assert rounded([1.7e308, -1.7e308], 3, 3) == ([1.7e308, -1.7e308], [])
    out, close = rounded([np.nan, np.inf], 1, 1)
    assert np.isnan(out[0])
    assert out[1] == np.inf
    assert close == []


def test_the_exponent_of_a_number_says_which_limit_is_its_own() -> None:
    numbers = np.array([1.26, 2.26, -2.26, 4.26])
    limits, places = np.full(2048, 3.0), np.zeros((2048, 2), dtype=np.int64)
    places[1023], places[1024], places[1025] = (1, 9), (2, 0), (9, 1)
    out = np.empty(4)
    assert round_by_size(numbers, numbers.view(np.int64), limits, places, POWERS, out, np.empty(4, np.int64)) == 0
    assert out.tolist() == [1.3, 2.26, -2.26, 4.3]
