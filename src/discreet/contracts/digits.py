"""The last step of a masker that makes new numbers: they are released with no more digits than their column had.

How fine a column is, is a property of the whole column: it is found once, before strata and blocks, so that a table
is rounded alike in memory and out of it. Rounding can only join groups, never part them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from discreet.contracts.masker import Masker
from discreet.data.microdata import Microdata
from discreet.data.scales.precision import MOST_DECIMALS, Fineness, rounded
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.parameters import AnyOf, ByName, Choice, Constraint, Integer, Optional
from discreet.typing import FloatArray

__all__ = [
    "DECIMALS",
    "Decimals",
    "counts_cells",
    "names_to_round",
    "notes_on_cells",
    "notes_on_release",
    "same_cells",
]

_PLACES = Integer(-MOST_DECIMALS, MOST_DECIMALS)
DECIMALS: Constraint = Optional(AnyOf(_PLACES, Choice(("exact",)), ByName(_PLACES)))
"""None: the decimals of the data. A number, or one by attribute: at most so many (−3: thousands). "exact": all."""

Decimals: TypeAlias = int | Literal["exact"] | Mapping[str, int] | None
"""What `DECIMALS` allows, for a type checker."""


@dataclass(frozen=True)
class ReleaseRounding:
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

    def kinds(self, names: Iterable[str]) -> dict[str, str]:
        """Return in which type whole numbers of these columns are released, whatever they are: for tables in parts.

        A column keeps its own where what is released lies among its numbers. What may lie beyond them, as noise does,
        is ``int64``, and what need not be whole ``float64``.
        """
        return {name: self._kind(name) for name in names}

    def _kind(self, name: str) -> str:
        numbers = self.masker.chosen_numbers(name)
        if numbers:
            return "int64" if all(float(number).is_integer() for number in numbers) else "float64"
        column = self.columns.get(name)
        if column is None:
            return "own"
        if not self._rounds(column):
            return "float64"
        beyond = self.masker.perturbative and not self.masker.groups
        return "int64" if beyond or (column.unit or 0.0) > 1 else "own"

    def _rounds(self, column: Fineness) -> bool:
        if getattr(self.masker, "decimals", None) != "exact":
            return True
        return bool(getattr(self.masker, "integers", False)) and column.decimals == 0

    def _rounded(self, name: str, column: Fineness, before: FloatArray, after: FloatArray) -> FloatArray:
        decimals = getattr(self.masker, "decimals", None)
        places = (
            decimals.get(name) if isinstance(decimals, Mapping) else decimals if isinstance(decimals, int) else None
        )
        if decimals == "exact":  # whole numbers are asked for, and no coarser ones
            column = replace(column, counts=())
        result = rounded(after, column, places)
        ends = (column.low, column.high) if getattr(self.masker, "bounds", False) else self.masker.limits(name)
        if ends is not None and (places is not None or column.unit is not None):
            low, high = ends
            step = max(column.unit or 0.0, 0.0 if places is None else 10.0**-places)
            inside = np.where(result > high, result - step, np.where(result < low, result + step, result))
            result = np.clip(rounded(inside, column, places), low, high)
        if getattr(self.masker, "touches_all", True):
            return result
        # Cells that a method on a few cells did not touch are no aggregates.
        return np.where(before == after, after, result)


def names_to_round(masker: Masker, schema: Schema, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the numeric attributes of which a masker makes new numbers."""
    if not getattr(masker, "makes_numbers", False):
        return ()
    numeric = schema.of_scale("numeric", among=names)
    decimals = getattr(masker, "decimals", None)
    strangers = [name for name in decimals if name not in numeric] if isinstance(decimals, Mapping) else []
    if strangers:
        raise ParameterError(
            f"{type(masker).__name__}: decimals names {strangers[0]!r}, which is no numeric attribute that is masked."
        )
    return numeric


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


def counts_cells(masker: Masker, columns: Mapping[str, Fineness]) -> bool:
    """Say whether a user should be told of cells that come out as they were: those of a perturbation that rounds."""
    return bool(columns) and masker.perturbative and not masker.groups


def same_cells(
    table: Microdata, values: Mapping[str, Any], columns: Mapping[str, Fineness]
) -> dict[str, tuple[int, int, int]]:
    """Return by column how many cells are released as they were, have a value, and lie beyond all that were there."""
    counts = {}
    for name in columns:
        if name in values:
            before = table.encoded(name)
            present = ~np.isnan(before)
            after = values[name]
            beyond = (after < columns[name].low) | (after > columns[name].high)  # numbers, so NaN is never beyond
            counts[name] = int((before == after)[present].sum()), int(present.sum()), int(beyond[present].sum())
    return counts


def notes_on_cells(counts: Mapping[str, tuple[int, int, int]], columns: Mapping[str, Fineness]) -> tuple[str, ...]:
    """Return where a perturbation is so small that rounding takes it back, and where it leaves the column's range."""
    notes = []
    for name, (same, present, beyond) in counts.items():
        if same and same == present and columns[name].low == columns[name].high:
            notes.append(f"{name} does not vary; nothing of it is hidden.")
        elif 2 * same > present:
            notes.append(
                f"{name}: {same} of {present} cells are what they were: the perturbation is small beside "
                "the digits that the attribute has; use a larger level."
            )
        if beyond:
            notes.append(
                f"{name}: {beyond} of {present} released values lie outside of the range of the original column, where "
                "no value may be plausible."
            )
    return tuple(notes)
