"""A protocol run on a file that may be larger than memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet import catalogue
from discreet.contracts.assessment import Assessment, Verdict
from discreet.contracts.engine import TableEngine
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.remark import Remark
from discreet.contracts.run_masker import Written, WrittenText
from discreet.data.cleaning import released_schema, released_schema_of
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.data.table import StoredTable
from discreet.errors import FileError, ParameterError, SchemaError, door
from discreet.evaluation.advice import advise, advise_thresholds
from discreet.evaluation.headline import worst_of
from discreet.evaluation.intruders import assess_intruders
from discreet.evaluation.thresholds import check_thresholds, met_unmasked, verify
from discreet.io.reading import scan
from discreet.io.stored_csv import is_text, target_of
from discreet.io.stored_parquet import ParquetSource, ParquetTarget
from discreet.release.chain import Chain
from discreet.release.protocol import Protocol
from discreet.release.running import PathLike, files_of_steps, opened, with_seed
from discreet.scratch import ScratchPlace

__all__ = ["MaskedFiles", "StoredRun", "copy_release", "run_stored", "stored_release"]

_BATCH = 131_072
_PARQUET = {".parquet", ".pq"}


@dataclass(frozen=True, repr=False)
class MaskedFiles:
    """A release in files, and how it came about.

    Attributes
    ----------
    table : StoredTable, or Masked where records were left out or stand elsewhere
    provenance : Provenance
    """

    table: StoredTable | Masked
    provenance: Provenance

    def __len__(self) -> int:
        return len(self.table)

    def batches(self) -> Iterable[Microdata]:
        """Return the records in their order, some at a time."""
        return [self.table.microdata] if isinstance(self.table, Masked) else self.table.batches(_BATCH)

    @property
    def schema(self) -> Schema:
        """The declaration that is released: levels and missing codes that occur, no others."""
        if isinstance(self.table, Masked):
            return released_schema(self.table.microdata)
        return released_schema_of(self.table.schema, self.batches())

    def __repr__(self) -> str:
        return f"MaskedFiles({len(self)} records by {self.provenance.method}: {', '.join(self.provenance.attributes)})"


_NO_GROUPS = Remark(
    "groups-not-known",
    "A file that is streamed keeps no groups: an intruder who knows the masking was not told who is grouped with whom.",
    "Run the protocol on a sample in memory, with the same block size, to see what he adds.",
)


def _groups_unknown(provenance: Provenance) -> bool:
    """Say whether records of a chain were grouped, and which ones with which is not known."""
    maskers = catalogue.maskers()
    grouped = [step for step in provenance.history if step.method in maskers and maskers[step.method].groups]
    return any(step.labels is None for step in grouped)


@dataclass(frozen=True, repr=False)
class StoredRun:
    """What running a protocol on a file larger than memory gave.

    Attributes
    ----------
    protocol : Protocol
    original : StoredTable
    masked : MaskedFiles
        In a temporary folder, until :meth:`write` puts it in place.
    before, after : dict of str to Assessment
        By scenario, of the original and of the release.
    verdicts : tuple of Verdict
    engine : TableEngine
    text : str
        The protocol as it was written.
    inputs, sources : tuples of path
        The files that were read, and what else must not be written over.
    """

    protocol: Protocol
    original: Any
    masked: MaskedFiles
    before: Mapping[str, Assessment]
    after: Mapping[str, Assessment]
    verdicts: tuple[Verdict, ...]
    engine: TableEngine
    text: str = ""
    inputs: tuple[Path, ...] = ()
    sources: tuple[Path, ...] = ()
    place: ScratchPlace | None = None

    @property
    def met(self) -> bool:
        """Whether every threshold is met."""
        return all(verdict.met for verdict in self.verdicts)

    @property
    def advice(self) -> tuple[Remark, ...]:
        """What is weak about the schema, the release and its assessment."""
        remarks = advise(self.original, self.masked.table, self.assessment, provenance=self.masked.provenance)
        if _groups_unknown(self.masked.provenance):
            remarks = (*remarks, _NO_GROUPS)
        return (*remarks, *advise_thresholds(met_unmasked(self.after, self.protocol.thresholds, self.before)))

    @property
    def assessment(self) -> Assessment:
        """The assessment in the scenario that does worst: its score is the headline of the release."""
        return worst_of(self.after)[1]

    @door
    def write(self, folder: PathLike | None = None) -> dict[str, Path]:
        """Write what the protocol's [release] names, and return the paths by name, as :meth:`Run.write` does."""
        from discreet.release.writing import write_run  # reports are drawn by libraries that take a while to load

        return write_run(self, folder)

    def __repr__(self) -> str:
        verdicts_met = sum(verdict.met for verdict in self.verdicts)
        return f"StoredRun({self.masked!r}; {verdicts_met} of {len(self.verdicts)} thresholds met)"


