"""Unordered categories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.data.scales.scale import Categorical
from discreet.typing import CodeArray, FloatArray, Json, Level

__all__ = ["Nominal"]


@dataclass(frozen=True)
class Nominal(Categorical):
    """Categories without an order: two values are the same (distance 0) or not (distance 1).

    Parameters
    ----------
    levels : sequence of str, int, float or bool
        The categories; their order is kept but means nothing.

    Examples
    --------
    >>> fuel = Nominal(["gas", "oil", "wood"])
    >>> fuel.encode(["oil", None, "gas"])
    array([ 1, -1,  0], dtype=int32)
    >>> fuel.distance([0, 1], [0, 2])
    array([0., 1.])
    """

    levels: tuple[Level, ...]
    kind: ClassVar[str] = "nominal"
    ordered: ClassVar[bool] = False

    def __init__(self, levels: Iterable[Level]) -> None:
        self._set_levels(levels)

    @property
    def largest_distance(self) -> float:
        return float(len(self.levels) > 1)

    def _level_distance(self, a: CodeArray, b: CodeArray) -> FloatArray:
        return np.asarray(a != b, dtype=np.float64)

    def to_dict(self) -> Json:
        return {"levels": list(self.levels)}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Nominal:
        return cls(tuple(fields["levels"]))
