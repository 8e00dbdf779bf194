"""Several masking steps, one after the other, and one honest record of all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, cast

import numpy as np

from discreet import catalogue
from discreet.contracts.changed_counts import ChangedCounts, CountChanged
from discreet.contracts.engine import Engine, TableEngine, TablePair
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.masker import Masker, count_changed
from discreet.contracts.run_masker import Written
from discreet.data.guarantees import Guarantee, still_true
from discreet.data.keyed_draws import drawn_seed, seed_from
from discreet.data.microdata import Microdata, microdata
from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.data.table import StoredTable
from discreet.engines.memory import MemoryEngine
from discreet.errors import DiscreetError, ParameterError, door, wrong_type
from discreet.evaluation.assessing import BLOCK, mask_counted
from discreet.io import content_of
from discreet.io.stored_parquet import ParquetSource, ParquetTarget
from discreet.masking.running.units import PerUnit
from discreet.progress import report as report_progress
from discreet.release.protocol_parts import Step
from discreet.scratch import scratch_folder
from discreet.typing import BoolArray, IntArray, Json

__all__ = ["Chain", "masker_of", "seed_of"]

_PER_STEP = ("Keys that ", "Identifiers that are not released ")
"""How notes begin that speak of one step and would be wrong of several."""

_EXAMPLE = "Chain([TopCoding(share=0.1), MDAV(k=5)], seed=20)"


class Chain:
    """Several masking steps, one after the other, that mask as one.

    Parameters
    ----------
    steps : sequence of Step, Masker or PerUnit
        Applied in this order; each sees what the one before it released. Identifiers stay visible to all of them (to
        be renumbered, or to say who belongs together) and are left out of the release.
    seed : int, optional
        Where a step without a seed of its own draws from, together with the values it masks: the first step from `seed`
        itself, so that one step gives the file that :func:`discreet.protect` gives, and every later one from the seed
        and its position. Without one, 128 bits are drawn from the operating system and kept in the provenance.
    folder : path, optional
        Where files that a step names, such as hierarchies, are looked for.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> Chain([Step("top-coding", {"share": 0.1}), Step("mdav", {"k": 4})], seed=1).mask(business(100))
    Masked(100 records by top-coding + mdav: EMPLOYEES, TURNOVER, ..., RESEARCH)
    """

    def __init__(
        self,
        steps: Sequence[Step | Masker | PerUnit],
        seed: int | None = None,
        *,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        if isinstance(steps, (str, bytes)) or not isinstance(steps, Iterable):
            raise wrong_type("Chain", "steps must be a list of maskers", steps, _EXAMPLE)
        steps = tuple(steps)
        for one in steps:
            if not isinstance(one, (Step, Masker, PerUnit)):
                raise wrong_type("Chain", "every step must be a masker", one, _EXAMPLE)
        if seed is not None and not isinstance(seed, (int, np.integer)):
            raise wrong_type("Chain", "seed must be an integer", seed, _EXAMPLE)
        if not steps:
            raise ParameterError("Chain: there must be at least one step.", hint="Chain([MDAV(k=5)])")
        self.steps = steps
        self.seed = seed
        self.folder = folder

    def __repr__(self) -> str:
        names = [one.method if isinstance(one, Step) else one.name for one in self.steps]
        return f"Chain({' + '.join(names)})"

    @door
    def mask(
        self,
        data: Any,
        schema: Schema | None = None,
        *,
        engine: Engine | None = None,
        block_size: int | None = None,
    ) -> Masked:
        """Mask a table in these steps.

        Parameters
        ----------
        data : Microdata or frame
        schema : Schema, optional
            For a plain frame.
        engine : Engine, optional
        block_size : int, optional
            The most records that a step brings together; by default all may be.

        Returns
        -------
        Masked
            Its provenance speaks of the whole chain: whether any step was perturbative, which records are left, the
            transitions of categories composed over the steps (left out where a step does not tell them), the groups of
            the last grouping step (left out where a later step changed what it had grouped), what the steps promised
            as far as it still holds after the last one, and each step's own record in `history`.

        Raises
        ------
        DiscreetError
            Of a step, with its number and line in front.
        """
        original = microdata(data, schema)
        seed = drawn_seed() if self.seed is None else self.seed
        steps = [_step(one) for one in self.steps]
        maskers = [_masker(one, place, seed, self.folder) for place, one in enumerate(self.steps)]
        _keep_units_whole(original.schema, steps, maskers)
        runner = engine or MemoryEngine()
        current, rows, history, schemas = original, None, [], []
        removed: set[str] = set()
        for place, (step, masker) in enumerate(zip(steps, maskers, strict=True)):
            report_progress("masking", place, len(steps))
            table = _with_identifiers(current, original, rows, removed)
            try:
                if step.unit is not None and step.unit not in table.schema:
                    raise ParameterError(f"unit {step.unit!r} is not in the table any more.")
                masked = (PerUnit(masker, step.unit) if step.unit else masker).mask(
                    table, engine=runner, block_size=block_size
                )
            except DiscreetError as error:
                raise _of_step(step, place, error) from None
            provenance = masked.provenance
            removed |= {name for name in provenance.removed if table.schema[name].role != "identifier"}
            if provenance.rows is not None:
                rows = provenance.rows if rows is None else rows[provenance.rows]
            schemas.append((table.schema, masked.microdata.schema))
            history.append(provenance)
            current = masked.microdata
        report_progress("masking", len(steps), len(steps))
        if len(steps) == 1:
            return Masked(current, history[0])
        return Masked(current, _chained(original, current, rows, steps, history, schemas, seed))

    @door
    def mask_into(
        self, source: StoredTable, target: ParquetTarget, engine: TableEngine, block_size: int | None = None
    ) -> Written:
        """Mask a table in files, which may be larger than memory, in these steps, and write the release.

        Parameters
        ----------
        source : StoredTable
        target : ParquetTarget
        engine : TableEngine
            The release does not depend on it.
        block_size : int, optional
            The most records that a step brings together; 50,000 by default.

        Returns
        -------
        Written
            The provenance of the whole chain, as :meth:`mask` tells it, without groups of records.

        Raises
        ------
        DiscreetError
            Of a step, with its number and line in front: which one needs all records, say.

        Notes
        -----
        What a step releases is written to a temporary folder and read by the next: a copy of the table on disk, or two.
        A step for each unit brings all records together, a million at most.
        """
        seed = drawn_seed() if self.seed is None else self.seed
        steps = [_step(one) for one in self.steps]
        maskers = [_masker(one, place, seed, self.folder) for place, one in enumerate(self.steps)]
        _keep_units_whole(source.schema, steps, maskers)
        current, rows, history, schemas = source, None, [], []
        with scratch_folder() as folder:
            for place, (step, masker) in enumerate(zip(steps, maskers, strict=True)):
                report_progress("masking", place, len(steps))
                last = place == len(steps) - 1
                table = current if last else _keeping_identifiers(current, masker)
                between = target if last else ParquetTarget(folder / f"step-{place}.parquet", source.inputs)
                try:
                    written = _step_written(step, masker, table, between, engine, block_size)
                except DiscreetError as error:
                    raise _of_step(step, place, error) from None
                provenance = written.provenance
                if provenance.rows is not None:
                    rows = provenance.rows if rows is None else rows[provenance.rows]
                schemas.append((current.schema, written.schema))
                history.append(provenance)
                kept = [a for a in written.schema if a.name in current.schema and current.schema[a.name] != a]
                hidden = {a.name: "identifier" for a in kept if current.schema[a.name].role == "identifier"}
                released = written.schema.with_roles(**hidden) if hidden and not last else written.schema
                current = ParquetSource(content_of(between.path), released)
            report_progress("masking", len(steps), len(steps))
            if len(steps) == 1:
                return Written(history[0], current.schema)
            chained = _chained(source, current, rows, steps, history, schemas, seed, engine)
        return Written(chained, current.schema)


def _keeping_identifiers(table: StoredTable, masker: Masker) -> StoredTable:
    """Return a table whose identifiers are no more than other columns, so that later steps see them too.

    Those that the step masks itself stay what they are.
    """
    try:
        masked = masker.columns_for(table.schema)
    except DiscreetError:
        return table  # said in its turn
    hidden = [name for name in table.schema.of_role("identifier") if name not in masked]
    if not hidden:
        return table
    same_files = copy(table)
    same_files.schema = table.schema.with_roles(**dict.fromkeys(hidden, "other"))
    return same_files


def _step_written(
    step: Step,
    masker: Masker,
    table: StoredTable,
    target: ParquetTarget,
    engine: TableEngine,
    block_size: int | None,
) -> Written:
    """Mask a table in files by one step; once a unit, all records are brought together."""
    if step.unit is None:
        return mask_counted(masker, table, target, engine, block_size)
    if step.unit not in table.schema:
        raise ParameterError(f"unit {step.unit!r} is not in the table any more.")
    return PerUnit(masker, step.unit).mask_into(table, target, engine, BLOCK if block_size is None else block_size)


def _step(one: Step | Masker | PerUnit) -> Step:
    """Return what messages and the record call a step by."""
    return one if isinstance(one, Step) else Step(one.name, unit=one.unit if isinstance(one, PerUnit) else None)


def _masker(one: Step | Masker | PerUnit, place: int, seed: int, folder: str | os.PathLike[str] | None) -> Masker:
    """Return the masker of a step, with a seed where it draws and has none."""
    if isinstance(one, Step):
        return masker_of(one, place, seed, folder)
    masker: Masker = (one.masker if isinstance(one, PerUnit) else one).clone()
    if "random_state" in masker.parameter_names() and masker.get_params(deep=False)["random_state"] is None:
        masker.set_params(random_state=seed_of(seed, place))
    return masker


def masker_of(
    step: Step, place: int = 0, seed: int | None = None, folder: str | os.PathLike[str] | None = None
) -> Masker:
    """Return the masker that a step describes; what it says is checked against the method's parameters."""
    parameters = dict(step.parameters)
    draws = "random_state" in catalogue.method("masker", step.method, _where(step, place)).parameter_names()
    if seed is not None and draws and parameters.get("random_state") is None:
        parameters["random_state"] = seed_of(seed, place)
    masker: Masker = catalogue.build("masker", step.method, parameters, _where(step, place), folder=folder)
    return masker


