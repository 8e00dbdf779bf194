from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import operators_ordinal as reference

from discreet.errors import MissingValueError, ParameterError
from discreet.operators import (
    WOW,
    ConvexWeightedMedian,
    CWOWMedian,
    CWOWPlurality,
    OrdinalMedian,
    Plurality,
    Power,
    Sigmoid,
    WeightedMax,
    WeightedMean,
    WeightedMedian,
    wow_weights,
)
from discreet.operators.fuzzy.defuzzify import cwow_median

weighted = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 5)), min_size=1, max_size=12).filter(
    lambda pairs: any(weight for _, weight in pairs)
)
EXPONENTS = {1.0: lambda x: x, 2.0: lambda x: x * x, 3.0: lambda x: x**3}


def _split(pairs):
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


@given(weighted, st.sampled_from(sorted(EXPONENTS)), st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(4, 5)]))
def test_whole_weights_are_exact(pairs, alpha, beta):
    values, weights = _split(pairs)
    expected = reference.cwow_median(values, weights, EXPONENTS[alpha], beta)
    assert CWOWMedian(alpha, beta=float(beta))(values, weights) == expected
    winners = reference.cwow_plurality(values, weights, EXPONENTS[alpha])
    assert CWOWPlurality(alpha).winners(values, weights) == tuple(winners)
    assert CWOWPlurality(alpha)(values, weights) == winners[0]


@given(weighted)
def test_convex_weighted_median_matches_its_twin_and_alpha_one(pairs):
    values, weights = _split(pairs)
    expected = reference.convex_weighted_median(values, weights)
    assert ConvexWeightedMedian()(values, weights) == expected
    assert CWOWMedian(1)(values, weights) == expected


@given(weighted, st.floats(0.1, 10))
def test_wow_of_the_median_is_the_bent_median_without_filling(pairs, alpha):
    values, weights = _split(pairs)
    assert WOW(WeightedMedian(), alpha)(values, weights) == CWOWMedian(alpha, convex=False)(values, weights)
    assert CWOWMedian(alpha)(values, weights) == cwow_median(alpha)(values, weights)


@given(weighted)
def test_wow_with_the_identity_is_the_operator(pairs):
    values, weights = _split(pairs)
    for operator in (WeightedMedian(), Plurality(), ConvexWeightedMedian()):
        assert WOW(operator)(values, weights) == operator(values, weights)


@given(weighted, st.floats(0.05, 20), st.randoms(use_true_random=False))
def test_bounded_unanimous_symmetric(pairs, alpha, random):
    values, weights = _split([pair for pair in pairs if pair[1]])
    shuffled = list(zip(values, weights, strict=True))
    random.shuffle(shuffled)
    for operator in (CWOWMedian(alpha), CWOWPlurality(alpha), WOW(Plurality(), alpha)):
        result = operator(values, weights)
        assert min(values) <= result <= max(values)
        assert operator(*zip(*shuffled, strict=True)) == result
        assert operator([values[0]] * len(weights), weights) == values[0]


@given(weighted, st.floats(0.1, 4), st.floats(0.1, 4))
def test_a_larger_exponent_never_lowers_the_result(pairs, a, b):
    values, weights = _split(pairs)
    low, high = sorted((a, b))
    assert CWOWMedian(low)(values, weights) <= CWOWMedian(high)(values, weights)


@given(st.lists(st.integers(0, 2), min_size=1, max_size=20), st.data())
def test_monotone_on_three_levels(values, data):
    """The first rows of the paper's tables: no violation on two or three levels."""
    place = data.draw(st.integers(0, len(values) - 1))
    raised = [*values[:place], data.draw(st.integers(values[place], 2)), *values[place + 1 :]]
    assert CWOWMedian()(values) <= CWOWMedian()(raised)


def test_monotonicity_is_broken_by_filling_alone():
    values = [0] * 6 + list(range(1, 11))
    raised = [2, *values[1:]]
    assert CWOWMedian()(values) > CWOWMedian()(raised)
    assert CWOWMedian(convex=False)(values) <= CWOWMedian(convex=False)(raised)
    assert "monotone" not in CWOWMedian.properties


