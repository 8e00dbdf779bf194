"""Cells that other columns determine, one relation after the other."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.measures.risk.determined import ReleasedColumn, determined_by_columns
from discreet.typing import FloatArray

N = 60


def column(name: str, values: FloatArray, *, numeric: bool = True, hidden: int = 0) -> ReleasedColumn:
    """A column whose first cells are masked, and the others known to be as they were."""
    masked = np.arange(values.size) < hidden
    after = np.where(masked, values + 1, values)
    return ReleasedColumn(name, numeric, values.astype(float), after, masked, ~masked)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def test_ranks_levels_and_agreement_by_hand() -> None:
    one = column("a", np.array([5.0, np.nan, 2.0, 5.0]))
    assert one.ranks.tolist() == [1, 2, 0, 1]
    assert one.levels == 3
    assert one.agreement == pytest.approx((1 + 4 + 1) / 16)
    assert column("a", np.array([0.25, 1.5, 2.0])).grain.unit == pytest.approx(0.25, abs=0.25)


def test_equal_codes_give_equal_values_and_missing_is_a_value(rng: np.random.Generator) -> None:
    town = rng.integers(0, 8, N).astype(float)
    region = np.where(town < 4, 0.0, 1.0)
    region[town == 7] = np.nan
    target = column("region", region, numeric=False, hidden=N)
    claims, sources = determined_by_columns(target, [column("noise", rng.normal(size=N)), column("town", town)])
    assert sources == ["town"]
    np.testing.assert_array_equal(claims, region)
    region = region.copy()
    region[-1] = 1.0 - np.nan_to_num(region[-1])  # one exception, beyond what the first look sees in long columns
    claims, sources = determined_by_columns(column("region", region, numeric=False, hidden=N), [column("town", town)])
    assert sources == []
    assert np.isnan(claims).all()


def test_an_exception_behind_the_first_records_is_one(rng: np.random.Generator) -> None:
    town = rng.integers(0, 8, 1000).astype(float)
    region = np.where(town < 4, 0.0, 1.0)
    target = column("region", region, numeric=False, hidden=1000)
    assert determined_by_columns(target, [column("town", town)])[1] == ["town"]
    region = region.copy()
    region[900] = 1.0 - region[900]
    target = column("region", region, numeric=False, hidden=1000)
    assert determined_by_columns(target, [column("town", town)])[1] == []


def test_codes_that_agree_by_chance_are_none() -> None:
    # Two values, each of half the records: 2^-20 is less than one in a million, 2^-19 is more.
    for confirmed, there in ((19, False), (20, True)):
        codes = np.r_[np.zeros(confirmed + 1), np.arange(1, 41)]
        values = (np.arange(codes.size) >= codes.size // 2).astype(float)
        target = column("v", values, numeric=False, hidden=values.size)
        assert (determined_by_columns(target, [column("c", codes, numeric=False)])[1] == ["c"]) == there
    # A key of its own for every record confirms nothing.
    target = column("v", np.tile([0.0, 1.0], 30), numeric=False, hidden=60)
    assert determined_by_columns(target, [column("id", np.arange(60.0), numeric=False)])[1] == []


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_monotone_function_tells_all_and_an_exception_ends_it(rng: np.random.Generator, sign: float) -> None:
    age = rng.permutation(N) / 7.0
    secret = sign * age**3
    secret[3], age[3] = np.nan, np.nan
    claims, sources = determined_by_columns(column("s", secret, hidden=N), [column("age", age)])
    assert sources == ["age"]
    np.testing.assert_array_equal(claims, secret)
    crossed = age.copy()
    crossed[[10, 11]] = crossed[[11, 10]]
    assert determined_by_columns(column("s", secret, hidden=N), [column("age", crossed)])[1] == []
    other = age.copy()
    other[3], other[4] = other[4], np.nan  # missing elsewhere
    assert determined_by_columns(column("s", secret, hidden=N), [column("age", other)])[1] == []
    words = column("age", age, numeric=False)
    assert determined_by_columns(column("s", secret, hidden=N), [words])[1] == []


@pytest.mark.parametrize(("levels", "there"), [(19, False), (20, True)])
def test_few_different_numbers_rise_together_by_chance(levels: int, there: bool) -> None:
    up = np.arange(levels, dtype=float)
    assert (determined_by_columns(column("s", up**3, hidden=levels), [column("a", up)])[1] == ["a"]) == there


def test_a_sum_is_found_by_its_own_columns_and_told_where_all_of_them_are_shown(rng: np.random.Generator) -> None:
    wage, rent, other = (rng.normal(100, 30, N) for _ in range(3))
    total = wage + 2 * rent - 40
    sources = [column("wage", wage), column("other", other), column("rent", rent, hidden=7), column("one", np.ones(N))]
    claims, names = determined_by_columns(column("total", total, hidden=N), sources)
    assert names == ["wage", "rent"]
    assert np.isnan(claims[:7]).all()
    np.testing.assert_allclose(claims[7:], total[7:], rtol=1e-9)
    whole = [column("wage", wage), column("rent", rent)]
    claims, names = determined_by_columns(column("total", total, hidden=N), whole)
    assert names == ["wage", "rent"]
    np.testing.assert_allclose(claims, total, rtol=1e-9)
    total[5] += 20.0
    assert determined_by_columns(column("total", total, hidden=N), whole)[1] == []


def test_a_sum_needs_twenty_records_beyond_its_coefficients(rng: np.random.Generator) -> None:
    for n, there in ((22, False), (23, True)):
        a, b = rng.normal(size=n), rng.normal(size=n)
        target = column("t", a + b, hidden=n)
        assert (determined_by_columns(target, [column("a", a), column("b", b)])[1] == ["a", "b"]) == there, n


def test_missing_cells_of_a_sum_stay_unknown(rng: np.random.Generator) -> None:
    a, b = rng.normal(size=N), rng.normal(size=N)
    total = a + b
    a[4], total[9] = np.nan, np.nan
    claims, names = determined_by_columns(column("t", total, hidden=N), [column("a", a), column("b", b)])
    assert names == ["a", "b"]
    assert np.isnan(claims[4])
    assert claims[9] == pytest.approx(a[9] + b[9])


def test_a_product_is_found_within_rounding_and_told_where_its_columns_are_shown(rng: np.random.Generator) -> None:
    hours, rate = rng.integers(10, 60, N).astype(float), rng.uniform(10, 60, N).round(2)
    pay = (hours * rate).round(2)
    sources = [column("noise", rng.normal(size=N)), column("hours", hours), column("rate", rate, hidden=5)]
    claims, names = determined_by_columns(column("pay", pay, hidden=N), sources)
    assert names == ["hours", "rate"]
    assert np.isnan(claims[:5]).all()
    np.testing.assert_allclose(claims[5:], pay[5:], atol=0.011)
    words = [column("hours", hours, numeric=False), column("rate", rate)]
    assert determined_by_columns(column("pay", pay, hidden=N), words)[1] == []


def sub_totals(rng: np.random.Generator, units: int = 24) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Units of three members, what each has, and the total of its unit."""
    unit = np.repeat(np.arange(units, dtype=float), 3)
    amount = rng.integers(1, 100_000, unit.size).astype(float)
    return unit, amount, np.bincount(unit.astype(int), weights=amount)[unit.astype(int)]


