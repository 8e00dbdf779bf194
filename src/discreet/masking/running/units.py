"""Masking once for each unit, such as a household: all its members get the same values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from discreet.contracts.engine import Engine
from discreet.contracts.masked import Masked
from discreet.contracts.masker import Masker, count_changed
from discreet.data.guarantees import Guarantee
from discreet.data.microdata import Microdata
from discreet.data.scales import EncodedSequences
from discreet.data.scales.scale import hide_missing
from discreet.errors import DataError
from discreet.typing import IntArray

__all__ = ["check_constant", "is_constant", "mask_units", "unit_labels"]


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
    check_constant(table, labels, (*names, *strata), unit)

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
    written_anew = [*exchanged, *(name for name in strata if name in outcome.microdata.schema)]
    if written_anew:
        released = released.exchanging(outcome.microdata.select(written_anew).take(member[rows]))
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
            notes=(*provenance.notes, f"Masked once for each of {first.size} units of {unit}."),
            guarantees=tuple(_of_units(promise, table, unit) for promise in provenance.guarantees),
        ),
    )


def _of_units(promise: Guarantee, table: Microdata, unit: str) -> Guarantee:
    """Return what was promised of representatives as a promise about units."""
    codes = table.schema[unit].missing
    return replace(promise, unit=unit, missing={**promise.missing, **({unit: codes} if codes else {})})
