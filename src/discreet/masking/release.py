"""The last step of a masker that makes new numbers: they are released with no more digits than their column had.

How fine a column is, is a property of the whole column: it is found once, before strata and blocks, so that a table
is rounded alike in memory and out of it. Rounding can only join groups, never part them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.base import Masker
from discreet.errors import ParameterError
from discreet.microdata import Microdata
from discreet.parameters import AnyOf, ByName, Choice, Constraint, Integer, Optional
from discreet.scales.precision import MOST_DECIMALS, Fineness, fineness, rounded
from discreet.schema import Schema
from discreet.typing import BoolArray, FloatArray

__all__ = ["DECIMALS", "Rounding", "names_to_round", "notes_on_cells", "notes_on_release", "rounding_of"]

_PLACES = Integer(-MOST_DECIMALS, MOST_DECIMALS)
DECIMALS: Constraint = Optional(AnyOf(_PLACES, Choice(("exact",)), ByName(_PLACES)))
"""None: the decimals of the data. A number, or one by attribute: at most so many (−3: thousands). "exact": all."""


@dataclass(frozen=True)
class Rounding:
    """Released numbers rounded to the fineness of their columns, or coarser where the masker was told so."""

    masker: Masker
    columns: Mapping[str, Fineness]

    def __call__(self, table: Microdata, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return encoded values of the records of `table`, those of numeric columns rounded."""
        result = dict(values)
        for name, column in self.columns.items():
            if name in values and getattr(values[name], "dtype", None) == np.float64 and self._rounds(column):
                result[name] = self._rounded(name, column, table.encoded(name), values[name])
        return result

    def _rounds(self, column: Fineness) -> bool:
        if getattr(self.masker, "decimals", None) != "exact":
            return True
        return bool(getattr(self.masker, "integers", False)) and column.decimals == 0

    def _rounded(self, name: str, column: Fineness, before: FloatArray, after: FloatArray) -> FloatArray:
        wanted = getattr(self.masker, "decimals", None)
        places = wanted.get(name) if isinstance(wanted, Mapping) else wanted if isinstance(wanted, int) else None
        if wanted == "exact":  # whole numbers are asked for, and no coarser ones
            column = replace(column, counts=())
        result = rounded(after, column, places)
        if getattr(self.masker, "bounds", False) and (places is not None or column.unit is not None):
            step = max(column.unit or 0.0, 0.0 if places is None else 10.0**-places)
            inside = np.where(result > column.high, result - step, np.where(result < column.low, result + step, result))
            result = np.clip(rounded(inside, column, places), column.low, column.high)
        return np.asarray(np.where(_left_alone(self.masker, before, after), after, result))


def _left_alone(masker: Masker, before: FloatArray, after: FloatArray) -> BoolArray:
    """Say which cells are no aggregates: those that a method on a few cells did not touch."""
    if not getattr(masker, "touches_all", True):
        return np.asarray(before == after)
    return np.zeros(after.shape, dtype=np.bool_)


def names_to_round(masker: Masker, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the numeric attributes of which a masker makes new numbers."""
    if not getattr(masker, "makes_numbers", False):
        return ()
    numeric = schema.of_scale("numeric", among=names)
    wanted = getattr(masker, "decimals", None)
    strangers = [name for name in wanted if name not in numeric] if isinstance(wanted, Mapping) else []
    if strangers:
        raise ParameterError(
            f"{type(masker).__name__}: decimals names {strangers[0]!r}, which is no numeric attribute that is masked."
        )
    return numeric


def rounding_of(masker: Masker, table: Microdata, names: tuple[str, ...]) -> Rounding:
    """Return the rounding of a whole table in memory; what was found of a column is kept with the table."""
    columns = {
        name: table.once(("fineness", name), lambda name=name: fineness(table.encoded(name)))  # type: ignore[misc]
        for name in names_to_round(masker, table.schema, names)
    }
    return Rounding(masker, columns)


def notes_on_release(masker: Masker, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a user should know who asked for all digits, or for survey weights in what is released."""
    numeric = names_to_round(masker, schema, names)
    notes = []
    exact = getattr(masker, "decimals", None) == "exact"
    if exact and numeric and masker.groups:
        notes.append(
            f"Aggregates are released with all their digits ({len(numeric)}: {', '.join(numeric)}): members of small "
            "groups may be solved from them."
        )
    weighted = masker.groups and bool(getattr(masker, "weighted", False))
    if weighted and schema.weight is not None and names:
        notes.append(
            f"Aggregates count survey weights, and the weights are released ({schema.weight}): whoever knows both has "
            "an equation for every group; leave weighted out, or do not release the weights."
        )
    return tuple(notes)


def notes_on_cells(masker: Masker, table: Microdata, values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return where a perturbation is so small beside the column's digits that rounding takes it back."""
    if masker.groups or not masker.perturbative:
        return ()
    notes = []
    for name in names_to_round(masker, table.schema, tuple(values)):
        before = table.encoded(name)
        present = ~np.isnan(before)
        same = int((before == values[name])[present].sum())
        if same and same == present.sum() and np.ptp(before[present]) == 0:
            notes.append(f"{name} does not vary; nothing of it is hidden.")
        elif 2 * same > present.sum():
            notes.append(
                f"{name}: {same} of {int(present.sum())} cells are what they were: the perturbation is small beside "
                "the digits that the attribute has; use a larger level."
            )
    return tuple(notes)
