"""How many values are no longer there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.schema import Schema
from discreet.measures.number_pairs import most_of, weight_asked
from discreet.parameters import Flag, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need
from discreet.statistics.suppressed_cells import SuppressedCells, Suppressions

__all__ = ["SuppressionShare"]


@register("suppression")
class SuppressionShare(Measure):
    """Share of the original's values that are missing from the release, in percent.

    It sees suppression alone: values that are there but changed cost nothing.

    Parameters
    ----------
    attributes : list of str, optional
        What to look at; by default everything that is released.
    weighted : bool
        Count records by their survey weight.

    Notes
    -----
    ``100 · mean_j (values of j that are there before and missing after) / (values of j that are there before)``. An
    attribute without any value counts 0. O(records × attributes).

    References
    ----------
    Willenborg and de Waal (2001), Elements of Statistical Disclosure Control.

    Examples
    --------
    >>> import polars as pl
    >>> a, b = pl.DataFrame({"x": [0.5, 1.5, None, 3.5, 4.5]}), pl.DataFrame({"x": [0.5, 1.5, None, None, 4.5]})
    >>> SuppressionShare().measure(a, b).value  # one of four
    25.0
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Values suppressed"
    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal", "sequence"})
    need: ClassVar[Need] = Need.RECORD
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean_j suppressed / present"
    reference: ClassVar[str] = "Willenborg and de Waal 2001"
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    weighted: bool = parameter(Flag(), default=False)

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:  # noqa: ARG002
        return names  # a value is there or not, whatever the scale

    def question(self, scope: PairScope) -> Suppressions:
        return Suppressions(scope.names, weight_asked(type(self).__name__, scope, self.weighted))

    def conclude(self, statistics: SuppressedCells, scope: PairScope) -> Measurement:
        sums = zip(scope.names, statistics.gone, statistics.present, strict=True)
        per_attribute = {name: float(100.0 * lost / total) if total > 0 else 0.0 for name, lost, total in sums}
        cells = int(statistics.cells.sum())
        value = float(np.mean(list(per_attribute.values())))
        values = "1 value is" if cells == 1 else f"{cells} values are"
        sentence = (
            f"{values} suppressed ({value:.2f} % on average), most in {most_of(per_attribute)}."
            if cells
            else "No value is suppressed."
        )
        return self.result(value, sentence, per_attribute, {"suppressed": cells})
