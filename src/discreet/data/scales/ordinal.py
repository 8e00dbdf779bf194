"""Ordered categories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.data.scales.scale import Categorical
from discreet.data.scales.semantics import IntervalSemantics
from discreet.errors import SchemaError
from discreet.typing import CodeArray, FloatArray, Json, Level

__all__ = ["Ordinal"]


@dataclass(frozen=True)
class Ordinal(Categorical):
    """Categories in order, from lowest to highest.

    Parameters
    ----------
    levels : sequence of str, int, float or bool
        The categories, lowest first.
    semantics : IntervalSemantics, optional
        An interval of numbers behind every level. With it the distance of two levels is the squared difference of
        the interval centres (Domingo-Ferrer and Torra, Definition 2); without it, the difference of positions
        divided by the number of levels.

    Examples
    --------
    >>> grade = Ordinal(["low", "middle", "high", "top"])
    >>> grade.encode(["high", "low"])
    array([2, 0], dtype=int32)
    >>> grade.distance([0, 0], [1, 3])
    array([0.25, 0.75])
    """

    levels: tuple[Level, ...]
    semantics: IntervalSemantics | None = None
    kind: ClassVar[str] = "ordinal"
    ordered: ClassVar[bool] = True

    def __init__(self, levels: Iterable[Level], semantics: IntervalSemantics | None = None) -> None:
        self._set_levels(levels)
        object.__setattr__(self, "semantics", semantics)
        if self.semantics is not None and len(self.semantics.low) != len(self.levels):
            raise SchemaError(
                f"Ordinal: semantics must give one interval a level; "
                f"got {len(self.semantics.low)} intervals for {len(self.levels)} levels."
            )

    @property
    def largest_distance(self) -> float:
        # Rounding keeps an order: no two other levels are farther apart, to the last bit.
        centers = None if self.semantics is None else self.semantics.centers
        ends = (0, len(self.levels) - 1) if centers is None else (int(centers.argmin()), int(centers.argmax()))
        return float(self._level_distance(*(np.array(end, dtype=np.int32) for end in ends)))

    def _level_distance(self, a: CodeArray, b: CodeArray) -> FloatArray:
        if self.semantics is None:
            return np.abs(a.astype(np.float64) - b) / len(self.levels)
        centers = np.asarray(self.semantics.centers)
        return np.asarray((centers[a] - centers[b]) ** 2, dtype=np.float64)

    def to_dict(self) -> Json:
        fields: Json = {"levels": list(self.levels)}
        if self.semantics is not None:
            fields["semantics"] = self.semantics.to_dict()
        return fields

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Ordinal:
        semantics = fields.get("semantics")
        return cls(tuple(fields["levels"]), None if semantics is None else IntervalSemantics.from_dict(semantics))
