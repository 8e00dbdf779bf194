"""Operators learned from examples: rows of values from n sources, and the result each row should have.

The weights of the weighted mean, the OWA and the quasi-weighted mean, and the measure of the Choquet integral, minimise
a sum of squares that is quadratic in them. Each model adds up the normal matrix of its rows, block by block
(`partial_fit`), and solves a small quadratic program when a result is asked for. The WOWA is not quadratic in both its
weight vectors: its model keeps the rows and descends from the better of the two special cases.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from typing import Any, Self

import numpy as np

from discreet.errors import DataError, NotFittedError
from discreet.operators.learning.quadratic import solve_on_simplex
from discreet.operators.numbers.generators import Generator, as_generator
from discreet.operators.numbers.means import QuasiWeightedMean, WeightedMean
from discreet.operators.numbers.ordering import require_domain
from discreet.operators.numbers.owa import OWA
from discreet.operators.operator import Operator
from discreet.typing import FloatArray

__all__ = ["OWAModel", "OperatorModel", "QuadraticModel", "QuasiWeightedMeanModel", "WeightedMeanModel"]

# Rows of a design that are held at once: the design of a Choquet integral has 2^n columns.
_BLOCK = 4_096


def read_examples(owner: str, X: Any, y: Any, sources: int | None = None) -> tuple[FloatArray, FloatArray]:
    """Return rows and results as arrays, or say what is wrong with them."""
    try:
        rows = np.ascontiguousarray(X, dtype=np.float64)
        results = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{owner}: X and y must be numbers.") from None
    if rows.ndim != 2 or results.shape != rows.shape[:1] or not rows.size:
        raise DataError(f"{owner}: X must be rows × sources and y one result a row; got {rows.shape}, {results.shape}.")
    if sources is not None and rows.shape[1] != sources:
        raise DataError(f"{owner}: X must have {sources} sources, as the rows before; got {rows.shape[1]}.")
    bad = int((~np.isfinite(rows)).any(axis=1).sum() + (~np.isfinite(results)).sum())
    if bad:
        raise DataError(f"{owner}: X and y must be finite; {bad} of {len(rows)} rows or results are not.")
    return rows, results


class OperatorModel(ABC):
    """What the models share: fitting, predicting, scoring, showing.

    Attributes
    ----------
    operator_ : Operator
        The learned operator.
    distance_ : float
        The sum of squared differences that was minimised, over all rows seen.
    n_rows_, n_sources_ : int
        How many rows were seen, of how many sources.
    """

    n_rows_: int = 0
    n_sources_: int | None = None

    def fit(self, X: Any, y: Any) -> Self:
        """Forget what was seen and learn from these rows."""
        self._forget()
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Add a block of rows to what was seen; the operator is learned anew when it is next asked for."""
        rows, results = read_examples(type(self).__name__, X, y, self.n_sources_)
        names = getattr(X, "columns", None)
        if names is not None and len(names) == rows.shape[1]:
            self._names = tuple(str(name) for name in names)
        self._add(rows, results)
        self.n_rows_ += len(rows)
        self.n_sources_ = rows.shape[1]
        self._solved = None
        return self

    @property
    def operator_(self) -> Operator:
        return self._solution()[0]

    @property
    def distance_(self) -> float:
        return self._solution()[1]

    def predict(self, X: Any) -> FloatArray:
        """Return the learned operator's result for each row."""
        owner = type(self).__name__
        operator = self.operator_
        rows, _ = read_examples(owner, X, np.zeros(len(X)), self.n_sources_)
        offsets = np.arange(0, rows.size + 1, rows.shape[1], dtype=np.int64)
        return operator.batch(rows.ravel(), offsets)

    def score(self, X: Any, y: Any) -> float:
        """Return R²: 1 for perfect predictions, 0 for those no better than the mean of `y`."""
        rows, results = read_examples(type(self).__name__, X, y, self.n_sources_)
        spread = float(((results - results.mean()) ** 2).sum())
        missed = float(((self.predict(rows) - results) ** 2).sum())
        return 1.0 - missed / spread if spread > 0 else float(missed == 0)

    def __repr__(self) -> str:
        fields = ", ".join(f"{key}={value!r}" for key, value in self._parameters().items())
        name = f"{type(self).__name__}({fields})"
        if not self.n_rows_:
            return name
        weights = ", ".join(f"{label}: {value:.4f}" for label, value in self._importance().items() if value >= 5e-5)
        return f"{name}\n  {self.n_rows_} rows, distance {self.distance_:.6g}\n  {weights}"

    def _repr_html_(self) -> str:
        if not self.n_rows_:
            return f"<code>{escape(repr(self))}</code>"
        cells = "".join(
            f"<tr><td>{escape(label)}</td><td>{value:.4f}</td></tr>" for label, value in self._importance().items()
        )
        caption = f"{escape(type(self).__name__)}: {self.n_rows_} rows, distance {self.distance_:.6g}"
        return f"<table><caption>{caption}</caption><tr><th>source</th><th>weight</th></tr>{cells}</table>"

    _names: tuple[str, ...] | None = None
    _solved: tuple[Operator, float] | None = None

    def _solution(self) -> tuple[Operator, float]:
        if not self.n_rows_:
            raise NotFittedError(f"{type(self).__name__}: nothing has been learned yet.", hint="Call fit first.")
        if self._solved is None:
            self._solved = self._solve()
        return self._solved

    def _labels(self) -> list[str]:
        return list(self._names or (f"source {i}" for i in range(self.n_sources_ or 0)))

    def _parameters(self) -> dict[str, Any]:
        return {}

    def _forget(self) -> None:
        self.n_rows_, self.n_sources_, self._names, self._solved = 0, None, None, None

    @abstractmethod
    def _add(self, rows: FloatArray, results: FloatArray) -> None:
        """Take in checked rows."""

    @abstractmethod
    def _solve(self) -> tuple[Operator, float]:
        """Learn from the rows seen; return the operator and its distance."""

    @abstractmethod
    def _importance(self) -> dict[str, float]:
        """Return what is shown: a number for each source or place."""


