"""How many values are no longer there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from discreet.base import Measure, Pair, register
from discreet.measures.columns import most_of, record_weights
from discreet.parameters import Constraint, Flag, Names, Optional
from discreet.results import Measurement
from discreet.schema import Schema

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
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · mean_j suppressed / present"
    reference: ClassVar[str] = "Willenborg and de Waal 2001"
    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names()), "weighted": Flag()}

    def __init__(self, *, attributes: Sequence[str] | None = None, weighted: bool = False) -> None:
        self.attributes = attributes
        self.weighted = weighted

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:  # noqa: ARG002
        return names  # a value is there or not, whatever the scale

    def _measure(self, pair: Pair) -> Measurement:
        weights = record_weights(type(self).__name__, pair, self.weighted)
        per_attribute, cells = {}, 0
        for name in pair.names:
            there = ~pair.original.missing(name)
            gone = there & pair.masked.missing(name)
            total = weights[there].sum()
            per_attribute[name] = float(100.0 * weights[gone].sum() / total) if total > 0 else 0.0
            cells += int(gone.sum())
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"{cells} values are suppressed ({value:.2f} % on average), most in {most_of(per_attribute)}."
            if cells
            else "No value is suppressed."
        )
        return self.result(value, sentence, per_attribute, {"suppressed": cells})
