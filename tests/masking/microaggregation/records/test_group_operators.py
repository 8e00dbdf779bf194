"""What groups are released as: the same, whether they were put in order for one attribute or for all of them."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.scales.semantics import IntervalSemantics
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.microaggregation.records.group_operators import (
    aggregated,
    choose_operators,
    default_ordinal,
    drawing_from,
    ordered_groups,
)
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


# ------------------------------------------------------------------------------------------------------ by hand

YEARS = IntervalSemantics((0, 1, 5), (1, 5, 6))
SCHEMA = Schema(
    [
        Attribute("n", Nominal(tuple("abc")), "key"),
        Attribute("o", Ordinal(tuple("pqrs")), "key"),
        Attribute("y", Ordinal(("early", "middle", "late"), YEARS), "key"),
        Attribute("x", Numeric(), "key"),
    ]
)


def chosen(given=None, names="noyx", *, semantics=True, weighted=False, tables=None):
    found = choose_operators(
        "Masker",
        SCHEMA,
        list(names),
        given,
        CWOWMedian(2.0),
        semantics=semantics,
        weighted=weighted,
        rng=np.random.default_rng(0),
        tables=tables,
    )
    return {name: type(operator).__name__ for name, operator in found.items()}


def test_which_operator_an_attribute_gets():
    usual = {"n": "Plurality", "o": "CWOWMedian", "y": "SemanticsMean", "x": "ArithmeticMean"}
    assert chosen() == usual
    assert chosen(weighted=True) == usual | {"x": "WeightedMean"}
    assert chosen(semantics=False) == usual | {"y": "CWOWMedian"}
    assert chosen(tables={"n": np.zeros((3, 3))}) == usual | {"n": "LeastDistance"}
    # One for the attribute comes before one for its scale, and both before what is usual.
    assert chosen({"ordinal": OrdinalMedian()}) == usual | {"o": "OrdinalMedian", "y": "OrdinalMedian"}
    assert chosen({"ordinal": OrdinalMedian(), "y": Plurality()}) == usual | {"o": "OrdinalMedian", "y": "Plurality"}
    assert chosen({"n": Plurality()}, tables={"n": np.zeros((3, 3))}) == usual


def test_operators_that_nobody_uses_or_that_do_not_fit_are_refused():
    for given, names, said in [
        ({"z": Plurality()}, "no", "operators has 'z', which is neither a masked attribute nor one of their scales"),
        ({"numeric": WeightedMean()}, "no", "operators has 'numeric', which is neither a masked attribute nor"),
        ({"n": ArithmeticMean()}, "n", "ArithmeticMean does not aggregate nominal values, and 'n' is nominal"),
    ]:
        with pytest.raises(ParameterError, match=said):
            chosen(given, names)
    with pytest.raises(ParameterError, match="the operator of 'o', OrdinalMedian, takes no weights, and the schema"):
        chosen({"o": OrdinalMedian()}, weighted=True)


@pytest.mark.parametrize(
    ("missing", "weights", "expected"),
    [
        ("category", None, [2, -1, 1, -1]),  # a half is not more than a half
        ("wildcard", None, [2, 0, 1, -1]),
        ("category", [1, 1, 1, 1, 9, 1, 3, 1, 1], [2, 0, -1, -1]),
    ],
)
def test_a_group_is_missing_where_more_than_half_of_it_is(missing, weights, expected):
    values = np.array([2, 2, -1, -1, 0, -1, -1, 1, -1], dtype=np.int32)
    labels = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3])
    weights = None if weights is None else np.array(weights, dtype=float)
    found = aggregated(Plurality(), values, labels, 4, weights=weights, missing=missing)
    assert found.tolist() == expected
    counts = None if weights is None else weights.astype(np.int64)
    assert aggregated(Plurality(), values, labels, 4, counts, missing=missing).tolist() == expected


def test_default_operators_of_ordered_levels():
    rng = np.random.default_rng(0)
    assert isinstance(default_ordinal("mode", 2.0, 0.5, rng, convex=True), Plurality)
    median = default_ordinal("median", 2.0, 0.25, rng, convex=False)
    assert (median.alpha, median.beta, median.convex) == (2.0, 0.25, False)
    drawn = default_ordinal("random", 2.0, 0.25, rng, convex=True)
    assert (drawn.alpha, drawn.beta, drawn.convex) == (2.0, "random", True)
    assert drawn.random_state is rng
    assert drawing_from(drawn, rng) is drawn
    other = np.random.default_rng(1)
    assert drawing_from(drawn, other) is not drawn
    assert drawing_from(median, rng) is not None
