"""Individual ranking: every attribute grouped by itself, optimally."""

from __future__ import annotations

from typing import Literal

from discreet.contracts.estimator import register
from discreet.kernels.groups.univariate import fixed_runs, optimal_runs
from discreet.masking.microaggregation.numbers.number_groups import NumericMicroaggregation, Points
from discreet.parameters import Choice
from discreet.parameters.declaration import parameter
from discreet.typing import IntArray

__all__ = ["IndividualRanking"]


@register("individual-ranking")
class IndividualRanking(NumericMicroaggregation):
    """Groups of at least `k` neighbouring values, attribute by attribute, with the least possible loss.

    Univariate microaggregation. Keeps every marginal distribution better than any other microaggregation; protects
    less, because only the values of one attribute are shared by `k` records, not their combinations.

    Parameters
    ----------
    k : int
        The smallest group.
    sizes : {"optimal", "fixed"}
        Groups of k to 2k − 1 records that minimise the cost (Hansen and Mukherjee), or exactly `k` in sorted order.
    cost : {"squared", "absolute"}
        What the optimal groups minimise: squares about the mean, or distances to the median. With `weighted`, survey
        weights count in it.

    Notes
    -----
    O(n log n) to sort, O(n) for the optimal groups, for any `k`. Equal values may be split between two groups; ties go
    by position. The other parameters are those of
    :class:`~discreet.masking.microaggregation.numbers.number_groups.NumericMicroaggregation`; `blocks` is always one
    attribute.

    References
    ----------
    Hansen and Mukherjee (2003); Defays and Nanopoulos (1993) for fixed sizes and individual ranking.

    Examples
    --------
    >>> import polars as pl
    >>> x = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.5, 50.0, 51.0, 52.0]})
    >>> IndividualRanking(k=3).fit_transform(x)["x"].to_list()  # four small values and three large ones
    [2.6, 2.6, 2.6, 2.6, 51.0, 51.0, 51.0]
    """

    sizes: Literal["optimal", "fixed"] = parameter(Choice(("optimal", "fixed")), default="optimal")
    cost: Literal["squared", "absolute"] = parameter(Choice(("squared", "absolute")), default="squared")

    @classmethod
    def examples(cls) -> list[IndividualRanking]:
        """Return both sizes and both costs."""
        return [
            cls(k=3),
            cls(k=4, sizes="fixed"),
            cls(k=3, cost="absolute", weighted=True, missing="fill"),
        ]

    def _partition(self, points: Points) -> IntArray:
        column = points.values[:, 0]
        if self.sizes == "fixed":
            return fixed_runs(column, self.k)
        return optimal_runs(column, self.k, points.weights, absolute=self.cost == "absolute")
