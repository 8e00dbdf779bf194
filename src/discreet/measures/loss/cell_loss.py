"""What the cells lost: every column that was changed, on any scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.schema import Attribute, Schema
from discreet.measures.cell_changes import CellChanges, ChangedCells, ClippedNumbers, Spreads, change_of
from discreet.measures.loss.cells_lost import ColumnLoss, bands_lost, clipping, counted_columns, levels_lost
from discreet.measures.number_pairs import most_of, says_change
from discreet.parameters import Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Inquiry, Need
from discreet.statistics.ranks import exact_quantiles
from discreet.statistics.tallies import Cells

__all__ = ["CellLoss"]

_MEASURED = ("numeric", "categorical")
"""What a number may be released as for its change to have a size."""


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
    most of whose records became it (as many are not most); a level renamed loses nothing, and one that became a band of
    others 1. A number
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
    need: ClassVar[Need] = Need.ORDER
    formula: ClassVar[str] = "100 · mean over columns of mean loss of a cell"
    reference: ClassVar[str] = "Mateo-Sanz, Sebé and Domingo-Ferrer 2004; Domingo-Ferrer and Torra 2001"
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        if self.attributes is not None:
            return super().columns_for(schema)
        return tuple(a.name for a in schema if a.role != "identifier")

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:  # noqa: ARG002
        return names  # whatever became of a column, it has a loss

    def inquire(self, scope: PairScope) -> Inquiry[Measurement]:
        before, after = scope.before, scope.after
        changes = {name: change_of(before, after, name) for name in scope.names}
        numbers = tuple(n for n, kinds in changes.items() if kinds[0] == "numeric" and kinds[1] in _MEASURED)
        units, middles = (yield from _units(numbers)) if numbers else ({}, {})
        changed: ChangedCells = yield CellChanges(scope.names, before, after, units, middles)
        # Of a sample, the record of the masking remembers how many there were.
        absent = max(scope.provenance.n_records - scope.n, 0) if scope.provenance is not None else 0
        columns = {}
        for name in scope.names:
            if name in changed.cells:
                one = _levels(before[name], after[name], changed.cells[name], changed.sizes[name])
            elif changes[name] == ("numeric", "categorical"):
                one = bands_lost(changed.sums[name], units[name])
            else:
                one = ColumnLoss(*changed.sums[name].tolist())
            columns[name] = ColumnLoss(one.lost + absent, one.cells + absent)
        return self.concluded(columns, before, absent)

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
        if not says_change(value):
            return self.result(0.0, "No cell lost anything.", percent, details)
        share = f"{value:.1f}" if value >= 0.05 else "less than 0.1"
        of = "1 column" if len(counted) == 1 else f"{len(counted)} columns"
        sentence = (
            f"Cells of {of} lost {share} % of what they told on average, most in {worst} ({percent[worst]:.1f} %)."
        )
        if absent:
            gone = (
                "1 record is not released, and counts"
                if absent == 1
                else f"{absent} records are not released, and count"
            )
            sentence += f" {gone} as lost."
        return self.result(value, sentence, percent, details)


def _units(names: tuple[str, ...]) -> Inquiry[tuple[dict[str, float], dict[str, float]]]:
    """Inquire for the change of a number that counts as lost, by attribute, and a point near the middle."""
    ends = yield from exact_quantiles(names, clipping)
    held = tuple(name for name in names if not np.isnan(ends[name]).any())
    units, middles = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    if held:
        low, high = (np.array([ends[name][end] for name in held]) for end in (0, 1))
        spreads: Spreads = yield ClippedNumbers(held, tuple(zip(low.tolist(), high.tolist(), strict=True)))
        units |= dict(zip(held, spreads.units(high > low).tolist(), strict=True))
        middles |= dict(zip(held, spreads.middles.tolist(), strict=True))
    return units, middles


def _levels(before: Attribute, after: Attribute, cells: Cells, sizes: tuple[int, int]) -> ColumnLoss:
    rows, columns = (
        np.where(codes == size - 1, -1, codes) for codes, size in zip((cells.rows, cells.columns), sizes, strict=True)
    )
    return levels_lost(before, after, rows, columns, cells.counts)
