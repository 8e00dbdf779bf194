"""Search for minimal sample uniques: cells refined attribute by attribute."""

from __future__ import annotations

from discreet.kernels.jit import exact_kernel
from discreet.typing import BoolArray, CodeArray, IntArray

__all__ = ["keep_minimal", "refine_cells"]


@exact_kernel
def refine_cells(
    rows: CodeArray,  # IN (a,) int32: the distinct rows that are looked at
    cells: CodeArray,  # IN (a,) int32: the cell of each, 0 … groups − 1
    column: CodeArray,  # IN (d,) int32: a further attribute of all distinct rows, 0 … size − 1
    size: int,  # IN
    frequency: CodeArray,  # IN (d,) int32: records behind each distinct row
    last: bool,  # IN: whether nobody will ask for the rows that are left
    counts: CodeArray,  # IN/OUT (≥ groups · size,) int32, zeros; zeros again afterwards
    alone: CodeArray,  # OUT (a,) int32: the rows that are alone in their new cell and stand for one record
    left: CodeArray,  # OUT (a,) int32: the other rows
    left_cells: CodeArray,  # OUT (a,) int32: their new cells
) -> tuple[int, int, int]:
    """Split cells by an attribute; return how many rows are alone, how many are left, and their number of cells."""
    for i in range(rows.size):
        counts[cells[i] * size + column[rows[i]]] += frequency[rows[i]]
    n_alone, n_left, groups = 0, 0, 0
    for i in range(rows.size):
        cell = cells[i] * size + column[rows[i]]
        count = counts[cell]
        if count == 1:
            alone[n_alone] = rows[i]
            n_alone += 1
            continue
        if last:
            continue
        if count > 0:  # met for the first time: from here on the entry is the cell's new number, as −1, −2, …
            groups += 1
            count = -groups
            counts[cell] = count
        left[n_left] = rows[i]
        left_cells[n_left] = -count - 1
        n_left += 1
    for i in range(rows.size):
        counts[cells[i] * size + column[rows[i]]] = 0
    return n_alone, n_left, groups


@exact_kernel
def keep_minimal(
    offsets: IntArray,  # IN (d + 1,) int64: where the subsets of each row begin
    subsets: IntArray,  # IN (c,) int64: sets of attributes as bits, on which the row is unique
    minimal: BoolArray,  # OUT (c,) bool
) -> None:
    """Mark the subsets of a row that hold no other subset of that row."""
    for row in range(offsets.size - 1):
        for i in range(offsets[row], offsets[row + 1]):
            keep = True
            for j in range(offsets[row], offsets[row + 1]):
                if i != j and subsets[j] & subsets[i] == subsets[j]:
                    keep = False
                    break
            minimal[i] = keep
