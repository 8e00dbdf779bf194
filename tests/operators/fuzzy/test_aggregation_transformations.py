from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from discreet.errors import ParameterError
from discreet.operators import (
    AggregationTransformation,
    ChoquetTransformation,
    FuzzyMeasure,
    MeasureTransformation,
    WeightedMean,
)

sets = arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 7)), elements=st.floats(0, 1, width=16)).filter(
    lambda rows: (rows.sum(axis=1) > 0).all()
)


@given(sets)
def test_choquet_keeps_support_and_bounds(rows):
    each = ChoquetTransformation()(rows)
    assert ((each > 0) == (rows > 0)).all()
    assert (each <= rows.max(axis=1, keepdims=True) + 1e-12).all()
    assert (ChoquetTransformation("common")(rows) <= each + 1e-12).all()


def test_user_measures_as_objects_and_as_rows():
    measure = FuzzyMeasure({(0,): 0.25, (1,): 0.5, (0, 1): 1.0})
    by_object = MeasureTransformation([measure, measure])([0.5, 1.0])
    # 0.25 · 0.5 + 0.5 · 1.0 + 0.25 · min
    assert by_object.tolist() == [0.75, 0.75]
    assert MeasureTransformation([measure.values] * 2)([0.5, 1.0]).tolist() == [0.75, 0.75]
    assert MeasureTransformation([measure.mobius()] * 2, mobius=True)([0.5, 1.0]).tolist() == [0.75, 0.75]


def test_aggregation_takes_an_operator_per_level():
    smoothing = AggregationTransformation([WeightedMean([0.75, 0.25]), WeightedMean([0.25, 0.75])])
    assert smoothing([[1.0, 0.0], [0.0, 1.0]]).tolist() == [[0.75, 0.25], [0.25, 0.75]]
    with pytest.raises(ParameterError, match="one for each of 3 levels; got 2"):
        smoothing([1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ChoquetTransformation("none")([0.5]), "normalisation must be one of 'each', 'common'"),
        (lambda: MeasureTransformation([[0, 1]])([0.5, 0.5]), r"2 rows of 2 \*\* 2 entries"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
