"""What the cells lost: every column that was changed, on any scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, cast

import numpy as np

from discreet.base import Measure, Pair, register
from discreet.measures.cells_lost import (
    ColumnLoss,
    band_sums,
    bands_lost,
    clipping,
    counted_columns,
    in_one_alphabet,
    levels_lost,
    number_unit,
    numbers_lost,
    sequences_lost,
)
from discreet.measures.columns import most_of
from discreet.measures.contingency import count_cells
from discreet.parameters import Constraint, Names, Optional
from discreet.results import Measurement
from discreet.scales import Categorical
from discreet.scales import Sequence as SequenceScale
from discreet.schema import Attribute, Schema
from discreet.typing import FloatArray, IntArray

__all__ = ["CellLoss"]


@register("cell-loss")
class CellLoss(Measure):
    """Mean loss of a cell over the keys and every other column that was changed, in percent.

    It sees every kind of change: a value that moved, was made coarser, went missing, or was never released. Only a
    file that tells what the original tells has 0. The loss of the headline.

    Parameters
    ----------
    attributes : list of str, optional
        What to look at, changed or not; by default the keys, and whatever else was changed, identifiers apart.

    Notes
    -----
    A cell loses between 0 and 1. A number: its change, in √2 standard deviations of the original, which are those of
    the numbers clipped at their 1st and 99th percentiles (one record at least at either end), so that one outlier does
    not make everybody else's changes small. An ordered level: the difference of ranks by the largest there can be;
    an unordered one: 1. A level that only the release has: (m − 1)/(L − 1) for m of the L levels that occur, those
    most of whose records became it; a level renamed loses nothing, and one that became a band of others 1. A number
    released as a level: the standard deviation within the level by that of all. A sequence: its OSS dissimilarity.
    A cell that had a value and has none, or the other way round: 1. A column that is not released: 1. A record that is
    not released: 1 in every column. Cells that were and are missing do not count. O(records × attributes), a sort of
    every number.

    References
    ----------
    Mateo-Sanz, Sebé and Domingo-Ferrer (2004) for the change of a number; Domingo-Ferrer and Torra (2001) for that of
    a category.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"home": ["rent", "own", "rent", "own"], "x": [1.5, 2.5, 3.5, 4.5]})
    >>> b = a.with_columns(home=pl.Series(["rent", "rent", "rent", None]))
    >>> CellLoss(attributes=["home"]).measure(a, b).value  # two of four
    50.0
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "What the cells lost"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal", "sequence"})
    sees_removed: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · mean over columns of mean loss of a cell"
    reference: ClassVar[str] = "Mateo-Sanz, Sebé and Domingo-Ferrer 2004; Domingo-Ferrer and Torra 2001"
    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names())}

    def __init__(self, *, attributes: Sequence[str] | None = None) -> None:
        self.attributes = attributes

    def _candidates(self, schema: Schema) -> tuple[str, ...]:
        if self.attributes is not None:
            return super()._candidates(schema)
        return tuple(a.name for a in schema if a.role != "identifier")

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:  # noqa: ARG002
        return names  # whatever became of a column, it has a loss

    def _measure(self, pair: Pair) -> Measurement:
        n = len(pair.masked)
        # Of a sample, the record of the masking remembers how many there were.
        absent = max(pair.provenance.n_records - n, 0) if pair.provenance is not None else 0
        columns = {}
        for name in pair.names:
            found = _column(pair, name)
            columns[name] = ColumnLoss(found.lost + absent, found.cells + absent)
        return self.concluded(columns, pair.original.schema, absent)

    def concluded(self, columns: Mapping[str, ColumnLoss], schema: Schema, absent: int = 0) -> Measurement:
        """Return the measurement that the losses of columns amount to."""
        percent = {name: column.percent for name, column in columns.items()}
        counted = percent if self.attributes is not None else counted_columns(percent, schema.keys)
        value = float(np.mean(list(counted.values()))) if counted else 0.0
        worst = most_of(counted) if counted else ""
        others = [name for name in counted if name not in schema.keys]
        details = {
            "worst": worst,
            "counted": list(counted),
            "beside_the_keys": others,
            "changed": [name for name, one in percent.items() if one > 0],
            "records_not_released": absent,
        }
        if not value > 0:
            return self.result(0.0, "No cell lost anything.", percent, details)
        share = f"{value:.1f}" if value >= 0.05 else "less than 0.1"
        of = "1 column" if len(counted) == 1 else f"{len(counted)} columns"
        sentence = (
            f"Cells of {of} lost {share} % of what they told on average, most in {worst} ({percent[worst]:.1f} %)."
        )
        if absent:
            sentence += f" {absent} records are not released, and count as lost."
        return self.result(value, sentence, percent, details)


def _column(pair: Pair, name: str) -> ColumnLoss:
    before = pair.original.schema[name]
    n = len(pair.original)
    if name not in pair.masked.schema:
        gone = float((~pair.original.missing(name)).sum())
        return ColumnLoss(gone, gone)
    after = pair.masked.schema[name]
    first, second = pair.original.encoded(name), pair.masked.encoded(name)
    kinds = (_kind(before), _kind(after))
    if kinds == ("numeric", "numeric"):
        return numbers_lost(first, second, pair.original.once(("cell-loss unit", name), lambda: _unit(first)))
    if kinds == ("categorical", "categorical"):
        return _levels(before, after, first, second)
    if kinds == ("sequence", "sequence"):
        scale, released = cast("SequenceScale", before.scale), cast("SequenceScale", after.scale)
        return sequences_lost(first, in_one_alphabet(scale, released, second))
    if kinds == ("numeric", "categorical"):
        unit = pair.original.once(("cell-loss unit", name), lambda: _unit(first))
        there = first[~np.isnan(first)]
        middle = float(there.mean()) if there.size else 0.0
        levels = len(cast("Categorical", after.scale))
        return bands_lost(band_sums(first, second.astype(np.int64), levels, middle), unit)
    held = float(n - (pair.original.missing(name) & pair.masked.missing(name)).sum())
    return ColumnLoss(held, held)


def _kind(attribute: Attribute) -> str:
    return "categorical" if isinstance(attribute.scale, Categorical) else attribute.scale.kind


def _levels(before: Attribute, after: Attribute, first: IntArray, second: IntArray) -> ColumnLoss:
    rows, columns = len(cast("Categorical", before.scale)) + 1, len(cast("Categorical", after.scale)) + 1
    cells = count_cells(
        np.where(first < 0, rows - 1, first).astype(np.int64),
        np.where(second < 0, columns - 1, second).astype(np.int64),
        columns,
        rows,
        np.ones(len(first)),
    )
    codes = np.where(cells.rows == rows - 1, -1, cells.rows), np.where(cells.columns == columns - 1, -1, cells.columns)
    return levels_lost(before, after, *codes, cells.counts)


def _unit(values: FloatArray) -> float:
    """Return the change of a number that counts as lost."""
    present = np.sort(values[~np.isnan(values)])
    n = present.size
    if not n:
        return 0.0
    low, high = (present[max(int(np.ceil(q * n)), 1) - 1] for q in clipping(n))
    return number_unit(float(np.clip(present, low, high).std()), float(present.std()))