def run_stored(
    protocol: Protocol | PathLike,
    engine: TableEngine,
    *,
    folder: PathLike | None = None,
    before: bool = True,
    block_size: int | None = None,
) -> StoredRun:
    """Mask, attack and verify a Parquet file as a protocol says; nothing but temporary files is written.

    Parameters
    ----------
    protocol : Protocol or path
    engine : TableEngine
    folder : path, optional
        Where files that the protocol names are looked for; the folder of its file by default.
    before : bool
        Whether to assess the original too.
    block_size : int, optional
        The most records that a step brings together; 50,000 by default.
    """
    plan, text, base = opened(protocol, folder)
    sources = files_of_steps(plan, base, [] if isinstance(protocol, Protocol) else [Path(protocol)])
    plan, text, seed = with_seed(plan, text)
    measures = check_thresholds(plan.thresholds)
    source = _scanned(plan, base)
    place = ScratchPlace()
    try:
        path = place.folder / "masked.parquet"
        target = source.step_target(path) if isinstance(source, ParquetSource) else ParquetTarget(path, source.inputs)
        written = Chain(plan.steps, seed, folder=base).mask_into(source, target, engine, block_size)
        if not isinstance(target, ParquetTarget):
            written = WrittenText(*written, target.stored(written.schema))
        original, table = stored_release(source, path, written)
        provenance = written.provenance
        as_it_is = Provenance("identifiers", {}, (), len(source))  # nothing but identifiers is changed
        unprotected = (
            assess_intruders(source, source, plan.scenarios, engine=engine, provenance=as_it_is) if before else {}
        )
        after = assess_intruders(
            original, table, plan.scenarios, measures=measures, engine=engine, provenance=provenance
        )
        verdicts = verify(after, plan.thresholds, table if isinstance(table, Masked) else None, unprotected)
    except BaseException:
        place.close()
        raise
    inputs = tuple(map(Path, source.inputs))
    masked = MaskedFiles(table, provenance)
    return StoredRun(plan, original, masked, unprotected, after, verdicts, engine, text, inputs, tuple(sources), place)


def _scanned(plan: Protocol, base: Path) -> StoredTable:
    """Open the file that a protocol names; what a stream cannot do is said before a record is read."""
    if plan.source is None:
        raise SchemaError("The protocol names no data.", hint='[data] with file = "survey.parquet".')
    layout = {name: value for name, value in plan.source.to_dict().items() if name != "file" and value is not None}
    if layout and not is_text(plan.source.file):
        raise ParameterError(
            f"[data]: {next(iter(layout))} cannot be used for a file larger than memory.", hint="Leave it out."
        )
    named = plan.release.get("masked")
    if named is not None and not is_text(named) and Path(named).suffix.lower() not in _PARQUET:
        raise FileError(
            "The release of a file that is streamed is a Parquet or CSV file.",
            hint='[release] with masked = "masked.parquet".',
        )
    return scan(base / plan.source.file, plan.schema, **layout)


def stored_release(original: StoredTable, path: PathLike, written: Written) -> tuple[Any, Any]:
    """Return a table in files and what was written of it, to be compared record by record.

    Where records were left out or stand elsewhere, both are held in memory, as they were when that was drawn.
    """
    release = written.table if isinstance(written, WrittenText) else scan(path, written.schema)
    provenance = written.provenance
    if provenance.rows is None:
        return original, release
    return original.in_memory(original.schema.names), Masked(release.in_memory(release.schema.names), provenance)


def copy_release(masked: MaskedFiles, path: PathLike, inputs: Iterable[PathLike]) -> None:
    """Write a release in files to where it belongs, and count what it promises again on the bytes that were written."""
    target = target_of(path, inputs)
    target.guarantees = masked.provenance.guarantees
    target.write(masked.batches())
