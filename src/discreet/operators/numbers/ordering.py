"""What the numeric operators share: groups checked at the door, put in order, and given heights by place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from discreet.errors import DataError
from discreet.kernels.values.aggregate_numeric import choquet_groups, order_groups_down
from discreet.operators.operator import check_offsets
from discreet.typing import FloatArray, IntArray

__all__ = ["heights_by_size", "order_down", "ordered_sums", "require_domain", "require_size", "take_groups"]


def take_groups(owner: str, values: Any, offsets: Any) -> tuple[FloatArray, IntArray]:
    """Return values and offsets as the kernels want them, after the common checks."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    bounds = np.ascontiguousarray(offsets, dtype=np.int64)
    check_offsets(owner, array, bounds)
    return array, bounds


def require_size(owner: str, offsets: IntArray, size: int) -> None:
    """Refuse groups that do not have as many values as the operator has parameters."""
    wrong = int((np.diff(offsets) != size).sum())
    if wrong:
        raise DataError(
            f"{owner}: every collection must have {size} values; {wrong} of {offsets.size - 1} have another number.",
            hint="A quantifier serves collections of any size.",
        )


def require_domain(owner: str, values: FloatArray, domain: tuple[float, float], hint: str = "") -> None:
    """Refuse values outside a closed interval, saying how many there are."""
    low, high = domain
    outside = int(((values < low) | (values > high)).sum())
    if outside:
        bounds = f"of at least {low:g}" if high == np.inf else f"between {low:g} and {high:g}"
        raise DataError(f"{owner}: values must be {bounds}; {outside} of {values.size} are not.", hint=hint)


def order_down(values: FloatArray, offsets: IntArray) -> IntArray:
    """Return positions that sort each group from its largest value to its smallest, ties on the lowest position."""
    order = np.empty(values.size, dtype=np.int64)
    buffer = np.empty(int(np.diff(offsets).max()), dtype=np.int64)
    order_groups_down(values, offsets, buffer, order)
    return order


def heights_by_size(offsets: IntArray, heights: Callable[[int], FloatArray]) -> tuple[FloatArray, IntArray]:
    """Compute heights once for each group size; return them end to end, and where each group's begin."""
    sizes = np.diff(offsets)
    if (sizes == sizes[0]).all():
        return heights(int(sizes[0])), np.zeros(sizes.size, dtype=np.int64)
    distinct, which = np.unique(sizes, return_inverse=True)
    table = np.concatenate([heights(int(size)) for size in distinct])
    first = np.concatenate([[0], np.cumsum(distinct)[:-1]])
    return table, first[which].astype(np.int64)


def ordered_sums(
    values: FloatArray,
    offsets: IntArray,
    heights: Callable[[int], FloatArray],
    *,
    floor: float = 0.0,
    clamped: bool = True,
) -> FloatArray:
    """Weight the ordered values of each group by the steps of `heights`; one sum a group."""
    table, starts = heights_by_size(offsets, heights)
    out = np.empty(offsets.size - 1)
    choquet_groups(values, order_down(values, offsets), table, starts, offsets, floor, clamped, out)
    return out