def seed_of(seed: int, place: int) -> int:
    """Return where the step or table at a place draws from: the first from the seed itself."""
    return seed if place == 0 else seed_from(seed, "place", place)


def _where(step: Step, place: int) -> str:
    line = f"Line {step.line}: " if step.line else ""
    return f"{line}Step {place + 1} ({step.method})"


def _of_step(step: Step, place: int, error: DiscreetError) -> DiscreetError:
    return type(error)(f"{_where(step, place)}: {error.message}", hint=error.hint)


def _keep_units_whole(schema: Schema, steps: Sequence[Step], maskers: Sequence[Masker]) -> None:
    """Refuse a step that would mask person by person what an earlier one masked once a unit."""
    shared: dict[str, str] = {}
    for place, (step, masker) in enumerate(zip(steps, maskers, strict=True)):
        if masker.reorders or masker.renumbers:
            continue  # values stay with their records
        try:
            names = masker.columns_for(schema)  # what it will mask
        except DiscreetError:
            continue  # said in its turn, with what the steps before it released
        if step.unit is not None:
            shared |= dict.fromkeys(names, step.unit)
            continue
        torn = [name for name in names if name in shared]
        if torn:
            others = [name for name in names if name not in shared]
            raise ParameterError(
                f"{_where(step, place)} would mask {torn[0]!r} record by record, which an earlier step masked "
                f"once for each {shared[torn[0]]!r}.",
                hint=f"Name the others: attributes = {others}."
                if others
                else "Leave the step out, or give it the unit.",
            )


