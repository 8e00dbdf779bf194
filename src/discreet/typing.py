"""Names for the arrays and the few words that every room shares."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BoolArray",
    "CodeArray",
    "FloatArray",
    "IntArray",
    "Level",
    "LevelArray",
    "RandomState",
    "Role",
    "SingleArray",
]

FloatArray: TypeAlias = NDArray[np.float64]
"""Numbers, ``float64``; a missing value is NaN."""

SingleArray: TypeAlias = NDArray[np.float32]
"""Numbers rounded to ``float32``, for comparisons that are checked again exactly."""

CodeArray: TypeAlias = NDArray[np.int32]
"""Positions of levels, ``int32``; a missing value is −1."""

LevelArray: TypeAlias = NDArray[np.integer[Any]]
"""Positions of levels in as few bytes as they need, where many are kept."""

IntArray: TypeAlias = NDArray[np.int64]
"""Counts, labels and record positions, ``int64``."""

BoolArray: TypeAlias = NDArray[np.bool_]

Level: TypeAlias = str | int | float | bool
"""One category or event, as it stands in the table."""

Role: TypeAlias = Literal["key", "confidential", "identifier", "weight", "stratum", "other"]

RandomState: TypeAlias = int | np.random.Generator | np.random.SeedSequence | None

Json: TypeAlias = dict[str, Any]
