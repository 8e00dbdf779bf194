"""Microaggregation of mixed records: numbers, ordered and unordered categories in one group."""

from __future__ import annotations

from typing import ClassVar, Self

from discreet.contracts.estimator import register
from discreet.masking.microaggregation.records.kmodes import PrototypeClustering
from discreet.masking.microaggregation.records.record_groups import OperatorMicroaggregation

__all__ = ["KPrototypes"]


@register("kprototypes")
class KPrototypes(PrototypeClustering, OperatorMicroaggregation):
    """Groups of at least `k` similar records on numbers and categories together, released as their prototypes.

    Keeps means of numbers and frequent categories; shrinks variances and destroys rare combinations. Every released
    combination of the masked attributes is shared by at least `k` records.

    Parameters
    ----------
    k : int
        The smallest group.
    importance : dict of str to float, optional
        The weight of an attribute in the distance; 1 where none is given.
    operators : dict of str to Operator or str, or str, optional
        Operators by attribute or by scale. By default the mean of numbers, the mode of unordered categories, and what
        `prototype` says of ordered ones.
    max_iter, start, restarts
        As for `KModes`.
    prototype, alpha, convex, beta, semantics, missing, weighted, decimals, strata, random_state
        As for `KModes`.
    attributes : list of str, optional
        What to mask; by default every key that is no sequence.

    Notes
    -----
    Gower's distance: the difference of numbers over their range, 0 or 1 for unordered categories, the difference of
    positions over the number of levels for ordered ones (with intervals, the squared difference of their centres over
    the largest); each times its importance. Otherwise as `KModes`, of which this is the mixed form. O(n² / k) a round
    where all records differ, cut short by the nearest so far; memory is linear.

    References
    ----------
    Gower (1971), A general coefficient of similarity; Huang (1998), Extensions to the k-means algorithm for clustering
    large data sets with categorical values; Torra (2004).

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [10.0, 11.0, 12.0, 50.0, 52.0, 54.0]})
    >>> KPrototypes(k=3).fit_transform(wages)["wage"].to_list()
    [11.0, 11.0, 11.0, 52.0, 52.0, 52.0]
    """

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(3), cls(4, start="random", prototype="mode", weighted=False)]
