"""How a masker is run: one door, one way to plan, one release, for tables in memory and in files alike.

A release follows from the data, the method, its seed and `block_size`, never from the engine. Without a block size all
records may meet: a method that needs them together is then run on one part, in memory. With one, at most so many meet,
and a table of any size is masked part by part, by the same lines on every engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from discreet.contracts.changed_counts import count_changed
from discreet.contracts.digits import (
    ReleaseRounding,
    counts_cells,
    names_to_round,
    notes_on_cells,
    notes_on_release,
    same_cells,
)
from discreet.contracts.engine import Engine, InProcess
from discreet.contracts.ground import Ground, Memory, Stored, ground_of
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.masker import Masker, Masking, MaskingJob, notes_on_missing, plain_parameters
from discreet.contracts.plan import GROUP, OfTable, Plan, Scope, Stage
from discreet.contracts.strata import (
    ByStratum,
    Strata,
    StratumSizes,
    StratumStatistics,
    joined,
    joined_details,
    joined_shared,
    joined_transitions,
    scattered,
)
from discreet.data.block import Block
from discreet.data.encoded_rows import ROW
from discreet.data.guarantees import recount_of, require
from discreet.data.keyed_draws import Draws, draws_of, spawned
from discreet.data.microdata import Microdata
from discreet.data.schema import Attribute, Schema
from discreet.data.table import StoredTable, Target
from discreet.errors import DataError, MissingValueError, ParameterError
from discreet.parameters import Integer, Optional, check_parameters
from discreet.statistics.census import Census, Counted, Extent, Extents
from discreet.statistics.question import Need
from discreet.typing import IntArray

__all__ = ["FittedPlan", "Written", "WrittenText", "plan_release", "run_masker"]

_STRATUM = "#stratum"
_BY_RECORD = frozenset({Need.RECORD, Need.ORDER})


class Written(NamedTuple):
    """What is known of a release that was written and not held: how it came about, and its schema."""

    provenance: Provenance
    schema: Schema


class WrittenText(Written):
    """The same of a release that was written as text, and can be read without reading that text again."""

    table: StoredTable

    def __new__(cls, provenance: Provenance, schema: Schema, table: StoredTable) -> Self:
        written = super().__new__(cls, provenance, schema)
        written.table = table
        return written


@dataclass(frozen=True)
class _MaskingRun:
    """A checked masker on a checked table."""

    masker: Masker
    ground: Ground
    names: tuple[str, ...]
    census: Counted
    seed: int | None
    draws: Draws
    strata: Strata | None
    block_size: int | None
    notes: tuple[str, ...]
    """Of the door: columns that do not vary."""

    @property
    def schema(self) -> Schema:
        return self.ground.schema

    def scope(self, stratum: int) -> Scope:
        n = len(self.ground) if self.strata is None else self.strata.sizes[stratum]
        weight = self.schema.weight if getattr(self.masker, "weighted", False) else None
        return Scope(self.schema, self.names, n, len(self.ground), weight, self.draws, self.block_size, stratum)


def run_masker(
    masker: Masker,
    table: Microdata | StoredTable,
    engine: Engine | None = None,
    block_size: int | None = None,
    target: Target | None = None,
) -> Masked | Written:
    """Mask a table: what is in memory is given back, what is in files is written to `target`.

    Parameters
    ----------
    masker : Masker
    table : Microdata or StoredTable
        Never changed.
    engine : Engine, optional
        Where parts are run; for a table in files, one for such tables.
    block_size : int, optional
        The most records that meet; by default all may.
    target : Target, optional
        For a table in files: written whole or not at all.
    """
    owner = type(masker).__name__
    masker.check_parameters()  # this is the masker's own door
    check_parameters(owner, {"block_size": block_size}, {"block_size": Optional(Integer(8))})
    if isinstance(table, StoredTable) and target is None:
        raise ParameterError(f"{owner}: a table in files needs a target for its release.")
    n = len(table)
    in_parts = block_size is not None and n > block_size
    if masker.need is Need.ALL and in_parts:
        raise ParameterError(
            f"{owner}: the method needs {Need.ALL.value}; {n} records do not meet in parts of {block_size}.",
            hint=f"Leave block_size out, if the table fits into memory; or {masker.instead}.",
        )
    if isinstance(table, StoredTable) and not in_parts and masker.need not in _BY_RECORD:
        # All records meet: the table is one part, and masked as any table in memory.
        masked = run_masker(masker, table.in_memory(table.schema.names))
        assert isinstance(masked, Masked) and target is not None  # noqa: S101, PT018 - for the type checker
        target.guarantees = masked.provenance.guarantees
        target.write([masked.microdata])
        return Written(masked.provenance, masked.microdata.schema)
    run = _admitted(masker, ground_of(table, engine), block_size if in_parts else None)
    if masker.need in _BY_RECORD or in_parts:
        return _planned(run, target)
    outcome = _one_part(run)
    return _masked(run, outcome)


@dataclass(frozen=True)
class FittedPlan:
    """What was learned from one table, by which records of another are released."""

    schema: Schema
    release: _ReleasedRecords

    def __call__(self, table: Microdata) -> Microdata:
        """Release records by the plan. Nothing is promised of them: what holds of a table was planned for it."""
        return self.release(table, np.arange(len(table), dtype=np.int64), {})


def plan_release(masker: Masker, table: Microdata) -> FittedPlan | None:
    """Return the plan of a table for other records; None where records have to meet, or are drawn for.

    The table is checked as for masking either way.
    """
    own = masker.clone()
    run = _admitted(own, ground_of(table, None), None)
    if own.need not in _BY_RECORD or hasattr(own, "random_state"):
        return None
    plans = _plans(run)
    if own.stages(plans[0]):
        return None
    release, _ = _release(run, _outcome(run, plans), _Change(own, tuple(plans), run.strata))
    return FittedPlan(run.schema, release)


# ------------------------------------------------------------------------------------------------------------- door


def _admitted(masker: Masker, ground: Ground, block_size: int | None) -> _MaskingRun:
    """Check the records, and return what a plan is made from."""
    owner, schema, n = type(masker).__name__, ground.schema, len(ground)
    names = masker.columns_for(schema)
    masker._check_table(schema, n)  # noqa: SLF001
    weighted = getattr(masker, "weighted", False)
    draws_from = hasattr(masker, "random_state") or block_size is not None
    # Whatever a plan reads is in the key of the draws: with strata or weights made anew, the same draws at another
    # spread would give the original as a difference of two releases.
    also = (*(getattr(masker, "strata", None) or ()), *([schema.weight] if weighted and schema.weight else []))
    secret = tuple(dict.fromkeys((*masker._secret(schema, names), *also))) if draws_from else ()  # noqa: SLF001
    numbers = names_to_round(masker, schema, names)
    # What is present is asked along with the census where nothing of the census is needed to ask it.
    with_extents = bool(masker._fewest()) and getattr(masker, "strata", None) is None  # noqa: SLF001
    questions = [Census(names, schema.weight if weighted else None, numbers, secret), *[Extents(names)] * with_extents]
    census, *extents = ground.ask(questions)
    if census.unfit_weights:
        raise DataError(
            f"Column {schema.weight!r}: {census.unfit_weights} of {n} weights are missing, zero or negative."
        )
    for name in names:
        if census.missing[name] and not masker.handles_missing:
            raise MissingValueError(
                f"{owner}: column {name!r} has {census.missing[name]} missing "
                f"{'value' if census.missing[name] == 1 else 'values'} of {n}; the method has no rule for "
                f"{'it' if census.missing[name] == 1 else 'them'}.",
                hint="Impute them, drop those records, or leave the column out of attributes.",
            )
    if hasattr(masker, "random_state"):
        seed, draws = draws_of(masker.random_state, census.marks, masker._purpose(names))  # noqa: SLF001
    else:  # a method without a seed is one for any data, and its parts follow from them
        seed, draws = None, Draws.of(0, census.marks if draws_from else None, masker.name)
    strata = None
    if getattr(masker, "strata", None) is not None:
        names_of_strata = tuple(masker.strata)  # type: ignore[attr-defined]
        strata = Strata.of(names_of_strata, ground.ask([StratumSizes(names_of_strata)])[0])
        masker._check_strata(strata.sizes)  # noqa: SLF001
    notes: tuple[str, ...] = ()
    if masker._fewest():  # noqa: SLF001
        notes = masker._check_values(names, extents if with_extents else _extents(ground, names, strata))  # noqa: SLF001
    return _MaskingRun(masker, ground, names, census, seed, draws, strata, block_size, notes)


def _extents(ground: Ground, names: tuple[str, ...], strata: Strata | None) -> list[Extent]:
    """Return what is present of the masked columns, by stratum."""
    question = Extents(names)
    if strata is None:
        return ground.ask([question])
    everywhere = tuple(range(len(strata.levels)))
    extents = ground.ask([ByStratum(question, strata, everywhere)])[0].by_number
    return [extents[number] for number in everywhere]


# --------------------------------------------------------------------------------------------------------- one part


def _one_part(run: _MaskingRun) -> Masking:
    """Run the method on a table in memory all of whose records meet, or on each of its strata."""
    masker, ground = run.masker, run.ground
    assert isinstance(ground, Memory)  # noqa: S101 - for the type checker
    if run.strata is None:
        stream = run.draws.stream()
        return masker._mask_part(MaskingJob(ground.table, run.names, stream, ground.engine))  # noqa: SLF001
    rng = run.draws.generator()
    parts = list(run.strata.parts(ground.block))
    jobs = [MaskingJob(block.original, run.names, spawned(rng), InProcess()) for _, _, block in parts]
    outcomes = ground.engine.map(masker._mask_part, jobs)  # noqa: SLF001
    return joined(run.strata, [rows for _, rows, _ in parts], outcomes)


# ---------------------------------------------------------------------------------------------------------- planned


def _plans(run: _MaskingRun) -> list[Plan]:
    """Lead the inquiries of all strata side by side: each pass answers what is open, equal questions once."""
    size = 1 if run.strata is None else len(run.strata.levels)
    inquiries = [run.masker.inquire(run.scope(stratum)) for stratum in range(size)]
    plans: dict[int, Plan] = {}
    waiting: dict[int, Any] = {}

    def go_on(stratum: int, answer: Any) -> None:
        try:
            waiting[stratum] = inquiries[stratum].send(answer)
        except StopIteration as stop:
            plans[stratum] = stop.value

    for stratum in range(size):
        go_on(stratum, None)
    while waiting:
        strata_of: dict[Any, list[int]] = {}
        for stratum, question in waiting.items():
            strata_of.setdefault(question, []).append(stratum)
        waiting.clear()
        answers = run.ground.ask([_for_strata(question, run.strata, which) for question, which in strata_of.items()])
        for which, statistics in zip(strata_of.values(), answers, strict=True):
            for stratum in which:
                go_on(
                    stratum, statistics.by_number[stratum] if isinstance(statistics, StratumStatistics) else statistics
                )
    return [plans[stratum] for stratum in range(size)]


def _for_strata(question: Any, strata: Strata | None, which: list[int]) -> Any:
    """Return a question as it is asked: of the table, or of some of its strata."""
    if isinstance(question, OfTable):
        return question.question
    return question if strata is None else ByStratum(question, strata, tuple(which))


def _planned(run: _MaskingRun, target: Target | None) -> Masked | Written:
    plans = _plans(run)
    outcome = _outcome(run, plans)
    stages = [run.masker.stages(plan) for plan in plans]
    if stages[0]:
        values = _in_stages(run, stages)
        change = None
    else:
        values, change = None, _Change(run.masker, tuple(plans), run.strata)
    if isinstance(run.ground, Memory):
        released = values if change is None else change(run.ground.block)
        labels = _labels(released)
        values_released = {name: column for name, column in released.items() if not name.startswith("#")}
        return _masked(run, replace(outcome, values=values_released, labels=labels))
    written = _written(run, outcome, change, values, target)
    formed = any(name.startswith(GROUP) for stage in stages[0] for name in stage.columns)
    # The groups of a written release are not kept; that there are some is.
    return written._replace(provenance=replace(written.provenance, grouped=run.names)) if formed else written


def _labels(records: Mapping[str, Any]) -> IntArray | None:
    """Return the groups that the stages formed, numbered from 0 on; one column each where there are several."""
    columns = [column for name, column in records.items() if name.startswith(GROUP)]
    groups = [np.unique(column, return_inverse=True)[1].ravel().astype(np.int64) for column in columns]
    return None if not groups else groups[0] if len(groups) == 1 else np.stack(groups, axis=1)


def _outcome(run: _MaskingRun, plans: list[Plan]) -> Masking:
    """Return what the plans say of the release, without its values."""
    first = plans[0]
    if run.strata is None:
        details, notes, transitions, shared = first.details, first.notes, first.transitions, first.shared
    else:
        details = joined_details(run.strata, [plan.details for plan in plans])
        notes = tuple(dict.fromkeys(note for plan in plans for note in plan.notes))
        transitions = joined_transitions([plan.transitions for plan in plans])
        shared = joined_shared([plan.shared for plan in plans], run.names)
    if run.block_size is not None:
        details = {**details, "block_size": run.block_size}
    return Masking(
        {},
        transitions=transitions,
        attributes=first.attributes,
        removed=first.removed,
        details=details,
        notes=notes,
        shared=shared,
    )


@dataclass(frozen=True)
class _Change:
    """Every record changed by the plan of its stratum."""

    masker: Masker
    plans: tuple[Plan, ...]
    strata: Strata | None

    def __call__(self, block: Block) -> Mapping[str, Any]:
        if self.strata is None:
            return self.masker.apply(self.plans[0], block)
        places, values = [], []
        for stratum, inside, part in self.strata.parts(block):
            places.append(inside)
            values.append(self.masker.apply(self.plans[stratum], part))
        return {name: scattered(places, [one[name] for one in values], len(block)) for name in values[0]}


@dataclass(frozen=True)
class _Numbered:
    """Say of every record to which stratum it belongs."""

    strata: Strata

    def __call__(self, block: Mapping[str, Any]) -> Mapping[str, Any]:
        codes = np.stack([block[name] for name in self.strata.names], axis=1)
        return {**block, _STRATUM: self.strata.numbers(codes)}


@dataclass(frozen=True)
class _OfStratum:
    """A stage of all strata: parts of different strata are different parts."""

    stages: tuple[Stage, ...]
    starts: tuple[int, ...]

    def part(self, block: Mapping[str, Any]) -> IntArray:
        numbers = block[_STRATUM]
        result = np.empty(len(numbers), dtype=np.int64)
        for stratum in np.unique(numbers).tolist():
            inside = np.flatnonzero(numbers == stratum)
            records = {name: column[inside] for name, column in block.items() if name != _STRATUM}
            result[inside] = self.starts[stratum] + self.stages[stratum].part(records)
        return result

    def work(self, block: Mapping[str, Any]) -> Mapping[str, Any]:
        stratum = int(block[_STRATUM][0])
        worked = self.stages[stratum].work({name: column for name, column in block.items() if name != _STRATUM})
        return {**worked, _STRATUM: np.full(len(worked[ROW]), stratum, dtype=np.int64)}


def _in_stages(run: _MaskingRun, stages: list[tuple[Stage, ...]]) -> Any:
    """Bring records together, stage after stage."""
    names = run.masker.columns(run.scope(0))
    if run.strata is None:
        return run.ground.meet(names, None, {}, stages[0])
    together = []
    for each in zip(*stages, strict=True):
        starts = tuple(np.cumsum([0, *(stage.parts for stage in each)]).tolist())
        stage = _OfStratum(each, starts[:-1])
        columns = {**each[0].columns, _STRATUM: "int"}
        together.append(Stage(stage.part, starts[-1], stage.work, columns))
    columns_read = tuple(dict.fromkeys((*names, *run.strata.names)))
    return run.ground.meet(columns_read, _Numbered(run.strata), {_STRATUM: "int"}, together)


# ---------------------------------------------------------------------------------------------------------- release


@dataclass(frozen=True)
class _ReleasedRecords:
    """Some records as they are released: the same lines for a whole table and for a batch of one."""

    names: tuple[str, ...]
    within: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    removed: tuple[str, ...]
    rounding: ReleaseRounding
    one_missing: bool
    change: _Change | None = None
    kinds: Mapping[str, str] | None = None
    """Of a table that is released in parts, the types of columns of whole numbers; otherwise their values tell."""

    def __call__(self, table: Microdata, rows: IntArray, block: Mapping[str, Any]) -> Microdata:
        if self.change is not None:
            values = self.change(Block(rows, table))
        else:
            if not np.array_equal(block[ROW], rows):
                raise DataError(f"{rows.size} records were to be released and {len(block[ROW])} came back.")
            values = {name: block[name] for name in self.names}
        released = self.replaced(table, self.rounding(table, values))
        return released.select(name for name in table.names if name not in self.removed)

    def replaced(self, table: Microdata, values: Mapping[str, Any]) -> Microdata:
        """Return a table with its new values; what is counted as equal is made equal, in strata too."""
        within = {name: table.encoded(name) for name in self.within if name not in values}
        return table.replacing({**within, **values}, *self.attributes, one_missing=self.one_missing, kinds=self.kinds)


class _CountedRelease:
    """Release records in this process, and count meanwhile how many cells differ: both tables are at hand."""

    def __init__(self, release: _ReleasedRecords, names: tuple[str, ...]) -> None:
        self.release = release
        self.counts = dict.fromkeys(names, 0)
        self._lock = Lock()

    def __call__(self, table: Microdata, rows: IntArray, block: Mapping[str, Any]) -> Microdata:
        released = self.release(table, rows, block)
        counts = {name: count_changed(table, released, name, released.encoded(name)) for name in self.counts}
        with self._lock:
            for name, count in counts.items():
                self.counts[name] += count
        return released


@dataclass(frozen=True)
class SameCells:
    """By column, how many cells are released as they were, have a value, and lie beyond all that were there."""

    counts: Mapping[str, tuple[int, int, int]]

    def merge(self, later: SameCells, /) -> SameCells:
        return SameCells(
            {
                name: (same + later.counts[name][0], present + later.counts[name][1], beyond + later.counts[name][2])
                for name, (same, present, beyond) in self.counts.items()
            }
        )


@dataclass(frozen=True, eq=False)
class _Unchanged:
    """Change some records, and count the cells that come out as they were."""

    release: _ReleasedRecords
    change: _Change
    original: tuple[str, ...]
    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> SameCells:
        rounding = self.release.rounding
        values = rounding(block.original, self.change(block))
        return SameCells(same_cells(block.original, values, rounding.columns))


def _release(run: _MaskingRun, outcome: Masking, change: _Change | None = None) -> tuple[_ReleasedRecords, Schema]:
    """Return how records are released, and the schema of the table before anything is left out of it."""
    schema = run.schema.replacing(*outcome.attributes)
    # An identifier that got fresh numbers and another role is none any more.
    removed = tuple(name for name in run.schema.names if name in (*schema.of_role("identifier"), *outcome.removed))
    rounding = ReleaseRounding(run.masker, run.census.fineness)
    return (
        _ReleasedRecords(
            run.names,
            run.masker.unmasked_classes(),
            outcome.attributes,
            removed,
            rounding,
            run.masker.groups or run.masker.counts_keys,
            change,
            None if isinstance(run.ground, Memory) else rounding.kinds(run.schema.of_scale("numeric", among=run.names)),
        ),
        schema,
    )


def _masked(run: _MaskingRun, outcome: Masking) -> Masked:
    ground = run.ground
    assert isinstance(ground, Memory)  # noqa: S101 - for the type checker
    release, schema = _release(run, outcome)
    values = release.rounding(ground.table, outcome.values)
    replaced = release.replaced(ground.table, values)
    released = replaced.select(name for name in ground.table.names if name not in release.removed)
    if outcome.rows is not None:
        released = released.take(outcome.rows)
    outcome = replace(outcome, values=values)
    fineness = run.census.fineness
    counts = same_cells(ground.table, values, fineness) if counts_cells(run.masker, fineness) else {}
    cells = notes_on_cells(counts, fineness)
    provenance = _provenance(run, outcome, release, schema, cells)
    changed = {name: count_changed(ground.table, replaced, name, column) for name, column in values.items()}
    if run.masker.recounts:
        recounts = [recount_of(promise) for promise in provenance.guarantees]
        for recount in recounts:
            told = [name for name in released.names if name in recount.guarantee.columns]
            recount.add(released.select(told).to_polars())
        require(recounts, place="the release")
    return Masked(released, replace(provenance, changed=changed))


def _written(run: _MaskingRun, outcome: Masking, change: _Change | None, values: Any, target: Target | None) -> Written:
    ground = run.ground
    assert isinstance(ground, Stored) and target is not None  # noqa: S101, PT018 - for the type checker
    release, schema = _release(run, outcome, change)
    cells: tuple[str, ...] = ()
    if change is not None and counts_cells(run.masker, run.census.fineness):
        strata = () if run.strata is None else run.strata.names
        same: SameCells = ground.ask([_Unchanged(release, change, tuple(dict.fromkeys((*run.names, *strata))))])[0]
        cells = notes_on_cells(same.counts, run.census.fineness)
    provenance = _provenance(run, outcome, release, schema, cells)
    target.guarantees = provenance.guarantees
    released = schema.select(name for name in schema.names if name not in release.removed)
    # Where records stand elsewhere, no cell has one to be compared with.
    compared = tuple(name for name in run.names if name in released and not run.masker.moves_records())
    if not ground.engine.writes_here:
        ground.engine.write(ground.source, target, release, values)
        return Written(provenance, released)
    counting = _CountedRelease(release, compared)
    ground.engine.write(ground.source, target, counting, values)
    return Written(replace(provenance, changed=counting.counts), released)


def _provenance(
    run: _MaskingRun, outcome: Masking, release: _ReleasedRecords, schema: Schema, cells: tuple[str, ...]
) -> Provenance:
    masker, names = run.masker, run.names
    within = [name for name in release.within if name not in outcome.values]
    identifiers = schema.of_role("identifier")
    left_alone = [name for name in schema.keys if name not in names]
    new = tuple(outcome.values) or names
    notes = [*outcome.notes, *run.notes, *notes_on_release(masker, run.schema, names), *cells]
    notes += notes_on_missing(masker, schema, (*within, *new))
    if left_alone:
        notes.append(f"Keys that {masker.name} did not mask ({len(left_alone)}): {', '.join(left_alone)}.")
    if identifiers:
        notes.append(f"Identifiers that are not released ({len(identifiers)}): {', '.join(identifiers)}.")
    return Provenance(
        method=masker.name,
        parameters=plain_parameters(masker),
        attributes=names,
        n_records=len(run.ground),
        removed=release.removed,
        labels=outcome.labels,
        transitions=outcome.transitions,
        rows=outcome.rows,
        details=outcome.details,
        notes=tuple(notes),
        seed=run.seed,
        perturbative=masker.perturbative,
        guarantees=(*masker.guarantees(schema, names, outcome.shared), *outcome.promises),
    )
