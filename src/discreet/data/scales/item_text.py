"""Cells that hold several words: what stands between them, and what they are."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.scales.scale import as_arrow, hide_missing, is_text
from discreet.errors import DataError
from discreet.typing import Level

__all__ = ["items_in", "mark_between"]

_MARKS = ("; ", ";", ", ", ",", " | ", "|", " ")
"""What may stand between items, the surest first; a blank only where nothing else does."""


def mark_between(texts: pa.Array) -> str:
    """Return what stands between the items of cells: the first mark that is there, with its blank.

    Examples
    --------
    >>> mark_between(pa.array(["tea", "tea, milk"])), mark_between(pa.array(["green tea;milk"]))
    (', ', ';')
    """
    for mark in _MARKS:
        held = pc.count_substring(texts, mark)
        if not (pc.sum(held).as_py() or 0):
            continue
        bare = mark.strip() or mark
        if mark == bare or pc.sum(pc.count_substring(texts, bare)).as_py() == pc.sum(held).as_py():
            return mark
    return " "


def items_in(
    column: pa.Array, missing: tuple[Level, ...] = (), delimiter: str | None = None
) -> tuple[list[Level], str]:
    """Return the different items of a column of sets, sorted, and what stands between them."""
    values = hide_missing(as_arrow(column), missing).drop_null()
    if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        return sorted(set(values.flatten().drop_null().to_pylist())), delimiter or " "
    if not is_text(values) and len(values):
        raise DataError("Sets of items must be text or lists.", hint="Declare another scale.")
    texts = values.cast(pa.string())
    mark = delimiter or mark_between(texts)
    pieces = pc.unique(pc.split_pattern(texts, mark).flatten()).to_pylist() if len(texts) else []
    return sorted(piece for piece in pieces if piece), mark
