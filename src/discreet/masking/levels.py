"""What every recoding shares: levels to other levels, the declaration that goes with them, and what was possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from discreet.scales import Categorical, Nominal, Ordinal
from discreet.scales.semantics import IntervalSemantics
from discreet.schema import Attribute
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray, Level

__all__ = ["LevelChange", "change_levels", "level_counts", "merge_into"]


@dataclass(frozen=True, repr=False)
class LevelChange:
    """The new codes of an attribute, its new declaration where its levels changed, and the possible transitions."""

    codes: CodeArray
    attribute: Attribute | None
    transitions: BoolArray


def change_levels(
    attribute: Attribute, codes: CodeArray, mapping: IntArray, levels: Sequence[Level] | None = None
) -> LevelChange:
    """Send every level to another one.

    Parameters
    ----------
    attribute : Attribute
        On a scale with levels.
    codes : (n,) int32
    mapping : (levels,) int64
        Where each level goes: a position in `levels`.
    levels : sequence, optional
        The released levels; by default the attribute's own, and its declaration stays.

    Notes
    -----
    An ordered scale stays ordered where the mapping keeps the order, and keeps its intervals where they can be joined;
    otherwise the released scale is unordered. A missing value stays missing.
    """
    scale = cast("Categorical", attribute.scale)
    new_levels = scale.levels if levels is None else tuple(levels)
    table = np.append(mapping, -1).astype(np.int32)
    transitions = np.zeros((len(scale) + 1, len(new_levels) + 1), dtype=np.bool_)
    transitions[np.arange(len(scale) + 1), table] = True
    declared = None
    if levels is not None and new_levels != scale.levels:
        kept_order = isinstance(scale, Ordinal) and bool((np.diff(mapping) >= 0).all())
        new_scale: Categorical = Nominal(new_levels)
        if kept_order:
            new_scale = Ordinal(new_levels, _joined_intervals(cast("Ordinal", scale), mapping, len(new_levels)))
        missing = tuple(code for code in attribute.missing if code not in new_levels)
        declared = replace(attribute, scale=new_scale, missing=missing)
    return LevelChange(table[codes], declared, transitions)


def _joined_intervals(scale: Ordinal, mapping: IntArray, size: int) -> IntervalSemantics | None:
    semantics = scale.semantics
    if semantics is None or not all(semantics.partition) or np.unique(mapping).size < size:
        return None
    low = [min(semantics.low[i] for i in np.flatnonzero(mapping == j)) for j in range(size)]
    high = [max(semantics.high[i] for i in np.flatnonzero(mapping == j)) for j in range(size)]
    return IntervalSemantics(tuple(low), tuple(high))


def merge_into(
    attribute: Attribute, codes: CodeArray, merged: IntArray, representative: int, label: Level | None
) -> LevelChange:
    """Merge some levels into one: an existing level, or a new one called `label` in its place.

    A `label` that is already a level of the scale, and not among the merged, is an ordinary target.
    """
    scale = cast("Categorical", attribute.scale)
    mapping = np.arange(len(scale), dtype=np.int64)
    mapping[merged] = representative
    if label is None:
        return change_levels(attribute, codes, mapping)
    if label in scale.levels:
        mapping[merged] = scale.levels.index(label)
        return change_levels(attribute, codes, mapping)
    # The merged levels leave the list and the label stands where its representative stood.
    gone = np.zeros(len(scale), dtype=np.bool_)
    gone[merged] = True
    gone[representative] = False
    text = any(isinstance(level, str) for level in scale.levels) or isinstance(label, str)
    kept = [label if i == representative else level for i, level in enumerate(scale.levels) if not gone[i]]
    places = np.cumsum(~gone) - 1
    return change_levels(attribute, codes, places[mapping], [str(level) for level in kept] if text else kept)


def level_counts(codes: CodeArray, size: int, weights: FloatArray | None = None) -> FloatArray:
    """Return how often each level occurs, or the weight it gathers; missing values are not counted."""
    present = codes >= 0
    given = None if weights is None else weights[present]
    return np.bincount(codes[present], weights=given, minlength=size).astype(np.float64)
