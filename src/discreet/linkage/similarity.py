"""How alike two names are: levels of string similarity between the distinct values of two files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, MissingExtraError, MissingValueError
from discreet.linkage.compared import Graded
from discreet.microdata import Microdata
from discreet.scales import Categorical

__all__ = ["MOST_VALUES", "graded_by_spelling", "similarity_levels"]

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


def graded_by_spelling(
    owner: str, a: Microdata, b: Microdata, name: str, thresholds: Sequence[float], missing: str
) -> Graded:
    """Return an attribute that agrees by equality, else by how many thresholds the similarity reaches."""
    scale, other = a.schema[name].scale, b.schema[name].scale
    if not isinstance(scale, Categorical) or not isinstance(other, Categorical):
        raise DataError(
            f"{owner}: similarity speaks of attribute {name!r}, which has no levels to spell.",
            hint="Similarity is for names in text; numbers agree by bins.",
        )
    x, y = a.encoded(name).astype(np.int64), b.encoded(name).astype(np.int64)
    for which, codes in (("first", x), ("second", y)):
        if not (codes >= 0).any():
            raise MissingValueError(
                f"{owner}: column {name!r} has no values in the {which} file.",
                hint="Leave the column out of attributes.",
            )
    used_a, codes_a = np.unique(x[x >= 0], return_inverse=True)
    used_b, codes_b = np.unique(y[y >= 0], return_inverse=True)
    first, second = ([str(s.levels[i]) for i in used] for s, used in ((scale, used_a), (other, used_b)))
    values = list(dict.fromkeys([*first, *second]))
    if len(values) > MOST_VALUES:
        raise DataError(
            f"{owner}: attribute {name!r} has {len(values)} different values to compare by spelling; "
            f"at most {MOST_VALUES} can be.",
            hint="Leave it out of similarity: then it agrees if it is equal.",
        )
    place = {value: i for i, value in enumerate(values)}
    size, top = len(values), len(thresholds) + 1
    a_codes, b_codes = np.full(x.size, size, dtype=np.int64), np.full(y.size, size, dtype=np.int64)
    a_codes[x >= 0] = np.array([place[v] for v in first], dtype=np.int64)[codes_a]
    b_codes[y >= 0] = np.array([place[v] for v in second], dtype=np.int64)[codes_b]
    absent = bool((x < 0).any() or (y < 0).any())
    ignores = absent and missing == "ignore"
    table = np.zeros((size + 1, size + 1), dtype=np.uint8)
    table[:size, :size] = similarity_levels(values, values, thresholds)
    table[np.arange(size), np.arange(size)] = top
    table[:size, :size] += np.uint8(ignores)
    table[size, size] = top if missing == "agree" else 0
    code = np.arange(size + 1, dtype=np.int64)
    return Graded(name, a_codes, b_codes, (code,), ignores, table, top + 1 + ignores)
