"""Methods on the different records with their counts: categorical microaggregation, sequences, local suppression.

Equal records are treated alike, so the table of different records says everything. Where a method counts records, a
combination that occurs often is handed over as k equal records, which together weigh as much as all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from discreet.base import Block, InProcess, Masker, MaskingJob
from discreet.errors import DataError, ParameterError
from discreet.masking.at_scale.partition import cut_groups
from discreet.masking.at_scale.plan import Plan, TableJob, at_scale, refuse
from discreet.masking.microaggregation.kmodes import KModes
from discreet.masking.microaggregation.sequences import Items, SequenceMicroaggregation, split_into_blocks
from discreet.masking.suppression import LocalSuppression
from discreet.microdata import Microdata, table_of_codes
from discreet.operators.sequence_reading import as_dissimilarity, as_sequence_operator
from discreet.scales import Categorical, EncodedSequences, Numeric
from discreet.schema import Attribute, Schema
from discreet.typing import FloatArray, IntArray, Json

__all__ = ["Lookup", "different"]

COUNT, TOTAL, _WEIGHT = "#count", "#total", "#weight"
# Different records that are held in memory, on the driver and on every worker.
_MOST = 20_000_000


@dataclass(frozen=True)
class Lookup:
    """New values for every combination of keys that occurs."""

    names: tuple[str, ...]
    known: tuple[FloatArray, ...]
    """Sorted different values of every key; NaN and −1, the missing values, as −inf and −1."""
    packed: IntArray
    """Sorted numbers of the combinations."""
    values: Mapping[str, Any]
    """By masked attribute, the new values of the combinations, in the same order."""

    @classmethod
    def of(cls, keys: Mapping[str, Any], values: Mapping[str, Any]) -> Lookup:
        """Make a lookup from different records and what becomes of each."""
        names = tuple(keys)
        known = tuple(np.unique(_comparable(keys[name])) for name in names)
        packed = _pack([_comparable(keys[name]) for name in names], known)
        order = np.argsort(packed, kind="stable")
        return cls(names, known, packed[order], {name: column[order] for name, column in values.items()})

    def __call__(self, table: Microdata, rows: IntArray) -> dict[str, Any]:  # noqa: ARG002 - the shape of a change
        packed = _pack([_comparable(table.encoded(name)) for name in self.names], self.known)
        places = np.minimum(np.searchsorted(self.packed, packed), self.packed.size - 1)
        if not (self.packed[places] == packed).all():
            raise DataError("Records came up that were not there when the table was counted.")
        return {name: column[places] for name, column in self.values.items()}


def _comparable(column: Any) -> FloatArray:
    return np.where(np.isnan(column), -np.inf, column + 0.0) if column.dtype.kind == "f" else column.astype(np.float64)


def _pack(columns: list[FloatArray], known: tuple[FloatArray, ...]) -> IntArray:
    cells = 1.0
    packed = np.zeros(columns[0].size, dtype=np.int64)
    unknown = np.zeros(columns[0].size, dtype=np.bool_)
    for column, values in zip(columns, known, strict=True):
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


def different(masker: Masker, job: TableJob, names: tuple[str, ...], *, weighted: bool) -> dict[str, Any]:
    """Return the different records on some attributes, in memory, with their counts and weights."""
    weight = job.schema.weight if weighted else None
    rows = job.engine.open(job.source, [*names, *([weight] if weight else [])])
    found = job.engine.collect(job.engine.count(rows, names, weight))
    size = len(found[COUNT])
    if size > _MOST:
        raise DataError(
            f"{type(masker).__name__}: the table has {size} different records on {len(names)} attributes; "
            f"at most {_MOST} can be compared.",
            hint="Recode or round the attributes first.",
        )
    order = np.lexsort([_sortable(found[name]) for name in reversed(names)])
    return {name: column[order] for name, column in found.items()}


def _sortable(column: Any) -> Any:
    return np.unique(column, return_inverse=True)[1] if column.dtype == object else _comparable(column)


def _copies(
    masker: Masker, job: TableJob, found: Block, names: tuple[str, ...], cap: int
) -> tuple[Microdata, IntArray]:
    """Return combinations as records, at most `cap` of each, with their weights; and whose copy each is."""
    times = np.minimum(found[COUNT], cap)
    owner = np.repeat(np.arange(times.size), times)
    columns = {name: found[name][owner] for name in names}
    schema = Schema([*(job.schema[name] for name in names), Attribute(_WEIGHT, Numeric(), "weight")])
    weights = (found[TOTAL] / times)[owner]
    if not (weights > 0).all():
        raise DataError(f"{type(masker).__name__}: some survey weights are missing, zero or negative.")
    return table_of_codes(schema, {**columns, _WEIGHT: weights}), owner


@at_scale.register(KModes)
def _categories(masker: KModes, job: TableJob) -> Plan:
    refuse(masker, strata=None)
    lookups: list[Lookup] = []
    figures: list[Json] = []
    size = masker.n_vars or len(job.names)
    if size < len(job.names) and masker.grouping != "order":
        raise ParameterError("KModes: grouping must be 'order' for a table larger than memory.")
    for names in [job.names[i : i + size] for i in range(0, len(job.names), size)]:
        found = different(masker, job, names, weighted=masker.weighted)
        inner = masker.clone().set_params(weighted=True, attributes=list(names), n_vars=None)
        times = np.minimum(found[COUNT], masker.k)
        spread = [len(cast("Categorical", job.schema[name].scale)) for name in names]
        points = np.stack([found[name] / wide for name, wide in zip(names, spread, strict=True)], axis=1)
        released = {name: found[name].copy() for name in names}
        # Blocks hold at least 2k records each: half of a block that was too large.
        blocks = cut_groups(points, times, max(job.block_size, 4 * masker.k))
        for inside in blocks:
            part = {name: column[inside] for name, column in found.items()}
            table, owner = _copies(masker, job, part, names, masker.k)
            inner.set_params(random_state=job.draws.integer("block", int(inside[0])))
            masked = inner.mask(table).microdata
            first = np.unique(owner, return_index=True)[1]
            for name in names:
                codes = masked.encoded(name)
                if not np.array_equal(codes[first][owner], codes):
                    raise ParameterError(
                        f"{type(masker).__name__}: the method parts equal records, so it has no form for tables larger "
                        "than memory.",
                        hint="Use kmodes.",
                    )
                released[name][inside] = codes[first]
        lookups.append(Lookup.of({name: found[name] for name in names}, released))
        figures.append({"attributes": list(names), "different_records": int(times.size), "blocks": len(blocks)})
    shared = tuple(lookup.names for lookup in lookups)
    return Plan(change=_All(tuple(lookups)), details={"joint": len(lookups) == 1, "blocks": figures}, shared=shared)


@dataclass(frozen=True)
class _All:
    """Several lookups, one after the other."""

    lookups: tuple[Any, ...]

    def __call__(self, table: Microdata, rows: IntArray) -> dict[str, Any]:
        return {name: column for lookup in self.lookups for name, column in lookup(table, rows).items()}


@at_scale.register(LocalSuppression)
def _suppression(masker: LocalSuppression, job: TableJob) -> Plan:
    refuse(masker, strata=None)
    sensitive: tuple[str, ...] = ()
    if masker.l is not None:
        confidential = job.schema.of_role("confidential")
        sensitive = (masker.sensitive,) if masker.sensitive else confidential[:1]
    found = different(masker, job, (*job.names, *sensitive), weighted=False)
    keys = {name: found[name] for name in job.names}
    now = {name: column.copy() for name, column in keys.items()}
    combination = np.unique(_rows(keys), axis=0, return_inverse=True)[1].ravel()
    inner = masker.clone().set_params(attributes=list(job.names))
    while True:
        table, owner = _copies(masker, job, {**found, **now}, (*job.names, *sensitive), 2 * masker.k)
        masked = inner.mask(table).microdata
        changed = False
        for name in job.names:
            gone = _is_missing(masked.encoded(name)) & ~_is_missing(now[name][owner])
            if gone.any():
                # Records with the same keys are treated alike: what one of them loses, all lose.
                lost = np.isin(combination, combination[owner[gone]])
                now[name][lost] = -1 if now[name].dtype.kind == "i" else np.nan
                changed = True
        if not changed:
            break
    first = np.unique(combination, return_index=True)[1]
    suppressed = {n: int(found[COUNT][_is_missing(now[n]) & ~_is_missing(keys[n])].sum()) for n in job.names}
    lookup = Lookup.of({n: c[first] for n, c in keys.items()}, {n: c[first] for n, c in now.items()})
    details = {"suppressed": suppressed, "different_records": int(first.size)}
    return Plan(change=lookup, details=details, shared=masker.combined(job.names))


def _rows(keys: Mapping[str, Any]) -> FloatArray:
    return np.stack([_comparable(column) for column in keys.values()], axis=1)


def _is_missing(column: Any) -> Any:
    return column < 0 if column.dtype.kind == "i" else np.isnan(column)


@dataclass(frozen=True)
class _Sequences:
    """New sequences for every combination of sequences that occurs."""

    names: tuple[str, ...]
    places: Mapping[tuple[bytes, ...], int]
    released: tuple[EncodedSequences, ...]

    def __call__(self, table: Microdata, rows: IntArray) -> dict[str, Any]:  # noqa: ARG002 - the shape of a change
        keys = zip(*(table.encoded(name).keys() for name in self.names), strict=True)
        groups = np.array([self.places[key] for key in keys], dtype=np.int64)
        return {name: column.take(groups) for name, column in zip(self.names, self.released, strict=True)}


@at_scale.register(SequenceMicroaggregation)
def _sequences(masker: SequenceMicroaggregation, job: TableJob) -> Plan:
    owner = type(masker).__name__
    if masker.block_size < 2 * masker.k:
        raise ParameterError(f"{owner}: block_size must be at least 2k = {2 * masker.k}; got {masker.block_size}.")
    found = different(masker, job, job.names, weighted=False)
    distance = as_dissimilarity(owner, masker.distance, masker.quantifier)
    operator = as_sequence_operator(masker.prototype, distance)
    columns = [
        EncodedSequences.of([None if key == b"?" else np.frombuffer(key, dtype=np.int32) for key in found[name]])
        for name in job.names
    ]
    counts = found[COUNT].astype(np.int64)
    items = Items(columns, counts, distance)
    blocks = split_into_blocks(items, masker.block_size)
    table = MaskingJob(cast("Microdata", None), job.names, job.draws.generator(), InProcess())
    groups = masker._groups(items, blocks, table)  # noqa: SLF001 - the method's own groups
    released = tuple(operator.by_label(column, groups, counts) for column in columns)
    keys = zip(*(found[name] for name in job.names), strict=True)
    places = dict(zip(keys, groups.tolist(), strict=True))
    details = {"distinct_sequences": int(counts.size), "blocks": len(blocks)}
    return Plan(change=_Sequences(job.names, places, released), details=details)
