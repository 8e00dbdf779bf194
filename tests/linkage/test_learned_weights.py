"""Weights that are learned from known links: who rivals them, and what is minimised."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.linkage.learned_weights import drawn_rivals, learn_weights


def test_everybody_else_rivals_a_link_on_either_side() -> None:
    (first, second), (others, other_second) = drawn_rivals(np.array([[0, 1], [2, 0]]), 4, 3, np.random.default_rng(0))
    # Three others of A with record 1 of B, then record 0 of A with two others of B.
    assert (sorted(first[:3]), first[3:].tolist()) == ([1, 2, 3], [0, 0])
    assert (second[:3].tolist(), sorted(second[3:])) == ([1, 1, 1], [0, 2])
    assert (sorted(others[:3]), others[3:].tolist()) == ([0, 1, 3], [2, 2])
    assert (other_second[:3].tolist(), sorted(other_second[3:])) == ([0, 0, 0], [1, 2])


def test_at_most_fifty_are_drawn_on_either_side() -> None:
    [(first, second)] = drawn_rivals(np.array([[7, 3]]), 300, 52, np.random.default_rng(1))
    assert (first.size, second.size) == (100, 100)
    assert len(set(first[:50].tolist()) - {7}) == 50
    assert max(first[:50]) > 60, "drawn, not the first ones"
    assert (set(first[50:].tolist()), set(second[:50].tolist())) == ({7}, {3})
    assert len(set(second[50:].tolist()) - {3}) == 50
    again = drawn_rivals(np.array([[7, 3]]), 300, 52, np.random.default_rng(1))[0]
    assert again[0].tolist() == first.tolist()


def worth(weights, differences, regularisation):
    """Return what is minimised, with the differences scaled by their spread, in plain loops."""
    spread = [np.sqrt(np.mean([row[j] ** 2 for row in differences])) or 1.0 for j in range(len(weights))]
    scaled = [[row[j] / spread[j] for j in range(len(weights))] for row in differences]
    inner = [w * s for w, s in zip(weights, spread, strict=True)]
    short = [max(0.0, 1.0 - sum(w * x for w, x in zip(inner, row, strict=True))) for row in scaled]
    return regularisation * sum(w * w for w in inner) + sum(x * x for x in short) / len(short)


X = np.array([[0.0, 5.0, 1.0], [9.0, 4.0, 1.0], [4.0, 9.0, 1.0], [2.0, 2.0, 1.0]])
Y = np.array([[1.0, 4.0, 1.0], [8.0, 6.0, 1.0], [4.5, 3.0, 1.0]])
LINKS = np.array([[0, 0], [1, 1], [2, 2]])


def features(a, b):
    return -((X[a] - Y[b]) ** 2)


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("regularisation", [0.01, 0.3])
def test_no_other_weights_fit_better(positive, regularisation) -> None:
    rivals = drawn_rivals(LINKS, 4, 3, np.random.default_rng(0))
    weights = learn_weights(features, LINKS, rivals, regularisation, positive=positive)
    differences = [
        features(np.array([a]), np.array([b]))[0] - features(np.array([i]), np.array([j]))[0]
        for (a, b), pair in zip(LINKS, rivals, strict=True)
        for i, j in zip(*pair, strict=True)
    ]
    least = worth(weights, differences, regularisation)
    rng = np.random.default_rng(3)
    for step in (1e-3, 1e-2, 0.1, 1.0):
        for _ in range(20):
            other = weights * (1 + step * rng.normal(size=3)) + step * 0.01 * rng.normal(size=3)
            other = np.maximum(other, 0.0) if positive else other
            other[2] = 0.0
            assert worth(other, differences, regularisation) >= least - 1e-9
    # A column on which nobody differs weighs nothing once it costs something.
    assert weights[2] == pytest.approx(0.0, abs=1e-4)
    assert (weights >= 0).all() == positive


def test_a_single_rival_has_a_solution_by_hand() -> None:
    def of_one(a, b):
        return np.where(a == b, 3.0, 1.0)[:, None]

    rivals = [(np.array([1]), np.array([0]))]
    # The difference 2 has the spread 2: w² r + (1 − w)² is least at 1 / (1 + r), divided by the spread again.
    for regularisation in (0.25, 1.0):
        weights = learn_weights(of_one, np.array([[0, 0]]), rivals, regularisation, positive=True)
        assert weights == pytest.approx([0.5 / (1 + regularisation)], abs=1e-5)
