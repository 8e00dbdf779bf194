"""How alike two names are: levels of string similarity between the distinct values of two files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import MissingExtraError

__all__ = ["MOST_VALUES", "similarity_levels"]

MOST_VALUES = 10_000
"""More distinct values than this are refused: each is compared with each."""

_ROWS = 1000


def similarity_levels(first: Sequence[str], second: Sequence[str], thresholds: Sequence[float]) -> NDArray[np.uint8]:
    """Return by value of `second` and of `first` how many thresholds their Jaro–Winkler similarity reaches.

    References
    ----------
    Winkler (1990), String comparator metrics and enhanced decision rules in the Fellegi–Sunter model.

    Examples
    --------
    >>> similarity_levels(["martha", "jones"], ["marhta"], [0.8, 0.95]).tolist()  # 0.961 and 0.578
    [[2, 0]]
    """
    cdist, scorer = _library()
    result = np.empty((len(second), len(first)), dtype=np.uint8)
    limits = np.sort(np.asarray(thresholds, dtype=np.float64))
    for low in range(0, len(second), _ROWS):
        some = cdist(second[low : low + _ROWS], first, scorer=scorer, dtype=np.float64)
        result[low : low + _ROWS] = np.searchsorted(limits, some + 1e-9, side="right")
    return result


def _library() -> tuple[Any, Any]:
    try:
        from rapidfuzz.distance import JaroWinkler
        from rapidfuzz.process import cdist
    except ImportError:
        raise MissingExtraError(
            "Comparing names by spelling needs the rapidfuzz package.", hint="pip install 'discreet[text]'"
        ) from None
    return cdist, JaroWinkler.normalized_similarity
