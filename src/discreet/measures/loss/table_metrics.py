"""Tables of counts compared cell by cell, by a metric of one's choice."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.block import Block
from discreet.data.formula import Formula
from discreet.data.keys import LARGEST
from discreet.data.levels import JoinedLevels
from discreet.errors import ParameterError
from discreet.measures.loss.category_moves import CategoricalLoss
from discreet.measures.number_pairs import says_change, weight_asked
from discreet.parameters import Text
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need, OfBothFiles
from discreet.statistics.value_counts import check_different
from discreet.typing import FloatArray, IntArray

__all__ = ["TableMetric"]

_METRICS = {"absolute": "abs(o - p)", "relative": "abs(o - p) / max(o, 1)", "root": "abs(sqrt(o) - sqrt(p))"}
_PERCENTILES = (0, 25, 50, 75, 90, 95, 99, 100)


@dataclass(frozen=True, repr=False)
class _BothTables:
    """The cells that either table has, and their counts before and after."""

    cells: IntArray
    counts: FloatArray

    def merge(self, later: _BothTables, /) -> _BothTables:
        cells, place = np.unique(np.concatenate([self.cells, later.cells]), return_inverse=True)
        check_different("cells of a table", cells.size)
        both = np.concatenate([self.counts, later.counts], axis=1)
        return _BothTables(cells, np.stack([np.bincount(place, weights=side) for side in both]))


@dataclass(frozen=True)
class _TableCounts(OfBothFiles):
    """Ask for one table of both files."""

    names: tuple[str, ...]
    levels: tuple[JoinedLevels, ...]
    weight: str | None = None

    def summarise(self, block: Block, /) -> _BothTables:
        held: Any = None if self.weight is None else block.original.weights()
        weights = np.ones(len(block)) if held is None else held
        codes = [block.levels(name, joined) for name, joined in zip(self.names, self.levels, strict=True)]
        sizes = tuple(joined.size for joined in self.levels)
        before, after = (np.ravel_multi_index(side, sizes) for side in zip(*codes, strict=True))
        cells, place = np.unique(np.concatenate([before, after]), return_inverse=True)
        n = len(block)
        sides = (np.bincount(part, weights=weights, minlength=cells.size) for part in (place[:n], place[n:]))
        return _BothTables(cells, np.stack(list(sides)))


@register("table-metric")
class TableMetric(CategoricalLoss):
    """Mean difference of the cells of a table of counts, by a metric: absolute, relative, of roots, or one's own.

    It sees what somebody who publishes this table would get wrong; the percentiles over cells tell how badly at worst.

    Parameters
    ----------
    attributes : list of str, optional
        What spans the table; by default every categorical attribute that is released.
    metric : str
        ``"absolute"``, |o − p|; ``"relative"``, |o − p| / max(o, 1); ``"root"``, |√o − √p|; or a formula of the count
        before, ``o``, and after, ``p``, such as ``"(o - p)**2 / max(o, 1)"``. It is read, never run as code.
    weighted : bool
        Tables of weighted counts.

    Notes
    -----
    The mean over the cells that either file has, the missing value being a level. `details` holds percentiles over the
    cells, and how many there are and differ. A metric must be 0 for equal counts and never negative.
    O(records × attributes + cells log cells).

    References
    ----------
    Templ, Kowarik and Meindl (2015), Statistical disclosure control for micro-data using the R package sdcMicro
    (its ``infoLoss``); Shlomo and Young (2006), Information loss measures for frequency tables.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key")])
    >>> a, b = (pl.DataFrame({"fuel": ["gas"] * g + ["oil"] * (5 - g)}) for g in (4, 1))
    >>> [TableMetric(metric=m).measure(a, b, schema).value for m in ("absolute", "root", "(o - p)**2")]  # 4 1, then 1 4
    [3.0, 1.0, 9.0]
    """

    title: ClassVar[str] = "Cells of a table compared"
    high: ClassVar[float] = float("inf")
    unit: ClassVar[str] = "a cell"
    default: ClassVar[bool] = False
    need: ClassVar[Need] = Need.RECORD
    formula: ClassVar[str] = "mean over cells of metric(o, p)"
    reference: ClassVar[str] = "Templ, Kowarik and Meindl 2015; Shlomo and Young 2006"
    metric: str = parameter(Text('"absolute", "relative", "root" or a formula of o and p'), default="absolute")

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(metric="(o - p)**2 / max(o, 1)")]

    def _metric(self) -> Formula:
        formula = Formula(_METRICS.get(self.metric, self.metric), type(self).__name__)
        if not set(formula.names) <= {"o", "p"}:
            raise ParameterError(
                "TableMetric: metric must be one of absolute, relative, root, or a formula of o and p.",
                hint='metric="(o - p)**2 / max(o, 1)".',
            )
        return formula

    def question(self, scope: PairScope) -> _TableCounts:
        self._metric()
        absent = [name for name in self.attributes or () if name not in scope.names]
        if absent:
            raise ParameterError(f"TableMetric: {absent[0]!r} must be a released categorical attribute.")
        levels = tuple(scope.levels(name) for name in scope.names)
        if prod(one.size for one in levels) > LARGEST:
            raise ParameterError(
                f"TableMetric: a table of {len(levels)} attributes has too many cells.", hint="Name fewer attributes."
            )
        return _TableCounts(scope.names, levels, weight_asked(type(self).__name__, scope, self.weighted))

    def conclude(self, statistics: _BothTables, scope: PairScope) -> Measurement:
        # Sums of weights that cancel leave rounding, and a cell that nobody is in after that is none.
        counts = np.round(statistics.counts, 9) + 0.0
        before, after = counts[:, counts.any(axis=0)]
        figures = np.broadcast_to(np.asarray(self._metric().value({"o": before, "p": after}), np.float64), before.shape)
        if not np.isfinite(figures).all() or (figures < 0).any():
            raise ParameterError(
                "TableMetric: metric is negative or no number for some cells.", hint="Such as max(o, 1) in a divisor."
            )
        value, differ = float(figures.mean()), int((before != after).sum())
        sentence = (
            f"{differ} of {before.size} cells of the table of {', '.join(scope.names)} differ; by the metric a cell is "
            f"{value:.3g} apart on average, and {float(figures.max()):.3g} at most."
            if says_change(value)
            else f"The table of {', '.join(scope.names)} is unchanged by the metric."
        )
        percentiles = dict(zip(map(str, _PERCENTILES), np.percentile(figures, _PERCENTILES).tolist(), strict=True))
        return self.result(
            value, sentence, details={"cells": before.size, "differ": differ, "percentiles": percentiles}
        )
