from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import operators_ordinal as reference

from discreet.errors import DataError, MissingValueError, ParameterError
from discreet.operators import (
    OrdinalMedian,
    OrdinalOrderStatistic,
    Plurality,
    WeightedMedian,
    WeightedOrderStatistic,
)

codes = st.lists(st.integers(0, 8), min_size=1, max_size=12)
weighted = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 5)), min_size=1, max_size=12).filter(
    lambda pairs: any(weight for _, weight in pairs)
)


@given(codes)
def test_unweighted_forms_match_their_twins(values):
    assert OrdinalMedian()(values) == reference.lower_median(values)
    assert OrdinalMedian(side="upper")(values) == reference.upper_median(values)
    assert WeightedMedian()(values) == reference.upper_median(values)
    assert Plurality().winners(values) == tuple(reference.plurality(values))
    assert Plurality()(values) == reference.plurality(values)[0]
    for rank in range(1, len(values) + 1):
        assert OrdinalOrderStatistic(rank)(values) == sorted(values, reverse=True)[rank - 1]


@given(weighted, st.integers(0, 8))
def test_weighted_forms_match_their_twins(pairs, eighths):
    values, weights = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    share = Fraction(eighths, 8)
    expected = reference.weighted_order_statistic(values, weights, share)
    assert WeightedOrderStatistic(float(share))(values, weights) == expected
    assert WeightedMedian()(values, weights) == reference.weighted_order_statistic(values, weights, Fraction(1, 2))
    assert Plurality().winners(values, weights) == tuple(reference.plurality(values, weights))


@given(weighted, st.floats(0.01, 100))
def test_weights_may_be_scaled(pairs, factor):
    values, weights = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    scaled = [factor * weight for weight in weights]
    assert WeightedMedian()(values, scaled) == WeightedMedian()(values, weights)
    assert Plurality()(values, scaled) == Plurality()(values, weights)


@given(codes, st.data())
def test_medians_are_monotone(values, data):
    place = data.draw(st.integers(0, len(values) - 1))
    raised = [*values[:place], values[place] + data.draw(st.integers(0, 4)), *values[place + 1 :]]
    for operator in (OrdinalMedian(), OrdinalMedian("upper"), WeightedMedian(), WeightedOrderStatistic(0.3)):
        assert operator(values) <= operator(raised)


def test_tenths_are_compared_as_tenths():
    # 0.1 added three times is above 0.3 in floating point; the share is met, not exceeded.
    assert WeightedOrderStatistic(0.3)([0, 1, 2, 3], weights=[0.1, 0.1, 0.1, 0.7]) == 3
    assert Plurality()([0, 0, 0, 1], weights=[0.1, 0.1, 0.1, 0.3]) == 0
    assert Plurality()([1, 1, 1, 0], weights=[0.1, 0.1, 0.1, 0.3]) == 0


def test_a_value_of_weight_zero_is_never_returned():
    assert WeightedOrderStatistic(1.0)([0, 5, 9], weights=[1, 1, 0]) == 5
    assert WeightedOrderStatistic(0.0)([0, 5, 9], weights=[0, 1, 1]) == 5


@pytest.mark.parametrize("operator", [Plurality(), OrdinalMedian(), WeightedMedian(), OrdinalOrderStatistic(1)])
def test_bad_input_is_refused(operator):
    with pytest.raises(DataError, match="1 of 1 collections are empty"):
        operator([])
    with pytest.raises(MissingValueError, match="1 of 3 values are missing"):
        operator([0, -1, 2])
    with pytest.raises(DataError, match="positions of levels"):
        operator.batch(np.array([0.5, 1.0]), np.array([0, 2]))
    with pytest.raises(DataError, match="offsets must start at 0"):
        operator.batch(np.array([0, 1]), np.array([0, 1]))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], "length 3"),
        ([1.0, -1.0, 1.0], "1 are"),
        ([1.0, float("nan"), 1.0], "finite"),
        ([0, 0, 0], "positive"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(ParameterError, match=message):
        WeightedMedian()([0, 1, 2], weights)


def test_a_collection_without_weight_is_counted():
    with pytest.raises(ParameterError, match="1 of 2 collections have no positive weight"):
        WeightedMedian().batch(np.array([0, 1, 2]), np.array([0, 2, 3]), np.array([0.0, 0.0, 1.0]))


def test_operators_without_weights_refuse_them():
    with pytest.raises(ParameterError, match="OrdinalMedian: weights must be None"):
        OrdinalMedian()([0, 1], [1, 1])


def test_parameters_are_checked_when_called():
    with pytest.raises(ParameterError, match=r"WeightedOrderStatistic: share must be .*; got 1.5"):
        WeightedOrderStatistic(1.5)([0])
    with pytest.raises(ParameterError, match="OrdinalMedian: side must be one of 'lower', 'upper'; got 'left'"):
        OrdinalMedian("left")([0])
    with pytest.raises(DataError, match="1 of 1 collections have fewer than 3 values"):
        OrdinalOrderStatistic(3)([0, 1])
