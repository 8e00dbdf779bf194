"""Quantifiers, distances and prototypes from what people type."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.data.scales import ItemSet, Sequence, TimeSeries
from discreet.data.scales.dissimilarities import OSSOWA, dissimilarity_named
from discreet.data.scales.trajectory import Trajectory
from discreet.errors import DiscreetError, ParameterError
from discreet.operators.numbers.quantifiers import (
    Interpolated,
    Linear,
    PiecewiseLinear,
    Power,
    Quantifier,
    Sigmoid,
    Threshold,
)
from discreet.operators.operator_text import (
    DISTANCE,
    PROTOTYPE,
    QUANTIFIER,
    FunctionQuantifier,
    as_dissimilarity,
    as_quantifier,
    as_sequence_operator,
    check_quantifier,
    parse_quantifier,
    quantifier_with_orness,
)
from discreet.operators.path_prototypes import MeanPath
from discreet.operators.prototypes import Medoid
from discreet.parameters import Control


@pytest.mark.parametrize(
    ("text", "quantifier"),
    [
        ("all", PiecewiseLinear([(1, 0)])),
        ("at least one", Threshold(0.0)),
        ("At-Least_One", Threshold(0.0)),
        ("about half", Linear(0.25, 0.75)),
        ("at  least  half", Linear(0.0, 0.5)),
        ("most", Linear(0.3, 0.8)),
        ("as many as possible", Linear(0.5, 1.0)),
        (" power:2 ", Power(2.0)),
        ("POWER : 0.5", Power(0.5)),
        ("sigmoid:0.3", Sigmoid(0.3, 10.0, "pinned")),
        ("sigmoid:0.3,4", Sigmoid(0.3, 4.0, "pinned")),
        ("plain-sigmoid:0.3,4", Sigmoid(0.3, 4.0, "plain")),
        ("plain-sigmoid:0.3", Sigmoid(0.3, 10.0, "plain")),
        ("threshold:0.25", Threshold(0.25)),
        ("linear:0.3,0.8", Linear(0.3, 0.8)),
        ("points:0,0;0.5,1;1,1", PiecewiseLinear([(0, 0), (0.5, 1), (1, 1)])),
        ("weights:0.5,0.3,0.2", Interpolated([0.5, 0.3, 0.2])),
        ("smooth-weights:0.5,0.3,0.2", Interpolated([0.5, 0.3, 0.2], smooth=True)),
    ],
)
def test_text_is_the_quantifier(text, quantifier) -> None:
    assert parse_quantifier(text) == quantifier
    assert as_quantifier(text) == quantifier
    assert as_quantifier(quantifier) is quantifier


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("power:two", "Quantifier: 'power:two' cannot be read"),
        ("power:1,2", "Quantifier: 'power:1,2' cannot be read"),
        ("points:0;1", "Quantifier: 'points:0;1' cannot be read"),
        ("power:-2", "must be"),
        ("mst", "Did you mean 'most'"),
        ("most:2", "no quantifier named 'most'"),
    ],
)
def test_what_cannot_be_read_is_told(text, words) -> None:
    with pytest.raises(DiscreetError, match=words):
        parse_quantifier(text)


def test_functions_and_weights_are_quantifiers() -> None:
    square = as_quantifier(lambda x: x**2)
    assert isinstance(square, FunctionQuantifier)
    assert square.evaluate(np.array([[0.0, 0.5], [0.25, 1.0]])).tolist() == [[0.0, 0.25], [0.0625, 1.0]]
    assert repr(as_quantifier(math.sqrt)) == "FunctionQuantifier(sqrt)"

    class Nameless:
        def __call__(self, x):
            return x

    assert repr(as_quantifier(Nameless())) == "FunctionQuantifier(function)"
    assert as_quantifier((0.5, 0.5)) == Interpolated((0.5, 0.5))
    with pytest.raises(ParameterError, match="a function or a weight vector; got int"):
        as_quantifier(3)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: x - 0.1 * (x == 0), r"Q\(0\) must be 0; got -0.1"),
        (lambda x: x / 2, r"Q\(1\) must be 1; got 0.5"),
        (lambda x: math.nan if 0.4 < x < 0.5 else x, "it is not at 99 of 1001"),
        (lambda x: x if x <= 0.25 or x == 1 else 0.1, "it does between x = 0.25 and x = 0.251"),
    ],
)
def test_what_is_no_quantifier_is_told_where(function, words) -> None:
    with pytest.raises(DiscreetError, match=words):
        check_quantifier(function)
    # One that stays level is one.
    check_quantifier(lambda x: min(2 * x, 1.0))


def test_a_coarser_grid_looks_at_fewer_places() -> None:
    def dip(x):
        return 0.0 if 0.26 < x < 0.27 else x

    check_quantifier(dip, points=5)
    with pytest.raises(ParameterError, match="must not decrease"):
        check_quantifier(dip)


@pytest.mark.parametrize("orness", [0.1, 0.25, 0.5, 0.9])
@pytest.mark.parametrize(("family", "m"), [("power", None), ("power", 4), ("sigmoid", None), ("threshold", None)])
def test_a_wanted_orness_is_reached(orness, family, m) -> None:
    if family == "sigmoid" and orness in (0.1, 0.9):
        orness = 0.3
    found = quantifier_with_orness(orness, family=family, m=m)
    assert type(found) is {"power": Power, "sigmoid": Sigmoid, "threshold": Threshold}[family]
    assert found.orness(m) == pytest.approx(orness, abs=1e-6)
    assert isinstance(found, Quantifier)


def test_what_cannot_be_reached_is_refused() -> None:
    assert quantifier_with_orness(0.25) == Power(3.0)
    assert quantifier_with_orness(0.25, family="threshold") == Threshold(0.75)
    for arguments, words in [
        ((0.0,), "orness must be"),
        ((1.0,), "orness must be"),
        ((0.5, "cubic"), "family must be"),
        ((0.5, "threshold", 3), "m must be None for a threshold, whose orness moves in steps; got 3"),
        ((0.001, "sigmoid"), "the sigmoid family cannot reach orness 0.001"),
        ((0.999, "sigmoid"), "the sigmoid family cannot reach orness 0.999"),
    ]:
        orness, *others = arguments
        with pytest.raises(DiscreetError, match=words):
            quantifier_with_orness(orness, **dict(zip(("family", "m"), others, strict=False)))


SERIES = TimeSeries(step=0.1, span=2.0)


def test_distances_are_read_with_their_one_parameter() -> None:
    dtw = dissimilarity_named("dtw")
    for text in ("dtw:0.2", "dtw:window=0.2", "dtw: window = 0.2"):
        assert as_dissimilarity("X", text, scale=SERIES) == dtw(window=0.2).comparing("X", SERIES)
    assert as_dissimilarity("X", "dtw", scale=SERIES) == dtw().comparing("X", SERIES)
    given = dtw(window=0.5)
    assert as_dissimilarity("X", given, scale=SERIES) == given.comparing("X", SERIES)
    assert as_dissimilarity("X", "own") == as_dissimilarity("X", Sequence(("",)).own_distance)
    assert repr(as_dissimilarity("X", "own", scale=ItemSet(["bread"]))) == "Jaccard()"


@pytest.mark.parametrize(
    ("distance", "quantifier", "words"),
    [
        ("dtw:wide", None, "DynamicTimeWarping: window must be a number"),
        ("dtw:span=3", None, "DynamicTimeWarping: there is no parameter 'span'. Did you mean|no parameter 'span'"),
        ("lcs:3", None, "no parameter '3'"),
        ("lsc", None, "Did you mean 'lcs'"),
        (3, None, "3"),
        ("lcs", "power:2", "X: quantifier must be None for the distance 'lcs', which has no policy"),
        (OSSOWA(), "power:2", "X: quantifier must be None where distance is an object; got both"),
    ],
)
def test_distances_that_cannot_be_meant_are_refused(distance, quantifier, words) -> None:
    with pytest.raises(DiscreetError, match=words):
        as_dissimilarity("X", distance, quantifier, SERIES if "dtw" in str(distance) else Sequence(("a", "b")))


def test_a_quantifier_is_the_policy_of_one_distance() -> None:
    assert as_dissimilarity("X", "oss-owa", "power:2") == OSSOWA(Power(2.0))
    assert as_dissimilarity("X", "own", Power(2.0)) == OSSOWA(Power(2.0))
    assert as_dissimilarity("X", "oss-owa") == OSSOWA()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("medoid", "Medoid(distance=OSSOWA(quantifier=None))"),
        ("medoid:lcs", "Medoid(distance=LongestCommonSubsequence())"),
        ("medoid:distance=lcs", "Medoid(distance=LongestCommonSubsequence())"),
        ("medoid:oss-owa", "Medoid(distance=OSSOWA(quantifier=None))"),
        ("medoid:oss-owa:power:2", "Medoid(distance=OSSOWA(quantifier=Power(alpha=2.0)))"),
        ("oesp", "OrderedElementScoring(longest=3)"),
        ("oesp:5", "OrderedElementScoring(longest=5)"),
        ("oesp: longest = 5", "OrderedElementScoring(longest=5)"),
    ],
)
def test_prototypes_are_read_with_their_one_parameter(text, shown) -> None:
    operator = as_sequence_operator(text, OSSOWA())
    assert repr(operator) == shown
    assert as_sequence_operator(operator, OSSOWA()) == operator


def test_the_scale_has_its_own_prototype_and_refuses_those_of_others() -> None:
    baskets = ItemSet(["bread", "milk"])
    assert type(as_sequence_operator("own", OSSOWA(), baskets)).name == baskets.own_prototype
    assert as_sequence_operator("mean-path:0.25", OSSOWA(), Trajectory()) == MeanPath(0.25)
    assert isinstance(as_sequence_operator("medoid:jaccard", OSSOWA(), baskets), Medoid)
    with pytest.raises(ParameterError, match="OrderedElementScoring.* does not join what the scale 'items' holds"):
        as_sequence_operator("oesp", OSSOWA(), baskets)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("oesp:long", "OrderedElementScoring: longest must be a number; got 'long'"),
        ("oesp:size=5", "OrderedElementScoring: there is no parameter 'size'"),
        ("medod", "Did you mean 'medoid'"),
        (3, "3"),
        ("medoid:lsc", "Did you mean 'lcs'"),
    ],
)
def test_prototypes_that_cannot_be_meant_are_refused(text, words) -> None:
    with pytest.raises(DiscreetError, match=words):
        as_sequence_operator(text, OSSOWA())


@pytest.mark.parametrize(
    ("constraint", "good", "bad"),
    [
        (DISTANCE, ["own", "lcs", "dtw:0.2", OSSOWA()], ["lsc", "dtw:wide", "lcs:3", 3, "", None]),
        (PROTOTYPE, ["own", "medoid", "medoid:lcs", "oesp:5", Medoid(OSSOWA())], ["medod", "oesp:long", 3, "", None]),
        (QUANTIFIER, [None, "power:2", Power(2.0)], [3, [0.5, 0.5]]),
    ],
    ids=["distance", "prototype", "quantifier"],
)
def test_what_a_parameter_takes(constraint, good, bad) -> None:
    assert [value for value in good if not constraint.accepts(value)] == []
    assert [value for value in bad if constraint.accepts(value)] == []


def test_texts_with_a_parameter_say_what_they_are_and_why_not() -> None:
    for constraint, typed, wrong, words, shown in (
        (DISTANCE, "dtw:0.2", "dtw:wide", "window must be a number", 'one with its parameter such as "dtw:0.2"'),
        (PROTOTYPE, "oesp:5", "oesp:long", "got 'long'", 'one with its parameter such as "medoid:lcs" or "oesp:5"'),
    ):
        text = constraint.inner[1]
        assert text.describe() == shown
        assert text.parse(f" {typed} ") == typed
        assert text.control() == Control("text")
        assert text.reason(typed) == ""
        assert words in text.reason(wrong)
        assert text.accepts(typed)
        # A name alone is one of the choices, not of these.
        assert not text.accepts(typed.partition(":")[0])
        assert not text.accepts(wrong)
