"""The Choquet integral learned from examples: a fuzzy measure, general or k-additive."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.errors import ParameterError
from discreet.operators.fuzzy.fuzzy_measures import FuzzyMeasure, zeta_transform
from discreet.operators.learning.models import QuadraticModel
from discreet.operators.learning.quadratic import solve_inside
from discreet.operators.numbers.integrals import ChoquetIntegral
from discreet.operators.operator import Operator
from discreet.parameters import Integer, Optional, check_parameters
from discreet.typing import FloatArray, IntArray

__all__ = ["ChoquetModel"]

# Entries of the monotonicity constraints of a measure: 160 MB.
_LARGEST = 20_000_000


class ChoquetModel(QuadraticModel):
    """The Choquet integral nearest to the examples, with a general or a k-additive measure.

    Parameters
    ----------
    k : int, optional
        Sources interact in groups of at most k; None lets all interact, with 2^n parameters for n sources.

    Notes
    -----
    The integral is ``Σ_T m(T) · min of the values in T``, linear in the Möbius transform m, which is constrained so
    that the measure is monotone: n·2^(n−1) inequalities. Where the rows say nothing about a subset, the measure stays
    as near to the arithmetic mean's as monotonicity allows. Seconds up to 8 sources; more need a small k.

    References
    ----------
    Grabisch, Nguyen and Walker (1995); Grabisch (1997), k-additive measures.

    Examples
    --------
    >>> model = ChoquetModel().fit([[1, 0], [0, 1], [1, 1], [2, 1]], [0.25, 0.5, 1, 1.25])
    >>> round(model.measure_([0]), 6), round(model.measure_([1]), 6)
    (0.25, 0.5)
    """

    def __init__(self, k: int | None = None) -> None:
        self.k = k

    @property
    def measure_(self) -> FuzzyMeasure:
        """The learned fuzzy measure."""
        measure: FuzzyMeasure = self.operator_.measure  # type: ignore[attr-defined]
        return measure

    def _parameters(self) -> dict[str, Any]:
        return {"k": self.k}

    def _subsets(self, n: int) -> IntArray:
        check_parameters("ChoquetModel", {"k": self.k}, {"k": Optional(Integer(1))})
        sizes = np.bitwise_count(np.arange(1 << n)) if n <= 20 else np.zeros(0)
        subsets = np.flatnonzero((sizes >= 1) & (sizes <= (self.k or n)))
        if n > 20 or n * (1 << n - 1) * subsets.size > _LARGEST:
            raise ParameterError(f"ChoquetModel: k must be smaller for {n} sources; got {self.k}.")
        return subsets

    def _design(self, rows: FloatArray) -> FloatArray:
        n = rows.shape[1]
        subsets = self._subsets(n)
        place = {int(subset): column for column, subset in enumerate(subsets)}
        design = np.empty((len(rows), subsets.size), order="F")
        for subset, column in place.items():
            rest = subset & (subset - 1)
            source = (subset ^ rest).bit_length() - 1
            # A subset without its lowest source comes earlier, and its minimum is known.
            design[:, column] = rows[:, source] if not rest else np.minimum(design[:, place[rest]], rows[:, source])
        return design

    def _solve(self) -> tuple[Operator, float]:
        n = self.n_sources_ or 0
        subsets = self._subsets(n)
        start = np.where(np.bitwise_count(subsets) == 1, 1.0 / n, 0.0)
        rows = _monotone_rows(n, subsets)
        capacities = solve_inside(self._matrix[:-1, :-1], self._matrix[:-1, -1], start, rows).x
        values = np.zeros(1 << n)
        values[subsets] = capacities
        measure = FuzzyMeasure(_repaired(zeta_transform(values)))
        return ChoquetIntegral(measure), self._distance(measure.mobius()[subsets])

    def _importance(self) -> dict[str, float]:
        return dict(zip(self._labels(), self.measure_.shapley().tolist(), strict=True))


def _monotone_rows(n: int, subsets: IntArray) -> FloatArray:
    """Return a row for each source and each set without it: what the source adds to the set."""
    everything = np.arange(1 << n)
    blocks = []
    for source in range(n):
        with_source = everything[everything >> source & 1 == 1]
        inside = (subsets[None, :] & ~with_source[:, None]) == 0
        blocks.append(inside & (subsets >> source & 1 == 1)[None, :])
    return np.vstack(blocks).astype(np.float64)


def _repaired(values: FloatArray) -> FloatArray:
    """Take off the rounding that the solver leaves, so that the measure is monotone and ends at 1."""
    repaired: FloatArray = np.clip(values / values[-1], 0.0, 1.0)
    for source in range(int(values.size).bit_length() - 1):
        pairs = repaired.reshape(-1, 2, 1 << source)
        np.maximum(pairs[:, 1], pairs[:, 0], out=pairs[:, 1])
    return repaired
