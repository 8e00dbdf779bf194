"""What is known of columns of numbers before they are measured."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.linkage.shared.coordinates import Coordinates, Spread, SpreadOf, doubt, grain_of


@pytest.mark.parametrize("n", [0, 1, 511, 512, 513, 2000])
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_extremes_are_those_of_the_values_that_are_there(n, share):
    rng = np.random.default_rng(n)
    numbers = rng.normal(size=(n, 3))
    numbers[rng.random((n, 3)) < share] = np.nan
    spread = Spread.of(numbers)
    for column, low, high, absent in zip(numbers.T, spread.low, spread.high, spread.absent, strict=True):
        values = column[~np.isnan(column)]
        assert (low, high) == (values.min(initial=np.inf), values.max(initial=-np.inf))
        assert absent == n - values.size
    assert spread.absent.dtype == np.int64


def plain(spread):
    return {name: np.asarray(getattr(spread, name)).tolist() for name in FIELDS}


FIELDS = ("records", "absent", "mean", "deviation", "together", "low", "high")
NUMBERS = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 8.0], [7.0, 2.0]])


def test_statistics_by_hand():
    whole = Spread.of(NUMBERS[[0, 2, 3]][:, :1])
    assert plain(whole) == {
        "records": 3,
        "absent": [0],
        "mean": [pytest.approx(13 / 3)],
        "deviation": [pytest.approx(np.sqrt(56) / 3)],
        "together": [[pytest.approx(56 / 9)]],
        "low": [1.0],
        "high": [7.0],
    }
    gaps = Spread.of(NUMBERS)
    assert (gaps.records, gaps.absent.tolist(), gaps.mean.tolist()) == (4, [0, 1], [4.0, 4.0])
    assert gaps.deviation == pytest.approx(np.sqrt([5.0, 8.0]))
    assert (gaps.low.tolist(), gaps.high.tolist()) == ([1.0, 2.0], [7.0, 8.0])
    # A gap lies at the mean: its column then spreads less, and its values stay.
    filled = gaps.filled()
    assert (filled.absent.tolist(), filled.mean.tolist(), filled.records) == ([0, 0], [4.0, 4.0], 4)
    assert filled.deviation == pytest.approx(np.sqrt([5.0, 6.0]))
    assert (filled.low.tolist(), filled.high.tolist()) == ([1.0, 2.0], [7.0, 8.0])
    assert filled.together.tolist() == gaps.together.tolist()


def test_a_column_without_values_is_filled_with_nothing():
    spread = Spread.of(np.array([[np.nan, 1.0], [np.nan, 3.0]]))
    assert (spread.absent.tolist(), spread.low.tolist(), spread.high.tolist()) == (
        [2, 0],
        [np.inf, 1.0],
        [-np.inf, 3.0],
    )
    filled = spread.filled()
    for name, values in (("mean", [0, 2]), ("deviation", [0, 1]), ("low", [0, 1]), ("high", [0, 3])):
        assert getattr(filled, name).tolist() == values
    assert plain(Spread.of(np.empty((0, 1)))) == {
        "records": 0,
        "absent": [0],
        "mean": [0.0],
        "deviation": [0.0],
        "together": [[0.0]],
        "low": [np.inf],
        "high": [-np.inf],
    }


@pytest.mark.parametrize("cut", range(8))
def test_blocks_add_up_wherever_they_are_cut(cut):
    # A column without gaps, one whose values are all in one block, one with gaps in either.
    numbers = np.array(
        [[1, np.nan, 4], [3, np.nan, np.nan], [4, np.nan, 1], [8, 2, 5], [9, 6, np.nan], [9, 7, 5], [0, 9, 2]], float
    )
    whole = Spread.of(numbers)
    for merged in (
        Spread.of(numbers[:cut]).merge(Spread.of(numbers[cut:])),
        Spread.of(numbers[cut:]).merge(Spread.of(numbers[:cut])),
    ):
        for name in ("records", "absent", "mean", "deviation", "low", "high"):
            assert getattr(merged, name) == pytest.approx(getattr(whole, name)), name
    without = numbers[:, :1]
    both = Spread.of(without[:cut]).merge(Spread.of(without[cut:]))
    assert both.together == pytest.approx(Spread.of(without).together)


def test_some_columns_are_those_columns():
    numbers = np.random.default_rng(0).normal(size=(9, 3))
    assert plain(Spread.of(numbers).of_columns([2, 0])) == {
        name: pytest.approx(values) if name not in ("records", "together") else values
        for name, values in plain(Spread.of(numbers[:, [2, 0]])).items()
    } | {"together": [[pytest.approx(x) for x in row] for row in Spread.of(numbers[:, [2, 0]]).together.tolist()]}


def test_both_files_are_summarised_and_added_up():
    first, second = np.array([[1.0], [2.0], [6.0]]), np.array([[4.0], [4.0], [9.0]])
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])
    question = SpreadOf(("x",))
    assert question.original == question.released == ("x",)
    parts = []
    for rows in (slice(0, 1), slice(1, 3)):
        sides = [
            Microdata(pl.DataFrame({"x": side[rows, 0], "y": [0.0] * len(side[rows])}), schema)
            for side in (first, second)
        ]
        parts.append(question.summarise(SimpleNamespace(original=sides[0], release=sides[1])))
    both = parts[0].merge(parts[1])
    for merged, whole in ((both.first, first), (both.second, second)):
        assert (merged.records, merged.mean.tolist()) == (3, pytest.approx(whole.mean(axis=0).tolist()))
        assert merged.deviation == pytest.approx(whole.std(axis=0))


def test_coordinates_are_deviations_of_the_first_file_from_its_mean():
    first, second = np.array([[0.0, 5.0], [4.0, 5.0]]), np.array([[2.0, 7.0]])
    found = Coordinates.after(Spread.of(first), Spread.of(second), np.array([3.0, 0.5]), whiten=False)
    # A column that does not vary is measured in its own unit.
    assert (found.middle.tolist(), found.spread.tolist(), found.axes) == ([2.0, 5.0], [2.0, 1.0], None)
    assert found.of(first).tolist() == [[-3.0, 0.0], [3.0, 0.0]]
    assert found.of(second).tolist() == [[0.0, 1.0]]
    assert found.grain.tolist() == [3.0 * 2.0**-51, 0.5 * 5.0 * 2.0**-51]


@pytest.mark.parametrize("width", [1, 3])
def test_whitened_coordinates_have_no_correlation(width):
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=(50, width)) @ rng.normal(size=(width, width)) + 7
    found = Coordinates.after(Spread.of(numbers), Spread.of(numbers[:5]), np.ones(width), whiten=True)
    points = found.of(numbers)
    assert points.T @ points / 50 == pytest.approx(np.eye(width), abs=1e-9)
    # Distances are those of Mahalanobis.
    gap = numbers[3] - numbers[8]
    inverse = np.linalg.inv(np.atleast_2d(np.cov(numbers.T, ddof=0)))
    assert ((points[3] - points[8]) ** 2).sum() == pytest.approx(gap @ inverse @ gap)
    by = Coordinates.after(Spread.of(numbers), Spread.of(numbers[:5]), np.full(width, 2.0), whiten=True)
    assert by.of(numbers) == pytest.approx(2 * points)
    assert by.grain == pytest.approx(2 * found.grain)


def test_what_does_not_vary_has_no_distance():
    x = np.arange(6.0)
    numbers = np.column_stack([x, 2 * x])
    found = Coordinates.after(Spread.of(numbers), Spread.of(numbers), np.ones(2), whiten=True)
    apart = found.of(np.array([[0.0, 9.0]])) - found.of(np.array([[9.0, 0.0]]))
    along = found.of(numbers[[5]]) - found.of(numbers[[0]])
    assert (along**2).sum() == pytest.approx(25 / x.var())
    # Away from the line, only the way along it counts.
    mixed = (0.0 - 9.0) / x.std() + (9.0 - 0.0) / (2 * x).std()
    assert (apart**2).sum() == pytest.approx((mixed / 2) ** 2)


def test_the_grain_of_whitened_coordinates_grows_with_the_farthest_value_of_either_file():
    first, far = np.array([[1.0], [3.0]]), np.array([[2.0], [102.0]])
    # Middle 2, deviation 1: the grain is 2 · 2^−52 · 2, and the farthest value lies 100 away.
    for spreads, farthest in (((first, first), 1.0), ((first, far), 100.0)):
        found = Coordinates.after(*(Spread.of(one) for one in spreads), np.ones(1), whiten=True)
        assert found.grain == pytest.approx([2.0**-52 * (4.0 + 9.0 * farthest)], rel=1e-12)


def test_rounding_of_numbers_and_of_coordinates():
    assert grain_of(np.array([-8.0, 0.0]), np.array([4.0, 1.0])).tolist() == [2.0**-50, 0.0]
    assert doubt(np.array([-2.0, 1.0]), np.array([0.0, 2.0**-52])).tolist() == [18 * 2.0**-52, 10 * 2.0**-52]
