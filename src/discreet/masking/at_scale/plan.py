"""The door of masking at scale: checks, the plan of a masker's class, the release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

import numpy as np

from discreet.base import ROW, Block, Masker, Rows, Source, TableEngine, Target, notes_on_missing
from discreet.draws import Draws, draws_of, fingerprint
from discreet.errors import DataError, MissingValueError, ParameterError
from discreet.masking.release import Rounding, names_to_round, notes_on_release
from discreet.microdata import Microdata
from discreet.parameters import Integer, check_parameters
from discreet.results import Provenance
from discreet.scales.precision import N_COUNTS, Fineness, fineness, joined_fineness
from discreet.schema import Attribute, Schema
from discreet.typing import IntArray, Json

__all__ = ["Plan", "TableJob", "at_scale", "mask_table", "refuse"]

BLOCK_SIZE = 50_000


@dataclass(frozen=True)
class TableJob:
    """What a plan is made from: a checked table, the attributes to mask, draws, an engine, the largest block."""

    source: Source
    names: tuple[str, ...]
    draws: Draws
    engine: TableEngine
    block_size: int

    @property
    def schema(self) -> Schema:
        """The table's schema."""
        return self.source.schema

    @property
    def n(self) -> int:
        """The number of records."""
        return len(self.source)

    def kinds(self) -> dict[str, str]:
        """Return the kinds of the masked columns."""
        numeric, sequences = self.schema.of_scale("numeric"), self.schema.of_scale("sequence")
        return {n: "float" if n in numeric else "bytes" if n in sequences else "code" for n in self.names}


@dataclass(frozen=True)
class Plan:
    """How a release comes about: new values by position, or a function on the records as they come.

    Attributes
    ----------
    values : Rows, optional
        Encoded values of the masked attributes by :data:`~discreet.base.ROW`.
    change : callable, optional
        From some records and their positions to encoded values by attribute, where no record needs another.
    attributes : tuple of Attribute
        Declarations that the release needs.
    """

    values: Rows | None = None
    change: Callable[[Microdata, IntArray], Mapping[str, Any]] | None = None
    attributes: tuple[Attribute, ...] = ()
    details: Json = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    shared: tuple[tuple[str, ...], ...] = ()
    """See :class:`discreet.base.Masking`."""


@singledispatch
def at_scale(masker: Masker, job: TableJob) -> Plan:  # noqa: ARG001 - plans use it
    """Return the plan of a masker for a table larger than memory."""
    known = sorted({cls.__name__ for cls in at_scale.registry if cls is not object})
    raise ParameterError(
        f"{type(masker).__name__}: the method has no form for tables larger than memory.",
        hint=f"Methods that have one are those of {', '.join(known)}; or mask a sample in memory.",
    )


@dataclass(frozen=True)
class _Release:
    """Some records of the source as they are released."""

    names: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    removed: tuple[str, ...]
    change: Callable[[Microdata, IntArray], Mapping[str, Any]] | None
    rounding: Rounding
    one_missing: bool

    def __call__(self, table: Microdata, rows: IntArray, block: Block) -> Microdata:
        if self.change is not None:
            values = self.change(table, rows)
        else:
            if not np.array_equal(block[ROW], rows):
                raise DataError(f"{rows.size} records were to be released and {len(block[ROW])} came back.")
            values = {name: block[name] for name in self.names}
        released = table.replacing(self.rounding(table, values), *self.attributes, one_missing=self.one_missing)
        return released.select(name for name in table.names if name not in self.removed)


def mask_table(
    masker: Masker, source: Source, target: Target, engine: TableEngine, *, block_size: int = BLOCK_SIZE
) -> tuple[Provenance, Schema]:
    """Protect a table that may be larger than memory and write the release.

    Parameters
    ----------
    masker : Masker
    source : Source
        Never changed.
    target : Target
        Written whole or not at all, in the order of the source.
    engine : TableEngine
    block_size : int
        The most records that are grouped at a time.

    Returns
    -------
    provenance : Provenance
        Without labels and counts of changed cells, which would need another pass.
    schema : Schema
        Of the release.

    Notes
    -----
    The result depends on the values, the seed and `block_size`, not on the engine or the number of workers: the key of
    all draws follows from the seed and a fingerprint of the values, taken in one pass; blocks come from a sample drawn
    by position, and every draw belongs to a record's position or a block's first record.
    """
    owner = type(masker).__name__
    masker._check_parameters()  # noqa: SLF001 - this is the masker's own door for large tables
    check_parameters(owner, {"block_size": block_size}, {"block_size": Integer(8)})
    names = masker._names(source.schema)  # noqa: SLF001
    _check_records(masker, source, names, engine)
    state = getattr(masker, "random_state", None)
    if state is not None and not isinstance(state, (int, np.integer)):
        raise ParameterError(f"{owner}: random_state must be an integer for a table larger than memory.")
    seed, draws = _draws(masker, source, names, engine)
    plan = at_scale(masker, TableJob(source, names, draws, engine, block_size))
    schema = source.schema.replacing(*plan.attributes)
    removed = schema.of_role("identifier")
    rounding = Rounding(masker, _fineness(source, names_to_round(masker, source.schema, names), engine))
    guarantees = masker.guarantees(schema, names, plan.shared)
    target.guarantees = guarantees
    release = _Release(names, plan.attributes, removed, plan.change, rounding, masker.groups)
    engine.write(source, target, release, plan.values)
    notes = [
        *plan.notes,
        *notes_on_release(masker, source.schema, names),
        *notes_on_missing(masker, schema, names),
    ]
    left_alone = [name for name in schema.keys if name not in names]
    if left_alone:
        notes.append(f"Keys that {masker.name} did not mask ({len(left_alone)}): {', '.join(left_alone)}.")
    if removed:
        notes.append(f"Identifiers that are not released ({len(removed)}): {', '.join(removed)}.")
    provenance = Provenance(
        method=masker.name,
        parameters={
            n: v if _plain(v) else repr(v) for n, v in masker.get_params(deep=False).items() if n != "random_state"
        },
        attributes=names,
        n_records=len(source),
        removed=removed,
        details={**plan.details, "block_size": block_size},
        notes=tuple(notes),
        seed=seed,
        perturbative=masker.perturbative,
        guarantees=guarantees,
    )
    return provenance, schema.select(name for name in schema.names if name not in removed)


