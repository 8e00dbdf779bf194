"""Cells that hold several words: whether they are sets of items."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.scales.item_text import mark_between

__all__ = ["holds_sets"]


def holds_sets(texts: pa.Array) -> str:
    """Return the mark between items where different cells look like sets of a small vocabulary; else nothing.

    No item stands twice in a cell, many cells hold several, and the same items come in many combinations. Blanks alone
    tell nothing: such cells may be names, or sequences.
    """
    mark = mark_between(texts)
    if mark.strip() == "":
        return ""
    lists = pc.split_pattern(texts, mark)
    owner = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)
    pieces = lists.flatten()
    codes = pieces.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    several = np.bincount(owner, minlength=len(texts)) > 1
    words = len(pc.unique(pieces))
    twice = np.unique(np.stack([owner, codes]), axis=1).shape[1] < codes.size
    return mark if not twice and several.mean() > 0.3 and words >= 4 and len(texts) > max(20, 2 * words) else ""
