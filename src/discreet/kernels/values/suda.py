"""Search for minimal sample uniques: cells refined attribute by attribute."""

from __future__ import annotations

from typing import Any

from discreet.kernels.jit import PlainTwin, exact_kernel
from discreet.kernels.stop import heed_stop
from discreet.typing import CodeArray, FloatArray, IntArray

__all__ = ["gather_minimal", "refine_cells", "share_scores"]


@exact_kernel
def _refine_cells(
    rows: CodeArray,  # IN (a,) int32: the distinct rows that are looked at
    cells: CodeArray,  # IN (a,) int32: the cell of each, 0 … groups − 1
    column: CodeArray,  # IN (d,) int32: a further attribute of all distinct rows, 0 … size − 1
    size: int,  # IN
    frequency: CodeArray,  # IN (d,) int32: records behind each distinct row
    last: bool,  # IN: whether nobody will ask for the rows that are left
    counts: CodeArray,  # IN/OUT (≥ groups · size,) int32, zeros; zeros again afterwards
    places: CodeArray,  # BUFFER (≥ a,) int32
    alone: CodeArray,  # OUT (a,) int32: the rows that are alone in their new cell and stand for one record
    left: CodeArray,  # OUT (a,) int32: the other rows
    left_cells: CodeArray,  # OUT (a,) int32: their new cells
) -> tuple[int, int, int]:
    """Split cells by an attribute; return how many rows are alone, how many are left, and their number of cells."""
    for i in range(rows.size):
        cell = cells[i] * size + column[rows[i]]
        places[i] = cell
        counts[cell] += frequency[rows[i]]
    n_alone, n_left, groups = 0, 0, 0
    for i in range(rows.size):
        cell = places[i]
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
        counts[places[i]] = 0
    return n_alone, n_left, groups


@exact_kernel
def _gather_minimal(
    rows: CodeArray,  # IN (c,) int32: distinct rows
    subsets: IntArray,  # IN (c,) int64: sets of attributes as bits, on which the row is unique
    first: IntArray,  # IN (d,) int64: the record that each distinct row stands for
    starts: IntArray,  # BUFFER (n + 1,) int64, zeros
    records: IntArray,  # OUT (c,) int64, rising
    kept: IntArray,  # OUT (c,) int64, rising within a record
) -> int:
    """Put the subsets in order of their records, drop those that hold another of the same record, count the rest."""
    for i in range(rows.size):
        starts[first[rows[i]] + 1] += 1
    for r in range(starts.size - 1):
        starts[r + 1] += starts[r]
    # Filling moves every start to the next one's place, so that afterwards starts[r] is where record r ends.
    for i in range(rows.size):
        record = first[rows[i]]
        kept[starts[record]] = subsets[i]
        starts[record] += 1
    begin, n_kept = 0, 0
    for record in range(starts.size - 1):
        heed_stop()
        end = starts[record]
        for i in range(begin + 1, end):
            subset, j = kept[i], i
            while j > begin and kept[j - 1] > subset:
                kept[j] = kept[j - 1]
                j -= 1
            kept[j] = subset
        # A part of a set is a smaller number, so it has come before; a part that was dropped holds one that was not.
        own = n_kept
        for i in range(begin, end):
            minimal = True
            for j in range(own, n_kept):
                if kept[j] & kept[i] == kept[j]:
                    minimal = False
                    break
            if minimal:
                kept[n_kept], records[n_kept] = kept[i], record
                n_kept += 1
        begin = end
    return n_kept


@exact_kernel
def _share_scores(
    records: IntArray,  # IN (u,) int64
    subsets: IntArray,  # IN (u,) int64: sets of attributes as bits
    scores: FloatArray,  # IN (u,) float64
    codes: CodeArray,  # IN (attributes, n) int32
    starts: IntArray,  # IN (attributes,) int64: where the levels of an attribute start
    shares: FloatArray,  # IN/OUT (all levels,) float64: scores are added
) -> None:
    """Add the score of every set to the level of each of its attributes that the record has."""
    for i in range(records.size):
        subset, j = subsets[i], 0
        while subset:
            if subset & 1:
                shares[starts[j] + codes[j, records[i]]] += scores[i]
            subset >>= 1
            j += 1


# Of a few thousand records and keys the loops run as they stand, before the compiler would be loaded.
_REFINING, _GATHERING, _SHARING = (PlainTwin(1e5, loop) for loop in (_refine_cells, _gather_minimal, _share_scores))


def refine_cells(rows: CodeArray, *arguments: Any) -> tuple[int, int, int]:
    """Split cells by an attribute; return how many rows are alone, how many are left, and their number of cells."""
    run: Any = _refine_cells
    return (run.py_func if _REFINING.takes(rows.size) else run)(rows, *arguments)  # type: ignore[no-any-return]


def gather_minimal(
    rows: CodeArray, subsets: IntArray, first: IntArray, starts: IntArray, records: IntArray, kept: IntArray
) -> int:
    """Put the subsets in order of their records, drop those that hold another of the same record, count the rest."""
    run: Any = _gather_minimal
    plain = _GATHERING.takes(4.0 * rows.size + starts.size)
    return int((run.py_func if plain else run)(rows, subsets, first, starts, records, kept))


def share_scores(records: IntArray, *arguments: Any) -> None:
    """Add the score of every set to the level of each of its attributes that the record has."""
    run: Any = _share_scores
    (run.py_func if _SHARING.takes(4.0 * records.size) else run)(records, *arguments)