def _plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_plain(item) for item in value)
    return value is None or isinstance(value, (bool, int, float, str))


def refuse(masker: Masker, **unwanted: Any) -> None:
    """Refuse parameters that have no meaning yet where a table does not fit into memory."""
    for name, plain in unwanted.items():
        if getattr(masker, name, plain) != plain:
            raise ParameterError(
                f"{type(masker).__name__}: {name} must be {plain!r} for a table larger than memory; "
                f"got {getattr(masker, name)!r}.",
                hint="Split the file, or mask in memory.",
            )


@dataclass(frozen=True)
class _Fingerprint:
    """Take the fingerprint of some records."""

    names: tuple[str, ...]

    def __call__(self, block: Block) -> Block:
        return {"sums": fingerprint({name: block[name] for name in self.names}, block[ROW])}


def _draws(masker: Masker, source: Source, names: tuple[str, ...], engine: TableEngine) -> tuple[int | None, Draws]:
    """Return the seed and the draws; a method without a seed is one for any data, and its blocks follow from them."""
    secret = masker._secret(source.schema, names)  # noqa: SLF001 - what the door in memory asks
    marks = engine.fold(engine.open(source, secret), _Fingerprint(secret))["sums"].astype(np.uint64)
    if not hasattr(masker, "random_state"):
        return None, Draws.of(0, marks, masker.name)
    return draws_of(masker.random_state, marks, masker._purpose())  # noqa: SLF001


@dataclass(frozen=True)
class _Finenesses:
    """How fine the columns of some records are, one row a column."""

    names: tuple[str, ...]

    def __call__(self, block: Block) -> Block:
        parts = [fineness(block[name]) for name in self.names]
        return {
            "#name": np.arange(len(parts)),
            "#double": np.array([-1 if part.double is None else part.double for part in parts], dtype=np.int64),
            "#single": np.array([-1 if part.single is None else part.single for part in parts], dtype=np.int64),
            "#low": np.array([part.low for part in parts]),
            "#high": np.array([part.high for part in parts]),
            **{f"#count{i}": np.array(counts) for i, counts in enumerate(zip(*(p.counts for p in parts), strict=True))},
        }


def _fineness(source: Source, names: tuple[str, ...], engine: TableEngine) -> dict[str, Fineness]:
    """Return the fineness of whole columns, in one pass: no block decides how it is rounded."""
    if not names:
        return {}
    columns = {"#name": "int", "#double": "int", "#single": "int", "#low": "float", "#high": "float"}
    columns |= {f"#count{i}": "int" for i in range(N_COUNTS)}
    found = engine.collect(engine.apply(engine.open(source, names), _Finenesses(names), columns))
    rows = zip(*(found[column].tolist() for column in columns), strict=True)
    parts: dict[str, list[Fineness]] = {name: [] for name in names}
    for place, double, single, low, high, *counts in rows:
        known = [decimals if decimals >= 0 else None for decimals in (double, single)]
        parts[names[place]].append(Fineness(known[0], low, high, known[1], tuple(counts)))
    return {name: joined_fineness(each) for name, each in parts.items()}


@dataclass(frozen=True)
class _CountMissing:
    names: tuple[str, ...]

    def __call__(self, block: Block) -> Block:
        return {name: np.array([_absent(block[name]).sum()]) for name in self.names}


@dataclass(frozen=True)
class _CountUnfit:
    """Count weights that are missing, zero or negative."""

    weight: str

    def __call__(self, block: Block) -> Block:
        return {"unfit": np.array([(~(block[self.weight] > 0)).sum()])}


def _absent(column: Any) -> Any:
    if column.dtype == object:
        return column == b"?"
    return column < 0 if column.dtype.kind == "i" else np.isnan(column)


def _check_records(masker: Masker, source: Source, names: tuple[str, ...], engine: TableEngine) -> None:
    owner, n = type(masker).__name__, len(source)
    masker._check_table(source.schema, n)  # noqa: SLF001 - the same door as in memory
    weight = source.schema.weight if getattr(masker, "weighted", False) else None
    if weight is not None:
        bad = int(engine.fold(engine.open(source, [weight]), _CountUnfit(weight))["unfit"][0])
        if bad:
            raise DataError(f"Column {weight!r}: {bad} of {n} weights are missing, zero or negative.")
    if masker.handles_missing:
        return
    counts = engine.fold(engine.open(source, names), _CountMissing(names))
    for name in names:
        absent = int(counts[name][0])
        if absent:
            raise MissingValueError(
                f"{owner}: column {name!r} has {absent} missing values of {n}; the method has no rule for them.",
                hint="Impute them, drop those records, or leave the column out of attributes.",
            )