def _with_identifiers(current: Microdata, original: Microdata, rows: IntArray | None, removed: set[str]) -> Microdata:
    absent = [n for n in original.schema.of_role("identifier") if n not in current.schema and n not in removed]
    if not absent:
        return current
    beside = original.select(absent)
    joined = current.exchanging(beside if rows is None else beside.take(rows))
    joined.share_encoding(current)
    return joined


# ------------------------------------------------------------------------------------------------------- the record


def _chained(
    original: Microdata | StoredTable,
    released: Microdata | StoredTable,
    rows: IntArray | None,
    steps: Sequence[Step],
    history: list[Provenance],
    schemas: list[tuple[Schema, Schema]],
    seed: int,
    engine: TableEngine | None = None,
) -> Provenance:
    touched = {name for record in history for name in record.changed}
    names = tuple(name for name in original.schema.names if name in touched and name in released.schema)
    labels, grouped, lost = _groups(history)
    guarantees, broken = _guarantees(released, history)
    flags = {record.perturbative for record in history}
    details: Json = {"steps": [record.details for record in history]}
    window = _windows(history)
    if window:
        details["window"] = window
    if labels is not None:
        blocks = next(record.details.get("blocks") for record in reversed(history) if record.labels is not None)
        details |= {"blocks": blocks} if blocks else {}
    return Provenance(
        method=" + ".join(record.method for record in history),
        parameters={
            "steps": [
                {"method": record.method, **({"unit": step.unit} if step.unit else {}), **record.parameters}
                for step, record in zip(steps, history, strict=True)
            ]
        },
        attributes=names,
        n_records=len(original),
        removed=tuple(name for name in original.schema.names if name not in released.schema),
        changed=_changed(original, released, rows, names, engine),
        labels=labels,
        transitions=_transitions(original.schema, history, schemas),
        rows=rows,
        details=details,
        notes=(*_notes(original.schema, released.schema, names, history, lost), *broken),
        seed=seed,
        perturbative=True if True in flags else None if None in flags else False,
        grouped=grouped,
        # No promise stands in the record of a step that a later one may have broken.
        history=tuple(replace(record, guarantees=()) for record in history),
        guarantees=guarantees,
    )


