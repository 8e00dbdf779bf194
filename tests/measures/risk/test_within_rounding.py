"""Formulas that hold but for rounding: which columns they are of, and what they give."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.data.scales.precision import fineness
from discreet.measures.risk.within_rounding import MOST_COLUMNS, formula_within_rounding
from discreet.typing import FloatArray

N = 120


def formula(target: FloatArray, *columns: FloatArray) -> tuple[tuple[int, ...], FloatArray] | None:
    """The formula of a column, whose steps are read off as the measure does."""
    block = np.stack(columns, axis=1)
    return formula_within_rounding(target, fineness(target), block, [fineness(column) for column in columns])


def agreement(values: FloatArray, target: FloatArray) -> float:
    return float((np.abs(values - target) < 1e-9).mean())


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def test_a_share_with_an_allowance_comes_back_in_whole_units(rng: np.random.Generator) -> None:
    income, noise = rng.integers(10_000, 90_000, N).astype(float), rng.normal(size=N)
    tax = np.rint(0.2 * income - 1000)
    found = formula(tax, noise, income)
    assert found is not None
    assert found[0] == (1,)
    # A step of 1 where the median of what rounding leaves is off by a few hundredths.
    assert np.abs(found[1] - tax).max() <= 1
    assert agreement(found[1], tax) > 0.8
    assert np.array_equal(found[1], np.rint(found[1]))  # in the steps of the target


def test_a_sum_of_three_columns_is_found_and_one_of_four_is_none(rng: np.random.Generator) -> None:
    a, b, c, d = (rng.uniform(-50, 50, N).round(1) for _ in range(4))
    found = formula((a + 2 * b - c).round(), a, b, c, d)
    assert found is not None
    assert found[0] == (0, 1, 2)
    assert agreement(found[1], (a + 2 * b - c).round()) > 0.75
    assert formula((a + b + c + d).round(), a, b, c, d) is None


def test_products_ratios_and_powers_are_sums_of_logarithms(rng: np.random.Generator) -> None:
    weight, height = rng.uniform(45, 120, N).round(1), rng.uniform(1.5, 2.0, N).round(2)
    index = (weight / height**2).round(1)
    below_zero = rng.normal(size=N)
    found = formula(index, below_zero, weight, height)
    assert found is not None
    assert found[0] == (1, 2)  # places in the block, of which one column has no logarithm
    assert agreement(found[1], index) > 0.9
    # A factor, a square and a root: the powers are taken as what they are, whatever rounding makes of the slopes.
    side, depth = rng.uniform(2, 30, N).round(1), rng.uniform(2, 30, N).round(1)
    price = (3 * side**2 * np.sqrt(depth)).round(-1)
    found = formula(price, side, depth)
    assert found is not None
    assert found[0] == (0, 1)
    assert agreement(found[1], price) > 0.9
    root = np.sqrt(weight).round(3)
    found = formula(root, weight)
    assert found is not None
    assert agreement(found[1], root) > 0.95


def test_a_column_with_a_zero_has_no_logarithm(rng: np.random.Generator) -> None:
    hours, rate = rng.integers(10, 60, N).astype(float), rng.uniform(10, 60, N).round(2)
    pay = (hours * rate).round(2)
    assert formula(pay, hours, rate) is not None
    hours[0], pay[0] = 0.0, 1.0
    assert formula(pay, hours, rate) is None  # nor is it tried without that column alone
    hours[0], pay[0] = 20.0, 0.0
    assert formula(pay, hours, rate) is None  # and a target of 0 is no product


def test_records_with_a_missing_cell_are_left_out_and_get_what_their_other_cells_give(
    rng: np.random.Generator,
) -> None:
    hours, rate = rng.integers(10, 60, N).astype(float), rng.uniform(10, 60, N).round(2)
    pay = (hours * rate).round(2)
    pay[:30], hours[30:35] = np.nan, np.nan
    found = formula(pay, hours, rate)
    assert found is not None
    assert found[0] == (0, 1)
    assert np.isnan(found[1][30:35]).all()
    truth = (hours * rate).round(2)
    assert agreement(found[1][:30], truth[:30]) > 0.9  # a missing target is told as well
    assert agreement(found[1][35:], truth[35:]) > 0.9


@pytest.mark.parametrize(("complete", "there"), [(23, False), (24, True)])
def test_a_formula_needs_records_to_spare(rng: np.random.Generator, complete: int, there: bool) -> None:
    income = rng.integers(10_000, 90_000, N).astype(float)
    tax = np.rint(0.3 * income)
    tax[complete:] = np.nan
    assert (formula(tax, income) is not None) == there


def test_a_formula_holds_for_nineteen_records_in_twenty(rng: np.random.Generator) -> None:
    income = rng.integers(10_000, 90_000, 200).astype(float)
    tax = np.rint(0.2 * income)
    for wrong, there in ((8, True), (14, False)):
        spoilt = tax.copy()
        spoilt[:wrong] += 3.0  # so little that the regression stays where it is
        found = formula_within_rounding(spoilt, fineness(spoilt), income[:, None], [fineness(income)])
        assert (found is not None) == there, wrong


def test_what_a_guess_finds_as_well_is_no_formula(rng: np.random.Generator) -> None:
    few = np.zeros(N)
    few[: N // 2 - 1] = rng.integers(1, 9, N // 2 - 1)
    assert formula(few, few * 3 + 7) is None  # more than half are one number
    many = rng.integers(1, 9, N).astype(float)
    found = formula(many, many * 3 + 7)
    assert found is not None
    assert np.array_equal(found[1], many)
    # Where the steps of the other column are so coarse that one number is within them of most records.
    assert formula(np.rint(rng.normal(0, 3, N)), np.rint(rng.normal(0, 2, N)) * 10) is None


def test_columns_that_do_not_vary_or_have_nothing_to_do_with_it_give_nothing(rng: np.random.Generator) -> None:
    target = rng.uniform(1, 9, N).round(2)
    assert formula(target, np.full(N, 4.0)) is None
    assert formula(target, rng.normal(size=N), rng.uniform(1, 9, N)) is None
    assert formula(np.full(N, 4.0), target) is None
    found = formula(target, np.full(N, 4.0), target * 2)
    assert found is not None
    assert found[0] == (1,)
    assert agreement(found[1], target) == 1.0


def test_of_many_columns_those_with_the_largest_part_are_tried(rng: np.random.Generator) -> None:
    noise = [rng.normal(size=N) for _ in range(MOST_COLUMNS + 3)]
    balance = rng.integers(-90_000, 90_000, N).astype(float)
    found = formula(np.rint(0.2 * balance), *noise, balance)
    assert found is not None
    assert found[0] == (MOST_COLUMNS + 3,)
