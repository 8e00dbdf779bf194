from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import operators_numeric as reference

from discreet.errors import DataError, ParameterError
from discreet.operators import OWA, WOWA, Interpolated, Power, Quantifier, Sigmoid, Threshold, WeightedMean

VALUES = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=25)
QUANTIFIERS = [Power(0.4), Power(3), Sigmoid(0.3), Threshold(0.4), Interpolated([0.2, 0, 0.8], smooth=True)]


@given(VALUES, st.sampled_from(QUANTIFIERS))
def test_owa_agrees_with_its_definition(values: list[float], quantifier: Quantifier) -> None:
    expected = reference.owa_quantifier(values, quantifier)
    assert OWA(quantifier)(values) == pytest.approx(expected, abs=1e-9)
    weights = quantifier.weights(len(values))
    assert OWA(weights=weights)(values) == pytest.approx(reference.owa(values, weights), abs=1e-9)


@given(VALUES, st.sampled_from(QUANTIFIERS), st.randoms(use_true_random=False))
def test_wowa_agrees_with_its_definition(values: list[float], quantifier: Quantifier, random) -> None:
    weights = [random.choice([0.5, 1, 2, 5]) for _ in values]
    expected = reference.wowa(values, weights, quantifier)
    assert WOWA(quantifier)(values, weights) == pytest.approx(expected, abs=1e-8)


@given(VALUES, st.sampled_from(QUANTIFIERS))
def test_wowa_of_equal_sources_is_the_owa(values: list[float], quantifier: Quantifier) -> None:
    equal = [0.1] * len(values)
    assert WOWA(quantifier)(values, equal) == pytest.approx(OWA(quantifier)(values), abs=1e-9)
    assert WOWA(quantifier)(values) == OWA(quantifier)(values)


@given(VALUES, st.randoms(use_true_random=False), st.booleans())
def test_wowa_of_equal_places_is_the_weighted_mean(values: list[float], random, smooth: bool) -> None:
    weights = [random.randint(1, 9) for _ in values]
    n = len(values)
    operator = WOWA(Interpolated([1 / n] * n, smooth=smooth))
    assert operator(values, weights) == pytest.approx(WeightedMean()(values, weights), abs=1e-8)


def test_owa_extremes() -> None:
    values = [3.0, -1, 8, 8, 2]
    assert OWA("all")(values) == -1
    assert OWA("at least one")(values) == 8
    assert OWA("power:1")(values) == pytest.approx(4)
    assert OWA("threshold:0.5")(values) == 3


def test_a_large_exponent_leans_to_the_minimum() -> None:
    values = [1.0, 2.0, 5.0, 9.0]
    results = [OWA(Power(alpha))(values) for alpha in (0.01, 0.5, 1, 2, 100)]
    assert results == sorted(results, reverse=True)
    assert results[0] == pytest.approx(9, abs=0.3)
    assert results[-1] == pytest.approx(1, abs=0.01)


def test_groups_of_different_sizes_each_get_their_weights() -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 9, 200)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    values = rng.normal(size=offsets[-1])
    expected = [reference.owa_quantifier(values[low:high].tolist(), Power(1.7)) for low, high in pairwise(offsets)]
    assert OWA(Power(1.7)).batch(values, offsets) == pytest.approx(expected)


def test_the_plain_sigmoid_is_taken_literally() -> None:
    plain = Sigmoid(0.3, ends="plain")
    values = [0.2, 0.9, 0.4]
    assert OWA(plain)(values) == pytest.approx(reference.owa_quantifier(values, plain))
    assert OWA(plain)([1.0, 1.0]) == pytest.approx(plain(1) - plain(0))
    with pytest.raises(ParameterError, match=r"WOWA: quantifier must have Q\(0\) = 0"):
        WOWA(plain)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (OWA, ParameterError, "either quantifier or weights"),
        (lambda: OWA("power:2", weights=[1]), ParameterError, "and not both"),
        (lambda: OWA(weights=[0.5, 0.6]), ParameterError, "OWA: weights must sum to 1; they sum to 1.1"),
        (lambda: OWA(weights=[1.5, -0.5]), ParameterError, "OWA: weights must not be negative; 1 are"),
        (lambda: OWA(weights=[0.5, 0.5])([1, 2, 3]), DataError, "OWA: every collection must have 2 values"),
        (lambda: OWA("power:2")([1, 2], weights=[1, 1]), ParameterError, "OWA: weights must be None"),
        (lambda: WOWA("power:2", [0.5, 0.6]), ParameterError, "WOWA: weights must sum to 1"),
        (lambda: WOWA("power:2", [0.5, 0.5])([1, 2], [1, 1]), ParameterError, "given twice"),
        (lambda: OWA(lambda x: 1 - x), ParameterError, r"Q\(0\) must be 0"),
    ],
)
def test_bad_input_is_refused(make, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()
