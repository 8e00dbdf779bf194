"""The WOWA learned from examples: two weight vectors at once, by descent from a good start."""

from __future__ import annotations

import numpy as np

from discreet.operators.learning.models import OperatorModel, OWAModel, WeightedMeanModel
from discreet.operators.learning.quadratic import solve_on_simplex
from discreet.operators.numbers.owa import WOWA
from discreet.operators.numbers.quantifiers import Interpolated
from discreet.operators.operator import Operator
from discreet.parameters import Integer, check_parameters
from discreet.typing import FloatArray, IntArray

__all__ = ["WOWAModel"]

# A weight of zero has no logarithm; the descent starts this far inside.
_INSIDE = 1e-4


class WOWAModel(OperatorModel):
    """The WOWA nearest to the examples, its quantifier running straight through the cumulated place weights.

    Parameters
    ----------
    max_rounds : int
        How often the descent on both vectors and the exact solution for the place weights take turns.

    Notes
    -----
    The distance is not convex in both vectors. The start is the learned weighted mean or the learned OWA, whichever is
    nearer, and no step is taken that does not improve on it; the result is therefore at least as near as both. Weights
    are descended on as ``w_i ∝ e^λ_i`` (Filev and Yager 1998). Every step reads all rows, which are kept: for
    millions of rows, learn from a sample.

    References
    ----------
    Torra (1997, 2000); P1d, section IV.A.

    Examples
    --------
    >>> model = WOWAModel().fit([[0, 1], [1, 0], [1, 1]], [0.25, 0.75, 1])
    >>> round(model.distance_, 8)
    0.0
    """

    def __init__(self, max_rounds: int = 10) -> None:
        self.max_rounds = max_rounds

    @property
    def source_weights_(self) -> FloatArray:
        """The learned weights of the sources, p."""
        weights: FloatArray = self.operator_.weights  # type: ignore[attr-defined]
        return weights

    @property
    def place_weights_(self) -> FloatArray:
        """The learned weights of the places, w, that of the largest value first."""
        return np.asarray(self.operator_.quantifier.vector)  # type: ignore[attr-defined]

    def _parameters(self) -> dict[str, int]:
        return {"max_rounds": self.max_rounds}

    def _forget(self) -> None:
        super()._forget()
        self._blocks: list[tuple[FloatArray, FloatArray]] = []

    def _add(self, rows: FloatArray, results: FloatArray) -> None:
        if not self.n_rows_:
            self._blocks = []
        self._blocks.append((rows.copy(), results.copy()))

    def _solve(self) -> tuple[Operator, float]:
        check_parameters("WOWAModel", {"max_rounds": self.max_rounds}, {"max_rounds": Integer(0)})
        rows = np.vstack([block for block, _ in self._blocks])
        results = np.concatenate([targets for _, targets in self._blocks])
        examples = _Examples(rows, results)
        n = rows.shape[1]
        equal = np.full(n, 1.0 / n)
        starts = [
            (WeightedMeanModel().fit(rows, results).weights_, equal),
            (equal, OWAModel().fit(rows, results).weights_),
        ]
        best = min((examples.distance(p, w), index, (p, w)) for index, (p, w) in enumerate(starts))
        distance, (p, w) = best[0], best[2]
        for _ in range(self.max_rounds):
            before = distance
            for candidate in (examples.descend(p, w), (p, examples.best_places(p))):
                reached = examples.distance(*candidate)
                if reached < distance:
                    distance, (p, w) = reached, candidate
            if before - distance <= 1e-9 * before:
                break
        return WOWA(Interpolated(w.tolist()), p), distance

    def _importance(self) -> dict[str, float]:
        places = [f"place {i + 1}" for i in range(self.n_sources_ or 0)]
        return dict(
            zip(
                [*self._labels(), *places], [*self.source_weights_.tolist(), *self.place_weights_.tolist()], strict=True
            )
        )


class _Examples:
    """Rows in order of their values, and what a WOWA makes of them.

    With values a_1 ≥ … ≥ a_n of a row and P_i the weight of its i first sources, the WOWA is
    ``a_n + Σ_{i<n} Q(P_i)·(a_i − a_{i+1})``: linear in Q, and through Q in the place weights.
    """

    def __init__(self, rows: FloatArray, results: FloatArray) -> None:
        self.order: IntArray = np.argsort(-rows, axis=1, kind="stable")
        ordered = np.take_along_axis(rows, self.order, axis=1)
        self.drops = ordered[:, :-1] - ordered[:, 1:]
        self.wanted = results - ordered[:, -1]
        self.n = rows.shape[1]

    def _places(self, p: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return n·P_i and the interval of the quantifier it falls in."""
        reached = np.minimum(np.cumsum(p[self.order], axis=1)[:, :-1], 1.0) * self.n
        return reached, np.minimum(reached.astype(np.int64), self.n - 1)

    def _missed(self, p: FloatArray, w: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
        reached, interval = self._places(p)
        knots = np.concatenate([[0.0], np.cumsum(w)])
        heights = knots[interval] + (reached - interval) * w[interval]
        return (heights * self.drops).sum(axis=1) - self.wanted, reached, interval

    def distance(self, p: FloatArray, w: FloatArray) -> float:
        missed = self._missed(p, w)[0]
        return float(missed @ missed)

    def best_places(self, p: FloatArray) -> FloatArray:
        """Return the place weights that are exactly best for given source weights."""
        reached, _ = self._places(p)
        design = np.column_stack(
            [(np.clip(reached - place, 0.0, 1.0) * self.drops).sum(axis=1) for place in range(self.n)]
        )
        return solve_on_simplex(design.T @ design, design.T @ self.wanted).x

    def gradients(self, p: FloatArray, w: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return the distance and its derivatives by the source and by the place weights."""
        missed, reached, interval = self._missed(p, w)
        force = 2.0 * missed[:, None] * self.drops
        # Raising p of the k-th source in a row's order raises every P_i from i = k on.
        slopes = np.cumsum((force * w[interval] * self.n)[:, ::-1], axis=1)[:, ::-1]
        by_source: FloatArray = np.bincount(
            self.order[:, :-1].ravel(), weights=slopes.ravel(), minlength=self.n
        ).astype(np.float64)
        shares = [float((np.clip(reached - place, 0.0, 1.0) * force).sum()) for place in range(self.n)]
        return float(missed @ missed), by_source, np.array(shares)

    def descend(self, p: FloatArray, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return both vectors after a quasi-Newton descent on their logarithms."""
        from scipy.optimize import minimize

        def unpack(logs: FloatArray) -> tuple[FloatArray, FloatArray]:
            return _softmax(logs[: self.n]), _softmax(logs[self.n :])

        def objective(logs: FloatArray) -> tuple[float, FloatArray]:
            p, w = unpack(logs)
            value, by_source, by_place = self.gradients(p, w)
            return value, np.concatenate([p * (by_source - p @ by_source), w * (by_place - w @ by_place)])

        start = np.log(np.concatenate([p, w]) + _INSIDE)
        return unpack(minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x)


def _softmax(logs: FloatArray) -> FloatArray:
    shares = np.exp(logs - logs.max())
    whole: FloatArray = shares / shares.sum()
    return whole
