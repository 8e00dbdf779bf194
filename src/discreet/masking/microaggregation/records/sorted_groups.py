"""Fixed-size microaggregation along one attribute: sort, then groups of k neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.masker import MaskingJob
from discreet.errors import ParameterError
from discreet.masking.microaggregation.records.group_operators import is_missing
from discreet.masking.microaggregation.records.record_groups import OperatorMicroaggregation, Records
from discreet.operators.operator import Operator
from discreet.parameters import Optional, Text
from discreet.parameters.declaration import parameter
from discreet.typing import IntArray, Json

__all__ = ["SortedGroups"]


@register("sorted-groups")
class SortedGroups(OperatorMicroaggregation):
    """Groups of `k` records that are neighbours along one attribute; all masked attributes released as aggregates.

    Keeps the attribute that is sorted by well, and the others as far as they go with it. Every released combination of
    the masked attributes is shared by at least `k` records.

    Parameters
    ----------
    k : int
        The smallest group.
    by : str, optional
        The attribute to sort by, numeric or ordinal and masked; by default the first such attribute.
    operators : dict of str to Operator or str, or str, optional
        Operators by attribute or by scale. By default the mean of numbers, the mean of interval centres on ordered
        scales that have intervals, what `prototype` says on others, and the mode of unordered categories.
    prototype, alpha, convex, beta, semantics, missing, weighted, decimals, strata, random_state
        As for `KModes`.
    attributes : list of str, optional
        What to mask; by default every key that is no sequence.

    Notes
    -----
    Equal values are sorted in the order of the records, missing ones last. All groups have `k` records but the last,
    which has at most 2k − 1. O(n log n).

    References
    ----------
    Domingo-Ferrer and Torra (2002), Aggregation techniques for statistical confidentiality, Table 3.

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [54.0, 10.0, 12.0, 50.0, 52.0, 11.0]})
    >>> SortedGroups(k=3).fit_transform(wages)["wage"].to_list()
    [52.0, 11.0, 11.0, 52.0, 52.0, 11.0]
    """

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    by: str | None = parameter(Optional(Text("the name of an attribute")), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(3), cls(4, by="grade", prototype="mode")]

    def _partition(
        self,
        records: Records,  # noqa: ARG002 - a sort needs no distances
        operators: Mapping[str, Operator],  # noqa: ARG002
        job: MaskingJob,
        names: tuple[str, ...],
    ) -> tuple[IntArray, Json]:
        ordered = job.schema.of_scale("numeric", "ordinal", among=names)
        by = self.by if self.by is not None else next(iter(ordered), None)
        if by not in ordered:
            raise ParameterError(
                f"SortedGroups: by must be a masked attribute with an order; {len(ordered)} of {len(names)} have one."
            )
        values = job.microdata.encoded(by)
        order = np.lexsort((values, is_missing(values)))
        n = order.size
        labels = np.empty(n, dtype=np.int64)
        labels[order] = np.minimum(np.arange(n) // self.k, max(n // self.k, 1) - 1)
        return labels, {"by": by}