def test_the_last_unknown_cell_of_a_unit_follows_from_its_total(rng: np.random.Generator) -> None:
    unit, amount, total = sub_totals(rng)
    order = rng.permutation(unit.size)
    unit, amount, total = unit[order], amount[order], total[order]
    member = np.zeros(unit.size, dtype=int)
    for one in range(24):
        member[np.flatnonzero(unit == one)] = np.arange(3)
    masked = ((unit < 10) & (member == 0)) | ((unit >= 10) & (member <= 1))  # one of three, or two
    target = ReleasedColumn("amount", True, amount, np.where(masked, 0.0, amount), masked, ~masked)
    others = [column("noise", rng.normal(size=unit.size)), column("unit", unit), column("total", total)]
    claims, names = determined_by_columns(target, others)
    assert names == ["total", "unit"]
    np.testing.assert_array_equal(np.isnan(claims), ~(masked & (unit < 10)))
    np.testing.assert_allclose(claims[masked & (unit < 10)], amount[masked & (unit < 10)])
    spoilt = total.copy()
    spoilt[0] += 1.0
    assert determined_by_columns(target, [column("unit", unit), column("total", spoilt)])[1] == []
    hidden = [column("unit", unit), column("total", total, hidden=1)]  # a total that is not shown whole
    assert determined_by_columns(target, hidden)[1] == []
    lacking = amount.copy()
    lacking[2] = np.nan
    target = ReleasedColumn("amount", True, lacking, lacking, masked, ~masked)
    assert determined_by_columns(target, others)[1] == []


@pytest.mark.parametrize(("units", "there"), [(19, False), (20, True)])
def test_few_units_confirm_no_total(rng: np.random.Generator, units: int, there: bool) -> None:
    unit, amount, total = sub_totals(rng, units)
    masked = np.arange(unit.size) % 3 == 0
    target = ReleasedColumn("amount", True, amount, amount, masked, ~masked)
    found = determined_by_columns(target, [column("unit", unit, numeric=False), column("total", total)])
    assert (found[1] == ["total", "unit"]) == there
    assert np.isfinite(found[0]).sum() == (units if there else 0)


@pytest.mark.parametrize("off", [0.0, 1.0])
def test_a_total_that_fails_behind_the_first_records_is_none(rng: np.random.Generator, off: float) -> None:
    unit, amount, total = sub_totals(rng, 200)
    total[-1] += off  # of 600 records the last
    masked = np.arange(unit.size) % 3 == 0
    target = ReleasedColumn("amount", True, amount, amount, masked, ~masked)
    found = determined_by_columns(target, [column("unit", unit, numeric=False), column("total", total)])
    assert found[1] == ([] if off else ["total", "unit"])


def test_a_column_of_one_value_is_no_secret() -> None:
    claims, names = determined_by_columns(column("a", np.full(N, 3.0), hidden=N), [column("b", np.full(N, 3.0))])
    assert names == []
    assert np.isnan(claims).all()


def test_what_is_the_same_everywhere_is_told_by_no_column(rng: np.random.Generator) -> None:
    a, b = column("a", rng.normal(size=N)), column("b", rng.normal(size=N))
    claims, sources = determined_by_columns(column("t", np.full(N, 3.0), hidden=N), [a, b])
    assert sources == []
    assert np.isnan(claims).all()
    same = [column("one", np.ones(N)), column("two", np.full(N, 2.0))]
    assert determined_by_columns(column("t", rng.normal(size=N), hidden=N), same)[1] == []
    assert determined_by_columns(column("t", rng.normal(size=N), hidden=N), [])[1] == []
