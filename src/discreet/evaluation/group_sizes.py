"""How many records share their keys with how many others: the histogram of a file, and of its release."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.contracts.file_risk import GroupSizes
from discreet.data.microdata import Microdata
from discreet.typing import IntArray

__all__ = ["group_sizes", "sizes_between"]

_ENDS = (1, 2, 3, 5, 10, 50, 100, 1000)


def group_sizes(table: Microdata, names: Sequence[str]) -> tuple[GroupSizes, ...]:
    """Return how many groups of equal keys, and records in them, there are by size, as a file shows the keys.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.microdata import microdata
    >>> ages = microdata(pl.DataFrame({"age": [30.0, 30.0, 30.0, 41.0]}))
    >>> [(one.label, one.records) for one in group_sizes(ages, ["age"]) if one.records]
    [('1', 1), ('3–4', 3)]
    """
    if not names or not len(table):
        return ()
    codes = np.zeros(len(table), dtype=np.int64)
    for name in names:  # numbered anew after every key, so that a pair of numbers is one number that fits
        own = np.unique(table.as_written(name), return_inverse=True)[1]
        codes = np.unique(codes * (int(own.max()) + 1) + own, return_inverse=True)[1]
    sizes, groups = np.unique(np.bincount(codes), return_counts=True)
    return sizes_between(sizes, groups, sizes * groups)


def sizes_between(sizes: IntArray, groups: IntArray, records: IntArray) -> tuple[GroupSizes, ...]:
    """Return counts by size as counts by classes of sizes."""
    result = []
    for least, after in zip(_ENDS, (*_ENDS[1:], 0), strict=True):
        inside = (sizes >= least) & ((sizes < after) | (not after))
        last = after - 1 if after else 0
        result.append(GroupSizes(least, last, int(groups[inside].sum()), int(records[inside].sum())))
    return tuple(result)
