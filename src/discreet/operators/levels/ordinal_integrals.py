"""Weighted maximum and minimum, and the Sugeno integral: importances are themselves levels of the scale."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.operators.levels.codes import CodeOperator, Groups
from discreet.operators.levels.ordinal_measures import measure_arity, possibility_levels, read_measure, upper_chains
from discreet.operators.operator import Operator, check_weights, register_operator
from discreet.parameters import Instance, Integer, Optional
from discreet.parameters.declaration import parameter
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["OrdinalSugeno", "WeightedMax", "WeightedMin"]


class _Possibilistic(CodeOperator):
    """What the weighted maximum and minimum share: importances that are levels of the scale."""

    weighted: ClassVar[bool] = True
    weight_kind: ClassVar[str] = "level"
    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "monotone", "symmetric"})
    n_levels: int = parameter(Integer(2), kw_only=False)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls(n_levels=7)]

    @property
    def domain(self) -> tuple[float, float]:
        return (0.0, float(self.n_levels - 1))

    def _importances(self, values: Any, offsets: Any, weights: Any) -> tuple[Groups, IntArray]:
        groups = self._groups(values, offsets, None, n_levels=self.n_levels)
        top = self.n_levels - 1
        if weights is None:
            return groups, np.full(groups.values.size, top)
        owner = type(self).__name__
        weighting = check_weights(owner, weights, groups.values.size)
        if (weighting != np.floor(weighting)).any() or (weighting > top).any():
            raise ParameterError(f"{owner}: weights must be positions of levels between 0 and {top}.")
        heads = np.maximum.reduceat(weighting, groups.offsets[:-1])
        if (heads != top).any():
            raise ParameterError(
                f"{owner}: {int((heads != top).sum())} of {heads.size} collections have no source at the top.",
                hint=f"A possibilistic weighting vector gives its most important source the level {top}.",
            )
        return groups, weighting.astype(np.int64)


@register_operator("weighted-max")
class WeightedMax(_Possibilistic):
    """The largest value, each held down to the importance of its source: ``max_i min(u_i, a_i)``.

    Parameters
    ----------
    n_levels : int
        Size of the scale. Importances are levels of it, and in each collection one source has the highest.

    References
    ----------
    Dubois and Prade (1986), Weighted minimum and maximum operations; Domingo-Ferrer and Torra (2002), Median based
    aggregation operators, Definitions 7 and 8.

    Examples
    --------
    >>> WeightedMax(n_levels=7)([6, 2, 4], weights=[3, 6, 2])
    3
    """

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        groups, importances = self._importances(values, offsets, weights)
        minima = np.minimum(importances, groups.values)
        return np.maximum.reduceat(minima, groups.offsets[:-1]).astype(np.int32)


@register_operator("weighted-min")
class WeightedMin(_Possibilistic):
    """The smallest value, each raised by the unimportance of its source: ``min_i max(N(u_i), a_i)``.

    Parameters
    ----------
    n_levels : int
        Size of the scale; ``N(u) = n_levels − 1 − u``.

    Examples
    --------
    >>> WeightedMin(n_levels=7)([0, 5, 4], weights=[3, 6, 2])
    3
    """

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        groups, importances = self._importances(values, offsets, weights)
        raised = np.maximum(self.n_levels - 1 - importances, groups.values)
        return np.minimum.reduceat(raised, groups.offsets[:-1]).astype(np.int32)


@register_operator("ordinal-sugeno")
class OrdinalSugeno(CodeOperator):
    """The Sugeno integral on an ordered scale: ``max_i min(a_(i), μ(A_(i)))`` with a measure in the scale itself.

    Parameters
    ----------
    measure : array of 2 ** n positions of levels
        ``measure[s]`` is the importance of the sources whose bits are set in ``s``: monotone, 0 for no source and the
        top level for all.
    n_levels : int, optional
        Size of the scale; by default the measure's top level is the top of the scale.

    Notes
    -----
    Every collection must have exactly n values, n ≤ 20. O(n log n) a collection.

    References
    ----------
    Sugeno (1974); Domingo-Ferrer and Torra (2002), Median based aggregation operators, Definition 6.

    Examples
    --------
    Two sources on five levels; the first alone is worth 3, the second alone 1:

    >>> OrdinalSugeno([0, 3, 1, 4])([4, 2]), OrdinalSugeno([0, 3, 1, 4])([2, 4])
    (3, 2)
    """

    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "monotone"})
    measure: Any = parameter(Instance(object, "a level for every set of sources"), kw_only=False)
    n_levels: int | None = parameter(Optional(Integer(2)), default=None, kw_only=False)

    @classmethod
    def examples(cls) -> list[Operator]:
        return [cls([0, 2, 1, 4, 3, 5, 5, 6], n_levels=7), cls(possibility_levels([6, 2, 4]))]

    @property
    def arity(self) -> int:
        return measure_arity("OrdinalSugeno", self.measure)

    @property
    def domain(self) -> tuple[float, float]:
        return (0.0, float(np.max(self.measure)))

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        measure = read_measure("OrdinalSugeno", self.measure)
        top = int(measure[-1])
        if self.n_levels is not None and top != self.n_levels - 1:
            raise ParameterError(
                f"OrdinalSugeno: measure must give all sources the top level {self.n_levels - 1}; got {top}."
            )
        groups = self._groups(values, offsets, weights, n_levels=top + 1)
        order, chain = upper_chains("OrdinalSugeno", groups, measure)
        minima = np.minimum(groups.values[order], chain)
        return np.maximum.reduceat(minima, groups.offsets[:-1]).astype(np.int32)
