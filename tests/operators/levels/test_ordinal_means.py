from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import operators_ordinal as reference
from tests.reference.ordinal_strategies import TOP, measures

from discreet.errors import ParameterError
from discreet.operators import OrdinalChoquet, OrdinalLogic, OrdinalWeightedMean

LOGICS = [
    OrdinalLogic.lukasiewicz(TOP + 1),
    OrdinalLogic.minimum(TOP + 1),
    OrdinalLogic.nilpotent_minimum(TOP + 1),
    OrdinalLogic.ordinal_sum(TOP + 1, [2]),
]
codes = st.lists(st.integers(0, TOP), min_size=1, max_size=7)


@given(measures(top=9), st.sampled_from(LOGICS), st.sampled_from(["down", "up"]))
def test_choquet_is_the_mean_of_the_gains(pair, logic, rounding):
    values, measure = pair
    operator = OrdinalChoquet(measure, logic, rounding=rounding)
    order = sorted(range(len(values)), key=lambda source: values[source])
    upper = [int(measure[sum(1 << s for s in order[i:])]) for i in range(len(values))] + [0]
    counts = [upper[i] - upper[i + 1] for i in range(len(values))]
    expected = reference.ordinal_weighted_mean([values[s] for s in order], counts, logic.tnorm, logic.tconorm, rounding)
    assert operator(values) == expected


@given(measures(top=9))
def test_choquet_with_plain_addition_is_the_numeric_one_rounded_down(pair):
    values, measure = pair
    assert OrdinalChoquet(measure, LOGICS[0])(values) == reference.choquet(values, measure) // int(measure[-1])


@given(st.lists(st.tuples(st.integers(0, TOP), st.integers(0, 3)), min_size=1, max_size=6), st.sampled_from(LOGICS))
def test_ordinal_weighted_mean_matches_its_twin(pairs, logic):
    values, counts = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    if not any(counts):
        counts[0] = 1
    for rounding in ("down", "up"):
        found = OrdinalWeightedMean(logic, rounding=rounding)(values, counts)
        assert found == reference.ordinal_weighted_mean(values, counts, logic.tnorm, logic.tconorm, rounding)


@given(codes, st.sampled_from(LOGICS), st.data())
def test_means_are_unanimous_bounded_monotone_symmetric(values, logic, data):
    place = data.draw(st.integers(0, len(values) - 1))
    raised = [*values[:place], data.draw(st.integers(values[place], TOP)), *values[place + 1 :]]
    for rounding in ("down", "up"):
        operator = OrdinalWeightedMean(logic, rounding=rounding)
        result = operator(values)
        assert min(values) <= result <= max(values)
        assert operator([values[0]] * len(values)) == values[0]
        assert result <= operator(raised)
        assert operator(values[::-1]) == result


@given(measures(), st.sampled_from(LOGICS), st.data())
def test_choquet_is_monotone_and_bounded(pair, logic, data):
    values, measure = pair
    place = data.draw(st.integers(0, len(values) - 1))
    raised = [*values[:place], data.draw(st.integers(values[place], TOP)), *values[place + 1 :]]
    operator = OrdinalChoquet(measure, logic)
    assert min(values) <= operator(values) <= max(values)
    assert operator(values) <= operator(raised)


def test_minimum_and_maximum_bound_the_means():
    """With max for addition the sum only sorts the values, and no more than the smallest is in all of them."""
    assert OrdinalWeightedMean(LOGICS[1])([1, 4, 5]) == 1
    assert OrdinalWeightedMean(LOGICS[1], rounding="up")([1, 4, 5]) == 5


def test_batch_is_the_single_call_group_by_group():
    rng = np.random.default_rng(8)
    values, offsets = rng.integers(0, TOP + 1, size=300), np.arange(0, 301, 3)
    measure = [0, 2, 1, 4, 3, 5, 5, 6]
    for operator in (OrdinalChoquet(measure, logic) for logic in LOGICS):
        single = [operator(values[a : a + 3]) for a in offsets[:-1]]
        assert operator.batch(values, offsets).tolist() == single
    counts = rng.integers(1, 4, size=300).astype(float)
    for logic in LOGICS:
        operator = OrdinalWeightedMean(logic)
        single = [operator(values[a : a + 3], counts[a : a + 3]) for a in offsets[:-1]]
        assert operator.batch(values, offsets, counts).tolist() == single


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: OrdinalWeightedMean(LOGICS[0])([1, 2], [0.5, 0.5]), "weights must be whole numbers"),
        (lambda: OrdinalWeightedMean("lukasiewicz")([1, 2]), "logic must be an OrdinalLogic; got 'lukasiewicz'"),
        (lambda: OrdinalWeightedMean(LOGICS[0], rounding="off")([1]), "rounding must be one of 'down', 'up'"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
