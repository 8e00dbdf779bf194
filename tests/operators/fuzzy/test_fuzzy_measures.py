from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import operators_numeric as reference

from discreet.errors import ParameterError
from discreet.operators import FuzzyMeasure, Power, mobius_transform, zeta_transform


def random_measure(rng: np.random.Generator, n: int) -> FuzzyMeasure:
    """A monotone measure: the running maximum of random numbers over subsets."""
    values = rng.random(1 << n)
    values[0], values[-1] = 0, 1
    for source in range(n):
        pairs = values.reshape(-1, 2, 1 << source)
        np.maximum(pairs[:, 1], pairs[:, 0], out=pairs[:, 1])
    return FuzzyMeasure(values / values[-1])


@pytest.mark.parametrize("n", range(1, 6))
def test_transforms_agree_with_their_definitions_and_undo_each_other(n: int) -> None:
    measure = random_measure(np.random.default_rng(n), n)
    found = measure.mobius()
    for subset in range(1 << n):
        members = frozenset(i for i in range(n) if subset >> i & 1)
        assert found[subset] == pytest.approx(reference.mobius(measure, members), abs=1e-12)
    assert zeta_transform(found) is found
    assert found == pytest.approx(measure.values)


def test_transforms_work_in_place_on_twenty_sources() -> None:
    values = np.random.default_rng(0).random(1 << 20)
    kept = values.copy()
    assert mobius_transform(zeta_transform(values)) is values
    assert values == pytest.approx(kept, abs=1e-6)


@pytest.mark.parametrize("n", range(1, 6))
def test_shapley_and_interaction_agree_with_their_definitions(n: int) -> None:
    measure = random_measure(np.random.default_rng(10 + n), n)
    assert measure.shapley() == pytest.approx(reference.shapley(measure, n))
    assert measure.shapley().sum() == pytest.approx(1)
    table = measure.interaction()
    assert np.array_equal(table, table.T)
    for i, j in combinations(range(n), 2):
        assert table[i, j] == pytest.approx(reference.interaction(measure, n, i, j))


def test_a_measure_is_read_from_subsets_and_from_bits() -> None:
    by_subset = FuzzyMeasure({(0,): 0.2, frozenset({1}): 0.5, 0b11: 1})
    by_bits = FuzzyMeasure([0, 0.2, 0.5, 1])
    assert by_subset.values.tolist() == by_bits.values.tolist()
    assert by_subset([]) == 0
    assert by_subset(0b10) == by_subset({1}) == by_subset([np.int64(1)]) == 0.5
    assert repr(by_subset) == "FuzzyMeasure(n=2)"
    with pytest.raises(ValueError, match="read-only"):
        by_bits.values[1] = 0.9


def test_additive_measures() -> None:
    measure = FuzzyMeasure.additive([0.2, 0.3, 0.5])
    assert measure([0, 2]) == pytest.approx(0.7)
    assert measure.additivity() == 1
    assert measure.shapley() == pytest.approx([0.2, 0.3, 0.5])
    assert measure.interaction() == pytest.approx(np.zeros((3, 3)), abs=1e-12)


def test_symmetric_and_distorted_measures() -> None:
    symmetric = FuzzyMeasure.symmetric("power:2", 4)
    assert symmetric([1, 3]) == 0.25
    assert symmetric.shapley() == pytest.approx([0.25] * 4)
    distorted = FuzzyMeasure.distorted(Power(2), [0.25] * 4)
    assert distorted.values == pytest.approx(symmetric.values)


def test_possibility_and_necessity_are_dual() -> None:
    weights = [0.3, 1.0, 0.6]
    possibility, necessity = FuzzyMeasure.possibility(weights), FuzzyMeasure.necessity(weights)
    assert possibility([0, 2]) == 0.6
    assert necessity([1]) == pytest.approx(0.4)
    assert possibility.dual().dual().values == pytest.approx(possibility.values)
    assert (necessity.values <= possibility.values + 1e-12).all()