def _changed(
    original: Microdata | StoredTable,
    released: Microdata | StoredTable,
    rows: IntArray | None,
    names: tuple[str, ...],
    engine: TableEngine | None,
) -> dict[str, int]:
    """Count the cells that differ, record by record."""
    if engine is not None and rows is None and names:
        tally: ChangedCounts = engine.summarise(TablePair(original, released), [CountChanged(names)])[0]
        return tally.counts
    before, after = (
        table.in_memory(names) if isinstance(table, StoredTable) else table for table in (original, released)
    )
    if rows is not None:
        before = before.take(rows)
    return {name: count_changed(before, after, name, after.encoded(name)) for name in names}


def _groups(history: list[Provenance]) -> tuple[IntArray | None, tuple[str, ...] | None, str]:
    """Return the groups of the last step that formed some, unless a later one changed what it had grouped."""
    formed = [place for place, step in enumerate(history) if step.labels is not None]
    if not formed:
        return None, None, ""
    last = formed[-1]
    step, labels = history[last], history[last].labels
    names = tuple(name for name in step.attributes if name in step.changed)
    for later in history[last + 1 :]:
        if set(later.changed) & set(names):
            return None, None, f"The groups of {step.method} are not reported: {later.method} changed their values."
        if later.rows is not None:
            labels = labels[later.rows] if labels is not None else None
    if labels is None or labels.ndim != 1:
        return labels, names, ""
    # Records that were left out may have emptied a group; no number without a record is reported.
    return np.unique(labels, return_inverse=True)[1].ravel().astype(np.int64), names, ""


