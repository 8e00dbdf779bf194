from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import operators_numeric as reference

from discreet.errors import DataError, ParameterError
from discreet.operators import (
    OWA,
    WOWA,
    ChoquetIntegral,
    FuzzyMeasure,
    Power,
    Quantifier,
    Sigmoid,
    SugenoIntegral,
    SymmetricSugeno,
    Threshold,
    WeightedMean,
)

UNIT = st.lists(st.floats(0, 1), min_size=1, max_size=6)
QUANTIFIERS = st.sampled_from([Power(0.4), Power(3), Sigmoid(0.3), Threshold(0.4)])


def random_measure(seed: int, n: int) -> FuzzyMeasure:
    values = np.random.default_rng(seed).random(1 << n)
    values[0], values[-1] = 0, 1
    for source in range(n):
        pairs = values.reshape(-1, 2, 1 << source)
        np.maximum(pairs[:, 1], pairs[:, 0], out=pairs[:, 1])
    return FuzzyMeasure(values / values[-1])


@given(UNIT, st.integers(0, 50))
def test_integrals_agree_with_their_definitions(values: list[float], seed: int) -> None:
    measure = random_measure(seed, len(values))
    assert ChoquetIntegral(measure)(values) == pytest.approx(reference.choquet(values, measure), abs=1e-12)
    assert SugenoIntegral(measure)(values) == pytest.approx(reference.sugeno(values, measure), abs=1e-12)


@given(UNIT, QUANTIFIERS)
def test_symmetric_measures_give_owa_and_symmetric_sugeno(values: list[float], quantifier: Quantifier) -> None:
    measure = FuzzyMeasure.symmetric(quantifier, len(values))
    assert ChoquetIntegral(measure)(values) == pytest.approx(OWA(quantifier)(values), abs=1e-12)
    assert SugenoIntegral(measure)(values) == SymmetricSugeno(quantifier)(values)


@given(UNIT, st.sampled_from([Power(0.4), Power(3), Sigmoid(0.3)]), st.randoms(use_true_random=False))
def test_distorted_probabilities_give_the_wowa(values: list[float], quantifier: Quantifier, random) -> None:
    weights = np.array([random.randint(1, 8) for _ in values]) / 1.0
    weights /= weights.sum()
    measure = FuzzyMeasure.distorted(quantifier, weights)
    # Where a sigmoid is pinned it jumps, and a share of 0.9999… is not 1: its jump is kept away from by rounding.
    assert ChoquetIntegral(measure)(values) == pytest.approx(WOWA(quantifier, weights)(values), abs=1e-9)
    additive = FuzzyMeasure.additive(weights)
    assert ChoquetIntegral(additive)(values) == pytest.approx(WeightedMean(weights)(values), abs=1e-12)


@given(UNIT, st.randoms(use_true_random=False))
def test_sugeno_of_a_possibility_is_the_weighted_maximum(values: list[float], random) -> None:
    weights = [random.random() for _ in values]
    weights[random.randrange(len(weights))] = 1.0
    measure = FuzzyMeasure.possibility(weights)
    assert SugenoIntegral(measure)(values) == reference.weighted_maximum(values, weights)


def test_negative_values_are_integrated() -> None:
    measure = FuzzyMeasure({(0,): 0.25, (1,): 0.5, (0, 1): 1.0})
    assert ChoquetIntegral(measure)([-4, 4]) == pytest.approx(reference.choquet([-4, 4], measure))


def test_twenty_sources() -> None:
    rng = np.random.default_rng(3)
    values = rng.random((10, 20))
    quantifier = Power(1.5)
    found = ChoquetIntegral(FuzzyMeasure.symmetric(quantifier, 20)).batch(values.ravel(), np.arange(0, 201, 20))
    assert found == pytest.approx(OWA(quantifier).batch(values.ravel(), np.arange(0, 201, 20)))


def test_values_outside_the_scale_are_refused_unless_taken_literally() -> None:
    with pytest.raises(DataError, match="SymmetricSugeno: values must be between 0 and 1; 2 of 3 are not"):
        SymmetricSugeno("power:2")([0.5, 1.5, -0.5])
    with pytest.raises(DataError, match="SugenoIntegral: values must be between 0 and 1; 1 of 2 are not"):
        SugenoIntegral(FuzzyMeasure.additive([0.5, 0.5]))([0.5, 1.5])
    assert SymmetricSugeno("power:1", strict=False)([-1.0, 3.0]) == 0.5
    assert SugenoIntegral(FuzzyMeasure.additive([0.5, 0.5]), strict=False)([-1.0, -3.0]) == -1.0


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ChoquetIntegral([0, 0.5, 0.5, 1]), ParameterError, "ChoquetIntegral: measure must be a FuzzyMeasure"),
        (lambda: ChoquetIntegral(FuzzyMeasure.additive([0.5, 0.5]))([1]), DataError, "must have 2 values"),
        (lambda: SugenoIntegral(FuzzyMeasure.additive([1]), strict="no"), ParameterError, "strict must be True or"),
        (lambda: SymmetricSugeno("power:2")([0.5], weights=[1]), ParameterError, "weights must be None"),
    ],
)
def test_bad_input_is_refused(make, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()
