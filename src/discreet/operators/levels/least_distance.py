"""The level of a group that is nearest to all of its values."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.operators.levels.codes import CodeOperator
from discreet.operators.operator import Operator, register_operator
from discreet.parameters import Instance
from discreet.parameters.declaration import parameter
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["LeastDistance"]

_TIE = 1e-9
_CELLS = 1 << 22
"""Of groups by levels, held at once."""


@register_operator("least-distance")
class LeastDistance(CodeOperator):
    """The value of the group with the least sum of distances to all others, by any distance of levels.

    With 0 and 1 it is the plurality, on ordered levels a median, on the levels of a taxonomy the one whose meaning is
    nearest to all. It is always a value that somebody has.

    Parameters
    ----------
    distances : array of shape (levels, levels)
        How far every two levels are apart: not negative, the same both ways, 0 on the diagonal.

    Notes
    -----
    With weights, the weighted sum. Ties go to the lowest position; sums within 1e-9 are ties. O(groups · levels²).

    References
    ----------
    Martínez, Sánchez and Valls (2012), Semantic adaptive microaggregation of categorical microdata; Domingo-Ferrer,
    Sánchez and Rufian-Torrell (2013), Anonymization of nominal data based on semantic marginality.

    Examples
    --------
    Apples (0) and pears (1) are nearer to each other than to nails (2); of one each, no nail stands for all:

    >>> LeastDistance([[0, 0.2, 1], [0.2, 0, 1], [1, 1, 0]])([2, 1, 0, 2])
    2
    >>> LeastDistance([[0, 0.2, 1], [0.2, 0, 1], [1, 1, 0]])([2, 1, 0])
    0
    """

    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    weighted: ClassVar[bool] = True
    properties: ClassVar[frozenset[str]] = frozenset({"unanimous", "bounded", "symmetric"})
    distances: Any = parameter(Instance(object, "a square table of distances"), kw_only=False)

    def __post_init__(self) -> None:
        table = np.ascontiguousarray(self.distances, dtype=np.float64)
        sound = table.ndim == 2 and table.shape[0] == table.shape[1] and bool(np.isfinite(table).all())
        if not sound or (table < 0).any() or (table != table.T).any() or np.diagonal(table).any():
            raise ParameterError(
                "LeastDistance: distances must be a square table, not negative, the same both ways, 0 on the diagonal."
            )
        self.distances = table

    @classmethod
    def examples(cls) -> list[Operator]:
        places = np.arange(7.0)
        return [cls(1.0 - np.eye(7)), cls(np.abs(places[:, None] - places[None, :]))]

    @property
    def domain(self) -> tuple[float, float]:
        return (0.0, float(len(self.distances) - 1))

    def __repr__(self) -> str:
        return f"LeastDistance(n_levels={len(self.distances)})"

    def batch(self, values: NDArray[Any], offsets: IntArray, weights: FloatArray | None = None) -> CodeArray:
        size = len(self.distances)
        groups = self._groups(values, offsets, weights, n_levels=size)
        count = groups.offsets.size - 1
        out = np.empty(count, dtype=np.int32)
        step = max(_CELLS // size, 1)
        for begin in range(0, count, step):
            end = min(begin + step, count)
            inside = slice(int(groups.offsets[begin]), int(groups.offsets[end]))
            rows = np.repeat(np.arange(end - begin), np.diff(groups.offsets[begin : end + 1]))
            held = np.zeros((end - begin, size))
            np.add.at(held, (rows, groups.values[inside]), groups.weights[inside])
            sums = np.where(held > 0, held @ self.distances, np.inf)
            out[begin:end] = (sums <= sums.min(axis=1, keepdims=True) + _TIE).argmax(axis=1)
        return out
