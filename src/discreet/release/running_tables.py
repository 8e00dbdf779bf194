"""Several tables that belong together: each masked by its protocol, joined as before, and attacked so."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from discreet.contracts.assessment import Assessment, Verdict
from discreet.contracts.intruder import Intruder
from discreet.contracts.masked import Masked, Provenance
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.data.toml_text import parse
from discreet.errors import DataError, DiscreetError, SchemaError, door
from discreet.evaluation.further_linkers import knows_masking
from discreet.evaluation.intruders import assess_intruders
from discreet.evaluation.thresholds import check_thresholds, verify
from discreet.io.reading import read_release, written_together
from discreet.masking.running.units import unit_labels
from discreet.release.chain import seed_of
from discreet.release.checking import same_table
from discreet.release.households import renumber_keys
from discreet.release.manifest import write_manifest
from discreet.release.protocol_text import load_text
from discreet.release.running import Run, run_protocol, with_seed
from discreet.release.several_tables import Tables
from discreet.release.writing import release_paths
from discreet.typing import IntArray

__all__ = ["TablesRun", "check_tables", "is_for_tables", "run_tables"]

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

    @door
    def write(self, folder: PathLike | None = None) -> dict[str, dict[str, Path]]:
        """Write what the [release] of every table names, and return the paths by table and name.

        The manifest of the whole comes last, under ``""``.
        """
        inputs = [path for one in self.runs.values() for path in one.inputs]
        planned = {name: release_paths(one, folder) for name, one in self.runs.items()}
        base = Path(folder) if folder is not None else inputs[0].parent
        manifest = {} if self.protocol.manifest is None else {"manifest": base / self.protocol.manifest}
        outputs = [*(path for paths in planned.values() for path in paths.values()), *manifest.values()]
        sources = [path for one in self.runs.values() for path in one.sources]
        with written_together(outputs, [*inputs, *sources, *self.sources]):
            paths = {name: one.write(folder, released=self.released[name]) for name, one in self.runs.items()}
            if manifest:
                listed = {f"{name}.{what}": path for name, files in paths.items() for what, path in files.items()}
                thresholds = {
                    f"{name}.{verdict.name}": verdict.met for name, one in self.runs.items() for verdict in one.verdicts
                }
                write_manifest(manifest["manifest"], listed, protocol=self.text, inputs=inputs, thresholds=thresholds)
                paths[""] = manifest
        return paths

    def __repr__(self) -> str:
        outcomes = [verdict.met for run in self.runs.values() for verdict in run.verdicts]
        return f"TablesRun({', '.join(self.runs)}; {sum(outcomes)} of {len(outcomes)} thresholds met)"


def is_for_tables(path: PathLike) -> bool:
    """Say whether a protocol is for several tables."""
    return "table" in parse(load_text(path), "protocol")


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
                    runs[child], attack_notes = _attacked_together(runs, child, parent, join, before=before)
                    notes += attack_notes
    released = {}
    for name, run in runs.items():
        masked = _with_note_on_numbers(run.masked, tuple(column for table in numbers[name] for column in table.names))
        runs[name] = replace(run, masked=masked)
        released[name] = _with_numbers(masked, numbers[name])
    sources = () if isinstance(protocol, Tables) else (Path(protocol),)
    return TablesRun(plan, runs, released, tuple(notes), text, sources)


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
    run_again = run_tables(protocol, folder=source, before=False)
    if not any(run.verdicts for run in run_again.runs.values()):
        raise SchemaError("The protocol has no [table.thresholds], so there is nothing to check.")
    for name, run in run_again.runs.items():
        path = Path(folder) / run.protocol.release["masked"]
        expected = run_again.released[name].microdata
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
    return run_again.verdicts


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


def _with_note_on_numbers(masked: Masked, columns: tuple[str, ...]) -> Masked:
    """Return a release whose record says which identifiers were exchanged for numbers, and which were left out."""
    if not columns:
        return masked

    def corrected(provenance: Provenance) -> Provenance:
        removed = tuple(name for name in provenance.removed if name not in columns)
        notes = [note for note in provenance.notes if not note.startswith("Identifiers that are not released")]
        if removed:
            notes.append(f"Identifiers that are not released ({len(removed)}): {', '.join(removed)}.")
        return replace(provenance, removed=removed, notes=tuple(notes))

    record = corrected(masked.provenance)
    note = f"Fresh numbers, the same in all tables, in place of {', '.join(columns)}."
    return Masked(
        masked.microdata,
        replace(
            record,
            notes=(*record.notes, note),
            details={**record.details, "renumbered": list(columns)},
            history=tuple(corrected(step) for step in record.history),
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
    rows_of_other = other.masked.provenance.rows
    released[np.arange(len(other.original)) if rows_of_other is None else rows_of_other] = np.arange(len(other.masked))
    theirs = released[places[mine]]
    theirs[places[mine] < 0] = -1
    paired = np.flatnonzero(theirs >= 0)
    if not paired.size:
        return run, [f"No released record of {child} has a partner in {parent}: they were not attacked together."]
    notes = []
    if paired.size < mine.size:
        notes.append(
            f"{mine.size - paired.size} of {mine.size} released records of {child} have no partner in {parent}."
        )
    original = _beside(run.original.take(mine[paired]), other.original.take(places[mine[paired]]), parent)
    masked = _beside(run.masked.microdata.take(paired), other.masked.microdata.take(theirs[paired]), parent)
    flags = {run.masked.provenance.perturbative, other.masked.provenance.perturbative}
    flag = True if True in flags else None if None in flags else False
    release = Masked(masked, Provenance("joined", {}, (), int(paired.size), perturbative=flag))
    linkers = run.protocol.scenarios[0].linkers if run.protocol.scenarios else Intruder.linkers
    plain = tuple(name for name in linkers if not knows_masking(name)) or Intruder.linkers
    scenario = Intruder(f"joined with {parent}", original.schema.keys, plain)
    measures = check_thresholds(run.protocol.thresholds)
    after: dict[str, Assessment] = dict(run.after)
    after |= assess_intruders(original, release, [scenario], measures=measures)
    earlier = dict(run.before)
    if before:
        unmasked = original.select(name for name in original.names if original.schema[name].role != "identifier")
        earlier |= assess_intruders(original, unmasked, [scenario])
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