@given(st.lists(st.floats(0.001, 0.999), min_size=2, max_size=7))
def test_lambda_measures_keep_their_rule(densities: list[float]) -> None:
    measure = FuzzyMeasure.sugeno_lambda(densities)
    n = len(densities)
    singles = np.array([measure([i]) for i in range(n)])
    assert singles == pytest.approx(densities, abs=1e-6)
    a, b = measure([0]), measure([1])
    rate = (measure([0, 1]) - a - b) / (a * b)
    rest = measure(list(range(1, n)))
    assert a + rest + rate * a * rest == pytest.approx(1, abs=1e-4 * (1 + abs(rate) * rest))


@pytest.mark.parametrize(
    ("densities", "pair"),
    [
        ([0.5, 0.5], 1.0),
        ([1.0, 0.3], 1.0),
        ([0.99] * 12, 0.9999),
        ([0.2, 0.2, 0.2 - 1e-13, 0.2, 0.2], 0.4),
        ([1e-3, 1e-3], 1.0),
        ([0.0, 0.4, 0.3, 0.1], 0.4),
    ],
)
def test_lambda_measures_at_the_edges(densities: list[float], pair: float) -> None:
    assert FuzzyMeasure.sugeno_lambda(densities)([0, 1]) == pytest.approx(pair, abs=1e-6)


def test_k_additive_measures() -> None:
    measure = FuzzyMeasure.from_mobius({(0,): 0.5, (1,): 0.4, (2,): 0.3, (0, 1): -0.2}, n=3)
    assert measure.additivity() == 2
    assert measure([0, 1]) == pytest.approx(0.7)
    assert measure.interaction()[0, 1] == pytest.approx(-0.2)
    again = FuzzyMeasure.from_mobius(measure.mobius())
    assert again.values == pytest.approx(measure.values)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FuzzyMeasure([0, 0.5, 0.5]), "must be 2.n numbers"),
        (lambda: FuzzyMeasure([0.1, 0.5, 0.5, 1]), r"μ\(∅\) must be 0; got 0.1"),
        (lambda: FuzzyMeasure([0, 0.5, 0.5, 0.9]), r"μ\(all sources\) must be 1; got 0.9"),
        (lambda: FuzzyMeasure([0, -0.5, 0.5, 1]), r"μ\(∅\) = 0 is above μ\(\{0\}\) = -0.5"),
        (lambda: FuzzyMeasure([0, 0.5, 1.5, 1]), r"μ\(\{1\}\) = 1.5 is above μ\(\{0, 1\}\) = 1"),
        (lambda: FuzzyMeasure([0, 0.5, math.nan, 1]), "finite; 1 values are not"),
        (lambda: FuzzyMeasure({(0,): 0.5, (0, 1): 1}), r"1 of 4 have none, the first being \{1\}"),
        (lambda: FuzzyMeasure({(0,): 1.0}, n=0), "n must be an integer between 1 and 20; got 0"),
        (lambda: FuzzyMeasure({}), "n must be an integer between 1 and 20; got 0"),
        (lambda: FuzzyMeasure([0, 0.5, 0.5, 1], n=3), r"2\^3 numbers; got 4"),
        (lambda: FuzzyMeasure([0, 0.5, 0.5, 1])([2]), "sources from 0 to 1"),
        (lambda: FuzzyMeasure.additive([0.5, 0.6]), "must sum to 1"),
        (lambda: FuzzyMeasure.additive([0.04] * 25), "at most 20; got 25"),
        (lambda: FuzzyMeasure.symmetric("power:2", 21), "n must be an integer between 1 and 20; got 21"),
        (lambda: FuzzyMeasure.possibility([0.3, 0.9]), "must be 1; got 0.9"),
        (lambda: FuzzyMeasure.sugeno_lambda([0.2, 1.2]), "at most 1; 1 are not"),
        (lambda: FuzzyMeasure.sugeno_lambda([0.2, 0.0]), "at least two positive"),
        (lambda: FuzzyMeasure.from_mobius({(0,): 0.4, (1,): 0.4}), "must be 1; got 0.8"),
        (lambda: FuzzyMeasure.from_mobius({(0,): 1.5, (1,): 0.5, (0, 1): -1}), r"μ\(\{0\}\) = 1.5 is above"),
    ],
)
def test_what_is_not_a_measure_is_refused(make, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()
