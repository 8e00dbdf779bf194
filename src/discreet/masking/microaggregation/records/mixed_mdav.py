"""MDAV for mixed records."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar, Self

from discreet.contracts.estimator import register
from discreet.contracts.masker import MaskingJob
from discreet.kernels.groups.mixed_groups import mixed_mdav
from discreet.masking.microaggregation.records.record_groups import IMPORTANCE, OperatorMicroaggregation, Records
from discreet.masking.microaggregation.records.taxonomy import Taxonomies, TaxonomyKind
from discreet.masking.recoding.hierarchy import HierarchyByName
from discreet.operators.operator import Operator
from discreet.parameters import Choice, Optional
from discreet.parameters.declaration import parameter
from discreet.progress import report
from discreet.typing import IntArray, Json

__all__ = ["MixedMDAV"]


@register("mixed-mdav")
class MixedMDAV(OperatorMicroaggregation):
    """Groups of `k` records around the records farthest from all others, on numbers and categories together.

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
    taxonomies : dict of str to Hierarchy or path, optional
        Of unordered attributes: levels are then as far apart as their meaning, and not alike or different alone. A
        group is released as the level of it that is nearest to all (`LeastDistance`).
    taxonomy_distance : {"wu-palmer", "log"}
        By the depth of the nearest common name, or by the share of names that two levels do not have in common; the
        two levels of an attribute that are farthest apart are at distance 1.
    prototype, alpha, convex, beta, semantics, missing, weighted, decimals, strata, random_state
        As for `KModes`.
    attributes : list of str, optional
        What to mask; by default every key that is no sequence.

    Notes
    -----
    MDAV with a record's mean distance from all records left in the place of its distance from their centroid, so that
    no average of categories is needed to form groups; Gower's distance, as in `KPrototypes`. All groups have `k`
    records but the last, which has at most 2k − 1. Ties go to the record with the lowest position. Far below n² / k in
    time where records are alike in groups, n² / k in the worst case; memory is linear.

    References
    ----------
    Domingo-Ferrer and Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation;
    Gower (1971), A general coefficient of similarity; Domingo-Ferrer, Sánchez and Rufian-Torrell (2013), Anonymization
    of nominal data based on semantic marginality.

    Examples
    --------
    >>> import polars as pl
    >>> wages = pl.DataFrame({"wage": [10.0, 11.0, 12.0, 50.0, 52.0, 54.0]})
    >>> MixedMDAV(k=3).fit_transform(wages)["wage"].to_list()
    [11.0, 11.0, 11.0, 52.0, 52.0, 52.0]
    """

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})

    importance: Mapping[str, float] | None = parameter(IMPORTANCE, default=None)
    taxonomies: Taxonomies | None = parameter(Optional(HierarchyByName()), default=None)
    taxonomy_distance: TaxonomyKind = parameter(Choice(("wu-palmer", "log")), default="wu-palmer")

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(3), cls(5, importance={"fuel": 2.0}, prototype="mode")]

    def _partition(
        self,
        records: Records,
        operators: Mapping[str, Operator],  # noqa: ARG002 - groups are formed without any average
        job: MaskingJob,
        names: tuple[str, ...],
    ) -> tuple[IntArray, Json]:
        told = partial(report, f"{self.name} on {', '.join(names)}")
        told(0, len(job.microdata))
        labels = mixed_mdav(records.codes, records.numbers, *records.geometry, self.k, told)
        told(len(job.microdata), len(job.microdata))
        return labels, {}
