"""Chromosomes read by hand, and generations replayed with lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.kernels.draws import below, uniform
from discreet.kernels.groups.genetic import _decode, _generation, genetic


def decoded(values: list[float], k: int, cuts: str) -> tuple[list[int], float]:
    ordered = np.array(values).reshape(len(cuts), -1)
    labels = np.full(len(cuts), -1)
    error = _decode(ordered, k, np.array([one == "|" for one in cuts]), labels, np.full(ordered.shape[1], 9.0))
    return labels.tolist(), error


@pytest.mark.parametrize(
    ("k", "cuts", "labels"),
    [
        (2, "||||||", [0, 0, 1, 1, 2, 2]),  # a cut is obeyed as soon as there are k
        (2, "......", [0, 0, 0, 1, 1, 1]),  # and a group of 2k − 1 closed without one
        (2, "..|...", [0, 0, 0, 1, 1, 1]),
        (2, ".|....", [0, 0, 1, 1, 2, 2]),  # exactly k follow
        (2, "|.....", [0, 0, 0, 1, 1, 1]),
        (2, ".....", [0, 0, 0, 1, 1]),
        (2, ".|...", [0, 0, 1, 1, 1]),
        (2, ".||..", [0, 0, 1, 1, 1]),  # one alone would follow
        (2, "....", [0, 0, 1, 1]),
        (2, "|||", [0, 0, 0]),
        (2, "||", [0, 0]),
        (3, "|||||||||", [0, 0, 0, 1, 1, 1, 2, 2, 2]),
        (3, ".........", [0, 0, 0, 0, 0, 1, 1, 1, 1]),
        (3, "...|.....", [0, 0, 0, 0, 1, 1, 1, 1, 1]),
        (3, "....|....", [0, 0, 0, 0, 0, 1, 1, 1, 1]),
        (3, "|||||", [0, 0, 0, 0, 0]),
        (1, "....", [0, 1, 2, 3]),
    ],
)
def test_groups_of_a_chromosome_have_k_to_less_than_twice_k_records(k: int, cuts: str, labels: list[int]) -> None:
    assert decoded([0.0] * len(cuts), k, cuts) == (labels, 0.0)


def test_the_error_is_the_sum_of_squares_about_the_means() -> None:
    # 1 and 3 about 2; 5, 5 and 11 about 7.
    assert decoded([1.0, 3.0, 5.0, 5.0, 11.0], 2, ".|...") == ([0, 0, 1, 1, 1], 26.0)
    # Two columns: (0, 0) and (2, 4) about (1, 2); (8, 1) and (8, 3) about (8, 2).
    assert decoded([0.0, 0.0, 2.0, 4.0, 8.0, 1.0, 8.0, 3.0], 2, "....") == ([0, 0, 1, 1], 12.0)
    assert decoded([4.0], 1, ".") == ([0], 0.0)


def replayed(
    ordered: np.ndarray, k: int, parents: list[list[bool]], fitness: list[float], mutation: float, state: np.ndarray
) -> tuple[list[list[bool]], list[float]]:
    """Draw as the kernel draws, and breed with lists."""
    size, n = len(parents), len(parents[0])
    elite = fitness.index(min(fitness))
    children, errors = [list(parents[elite])], [fitness[elite]]

    def winner() -> int:
        pair = [below(state, size), below(state, size)]
        return min(pair, key=lambda one: fitness[one])  # the first on a tie

    for _ in range(1, size):
        mother, father = winner(), winner()
        left, right = sorted((below(state, n + 1), below(state, n + 1)))
        child = parents[mother][:left] + parents[father][left:right] + parents[mother][right:]
        for _ in range(1 + below(state, max(1, int(2 * mutation * n)))):
            place = below(state, n)
            child[place] = uniform(state) < 0.5
        children.append(child)
        labels = np.empty(n, dtype=np.int64)
        errors.append(_decode(ordered, k, np.array(child), labels, np.empty(ordered.shape[1])))
    return children, errors


@pytest.mark.parametrize(("n", "mutation"), [(5, 0.0), (12, 0.2), (12, 0.5)])
def test_a_generation_is_bred_from_the_better_of_two(n: int, mutation: float) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        ordered = rng.integers(0, 9, (n, 2)).astype(np.float64)
        parents, fitness = rng.random((7, n)) < 0.5, rng.integers(0, 3, 7).astype(np.float64)
        children, errors = np.empty_like(parents), np.empty(7)
        state = np.array([seed], dtype=np.uint64)
        buffers = np.empty(n, dtype=np.int64), np.empty(2)
        _generation(ordered, 2, parents, fitness, children, errors, mutation, state, *buffers)
        twin = np.array([seed], dtype=np.uint64)
        expected = replayed(ordered, 2, parents.tolist(), fitness.tolist(), mutation, twin)
        assert (children.tolist(), errors.tolist()) == expected
        assert state == twin


def squares(values: np.ndarray, labels: np.ndarray) -> float:
    return sum(
        float(((values[labels == g] - values[labels == g].mean(axis=0)) ** 2).sum()) for g in range(labels.max() + 1)
    )


def test_without_generations_one_chromosome_is_fixed_groups_along_the_order() -> None:
    order = np.array([4, 2, 0, 1, 3, 6, 5])
    labels = genetic(np.arange(7.0)[:, None], 3, order, seed=1, generations=0, population=1)
    assert labels[order].tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert genetic(np.ones((3, 1)), 3, np.arange(3), seed=1, generations=2, population=3).tolist() == [0, 0, 0]


def test_more_generations_never_lose_and_find_the_best_cuts() -> None:
    values = np.array([0.0, 0.1, 0.2, 5.0, 5.1, 9.0, 9.1, 9.2, 20.0, 20.1])[:, None]
    order = np.arange(10)
    found = [
        squares(values, genetic(values, 2, order, seed=3, generations=generations, population=6))
        for generations in (0, 1, 3, 10, 60)
    ]
    assert found == sorted(found, reverse=True)
    labels = genetic(values, 2, order, seed=3, generations=60, population=6)
    assert labels.tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 3, 3]


def test_who_is_told_to_stop_stops(stops: Any) -> None:
    with stops():
        genetic(np.arange(6.0)[:, None], 2, np.arange(6), seed=1, generations=1, population=2)
