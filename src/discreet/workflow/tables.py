"""Several tables that belong together: each masked by its protocol, joined as before, and attacked so."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from discreet.errors import DataError, DiscreetError, SchemaError
from discreet.microdata import Microdata
from discreet.protocol import Scenario, Tables
from discreet.protocol.document import load_text, loads
from discreet.results import Assessment, Masked, Provenance, Verdict
from discreet.scales import Nominal
from discreet.schema import Attribute, Schema
from discreet.typing import IntArray
from discreet.workflow.chain import seed_of
from discreet.workflow.checking import same_table
from discreet.workflow.files import read_release, written_together
from discreet.workflow.households import renumber_keys
from discreet.workflow.protocols import Run, release_paths, run_protocol, with_seed, write_release
from discreet.workflow.reports import write_manifest
from discreet.workflow.scenarios import KNOWS_THE_MASKING, assess_scenarios, check_thresholds, verify
from discreet.workflow.units import unit_labels

__all__ = ["TablesRun", "check_tables", "is_for_tables", "run_tables", "write_tables"]

PathLike = str | os.PathLike[str]

_JOINS = 1_000_000
"""Where the seeds of joins begin, so that none is that of a table."""


@dataclass(frozen=True, repr=False)
class TablesRun:
    """What running a protocol for several tables gave.

    Attributes
    ----------
    protocol : Tables
    runs : mapping of str to Run
        By table. Where a table can be joined with another, `before` and `after` hold a scenario "joined with …", and
        the thresholds are held against it too.
    released : mapping of str to Masked
        What is written: the masked tables with the fresh numbers that join them.
    notes : tuple of str
    text : str
        The protocol as it was written.
    sources : tuple of path
        The protocol's own file, which must not be written over.
    """

    protocol: Tables
    runs: Mapping[str, Run]
    released: Mapping[str, Masked]
    notes: tuple[str, ...] = ()
    text: str = ""
    sources: tuple[Path, ...] = ()

    @property
    def verdicts(self) -> dict[str, tuple[Verdict, ...]]:
        """By table, what was found of its thresholds."""
        return {name: run.verdicts for name, run in self.runs.items()}

    @property
    def met(self) -> bool:
        """Whether every threshold of every table is met."""
        return all(run.met for run in self.runs.values())

    def __repr__(self) -> str:
        found = [verdict.met for run in self.runs.values() for verdict in run.verdicts]
        return f"TablesRun({', '.join(self.runs)}; {sum(found)} of {len(found)} thresholds met)"


def is_for_tables(path: PathLike) -> bool:
    """Say whether a protocol is for several tables."""
    return "table" in loads(load_text(path))


def run_tables(protocol: Tables | PathLike, *, folder: PathLike | None = None, before: bool = True) -> TablesRun:
    """Read, mask, attack and verify several tables as a protocol says; nothing is written.

    Parameters
    ----------
    protocol : Tables or path
    folder : path, optional
        Where files that the protocol names are looked for; the folder of its file by default.
    before : bool
        Whether to assess the originals too.

    Notes
    -----
    Every table is masked by itself. Then each identifier of a [[join]] is released as a fresh number, by one mapping
    for all its tables, which is kept nowhere. Where a record of one table has at most one partner in another (a person
    and the household), it is also attacked with the keys of both: whoever has both files joins them.
    """
    plan, text, base = _opened(protocol, folder)
    plan, text, seed = with_seed(plan, text)
    runs: dict[str, Run] = {}
    for place, (name, one) in enumerate(plan.tables.items()):
        release = {"masked": f"{name}-masked.csv", **one.release}
        try:
            runs[name] = run_protocol(
                replace(one, seed=seed_of(seed, place), release=release), folder=base, before=before
            )
        except DiscreetError as error:
            raise type(error)(f"Table {name!r}: {error.message}", hint=error.hint) from None
    numbers: dict[str, list[Microdata]] = {name: [] for name in runs}
    notes: list[str] = []
    for place, join in enumerate(plan.joins):
        columns = {name: runs[name].original.select([column]) for name, column in join.items()}
        fresh = renumber_keys(columns, join, seed_of(seed, _JOINS + place))
        for name, table in fresh.items():
            numbers[name].append(table)
        for child in join:
            for parent in join:
                if parent != child:
                    runs[child], said = _attacked_together(runs, child, parent, join, before=before)
                    notes += said
    released = {}
    for name, run in runs.items():
        masked = _told(run.masked, tuple(column for table in numbers[name] for column in table.names))
        runs[name] = replace(run, masked=masked)
        released[name] = _with_numbers(masked, numbers[name])
    sources = () if isinstance(protocol, Tables) else (Path(protocol),)
    return TablesRun(plan, runs, released, tuple(notes), text, sources)


def write_tables(run: TablesRun, folder: PathLike | None = None) -> dict[str, dict[str, Path]]:
    """Write what the [release] of every table names, and return the paths by table and name.

    The manifest of the whole comes last, under ``""``.
    """
    inputs = [path for one in run.runs.values() for path in one.inputs]
    planned = {name: release_paths(one, folder) for name, one in run.runs.items()}
    base = Path(folder) if folder is not None else inputs[0].parent
    manifest = {} if run.protocol.manifest is None else {"manifest": base / run.protocol.manifest}
    outputs = [*(path for paths in planned.values() for path in paths.values()), *manifest.values()]
    sources = [path for one in run.runs.values() for path in one.sources]
    with written_together(outputs, [*inputs, *sources, *run.sources]):
        paths = {name: write_release(one, folder, released=run.released[name]) for name, one in run.runs.items()}
        if manifest:
            listed = {f"{name}.{what}": path for name, files in paths.items() for what, path in files.items()}
            write_manifest(manifest["manifest"], listed, protocol=run.text, inputs=inputs)
            paths[""] = manifest
    return paths


def check_tables(
    protocol: Tables | PathLike, folder: PathLike, *, source: PathLike | None = None
) -> dict[str, tuple[Verdict, ...]]:
    """Verify the release of several tables against the thresholds of their protocol; nothing is written.

    Parameters
    ----------
    protocol : Tables or path
    folder : path
        Where the released files stand, under the names of the protocol.
    source : path, optional
        Where files that the protocol names are looked for.

    Raises
    ------
    DataError
        A file is not what the steps of the protocol give: who belongs to whom cannot be told from it then.
    """
    done = run_tables(protocol, folder=source, before=False)
    if not any(run.verdicts for run in done.runs.values()):
        raise SchemaError("The protocol has no [table.thresholds], so there is nothing to check.")
    for name, run in done.runs.items():
        path = Path(folder) / run.protocol.release["masked"]
        expected = done.released[name].microdata
        rows = run.masked.provenance.rows
        compared = run.original if rows is None else run.original.take(rows)
        beside = path.with_suffix(".toml")
        schema = Schema.load(beside) if beside.is_file() else None
        if not same_table(read_release(path, compared, schema), expected):
            raise DataError(
                f"Table {name!r}: the file {path.name!r} is not what the steps of the protocol give, so its thresholds "
                "cannot be verified.",
                hint="Make it with `discreet run`, with the same version of Discreet.",
            )
    return done.verdicts


# --------------------------------------------------------------------------------------------------------------- parts


def _opened(protocol: Tables | PathLike, folder: PathLike | None) -> tuple[Tables, str, Path]:
    if isinstance(protocol, Tables):
        return protocol, protocol.to_toml(), Path(folder or ".")
    text = load_text(protocol)
    return Tables.from_toml(text), text, Path(protocol).parent if folder is None else Path(folder)


def _with_numbers(masked: Masked, numbers: list[Microdata]) -> Masked:
    """Return a release with the numbers that join it, which come first."""
    table = masked.microdata
    for one in numbers:
        rows = masked.provenance.rows
        table = (one if rows is None else one.take(rows)).exchanging(table)
    # They stay identifiers, which need no list of levels: whoever works on with the file does not measure numbers.
    declared = [Attribute(name, Nominal(("",)), "identifier") for one in numbers for name in one.names]
    schema = table.schema.replacing(*declared)
    return Masked(Microdata(table.to_native(), schema, origin=masked.microdata.origin), masked.provenance)


def _told(masked: Masked, columns: tuple[str, ...]) -> Masked:
    """Return a release whose record says which identifiers were exchanged for numbers, and which were left out."""
    if not columns:
        return masked

    def corrected(known: Provenance) -> Provenance:
        left = tuple(name for name in known.removed if name not in columns)
        notes = [note for note in known.notes if not note.startswith("Identifiers that are not released")]
        if left:
            notes.append(f"Identifiers that are not released ({len(left)}): {', '.join(left)}.")
        return replace(known, removed=left, notes=tuple(notes))

    known = corrected(masked.provenance)
    note = f"Fresh numbers, the same in all tables, in place of {', '.join(columns)}."
    return Masked(
        masked.microdata,
        replace(
            known,
            notes=(*known.notes, note),
            details={**known.details, "renumbered": list(columns)},
            history=tuple(corrected(step) for step in known.history),
        ),
    )


def _attacked_together(
    runs: Mapping[str, Run], child: str, parent: str, join: Mapping[str, str], *, before: bool
) -> tuple[Run, list[str]]:
    """Attack a table with the keys of the one it can be joined with, and hold its thresholds against that too."""
    run, other = runs[child], runs[parent]
    places = _partners(run.original, join[child], other.original, join[parent])
    if places is None or not other.protocol.schema.keys:
        return run, []
    rows = run.masked.provenance.rows
    mine = np.arange(len(run.original)) if rows is None else rows
    released = np.full(len(other.original), -1, dtype=np.int64)
    kept = other.masked.provenance.rows
    released[np.arange(len(other.original)) if kept is None else kept] = np.arange(len(other.masked))
    theirs = released[places[mine]]
    theirs[places[mine] < 0] = -1
    found = np.flatnonzero(theirs >= 0)
    if not found.size:
        return run, [f"No released record of {child} has a partner in {parent}: they were not attacked together."]
    notes = []
    if found.size < mine.size:
        notes.append(
            f"{mine.size - found.size} of {mine.size} released records of {child} have no partner in {parent}."
        )
    original = _beside(run.original.take(mine[found]), other.original.take(places[mine[found]]), parent)
    masked = _beside(run.masked.microdata.take(found), other.masked.microdata.take(theirs[found]), parent)
    flags = {run.masked.provenance.perturbative, other.masked.provenance.perturbative}
    flag = True if True in flags else None if None in flags else False
    release = Masked(masked, Provenance("joined", {}, (), int(found.size), perturbative=flag))
    linkers = run.protocol.scenarios[0].linkers if run.protocol.scenarios else Scenario.linkers
    plain = tuple(name for name in linkers if name not in KNOWS_THE_MASKING) or Scenario.linkers
    scenario = Scenario(f"joined with {parent}", original.schema.keys, plain)
    wanted = check_thresholds(run.protocol.thresholds)
    after: dict[str, Assessment] = dict(run.after)
    after |= assess_scenarios(original, release, [scenario], measures=wanted)
    earlier = dict(run.before)
    if before:
        unmasked = original.select(name for name in original.names if original.schema[name].role != "identifier")
        earlier |= assess_scenarios(original, unmasked, [scenario])
    verdicts = verify(after, run.protocol.thresholds, run.masked)
    return replace(run, before=earlier, after=after, verdicts=verdicts), notes


def _partners(child: Microdata, column: str, parent: Microdata, key: str) -> IntArray | None:
    """Return for every record of the child its place in the parent, −1 where it has none; None if it has several."""
    if np.unique(unit_labels(parent, key)).size < len(parent):
        return None
    fresh = renumber_keys({"a": child.select([column]), "b": parent.select([key])}, {"a": column, "b": key}, 0)
    mine, theirs = fresh["a"].encoded(column), fresh["b"].encoded(key)
    size = int(max(mine.max(initial=-1), theirs.max(initial=-1))) + 1
    places = np.full(size + 1, -1, dtype=np.int64)
    places[theirs[theirs >= 0]] = np.flatnonzero(theirs >= 0)
    return np.asarray(places[mine], dtype=np.int64)


def _beside(child: Microdata, parent: Microdata, name: str) -> Microdata:
    """Return a table with what another says of the same records; a name that both have gets the other's in front."""
    others = [n for n in parent.names if parent.schema[n].role not in {"identifier", "weight"}]
    frame, declared = child.to_arrow(), list(child.schema)
    for column in others:
        called = column if column not in child.schema else f"{name}.{column}"
        while called in child.schema:
            called += "'"
        frame = frame.append_column(called, parent.to_arrow().column(column))
        declared.append(replace(parent.schema[column], name=called))
    return Microdata(frame, Schema(declared))