def test_batch_is_the_single_call_group_by_group():
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 60, size=200)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    values = rng.integers(0, 40, size=offsets[-1])
    weights = rng.random(offsets[-1])
    for operator in (CWOWMedian(2.5), CWOWPlurality(0.5), ConvexWeightedMedian(), WOW(Plurality(), 2)):
        found = operator.batch(values, offsets, weights)
        assert found.dtype == np.int32
        single = [operator(values[a:b], weights[a:b]) for a, b in pairwise(offsets)]
        assert found.tolist() == single


def test_blocks_of_a_long_scale_join(monkeypatch):
    rng = np.random.default_rng(4)
    values, offsets = rng.integers(0, 50, size=300), np.arange(0, 301, 3)
    whole = CWOWMedian(2).batch(values, offsets)
    monkeypatch.setattr("discreet.operators.levels.codes._BLOCK", 20)
    assert CWOWMedian(2).batch(values, offsets).tolist() == whole.tolist()


def test_wow_works_on_numbers():
    # Half the weight squared is a quarter: 0.25 · 0 + 0.75 · 10.
    assert WOW(WeightedMean(), 2)([10.0, 0.0]) == pytest.approx(7.5)


def test_wow_weights_start_anew_in_every_group():
    values, offsets = np.array([3, 1, 2, 2]), np.array([0, 2, 4])
    bent = wow_weights(values, offsets, np.array([1e9, 1e9, 1e-9, 3e-9]), Power(2))
    assert bent.tolist() == pytest.approx([0.75, 0.25, 0.0625, 0.9375], rel=1e-15)


def test_random_shares_come_from_the_seed():
    values, offsets = np.tile([0, 9], 400), np.arange(0, 801, 2)
    drawn = CWOWMedian(beta="random", random_state=5).batch(values, offsets)
    assert drawn.tolist() == CWOWMedian(beta="random", random_state=5).batch(values, offsets).tolist()
    assert drawn.tolist() != CWOWMedian(beta="random", random_state=6).batch(values, offsets).tolist()
    # Ten equal levels, so a uniform share falls on each of them equally often: 40 ± 6.
    assert (np.abs(np.bincount(drawn, minlength=10) - 40) < 25).all()


def test_quantifiers_of_every_kind():
    values = [4, 1, 0, 2, 1, 0, 4, 5, 1]
    assert CWOWMedian(quantifier=Power(2))(values) == 3
    assert CWOWMedian(quantifier="power:2")(values) == 3
    assert CWOWMedian(quantifier=lambda x: x * x)(values) == 3


@pytest.mark.parametrize(
    ("operator", "message"),
    [
        (CWOWMedian(-1), "CWOWMedian: alpha must be a number above 0; got -1."),
        (CWOWMedian(float("nan")), "CWOWMedian: alpha must be a number above 0; got nan"),
        (CWOWMedian(beta=1.0), "CWOWMedian: beta must be"),
        (CWOWMedian(beta="often"), "CWOWMedian: beta must be"),
        (CWOWMedian(quantifier=lambda x: 1 - x), r"Q\(0\) must be 0"),
        (CWOWMedian(quantifier=Sigmoid(0.5, ends="plain")), "Sigmoid has not"),
        (CWOWPlurality(0), "CWOWPlurality: alpha must be a number above 0; got 0"),
        (WOW(OrdinalMedian()), "WOW: operator must be an operator that takes weights"),
        (WOW("median"), "WOW: operator must be an operator that takes weights"),
        (WOW(WeightedMax(7)), "WOW: operator must take real weights"),
        (WOW(WeightedMedian(), -2), "WOW: alpha must be a number above 0; got -2"),
    ],
)
def test_bad_parameters_are_refused(operator, message):
    with pytest.raises(ParameterError, match=message):
        operator([0, 1, 1])


def test_missing_values_are_refused():
    for operator in (CWOWMedian(), CWOWPlurality(), ConvexWeightedMedian(), WOW(WeightedMedian())):
        with pytest.raises(MissingValueError, match="1 of 2"):
            operator([-1, 3])
