from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from discreet.errors import ParameterError, UnknownNameError
from discreet.operators import (
    NAMED_QUANTIFIERS,
    Interpolated,
    Linear,
    PiecewiseLinear,
    Power,
    Quantifier,
    Sigmoid,
    Threshold,
    as_quantifier,
    check_quantifier,
    parse_quantifier,
    quantifier_with_orness,
)

FAMILIES = [
    Power(0.2),
    Power(1.0),
    Power(5.0),
    Sigmoid(0.0),
    Sigmoid(0.3),
    Sigmoid(1.0, slope=40.0),
    Threshold(0.0),
    Threshold(0.35),
    Linear(0.3, 0.8),
    PiecewiseLinear([(0.2, 0.1), (0.2, 0.4), (0.9, 0.5)]),
    Interpolated([0.1, 0.0, 0.6, 0.3]),
    Interpolated([0.1, 0.0, 0.6, 0.3], smooth=True),
    *NAMED_QUANTIFIERS.values(),
]


@pytest.mark.parametrize("quantifier", FAMILIES, ids=repr)
def test_every_family_is_a_quantifier(quantifier: Quantifier) -> None:
    check_quantifier(quantifier)
    assert quantifier.proper


@pytest.mark.parametrize("quantifier", FAMILIES, ids=repr)
def test_weights_are_weights(quantifier: Quantifier) -> None:
    for m in (1, 2, 7, 50):
        weights = quantifier.weights(m)
        assert weights.shape == (m,)
        assert weights.min() >= 0
        assert weights.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("quantifier", FAMILIES, ids=repr)
def test_orness_tends_to_the_area(quantifier: Quantifier) -> None:
    area = quad(quantifier, 0, 1, points=[0.2, 0.25, 0.35, 0.5, 0.75], limit=500)[0]
    assert quantifier.orness() == pytest.approx(area, abs=1e-4)
    assert quantifier.orness(2000) == pytest.approx(area, abs=1e-3)
    assert quantifier.orness(7) + quantifier.andness(7) == pytest.approx(1)


def test_orness_of_the_extremes() -> None:
    assert NAMED_QUANTIFIERS["at least one"].orness(9) == 1.0
    assert NAMED_QUANTIFIERS["all"].orness(9) == 0.0
    assert NAMED_QUANTIFIERS["all"].orness() == 0.0
    assert NAMED_QUANTIFIERS["about half"].orness(9) == pytest.approx(0.5)


def test_weights_of_the_extremes() -> None:
    assert NAMED_QUANTIFIERS["all"].weights(3).tolist() == [0, 0, 1]
    assert NAMED_QUANTIFIERS["at least one"].weights(3).tolist() == [1, 0, 0]


def test_sigmoid_has_two_readings() -> None:
    plain, pinned = Sigmoid(0.5, ends="plain"), Sigmoid(0.5)
    assert plain(0.2) == pinned(0.2) == pytest.approx(1 / (1 + math.exp(3)))
    assert (pinned(0), pinned(1)) == (0.0, 1.0)
    assert plain(0) == pytest.approx(1 / (1 + math.exp(5)))
    assert not plain.proper
    assert plain.weights(10).sum() == pytest.approx(plain(1) - plain(0))


def test_threshold_is_closed_from_below_even_for_cumulated_decimals() -> None:
    assert Threshold(0.3)(0.3) == 0.0
    assert Threshold(0.3)(0.1 + 0.1 + 0.1) == 0.0
    assert Threshold(0.3)(0.31) == 1.0


def test_the_end_is_reached_even_by_cumulated_decimals() -> None:
    almost = sum([0.1] * 10)
    assert almost < 1
    assert Sigmoid(0.5)(almost) == NAMED_QUANTIFIERS["all"](almost) == Threshold(0.99)(almost) == 1.0


@given(st.lists(st.integers(0, 20), min_size=1, max_size=12).filter(any), st.booleans())
def test_interpolation_goes_through_the_cumulated_weights_and_never_falls(counts: list[int], smooth: bool) -> None:
    vector = np.array(counts) / sum(counts)
    quantifier = Interpolated(vector.tolist(), smooth=smooth)
    n = len(counts)
    assert quantifier(np.arange(1, n + 1) / n) == pytest.approx(np.cumsum(vector), abs=1e-9)
    assert quantifier.weights(n) == pytest.approx(vector, abs=1e-9)
    fine = quantifier(np.linspace(0, 1, 997))
    assert np.diff(fine).min() >= -1e-12


@pytest.mark.parametrize("smooth", [False, True])
def test_interpolation_of_equal_weights_is_the_identity(smooth: bool) -> None:
    x = np.linspace(0, 1, 101)
    assert Interpolated([0.2] * 5, smooth=smooth)(x) == pytest.approx(x, abs=1e-12)


