"""What every operator does with what it is handed: values, labels, weights, groups."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import DataError, ParameterError
from discreet.operators import OWA, ArithmeticMean, OrdinalMedian, WeightedMean, operator_named
from discreet.operators.operator import (
    OPERATORS,
    Operator,
    all_positive,
    check_group_weights,
    check_offsets,
    check_weights,
    refuse_weights,
)


class Last(Operator):
    """The last value, times its weight."""

    def batch(self, values, offsets, weights=None):
        found = values[offsets[1:] - 1]
        return found if weights is None else found * weights[offsets[1:] - 1]


class LastLevel(Last):
    """The last level."""

    scales = frozenset({"ordinal"})


def test_an_operator_that_says_nothing_takes_any_numbers() -> None:
    last = Last()
    assert (last.arity, last.domain, last.weighted, last.weight_kind) == (None, (-np.inf, np.inf), False, "real")
    assert last.scales == {"numeric"}
    assert last.properties == {"unanimous", "bounded", "monotone"}
    assert [type(one) for one in Last.examples()] == [Last]
    assert repr(last) == "Last()"
    last._hidden, last.shown = 3, "x"
    assert repr(last) == "Last(shown='x')"


def test_one_collection_labels_and_an_order_give_the_same() -> None:
    last, values, labels = Last(), [1.0, 2.0, 3.0, 4.0, 5.0], [1, 0, 1, 0, 2]
    assert last(values) == 5.0
    assert isinstance(last(values), float)
    assert last(values, [0, 0, 0, 0, 3]) == 15.0
    assert last.by_label(values, labels).tolist() == [4.0, 3.0, 5.0]
    assert last.by_label(values, np.array(labels, dtype=np.uint8), [1, 1, 2, 3, 4]).tolist() == [12.0, 6.0, 20.0]
    order, offsets = np.array([1, 3, 0, 2, 4]), np.array([0, 2, 4, 5])
    assert last.by_order(values, order, offsets).tolist() == [4.0, 3.0, 5.0]
    assert last.by_order(values, order, offsets, np.array([1.0, 2.0, 3.0, 4.0, 5.0])).tolist() == [8.0, 12.0, 25.0]
    assert ArithmeticMean().by_label(values, labels, n_groups=3).tolist() == [3.0, 2.0, 5.0]


@pytest.mark.parametrize(
    ("labels", "n_groups", "words"),
    [
        ([0, 1], None, "ArithmeticMean: labels must be 3 integers, one for each value"),
        ([0.0, 1.0, 1.0], None, "labels must be 3 integers"),
        ([0, -1, 0], None, "labels must run from 0 to the number of groups less one"),
        ([0, 1, 2], 2, "labels must run from 0 to the number of groups less one"),
        ([0, 0, 0], 2, "1 of 2 collections are empty"),
        ([0, 2, 2], None, "1 of 3 collections are empty"),
    ],
)
def test_labels_that_make_no_groups_are_refused(labels, n_groups, words) -> None:
    with pytest.raises(DataError, match=words):
        ArithmeticMean().by_label([1.0, 2.0, 3.0], labels, n_groups=n_groups)


def test_levels_are_whole_numbers_and_numbers_are_any() -> None:
    codes = np.array([2, 1], dtype=np.int32)
    assert LastLevel()._as_values(codes) is codes
    assert LastLevel()._as_values([2.0, 1.0]).dtype == np.int32
    assert LastLevel()([2, 1]) == 1
    assert isinstance(LastLevel()([2, 1]), int)
    assert Last()._as_values(codes).dtype == np.float64
    strided = np.array([1, 9, 2, 9], dtype=np.int32)[::2]
    assert LastLevel()._as_values(strided).flags.c_contiguous
    for values, words in (
        ([1.5], "LastLevel: values must be positions of levels, which are integers"),
        (["a"], "LastLevel: values must be numbers"),
        ([[1, 2]], "LastLevel: values must be one-dimensional; got 2 dimensions"),
    ):
        with pytest.raises(DataError, match=words):
            LastLevel()(values)
    with pytest.raises(ParameterError, match="Last: weights must be numbers"):
        Last()([1.0], ["a"])
    with pytest.raises(ParameterError, match="Last: weights must be one-dimensional"):
        Last()([1.0], [[1.0]])


@pytest.mark.parametrize(
    ("offsets", "words"),
    [
        ([0, 2, 3], None),
        ([0, 3], None),
        ([[0, 3]], "X: offsets must start at 0 and end at the number of values, 3"),
        ([0], "offsets must start"),
        ([1, 3], "offsets must start"),
        ([0, 2], "offsets must start"),
        ([0, 0, 3], "X: 1 of 2 collections are empty"),
        ([0, 2, 2, 3], "X: 1 of 3 collections are empty"),
        ([0, 3, 1, 3], "X: 1 of 3 collections are empty"),
    ],
)
def test_offsets_cover_the_values_with_groups_that_are_not_empty(offsets, words) -> None:
    values = np.array([1.0, 2.0, 3.0])
    if words is None:
        check_offsets("X", values, np.array(offsets))
        return
    with pytest.raises(DataError, match=words):
        check_offsets("X", values, np.array(offsets))


def test_values_that_are_missing_or_infinite_are_counted() -> None:
    with pytest.raises(DataError, match="X: 2 of 3 values are missing or infinite"):
        check_offsets("X", np.array([1.0, np.nan, np.inf]), np.array([0, 3]))
    check_offsets("X", np.array([1, 2, 3], dtype=np.int32), np.array([0, 3]))


@pytest.mark.parametrize(
    ("weights", "total", "words"),
    [
        ([1.0, 2.0], None, None),
        ([0.0, 2.0], None, None),
        ([0.25, 0.75], 1.0, None),
        ([0.25, 0.75 + 1e-10], 1.0, None),
        ([0.25, 0.76], 1.0, "X: weights must sum to 1; they sum to 1.01"),
        ([0.25, 0.75 + 2e-9], 1.0, "must sum to 1"),
        ([0.0, 0.0], None, "X: at least one weight must be positive"),
        ([0.0, 0.0], 0.0, None),
        ([-1.0, 2.0], None, "X: weights must not be negative; 1 are"),
        ([-1.0, 2.0], 1.0, "X: weights must not be negative; 1 are"),
        ([np.nan, np.inf], None, "X: weights must be finite; 2 are not"),
        ([1.0, np.inf], None, "X: weights must be finite; 1 are not"),
        ([1.0], None, r"X: weights must have length 2; got shape \(1,\)"),
        (["a", "b"], None, "X: weights must be numbers"),
    ],
)
def test_weights_are_as_many_finite_not_negative_and_of_the_sum(weights, total, words) -> None:
    if words is None:
        assert check_weights("X", weights, 2, total=total).tolist() == weights
        return
    with pytest.raises(ParameterError, match=words):
        check_weights("X", weights, 2, total=total)


def test_a_wider_tolerance_is_one() -> None:
    assert check_weights("X", [0.5, 0.6], 2, total=1.0, tolerance=0.2).tolist() == [0.5, 0.6]


@pytest.mark.parametrize(
    ("weights", "positive"),
    [
        ([1.0, 2.0], True),
        ([0.0, 2.0], False),
        ([], False),
        ([1.0, np.inf], False),
        ([1.0, np.nan], False),
        ([-1.0], False),
    ],
)
def test_all_weights_are_positive_and_finite(weights, positive) -> None:
    assert all_positive(np.array(weights)) is positive


def test_every_group_has_a_positive_weight() -> None:
    offsets = np.array([0, 2, 3])
    assert check_group_weights("X", [0.0, 1.0, 2.0], offsets).tolist() == [0.0, 1.0, 2.0]
    for weights in ([0.0, 0.0, 2.0], [1.0, 0.0, 0.0]):
        with pytest.raises(ParameterError, match="X: 1 of 2 collections have no positive weight"):
            check_group_weights("X", weights, offsets)


def test_weights_are_refused_by_whom_they_say_nothing() -> None:
    refuse_weights("X", None)
    with pytest.raises(
        ParameterError, match="X: weights must be None, because this operator gives every value the same"
    ):
        refuse_weights("X", [])
    assert operator_named("owa") is OWA
    assert OPERATORS.named("ordinal-median") is OrdinalMedian
    assert WeightedMean([0.25, 0.75])([4.0, 8.0]) == 7.0
