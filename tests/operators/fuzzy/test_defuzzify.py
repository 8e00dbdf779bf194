from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError, ParameterError
from discreet.operators import (
    RAGE,
    AlphaCut,
    ChoquetTransformation,
    ConvexHull,
    CWOWMedian,
    Defuzzifier,
    MedianSelection,
    Normalisation,
    OrdinalMedian,
    Plurality,
    PluralitySelection,
    WeightedMedian,
    WOWTransformation,
    choquet_median,
    convex_rage,
    cwow_median,
    cwow_rage,
)

weighted = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 5)), min_size=1, max_size=12)


@given(weighted, st.floats(0.1, 8))
def test_cwow_median_is_the_operator_of_that_name(pairs, alpha):
    values, weights = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    expected = CWOWMedian(alpha)(values, weights)
    assert cwow_median(alpha)(values, weights) == expected
    assert cwow_median(alpha, n_levels=20)(values, weights) == expected


@given(weighted)
def test_plain_pipelines_are_plain_operators(pairs):
    values, weights = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    assert Defuzzifier([MedianSelection()])(values, weights) == WeightedMedian()(values, weights)
    assert Defuzzifier([MedianSelection(side="lower")])(values) == OrdinalMedian()(values)
    assert Defuzzifier([PluralitySelection()])(values, weights) == Plurality()(values, weights)


@given(weighted)
def test_choquet_median_is_bounded_unanimous_symmetric(pairs):
    values, weights = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    operator = choquet_median(7, normalisation="common")
    result = operator(values, weights)
    assert min(values) <= result <= max(values)
    assert operator(values[::-1], weights[::-1]) == result
    assert operator([values[0]] * 3) == values[0]


def test_choquet_median_by_hand():
    # Frequencies 1, 0, 1 on three levels: no run of two is above 0, so μ' = (1/(11/6), 0, 1/(11/6)): the upper level.
    assert choquet_median(3)([0, 2]) == 2
    # Frequencies 2, 1, 0: runs 0, 1, 01 give 2 + 1/2 and 1 + 1/2, over 11/6 and 7/3: 1.36 against 0.64.
    found = ChoquetTransformation()([2, 1, 0])
    assert found.tolist() == pytest.approx([2.5 * 6 / 11, 1.5 * 3 / 7, 0])


def test_pipes_and_lists_are_the_same():
    values = [4, 1, 0, 2, 1, 0, 4, 5, 1]
    piped = ConvexHull() | WOWTransformation(4) | MedianSelection()
    listed = Defuzzifier([ConvexHull(), WOWTransformation(4), MedianSelection()])
    nested = Defuzzifier([ConvexHull() | WOWTransformation(4), MedianSelection()])
    assert piped(values) == listed(values) == nested(values) == 4


def test_rage_draws_in_proportion_to_membership():
    offsets = np.arange(0, 4 * 20_000 + 1, 4)
    values = np.tile([0, 0, 0, 3], 20_000)
    drawn = Defuzzifier([RAGE()], random_state=1).batch(values, offsets)
    counts = np.bincount(drawn, minlength=4)
    assert counts[[1, 2]].tolist() == [0, 0]
    # Binomial with p = 3/4: a standard deviation of 61.
    assert abs(counts[0] - 15_000) < 5 * 61


def test_convex_rage_reaches_the_levels_between():
    offsets = np.arange(0, 2 * 6_000 + 1, 2)
    drawn = convex_rage(random_state=2).batch(np.tile([1, 3], 6_000), offsets)
    counts = np.bincount(drawn)
    assert counts[0] == 0
    assert (np.abs(counts[1:] - 2_000) < 5 * 37).all()


def test_nothing_is_bent_unless_that_is_asked_for():
    bent = [[step.alpha for step in one.steps if hasattr(step, "alpha")] for one in (cwow_rage(), cwow_median())]
    assert bent == [[1.0], [1.0]]


def test_cwow_rage_leans_with_its_quantifier():
    offsets = np.arange(0, 2 * 4_000 + 1, 2)
    drawn = cwow_rage(2, random_state=3).batch(np.tile([0, 1], 4_000), offsets)
    # The squares cut [0, 1] at 1/4.
    assert abs((drawn == 0).mean() - 0.25) < 0.04


def test_draws_come_from_the_seed():
    values, offsets = np.tile([0, 5], 50), np.arange(0, 101, 2)
    first = convex_rage(random_state=9).batch(values, offsets)
    assert first.tolist() == convex_rage(random_state=9).batch(values, offsets).tolist()
    generator = np.random.default_rng(9)
    going_on = convex_rage(random_state=generator)
    assert going_on.batch(values, offsets).tolist() == first.tolist()
    assert going_on.batch(values, offsets).tolist() != first.tolist()


def test_draws_do_not_depend_on_blocks(monkeypatch):
    values, offsets = np.tile([0, 5], 50), np.arange(0, 101, 2)
    whole = convex_rage(random_state=4).batch(values, offsets)
    monkeypatch.setattr("discreet.operators.fuzzy.defuzzify._BLOCK", 30)
    assert convex_rage(random_state=4).batch(values, offsets).tolist() == whole.tolist()


def test_batch_is_the_single_call_group_by_group(monkeypatch):
    rng = np.random.default_rng(5)
    values, offsets = rng.integers(0, 7, size=400), np.arange(0, 401, 4)
    weights = rng.random(400)
    for operator in Defuzzifier.examples():
        single = [operator(values[a : a + 4], weights[a : a + 4]) for a in offsets[:-1]]
        assert operator.batch(values, offsets, weights).tolist() == single
        with monkeypatch.context() as patch:
            patch.setattr("discreet.operators.fuzzy.defuzzify._BLOCK", 30)
            assert operator.batch(values, offsets, weights).tolist() == single


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Defuzzifier([])([1]), "steps must end in a selection"),
        (lambda: Defuzzifier([ConvexHull()])([1]), "steps must end in a selection"),
        (lambda: Defuzzifier([RAGE(), RAGE()])([1]), "steps before the last must be transformations"),
        (lambda: (ChoquetTransformation() | MedianSelection())([1]), "n_levels must be given"),
        (lambda: (ConvexHull() | ChoquetTransformation() | MedianSelection())([1]), "n_levels must be given"),
        (lambda: choquet_median(3)([1, 3]), "1 of 2 values lie outside the scale of 3 levels"),
        (lambda: Defuzzifier([MedianSelection(1.5)])([1]), "MedianSelection: beta must be"),
        (lambda: convex_rage(random_state=-1)([1]), "random_state must be None"),
        (lambda: (AlphaCut(5) | Normalisation() | MedianSelection())([1, 2]), "Normalisation: 1 of 1 fuzzy sets"),
        (lambda: (AlphaCut(5) | MedianSelection())([1, 2]), "MedianSelection: 1 of 1 fuzzy sets"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises((DataError, ParameterError), match=message):
        call()
