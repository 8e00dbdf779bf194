"""From what a search found to the links that cross rooms."""

from __future__ import annotations

import numpy as np

from discreet.linkage.pattern_links import Classes, Found, gather
from discreet.results import Links
from discreet.typing import IntArray

__all__ = ["links_of"]

_SPARE = 1_000_000


def links_of(found: Found, a: Classes, names: tuple[str, ...], method: str, *, higher_is_better: bool = False) -> Links:
    """Return links; ties get a row a record unless that would cost much, then records with equal ties share one."""
    n_b = found.best.size
    lengths = np.where(found.row < 0, 0, np.diff(np.append(found.row_offsets, found.row_offsets[-1]))[found.row])
    total = int(lengths.sum())
    offsets, tied = found.row_offsets, found.tied
    rows: IntArray | None = found.row
    if total <= 4 * n_b + _SPARE:
        starts = np.where(found.row < 0, 0, found.row_offsets[found.row])
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        tied, rows = found.tied[gather(starts, lengths)], None
    return Links(
        n_a=a.label.size,
        n_b=n_b,
        best=found.best,
        second=found.second,
        score=found.score,
        second_score=found.second_score,
        ties=found.ties,
        tied_offsets=offsets,
        tied=tied,
        classes=a.label,
        attributes=names,
        method=method,
        higher_is_better=higher_is_better,
        rows=rows,
    )
