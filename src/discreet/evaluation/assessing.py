"""Mask → attack → measure → score: the arrows in the middle of the sentence."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, overload

from discreet import catalogue
from discreet.contracts.assessment import Assessment, NotComputed
from discreet.contracts.changed_counts import CountChanged
from discreet.contracts.engine import Engine, TableEngine, TablePair
from discreet.contracts.intruder import Intruder
from discreet.contracts.linker import Linker
from discreet.contracts.links import Links
from discreet.contracts.masked import Masked, Provenance, release_of
from discreet.contracts.masker import Masker, MasksTables
from discreet.contracts.measure import Measure
from discreet.contracts.measurement import Measurement
from discreet.contracts.run_masker import Written, WrittenText
from discreet.data.cleaning import widened
from discreet.data.microdata import Microdata, microdata
from discreet.data.schema import Schema
from discreet.data.table import StoredTable
from discreet.engines.memory import MemoryEngine
from discreet.engines.streaming import StreamingEngine
from discreet.errors import ParameterError, SchemaError, door, wrong_type
from discreet.evaluation.attacking import ALL_KEYS
from discreet.evaluation.headline import headlines
from discreet.evaluation.intruder_view import as_released
from discreet.evaluation.intruders import assess_intruders, within_memory
from discreet.evaluation.measuring import applicable, paired, take_measures
from discreet.evaluation.score import papers_score
from discreet.evaluation.stored_attack import SampledLinks, attack_stored
from discreet.io.reading import files_named, written_together
from discreet.io.stored_csv import CsvTarget, target_of
from discreet.io.stored_parquet import FileTarget
from discreet.statistics import question
from discreet.statistics.passes import or_error
from discreet.statistics.question import Need, check_at_once
from discreet.stopping import stoppable

__all__ = ["BLOCK", "assess", "attack", "engine_for", "link", "mask_counted", "measure", "protect"]

BLOCK = 50_000
"""The most records of a stored table that are grouped at a time, unless it is said otherwise."""


@overload
def protect(
    data: StoredTable,
    method: str | MasksTables = "mdav",
    *,
    output: str | os.PathLike[str],
    engine: Engine | None = None,
    block_size: int | None = None,
    **parameters: Any,
) -> Written: ...
@overload
def protect(
    data: Any,
    method: str | MasksTables = "mdav",
    *,
    schema: Schema | None = None,
    engine: Engine | None = None,
    block_size: int | None = None,
    **parameters: Any,
) -> Masked: ...
@door
@stoppable()
def protect(
    data: Any,
    method: str | MasksTables = "mdav",
    *,
    schema: Schema | None = None,
    output: str | os.PathLike[str] | None = None,
    engine: Engine | None = None,
    block_size: int | None = None,
    **parameters: Any,
) -> Masked | Written:
    """Mask a table with one method, or with several in a chain.

    Parameters
    ----------
    data : Microdata, Masked, frame or StoredTable
        A release that is masked again keeps the record of what was done to it before.
    method : str, Masker, PerUnit or Chain
        A registered name (``discreet.methods("masker")``) with its `parameters`, or what has them already: a masker,
        one for each unit, several one after the other.
    schema : Schema, optional
        For a plain frame.
    output : path
        For a stored table: a ``.csv`` (``.csv.gz`` …) or ``.parquet`` file, or a folder for Parquet files (Spark always
        writes such a folder).
    engine : Engine, optional
        By default this machine: its memory, or for a stored table a batch at a time.
    block_size : int, optional
        The most records that are grouped at a time; by default all of a table in memory, 50,000 of a stored one.

    Returns
    -------
    Masked, or Written for a stored table: its provenance and the schema of what was written

    Examples
    --------
    >>> from discreet.datasets import business
    >>> protect(business(100), "mdav", k=4)
    Masked(100 records by mdav: EMPLOYEES, TURNOVER, ..., RESEARCH)
    """
    masker: MasksTables = _built("protect", "masker", method, parameters)
    data = release_of(data)
    where = engine or engine_for(data)
    if not isinstance(data, StoredTable):
        if output is not None:
            raise ParameterError("protect: output is for a stored table.", hint="Use write() for a table in memory.")
        return masker.mask(data, schema, engine=where, block_size=block_size)
    if output is None:
        raise ParameterError("protect: a stored table needs a place for its release.", hint='output="masked.parquet"')
    if schema is not None:
        raise ParameterError("protect: a stored table has its schema already.", hint="Give it to scan().")
    inputs: list[str | os.PathLike[str]] = [*data.inputs, *files_named(_without_folder(masker.get_params()))]
    if not isinstance(where, TableEngine):
        raise ParameterError("engine must be one for tables in files.", hint="Use StreamingEngine() or SparkEngine().")
    target = target_of(output, inputs)
    if isinstance(target, CsvTarget) and not isinstance(where, StreamingEngine):
        raise ParameterError("protect: Spark writes a folder of Parquet files.", hint="Name one without an ending.")
    with written_together([], inputs):
        if isinstance(masker, Masker):
            written = mask_counted(masker, data, target, where, block_size)
        else:
            written = masker.mask_into(data, target, where, BLOCK if block_size is None else block_size)
        # What was written as text lies in a temporary folder too, where it need not be read as text again.
        return WrittenText(*written, target.stored(written.schema)) if isinstance(target, CsvTarget) else written


def _without_folder(parameters: Mapping[str, Any]) -> dict[str, Any]:
    # Where the files of a chain are looked for: what its steps name there are inputs, what lies beside them is none.
    return {name: value for name, value in parameters.items() if name != "folder"}


def mask_counted(
    masker: Masker, source: StoredTable, target: FileTarget, engine: TableEngine, block_size: int | None = None
) -> Written:
    """Mask a table in files, and count how many cells differ: while it is written, or else in another pass."""
    provenance, released = masker.mask_into(source, target, engine, BLOCK if block_size is None else block_size)
    names = tuple(name for name in provenance.attributes if name in released)
    # Where records stand elsewhere, no cell has one to be compared with.
    if names and not masker.moves_records():
        if set(provenance.changed) == set(names):
            counts = {name: provenance.changed[name] for name in names}
        else:
            counts = engine.summarise(TablePair(source, target.stored(released)), [CountChanged(names)])[0].counts
        provenance = replace(provenance, changed=counts)
    return Written(provenance, released)


def engine_for(*tables: Any) -> Engine:
    """Return the engine of this machine for tables: one that streams where one of them lies in files."""
    return StreamingEngine() if any(isinstance(table, StoredTable) for table in tables) else MemoryEngine()


def _built(verb: str, contract: str, method: Any, parameters: Mapping[str, Any]) -> Any:
    """Return a method by its name and parameters, or as it is; parameters beside a ready one would be left unread."""
    if isinstance(method, (MasksTables, Linker)) and not isinstance(method, type):
        if parameters:
            raise ParameterError(
                f"{verb}: {type(method).__name__} has its parameters already; {', '.join(parameters)} cannot be given "
                "beside it.",
                hint=f"Write {type(method).__name__}({', '.join(f'{name}=…' for name in parameters)}), or its name.",
            )
        return method
    return catalogue.method(contract, method)(**parameters)


@overload
def attack(
    original: StoredTable,
    masked: StoredTable,
    linker: str | Linker = "distance",
    *,
    engine: Engine | None = None,
    **parameters: Any,
) -> Links | SampledLinks: ...
@overload
def attack(
    original: Any, masked: Any, linker: str | Linker = "distance", *, engine: Engine | None = None, **parameters: Any
) -> Links: ...
@door
def attack(
    original: Any, masked: Any, linker: str | Linker = "distance", *, engine: Engine | None = None, **parameters: Any
) -> Links | SampledLinks:
    """Link a release back to the original, as an intruder who holds the original keys would.

    Of stored tables with more than a million records, some are linked, each compared with everybody (`distance`,
    `sequence-distance`); a linker whose model is of all pairs says that it needs all records.
    """
    method: Linker = _built("attack", "linker", linker, parameters)
    original, masked = release_of(original), release_of(masked)
    if isinstance(original, StoredTable) or isinstance(masked, StoredTable):
        return attack_stored(original, masked, method, engine or engine_for(original, masked))
    if isinstance(original, Microdata) and isinstance(masked, Microdata):
        masked = widened(masked, original)  # a release that was read with its own schema
    return method.link(original, masked, engine=engine or MemoryEngine())


@door
def link(
    a: Any, b: Any, linker: str | Linker = "probabilistic", *, engine: Engine | None = None, **parameters: Any
) -> Links:
    """Link two files of any size and coverage: for every record of `b`, whom it belongs to in `a`."""
    links: Links = attack(a, b, linker, engine=engine, **parameters)
    return links


@overload
def assess(
    original: Any,
    masked: Any,
    *,
    schema: Schema | None = None,
    measures: Sequence[str | Measure] | None = None,
    engine: Engine | None = None,
    provenance: Provenance | None = None,
) -> Assessment: ...
@overload
def assess(
    original: Any,
    masked: Any,
    *,
    intruders: Sequence[Intruder],
    schema: Schema | None = None,
    measures: Sequence[str | Measure] | None = None,
    engine: Engine | None = None,
    provenance: Provenance | None = None,
) -> dict[str, Assessment]: ...
@door
def assess(
    original: Any,
    masked: Any,
    *,
    intruders: Sequence[Intruder] | None = None,
    schema: Schema | None = None,
    measures: Sequence[str | Measure] | None = None,
    engine: Engine | None = None,
    provenance: Provenance | None = None,
) -> Assessment | dict[str, Assessment]:
    """Measure what a release risks and what it lost, and score it.

    Parameters
    ----------
    original : Microdata, Masked, frame or StoredTable
    masked : Masked, Microdata, frame or StoredTable
        The same records in the same order.
    intruders : sequence of Intruder, optional
        Assess the release once for each of them; an empty sequence is one intruder who knows every key.
    schema : Schema, optional
        For plain frames.
    measures : str, Measure or list of them, optional
        By default every measure that applies to the schema and needs nothing from you (`Measure.default`). The score is
        the same, whatever is listed here. With `intruders`, these are added to the measures that are taken anyway.
    engine : Engine, optional
    provenance : Provenance, optional
        How the release came about, where `masked` does not say so itself: some sentences warn where values are untrue.

    Returns
    -------
    Assessment, or dict of str to Assessment by the names of the `intruders`
        Its score is the worst case of an intruder who knows every key, and what the cells lost, with the same of the
        unmasked file beside it. What cannot be computed is in `not_computed`, with the reason: say, where suppression
        left a column without any value. A measure of several attributes leaves out the one without a value, and its
        sentence says so.

    Notes
    -----
    Values and sentences do not depend on where the tables lie. Beyond a million records linkage is that of a sample,
    each of whose records is compared with everybody, what needs all records at once is left out unless it is asked for
    by name, and the score says that the risk is at least the one stated.
    """
    original, masked = release_of(original), release_of(masked)
    if provenance is not None:
        original, masked = within_memory(original, masked, provenance)
    if isinstance(masked, StoredTable) and not isinstance(original, StoredTable):
        masked = masked.in_memory(masked.schema.names)  # where one table fits into memory, its release does
    where = engine or engine_for(original, masked)
    if intruders is not None:
        return assess_intruders(
            original, masked, intruders, schema=schema, measures=measures or (), engine=engine, provenance=provenance
        )
    whole = original if isinstance(original, (Microdata, StoredTable)) else microdata(original, schema)
    before, release, recoded = _tables(whole, masked, schema)
    results, without = _measured(before, release, recoded, measures, where, provenance)
    # What was asked for by name may look at a part of the keys: the headline then measures all of them itself.
    measured = (results, without) if measures is None else ((), ())
    intruder = Intruder(ALL_KEYS, before.schema.keys)
    score, unmasked = headlines(
        whole, before, release, [intruder], known=recoded, taken={ALL_KEYS: measured}, engine=where, progress=True
    )[ALL_KEYS]
    return Assessment(
        len(before), before.schema.keys, results, score, without, unmasked=unmasked, papers=papers_score(results)
    )


@door
def measure(
    original: Any,
    masked: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    schema: Schema | None = None,
    engine: Engine | None = None,
) -> tuple[Measurement, ...]:
    """Measure a release without scoring it: any measures, of risk or loss alone.

    Parameters
    ----------
    original, masked, schema
        As for :func:`assess`.
    measures : list of str or Measure, optional
        By default every measure that applies to the schema and needs nothing from you (`Measure.default`).

    Examples
    --------
    >>> from discreet.datasets import business
    >>> companies = business(100)
    >>> [figure.value for figure in measure(companies, companies, ["sse", "distance-linkage"])]
    [0.0, 100.0]
    """
    before, release, recoded = _tables(release_of(original), release_of(masked), schema)
    return _measured(before, release, recoded, measures, engine)[0]


def _tables(original: Any, masked: Any, schema: Schema | None) -> tuple[Any, Any, Microdata | None]:
    """Return the original in the release's order, the release, and the original as an intruder makes it fit.

    What lies in files is not recoded before it is read.
    """
    before, release = paired(original, masked, schema)
    if not before.schema.keys:
        raise SchemaError(
            "The schema names no key, so there is no intruder to measure against.",
            hint='Give role = "key" to what an intruder may know.',
        )
    stored = isinstance(before, StoredTable) or isinstance(release, StoredTable)
    return before, release, None if stored else as_released(before, release)


def _listed(owner: str, measures: str | Measure | Sequence[str | Measure] | None) -> Sequence[str | Measure] | None:
    """Return measures as a list; one is a list of one."""
    if measures is None:
        return None
    every = [measures] if isinstance(measures, (str, Measure)) else measures
    if not isinstance(every, Iterable):
        raise wrong_type(owner, "they must be names of measures, or measures", every, 'measures=["sse", "uniques"]')
    every = list(every)
    for one in every:
        if not isinstance(one, (str, Measure)):
            raise wrong_type(owner, "they must be names of measures, or measures", one, 'measures=["sse", "uniques"]')
    return every


def _measured(
    before: Microdata | StoredTable,
    release: Masked | Microdata | StoredTable,
    recoded: Microdata | None,
    measures: str | Measure | Sequence[str | Measure] | None,
    engine: Engine | None,
    provenance: Provenance | None = None,
) -> tuple[tuple[Measurement, ...], tuple[NotComputed, ...]]:
    measures = _listed("measures", measures)
    instances: list[Measure] = []
    for item in measures if measures is not None else list(catalogue.measures()):
        one = item if isinstance(item, Measure) else catalogue.method("measure", item)()
        if measures is not None or one.default:
            instances.append(one)
    unfit: list[NotComputed] = []
    if measures is None:
        instances, unfit = applicable(instances, before, before if recoded is None else recoded, release, provenance)
        if len(before) > question.MOST_AT_ONCE:
            instances, refused = _without_all(instances, len(before))
            unfit = [*refused, *unfit]
    results, without = take_measures(
        instances,
        before,
        release,
        known=recoded,
        engine=engine or engine_for(before, release),
        needed=measures is not None,
        progress=True,
        provenance=provenance,
    )
    return tuple(results), (*without, *unfit)


def _without_all(measures: Sequence[Measure], n: int) -> tuple[list[Measure], list[NotComputed]]:
    """Leave out what needs all records at once, whether they lie in memory or in files, and say so by name."""
    fitting, refused = [], []
    for one in measures:
        answer = or_error(partial(check_at_once, type(one).__name__, n, one.instead)) if one.need is Need.ALL else None
        if answer is None:
            fitting.append(one)
        else:
            refused.append(NotComputed(one.name, one.title, one.kind, answer.message, in_score=one.in_score))
    return fitting, refused
