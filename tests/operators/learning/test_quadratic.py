"""Quadratic programs small enough to be solved by hand."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import DataError
from discreet.operators.learning.quadratic import _free_move, _pulled, _reach, solve_inside, solve_on_simplex


@pytest.mark.parametrize(
    ("hessian", "linear", "expected"),
    [
        # The nearest point of the simplex to (1, 0.5): a quarter off each.
        (np.eye(2), [1.0, 0.5], [0.75, 0.25]),
        # The nearest to a far corner is the corner.
        (np.eye(2), [5.0, 0.0], [1.0, 0.0]),
        (np.eye(3), [0.9, 0.9, -5.0], [0.5, 0.5, 0.0]),
        # Curvatures 1 and 3 share their slopes: w = 3v.
        (np.diag([1.0, 3.0]), [0.0, 0.0], [0.75, 0.25]),
        # Nothing is said of anybody: equal ones.
        (np.zeros((2, 2)), [0.0, 0.0], [0.5, 0.5]),
        (np.ones((3, 3)), [1.0, 1.0, 1.0], [1 / 3, 1 / 3, 1 / 3]),
        (np.array([[2.0]]), [7.0], [1.0]),
    ],
)
def test_weights_on_the_simplex(hessian, linear, expected) -> None:
    solution = solve_on_simplex(hessian, np.array(linear))
    assert solution.x.tolist() == pytest.approx(expected, abs=1e-8)
    assert 1 <= solution.steps <= 100 * len(linear)
    # A scale of all of it changes nothing.
    assert solve_on_simplex(1000 * hessian, 1000 * np.array(linear)).x.tolist() == pytest.approx(expected, abs=1e-8)


def test_a_weight_that_was_held_is_freed_again() -> None:
    # From equal weights, the third falls to zero first, although it is wanted in the end.
    rng = np.random.default_rng(0)
    for _ in range(50):
        design, target = rng.normal(size=(6, 5)), rng.normal(size=6)
        found = solve_on_simplex(design.T @ design, design.T @ target).x
        slopes = design.T @ (design @ found - target)
        used = found > 1e-9
        assert slopes[used] == pytest.approx(slopes[used][0], abs=1e-6)
        assert (slopes >= slopes[used][0] - 1e-6).all()


def test_the_move_to_the_minimum_keeps_the_sum_of_the_free() -> None:
    matrix, gradient = np.diag([1.0, 3.0, 5.0]), np.array([1.0, -1.0, 9.0])
    move, price = _free_move(matrix, gradient, np.array([True, True, False]))
    # 1 + d = p and −1 − 3d = p: d = −1/2, p = 1/2.
    assert move.tolist() == pytest.approx([-0.5, 0.5, 0.0])
    assert price == pytest.approx(0.5)


def test_a_program_is_brought_to_a_mean_curvature_of_one() -> None:
    matrix, target = _pulled(np.diag([2.0, 6.0]), np.array([8.0, 4.0]), np.array([0.5, 0.25]))
    assert matrix == pytest.approx(np.array([[0.5 + 1e-10, 0.0], [0.0, 1.5 + 1e-10]]), rel=1e-14)
    assert target == pytest.approx([2.0 + 5e-11, 1.0 + 2.5e-11], rel=1e-15)
    flat, target = _pulled(np.zeros((1, 1)), np.array([3.0]), np.array([1.0]))
    assert (flat.tolist(), target.tolist()) == ([[1e-10]], [3.0 + 1e-10])


@pytest.mark.parametrize(
    ("values", "change", "reach"),
    [
        ([1.0, 2.0], [1.0, 0.0], 1.0),
        ([1.0, 2.0], [-0.5, -1.0], 1.0),
        ([1.0, 2.0], [-2.0, -1.0], 0.5),
        ([1.0, 2.0], [-1.0, -8.0], 0.25),
    ],
)
def test_values_go_as_far_as_the_first_that_reaches_zero(values, change, reach) -> None:
    assert _reach(np.array(values), np.array(change)) == reach


@pytest.mark.parametrize(
    ("linear", "expected"),
    [([1.0, 0.5], [0.75, 0.25]), ([5.0, 0.0], [1.0, 0.0]), ([0.0, 0.0], [0.5, 0.5])],
)
def test_inside_of_inequalities_the_minimum_is_the_same(linear, expected) -> None:
    solution = solve_inside(np.eye(2), np.array(linear), np.array([0.5, 0.5]), np.eye(2))
    assert solution.x.tolist() == pytest.approx(expected, abs=1e-6)
    assert (solution.x > 0).all()
    assert solution.steps < 40
    # Another sum is kept as well, and other inequalities: here x ≥ 2y.
    other = solve_inside(np.eye(2), np.array([0.0, 0.0]), np.array([2.5, 0.5]), np.array([[1.0, -2.0], [0.0, 1.0]]))
    assert other.x.tolist() == pytest.approx([2.0, 1.0], abs=1e-6)


def test_too_few_steps_are_told() -> None:
    with pytest.raises(DataError, match="Quadratic program: no measure found in 2 steps"):
        solve_inside(np.eye(2), np.array([5.0, 0.0]), np.array([0.5, 0.5]), np.eye(2), max_steps=2)
