"""CTBIL: what tables of counts lost."""

from __future__ import annotations

from typing import ClassVar

from discreet.base import Pair, register
from discreet.measures.loss.tables import TableComparison
from discreet.results import Measurement

__all__ = ["TableLoss"]


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
    >>> from discreet.scales import Nominal
    >>> from discreet.schema import Attribute, Schema
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

    def _measure(self, pair: Pair) -> Measurement:
        differences, _, n = self._differences(pair)
        total = sum(differences.values())
        value = min(100.0 * total / (2.0 * n * len(differences)), 100.0)
        sentence = (
            f"In {len(differences)} tables of up to {min(self.order, len(pair.names))} attributes, {value:.1f} % of "
            "records stand in another cell on average."
            if total > 0
            else f"{len(differences)} tables of counts are unchanged."
        )
        alone = {names[0]: 100.0 * d / (2.0 * n) for names, d in differences.items() if len(names) == 1}
        by_order = {
            str(size): sum(d for names, d in differences.items() if len(names) == size)
            for size in range(1, min(self.order, len(pair.names)) + 1)
        }
        details = {"ctbil": total, "tables": len(differences), "ctbil_by_dimension": by_order}
        return self.result(value, sentence, alone, details)
