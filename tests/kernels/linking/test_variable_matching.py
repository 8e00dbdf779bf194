"""Matching of variables by their associations: the cost by definition, and what no exchange improves."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels.linking.variable_matching import improve_matching
from discreet.typing import FloatArray, IntArray


def cost(first: FloatArray, second: FloatArray, own: FloatArray, image: IntArray, signs: IntArray) -> float:
    """The definition: what pairs of variables cost on every layer, signs on the first alone, and each by itself."""
    p = first.shape[1]
    total = sum(own[0 if signs[k] == 1 else 1, k, image[k]] for k in range(p))
    for layer in range(first.shape[0]):
        for k in range(p):
            for j in range(k):
                turn = signs[k] * signs[j] if layer == 0 else 1
                total += (first[layer, k, j] - turn * second[layer, image[k], image[j]]) ** 2
    return float(total)


def problem(seed: int, p: int, q: int) -> tuple[FloatArray, FloatArray, FloatArray, IntArray, IntArray]:
    """Associations of the second set, some of which are those of the first in another order and with signs turned."""
    rng = np.random.default_rng(seed)
    second = rng.uniform(-1, 1, (2, q, q))
    second = second + second.transpose(0, 2, 1)
    image, signs = rng.permutation(q), rng.choice([-1, 1], p)
    first = second[:, image[:p]][:, :, image[:p]].copy()
    first[0] *= np.outer(signs, signs)
    own = rng.uniform(0, 0.1, (2, p, q))
    for k in range(p):
        own[(1 - signs[k]) // 2, k, image[k]] = 0.0
    return first, second, own, image, signs


@pytest.mark.parametrize(("p", "q"), [(3, 3), (3, 4)])
@pytest.mark.parametrize("seed", range(4))
def test_the_cost_is_that_of_the_definition_and_no_single_change_lowers_it(seed: int, p: int, q: int) -> None:
    first, second, own, truth, signs = problem(seed, p, q)
    assert cost(first, second, own, truth, signs) == pytest.approx(0)
    for flips in (True, False):
        image, turned = np.arange(q), np.ones(p, dtype=np.int64)
        found = improve_matching(first, second, own, flips, image, turned)
        assert sorted(image.tolist()) == list(range(q))
        assert found == pytest.approx(cost(first, second, own, image, turned))
        assert flips or turned.tolist() == [1] * p
        for k in range(p):
            for j in range(k + 1, q):
                other = image.copy()
                other[[k, j]] = other[[j, k]]
                assert found <= cost(first, second, own, other, turned) + 1e-9
            if flips:
                turn = turned.copy()
                turn[k] = -turn[k]
                assert found <= cost(first, second, own, image, turn) + 1e-9


def test_from_the_best_nothing_moves() -> None:
    first, second, own, truth, signs = problem(9, 3, 4)
    image, turned = truth.copy(), signs.copy()
    assert improve_matching(first, second, own, True, image, turned) == pytest.approx(0)
    assert (image.tolist(), turned.tolist()) == (truth.tolist(), signs.tolist())
