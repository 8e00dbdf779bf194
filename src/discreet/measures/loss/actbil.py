"""ACTBIL: what tables of counts lost, a cell."""

from __future__ import annotations

from typing import ClassVar

from discreet.base import Pair, register
from discreet.measures.loss.tables import TableComparison
from discreet.results import Measurement

__all__ = ["AverageTableLoss"]


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
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
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

    def _measure(self, pair: Pair) -> Measurement:
        differences, cells, _ = self._differences(pair)
        value = sum(differences.values()) / cells
        sentence = (
            f"A cell of the tables of up to {min(self.order, len(pair.names))} attributes is wrong by {value:.3g} "
            "records on average."
            if value > 0
            else f"{len(differences)} tables of counts are unchanged."
        )
        return self.result(value, sentence, details={"cells": cells, "tables": len(differences)})
