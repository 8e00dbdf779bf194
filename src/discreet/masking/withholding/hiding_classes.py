"""Released combinations that hiding can give: which different records can be in each, and at what cost.

A different record is a row of keys, positive integers with 0 for a missing value, and how many records have it. A
released combination is a row too; a record can be in it if each key of the row is the record's own or 0.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from discreet.masking.withholding.key_classes import KeyCoder, classes_of
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["DistinctKeys", "HidingClasses", "count_matches", "distinct_rows", "hiding_classes", "patterns_up_to"]


class DistinctKeys(NamedTuple):
    """Different rows of keys, how many records have each, and which one every record has."""

    rows: IntArray
    counts: IntArray
    of_record: IntArray


class HidingClasses(NamedTuple):
    """Released combinations, and the different records that can be in them.

    Attributes
    ----------
    released : (c, d) int64
    fixed : (c,) int64
        Records that are in the combination whatever is decided.
    members, places : (p,) int64
        A different record, and the combination it can be in.
    prices : (p,) float64
        What a record pays for being there.
    """

    released: IntArray
    fixed: IntArray
    members: IntArray
    places: IntArray
    prices: FloatArray


def distinct_rows(keys: IntArray) -> DistinctKeys:
    """Return the different rows, in lexicographic order.

    Examples
    --------
    >>> distinct_rows(np.array([[2, 1], [1, 1], [2, 1]])).counts.tolist()
    [1, 2]
    """
    rows, of_record, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    return DistinctKeys(rows.astype(np.int64), counts.astype(np.int64), of_record.ravel().astype(np.int64))


def patterns_up_to(absent: BoolArray, size: int) -> BoolArray:
    """Return every set of missing keys that these rows can have when at most so many keys more are hidden.

    Examples
    --------
    >>> patterns_up_to(np.array([[False, True]]), 1).tolist()
    [[False, True], [True, True]]
    """
    d = absent.shape[1]
    more = np.zeros((sum(1 for s in range(min(size, d) + 1) for _ in combinations(range(d), s)), d), dtype=np.bool_)
    sets = (places for s in range(min(size, d) + 1) for places in combinations(range(d), s))
    for row, places in zip(more, sets, strict=True):
        row[list(places)] = True
    own = np.unique(absent, axis=0)
    return np.unique((own[:, None, :] | more[None, :, :]).reshape(-1, d), axis=0)


def hiding_classes(
    rows: IntArray,
    counts: IntArray,
    k: int,
    costs: FloatArray,
    patterns: BoolArray,
    *,
    wanted: BoolArray | None = None,
    fixed: tuple[IntArray, IntArray] | None = None,
    closed: bool = True,
) -> HidingClasses:
    """Return the combinations with these missing keys that at least k records can be in.

    Parameters
    ----------
    rows, counts : (m, d) and (m,) int64
        Different records.
    k : int
    costs : (d,) float64
        Of a hidden value of each key.
    patterns : (s, d) bool
        Which keys are missing.
    wanted : (m,) bool, optional
        Combinations without any of these are left out.
    fixed : pair of (f, d) and (f,) int64, optional
        Released rows of records about which nothing is decided, and how many.
    closed : bool
        Whether to leave out combinations that hide a key on which all who can be there agree: showing it costs less,
        and brings the same records together.

    Notes
    -----
    O(patterns × m).
    """
    m, d = rows.shape
    wanted = np.ones(m, dtype=np.bool_) if wanted is None else wanted
    still, still_counts = fixed if fixed is not None else (np.zeros((0, d), np.int64), np.zeros(0, np.int64))
    coder, absent, gone = KeyCoder(np.concatenate([rows, still])), rows == 0, still == 0
    released, fixed_counts, members, places, prices = [], [], [], [], []
    classes = 0
    for pattern in patterns:
        able = np.flatnonzero(~(absent & ~pattern).any(axis=1))
        there = np.flatnonzero((gone == pattern).all(axis=1))
        labels, sizes = classes_of(coder.numbers(np.concatenate([able, m + there]), pattern))
        own, others = labels[: able.size], labels[able.size :]
        base = np.bincount(others, still_counts[there], sizes.size).astype(np.int64)
        total = np.bincount(own, counts[able], sizes.size).astype(np.int64) + base
        keep = (total >= k) & (np.bincount(own, wanted[able], sizes.size) > 0)
        for j in np.flatnonzero(pattern) if closed else ():
            highest, lowest = np.zeros(sizes.size, np.int64), np.full(sizes.size, np.iinfo(np.int64).max)
            np.maximum.at(highest, own, rows[able, j])
            np.minimum.at(lowest, own, rows[able, j])
            keep &= (highest > lowest) | (lowest == 0) | (base > 0)
        number = np.where(keep, classes + np.cumsum(keep) - 1, -1)
        first = np.full(sizes.size, -1, dtype=np.int64)
        first[own[::-1]] = able[::-1]
        released.append(np.where(pattern, 0, rows[first[keep]]))
        fixed_counts.append(base[keep])
        inside = keep[own]
        members.append(able[inside])
        places.append(number[own[inside]])
        prices.append((pattern & ~absent[able[inside]]) @ costs)
        classes += int(keep.sum())
    return HidingClasses(
        np.concatenate(released),
        np.concatenate(fixed_counts),
        np.concatenate(members),
        np.concatenate(places),
        np.concatenate(prices).astype(np.float64),
    )


def count_matches(probes: IntArray, rows: IntArray, counts: IntArray) -> IntArray:
    """Return how many of the counted rows each probe matches, where a missing value matches everything.

    Examples
    --------
    >>> count_matches(np.array([[1, 0], [2, 2]]), np.array([[1, 1], [1, 2], [0, 2]]), np.array([1, 1, 5])).tolist()
    [7, 5]
    """
    coder, n = KeyCoder(np.concatenate([probes, rows])), len(probes)
    asked, of_probe = np.unique(probes == 0, axis=0, return_inverse=True)
    there, of_row = np.unique(rows == 0, axis=0, return_inverse=True)
    result = np.zeros(n, dtype=np.int64)
    for p, first in enumerate(asked):
        own = np.flatnonzero(of_probe.ravel() == p)
        for q, second in enumerate(there):
            others = np.flatnonzero(of_row.ravel() == q)
            labels, sizes = classes_of(coder.numbers(np.concatenate([own, n + others]), first | second))
            matches = np.bincount(labels[own.size :], counts[others], sizes.size).astype(np.int64)
            result[own] += matches[labels[: own.size]]
    return result