def _guarantees(
    released: Microdata | StoredTable, history: list[Provenance]
) -> tuple[tuple[Guarantee, ...], list[str]]:
    """Return what the steps promised and the release keeps, and notes on what it does not keep.

    A promise about values that no later step touched stands. Another is counted on the release: rounding or recoding
    what was grouped breaks nothing, noise and sampling do.
    """
    standing: list[Guarantee] = []
    broken: list[str] = []
    for place, step in enumerate(history):
        later = history[place + 1 :]
        # Fresh numbers stand for the values that were there, one for one.
        touched = {n for one in later if not _renumbers(one) for n, count in one.changed.items() if count}
        fewer = any(one.rows is not None and len(one.rows) < one.n_records for one in later)
        for promise in step.guarantees:
            doubtful = fewer or bool(touched & set(promise.columns))
            # Where a stratum was changed, the promise may still hold over all strata together.
            weaker = [promise, *([replace(promise, strata=())] if promise.strata else [])]
            true = still_true(weaker, _as_written(released, promise))[0] if doubtful else [promise]
            standing += true[:1]
            if promise not in true:
                broken.append(
                    f"Not promised any more, because a later step changed it: groups of {promise.k} by {step.method} "
                    f"on {', '.join(promise.columns)}."
                )
    return tuple(standing), broken


def _renumbers(step: Provenance) -> bool:
    cls = catalogue.maskers().get(step.method)
    return cls is not None and cls.renumbers


def _as_written(released: Microdata | StoredTable, promise: Guarantee) -> Iterable[Any]:
    names = [name for name in released.schema.names if name in promise.columns]
    tables = released.batches(131_072, names) if isinstance(released, StoredTable) else [released.select(names)]
    return (table.to_polars() for table in tables)


def _windows(history: list[Provenance]) -> dict[str, int]:
    """Return the windows of rank swappings over attributes that no other step touched: there they still hold."""
    counts: dict[str, int] = {}
    for step in history:
        for name in step.changed:
            counts[name] = counts.get(name, 0) + 1
    windows: dict[str, int] = {}
    for step in history:
        widths: Mapping[str, int] = step.details.get("window", {})
        windows |= {name: int(width) for name, width in widths.items() if counts.get(name) == 1}
    return windows


def _transitions(
    schema: Schema, history: list[Provenance], schemas: list[tuple[Schema, Schema]]
) -> dict[str, BoolArray]:
    """Compose what the steps can do to each category; an attribute that a step says nothing about is left out."""
    composed: dict[str, BoolArray] = {}
    unknown: set[str] = set()
    for step, (before, after) in zip(history, schemas, strict=True):
        for name in step.changed:
            matrix = step.transitions.get(name)
            if matrix is None or name in unknown or name not in before or name not in after:
                unknown.add(name)
                composed.pop(name, None)
                continue
            full = _with_missing(matrix, before, after, name)
            composed[name] = full if name not in composed else np.asarray((composed[name] @ full) > 0)
    return {name: matrix for name, matrix in composed.items() if name in schema}


def _with_missing(matrix: BoolArray, before: Schema, after: Schema, name: str) -> BoolArray:
    """Return a matrix that also speaks of the missing value, which stays missing where the step does not say."""
    size = len(cast("Categorical", before[name].scale)), len(cast("Categorical", after[name].scale))
    if matrix.shape == (size[0] + 1, size[1] + 1):
        return np.asarray(matrix, dtype=np.bool_)
    full = np.zeros((size[0] + 1, size[1] + 1), dtype=np.bool_)
    full[:-1, :-1] = matrix
    full[-1, -1] = True
    return full


def _notes(
    before: Schema, after: Schema, masked: tuple[str, ...], history: list[Provenance], lost: str
) -> tuple[str, ...]:
    notes = [
        f"Step {place} ({step.method}): {note}"
        for place, step in enumerate(history, start=1)
        for note in step.notes
        if not note.startswith(_PER_STEP)
    ]
    left_alone = [name for name in before.keys if name in after and name not in masked]
    if left_alone:
        notes.append(f"Keys that no step masked ({len(left_alone)}): {', '.join(left_alone)}.")
    hidden = [name for name in before.of_role("identifier") if name not in after]
    if hidden:
        notes.append(f"Identifiers that are not released ({len(hidden)}): {', '.join(hidden)}.")
    return (*notes, *([lost] if lost else []))
