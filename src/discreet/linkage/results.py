"""From what a search found to the links that cross rooms."""

from __future__ import annotations

import numpy as np

from discreet.kernels.tied_rows import copy_rows, find_ends
from discreet.linkage.pattern_links import Classes, Found
from discreet.results import Links

__all__ = ["links_of"]

_SPARE = 1_000_000


def links_of(found: Found, a: Classes, names: tuple[str, ...], method: str, *, higher_is_better: bool = False) -> Links:
    """Return links; ties get a row a record unless that would cost much, then records with equal ties share one."""
    n_b = found.best.size
    offsets, tied = np.empty(n_b + 1, dtype=np.int64), found.tied
    total = find_ends(found.row, found.row_offsets, offsets)
    shared = total > 4 * n_b + _SPARE
    if shared:
        offsets = found.row_offsets
    else:
        tied = np.empty(total, dtype=np.int64)
        copy_rows(found.row, found.row_offsets, found.tied, offsets, tied)
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
        rows=found.row if shared else None,
    )
