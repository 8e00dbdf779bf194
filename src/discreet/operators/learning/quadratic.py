"""Convex quadratic programs, ``min ½·x'Hx − f'x``, for what is learned from examples.

The data enter only through H and f, so that after one pass over the rows the cost depends on the number of variables
alone (Torra, P1d, section IV.A). Weights on the simplex are found by an active set method, which gives exact zeros.
The measure of a Choquet integral has far more constraints than variables, most of them binding together, where active
sets may exchange constraints without end; it is found by an interior point method, which does not mind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.errors import DataError
from discreet.typing import BoolArray, FloatArray

__all__ = ["Solution", "solve_inside", "solve_on_simplex"]

# How strongly the solution is drawn to the start where the data leave it open, relative to the mean of H's diagonal:
# far below any measured difference, far above rounding.
_PULL = 1e-10
_SMALL = 1e-10


@dataclass(frozen=True)
class Solution:
    """The minimiser, and how many steps it took."""

    x: FloatArray
    steps: int


def _pulled(hessian: FloatArray, linear: FloatArray, start: FloatArray) -> tuple[FloatArray, FloatArray]:
    mean_curvature = float(np.trace(hessian)) / linear.size or 1.0
    return hessian / mean_curvature + _PULL * np.eye(linear.size), linear / mean_curvature + _PULL * start


def solve_on_simplex(hessian: FloatArray, linear: FloatArray) -> Solution:
    """Minimise over weights that are not negative and sum to 1, starting from equal ones.

    Parameters
    ----------
    hessian : array (n, n)
        Symmetric and positive semidefinite. Where columns are collinear, many weights share the minimum, and those
        nearest to equal ones are returned.
    linear : array (n,)
        The f of the objective.

    Notes
    -----
    Each step goes to the minimum over the free weights, or to the first weight that would turn negative, which is held
    at zero from there on; at the minimum, the held weight with the most negative multiplier is freed. When steps stop
    making progress, the lowest index is taken instead, which cannot cycle.

    Examples
    --------
    >>> solve_on_simplex(np.eye(2), np.array([1.0, 0.5])).x
    array([0.75, 0.25])
    """
    n = linear.size
    x = np.full(n, 1.0 / n)
    matrix, target = _pulled(hessian, linear, x)
    free = np.ones(n, dtype=np.bool_)
    stalled = 0
    settled = False
    for step in range(1, 100 * n + 1):
        gradient = matrix @ x - target
        move, price = _free_move(matrix, gradient, free)
        if settled or np.abs(move).max() <= _SMALL:
            multipliers = np.where(free, 0.0, gradient - price)
            below = np.flatnonzero(multipliers < -_SMALL * (1.0 + np.abs(gradient).max()))
            if not below.size:
                return Solution(x / x.sum(), step)
            free[below[np.argmin(multipliers[below])] if stalled < n else below[0]] = True
            settled = False
            continue
        closing = np.flatnonzero(free & (move < 0))
        room = x[closing] / -move[closing]
        # A whole step ends at the minimum over the free weights; asking for the next one to vanish would be asking
        # rounding to vanish where H is nearly singular.
        settled = not closing.size or float(room.min()) >= 1.0
        length = 1.0 if settled else float(room.min())
        x = np.maximum(x + length * move, 0.0)
        stalled = 0 if length > 0 else stalled + 1
        if not settled:
            free[closing[np.argmin(room)]] = False
        x[~free] = 0.0
    raise DataError(f"Quadratic program: no weights found in {100 * n} steps.", hint="Look for columns of wild scale.")


def _free_move(matrix: FloatArray, gradient: FloatArray, free: BoolArray) -> tuple[FloatArray, float]:
    """Return the move to the minimum over the free weights that keeps their sum, and the price of that sum."""
    where = np.flatnonzero(free)
    system = np.ones((where.size + 1, where.size + 1))
    system[:-1, :-1] = matrix[np.ix_(where, where)]
    system[-1, -1] = 0.0
    solved = np.linalg.solve(system, np.append(-gradient[where], 0.0))
    move = np.zeros(gradient.size)
    move[where] = solved[:-1]
    return move, -float(solved[-1])


def solve_inside(
    hessian: FloatArray, linear: FloatArray, start: FloatArray, inequality: FloatArray, *, max_steps: int = 100
) -> Solution:
    """Minimise over x with a kept sum and ``Gx ≥ 0``, from a start where every inequality holds strictly.

    Parameters
    ----------
    hessian : array (n, n)
        Symmetric and positive semidefinite.
    linear : array (n,)
        The f of the objective.
    start : array (n,)
        A point with G·start > 0; its sum is kept.
    inequality : array (g, n)
        The G.
    max_steps : int
        Twenty are usual.

    Notes
    -----
    Mehrotra's predictor and corrector steps. The inequalities hold strictly at every step, hence also in the result.
    A step costs O(g·n²).
    """
    from scipy.linalg import lu_factor, lu_solve

    n, count = linear.size, len(inequality)
    matrix, target = _pulled(hessian, linear, start)
    x, slack, prices, price_of_sum = start.copy(), inequality @ start, np.full(count, 0.1), 0.0
    system = np.ones((n + 1, n + 1))
    system[-1, -1] = 0.0

    def newton(complement: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the moves of x (and the price of its sum), of the slacks and of the prices."""
        right = -residual - inequality.T @ (complement / slack)
        solved = lu_solve(factors, np.append(right, 0.0), check_finite=False)
        fall = inequality @ solved[:n]
        return solved, fall, -(complement + prices * fall) / slack

    steps = 0
    while steps < max_steps:
        steps += 1
        residual = matrix @ x - target + price_of_sum - inequality.T @ prices
        gap = float(slack @ prices) / count
        if gap <= 1e-13 and np.abs(residual).max() <= 1e-9:
            break
        system[:n, :n] = matrix + inequality.T @ ((prices / slack)[:, None] * inequality)
        factors = lu_factor(system, check_finite=False)
        _, fall, rise = newton(slack * prices)
        reach = min(_reach(slack, fall), _reach(prices, rise))
        next_gap = float((slack + reach * fall) @ (prices + reach * rise)) / count
        solved, fall, rise = newton(slack * prices + fall * rise - gap * (next_gap / gap) ** 3)
        reach = 0.995 * min(_reach(slack, fall), _reach(prices, rise))
        ahead = inequality @ (x + reach * solved[:n])
        if reach < 1e-10 or ahead.min() <= 0:
            break
        x, slack, prices = x + reach * solved[:n], ahead, prices + reach * rise
        price_of_sum += reach * float(solved[n])
    if gap > 1e-6:
        raise DataError(
            f"Quadratic program: no measure found in {steps} steps.", hint="Look for columns of wild scale."
        )
    return Solution(x, steps)


def _reach(values: FloatArray, change: FloatArray) -> float:
    """Return how far positive values may go along a change before the first reaches zero, at most 1."""
    falling = change < 0
    return min(1.0, float((values[falling] / -change[falling]).min())) if falling.any() else 1.0
