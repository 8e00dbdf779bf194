"""A promise about individual risks, counted again with the weights that stand in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.data.guarantees import Guarantee, Recount, Tally, absent_cells
from discreet.kernels.values.population import expected_inverse

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RiskRecount"]

_COUNT, _WEIGHT, _CLASS = "#records", "#weights", "#class"
_SLACK = 1e-9
"""Relative: sums of weights in another order differ by less."""


class RiskRecount(Recount):
    """Individual risks of the classes of equal keys of tables that are handed over one after the other.

    Without the weights in a file nobody can count them there, and nothing is.
    """

    def __init__(self, guarantee: Guarantee) -> None:
        super().__init__(guarantee)
        self._classes: pl.DataFrame | None = None
        self._by: list[str] = []

    def add(self, frame: pl.DataFrame, *, quoted: bool = False) -> None:  # noqa: ARG002 - weights are numbers either way
        """Count the records of a table and add up their weights."""
        import polars as pl

        promise = self.guarantee
        names = [name for name in dict.fromkeys((*promise.strata, *promise.attributes)) if name in frame.columns]
        if not names or promise.weight not in frame.columns or not frame.height:
            return
        unit = [promise.unit] if promise.unit in frame.columns else []
        weights = _numbers(frame[str(promise.weight)]).alias(_WEIGHT)
        by = names
        if promise.wildcard:
            part = frame.select(*names, *unit, weights)
        else:
            part, by = frame.select(*unit, weights, frame.select(names).hash_rows(seed=0).alias(_CLASS)), [_CLASS]
        sums = [pl.col(_COUNT).sum(), pl.col(_WEIGHT).sum()]
        part = part.with_columns(pl.lit(1, pl.Int64).alias(_COUNT)).group_by([*by, *unit]).agg(sums)
        if self._classes is not None:
            both = pl.concat([self._classes, part.select(self._classes.columns)], how="vertical_relaxed")
            part = both.group_by([*by, *unit]).agg(sums)
        self._classes, self._by = part, by

    def tally(self) -> Tally | None:
        """Return the smallest class and how many records have too high a risk; None where nothing could be counted."""
        import polars as pl

        if self._classes is None:
            return None
        promise, table = self.guarantee, self._classes
        alike, total = pl.col(_COUNT), pl.col(_WEIGHT)
        if promise.unit in table.columns:
            # Members of a unit are one, with their mean weight; a record without a unit is one of its own.
            alone = absent_cells(table, str(promise.unit), promise.missing.get(str(promise.unit), ()))
            table = table.with_columns(alone.alias("#alone"))
            alike = pl.when("#alone").then(alike).otherwise(1)
            total = pl.when("#alone").then(total).otherwise(total / pl.col(_COUNT))
        classes = table.group_by(self._by).agg(
            pl.col(_COUNT).sum().alias("#rows"), alike.sum().alias("#own"), total.sum().alias("#total")
        )
        if promise.wildcard:
            classes = _agreeing(classes, self._by, promise)
        sizes = classes["#own"].cast(pl.Int64).to_numpy()
        risks = np.empty(sizes.size)
        expected_inverse(sizes, sizes / np.maximum(classes["#total"].to_numpy(), sizes), risks)
        above = risks > (promise.risk or 0.0) * (1 + _SLACK)
        return Tally(int(sizes.min()), int(classes["#rows"].to_numpy()[above].sum()))


def _numbers(column: pl.Series) -> pl.Series:
    """Return weights as numbers, whether a file holds them as numbers or as text, with a point or a comma."""
    import polars as pl

    if column.dtype == pl.String:
        column = column.str.strip_chars(' "').str.replace(",", ".", literal=True)
    return column.cast(pl.Float64, strict=False).fill_null(0.0)


def _agreeing(classes: pl.DataFrame, names: list[str], promise: Guarantee) -> pl.DataFrame:
    """Count for every class those that it agrees with, gaps with everything: O(kinds² · classes)."""
    import polars as pl

    free = [name for name in names if name in promise.attributes]
    lacks = [absent_cells(classes, name, promise.missing.get(name, ())).alias(f"#lacks {name}") for name in free]
    table = classes.with_columns(lacks)
    kinds = [
        ({name for name, absent in zip(free, flags, strict=True) if absent}, part)
        for flags, part in table.group_by([f"#lacks {name}" for name in free], maintain_order=True)
    ]
    counted = []
    for lacking, part in kinds:
        sums = part.select("#rows", *names, pl.lit(0, pl.Int64).alias("#own"), pl.lit(0.0).alias("#total"))
        for absent, other in kinds:
            shared = [name for name in names if name not in lacking | absent]
            own, total = pl.col("#own").sum().alias("#more"), pl.col("#total").sum().alias("#heavier")
            if shared:
                sums = sums.join(other.group_by(shared).agg(own, total), on=shared, how="left", nulls_equal=True)
            else:
                sums = sums.join(other.select(own, total), how="cross")
            more = pl.col("#more").fill_null(0).cast(pl.Int64)
            sums = sums.with_columns(pl.col("#own") + more, pl.col("#total") + pl.col("#heavier").fill_null(0.0))
            sums = sums.drop("#more", "#heavier")
        counted.append(sums)
    return pl.concat(counted)
