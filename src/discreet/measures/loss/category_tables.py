"""Losses of tables of counts: contingency tables of original and release, and the association in them."""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import PairScope
from discreet.contracts.measurement import Measurement
from discreet.measures.loss.category_moves import CategoricalLoss
from discreet.measures.number_pairs import most_of, says_change, weight_asked
from discreet.parameters import Integer
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need
from discreet.statistics.tallies import TableDifferences, TableSums, cramers_v
from discreet.statistics.two_way_tables import TwoWayCells, TwoWayTables

__all__ = ["AssociationDifference", "AverageTableLoss", "TableComparison", "TableLoss"]


class TableComparison(CategoricalLoss):
    """What the two readings of CTBIL share: the differences of all tables up to a dimension."""

    need: ClassVar[Need] = Need.RECORD
    order: int = parameter(Integer(1), default=2)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(order=3)]

    def _tables(self, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        sizes = range(1, min(self.order, len(names)) + 1)
        return tuple(table for size in sizes for table in combinations(names, size))

    def question(self, scope: PairScope) -> TableDifferences:
        weight = weight_asked(type(self).__name__, scope, self.weighted)
        levels = tuple(scope.levels(name) for name in scope.names)
        return TableDifferences(scope.names, levels, self._tables(scope.names), weight)

    def _differences(self, sums: TableSums) -> dict[tuple[str, ...], float]:
        """Return Σ |x^F − x^G| of every table; what rounding leaves of weights that cancel is nothing."""
        totals = {names: float(np.abs(one).sum()) for names, one in sums.differences.items()}
        return {names: total if total > 1e-9 * sums.weight else 0.0 for names, total in totals.items()}


@register("ctbil")
class TableLoss(TableComparison):
    """Share of records that stand in another cell of the tables of counts, in percent (CTBIL).

    It sees what somebody who only tabulates would see; records that exchange their values cost nothing in tables of
    one attribute and show in tables of two.

    Parameters
    ----------
    attributes : list of str, optional
        What to tabulate; by default every categorical attribute that is released.
    weighted : bool
        Tables of weighted counts.
    order : int
        The largest dimension of a table: all tables of 1 … `order` attributes are compared.

    Notes
    -----
    The papers' CTBIL is ``Σ_tables Σ_cells |x^F − x^G|``, in `details`. Two tables of n records differ by 2n at most,
    so the value is ``100 · CTBIL / (2 n · tables)``. The missing value is a level of its own. O(records × tables).

    References
    ----------
    Domingo-Ferrer and Torra (2001), Disclosure control methods and information loss for microdata; (2002), section 3.4.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key")])
    >>> a, b = (
    ...     pl.DataFrame({"fuel": ["gas", "gas", "oil", "oil"]}),
    ...     pl.DataFrame({"fuel": ["gas", "oil", "oil", "oil"]}),
    ... )
    >>> TableLoss().measure(a, b, schema).value  # gas 2 → 1, oil 2 → 3: CTBIL 2 of 8
    25.0
    """

    title: ClassVar[str] = "Difference of tables (CTBIL)"
    in_score: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · Σ_tables Σ_cells |x^F − x^G| / (2 n · tables)"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2001, 2002"

    def conclude(self, statistics: TableSums, scope: PairScope) -> Measurement:
        differences, n = self._differences(statistics), statistics.weight
        total = sum(differences.values())
        value = min(100.0 * total / (2.0 * n * len(differences)), 100.0)
        sentence = (
            f"In {len(differences)} tables of up to {min(self.order, len(scope.names))} attributes, {value:.1f} % of "
            "records stand in another cell on average."
            if total > 0
            else f"{len(differences)} tables of counts are unchanged."
        )
        alone = {names[0]: 100.0 * d / (2.0 * n) for names, d in differences.items() if len(names) == 1}
        by_order = {
            str(size): sum(d for names, d in differences.items() if len(names) == size)
            for size in range(1, min(self.order, len(scope.names)) + 1)
        }
        details = {"ctbil": total, "tables": len(differences), "ctbil_by_dimension": by_order}
        return self.result(value, sentence, alone, details)


@register("actbil")
class AverageTableLoss(TableComparison):
    """Difference of the tables of counts, in records a cell (ACTBIL).

    CTBIL divided by the number of cells, so that attributes with many levels do not count more than others.

    Parameters
    ----------
    attributes : list of str, optional
        What to tabulate; by default every categorical attribute that is released.
    weighted : bool
        Tables of weighted counts.
    order : int
        The largest dimension of a table: all tables of 1 … `order` attributes are compared.

    Notes
    -----
    ``Σ_tables Σ_cells |x^F − x^G| / cells``, cells counted over all tables from the levels declared in either file;
    the missing value is a level where it occurs. It grows with the number of records. O(records × tables).

    References
    ----------
    Domingo-Ferrer and Torra (2002), Distance-based and probabilistic record linkage, section 3.4.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key")])
    >>> a, b = (
    ...     pl.DataFrame({"fuel": ["gas", "gas", "oil", "oil"]}),
    ...     pl.DataFrame({"fuel": ["gas", "oil", "oil", "oil"]}),
    ... )
    >>> AverageTableLoss().measure(a, b, schema).value  # gas 2 → 1, oil 2 → 3: 2 over 2 cells
    1.0
    """

    title: ClassVar[str] = "Difference of tables a cell (ACTBIL)"
    high: ClassVar[float] = float("inf")
    unit: ClassVar[str] = "records a cell"
    default: ClassVar[bool] = False
    formula: ClassVar[str] = "Σ_tables Σ_cells |x^F − x^G| / cells"
    reference: ClassVar[str] = "Domingo-Ferrer and Torra 2002"

    def conclude(self, statistics: TableSums, scope: PairScope) -> Measurement:
        differences = self._differences(statistics)
        # The missing value is a level where one of the files has it.
        levels = {name: scope.levels(name).size - 1 + statistics.gaps[name] for name in scope.names}
        cells = sum(prod(levels[name] for name in names) for names in differences)
        value = sum(differences.values()) / cells
        sentence = (
            f"A cell of the tables of up to {min(self.order, len(scope.names))} attributes is wrong by {value:.3g} "
            "records on average."
            if value > 0
            else f"{len(differences)} tables of counts are unchanged."
        )
        return self.result(value, sentence, details={"cells": cells, "tables": len(differences)})


@register("association")
class AssociationDifference(CategoricalLoss):
    """Mean absolute difference of Cramér's V of every two attributes, in percent.

    It sees how relations between categories weakened or strengthened; renaming levels costs nothing.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every categorical attribute that is released. There must be two.
    weighted : bool
        Tables of weighted counts.

    Notes
    -----
    ``100 · mean_{i<j} |V_ij − V'_ij|`` with ``V = √(χ² / (n · (min(r, c) − 1)))``, r and c the levels that occur, the
    missing value among them. O(records × attributes²).

    References
    ----------
    Cramér (1946), Mathematical Methods of Statistics.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute(name, Nominal(["n", "y"]), "key") for name in "ab"])
    >>> first = pl.DataFrame({"a": ["n", "n", "y", "y"], "b": ["n", "n", "y", "y"]})
    >>> AssociationDifference().measure(first, first.with_columns(b=pl.Series(["n", "y", "n", "y"])), schema).value
    100.0
    """

    need: ClassVar[Need] = Need.RECORD
    title: ClassVar[str] = "Change of association (Cramér's V)"
    at_least: ClassVar[int] = 2
    formula: ClassVar[str] = "100 · mean_{i<j} |V − V′|"
    reference: ClassVar[str] = "Cramér 1946"

    def question(self, scope: PairScope) -> TwoWayTables:
        levels = tuple(scope.levels(name) for name in scope.names)
        return TwoWayTables(scope.names, levels, weight_asked(type(self).__name__, scope, self.weighted))

    def conclude(self, statistics: TwoWayCells, scope: PairScope) -> Measurement:
        names = scope.names
        difference = np.zeros((len(names), len(names)))
        for i, j in combinations(range(len(names)), 2):
            before, after = (cramers_v(cells) for cells in statistics.tables[names[i], names[j]])
            difference[i, j] = difference[j, i] = 100.0 * abs(before - after)
        means = difference.sum(axis=1) / (len(names) - 1)
        per_attribute = dict(zip(names, means.tolist(), strict=True))
        value = float(means.mean())
        sentence = (
            f"Associations of categories changed by {value / 100:.3f} on average (Cramér's V), most those of "
            f"{most_of(per_attribute)}."
            if says_change(value)
            else "No association of categories changed."
        )
        return self.result(value, sentence, per_attribute, {"largest": float(difference.max()) / 100.0})
