"""A protocol run: read, protected, attacked, assessed, and held against its thresholds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from discreet import io
from discreet.contracts.assessment import Assessment, Verdict
from discreet.contracts.masked import Masked
from discreet.contracts.remark import Remark
from discreet.data.keyed_draws import drawn_seed
from discreet.data.microdata import Microdata
from discreet.errors import SchemaError, door
from discreet.evaluation.advice import advise, advise_thresholds
from discreet.evaluation.assessing import protect
from discreet.evaluation.headline import worst_of
from discreet.evaluation.intruders import assess_intruders
from discreet.evaluation.thresholds import check_thresholds, met_unmasked, verify
from discreet.io.reading import files_named, read
from discreet.release.chain import Chain, masker_of
from discreet.release.protocol import Protocol
from discreet.release.protocol_text import load_text, seed_line
from discreet.release.several_tables import Tables

__all__ = [
    "PathLike",
    "Run",
    "files_of_steps",
    "load_protocol",
    "opened",
    "read_source",
    "run_protocol",
    "save_protocol",
    "with_seed",
]

PathLike = str | os.PathLike[str]


@dataclass(frozen=True, repr=False)
class Run:
    """What running a protocol gave.

    Attributes
    ----------
    protocol : Protocol
    original : Microdata
    masked : Masked
    before, after : dict of str to Assessment
        By scenario, of the original without its identifiers and of the release.
    verdicts : tuple of Verdict
    text : str
        The protocol as it was written.
    inputs : tuple of path
        The files that were read.
    sources : tuple of path
        What else must not be written over: the protocol itself, and files that its steps name.
    """

    protocol: Protocol
    original: Microdata
    masked: Masked
    before: Mapping[str, Assessment]
    after: Mapping[str, Assessment]
    verdicts: tuple[Verdict, ...]
    text: str = ""
    inputs: tuple[Path, ...] = ()
    sources: tuple[Path, ...] = ()

    @property
    def met(self) -> bool:
        """Whether every threshold is met."""
        return all(verdict.met for verdict in self.verdicts)

    @property
    def advice(self) -> tuple[Remark, ...]:
        """What is weak about the schema, the release and its assessment."""
        remarks = advise(self.original, self.masked, self.assessment)
        return (*remarks, *advise_thresholds(met_unmasked(self.after, self.protocol.thresholds, self.before)))

    @property
    def assessment(self) -> Assessment:
        """The assessment in the scenario that does worst: its score is the headline of the release."""
        return worst_of(self.after)[1]

    @door
    def write(self, folder: PathLike | None = None, *, released: Masked | None = None) -> dict[str, Path]:
        """Write what the protocol's [release] names, and return the paths by name.

        Parameters
        ----------
        folder : path, optional
            Made where it does not exist; by default the folder of the data.
        released : Masked, optional
            The table to write where it has more columns than were assessed: numbers that join it with others.

        Notes
        -----
        Beside the masked file goes its schema (``masked.toml``), with the levels that occur, which data users need and
        :func:`discreet.check` reads. Every file is written whole or not at all; the manifest comes last, so that a
        folder with one is complete.
        """
        from discreet.release.writing import write_run  # reports are drawn by libraries that take a while to load

        return write_run(self, folder, released)

    def __repr__(self) -> str:
        verdicts_met = sum(verdict.met for verdict in self.verdicts)
        return f"Run({self.masked!r}; {verdicts_met} of {len(self.verdicts)} thresholds met)"


def load_protocol(path: PathLike) -> Protocol:
    """Read a protocol from a TOML file."""
    return Protocol.load(path)


def save_protocol(protocol: Protocol, path: PathLike, inputs: Sequence[PathLike] = ()) -> None:
    """Write a protocol as a TOML file, whole or not at all, and never over an input."""
    io.write_text(path, protocol.to_toml(), inputs)


def run_protocol(
    protocol: Protocol | PathLike,
    *,
    original: Microdata | None = None,
    folder: PathLike | None = None,
    before: bool = True,
    block_size: int | None = None,
) -> Run:
    """Read, mask, attack and verify as a protocol says; nothing is written.

    Parameters
    ----------
    protocol : Protocol or path
    original : Microdata, optional
        The table, where it is at hand already; by default the file that the protocol names.
    folder : path, optional
        Where files that the protocol names are looked for; the folder of its file by default.
    before : bool
        Whether to assess the original too.
    block_size : int, optional
        The most records that a step brings together; by default all may be.

    Returns
    -------
    Run
    """
    plan, text, base = opened(protocol, folder)
    sources = files_of_steps(plan, base, [] if isinstance(protocol, Protocol) else [Path(protocol)])
    plan, text, seed = with_seed(plan, text)
    measures = check_thresholds(plan.thresholds)
    if original is None:
        table, inputs = read_source(plan, base)
    else:
        table, inputs = Microdata(original.to_native(), plan.schema, origin=original.origin).validate(), ()
    masked = Chain(plan.steps, seed, folder=base).mask(table, block_size=block_size)
    unprotected = assess_intruders(table, protect(table, "identifiers"), plan.scenarios) if before else {}
    after = assess_intruders(table, masked, plan.scenarios, measures=measures)
    verdicts = verify(after, plan.thresholds, masked, unprotected)
    return Run(plan, table, masked, unprotected, after, verdicts, text, inputs, tuple(sources))


def files_of_steps(plan: Protocol, base: Path, also: Sequence[Path] = ()) -> list[Path]:
    """Return the files that the steps of a protocol name; what cannot be run is said before one is read."""
    if not plan.steps:
        raise SchemaError("The protocol has no [[step]].", hint='[[step]] with method = "mdav"; `discreet methods`.')
    files = list(also)
    for place, step in enumerate(plan.steps):
        files += files_named(masker_of(step, place, plan.seed, base).get_params())
    return files


def opened(protocol: Protocol | PathLike, folder: PathLike | None) -> tuple[Protocol, str, Path]:
    """Return a protocol, its text, and the folder in which the files that it names are looked for."""
    if isinstance(protocol, Protocol):
        return protocol, protocol.to_toml(), Path(folder or ".")
    text = load_text(protocol)
    return Protocol.from_toml(text), text, Path(protocol).parent if folder is None else Path(folder)


P = TypeVar("P", Protocol, Tables)


def with_seed(plan: P, text: str) -> tuple[P, str, int]:
    """Return a protocol with a seed, its text with it, and the seed: its own, or one that is drawn for this run."""
    if plan.seed is not None:
        return plan, text, plan.seed
    seed = drawn_seed()
    # Whatever the file begins with, a value before its first table belongs to the whole file.
    return replace(plan, seed=seed), f"# Drawn for this run.\n{seed_line(seed)}\n{text}", seed


def read_source(plan: Protocol, base: Path) -> tuple[Microdata, tuple[Path, ...]]:
    """Read the file that a protocol names, and return the table and the files that were read."""
    if plan.source is None:
        raise SchemaError("The protocol names no data.", hint='[data] with file = "survey.csv".')
    path = base / plan.source.file
    options = {name: value for name, value in plan.source.to_dict().items() if name != "file"}
    table = read(path, plan.schema, **options)
    beside = [Path(table.origin["catalogue"])] if "catalogue" in table.origin else []
    return table, (path, *beside)
