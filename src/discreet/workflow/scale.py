"""The same sentence for files larger than memory: read → mask → measure → score, on this machine or on Spark."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from discreet import catalogue
from discreet.base import Block, Masker, TableEngine
from discreet.engines.local import LocalEngine
from discreet.engines.spark import SparkEngine
from discreet.errors import DataError, ParameterError, SchemaError, door
from discreet.evaluation.headline import ALL_KEYS, Attack, Attacks, attacks_of, unmasked_score, worst_case
from discreet.evaluation.score import papers_score
from discreet.inference import propose
from discreet.io import content_of, write_table, written_together
from discreet.io.large import ParquetSource, ParquetTarget, is_large, read_head
from discreet.microdata import Microdata
from discreet.progress import report
from discreet.protocol import Scenario
from discreet.results import Assessment, Measurement, NotComputed, Provenance
from discreet.schema import Schema
from discreet.scratch import scratch_folder
from discreet.stopping import stoppable
from discreet.workflow.files import files_named, load_schema

__all__ = ["MOST_AT_ONCE", "assess_files", "assess_in_passes", "is_large", "protect_file", "table_engine"]

MOST_AT_ONCE = 1_000_000
"""Records from which on the command line measures a release pass by pass: linkage takes too long for all of them."""


@contextmanager
def table_engine(
    engine: str | TableEngine = "local", master: str | None = None, workers: int | None = None
) -> Iterator[TableEngine]:
    """Give the engine that a user names, and stop it at the end if it was started here.

    Parameters
    ----------
    engine : {"local", "spark"} or TableEngine
    master : str, optional
        For Spark: ``local[4]``, ``spark://host:7077``, ``yarn``.
    workers : int, optional
        For this machine: the number of threads.
    """
    if isinstance(engine, TableEngine):
        yield engine
    elif engine == "local":
        if master is not None:
            raise ParameterError("The engine local has no master.", hint="Use --engine spark with --master.")
        yield LocalEngine(workers)
    elif engine == "spark":
        with SparkEngine(master or "local[*]") as spark:
            yield spark
    else:
        raise ParameterError(f"engine must be 'local' or 'spark'; got {engine!r}.")


def _source(path: str | os.PathLike[str], schema: Schema | str | os.PathLike[str] | None) -> ParquetSource:
    """Open a file with its schema; without one, the proposal of its first records is taken."""
    if Path(path).is_file() and Path(path).suffix.lower() not in {".parquet", ".pq"}:
        raise ParameterError(
            "Only Parquet files can be larger than memory.", hint="Convert the file, or leave the engine out."
        )
    declared = load_schema(schema)
    if declared is None:
        declared = propose(read_head(path)).schema
    return ParquetSource(path, declared)


@door
@stoppable()
def protect_file(
    path: str | os.PathLike[str],
    output: str | os.PathLike[str],
    method: str | Masker = "mdav",
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    engine: str | TableEngine = "local",
    master: str | None = None,
    block_size: int = 50_000,
    **parameters: Any,
) -> tuple[Provenance, Schema]:
    """Mask a Parquet file, or a folder of them, that may be larger than memory.

    Parameters
    ----------
    path : path
    output : path
        A ``.parquet`` file, or a folder for part files (Spark always writes a folder).
    method : str or Masker
        With its `parameters`.
    schema : Schema or path, optional
        Without it, the proposal of the first 100,000 records is taken.
    engine : {"local", "spark"} or TableEngine
    master : str, optional
        For Spark.
    block_size : int
        The most records that are grouped at a time.

    Returns
    -------
    provenance : Provenance
    schema : Schema
        Of the release.
    """
    from discreet.masking.at_scale import mask_table  # compiled code, loaded when there is work for it
    from discreet.measures import at_scale

    source = _source(path, schema)
    masker = method if isinstance(method, Masker) else catalogue.method("masker", method)(**parameters)
    inputs = [path, *source.files, *files_named([schema, masker.get_params()])]
    target = ParquetTarget(output, inputs)
    with table_engine(engine, master) as where, written_together([], inputs):
        provenance, released = mask_table(masker, source, target, where, block_size=block_size)
        names = [n for n in provenance.attributes if n in released and released[n].scale == source.schema[n].scale]
        if names:
            rows = where.pair(source, ParquetSource(content_of(output), released), names)
            provenance = replace(provenance, changed=at_scale.changed_cells(rows, names, where))
    return provenance, released


@door
@stoppable()
def assess_files(
    original: str | os.PathLike[str],
    masked: str | os.PathLike[str],
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    released: Schema | None = None,
    engine: str | TableEngine = "local",
    master: str | None = None,
    k: int = 3,
    sample: int = 2_000,
    perturbative: bool | None = None,
) -> Assessment:
    """Measure what a release larger than memory risks and what it lost, and score it.

    Parameters
    ----------
    original, masked : path
        The same records in the same order.
    schema : Schema or path, optional
        Of the original.
    released : Schema, optional
        Of the release, where masking changed levels; by default the original's.
    k : int
        For k-anonymity.
    sample : int
        Records of the release that are linked with all of the original.

    Notes
    -----
    The measures: k-anonymity, uniques, individual risk, distance-based linkage; what the cells lost, IL1s, SSE/SST,
    means, variances, covariances, correlations; Dist, EBIL, CTBIL. Those that would need all records at once are left
    out. The score is the one that :func:`~discreet.workflow.steps.assess` gives: for up to a million records the keys
    alone are brought into memory and linked there; beyond, distance-based linkage of a sample is all there is, and the
    score says that the risk is at least that.
    """
    from discreet.measures import at_scale

    before = _source(original, schema)
    if not before.schema.keys:
        raise SchemaError(
            "The schema names no key, so there is no intruder to measure against.",
            hint='Give role = "key" to what an intruder may know.',
        )
    after = ParquetSource(masked, released or _released(before.schema, masked))
    if len(before) != len(after):
        raise DataError(
            f"The original has {len(before)} records and the masked table {len(after)}.",
            hint="Both must hold the same records in the same order.",
        )
    with table_engine(engine, master) as where:
        steps: Sequence[Any] = (
            lambda: at_scale.frequency_risks(before, after, where, k=k, perturbative=perturbative),
            lambda: at_scale.distance_linkage(before, after, where, sample=sample),
            lambda: at_scale.cell_loss(before, after, where),
            lambda: at_scale.number_losses(before, after, where),
            lambda: at_scale.category_losses(before, after, where),
            lambda: at_scale.table_loss(before, after, where),
        )
        results: list[Measurement] = []
        for done, step in enumerate(steps):
            report("measuring", done, len(steps))
            results += step()
        report("measuring", len(steps), len(steps))
        attacks = _attacks(before, after, where, results, sample)
        unmasked = 100.0 * _combinations(before, where) / len(before)
    loss = next(found for found in results if found.name == "cell-loss")
    return Assessment(
        len(before),
        before.schema.keys,
        tuple(results),
        worst_case(attacks, loss, unmasked),
        tuple(_not_computed(before.schema, results)),
        unmasked=unmasked_score(unmasked, known=before.schema.keys),
        papers=papers_score(results),
    )


def _attacks(
    before: ParquetSource, after: ParquetSource, engine: TableEngine, results: Sequence[Measurement], sample: int
) -> Attacks:
    """Return the attacks of an intruder who knows every key: all of them, or those of a sample and what is absent."""
    from discreet.measures import at_scale

    keys = before.schema.keys
    if len(before) <= MOST_AT_ONCE:
        tables = [source.in_memory(keys) for source in (before, after)]
        return attacks_of(Scenario(ALL_KEYS, keys), *tables, engine=LocalEngine())
    parts = {"": keys}
    kinds = [before.schema.of_scale("ordinal", "nominal", among=keys), before.schema.of_scale("numeric", among=keys)]
    if all(kinds):
        parts |= dict(zip(("categories", "numbers"), kinds, strict=True))
    made, absent = [], [f"Only a sample is linked by distance beyond {MOST_AT_ONCE:,} records, and not by agreement."]
    for part, names in parts.items():
        found = at_scale.distance_linkage(before, after, engine, sample=sample, among=names) if part else results
        for one in found:
            if one.name == "distance-linkage":
                low, high = one.details["interval_percent"]
                linker = "distance-based linkage"
                made.append(Attack(ALL_KEYS, linker, tuple(one.details["known"]), one.value, (low, high), part))
                if not part and one.details["not_compared"]:
                    absent.append(f"Not compared: {', '.join(one.details['not_compared'])}.")
    if not made:
        made.append(Attack(ALL_KEYS, "guessing", (), 100.0 / len(before)))
        absent.append("No key can be compared at this size.")
    return Attacks(ALL_KEYS, keys, tuple(made), tuple(absent))


def _combinations(source: ParquetSource, engine: TableEngine) -> int:
    """Return how many combinations of the keys there are."""
    keys = source.schema.keys
    counted = engine.count(engine.open(source, keys), keys)
    return int(engine.fold(counted, _count_rows)["combinations"][0])


def _count_rows(block: Block) -> Block:
    return {"combinations": np.array([len(block["#count"])])}


def assess_in_passes(original: Microdata, masked: Microdata, *, k: int = 3, sample: int = 2_000) -> Assessment:
    """Measure a release in memory as :func:`assess_files` does: linkage from a sample, everything else exactly.

    Both tables go through Parquet files in a folder of their own, which only the user can read and which is removed.
    """
    with scratch_folder() as folder:
        paths = [folder / name for name in ("original.parquet", "masked.parquet")]
        for table, path in zip((original, masked), paths, strict=True):
            write_table(table, path, [])
        return assess_files(*paths, schema=original.schema, released=masked.schema, k=k, sample=sample)


def _not_computed(schema: Schema, results: Sequence[Measurement]) -> Iterator[NotComputed]:
    """Name the losses of numbers that none of the numbers allows: all were emptied."""
    taken = {found.name for found in results}
    for name in ("il1s", "sse", "means", "variances"):
        measure = catalogue.method("measure", name)()
        numbers = schema.of_scale("numeric", among=schema.of_role("key", "confidential", "other"))
        if name not in taken and numbers:
            reason = f"{', '.join(numbers)} {'has' if len(numbers) == 1 else 'have'} no value left."
            yield NotComputed(name, measure.title, "loss", reason, in_score=measure.in_score)


def _released(schema: Schema, masked: str | os.PathLike[str]) -> Schema:
    present = set(read_head(masked, 1).column_names)
    absent = [n for n in schema.names if n not in present and schema[n].role != "identifier"]
    if absent:
        raise DataError(f"The masked table lacks {len(absent)} columns of the original, the first {absent[0]!r}.")
    return schema.select(name for name in schema.names if name in present)
