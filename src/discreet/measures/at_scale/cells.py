"""Losses of categories from tables of counts (grouping sets), and the cells that changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, cast

import numpy as np

from discreet.base import MASKED, Block, Measure, Rows, Source, TableEngine
from discreet.measures.loss.ctbil import TableLoss
from discreet.measures.loss.dist import CategoryDistance
from discreet.measures.loss.ebil import EntropyBasedLoss
from discreet.microdata import table_of_codes
from discreet.results import Measurement
from discreet.scales import Categorical, Numeric
from discreet.schema import Attribute, Schema
from discreet.typing import IntArray

__all__ = ["category_losses", "changed_cells", "table_loss"]

_WEIGHT = "#weight"


@dataclass(frozen=True)
class _Changed:
    names: tuple[str, ...]

    def __call__(self, block: Block) -> Block:
        return {name: np.array([_differ(block[name], block[name + MASKED]).sum()]) for name in self.names}


def _differ(before: Any, after: Any) -> Any:
    same = before == after
    return ~(same | (np.isnan(before) & np.isnan(after))) if before.dtype.kind == "f" else ~same


def changed_cells(rows: Rows, names: Sequence[str], engine: TableEngine) -> dict[str, int]:
    """Return by attribute how many cells of the release differ; `rows` hold both tables side by side."""
    return {name: int(count[0]) for name, count in engine.fold(rows, _Changed(tuple(names))).items()}


def _categories(original: Source, masked: Source, measure: Measure) -> tuple[str, ...]:
    names = measure._candidates(original.schema)  # noqa: SLF001 - the same attributes as in memory
    return tuple(n for n in names if n in masked.schema and masked.schema[n].scale.kind in measure.scales)


def category_losses(original: Source, masked: Source, engine: TableEngine) -> list[Measurement]:
    """Return Dist and EBIL: attribute by attribute, from the table of what every level became."""
    names = _categories(original, masked, CategoryDistance())
    if not names:
        return []
    rows = engine.pair(original, masked, names)
    cells = engine.count_sets(rows, [[name, name + MASKED] for name in names])
    result = []
    for measure in (CategoryDistance(weighted=True), EntropyBasedLoss(weighted=True)):
        per_attribute = {}
        for name, found in zip(names, cells, strict=True):
            # One record a cell, as heavy as all its records, tells the measure everything.
            weights = {_WEIGHT: found["#count"].astype(np.float64)}
            heavy = Attribute(_WEIGHT, Numeric(), "weight")
            before = table_of_codes(Schema([original.schema[name], heavy]), {name: found[name], **weights})
            after = table_of_codes(Schema([masked.schema[name], heavy]), {name: found[name + MASKED], **weights})
            per_attribute[name] = measure.measure(before, after).value
        value = float(np.mean(list(per_attribute.values())))
        worst = max(per_attribute, key=lambda name: per_attribute[name])
        sentence = f"{measure.title}: {value:.1f} % on average, most in {worst}."
        result.append(measure.result(value, sentence, per_attribute))
    return result


def table_loss(original: Source, masked: Source, engine: TableEngine, *, order: int = 2) -> list[Measurement]:
    """Return CTBIL: the differences of all tables of up to `order` categorical attributes."""
    measure = TableLoss(order=order)
    names = _categories(original, masked, measure)
    if not names:
        return []
    tables = [chosen for size in range(1, min(order, len(names)) + 1) for chosen in combinations(names, size)]
    before = engine.count_sets(engine.open(original, names), tables)
    after = engine.count_sets(engine.open(masked, names), tables)
    n = len(original)
    differences = {}
    for chosen, first, second in zip(tables, before, after, strict=True):
        translated = {name: _translation(original.schema, masked.schema, name) for name in chosen}
        left = [_level(first[name], None) for name in chosen]
        right = [_level(second[name], translated[name]) for name in chosen]
        differences[chosen] = _difference(left, right, first["#count"], second["#count"])
    total = sum(differences.values())
    value = min(100.0 * total / (2.0 * n * len(tables)), 100.0)
    sentence = f"In {len(tables)} tables, {value:.1f} % of records stand in another cell on average."
    alone = {chosen[0]: 100.0 * d / (2.0 * n) for chosen, d in differences.items() if len(chosen) == 1}
    return [measure.result(value, sentence, alone, {"ctbil": total, "tables": len(tables)})]


def _translation(before: Schema, after: Schema, name: str) -> IntArray | None:
    first, second = cast("Categorical", before[name].scale), cast("Categorical", after[name].scale)
    if first.levels == second.levels:
        return None
    places = {str(level): place for place, level in enumerate(first.levels)}
    for level in second.levels:
        places.setdefault(str(level), len(places))
    return np.array([*(places[str(level)] for level in second.levels), -1], dtype=np.int64)


def _level(codes: Any, translation: IntArray | None) -> IntArray:
    return np.asarray(codes if translation is None else translation[codes], dtype=np.int64)


def _difference(left: list[IntArray], right: list[IntArray], first: IntArray, second: IntArray) -> float:
    rows = np.concatenate([np.stack(left, axis=1), np.stack(right, axis=1)])
    _, place = np.unique(rows, axis=0, return_inverse=True)
    return float(np.abs(np.bincount(place.ravel(), weights=np.concatenate([first, -second]))).sum())
