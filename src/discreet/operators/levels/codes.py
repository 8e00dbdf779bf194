"""What operators on ordered and unordered scales share: positions of levels in, positions of levels out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from discreet.errors import DataError, MissingValueError, ParameterError
from discreet.kernels.values.aggregate_ordinal import cumulate_levels, order_within
from discreet.operators.operator import Operator, all_positive, check_offsets, check_weights, refuse_weights
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["CodeOperator", "Groups", "Levels", "cumulative_levels", "read_codes", "sorted_order"]

# Entries of a block of cumulated levels: 2 MB, so that a long scale costs no memory and a quantifier works in cache.
_BLOCK = 1 << 18


class Groups(NamedTuple):
    """Checked groups: codes, where each group begins, and a weight per code."""

    values: CodeArray
    offsets: IntArray
    weights: FloatArray


class Levels(NamedTuple):
    """Cumulated weights over the levels of a block of groups, one after the other."""

    groups: slice
    cumulated: FloatArray
    starts: IntArray
    lows: CodeArray


class CodeOperator(Operator):
    """An operator on positions of levels; its `parameters` are checked whenever it is called."""

    scales: ClassVar[frozenset[str]] = frozenset({"ordinal"})

    @property
    def domain(self) -> tuple[float, float]:
        """The codes that values must come from; unbounded above unless an operator knows its scale."""
        return (0.0, np.inf)

    def _groups(self, values: Any, offsets: Any, weights: Any, *, n_levels: int | None = None) -> Groups:
        """Check parameters, codes, groups and weights.

        Without weights every value counts once; values of weight zero are left out.
        """
        owner = type(self).__name__
        self.check_parameters()
        codes = read_codes(owner, values, n_levels)
        places = np.ascontiguousarray(offsets, dtype=np.int64)
        check_offsets(owner, codes, places)
        if weights is None:
            return Groups(codes, places, np.ones(codes.size))
        if not self.weighted:
            refuse_weights(owner, weights)
        shares = check_weights(owner, weights, codes.size)
        if all_positive(shares):
            return Groups(codes, places, shares)
        empty = int((np.add.reduceat(shares, places[:-1]) <= 0).sum())
        if empty:
            raise ParameterError(f"{owner}: {empty} of {places.size - 1} collections have no positive weight.")
        return _without_zeros(Groups(codes, places, shares))


def cumulative_levels(groups: Groups, *, convex: bool = False) -> Iterator[Levels]:
    """Yield the cumulated weights of consecutive blocks of groups; a block is about 2 MB."""
    values, offsets, weights = groups
    lows = np.minimum.reduceat(values, offsets[:-1])
    spans = np.maximum.reduceat(values, offsets[:-1]).astype(np.int64) - lows + 1
    edges = np.concatenate([[0], np.cumsum(spans)])
    begin = 0
    while begin < lows.size:
        end = max(int(np.searchsorted(edges, edges[begin] + _BLOCK, side="right")) - 1, begin + 1)
        starts = edges[begin : end + 1] - edges[begin]
        cumulated = np.empty(int(starts[-1]))
        cumulate_levels(values, offsets[begin : end + 1], weights, convex, lows[begin:end], starts, cumulated)
        yield Levels(slice(begin, end), cumulated, starts, lows[begin:end])
        begin = end


def sorted_order(values: CodeArray, offsets: IntArray) -> IntArray:
    """Return the positions of the values, ascending within each group and stable."""
    order = np.empty(values.size, dtype=np.int64)
    order_within(values, offsets, np.empty(int(values.max()) + 2, dtype=np.int64), order)
    return order


def read_codes(owner: str, values: Any, n_levels: int | None = None) -> CodeArray:
    """Return values as codes, or say what is wrong with them: not whole, missing, or outside the scale."""
    codes = _whole(owner, values)
    _check_codes(owner, codes, n_levels)
    return codes


def _without_zeros(groups: Groups) -> Groups:
    """Leave out values of weight zero: they must not stretch a span, nor be returned."""
    counted = groups.weights > 0
    if counted.all():
        return groups
    sizes = np.add.reduceat(counted, groups.offsets[:-1], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return Groups(groups.values[counted], offsets, groups.weights[counted])


def _whole(owner: str, values: Any) -> CodeArray:
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"{owner}: values must be one-dimensional; got {array.ndim} dimensions.")
    if array.dtype.kind in "biu" or array.size == 0:
        return np.ascontiguousarray(array, dtype=np.int32)
    if array.dtype.kind != "f":
        raise DataError(
            f"{owner}: values must be positions of levels, whole numbers from 0.",
            hint="Encode the levels with their scale first.",
        )
    broken = array != np.floor(array)
    if broken.any() or not np.isfinite(array).all():
        raise DataError(
            f"{owner}: values must be positions of levels; "
            f"{int((broken | ~np.isfinite(array)).sum())} of {array.size} are not whole numbers."
        )
    return np.ascontiguousarray(array, dtype=np.int32)


def _check_codes(owner: str, codes: CodeArray, n_levels: int | None) -> None:
    if codes.size and codes.min() < 0:
        missing = int((codes < 0).sum())
        raise MissingValueError(
            f"{owner}: {missing} of {codes.size} values are missing or below the scale.",
            hint="Leave missing values out before aggregating.",
        )
    if n_levels is not None and (codes >= n_levels).any():
        raise DataError(
            f"{owner}: {int((codes >= n_levels).sum())} of {codes.size} values lie outside the scale of "
            f"{n_levels} levels."
        )
