"""Fuzzy measures in whole numbers: levels of a scale, or counts, indexed by the bits of a set of sources."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from discreet.errors import DataError, ParameterError
from discreet.kernels.values.aggregate_ordinal import upper_set_measures
from discreet.operators.levels.codes import Groups, sorted_order
from discreet.typing import IntArray

__all__ = ["measure_arity", "possibility_levels", "read_measure", "upper_chains"]

_LARGEST_ARITY = 20


def possibility_levels(importances: Iterable[int]) -> IntArray:
    """Return the possibility measure of a level per source: a set is worth what its most important source is.

    Its Sugeno integral is the weighted maximum.

    Examples
    --------
    >>> possibility_levels([3, 6]).tolist()
    [0, 3, 6, 6]
    """
    measure = np.zeros(1, dtype=np.int64)
    for importance in importances:
        measure = np.concatenate([measure, np.maximum(measure, importance)])
    return measure


def measure_arity(owner: str, measure: Any) -> int:
    """Return the number of sources of a measure that is indexed by bits."""
    size = int(np.size(measure))
    arity = size.bit_length() - 1
    if size < 2 or size != 1 << arity or arity > _LARGEST_ARITY:
        raise ParameterError(
            f"{owner}: measure must have 2 ** n entries, n between 1 and {_LARGEST_ARITY}; got {size}."
        )
    return arity


def read_measure(owner: str, measure: Any) -> IntArray:
    """Return a measure as integers, or say which sets of sources break its axioms."""
    array = np.asarray(measure)
    arity = measure_arity(owner, array)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ParameterError(f"{owner}: measure must be a list of integers.")
    if array[0] != 0 or array[-1] <= 0:
        raise ParameterError(f"{owner}: measure must be 0 for no source and positive for all.")
    for source in range(arity):
        pairs = array.reshape(-1, 2, 1 << source)
        falls = np.argwhere(pairs[:, 1] < pairs[:, 0])
        if falls.size:
            lower = int(falls[0][0]) * (2 << source) + int(falls[0][1])
            raise ParameterError(
                f"{owner}: measure must be monotone; it falls from {_bits(lower)} to {_bits(lower | 1 << source)}."
            )
    return np.ascontiguousarray(array, dtype=np.int64)


def _bits(subset: int) -> str:
    return "{" + ", ".join(str(source) for source in range(subset.bit_length()) if subset >> source & 1) + "}"


def upper_chains(owner: str, groups: Groups, measure: IntArray) -> tuple[IntArray, IntArray]:
    """Return the ascending order of every group and the measure of the sources from each value upwards."""
    arity = measure.size.bit_length() - 1
    wrong = int((np.diff(groups.offsets) != arity).sum())
    if wrong:
        raise DataError(
            f"{owner}: {wrong} of {groups.offsets.size - 1} collections do not have the measure's {arity} values."
        )
    order = sorted_order(groups.values, groups.offsets)
    chain = np.empty(order.size, dtype=np.int64)
    upper_set_measures(order, arity, measure, chain)
    return order, chain
