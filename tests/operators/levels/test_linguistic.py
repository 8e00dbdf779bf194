from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import operators_ordinal as reference

from discreet.data.scales.semantics import IntervalSemantics
from discreet.errors import DataError, ParameterError
from discreet.operators import WOWA, LinguisticOWA, LinguisticWOWA, SemanticsMean

codes = st.lists(st.integers(0, 8), min_size=1, max_size=9)
boundaries = st.lists(st.integers(1, 9), min_size=9, max_size=9).map(lambda steps: np.cumsum([0, *steps]).tolist())


@given(codes, st.sampled_from([1, 2, 3]))
def test_linguistic_owa_matches_the_recursion(values, alpha):
    m = len(values)
    weights = [Fraction(i + 1, m) ** alpha - Fraction(i, m) ** alpha for i in range(m)]
    assert LinguisticOWA(alpha)(values) == reference.linguistic_owa(values, weights)


@given(codes, st.floats(0.1, 10), st.data())
def test_linguistic_owa_keeps_its_promises(values, alpha, data):
    operator = LinguisticOWA(alpha)
    result = operator(values)
    place = data.draw(st.integers(0, len(values) - 1))
    raised = [*values[:place], values[place] + data.draw(st.integers(0, 4)), *values[place + 1 :]]
    assert min(values) <= result <= max(values)
    assert operator(values[::-1]) == result
    assert operator([values[0]] * 5) == values[0]
    assert result <= operator(raised)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(1, 6)), min_size=1, max_size=9), st.sampled_from([1, 2, 3]))
def test_linguistic_wowa_matches_the_recursion(pairs, alpha):
    ordered = sorted(pairs, reverse=True)
    total = sum(weight for _, weight in pairs)
    reached = [Fraction(sum(weight for _, weight in ordered[:i]), total) for i in range(len(pairs) + 1)]
    shares = [high**alpha - low**alpha for low, high in itertools.pairwise(reached)]
    values, weights = [value for value, _ in pairs], [weight for _, weight in pairs]
    assert LinguisticWOWA(alpha)(values, weights) == reference.linguistic_owa(values, shares)
    assert LinguisticWOWA(alpha)(values[::-1], weights[::-1]) == LinguisticWOWA(alpha)(values, weights)


@given(codes, st.floats(0.1, 10))
def test_linguistic_wowa_without_weights_is_the_linguistic_owa(values, alpha):
    assert LinguisticWOWA(alpha)(values) == LinguisticOWA(alpha)(values)


def test_linguistic_wowa_stays_near_the_wowa():
    rng = np.random.default_rng(4)
    for _ in range(200):
        values, weights = rng.integers(0, 9, 3), rng.uniform(0.1, 1, 3)
        assert abs(LinguisticWOWA(2)(values, weights) - WOWA("power:2")(values, weights)) <= 1.5


def test_extreme_vectors_are_maximum_and_minimum():
    assert LinguisticOWA(vector=(1, 0, 0))([2, 7, 4]) == 7
    assert LinguisticOWA(vector=(0, 0, 1))([2, 7, 4]) == 2


def test_vector_errors():
    with pytest.raises(ParameterError, match="sum to 1"):
        LinguisticOWA(vector=(0.5, 0.4))([1, 2])
    with pytest.raises(ParameterError, match="1 of 1 collections do not have 2 values"):
        LinguisticOWA(vector=(0.5, 0.5))([1, 2, 3])
    with pytest.raises(ParameterError, match="LinguisticOWA: weights must be None"):
        LinguisticOWA()([1, 2], [1, 1])


@given(codes, boundaries, st.data())
def test_semantics_mean_on_a_full_partition(values, bounds, data):
    operator = SemanticsMean(IntervalSemantics(bounds[:-1], bounds[1:]))
    center = Fraction(sum(bounds[v] + bounds[v + 1] for v in values), 2 * len(values))
    expected = next(level for level in range(9) if bounds[level] <= center < bounds[level + 1])
    result = operator(values)
    assert result == expected
    assert min(values) <= result <= max(values)
    assert operator([values[0]] * 7) == values[0]
    place = data.draw(st.integers(0, len(values) - 1))
    raised = [*values[:place], data.draw(st.integers(values[place], 8)), *values[place + 1 :]]
    assert result <= operator(raised)


def test_a_mean_on_a_boundary_belongs_to_the_level_above():
    thirds = IntervalSemantics((0, 1 / 3, 2 / 3), (1 / 3, 2 / 3, 1))
    assert SemanticsMean(thirds)([0, 1]) == 1
    assert SemanticsMean(thirds)([0] * 7 + [1] * 7) == 1


def test_weights_weigh_the_centres():
    semantics = IntervalSemantics((0, 2, 4), (2, 4, 8))
    assert SemanticsMean(semantics)([0, 2], weights=[1, 3]) == 2
    assert SemanticsMean(semantics)([0, 2], weights=[3, 1]) == 1


def test_overlapping_levels_are_averaged_but_not_returned():
    semantics = IntervalSemantics((0, 0, 2), (2, 4, 4), (True, False, True))
    assert SemanticsMean(semantics)([1, 1, 1]) == 2


def test_codes_outside_the_semantics_are_refused():
    with pytest.raises(DataError, match="1 of 2 values lie outside the scale of 2 levels"):
        SemanticsMean(IntervalSemantics((0, 1), (1, 2)))([0, 2])
    with pytest.raises(ParameterError, match="semantics must be an IntervalSemantics"):
        SemanticsMean(None)([0])
