"""What every registered operator must do, numeric and ordinal alike."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import numpy as np
import pytest

import discreet.operators
from discreet.errors import DiscreetError, ParameterError, UnknownNameError
from discreet.operators.operator import Operator, operator_named, operator_names, register_operator

# An operator registers itself when its module is read, whether or not the package exports it.
for module in pkgutil.walk_packages(discreet.operators.__path__, "discreet.operators."):
    importlib.import_module(module.name)

EXAMPLES = {
    f"{name}-{index}": operator
    for name in operator_names()
    for index, operator in enumerate(operator_named(name).examples())
}


def cases(*claims: str) -> list[Any]:
    """Every example, or every example that claims a property."""
    return [pytest.param(one, id=label) for label, one in EXAMPLES.items() if one.properties >= set(claims)]


N_GROUPS = 60
# Numeric results may differ in the last bits between two orders of the same sum.
TOLERANCE = 1e-9


def is_numeric(operator: Operator) -> bool:
    return "numeric" in operator.scales


def draw_values(operator: Operator, rng: np.random.Generator, size: int) -> np.ndarray:
    low, high = operator.domain
    if is_numeric(operator):
        low, high = max(low, -50.0), min(high, 50.0)
        values = rng.uniform(low, high, size)
        # Ties and ends of the domain are where operators go wrong; a domain open at zero is kept away from it.
        low = max(low, 1e-3) if 0 < low < 1e-3 else low
        return np.clip(np.where(rng.random(size) < 0.3, np.round(values), values), low, high)
    low, high = max(low, 0), min(high, 6)
    return rng.integers(int(low), int(high) + 1, size).astype(np.int32)


def draw_sizes(operator: Operator, rng: np.random.Generator) -> np.ndarray:
    if operator.arity is not None:
        return np.full(N_GROUPS, operator.arity)
    return rng.integers(1, 9, N_GROUPS)


def draw_weights(operator: Operator, rng: np.random.Generator, sizes: np.ndarray) -> np.ndarray | None:
    """Weights for the call, or None where the operator takes none (or was made with its own)."""
    if not operator.weighted or operator.arity is not None:
        return None
    total = int(sizes.sum())
    if operator.weight_kind == "real":
        return rng.uniform(0.1, 3.0, total)
    if operator.weight_kind == "whole":
        return rng.integers(1, 4, total).astype(np.float64)
    top = int(operator.domain[1])
    weights = rng.integers(0, top + 1, total).astype(np.float64)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    weights[starts + rng.integers(0, sizes)] = top
    return weights


class Drawn:
    """Groups drawn for an operator."""

    def __init__(self, operator: Operator, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.rng = rng
        self.sizes = draw_sizes(operator, rng)
        self.offsets = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        self.values = draw_values(operator, rng, int(self.offsets[-1]))
        self.weights = draw_weights(operator, rng, self.sizes)
        self.labels = np.repeat(np.arange(N_GROUPS), self.sizes)

    def group(self, index: int) -> slice:
        return slice(int(self.offsets[index]), int(self.offsets[index + 1]))


def close(found: Any, expected: Any) -> bool:
    return bool(np.allclose(found, expected, rtol=TOLERANCE, atol=TOLERANCE))


def test_the_registry_is_well_stocked() -> None:
    assert {"mean", "weighted-mean", "owa", "wowa", "choquet-integral", "sugeno-integral"} <= set(operator_names())
    for name in operator_names():
        cls = operator_named(name)
        assert cls.name == name
        assert cls.scales <= {"numeric", "ordinal", "nominal"}
        assert cls.properties <= {"unanimous", "bounded", "monotone", "symmetric"}
    with pytest.raises(UnknownNameError, match="no operator named 'average'"):
        operator_named("average")


def test_a_name_is_given_once() -> None:
    class Impostor(Operator):
        def batch(self, values: Any, offsets: Any, weights: Any = None) -> Any:
            raise NotImplementedError

    with pytest.raises(ParameterError, match="'mean' is already taken by ArithmeticMean"):
        register_operator("mean")(Impostor)


@pytest.mark.parametrize("operator", cases())
def test_single_calls_batches_and_labels_agree(operator: Operator) -> None:
    drawn = Drawn(operator, 1)
    batch = operator.batch(drawn.values, drawn.offsets, drawn.weights)
    assert batch.shape == (N_GROUPS,)
    for index in range(N_GROUPS):
        where = drawn.group(index)
        weights = None if drawn.weights is None else drawn.weights[where]
        assert operator(drawn.values[where], weights) == batch[index]
        assert operator(drawn.values[where].tolist(), None if weights is None else weights.tolist()) == batch[index]
    assert np.array_equal(operator.by_label(drawn.values, drawn.labels, drawn.weights, n_groups=N_GROUPS), batch)
    # Groups that are interleaved keep the order of their values.
    shuffled = np.argsort(drawn.rng.permutation(drawn.values.size) % 3, kind="stable")
    order = np.argsort(drawn.labels[shuffled], kind="stable")
    weights = None if drawn.weights is None else drawn.weights[shuffled]
    found = operator.by_label(drawn.values[shuffled], drawn.labels[shuffled], weights)
    inside = None if weights is None else weights[order]
    assert np.array_equal(found, operator.batch(drawn.values[shuffled][order], drawn.offsets, inside))


@pytest.mark.parametrize("operator", cases())
def test_input_is_left_alone(operator: Operator) -> None:
    drawn = Drawn(operator, 2)
    values, offsets = drawn.values.copy(), drawn.offsets.copy()
    weights = None if drawn.weights is None else drawn.weights.copy()
    operator.batch(drawn.values, drawn.offsets, drawn.weights)
    assert np.array_equal(values, drawn.values)
    assert np.array_equal(offsets, drawn.offsets)
    assert weights is None or np.array_equal(weights, drawn.weights)


@pytest.mark.parametrize("operator", cases("unanimous"))
def test_unanimity_is_exact(operator: Operator) -> None:
    drawn = Drawn(operator, 3)
    common = draw_values(operator, drawn.rng, N_GROUPS)
    found = operator.batch(np.repeat(common, drawn.sizes), drawn.offsets, drawn.weights)
    assert np.array_equal(found, common)


@pytest.mark.parametrize("operator", cases("bounded"))
def test_results_stay_between_the_smallest_and_the_largest_value(operator: Operator) -> None:
    for seed in range(4, 9):
        drawn = Drawn(operator, seed)
        found = operator.batch(drawn.values, drawn.offsets, drawn.weights)
        assert (found >= np.minimum.reduceat(drawn.values, drawn.offsets[:-1])).all()
        assert (found <= np.maximum.reduceat(drawn.values, drawn.offsets[:-1])).all()


@pytest.mark.parametrize("operator", cases("monotone"))
def test_raising_values_never_lowers_the_result(operator: Operator) -> None:
    for seed in range(10, 20):
        drawn = Drawn(operator, seed)
        other = draw_values(operator, drawn.rng, drawn.values.size)
        change = drawn.rng.random(drawn.values.size) < 0.4
        higher = np.where(change, np.maximum(drawn.values, other), drawn.values).astype(drawn.values.dtype)
        before = operator.batch(drawn.values, drawn.offsets, drawn.weights)
        after = operator.batch(higher, drawn.offsets, drawn.weights)
        assert (after >= before - (TOLERANCE if is_numeric(operator) else 0)).all()


@pytest.mark.parametrize("operator", cases("symmetric"))
def test_symmetric_operators_do_not_care_who_gave_which_value(operator: Operator) -> None:
    drawn = Drawn(operator, 21)
    order = np.lexsort((drawn.rng.random(drawn.values.size), drawn.labels))
    weights = None if drawn.weights is None else drawn.weights[order]
    found = operator.batch(drawn.values[order], drawn.offsets, weights)
    assert close(found, operator.batch(drawn.values, drawn.offsets, drawn.weights))


@pytest.mark.parametrize(
    "operator",
    [case for case in cases() if (one := case.values[0]).weighted and one.arity is None and one.weight_kind != "level"],
)
def test_equal_real_weights_change_nothing(operator: Operator) -> None:
    drawn = Drawn(operator, 22)
    found = operator.batch(drawn.values, drawn.offsets, np.ones(drawn.values.size))
    assert close(found, operator.batch(drawn.values, drawn.offsets))


@pytest.mark.parametrize("operator", cases())
def test_weights_are_refused_or_used(operator: Operator) -> None:
    drawn = Drawn(operator, 23)
    weights = np.ones(drawn.values.size)
    if not operator.weighted:
        with pytest.raises(ParameterError, match="weights"):
            operator.batch(drawn.values, drawn.offsets, weights)
        return
    if operator.arity is not None:
        return
    top = int(operator.domain[1]) if operator.weight_kind == "level" else 1
    for bad in (
        np.full(drawn.values.size - 1, top),
        np.full(drawn.values.size, -1.0),
        np.full(drawn.values.size, np.nan),
        np.full(drawn.values.size, np.inf),
        np.zeros(drawn.values.size),
    ):
        with pytest.raises(DiscreetError, match=type(operator).__name__):
            operator.batch(drawn.values, drawn.offsets, bad)


@pytest.mark.parametrize("operator", cases())
def test_empty_and_missing_collections_are_refused(operator: Operator) -> None:
    drawn = Drawn(operator, 24)
    name = type(operator).__name__
    with pytest.raises(DiscreetError, match=name):
        operator([])
    with pytest.raises(DiscreetError, match=name):
        operator.batch(drawn.values, np.insert(drawn.offsets, 1, 0), drawn.weights)
    with pytest.raises(DiscreetError, match=name):
        operator.batch(drawn.values, drawn.offsets[:-1], drawn.weights)
    with pytest.raises(DiscreetError, match=name):
        operator.by_label(drawn.values, drawn.labels + 1, drawn.weights)
    with pytest.raises(DiscreetError, match=name):
        operator.by_label(drawn.values, -drawn.labels - 1, drawn.weights)
    with pytest.raises(DiscreetError, match=name):
        operator.by_label(drawn.values, drawn.labels[1:], drawn.weights)
    if is_numeric(operator):
        for bad in (np.nan, np.inf):
            spoiled = drawn.values.copy()
            spoiled[3] = bad
            with pytest.raises(DiscreetError, match=f"{name}: 1 of {spoiled.size} values are missing or infinite"):
                operator.batch(spoiled, drawn.offsets, drawn.weights)
    else:
        spoiled = drawn.values.copy()
        spoiled[3] = -1
        with pytest.raises(DiscreetError, match="1 of [0-9]+ values are missing or below"):
            operator.batch(spoiled, drawn.offsets, drawn.weights)
        with pytest.raises(DiscreetError, match="integers"):
            operator([0.5] * (operator.arity or 3))


@pytest.mark.parametrize("operator", cases())
def test_an_operator_shows_its_parameters(operator: Operator) -> None:
    assert repr(operator).startswith(f"{type(operator).__name__}(")


INF = np.inf
WRITTEN_OUT = {
    "choquet-integral": [
        ("ChoquetIntegral(measure=FuzzyMeasure(n=3))", 3, (-INF, INF)),
        ("ChoquetIntegral(measure=FuzzyMeasure(n=4))", 4, (-INF, INF)),
    ],
    "convex-weighted-median": [("ConvexWeightedMedian()", None, (0.0, INF))],
    "cwow-median": [
        ("CWOWMedian(alpha=1.0, quantifier=None, beta=0.5, convex=True, random_state=None)", None, (0.0, INF)),
        ("CWOWMedian(alpha=0.5, quantifier=None, beta=0.5, convex=True, random_state=None)", None, (0.0, INF)),
        ("CWOWMedian(alpha=3.0, quantifier=None, beta=0.5, convex=True, random_state=None)", None, (0.0, INF)),
        ("CWOWMedian(alpha=1.0, quantifier='about half', beta=0.5, convex=True, random_state=None)", None, (0.0, INF)),
        ("CWOWMedian(alpha=1.0, quantifier=None, beta=0.3, convex=True, random_state=None)", None, (0.0, INF)),
        ("CWOWMedian(alpha=2.0, quantifier=None, beta=0.5, convex=False, random_state=None)", None, (0.0, INF)),
    ],
    "cwow-plurality": [
        ("CWOWPlurality(alpha=1.0, quantifier=None)", None, (0.0, INF)),
        ("CWOWPlurality(alpha=0.5, quantifier=None)", None, (0.0, INF)),
        ("CWOWPlurality(alpha=3.0, quantifier=None)", None, (0.0, INF)),
    ],
    "defuzzifier": [
        (
            (
                "Defuzzifier(steps=[ConvexHull(), WOWTransformation(alpha=2.0, quantifier=None), "
                "MedianSelection(beta=0.5, side='upper')], n_levels=None, random_state=None)"
            ),
            None,
            (0.0, INF),
        ),
        (
            (
                "Defuzzifier(steps=[ChoquetTransformation(normalisation='each'), MedianSelection(beta=0.5, "
                "side='upper')], n_levels=7, random_state=None)"
            ),
            None,
            (0.0, 6.0),
        ),
        (
            (
                "Defuzzifier(steps=[Normalisation(), MedianSelection(beta=0.5, side='lower')], n_levels=None, "
                "random_state=None)"
            ),
            None,
            (0.0, INF),
        ),
    ],
    "least-distance": [
        ("LeastDistance(n_levels=7)", None, (0.0, 6.0)),
        ("LeastDistance(n_levels=7)", None, (0.0, 6.0)),
    ],
    "linguistic-owa": [
        ("LinguisticOWA(alpha=1.0, quantifier=None, vector=None)", None, (0.0, INF)),
        ("LinguisticOWA(alpha=0.5, quantifier=None, vector=None)", None, (0.0, INF)),
        ("LinguisticOWA(alpha=1.0, quantifier='most', vector=None)", None, (0.0, INF)),
        ("LinguisticOWA(alpha=1.0, quantifier=None, vector=(0.5, 0.3, 0.2))", 3, (0.0, INF)),
    ],
    "linguistic-wowa": [
        ("LinguisticWOWA(alpha=1.0, quantifier=None)", None, (0.0, INF)),
        ("LinguisticWOWA(alpha=0.5, quantifier=None)", None, (0.0, INF)),
        ("LinguisticWOWA(alpha=1.0, quantifier='most')", None, (0.0, INF)),
    ],
    "mean": [("ArithmeticMean()", None, (-INF, INF))],
    "mean-hierarchy": [
        (
            (
                "MeanHierarchy(layers=((QuasiWeightedMean(generator=Generator(low=5e-324, high=inf, "
                "label='log'), weights=array([0.5, 0.5])), QuasiWeightedMean(generator=Generator(low=0.0, "
                "high=inf, label='power:2'), weights=array([0.5, 0.5]))), "
                "(QuasiWeightedMean(generator=Generator(low=0.0, high=inf, label='power:1'), "
                "weights=array([0.5, 0.5])),)))"
            ),
            2,
            (5e-324, INF),
        ),
        (
            (
                "MeanHierarchy(layers=((QuasiWeightedMean(generator=Generator(low=5e-324, high=inf, "
                "label='log'), weights=array([0.2, 0.3, 0.5])), QuasiWeightedMean(generator=Generator(low=0.0, "
                "high=inf, label='power:2'), weights=array([0.6, 0.2, 0.2]))), "
                "(QuasiWeightedMean(generator=Generator(low=0.0, high=inf, label='power:1'), "
                "weights=array([0.25, 0.75])),)))"
            ),
            3,
            (5e-324, INF),
        ),
    ],
    "numeric-median": [
        ("NumericMedian(middle='mean')", None, (-INF, INF)),
        ("NumericMedian(middle='lower')", None, (-INF, INF)),
        ("NumericMedian(middle='upper')", None, (-INF, INF)),
    ],
    "numeric-order-statistic": [
        ("NumericOrderStatistic(rank=1)", None, (-INF, INF)),
        ("NumericOrderStatistic(rank=-1)", None, (-INF, INF)),
    ],
    "ordinal-choquet": [
        (
            (
                "OrdinalChoquet(measure=[0, 2, 1, 4, 3, 5, 5, 8], logic=OrdinalLogic(lukasiewicz, n_levels=7), "
                "rounding='down')"
            ),
            3,
            (0.0, 6.0),
        ),
        (
            "OrdinalChoquet(measure=[0, 2, 1, 4, 3, 5, 5, 8], logic=OrdinalLogic(minimum, n_levels=7), rounding='up')",
            3,
            (0.0, 6.0),
        ),
    ],
    "ordinal-median": [
        ("OrdinalMedian(side='lower')", None, (0.0, INF)),
        ("OrdinalMedian(side='upper')", None, (0.0, INF)),
    ],
    "ordinal-order-statistic": [("OrdinalOrderStatistic(rank=1)", None, (0.0, INF))],
    "ordinal-sugeno": [
        ("OrdinalSugeno(measure=[0, 2, 1, 4, 3, 5, 5, 6], n_levels=7)", 3, (0.0, 6.0)),
        ("OrdinalSugeno(measure=array([0, 6, 2, 6, 4, 6, 4, 6]), n_levels=None)", 3, (0.0, 6.0)),
    ],
    "ordinal-weighted-mean": [
        ("OrdinalWeightedMean(logic=OrdinalLogic(lukasiewicz, n_levels=7), rounding='down')", None, (0.0, 6.0)),
        ("OrdinalWeightedMean(logic=OrdinalLogic(lukasiewicz, n_levels=7), rounding='up')", None, (0.0, 6.0)),
        ("OrdinalWeightedMean(logic=OrdinalLogic(minimum, n_levels=7), rounding='down')", None, (0.0, 6.0)),
        ("OrdinalWeightedMean(logic=OrdinalLogic(nilpotent_minimum, n_levels=7), rounding='down')", None, (0.0, 6.0)),
        ("OrdinalWeightedMean(logic=OrdinalLogic(ordinal_sum, n_levels=7), rounding='up')", None, (0.0, 6.0)),
    ],
    "owa": [
        ("OWA(quantifier=Power(alpha=2.0), weights=None)", None, (-INF, INF)),
        ("OWA(quantifier=Threshold(alpha=0.5), weights=None)", None, (-INF, INF)),
        ("OWA(quantifier=None, weights=array([0.1, 0.2, 0.7]))", 3, (-INF, INF)),
    ],
    "plurality": [("Plurality()", None, (0.0, INF))],
    "quasi-mean": [
        ("QuasiArithmeticMean(generator=Generator(low=5e-324, high=inf, label='log'))", None, (5e-324, INF)),
        ("QuasiArithmeticMean(generator=Generator(low=5e-324, high=inf, label='power:-1'))", None, (5e-324, INF)),
        ("QuasiArithmeticMean(generator=Generator(low=0.0, high=inf, label='power:2'))", None, (0.0, INF)),
        ("QuasiArithmeticMean(generator=Generator(low=-inf, high=inf, label='exponential:0.5'))", None, (-INF, INF)),
    ],
    "quasi-weighted-mean": [
        (
            "QuasiWeightedMean(generator=Generator(low=5e-324, high=inf, label='log'), weights=None)",
            None,
            (5e-324, INF),
        ),
        (
            "QuasiWeightedMean(generator=Generator(low=0.0, high=inf, label='power:2'), weights=array([0.2, 0.8]))",
            2,
            (0.0, INF),
        ),
    ],
    "semantics-mean": [
        (
            (
                "SemanticsMean(semantics=IntervalSemantics(low=(0.0, 2.0, 3.0, 5.0), high=(2.0, 3.0, 5.0, 9.0), "
                "partition=(True, True, True, True)))"
            ),
            None,
            (0.0, 3.0),
        ),
        (
            (
                "SemanticsMean(semantics=IntervalSemantics(low=(0.0, 0.0, 2.0, 4.0), high=(2.0, 4.0, 4.0, 5.0), "
                "partition=(True, False, True, True)))"
            ),
            None,
            (0.0, 3.0),
        ),
    ],
    "sugeno-integral": [
        ("SugenoIntegral(measure=FuzzyMeasure(n=3), strict=True)", 3, (0.0, 1.0)),
        ("SugenoIntegral(measure=FuzzyMeasure(n=4), strict=True)", 4, (0.0, 1.0)),
        ("SugenoIntegral(measure=FuzzyMeasure(n=3), strict=True)", 3, (0.0, 1.0)),
    ],
    "symmetric-sugeno": [
        ("SymmetricSugeno(quantifier=Power(alpha=2.0), strict=True)", None, (0.0, 1.0)),
        ("SymmetricSugeno(quantifier=Sigmoid(alpha=0.4, slope=10.0, ends='pinned'), strict=True)", None, (0.0, 1.0)),
    ],
    "trimmed-mean": [
        ("TrimmedMean(proportion=0.0)", None, (-INF, INF)),
        ("TrimmedMean(proportion=0.25)", None, (-INF, INF)),
    ],
    "weighted-max": [("WeightedMax(n_levels=7)", None, (0.0, 6.0))],
    "weighted-mean": [
        ("WeightedMean(weights=None)", None, (-INF, INF)),
        ("WeightedMean(weights=array([0.5, 0.3, 0.2]))", 3, (-INF, INF)),
    ],
    "weighted-median": [("WeightedMedian()", None, (0.0, INF))],
    "weighted-min": [("WeightedMin(n_levels=7)", None, (0.0, 6.0))],
    "weighted-order-statistic": [
        ("WeightedOrderStatistic(share=0.5)", None, (0.0, INF)),
        ("WeightedOrderStatistic(share=0.1)", None, (0.0, INF)),
        ("WeightedOrderStatistic(share=1.0)", None, (0.0, INF)),
    ],
    "wow": [
        ("WOW(operator=WeightedMedian(), alpha=1.0, quantifier=None)", None, (0.0, INF)),
        ("WOW(operator=Plurality(), alpha=2.0, quantifier=None)", None, (0.0, INF)),
        ("WOW(operator=ConvexWeightedMedian(), alpha=0.5, quantifier=None)", None, (0.0, INF)),
    ],
    "wowa": [
        ("WOWA(quantifier=Power(alpha=2.0), weights=None)", None, (-INF, INF)),
        (
            "WOWA(quantifier=Interpolated(vector=(0.6, 0.3, 0.1), smooth=True), weights=array([0.2, 0.3, 0.5]))",
            3,
            (-INF, INF),
        ),
    ],
}
"""The examples of every operator: as they show themselves, for how many values, and of which interval."""


def test_examples_are_these() -> None:
    assert sorted(operator_names()) == list(WRITTEN_OUT)
    for name, expected in WRITTEN_OUT.items():
        assert [(repr(one), one.arity, one.domain) for one in operator_named(name).examples()] == expected
