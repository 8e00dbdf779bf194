"""KSHC: k-sized hierarchical clustering of sequences."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.kernels.sequences.kshc import AVERAGE, COMPLETE, MEDIAN, SINGLE, kshc
from discreet.masking.microaggregation.sequences.sequence_groups import Items, SequenceMicroaggregation, join_leftovers
from discreet.parameters import Choice, Integer
from discreet.parameters.declaration import parameter
from discreet.typing import IntArray

__all__ = ["KSHC"]

_LINKAGES = {"single": SINGLE, "complete": COMPLETE, "average": AVERAGE, "median": MEDIAN}


@register("kshc")
class KSHC(SequenceMicroaggregation):
    """Closest sequences merged until every group has `k` records, each group released as its prototype.

    What a group keeps is decided by the distance and its quantifier: the events that were done (small α), the paths
    that were followed (large α), or both. Every released sequence is shared by at least `k` records.

    Parameters
    ----------
    k : int
        The smallest group.
    attributes : list of str, optional
        What to mask; by default every key that is a sequence. Several count alike and are released together.
    distance : str or Dissimilarity
        How far apart two sequences are; ``discreet.data.scales.dissimilarities`` holds them, and ``"own"`` is the one
        of the scale: ``"oss-owa"`` for events, ``"jaccard"`` for sets of items.
    quantifier : str or Quantifier, optional
        The policy of ``"oss-owa"``, such as ``"power:2"``; None is the plain mean of event distances.
    linkage : {"single", "complete", "average", "median"}
        How far apart two clusters are, while merging: their closest or farthest members, the mean over all pairs, or
        the middle of the two that merged (half of either distance, less a quarter of theirs; Lance and Williams).
    prototype : str or SequenceOperator
        What a group is released as: ``"oesp"``, ``"medoid"``, ``"majority"``, or an operator; ``"own"`` is that of the
        scale.
    block_size : int
        The most distinct sequences that are clustered together; a larger file is cut into blocks of similar ones.

    Notes
    -----
    A cluster that reaches `k` records leaves. What is left over at the end joins the nearest closed cluster with fewer
    than 2k − 1 records, by single linkage, the closest first; ties go to the lowest position, and to the cluster formed
    first. Equal sequences stay together, so a group may be larger. Time O(n · block_size), memory
    O(n + workers · block_size²), 8 bytes a pair of a block. Missing sequences are refused; an empty one is a sequence.

    References
    ----------
    Valls and Gómez-Alonso (2009), The k-sized hierarchical clustering method; Valls, Nin and Torra (P3).

    Examples
    --------
    >>> import polars as pl
    >>> from discreet import Attribute, Schema
    >>> import discreet as dc
    >>> trips = pl.DataFrame({"visits": ["a b c", "a b d", "x y", "x y z", "x y z"]})
    >>> schema = Schema([Attribute("visits", dc.Sequence("abcdxyz"), "key")])
    >>> KSHC(k=2).fit_transform(trips, schema=schema)["visits"].to_list()
    ['a b c', 'a b c', 'x y z', 'x y z', 'x y z']
    """

    linkage: Literal["single", "complete", "average", "median"] = parameter(Choice(tuple(_LINKAGES)), default="average")
    block_size: int | None = parameter(Integer(4), default=2000)

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(4, quantifier="power:2", linkage="single", prototype="medoid", block_size=16),
            cls(2, distance="lcs", linkage="complete", prototype="majority"),
        ]

    def _partition(self, items: Items) -> IntArray:
        comparison = items.compare()
        labels = np.empty(items.counts.size, dtype=np.int64)
        kshc(comparison.matrix(), items.counts, self.k, _LINKAGES[self.linkage], labels)
        leftovers = np.flatnonzero(labels < 0)
        if leftovers.size:
            join_leftovers(comparison.rows(leftovers), leftovers, labels, items.counts, 2 * self.k - 1)
        return labels
