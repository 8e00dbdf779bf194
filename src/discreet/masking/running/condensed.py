"""Methods on the different records with their counts: what becomes of each, and how every record finds it.

Equal records are treated alike, so the table of different records says everything. Where a method counts records, a
combination that occurs often is handed over as k equal records, which together weigh as much as all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.contracts.masker import Masker
from discreet.contracts.plan import Plan, Scope
from discreet.data.block import Block
from discreet.data.microdata import Microdata, table_of_codes
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError
from discreet.statistics.different import COUNT, TOTAL, Different, DifferentRecords, comparable
from discreet.statistics.question import Inquiry
from discreet.typing import FloatArray, IntArray

__all__ = ["Lookup", "LookupPlan", "copies", "different"]

_WEIGHT = "#weight"
# Different records that are held in memory, on the driver and on every worker.
_MOST = 20_000_000


@dataclass(frozen=True)
class Lookup:
    """New values for every combination of keys that occurs."""

    names: tuple[str, ...]
    levels: tuple[FloatArray, ...]
    """Sorted different values of every key; NaN and −1, the missing values, as −inf and −1."""
    packed: IntArray
    """Sorted numbers of the combinations."""
    values: Mapping[str, Any]
    """By masked attribute, the new values of the combinations, in the same order."""

    @classmethod
    def of(cls, keys: Mapping[str, Any], values: Mapping[str, Any]) -> Lookup:
        """Make a lookup from different records and what becomes of each."""
        names = tuple(keys)
        levels = tuple(np.unique(comparable(keys[name])) for name in names)
        packed = _pack([comparable(keys[name]) for name in names], levels)
        order = np.argsort(packed, kind="stable")
        return cls(names, levels, packed[order], {name: column[order] for name, column in values.items()})

    def __call__(self, table: Microdata) -> dict[str, Any]:
        """Return the new values of some records."""
        packed = _pack([comparable(table.encoded(name)) for name in self.names], self.levels)
        places = np.minimum(np.searchsorted(self.packed, packed), self.packed.size - 1)
        if not (self.packed[places] == packed).all():
            raise DataError("Records came up that were not there when the table was counted.")
        return {name: column[places] for name, column in self.values.items()}


@dataclass(frozen=True, kw_only=True)
class LookupPlan(Plan):
    """What becomes of every combination, one lookup for each set of attributes that is treated together."""

    lookups: tuple[Lookup, ...]

    def changed(self, block: Block) -> dict[str, Any]:
        """Return the new values of some records."""
        return {name: column for lookup in self.lookups for name, column in lookup(block.original).items()}


def _pack(columns: list[FloatArray], levels: tuple[FloatArray, ...]) -> IntArray:
    cells = 1.0
    packed = np.zeros(columns[0].size, dtype=np.int64)
    unknown = np.zeros(columns[0].size, dtype=np.bool_)
    for column, values in zip(columns, levels, strict=True):
        cells *= values.size
        if cells >= 2.0**62:
            raise DataError(
                f"The {len(columns)} keys have too many possible combinations to number them.",
                hint="Mask fewer attributes at a time, or recode them first.",
            )
        places = np.minimum(np.searchsorted(values, column), values.size - 1)
        unknown |= values[places] != column
        packed = packed * values.size + places
    return np.where(unknown, -1, packed)


def different(masker: Masker, names: tuple[str, ...], weight: str | None) -> Inquiry[dict[str, Any]]:
    """Ask for the different records on some attributes, sorted, with their counts and weights."""
    counted: DifferentRecords = yield Different(names, weight)
    size = len(counted.columns[COUNT])
    if size > _MOST:
        raise DataError(
            f"{type(masker).__name__}: the table has {size} different records on {len(names)} attributes; "
            f"at most {_MOST} can be compared.",
            hint="Recode or round the attributes first.",
        )
    return counted.ordered()


def copies(
    scope: Scope, combinations: Mapping[str, Any], names: tuple[str, ...], cap: int
) -> tuple[Microdata, IntArray]:
    """Return combinations as records, at most `cap` of each, with their weights; and whose copy each is."""
    times = np.minimum(combinations[COUNT], cap)
    owner = np.repeat(np.arange(times.size), times)
    columns = {name: combinations[name][owner] for name in names}
    schema = Schema([*(scope.schema[name] for name in names), Attribute(_WEIGHT, Numeric(), "weight")])
    weights = (combinations[TOTAL] / times)[owner]
    return table_of_codes(schema, {**columns, _WEIGHT: weights}), owner
