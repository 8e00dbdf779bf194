"""Masking once for each unit, such as a household: all its members get the same values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from discreet.contracts.chained_provenance import masked_again, table_to_mask
from discreet.contracts.changed_counts import count_changed
from discreet.contracts.engine import Engine
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.masker import Masker
from discreet.contracts.run_masker import Written
from discreet.data.guarantees import Guarantee
from discreet.data.microdata import Microdata
from discreet.data.scales import EncodedSequences
from discreet.data.scales.scale import hide_missing
from discreet.data.schema import Schema
from discreet.data.table import StoredTable, Target
from discreet.errors import DataError, ParameterError, door, wrong_type
from discreet.statistics.question import check_at_once
from discreet.stopping import stoppable
from discreet.typing import IntArray

__all__ = ["PerUnit", "check_constant", "is_constant", "mask_units", "unit_labels"]

_EXAMPLE = 'PerUnit(MDAV(k=5), unit="HOUSEHOLD")'


class PerUnit:
    """A masker that masks once for each unit, such as a household: all its members get the same values.

    Parameters
    ----------
    masker : Masker
        What it masks must be constant within every unit, and is so in the release.
    unit : str
        The attribute that says who belongs together; it may be an identifier, which is not released.

    Notes
    -----
    Groups are of at least k *units*. A method that leaves records out or reorders them does so with whole units. Where
    members have different survey weights, the unit has their mean; in a sample of units, every member's own weight
    grows by the factor of its unit. O(n log n) beside the method itself. All records are brought together, of a table
    in files a million at most.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.masking.microaggregation.numbers.mdav import MDAV
    >>> people = pl.DataFrame({"house": [1, 1, 2, 3, 3, 4], "rent": [500.0, 500, 700, 900, 900, 1100]})
    >>> masked = PerUnit(MDAV(k=2, attributes=["rent"]), unit="house").mask(people)
    >>> masked.to_native()["rent"].to_list()
    [600.0, 600.0, 600.0, 1000.0, 1000.0, 1000.0]
    """

    def __init__(self, masker: Masker, unit: str) -> None:
        if not isinstance(masker, Masker):
            raise wrong_type("PerUnit", "masker must be a masker", masker, _EXAMPLE)
        if not isinstance(unit, str):
            raise wrong_type("PerUnit", "unit must be the name of an attribute", unit, _EXAMPLE)
        self.masker = masker
        self.unit = unit

    def __repr__(self) -> str:
        return f"PerUnit({self.masker!r}, unit={self.unit!r})"

    @property
    def name(self) -> str:
        """The registered name of the masker."""
        return self.masker.name

    def get_params(self, *, deep: bool = True) -> dict[str, Any]:
        """Return the masker and the unit; `deep` adds the parameters of the masker, as ``masker__k``."""
        own = {"masker": self.masker, "unit": self.unit}
        return own | {f"masker__{name}": value for name, value in self.masker.get_params().items()} if deep else own

    @door
    @stoppable()
    def mask(
        self, data: Any, schema: Schema | None = None, *, engine: Engine | None = None, block_size: int | None = None
    ) -> Masked:
        """Protect a table, one record for each unit.

        Parameters
        ----------
        data : Microdata or table
        schema : Schema, optional
            For a plain frame.
        engine : Engine, optional
        block_size : int, optional
            The most units that are brought together; by default all may be.
        """
        table = table_to_mask(type(self).__name__, data, schema)
        self._check(table.schema)
        return masked_again(data, mask_units(self.masker, table, self.unit, engine, block_size))

    @door
    @stoppable()
    def mask_into(
        self,
        source: StoredTable,
        target: Target,
        engine: Engine | None = None,
        block_size: int | None = None,
    ) -> Written:
        """Protect a table in files; all of its records are brought together, a million at most."""
        self._check(source.schema)
        check_at_once(f"Masking once for each {self.unit!r}", len(source), "Mask record by record, without unit.")
        # The engine is one for tables in files, and this table is in memory now.
        del engine
        masked = self.mask(source.in_memory(source.schema.names), block_size=block_size)
        target.guarantees = masked.provenance.guarantees
        target.write([masked.microdata])
        return Written(masked.provenance, masked.microdata.schema)

    def _check(self, schema: Schema) -> None:
        if self.unit not in schema:
            raise ParameterError(f"PerUnit: unit {self.unit!r} is not in the table.")


def unit_labels(table: Microdata, unit: str) -> IntArray:
    """Return the unit of every record, numbered by first appearance; a record without one is a unit of its own."""
    column = hide_missing(table.column(unit), table.schema[unit].missing)
    places = np.asarray(column.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)
    alone = places < 0
    places[alone] = places.max(initial=-1) + 1 + np.arange(int(alone.sum()))
    _, first, labels = np.unique(places, return_index=True, return_inverse=True)
    order = np.empty(first.size, dtype=np.int64)
    order[np.argsort(first, kind="stable")] = np.arange(first.size)
    return np.asarray(order[labels.ravel()], dtype=np.int64)


def check_constant(table: Microdata, labels: IntArray, names: tuple[str, ...], unit: str) -> None:
    """Refuse attributes that differ between the members of a unit; the message counts the units, and shows none."""
    first = np.unique(labels, return_index=True)[1]
    for name in names:
        different = np.unique(labels[_differs(table.encoded(name), first[labels])]).size
        if different:
            raise DataError(
                f"Column {name!r} differs within {different} of {first.size} units of {unit!r}; "
                "masking it once a unit needs one value for each.",
                hint="Correct it, or mask it in a step without unit.",
            )


def is_constant(table: Microdata, labels: IntArray, name: str) -> bool:
    """Say whether all members of every unit have the same value."""
    first = np.unique(labels, return_index=True)[1]
    return not bool(_differs(table.encoded(name), first[labels]).any())


def _differs(encoded: Any, representative: IntArray) -> Any:
    """Say of every record whether its value is not that of its unit's first member."""
    if isinstance(encoded, EncodedSequences):
        codes, offsets = encoded.codes, encoded.offsets
        return np.array([
            not np.array_equal(codes[offsets[i] : offsets[i + 1]], codes[offsets[r] : offsets[r + 1]])
            for i, r in enumerate(representative)
        ], dtype=np.bool_)  # fmt: skip
    other = encoded[representative]
    same = encoded == other
    return ~(same | (np.isnan(encoded) & np.isnan(other))) if encoded.dtype.kind == "f" else ~same


