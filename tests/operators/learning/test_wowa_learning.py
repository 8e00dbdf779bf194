"""Weights of sources and of places, learned together."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.operators import WOWA, Interpolated, WOWAModel
from discreet.operators.learning.wowa_learning import _Examples, _softmax

ROWS = np.array([[0.2, 0.9, 0.5], [0.7, 0.1, 0.4], [0.3, 0.3, 0.8]])


def rows(seed=0, n=60):
    return np.random.default_rng(seed).uniform(0, 1, (n, 3))


def made_by(p, w, some):
    return np.array([WOWA(Interpolated(w), p)(row) for row in some.tolist()])


def test_a_row_is_what_the_operator_makes_of_it() -> None:
    p, w = [0.5, 0.2, 0.3], [0.6, 0.1, 0.3]
    results = np.array([0.5, 0.25, 0.125])
    missed = made_by(p, w, ROWS) - results
    examples = _Examples(ROWS, results)
    assert examples.distance(np.array(p), np.array(w)) == pytest.approx(missed @ missed)
    # Sources in the order of their values: of the first row, the second, the third, the first.
    assert examples.order.tolist() == [[1, 2, 0], [0, 2, 1], [2, 0, 1]]
    assert examples.drops == pytest.approx(np.array([[0.4, 0.3], [0.3, 0.3], [0.5, 0.0]]))
    assert examples.wanted == pytest.approx(results - [0.2, 0.1, 0.3])


def test_the_best_places_are_those_that_made_the_rows() -> None:
    some = rows()
    p, w = [0.2, 0.3, 0.5], [0.1, 0.7, 0.2]
    examples = _Examples(some, made_by(p, w, some))
    assert examples.best_places(np.array(p)) == pytest.approx(w, abs=1e-5)


START = [([0.25, 0.35, 0.4], [0.3, 0.4, 0.3]), ([0.0, 0.4, 0.6], [0.3, 0.5, 0.2])]


@pytest.mark.parametrize(("p", "w"), START, ids=["near", "without a source"])
def test_a_descent_finds_what_made_the_rows_and_leaves_weights_of_zero(p, w) -> None:
    some = rows()
    made = [0.2, 0.3, 0.5], [0.3, 0.5, 0.2]
    examples = _Examples(some, made_by(*made, some))
    assert examples.distance(np.array(p), np.array(w)) > 0.01
    found = examples.descend(np.array(p), np.array(w))
    assert examples.distance(*found) < 1e-4
    assert found[0] == pytest.approx(made[0], abs=0.01)
    assert found[1] == pytest.approx(made[1], abs=0.01)


def test_a_descent_from_a_place_without_weight_gets_nearer() -> None:
    some = rows()
    examples = _Examples(some, made_by([0.2, 0.3, 0.5], [0.3, 0.5, 0.2], some))
    start = np.array([0.2, 0.3, 0.5]), np.array([0.0, 0.5, 0.5])
    found = examples.descend(*start)
    assert examples.distance(*found) < 0.2 * examples.distance(*start)
    assert [one.sum() for one in found] == pytest.approx([1.0, 1.0])


def test_logarithms_become_weights_that_sum_to_one() -> None:
    assert _softmax(np.log([1.0, 2.0, 5.0])) == pytest.approx([0.125, 0.25, 0.625])
    assert _softmax(np.array([1000.0, 1000.0])) == pytest.approx([0.5, 0.5])


def test_what_counts_is_told_by_source_and_by_place() -> None:
    some = rows()
    model = WOWAModel().fit(some, made_by([0.2, 0.3, 0.5], [0.1, 0.7, 0.2], some))
    found = model._importance()
    assert list(found)[3:] == ["place 1", "place 2", "place 3"]
    assert list(found.values()) == pytest.approx([0.2, 0.3, 0.5, 0.1, 0.7, 0.2], abs=1e-3)
    assert WOWAModel(4)._parameters() == {"max_rounds": 4}
    assert WOWAModel().max_rounds == 10


def test_more_rounds_come_no_farther_and_fitting_again_forgets() -> None:
    some = rows(3)
    results = np.clip(some.max(axis=1) * 0.6 + 0.3 * some[:, 0] + 0.05 * np.sin(20 * some[:, 1]), 0, 1)
    distances = [WOWAModel(rounds).fit(some, results).distance_ for rounds in (0, 1, 10)]
    assert distances[0] > distances[1] >= distances[2]
    model = WOWAModel().fit(rows(4), np.zeros(60))
    assert model.fit(some, results).distance_ == pytest.approx(distances[2])
    both = WOWAModel().fit(some[:20], results[:20]).partial_fit(some[20:], results[20:])
    assert both.distance_ == pytest.approx(distances[2])
