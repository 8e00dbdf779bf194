"""What the cells lost in tables larger than memory: the same sums as in memory, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from discreet.base import MASKED, Block, Source, TableEngine
from discreet.measures.cells_lost import (
    ColumnLoss,
    band_sums,
    bands_lost,
    clipping,
    in_one_alphabet,
    levels_lost,
    number_unit,
    numbers_lost,
    sequences_lost,
)
from discreet.measures.loss.cell_loss import CellLoss
from discreet.results import Measurement
from discreet.scales import Categorical, EncodedSequences
from discreet.scales import Sequence as SequenceScale
from discreet.schema import Schema
from discreet.typing import FloatArray

__all__ = ["cell_loss"]

_MANY = 16
"""Columns whose tables of levels are counted in one pass."""


@dataclass(frozen=True)
class _Present:
    names: tuple[str, ...]

    def __call__(self, block: Block) -> Block:
        return {name: np.array([(~np.isnan(block[name])).sum()]) for name in self.names}


@dataclass(frozen=True)
class _Spread:
    """Counts, sums and squares of numbers, as they are and clipped, from a point near their middle."""

    ends: Mapping[str, FloatArray]

    def __call__(self, block: Block) -> Block:
        result = {}
        for name, (low, high) in self.ends.items():
            x = block[name][~np.isnan(block[name])]
            middle = 0.5 * (low + high)
            parts = [(x - middle), np.clip(x, low, high) - middle]
            result[name] = np.array([x.size, *(s for part in parts for s in (part.sum(), (part * part).sum()))])
        return result


@dataclass(frozen=True)
class _Lost:
    """The sums of what numbers and sequences lost, and those of numbers by the level they became."""

    before: Schema
    after: Schema
    units: Mapping[str, float]
    bands: Mapping[str, float]
    sequences: tuple[str, ...]

    def __call__(self, block: Block) -> Block:
        result: dict[str, Any] = {}
        for name, unit in self.units.items():
            if name not in self.bands:
                result[name] = np.array(numbers_lost(block[name], block[name + MASKED], unit))
        for name, middle in self.bands.items():
            levels = len(cast("Categorical", self.after[name].scale))
            result[name] = band_sums(block[name], np.asarray(block[name + MASKED], dtype=np.int64), levels, middle)
        for name in self.sequences:
            first, second = (_sequences(block[column]) for column in (name, name + MASKED))
            old, new = (cast("SequenceScale", schema[name].scale) for schema in (self.before, self.after))
            result[name] = np.array(sequences_lost(first, in_one_alphabet(old, new, second)))
        return result


def _sequences(texts: Any) -> EncodedSequences:
    return EncodedSequences.of(None if text == b"?" else np.frombuffer(text, dtype=np.int32) for text in texts)


@dataclass(frozen=True)
class _Held:
    """How many cells hold something, for columns that have no other rule."""

    names: tuple[str, ...]

    def __call__(self, block: Block) -> Block:
        return {name: np.array([_there(block, name).sum()]) for name in self.names}


def _there(block: Block, name: str) -> Any:
    there = _present(block[name])
    return there | _present(block[name + MASKED]) if name + MASKED in block else there


def _present(column: Any) -> Any:
    if column.dtype == object:
        return np.array([text != b"?" for text in column], dtype=np.bool_)
    return ~np.isnan(column) if column.dtype.kind == "f" else column >= 0


def cell_loss(original: Source, masked: Source, engine: TableEngine) -> list[Measurement]:
    """Return what the cells lost, as :class:`~discreet.measures.loss.cell_loss.CellLoss` does in memory.

    Notes
    -----
    Passes over the numbers of the original for their spread, one over both tables for numbers and sequences, and one
    for every sixteen columns of categories.
    """
    measure = CellLoss()
    before, after = original.schema, masked.schema
    names = measure._candidates(before)  # noqa: SLF001 - the same columns as in memory
    if not names:
        return []
    kinds = {name: (_kind(before, name), _kind(after, name) if name in after else "") for name in names}
    numbers = tuple(name for name in names if kinds[name][0] == "numeric" and kinds[name][1] != "")
    columns: dict[str, ColumnLoss] = {}
    units, middles = _units(original, engine, numbers) if numbers else ({}, {})
    bands = {name: middles[name] for name in numbers if kinds[name][1] == "categorical"}
    units = {name: unit for name, unit in units.items() if kinds[name][1] in ("numeric", "categorical")}
    sequences = tuple(name for name in names if kinds[name] == ("sequence", "sequence"))
    taken = (*units, *sequences)
    if taken:
        found = engine.fold(engine.pair(original, masked, taken), _Lost(before, after, units, bands, sequences))
        for name in taken:
            columns[name] = bands_lost(found[name], units[name]) if name in bands else ColumnLoss(*found[name])
    levels = [name for name in names if kinds[name] == ("categorical", "categorical")]
    for start in range(0, len(levels), _MANY):
        part = levels[start : start + _MANY]
        rows = engine.pair(original, masked, part)
        for name, cells in zip(part, engine.count_sets(rows, [[n, n + MASKED] for n in part]), strict=True):
            first, second = (np.asarray(cells[column], dtype=np.int64) for column in (name, name + MASKED))
            counts = cells["#count"].astype(np.float64)
            columns[name] = levels_lost(before[name], after[name], first, second, counts)
    rest = tuple(name for name in names if name not in columns)
    if rest:
        for name, held in engine.fold(engine.pair(original, masked, rest), _Held(rest)).items():
            columns[name] = ColumnLoss(float(held[0]), float(held[0]))
    return [measure.concluded({name: columns[name] for name in names}, before)]


def _kind(schema: Schema, name: str) -> str:
    return "categorical" if isinstance(schema[name].scale, Categorical) else schema[name].scale.kind


def _units(original: Source, engine: TableEngine, names: tuple[str, ...]) -> tuple[dict[str, float], dict[str, float]]:
    """Return by attribute the change of a number that counts as lost, and a point near the middle."""
    rows, n = engine.open(original, names), len(original)
    present = {name: int(count[0]) for name, count in engine.fold(rows, _Present(names)).items()}
    ends: dict[str, FloatArray] = {}
    for count in set(present.values()) - {0}:
        same = [name for name in names if present[name] == count]
        ends |= engine.quantiles(engine.open(original, same), same, clipping(count), 0.0, n)
    sums = engine.fold(rows, _Spread(ends)) if ends else {}
    units, middles = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    for name, (count, total, squares, clipped, clipped_squares) in sums.items():
        whole = np.sqrt(max(squares / count - (total / count) ** 2, 0.0))
        inner = np.sqrt(max(clipped_squares / count - (clipped / count) ** 2, 0.0))
        # Sums of squares leave a trace of rounding where numpy's own deviation is nought.
        low, high = ends[name]
        units[name] = number_unit(float(inner) if high > low else 0.0, float(whole))
        middles[name] = float(0.5 * (low + high) + total / count)
    return units, middles
