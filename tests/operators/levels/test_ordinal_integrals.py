from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import operators_ordinal as reference
from tests.reference.ordinal_strategies import TOP, measures

from discreet.errors import DataError, ParameterError
from discreet.operators import OrdinalSugeno, WeightedMax, WeightedMin, possibility_levels

codes = st.lists(st.integers(0, TOP), min_size=1, max_size=7)


@st.composite
def possibilities(draw):
    values = draw(codes)
    importances = draw(st.lists(st.integers(0, TOP), min_size=len(values), max_size=len(values)))
    importances[draw(st.integers(0, len(values) - 1))] = TOP
    return values, importances


@given(possibilities())
def test_weighted_max_is_the_sugeno_integral_of_a_possibility(pair):
    values, importances = pair
    found = WeightedMax(TOP + 1)(values, importances)
    assert found == reference.weighted_max(values, importances)
    assert found == OrdinalSugeno(possibility_levels(importances))(values)


@given(possibilities())
def test_weighted_min_is_the_negation_of_the_weighted_max(pair):
    values, importances = pair
    found = WeightedMin(TOP + 1)(values, importances)
    assert found == reference.weighted_min(values, importances, TOP)
    assert found == TOP - WeightedMax(TOP + 1)([TOP - value for value in values], importances)


def test_equal_importances_give_maximum_and_minimum():
    assert WeightedMax(7)([3, 5, 1]) == 5
    assert WeightedMin(7)([3, 5, 1]) == 1


@given(measures())
def test_sugeno_matches_its_other_form(pair):
    values, measure = pair
    assert OrdinalSugeno(measure)(values) == reference.sugeno(values, measure)


@given(measures(), st.data())
def test_sugeno_is_monotone_and_bounded(pair, data):
    values, measure = pair
    place = data.draw(st.integers(0, len(values) - 1))
    raised = [*values[:place], data.draw(st.integers(values[place], TOP)), *values[place + 1 :]]
    operator = OrdinalSugeno(measure)
    assert min(values) <= operator(values) <= max(values)
    assert operator(values) <= operator(raised)


def test_batch_is_the_single_call_group_by_group():
    rng = np.random.default_rng(8)
    values, offsets = rng.integers(0, TOP + 1, size=300), np.arange(0, 301, 3)
    operator = OrdinalSugeno([0, 2, 1, 4, 3, 5, 5, 6])
    assert operator.batch(values, offsets).tolist() == [operator(values[a : a + 3]) for a in offsets[:-1]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: WeightedMax(7)([1, 7]), "WeightedMax: 1 of 2 values lie outside the scale of 7 levels"),
        (lambda: WeightedMax(7)([1, 2], [6, 7]), "weights must be positions of levels between 0 and 6"),
        (lambda: WeightedMax(7)([1, 2], [6, 0.5]), "weights must be positions of levels between 0 and 6"),
        (lambda: WeightedMin(7)([1, 2], [5, 5]), "1 of 1 collections have no source at the top"),
        (lambda: WeightedMin(1)([0]), "n_levels must be an integer of at least 2; got 1"),
        (lambda: OrdinalSugeno([0, 3, 2, 4], n_levels=7)([1, 2]), "the top level 6; got 4"),
        (lambda: OrdinalSugeno([0, 3, 2, 4])([1, 2], [1, 1]), "weights must be None"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises((ParameterError, DataError), match=message):
        call()


def test_collections_must_fit_the_measure():
    with pytest.raises(DataError, match="1 of 2 collections do not have the measure's 2 values"):
        OrdinalSugeno([0, 3, 2, 4]).batch(np.array([1, 2, 3]), np.array([0, 2, 3]))
