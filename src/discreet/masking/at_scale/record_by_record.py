"""Methods that change a record without looking at others, once something is known of the whole table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from discreet.base import Block, InProcess, MaskingJob
from discreet.draws import Draws
from discreet.masking.at_scale.plan import Plan, TableJob, at_scale, refuse
from discreet.masking.coding import FEWEST_CODED, BottomCoding, TopCoding
from discreet.masking.pram import PRAM, redrawn
from discreet.masking.recoding import GlobalRecoding
from discreet.microdata import Microdata, table_of_codes
from discreet.scales import Categorical, Numeric
from discreet.schema import Attribute, Schema
from discreet.typing import FloatArray, IntArray

__all__ = ["level_totals"]

_WEIGHT = "#weight"


def level_totals(job: TableJob, *, weighted: bool) -> dict[str, FloatArray]:
    """Return the (weighted) number of records at every level of the masked attributes, missing ones left out."""
    names = job.schema.of_scale("ordinal", "nominal", among=job.names)
    weight = job.schema.weight if weighted else None
    rows = job.engine.open(job.source, [*names, *([weight] if weight else [])])
    result = {}
    for name, found in zip(names, job.engine.count_sets(rows, [[name] for name in names], weight), strict=True):
        totals = np.zeros(len(cast("Categorical", job.schema[name].scale)))
        present = found[name] >= 0
        totals[found[name][present]] = found["#total"][present]
        result[name] = totals
    return result


@dataclass(frozen=True)
class _Redraw:
    """Draw every level anew from its row of a matrix."""

    matrices: Mapping[str, FloatArray]
    draws: Draws

    def __call__(self, table: Microdata, rows: IntArray) -> dict[str, Any]:
        return {
            name: redrawn(table.encoded(name), matrix, self.draws.uniform(rows, place))
            for place, (name, matrix) in enumerate(self.matrices.items())
        }


@at_scale.register(PRAM)
def _pram(masker: PRAM, job: TableJob) -> Plan:
    refuse(masker, strata=None)
    totals = level_totals(job, weighted=masker.weighted)
    matrices = {name: masker._matrix(name, totals[name]) for name in job.names}  # noqa: SLF001 - its own design
    kept = {name: np.diagonal(matrix).tolist() for name, matrix in matrices.items()}
    shown = {name: matrix.tolist() for name, matrix in matrices.items() if len(matrix) <= 100}
    return Plan(change=_Redraw(matrices, job.draws), details={"kept": kept, "matrices": shown})


@dataclass(frozen=True)
class _Exchange:
    """Exchange levels by a table; −1, the missing value, stays."""

    tables: Mapping[str, IntArray]

    def __call__(self, table: Microdata, rows: IntArray) -> dict[str, Any]:  # noqa: ARG002 - the shape of a change
        return {name: levels[table.encoded(name)].astype(np.int32) for name, levels in self.tables.items()}


@at_scale.register(GlobalRecoding)
def _recoding(masker: GlobalRecoding, job: TableJob) -> Plan:
    totals = level_totals(job, weighted=masker.weighted)
    inner = masker.clone().set_params(weighted=True)
    tables, attributes, notes = {}, [], []
    for name in job.names:
        # One record a level, as heavy as all its records, tells where the method sends it.
        levels = np.flatnonzero(totals[name] > 0).astype(np.int32)
        schema = Schema([job.schema[name], Attribute(_WEIGHT, Numeric(), "weight")])
        small = table_of_codes(schema, {name: levels, _WEIGHT: totals[name][levels]})
        outcome = inner._mask(MaskingJob(small, (name,), Draws.of(0, None, "no draws").generator(), InProcess()))  # noqa: SLF001
        table = np.full(totals[name].size + 1, -1, dtype=np.int64)
        table[levels] = outcome.values[name]
        tables[name] = table
        attributes += list(outcome.attributes)
        notes += list(outcome.notes)
    return Plan(change=_Exchange(tables), attributes=tuple(attributes), notes=tuple(notes))


@dataclass(frozen=True)
class _Code:
    """Code the extremes of a scale, thresholds and replacements being known."""

    masker: TopCoding | BottomCoding
    names: tuple[str, ...]
    thresholds: Mapping[str, float]
    replacements: Mapping[str, float]

    def __call__(self, table: Microdata, rows: IntArray) -> dict[str, Any]:  # noqa: ARG002 - the shape of a change
        job = MaskingJob(table, self.names, Draws.of(0, None, "no draws").generator(), InProcess())
        values = dict(self.masker._mask_part(job).values)  # noqa: SLF001 - nothing of it looks at other records now
        sign = self.masker._sign  # noqa: SLF001
        for name, replacement in self.replacements.items():
            beyond = sign * table.encoded(name) >= sign * self.thresholds[name]
            values[name] = np.where(beyond, replacement, values[name])
        return values


@dataclass(frozen=True)
class _Beyond:
    """Count the numbers that are present and those beyond thresholds, and add these up."""

    names: tuple[str, ...]
    sign: int
    thresholds: Mapping[str, float]

    def __call__(self, block: Block) -> Block:
        result = {}
        for name in self.names:
            column = block[name][~np.isnan(block[name])]
            beyond = column[self.sign * column >= self.sign * self.thresholds.get(name, np.inf * self.sign)]
            result[name] = np.array([column.size, beyond.size, beyond.sum()])
        return result


@at_scale.register(TopCoding)
@at_scale.register(BottomCoding)
def _coding(masker: TopCoding | BottomCoding, job: TableJob) -> Plan:
    refuse(masker, strata=None)
    sign, engine = masker._sign, job.engine  # noqa: SLF001
    numbers = job.schema.of_scale("numeric", among=job.names)
    given = masker.threshold
    thresholds: dict[str, float] = {}
    for name in numbers:
        value = given.get(name) if isinstance(given, Mapping) else given
        if value is not None:
            thresholds[name] = float(value)
    if numbers:
        rows = engine.open(job.source, numbers)
        present = engine.fold(rows, _Beyond(numbers, sign, {}))
        ranks = {}
        for name in numbers:
            n = int(present[name][0])
            if name not in thresholds and n:
                coded = math.ceil(masker.share * n)
                ranks[name] = (n - coded + 1 if sign > 0 else coded, n)
        thresholds |= _at_ranks(job, ranks)
    replacements = _replacements(masker, job, thresholds)
    inner = masker.clone().set_params(threshold=thresholds or None, replacement="threshold")
    empty = table_of_codes(job.schema, {name: _two(job.schema[name]) for name in job.names})
    outcome = inner._mask_part(MaskingJob(empty, job.names, Draws.of(0, None, "no draws").generator(), InProcess()))  # noqa: SLF001
    return Plan(
        change=_Code(inner, job.names, thresholds, replacements), attributes=outcome.attributes, notes=outcome.notes
    )


def _two(attribute: Attribute) -> Any:
    return np.full(2, np.nan) if attribute.scale.kind == "numeric" else np.zeros(2, dtype=np.int32)


def _at_ranks(job: TableJob, ranks: Mapping[str, tuple[int, int]]) -> dict[str, float]:
    """Return the values at exact ranks (rank, of how many), in one go where columns lack no values."""
    result: dict[str, float] = {}
    for wanted in dict.fromkeys(ranks.values()):
        names = [name for name, rank in ranks.items() if rank == wanted]
        rows = job.engine.open(job.source, names)
        found = job.engine.quantiles(
            rows, names, [(wanted[0] - 0.5) / wanted[1]], 0.0, job.n, job.draws.integer("quantiles")
        )
        result |= {name: float(values[0]) for name, values in found.items()}
    return result


def _replacements(masker: TopCoding | BottomCoding, job: TableJob, thresholds: Mapping[str, float]) -> dict[str, float]:
    if masker.replacement == "threshold" or not thresholds:
        return {}
    names, sign = tuple(thresholds), masker._sign  # noqa: SLF001
    rows = job.engine.open(job.source, names)
    found = job.engine.fold(rows, _Beyond(names, sign, thresholds))
    counts = {name: (int(found[name][0]), int(found[name][1])) for name in names if found[name][1] >= FEWEST_CODED}
    if masker.replacement == "mean":
        return {name: float(found[name][2]) / beyond for name, (_, beyond) in counts.items()}
    middle = []
    for first in (True, False):
        place = {name: (beyond + 1) // 2 if first else beyond // 2 + 1 for name, (_, beyond) in counts.items()}
        middle.append(
            _at_ranks(job, {m: (n - place[m] + 1 if sign > 0 else place[m], n) for m, (n, _) in counts.items()})
        )
    return {name: (middle[0][name] + middle[1][name]) / 2 for name in counts}