class QuadraticModel(OperatorModel):
    """A model that is linear in its parameters: the rows are remembered as a normal matrix."""

    def _forget(self) -> None:
        super()._forget()
        self._matrix = np.zeros((0, 0))

    def _add(self, rows: FloatArray, results: FloatArray) -> None:
        for start in range(0, len(rows), _BLOCK):
            block = self._design(rows[start : start + _BLOCK])
            targets = self._targets(results[start : start + _BLOCK])
            whole = np.column_stack([block, targets])
            product = whole.T @ whole
            self._matrix = product if self.n_rows_ + start == 0 else self._matrix + product

    def _distance(self, parameters: FloatArray) -> float:
        extended = np.append(parameters, -1.0)
        return max(float(extended @ self._matrix @ extended), 0.0)

    def _simplex_weights(self) -> FloatArray:
        return solve_on_simplex(self._matrix[:-1, :-1], self._matrix[:-1, -1]).x

    @abstractmethod
    def _design(self, rows: FloatArray) -> FloatArray:
        """Return the columns that the parameters multiply."""

    def _targets(self, results: FloatArray) -> FloatArray:
        return results


class WeightedMeanModel(QuadraticModel):
    """The weighted mean nearest to the examples: weights not negative, summing to 1.

    References
    ----------
    Torra (P1d), section IV.

    Examples
    --------
    >>> model = WeightedMeanModel().fit([[0, 1], [1, 0], [1, 1]], [0.25, 0.75, 1])
    >>> model.weights_.round(6), round(model.distance_, 6)
    (array([0.75, 0.25]), 0.0)
    """

    @property
    def weights_(self) -> FloatArray:
        """The learned weights, one a source."""
        weights: FloatArray = self.operator_.weights  # type: ignore[attr-defined]
        return weights

    def _design(self, rows: FloatArray) -> FloatArray:
        return rows

    def _solve(self) -> tuple[Operator, float]:
        weights = self._simplex_weights()
        return WeightedMean(weights), self._distance(weights)

    def _importance(self) -> dict[str, float]:
        return dict(zip(self._labels(), self.weights_.tolist(), strict=True))


class OWAModel(WeightedMeanModel):
    """The OWA nearest to the examples; its weights belong to places, the largest value first.

    Examples
    --------
    >>> OWAModel().fit([[0, 4], [2, 0], [6, 6]], [3, 1.5, 6]).weights_.round(6)
    array([0.75, 0.25])
    """

    def _design(self, rows: FloatArray) -> FloatArray:
        return np.sort(rows, axis=1)[:, ::-1]

    def _solve(self) -> tuple[Operator, float]:
        weights = self._simplex_weights()
        return OWA(weights=weights), self._distance(weights)

    def _labels(self) -> list[str]:
        return [f"place {i + 1}" for i in range(self.n_sources_ or 0)]


class QuasiWeightedMeanModel(WeightedMeanModel):
    """The quasi-weighted mean of a known generator f nearest to the examples, distances being measured after f.

    Parameters
    ----------
    generator : Generator or str
        As for `QuasiWeightedMean`.

    References
    ----------
    Torra (2002); P1d, section IV.A.

    Examples
    --------
    >>> QuasiWeightedMeanModel("log").fit([[1, 16], [4, 1]], [2, 2.8284271247]).weights_.round(4)
    array([0.75, 0.25])
    """

    def __init__(self, generator: Generator | str = "log") -> None:
        self.generator = generator

    def _parameters(self) -> dict[str, Any]:
        return {"generator": self.generator}

    def _design(self, rows: FloatArray) -> FloatArray:
        return self._targets(rows)

    def _targets(self, results: FloatArray) -> FloatArray:
        generator = as_generator(self.generator)
        require_domain("QuasiWeightedMeanModel", results.ravel(), (generator.low, generator.high))
        return np.asarray(generator.forward(results), dtype=np.float64)

    def _solve(self) -> tuple[Operator, float]:
        weights = self._simplex_weights()
        return QuasiWeightedMean(as_generator(self.generator), weights), self._distance(weights)
