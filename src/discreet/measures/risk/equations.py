"""Cells that the aggregates of a release determine: one equation a group, in whole steps of the column's digits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.contracts.masked import Provenance
from discreet.data.scales.precision import Fineness, rounded
from discreet.kernels.values.solutions import MOST_MEMBERS, least_solutions
from discreet.typing import FloatArray, IntArray

__all__ = ["aggregated_together", "classes_of", "complement", "finer_than", "solved", "undone_swaps"]

_ROUNDING = 1e-12
"""How far a released mean may be off, beside its size: what its sum lost to rounding of the machine."""


def classes_of(columns: Sequence[FloatArray]) -> IntArray:
    """Return the class of every record: 0 … c − 1, equal where all columns are (missing is like missing)."""
    labels = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        codes = np.unique(column, return_inverse=True)[1].ravel()
        labels = np.unique(labels * (int(codes.max()) + 1) + codes, return_inverse=True)[1].ravel()
    return labels


def aggregated_together(step: Provenance, name: str) -> tuple[str, ...]:
    """Return the attributes that a step grouped together with `name`, and its strata: what tells its groups apart."""
    parts = step.details.get("by_stratum") or [step.details]
    together = step.attributes
    for block in parts[0].get("blocks", ()):
        names = block["attributes"] if isinstance(block, dict) else block
        if name in names:
            together = tuple(names)
    return (*together, *(step.parameters.get("strata") or ()))


def finer_than(released: FloatArray, column: Fineness) -> bool:
    """Say whether released numbers are finer than the steps of their column."""
    if column.unit is None:
        return False
    return not np.array_equal(rounded(released, column), released, equal_nan=True)


def solved(
    released: FloatArray, column: Fineness, classes: IntArray, weights: FloatArray | None, plain: FloatArray
) -> FloatArray:
    """Return the values that solve ``Σ w·a = mean·Σw`` in every small class nearest to its mean; NaN where none do.

    Without weights, or with equal ones, solutions are permutations of each other and nothing is determined. A class
    of more than eight records is left alone. The work is bounded for every class.

    Parameters
    ----------
    plain : (n,) float64
        The released values with the digits of the column: where the search begins.
    """
    result = np.full(released.size, np.nan)
    unit = column.unit
    if unit is None or weights is None or not finer_than(released, column):
        return result
    sizes = np.bincount(classes)
    inside = (sizes[classes] <= MOST_MEMBERS) & (sizes[classes] > 1) & ~np.isnan(released)
    order = np.flatnonzero(inside)
    order = order[np.argsort(classes[order], kind="stable")]
    if not order.size:
        return result
    starts = np.flatnonzero(np.diff(classes[order], prepend=-1))
    offsets = np.append(starts, order.size).astype(np.int64)
    share = weights[order]
    total = np.add.reduceat(share, starts)
    sums = total * ((released - plain)[order][starts] / unit)
    slack = _ROUNDING * total * (1.0 + np.abs(released[order][starts]) / unit)
    steps, solutions = np.empty(order.size, dtype=np.int64), np.empty(starts.size, dtype=np.int64)
    least_solutions(np.ascontiguousarray(share), offsets, sums, slack, steps, solutions)
    unique = np.repeat(solutions == 1, np.diff(offsets))
    values = plain[order] + steps * unit
    result[order[unique]] = rounded(values, column)[unique]
    return result


def complement(released: FloatArray, classes: IntArray, weights: FloatArray | None, known: FloatArray) -> FloatArray:
    """Return the last unknown value of every class whose other members are known; NaN elsewhere."""
    share = np.ones(released.size) if weights is None else weights
    open_ones = np.isnan(known)
    totals = np.bincount(classes, weights=share * np.nan_to_num(released))
    others = np.bincount(classes, weights=np.where(open_ones, 0.0, share * np.nan_to_num(known)))
    unknowns = np.bincount(classes, weights=open_ones)
    last = open_ones & (unknowns[classes] == 1) & ~np.isnan(released)
    return np.asarray(np.where(last, (totals - others)[classes] / share, np.nan))


def undone_swaps(released: FloatArray) -> FloatArray:
    """Return what stood there before neighbours in rank were exchanged: a window of one rank leaves no choice."""
    result = released.copy()
    present = np.flatnonzero(~np.isnan(released))
    order = present[np.argsort(released[present], kind="stable")]
    pairs = order[: order.size - order.size % 2].reshape(-1, 2)
    result[pairs] = released[pairs[:, ::-1]]
    return result
