"""Several masking steps, one after the other, and one honest record of all of them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import nullcontext
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from discreet import catalogue
from discreet.contracts.chained_provenance import chained, masked_again, table_to_mask
from discreet.contracts.engine import Engine, TableEngine
from discreet.contracts.masked import Masked
from discreet.contracts.masker import Masker
from discreet.contracts.run_masker import Written
from discreet.contracts.stepwise import MaskingStage, StepwiseMasking
from discreet.contracts.transformer import TableTransformer
from discreet.data.keyed_draws import drawn_seed, seed_from
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.data.table import StoredTable
from discreet.engines.memory import MemoryEngine
from discreet.errors import DiscreetError, ParameterError, door, wrong_type
from discreet.evaluation.assessing import BLOCK, mask_counted
from discreet.io.door import named_at_once
from discreet.io.stored_parquet import FileTarget, ParquetSource, ParquetTarget
from discreet.masking.running.units import PerUnit
from discreet.plain import plain
from discreet.progress import report as report_progress
from discreet.registry import unknown_parameter
from discreet.release.protocol_parts import Step
from discreet.scratch import scratch_folder
from discreet.typing import IntArray

__all__ = ["Chain", "masker_for", "masker_of", "seed_of"]

_NAMES = 3
"""The most columns that a label names of a step."""

_EXAMPLE = "Chain([TopCoding(share=0.1), MDAV(k=5)], seed=20)"


class Chain(StepwiseMasking, TableTransformer):
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

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return what the chain was made with; `deep` adds the parameters of its steps, as ``step_1__k``."""
        own = {"steps": self.steps, "seed": self.seed, "folder": self.folder}
        if not deep:
            return own
        inner = {f"step_{place}": masker.get_params() for place, masker in enumerate(self.maskers, start=1)}
        return own | {f"{step}__{name}": value for step, those in inner.items() for name, value in those.items()}

    def set_params(self, **params: Any) -> Self:
        """Change the steps, the seed or the folder, or a parameter of a step (``step_1__k``), and return self."""
        inner: dict[int, dict[str, Any]] = {}
        for name, value in params.items():
            outer, _, parameter = name.partition("__")
            place = int(outer.removeprefix("step_")) if re.fullmatch(r"step_[1-9][0-9]*", outer) else 0
            if not parameter and name in ("steps", "seed", "folder"):
                continue
            if not parameter or not 1 <= place <= len(self.steps):
                raise unknown_parameter("Chain", name, list(self.get_params()))
            inner.setdefault(place - 1, {})[parameter] = value
        fresh = Chain(**({"steps": self.steps, "seed": self.seed, "folder": self.folder} | {
            name: value for name, value in params.items() if "__" not in name
        }))  # fmt: skip
        self.steps, self.seed, self.folder = fresh.steps, fresh.seed, fresh.folder
        self.steps = tuple(_with_parameters(one, inner.get(place, {})) for place, one in enumerate(self.steps))
        return self

    def clone(self) -> Chain:
        """Return a fresh copy of the same steps."""
        return Chain(self.steps, self.seed, folder=self.folder)

    def _maskers(self) -> tuple[Masker, ...]:
        return self.maskers

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
        data : Microdata, Masked or frame
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
        original = table_to_mask(type(self).__name__, data, schema)
        chain = self if self.seed is not None else self.seeded(drawn_seed())
        maskers = chain.prepare(original)
        stage = MaskingStage(original, original)
        for place, masker in enumerate(maskers):
            report_progress("masking", place, len(maskers))
            stage = chain.advance(stage, place, masker, engine or MemoryEngine(), block_size=block_size)
        report_progress("masking", len(maskers), len(maskers))
        return masked_again(data, chain.finish(stage))

    # ------------------------------------------------------------------------------------------- step by step

    def label(self) -> str:
        """Return the steps with what was chosen, such as ``top-coding(p=1, share=0.1) → mdav(k=5)``."""
        return " → ".join(_label(one, place, self.folder) for place, one in enumerate(self.steps))

    def description(self) -> str:
        """Return all that is chosen in the steps, as text that is the same wherever it is written down."""
        steps = [(_masker(one, place, None, self.folder), _step(one).unit) for place, one in enumerate(self.steps)]
        return json.dumps([[m.name, plain(m.get_params(deep=False)), unit] for m, unit in steps], sort_keys=True)

    @property
    def name(self) -> str:
        """The methods of the steps."""
        return " + ".join(one.method if isinstance(one, Step) else one.name for one in self.steps)

    @property
    def maskers(self) -> tuple[Masker, ...]:
        """The masker of every step, without the seed of the chain."""
        return tuple(_masker(one, place, None, self.folder) for place, one in enumerate(self.steps))

    @property
    def draws(self) -> bool:
        """Whether a step draws, and has no seed of its own."""
        return any(_lacks_seed(masker) for masker in self.maskers)

    def seeded(self, seed: int) -> Chain:
        """Return the same steps, drawing from a seed."""
        return Chain(self.steps, seed, folder=self.folder)

    def step_keys(self) -> tuple[Hashable, ...]:
        """Return what tells each step from others: method, parameters, seed, unit and folder."""
        keys = []
        for place, one in enumerate(self.steps):
            masker = _masker(one, place, self.seed, self.folder)
            parameters = plain(masker.get_params(deep=False), _as_itself)
            keys.append((masker.name, json.dumps(parameters, sort_keys=True), _step(one).unit, str(self.folder)))
        return tuple(keys)

    def prepare(self, original: Microdata) -> tuple[Masker, ...]:
        """Return the masker of every step; steps that cannot go together are refused before one is taken."""
        maskers = [_masker(one, place, self.seed, self.folder) for place, one in enumerate(self.steps)]
        _keep_units_whole(original.schema, [_step(one) for one in self.steps], maskers)
        return tuple(maskers)

    def advance(
        self, stage: MaskingStage, place: int, masker: Masker, engine: Engine, *, block_size: int | None = None
    ) -> MaskingStage:
        """Take the step at a place, from a stage that the steps before it reached."""
        step = _step(self.steps[place])
        table = _with_identifiers(stage.current, stage.original, stage.rows, stage.removed)
        try:
            if step.unit is not None and step.unit not in table.schema:
                raise ParameterError(f"unit {step.unit!r} is not in the table any more.")
            masked = (PerUnit(masker, step.unit) if step.unit else masker).mask(
                table, engine=engine, block_size=block_size
            )
        except DiscreetError as error:
            raise _of_step(step, place, error) from None
        provenance, rows = masked.provenance, stage.rows
        if provenance.rows is not None:
            rows = provenance.rows if rows is None else rows[provenance.rows]
        return MaskingStage(
            stage.original,
            masked.microdata,
            rows,
            (*stage.history, provenance),
            (*stage.schemas, (table.schema, masked.microdata.schema)),
            stage.removed | {name for name in provenance.removed if table.schema[name].role != "identifier"},
        )

    def finish(self, stage: MaskingStage) -> Masked:
        """Return the release after the last step, with one record of all of them."""
        history = list(stage.history)
        if len(history) == 1:
            return Masked(stage.current, history[0])
        if self.seed is None:
            raise ParameterError("Chain: without a seed a release cannot be finished.", hint="chain.seeded(7)")
        units = [_step(one).unit for one in self.steps]
        record = chained(stage.original, stage.current, stage.rows, units, history, list(stage.schemas), self.seed)
        return Masked(stage.current, record)

    @door
    def mask_into(
        self, source: StoredTable, target: FileTarget, engine: TableEngine, block_size: int | None = None
    ) -> Written:
        """Mask a table in files, which may be larger than memory, in these steps, and write the release.

        Parameters
        ----------
        source : StoredTable
        target : FileTarget
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
                between: FileTarget = (
                    target if last else _step_target(current, folder / f"step-{place}.parquet", source.inputs)
                )
                try:
                    with nullcontext() if last else named_at_once():
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
                current = between.stored(released)
            report_progress("masking", len(steps), len(steps))
            if len(steps) == 1:
                return Written(history[0], current.schema)
            record = chained(source, current, rows, [one.unit for one in steps], history, schemas, seed, engine)
        return Written(record, current.schema)


def _with_parameters(one: Step | Masker | PerUnit, parameters: Mapping[str, Any]) -> Step | Masker | PerUnit:
    """Return a step with some of its parameters changed; the step that was given stays as it is."""
    if not parameters:
        return one
    if isinstance(one, Step):
        known = catalogue.method("masker", one.method).parameter_names()
        unknown = next((name for name in parameters if name not in known), None)
        if unknown is not None:
            raise unknown_parameter(one.method, unknown, known)
        return replace(one, parameters={**one.parameters, **parameters})
    if isinstance(one, PerUnit):
        return PerUnit(one.masker.clone().set_params(**parameters), one.unit)
    return one.clone().set_params(**parameters)


def _step_target(table: StoredTable, path: Path, inputs: tuple[str, ...]) -> FileTarget:
    return table.step_target(path) if isinstance(table, ParquetSource) else ParquetTarget(path, inputs)


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
    target: FileTarget,
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


def _masker(
    one: Step | Masker | PerUnit, place: int, seed: int | None, folder: str | os.PathLike[str] | None
) -> Masker:
    """Return the masker of a step, with a seed where it draws and has none."""
    if isinstance(one, Step):
        return masker_of(one, place, seed, folder)
    masker: Masker = (one.masker if isinstance(one, PerUnit) else one).clone()
    if seed is not None and _lacks_seed(masker):
        masker.set_params(random_state=seed_of(seed, place))
    return masker


def _lacks_seed(masker: Masker) -> bool:
    return "random_state" in masker.parameter_names() and masker.get_params(deep=False)["random_state"] is None


def _label(one: Step | Masker | PerUnit, place: int, folder: str | os.PathLike[str] | None) -> str:
    """Return how a step is called in a label, with the first few of the columns that it names."""
    masker = _masker(one, place, None, folder)
    names = list(getattr(masker, "attributes", None) or ())
    if names and "attributes" in masker.parameter_names():
        masker.set_params(attributes=None)
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    on = f" on {', '.join(map(str, names[:_NAMES]))}{more}" if names else ""
    unit = _step(one).unit
    return f"{masker.label()}{on}{f' by {unit}' if unit else ''}"


def _as_itself(value: Any) -> str:
    # What is no plain value is told apart by being another object: never taken for one that only looks like it.
    return f"{type(value).__name__} at {id(value)}"


def masker_for(method: str, parameters: Mapping[str, Any], unit: str | None = None) -> Masker | PerUnit:
    """Return a masker by its name and parameters, for each unit where one is named."""
    masker: Masker = catalogue.method("masker", method)(**parameters)
    return masker if unit is None else PerUnit(masker, unit)


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
        if masker.moves_records() or masker.renumbers:
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


def _with_identifiers(
    current: Microdata, original: Microdata, rows: IntArray | None, removed: AbstractSet[str]
) -> Microdata:
    absent = [n for n in original.schema.of_role("identifier") if n not in current.schema and n not in removed]
    if not absent:
        return current
    beside = original.select(absent)
    joined = current.exchanging(beside if rows is None else beside.take(rows))
    joined.share_encoding(current)
    return joined
