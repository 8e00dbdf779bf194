"""Rows that no record of the original has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.measures.loss.class_losses import rows_asked
from discreet.parameters import Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.both_rows import BothRows, RowCounts
from discreet.statistics.question import Need

__all__ = ["InventedRows"]


@register("invented-rows")
class InventedRows(Measure):
    """Share of released records whose combination of values no record of the original has, in percent.

    It sees what masking invents: values that nobody has, and values that nobody has together. Of synthetic data the
    same figure is wanted high, and what is to be feared is in `replicated-uniques`.

    Parameters
    ----------
    attributes : list of str, optional
        What a combination is made of; by default everything that is released on the scale it had.

    Notes
    -----
    ``100 · #{i : row i of the release is no row of the original} / n``. Values are compared as such; a missing value is
    one of its own, so that a suppressed cell makes a new row unless somebody had none there. `details` holds how many
    different rows there are, and how many rows of the original have no like in the release. O(records log records ×
    attributes).

    References
    ----------
    Patki, Wedge and Veeramachaneni (2016), The Synthetic Data Vault; Domingo-Ferrer and Torra (2001).

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 1.5, 1.5, 3.5]}), pl.DataFrame({"x": [1.5, 1.5, 2.5, 0.5]})
    >>> InventedRows().measure(a, b).value  # 2.5
    25.0
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Rows newly invented"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal", "sequence"})
    default: ClassVar[bool] = False
    need: ClassVar[Need] = Need.DISTINCT
    formula: ClassVar[str] = "100 · #{i : f_i = 0 in the original} / n"
    reference: ClassVar[str] = "Patki, Wedge and Veeramachaneni 2016"
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    def question(self, scope: PairScope) -> BothRows:
        return rows_asked(scope)

    def conclude(self, statistics: RowCounts, scope: PairScope) -> Measurement:
        new = int(statistics.after[statistics.before == 0].sum())
        gone = int(statistics.before[statistics.after == 0].sum())
        value = 100.0 * new / scope.n
        sentence = (
            f"{new} of {scope.n} released records ({value:.1f} %) are combinations of values that no record of the "
            "original has."
            if new
            else "Every released record is a combination of values that the original has."
        )
        details = {
            "invented": new,
            "without_a_like": gone,
            "different_before": int(np.count_nonzero(statistics.before)),
            "different_after": int(np.count_nonzero(statistics.after)),
        }
        return self.result(value, sentence, details=details)
