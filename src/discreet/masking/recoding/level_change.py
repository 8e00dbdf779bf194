"""What every recoding shares: levels to other levels, the declaration that goes with them, and what was possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, cast

import numpy as np

from discreet.contracts.masker import Masker
from discreet.contracts.plan import Plan
from discreet.data.block import Block
from discreet.data.scales import Categorical, Nominal, Ordinal
from discreet.data.scales.semantics import IntervalSemantics
from discreet.data.schema import Attribute
from discreet.statistics.question import Need
from discreet.typing import BoolArray, CodeArray, IntArray, Json, Level

__all__ = ["LevelChange", "LevelPlan", "LevelRecoding", "change_levels", "merge_into"]


@dataclass(frozen=True, repr=False)
class LevelChange:
    """Where the levels of an attribute go, its new declaration where they changed, and the possible transitions."""

    table: CodeArray
    """The new code of every level, and last that of the missing value, so that the code −1 finds it."""
    attribute: Attribute | None
    transitions: BoolArray


def change_levels(attribute: Attribute, mapping: IntArray, levels: Sequence[Level] | None = None) -> LevelChange:
    """Send every level to another one.

    Parameters
    ----------
    attribute : Attribute
        On a scale with levels.
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
    return LevelChange(table, declared, transitions)


def _joined_intervals(scale: Ordinal, mapping: IntArray, size: int) -> IntervalSemantics | None:
    semantics = scale.semantics
    if semantics is None or not all(semantics.partition) or np.unique(mapping).size < size:
        return None
    low = [min(semantics.low[i] for i in np.flatnonzero(mapping == j)) for j in range(size)]
    high = [max(semantics.high[i] for i in np.flatnonzero(mapping == j)) for j in range(size)]
    return IntervalSemantics(tuple(low), tuple(high))


def merge_into(attribute: Attribute, merged: IntArray, representative: int, label: Level | None) -> LevelChange:
    """Merge some levels into one: an existing level, or a new one called `label` in its place.

    A `label` that is already a level of the scale, and not among the merged, is an ordinary target.
    """
    scale = cast("Categorical", attribute.scale)
    mapping = np.arange(len(scale), dtype=np.int64)
    mapping[merged] = representative
    if label is None:
        return change_levels(attribute, mapping)
    if label in scale.levels:
        mapping[merged] = scale.levels.index(label)
        return change_levels(attribute, mapping)
    # The merged levels leave the list and the label stands where its representative stood.
    absorbed = np.zeros(len(scale), dtype=np.bool_)
    absorbed[merged] = True
    absorbed[representative] = False
    text = any(isinstance(level, str) for level in scale.levels) or isinstance(label, str)
    remaining = [label if i == representative else level for i, level in enumerate(scale.levels) if not absorbed[i]]
    places = np.cumsum(~absorbed) - 1
    return change_levels(attribute, places[mapping], [str(level) for level in remaining] if text else remaining)


@dataclass(frozen=True, kw_only=True)
class LevelPlan(Plan):
    """By attribute, where its levels go."""

    tables: Mapping[str, CodeArray]

    @classmethod
    def of(cls, changes: Mapping[str, LevelChange], details: Json | None = None, notes: Sequence[str] = ()) -> Self:
        """Return the plan of some changes."""
        return cls(
            tables={name: change.table for name, change in changes.items()},
            transitions={name: change.transitions for name, change in changes.items()},
            attributes=tuple(change.attribute for change in changes.values() if change.attribute is not None),
            details=details or {},
            notes=tuple(notes),
        )


class LevelRecoding(Masker):
    """A masker that sends levels to levels, all records alike; subclasses write ``inquire``, which makes the plan."""

    iso_20889: ClassVar[str] = "generalisation"
    need: ClassVar[Need] = Need.RECORD
    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True

    def apply(self, plan: LevelPlan, block: Block) -> dict[str, Any]:
        return {name: table[block.original.encoded(name)] for name, table in plan.tables.items()}