def test_smooth_interpolation_has_a_continuous_slope() -> None:
    quantifier = Interpolated([0.1, 0.5, 0.4], smooth=True)
    for knot in (1 / 6, 1 / 3, 1 / 2, 2 / 3):
        before = (quantifier(knot) - quantifier(knot - 1e-7)) / 1e-7
        after = (quantifier(knot + 1e-7) - quantifier(knot)) / 1e-7
        assert before == pytest.approx(after, abs=1e-4)


@pytest.mark.parametrize("orness", [0.01, 0.3, 0.5, 0.77, 0.99])
@pytest.mark.parametrize("m", [None, 2, 9])
def test_a_wanted_orness_is_reached_by_powers(orness: float, m: int | None) -> None:
    assert quantifier_with_orness(orness, m=m).orness(m) == pytest.approx(orness, abs=1e-9)


def test_a_wanted_orness_in_other_families() -> None:
    assert quantifier_with_orness(0.6, family="threshold").orness() == pytest.approx(0.6)
    assert quantifier_with_orness(0.6, family="sigmoid", m=5).orness(5) == pytest.approx(0.6)
    with pytest.raises(ParameterError, match="cannot reach orness 0.999"):
        quantifier_with_orness(0.999, family="sigmoid")
    with pytest.raises(ParameterError, match="m must be None"):
        quantifier_with_orness(0.5, family="threshold", m=3)
    with pytest.raises(ParameterError, match="orness must be a number above 0 and below 1; got 1"):
        quantifier_with_orness(1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("power:2", Power(2.0)),
        (" Power: 0.5", Power(0.5)),
        ("sigmoid:0.4", Sigmoid(0.4)),
        ("sigmoid:0.4,20", Sigmoid(0.4, 20.0)),
        ("plain-sigmoid:0.4", Sigmoid(0.4, ends="plain")),
        ("threshold:0.25", Threshold(0.25)),
        ("linear:0.3,0.8", Linear(0.3, 0.8)),
        ("points:0.5,0.2;0.6,0.9", PiecewiseLinear([(0.5, 0.2), (0.6, 0.9)])),
        ("weights:0.25,0.75", Interpolated([0.25, 0.75])),
        ("smooth-weights:0.25,0.75", Interpolated([0.25, 0.75], smooth=True)),
        ("at_least_one", Threshold(0.0)),
        ("About half", Linear(0.25, 0.75)),
    ],
)
def test_quantifiers_are_read_from_text(text: str, expected: Quantifier) -> None:
    assert parse_quantifier(text) == expected


@pytest.mark.parametrize("text", ["power", "power:two", "power:1,2,3", "linear:", "points:1;2", "sigmoid:"])
def test_unreadable_text_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="cannot be read"):
        parse_quantifier(text)


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="no quantifier named 'cubic'.*power"):
        parse_quantifier("cubic:1")


def test_a_function_becomes_a_quantifier() -> None:
    quantifier = as_quantifier(lambda x: x * x)
    assert quantifier.weights(4) == pytest.approx(Power(2).weights(4))
    assert quantifier.orness() == pytest.approx(1 / 3, abs=1e-6)
    assert as_quantifier(quantifier) is quantifier
    with pytest.raises(ParameterError, match="got int"):
        as_quantifier(3)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: 0.5 + 0.5 * x, r"Q\(0\) must be 0; got 0.5"),
        (lambda x: 0.5 * x, r"Q\(1\) must be 1; got 0.5"),
        (lambda x: x + 0.2 * math.sin(6.283185307179586 * 2 * x), "must not decrease; it does between x = "),
        (lambda x: math.nan if 0.4 < x < 0.6 else x, "finite"),
    ],
)
def test_what_is_not_a_quantifier_is_refused(function, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        as_quantifier(function)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Power(0), "Power: alpha must be a number above 0; got 0"),
        (lambda: Power(math.nan), "Power: alpha"),
        (lambda: Sigmoid(1.5), "Sigmoid: alpha must be a number at least 0 and at most 1; got 1.5"),
        (lambda: Sigmoid(0.5, ends="open"), "Sigmoid: ends must be one of 'pinned', 'plain'; got 'open'"),
        (lambda: Threshold(1), "Threshold: alpha"),
        (lambda: Linear(0.8, 0.3), "Linear: high"),
        (lambda: PiecewiseLinear([(0.5, 0.7), (0.6, 0.2)]), "points must not decrease; point 3 of 4 does"),
        (lambda: PiecewiseLinear([(0.5, 2)]), "between 0 and 1"),
        (lambda: Interpolated([0.5, 0.6]), "Interpolated: weights must sum to 1; they sum to 1.1"),
        (lambda: Interpolated([1.5, -0.5]), "must not be negative; 1 are"),
        (lambda: Power(1)(1.2), "proportions between 0 and 1"),
        (lambda: Power(1)(math.nan), "proportions between 0 and 1"),
        (lambda: Power(1).weights(0), "m must be an integer of at least 1; got 0"),
        (lambda: Power(1).orness(1), "m must be an integer of at least 2; got 1"),
    ],
)
def test_bad_parameters_are_refused(make, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()
