"""What groups are released as: the same, whether they were put in order for one attribute or for all of them."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import DataError, ParameterError
from discreet.masking.microaggregation.records.group_operators import aggregated, ordered_groups
from discreet.masking.microaggregation.records.kmodes import compact
from discreet.operators.levels.ordinal_medians import OrdinalMedian, Plurality
from discreet.operators.levels.wow import CWOWMedian
from discreet.operators.numbers.means import ArithmeticMean, WeightedMean
from discreet.operators.operator import all_positive

OPERATORS = [Plurality(), OrdinalMedian(), CWOWMedian(2.0), CWOWMedian(0.5, convex=False), WeightedMean()]


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("says", ["records", "counts", "weights"])
@pytest.mark.parametrize("gaps", [False, True])
def test_groups_in_order_give_what_labels_give(operator, says, gaps):
    rng = np.random.default_rng(5)
    labels = np.concatenate([np.arange(7), rng.integers(7, size=53)])
    rng.shuffle(labels)
    values = rng.integers(6, size=60).astype(np.int32)
    if "numeric" in operator.scales:
        values = values.astype(np.float64)
    if gaps:
        values[::9] = -1 if values.dtype.kind == "i" else np.nan
    counts = rng.integers(1, 5, size=60) if says == "counts" else None
    weights = rng.uniform(0.5, 2.0, size=60) if says == "weights" else None
    if says == "weights" and not operator.weighted:
        pytest.skip("takes no weights")
    how = (labels, 7, counts, weights)
    alone = aggregated(operator, values, *how)
    together = aggregated(operator, values, *how, groups=ordered_groups(*how))
    np.testing.assert_array_equal(together, alone)
    assert together.dtype == values.dtype


def test_a_mean_without_weights_sees_a_value_as_often_as_it_occurs():
    values, labels, counts = np.array([0.0, 6.0]), np.array([0, 0]), np.array([2, 1])
    how = (labels, 1, counts)
    assert aggregated(ArithmeticMean(), values, *how, groups=ordered_groups(*how)).tolist() == [2.0]


def test_positive_weights_are_told_from_all_others():
    assert all_positive(np.array([1.0, 2.0]))
    for weights in ([], [1.0, 0.0], [1.0, -1.0], [1.0, np.nan], [1.0, np.inf]):
        assert not all_positive(np.array(weights))


def test_weights_that_are_no_weights_are_refused_as_before():
    values, offsets = np.array([0, 1], dtype=np.int32), np.array([0, 2])
    for weights, words in (([1, np.nan], "finite"), ([1, -1], "negative"), ([0, 0], "positive"), ([1], "length")):
        with pytest.raises(ParameterError, match=words):
            Plurality().batch(values, offsets, np.array(weights, dtype=np.float64))
    with pytest.raises(DataError, match="empty"):
        Plurality().batch(values, np.array([0, 2, 2]))


def test_groups_that_are_left_are_numbered_in_their_order():
    assert compact(np.array([5, 2, 9, 2])).tolist() == [1, 0, 2, 0]
