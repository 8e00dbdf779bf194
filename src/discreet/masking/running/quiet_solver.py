"""The solver of linear and integer programmes, kept quiet, and bounds that do not rest on its word."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from discreet.typing import BoolArray, FloatArray

__all__ = ["Programme", "Relaxation", "solver_kept_quiet"]

# What is taken off a bound of branch and bound: far above the tolerances of the solver.
_TOLERANCE = 1e-3


@contextmanager
def solver_kept_quiet() -> Iterator[None]:
    """Keep the solver's own words off standard output: it has some that no option turns off."""
    try:
        standard_output = os.dup(1)
    except OSError:  # there is no standard output to keep clean
        yield
        return
    sys.stdout.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    try:
        yield
    finally:
        os.dup2(standard_output, 1)
        os.close(standard_output)


class Relaxation(NamedTuple):
    """A lower bound, where the linear programme has it, and what an unknown adds to it at least when it is 1 more."""

    bound: float
    values: FloatArray
    reduced: FloatArray


@dataclass(frozen=True, repr=False)
class Programme:
    """The least cost · x with at_least ≤ A x, B x = equal and lower ≤ x ≤ upper, some of x whole numbers.

    Attributes
    ----------
    cost, lower, upper : (n,) float64
        Every upper limit is finite.
    whole : (n,) bool
        Which have to be whole numbers.
    rows : sparse (r, n)
        A, with `at_least` (r,).
    sums : sparse (s, n)
        B, with `equal` (s,).
    """

    cost: FloatArray
    lower: FloatArray
    upper: FloatArray
    whole: BoolArray
    rows: Any
    at_least: FloatArray
    sums: Any
    equal: FloatArray

    def relaxed(self, seconds: float | None = None) -> Relaxation | None:
        """Return a lower bound by linear programming; None if there was no time.

        Notes
        -----
        The bound is not the solver's: whatever the prices, duals · right sides + Σ min(reduced cost · x) over the
        limits of x is below the optimum, and that is summed here.
        """
        from scipy.optimize import linprog

        if not self.cost.size:
            return Relaxation(0.0, self.cost, self.cost)
        limit = {} if seconds is None else {"time_limit": max(seconds, 0.01)}
        with solver_kept_quiet():
            answer = linprog(
                self.cost,
                A_ub=-self.rows if self.at_least.size else None,
                b_ub=-self.at_least if self.at_least.size else None,
                A_eq=self.sums if self.equal.size else None,
                b_eq=self.equal if self.equal.size else None,
                bounds=np.stack([self.lower, self.upper], axis=1),
                method="highs",
                options=limit,
            )
        if answer.status != 0:
            return None
        reduced, bound = self.cost.copy(), 0.0
        if self.at_least.size:
            prices = np.maximum(-np.asarray(answer.ineqlin.marginals, dtype=np.float64), 0.0)
            reduced -= self.rows.T @ prices
            bound += float(prices @ self.at_least)
        if self.equal.size:
            prices = np.asarray(answer.eqlin.marginals, dtype=np.float64)
            reduced -= self.sums.T @ prices
            bound += float(prices @ self.equal)
        bound += float(np.where(reduced < 0.0, reduced * self.upper, reduced * self.lower).sum())
        bound -= 1e-9 * max(1.0, abs(bound))
        return Relaxation(bound, np.asarray(answer.x, dtype=np.float64), reduced)

    def narrowed(self, relaxation: Relaxation, ceiling: float) -> Programme:
        """Return the programme without what cannot be part of a solution of at most `ceiling`.

        Notes
        -----
        An unknown of at least 1 costs its reduced cost beyond the bound. The optimum is that of the narrowed programme,
        or above the ceiling. Only for programmes whose unknowns are whole numbers in some optimal solution.
        """
        slack = ceiling - relaxation.bound + 1e-6 * max(1.0, abs(ceiling))
        out = (relaxation.reduced > slack) & (self.lower <= 0.0)
        return replace(self, upper=np.where(out, 0.0, self.upper))

    def solved(self, seconds: float | None = None, nodes: int | None = None) -> tuple[FloatArray | None, float, bool]:
        """Return the best solution found, what none stays below, and whether the search came to an end.

        Parameters
        ----------
        seconds : float, optional
            How long to search.
        nodes : int, optional
            How many nodes of the tree to look at: the same result every time.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        if not self.cost.size:
            return self.cost, 0.0, True
        options: dict[str, Any] = {"mip_rel_gap": 1e-9}
        if seconds is not None:
            options["time_limit"] = max(seconds, 0.01)
        if nodes is not None:
            options["node_limit"] = nodes
        constraints = []
        if self.at_least.size:
            constraints.append(LinearConstraint(self.rows, self.at_least, np.inf))
        if self.equal.size:
            constraints.append(LinearConstraint(self.sums, self.equal, self.equal))
        with solver_kept_quiet():
            answer = milp(
                self.cost,
                constraints=constraints,
                integrality=self.whole.astype(np.int64),
                bounds=Bounds(self.lower, self.upper),
                options=options,
            )
        # Without a whole number to decide about there is no tree, and the optimum is the bound.
        reached = answer.fun if answer.mip_dual_bound is None and answer.status == 0 else answer.mip_dual_bound
        bound = -np.inf if reached is None else float(reached) - _TOLERANCE
        values = None if answer.x is None else np.asarray(answer.x, dtype=np.float64)
        return values, bound, answer.status in (0, 2)
