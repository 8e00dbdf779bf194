from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import operators_numeric as reference

from discreet.errors import DataError, ParameterError, UnknownNameError
from discreet.operators import (
    ArithmeticMean,
    Generator,
    NumericMedian,
    NumericOrderStatistic,
    QuasiArithmeticMean,
    QuasiWeightedMean,
    TrimmedMean,
    WeightedMean,
    as_generator,
    exponential_generator,
    power_generator,
)
from discreet.operators.numbers import means

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)


@given(NUMBERS)
def test_means_and_medians_agree_with_their_definitions(values: list[float]) -> None:
    assert ArithmeticMean()(values) == pytest.approx(reference.mean(values), abs=1e-6)
    assert NumericMedian()(values) == pytest.approx(reference.median(values), abs=1e-9)
    assert NumericMedian("lower")(values) == sorted(values)[(len(values) - 1) // 2]
    assert NumericMedian("upper")(values) == sorted(values)[len(values) // 2]
    cut = int(0.2 * len(values) + 1e-9)
    assert TrimmedMean(0.2)(values) == pytest.approx(reference.trimmed_mean(values, cut), abs=1e-6)


@given(NUMBERS, st.data())
def test_order_statistics_pick_from_the_sorted_values(values: list[float], data) -> None:
    rank = data.draw(st.integers(1, len(values)))
    assert NumericOrderStatistic(rank)(values) == sorted(values)[rank - 1]
    assert NumericOrderStatistic(-rank)(values) == sorted(values)[-rank]


@pytest.mark.parametrize("size", [15, 16, 17, 31, 32, 33, 48, 100, 1000, 4097])
def test_long_groups_are_sorted_by_merging_runs(size: int) -> None:
    rng = np.random.default_rng(size)
    values = rng.integers(0, size // 2, size).astype(float)
    assert NumericMedian()(values) == np.median(values)
    assert [NumericOrderStatistic(rank)(values) for rank in (1, size // 3, size)] == [
        np.sort(values)[rank - 1] for rank in (1, size // 3, size)
    ]


def test_equal_values_give_that_value_to_the_last_bit() -> None:
    for size in range(1, 30):
        assert ArithmeticMean()([0.1] * size) == 0.1
        assert WeightedMean()([0.1] * size, np.arange(1, size + 1)) == 0.1
        assert QuasiArithmeticMean("log")([0.1] * size) == 0.1
        assert TrimmedMean(0.3)([0.1] * size) == 0.1


def test_the_trimmed_share_is_counted_in_decimals() -> None:
    values = list(range(30))
    assert TrimmedMean(0.1)([*values[:27], 1e9, 1e9, 1e9]) == pytest.approx(np.mean(values[3:27]))


@given(st.lists(st.tuples(st.floats(0.01, 1e3), st.floats(0, 10)), min_size=1, max_size=20))
def test_weighted_and_quasi_means_agree_with_their_definitions(pairs: list[tuple[float, float]]) -> None:
    values, weights = [value for value, _ in pairs], [weight + 0.01 for _, weight in pairs]
    assert WeightedMean()(values, weights) == pytest.approx(reference.weighted_mean(values, weights))
    logs = [math.log(value) for value in values]
    assert QuasiArithmeticMean("log")(values) == pytest.approx(math.exp(reference.mean(logs)))
    assert QuasiWeightedMean("log")(values, weights) == pytest.approx(math.exp(reference.weighted_mean(logs, weights)))
    squares = [value**2 for value in values]
    assert QuasiArithmeticMean("power:2")(values) == pytest.approx(math.sqrt(reference.mean(squares)))


def test_power_means_grow_with_their_exponent() -> None:
    values = [1.0, 2.0, 7.0]
    means = [QuasiArithmeticMean(power_generator(exponent))(values) for exponent in (-3, -1, 0, 1, 2, 5)]
    assert means == sorted(means)
    assert means[3] == pytest.approx(10 / 3)
    assert QuasiArithmeticMean(exponential_generator(-50))(values) == pytest.approx(1, abs=0.05)


def test_own_weights_belong_to_sources() -> None:
    operator = WeightedMean([0.5, 0.25, 0.25])
    assert operator.batch(np.array([4.0, 0, 0, 0, 4, 4]), np.array([0, 3, 6])).tolist() == [2, 2]
    with pytest.raises(DataError, match="every collection must have 3 values; 1 of 1 have another number"):
        operator([1, 2])
    with pytest.raises(ParameterError, match="given twice"):
        operator([1, 2, 3], weights=[1, 1, 1])


def test_a_users_generator_is_checked() -> None:
    cube = Generator(lambda x: x**3, np.cbrt, label="cube")
    assert QuasiArithmeticMean(cube)([-1, 1]) == pytest.approx(0)
    with pytest.raises(ParameterError, match="square must be finite and strictly monotone"):
        as_generator(Generator(lambda x: x**2, np.sqrt, label="square"))
    with pytest.raises(ParameterError, match="the inverse of double does not undo it"):
        as_generator(Generator(lambda x: 2 * x, lambda y: y / 3, label="double"))


@pytest.mark.parametrize("text", ["power", "power:x", "exponential:", "log:2"])
def test_unreadable_generators_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="cannot be read"):
        as_generator(text)


def test_unknown_generators_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="no generator named 'sine'"):
        as_generator("sine")
    with pytest.raises(UnknownNameError, match="must be a Generator"):
        as_generator(3)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: QuasiArithmeticMean("log")([1, 0, -1]), DataError, "2 of 3 are not. Hint: The generator log"),
        (lambda: QuasiArithmeticMean("exponential:1")([1, 1000]), DataError, "overflows on 1 of 2 values"),
        (lambda: exponential_generator(0), ParameterError, "rate must not be 0"),
        (lambda: WeightedMean([0.5, 0.4]), ParameterError, "WeightedMean: weights must sum to 1; they sum to 0.9"),
        (lambda: WeightedMean([0.5, math.nan]), ParameterError, "weights must be finite; 1 are not"),
        (lambda: WeightedMean()([1, 2], [0, 0]), ParameterError, "at least one weight must be positive"),
        (lambda: WeightedMean()([1, 2], [1]), ParameterError, r"weights must have length 2; got shape \(1,\)"),
        (lambda: WeightedMean()([1, 2], ["a", 1]), ParameterError, "weights must be numbers"),
        (lambda: WeightedMean()(["a", 1]), DataError, "values must be numbers"),
        (lambda: WeightedMean()([[1, 2]]), DataError, "one-dimensional; got 2 dimensions"),
        (lambda: TrimmedMean(0.5), ParameterError, "proportion must be a number at least 0 and below 0.5; got 0.5"),
        (lambda: NumericMedian("middle"), ParameterError, "middle must be one of"),
        (lambda: NumericOrderStatistic(0), ParameterError, "rank"),
        (lambda: NumericOrderStatistic(3)([1, 2]), DataError, "1 of 1 collections have fewer"),
    ],
)
def test_bad_input_is_refused(make, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_a_group_without_weight_is_counted() -> None:
    with pytest.raises(ParameterError, match="1 of 2 collections have no positive weight"):
        WeightedMean().batch(np.ones(4), np.array([0, 2, 4]), np.array([1.0, 1, 0, 0]))


def test_many_values_are_summed_where_they_stand_with_the_same_result_and_the_same_refusals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(5)
    labels = rng.permutation(np.concatenate([np.arange(40), rng.integers(0, 40, 300)]))
    values = rng.lognormal(0, 20, labels.size)
    expected = ArithmeticMean().by_label(values, labels)
    monkeypatch.setattr(means, "_MANY", 1)
    assert np.array_equal(ArithmeticMean().by_label(values, labels), expected)
    assert np.array_equal(ArithmeticMean().by_label(values, labels, n_groups=40), expected)
    assert np.array_equal(ArithmeticMean().by_label(values[::2], labels[::2] // 4), [
        ArithmeticMean()(values[::2][labels[::2] // 4 == label]) for label in range(10)
    ])  # fmt: skip
    for wrong, message in ((labels + 1, "empty"), (labels - 1, "from 0"), (labels[1:], "one for each value")):
        with pytest.raises(DataError, match=message):
            ArithmeticMean().by_label(values, wrong)
    with pytest.raises(DataError, match="from 0"):
        ArithmeticMean().by_label(values, labels, n_groups=39)
    with pytest.raises(DataError, match="1 of 41 collections are empty"):
        ArithmeticMean().by_label(values, labels, n_groups=41)
    with pytest.raises(DataError, match="missing or infinite"):
        ArithmeticMean().by_label(np.where(labels == 3, np.nan, values), labels)