def _with_mean_weight(representatives: Microdata, table: Microdata, labels: IntArray) -> Microdata:
    weights = table.weights()
    if weights is None or table.schema.weight is None:
        return representatives
    sums, counts = np.bincount(labels, weights=weights), np.bincount(labels)
    return representatives.replacing({table.schema.weight: sums / counts})


def mask_units(
    masker: Masker, table: Microdata, unit: str, engine: Engine | None = None, block_size: int | None = None
) -> Masked:
    """Mask one record for each unit and give all its members the same values.

    Parameters
    ----------
    masker : Masker
        What it masks must be constant within every unit, and is so in the release.
    table : Microdata
    unit : str
        The attribute that says who belongs together.
    engine : Engine, optional
    block_size : int, optional
        The most units that meet; by default all may.

    Returns
    -------
    Masked
        Groups of at least k *units*. A method that leaves records out or reorders them does so with whole units.

    Notes
    -----
    Where members have different survey weights, the unit has their mean. O(n log n) beside the method itself.
    """
    labels = unit_labels(table, unit)
    first = np.unique(labels, return_index=True)[1].astype(np.int64)
    strata = tuple(getattr(masker, "strata", None) or ())
    representatives = _with_mean_weight(table.take(first), table, labels)
    outcome = masker.mask(representatives, engine=engine, block_size=block_size)
    provenance = outcome.provenance
    names = tuple(name for name in table.schema.names if name in provenance.changed)
    # What is promised of one member has to hold of all, also where the method looks at values and changes none.
    looked_at = tuple(name for one in provenance.guarantees for name in one.attributes if one.rule is None)
    # Weights that only grow, because records were left out, grow by one factor a unit and may differ within it.
    weight = table.schema.weight
    grown = weight if weight in names and weight not in provenance.attributes else None
    shared = tuple(name for name in dict.fromkeys((*names, *strata, *looked_at)) if name != grown)
    check_constant(table, labels, shared, unit)

    place = np.full(first.size, -1, dtype=np.int64)
    released_units = np.arange(first.size) if provenance.rows is None else provenance.rows
    place[released_units] = np.arange(released_units.size)
    member = place[labels]
    rows = np.flatnonzero(member >= 0)
    if (np.diff(released_units) < 0).any():
        rows = rows[np.argsort(member[rows], kind="stable")]
    remaining = table.select(name for name in table.names if name not in provenance.removed)
    released = remaining if provenance.rows is None else remaining.take(rows)
    exchanged = [name for name in names if name in outcome.microdata.schema]
    written_anew = [
        *(name for name in exchanged if name != grown),
        *(name for name in strata if name in outcome.microdata.schema),
    ]
    if written_anew:
        released = released.exchanging(outcome.microdata.select(written_anew).take(member[rows]))
    if grown is not None and grown in released.schema:
        factors = outcome.microdata.encoded(grown) / representatives.encoded(grown)[released_units]
        released = released.replacing({grown: released.encoded(grown) * factors[member[rows]]})
    before = table if provenance.rows is None else table.take(rows)
    details = {name: value for name, value in provenance.details.items() if name != "window"}
    return Masked(
        released,
        replace(
            provenance,
            n_records=len(table),
            changed={name: count_changed(before, released, name, released.encoded(name)) for name in exchanged},
            labels=None if provenance.labels is None else provenance.labels[labels[rows]],
            rows=None if provenance.rows is None else rows,
            details={**details, "unit": unit, "n_units": int(first.size)},
            notes=(
                *provenance.notes,
                f"Masked once for each of {first.size} units of {unit}.",
                *_unpromised(provenance),
            ),
            guarantees=tuple(_of_units(one, table, unit) for one in provenance.guarantees if one.rule is None),
        ),
    )


def _unpromised(provenance: Provenance) -> list[str]:
    """Say which rules hold of one record a unit, and are not promised of all records."""
    rules = sorted({promise.rule.kind for promise in provenance.guarantees if promise.rule is not None})
    return [f"Kept by one record of each unit, and not promised of all: {', '.join(rules)}."] if rules else []


def _of_units(promise: Guarantee, table: Microdata, unit: str) -> Guarantee:
    """Return what was promised of representatives as a promise about units."""
    codes = table.schema[unit].missing
    return replace(promise, unit=unit, missing={**promise.missing, **({unit: codes} if codes else {})})
