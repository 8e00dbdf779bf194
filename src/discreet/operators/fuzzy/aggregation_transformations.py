"""Fuzzy sets smoothed by aggregation: each membership becomes an aggregate of all memberships, level by level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from discreet.errors import ParameterError
from discreet.kernels.values.fuzzy_sets import spread_minima
from discreet.operators.fuzzy.fuzzy_measures import FuzzyMeasure, mobius_transform
from discreet.operators.fuzzy.fuzzy_transformations import Transformation
from discreet.operators.operator import Operator
from discreet.parameters import Choice, Flag, Instance
from discreet.parameters.declaration import parameter
from discreet.typing import FloatArray

__all__ = ["AggregationTransformation", "ChoquetTransformation", "MeasureTransformation"]

_LARGEST_ARITY = 16


class ChoquetTransformation(Transformation):
    """Smoothing by a Choquet integral per level, over the runs of levels that contain it.

    ``μ'(i) = (1/Z) Σ min(μ_a … μ_b) / (b − a + 1)`` over all runs ``a ≤ i ≤ b``: a level draws support from its
    neighbours as far as no level between them has less.

    Parameters
    ----------
    normalisation : {"each", "common"}
        "each" divides by the level's own total, so that a constant set stays as it is (the paper's first way);
        "common" by the largest total of all levels, which favours the middle of the scale (the second).

    Notes
    -----
    O(n²) for n levels. The measure for level i has the Möbius transform ``K/|A|`` on the runs A that contain it; K
    cancels. ``Z_i = (n+1)·H_n − (n−i)·H_(n−i) − (i+1)·H_i`` with harmonic numbers H and levels from 0. It needs the
    whole scale, because Z depends on the number of levels.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Extending microaggregation procedures using defuzzification methods, section V-A.

    Examples
    --------
    Three levels: the middle one is in the runs 1, 01, 12 and 012, so Z = 1 + 1/2 + 1/2 + 1/3 = 7/3; an outer one
    has Z = 1 + 1/2 + 1/3 = 11/6, and 11/14 of the largest:

    >>> ChoquetTransformation("common")([1, 1, 1]).round(6).tolist()
    [0.785714, 1.0, 0.785714]
    """

    needs_scale: ClassVar[bool] = True
    normalisation: Literal["each", "common"] = parameter(Choice(("each", "common")), default="each", kw_only=False)

    @staticmethod
    def totals(n_levels: int) -> FloatArray:
        """Return Z for each of `n_levels` levels.

        Examples
        --------
        >>> ChoquetTransformation.totals(5).round(5).tolist()
        [2.28333, 3.36667, 3.7, 3.36667, 2.28333]
        """
        harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, n_levels + 1))])
        i = np.arange(n_levels)
        first = (n_levels + 1) * harmonic[n_levels]
        return np.asarray(first - (n_levels - i) * harmonic[n_levels - i] - (i + 1) * harmonic[i])

    def transform(self, rows: FloatArray) -> FloatArray:
        totals = self.totals(rows.shape[1])
        out = np.empty_like(rows)
        spread_minima(rows, np.empty(rows.shape[1]), out)
        return np.asarray(out / (totals if self.normalisation == "each" else totals.max()))


class MeasureTransformation(Transformation):
    """A Choquet integral per level with respect to the user's own fuzzy measures.

    Parameters
    ----------
    measures : sequence of FuzzyMeasure, or array of shape (n, 2 ** n)
        One per level; entry s of a row belongs to the levels whose bits are set in s.
    mobius : bool
        Whether the rows of an array are Möbius transforms of measures rather than measures.

    Notes
    -----
    For small n (at most 16): ``μ'(i) = Σ_A m_i(A) · min_A μ`` takes 2ⁿ minima a fuzzy set. Rows of an array are taken
    as they are: a measure that gives all levels less than 1, as in the paper's second normalisation, is allowed.

    Examples
    --------
    An additive measure gives a weighted mean of the memberships:

    >>> MeasureTransformation([[0, 0.5, 0.5, 1], [0, 0.25, 0.75, 1]])([0.25, 0.75]).tolist()
    [0.5, 0.625]
    """

    needs_scale: ClassVar[bool] = True
    measures: Any = parameter(Instance(object, "fuzzy measures or a table of them"), kw_only=False)
    mobius: bool = parameter(Flag(), default=False)

    def __repr__(self) -> str:
        return f"MeasureTransformation(n_levels={len(self.measures)})"

    def transform(self, rows: FloatArray) -> FloatArray:
        n = rows.shape[1]
        masses = self._masses()
        if n > _LARGEST_ARITY or masses.shape != (n, 1 << n):
            raise ParameterError(
                f"MeasureTransformation: measures must be {n} rows of 2 ** {n} entries, on at most {_LARGEST_ARITY} "
                f"levels; got shape {masses.shape}."
            )
        minima = np.full((rows.shape[0], 1), np.inf)
        for level in range(n):
            minima = np.concatenate([minima, np.minimum(minima, rows[:, level : level + 1])], axis=1)
        minima[:, 0] = 0.0
        return np.maximum(minima @ masses.T, 0.0)

    def _masses(self) -> FloatArray:
        rows = [row.values if isinstance(row, FuzzyMeasure) else row for row in self.measures]
        masses = np.array(rows, dtype=np.float64)
        if self.mobius:
            return masses
        return np.stack([mobius_transform(row.copy()) for row in masses])


class AggregationTransformation(Transformation):
    """Each level's membership replaced by an aggregation of all memberships, with an operator of its own.

    Parameters
    ----------
    operators : sequence of Operator
        One numeric operator per level; it is handed the memberships in the order of the levels.

    Examples
    --------
    >>> from discreet.operators.numbers.means import ArithmeticMean
    >>> AggregationTransformation([ArithmeticMean(), ArithmeticMean()])([0.25, 0.75]).tolist()
    [0.5, 0.5]
    """

    needs_scale: ClassVar[bool] = True

    operators: Sequence[Operator] = parameter(Instance(object, "a list of operators"), kw_only=False)

    def __post_init__(self) -> None:
        self.operators = list(self.operators)

    def transform(self, rows: FloatArray) -> FloatArray:
        count, n = rows.shape
        if len(self.operators) != n:
            raise ParameterError(
                f"AggregationTransformation: operators must be one for each of {n} levels; got {len(self.operators)}."
            )
        offsets = np.arange(0, count * n + 1, n, dtype=np.int64)
        return np.stack([operator.batch(rows.ravel(), offsets) for operator in self.operators], axis=1)
