"""MDAV for sequences: medoids instead of means."""

from __future__ import annotations

from typing import Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.data.scales.dissimilarities import Comparison, MeanComparison
from discreet.masking.microaggregation.sequences.sequence_groups import Items, SequenceMicroaggregation, join_leftovers
from discreet.typing import FloatArray, IntArray

__all__ = ["SequenceMDAV"]

_ROWS = 256
"""Rows of dissimilarities that are held at a time."""


@register("sequence-mdav")
class SequenceMDAV(SequenceMicroaggregation):
    """Groups of `k` records around the sequences farthest from the medoid, each released as its prototype.

    Needs nothing but a dissimilarity. Compact groups at the edge first, so that odd sequences are not left to the end;
    every released sequence is shared by at least `k` records.

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
    prototype : str or SequenceOperator
        What a group is released as: ``"oesp"``, ``"medoid"``, ``"majority"``, or an operator; ``"own"`` is that of the
        scale.
    block_size : int, optional
        The most distinct sequences that are treated together; a larger file is cut into blocks of similar ones. By
        default 10,000, and 2,500 trajectories, of which a pair takes longer.

    Notes
    -----
    The medoid of what is left (the least sum of dissimilarities, weighted by records) is exact at every step: its sums
    are kept as whole numbers of 2⁻⁴⁰ and what leaves is taken off them. Groups start in turn from the sequence farthest
    from the medoid and from the one farthest from that; each takes its nearest until it has `k` records. A sequence of
    `k` or more records is a group of its own. Fewer than 2k records left are the last group; fewer than `k` join the
    groups of their nearest. Ties go to the lowest position. Time O(n · block_size), memory O(n). Missing sequences are
    refused; an empty sequence is a sequence.

    References
    ----------
    Domingo-Ferrer and Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation;
    Abril, Navarro-Arribas and Torra (2010) on medoids in place of means.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet import Attribute, Schema
    >>> import discreet as dc
    >>> trips = pl.DataFrame({"visits": ["a b c", "a b d", "x y", "x y z"]})
    >>> schema = Schema([Attribute("visits", dc.Sequence("abcdxyz"), "key")])
    >>> SequenceMDAV(k=2, prototype="medoid").fit_transform(trips, schema=schema)["visits"].to_list()
    ['a b c', 'a b c', 'x y', 'x y']
    """

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(4, quantifier="sigmoid:0.5", prototype="medoid", block_size=16), cls(2, distance="hamming")]

    def _partition(self, items: Items) -> IntArray:
        comparison, counts = items.compare(), items.counts
        labels = np.full(counts.size, -1, dtype=np.int64)
        frequent = np.flatnonzero(counts >= self.k)
        labels[frequent] = np.arange(frequent.size)
        ungrouped = np.flatnonzero(labels < 0)
        sums = _weighted_sums(comparison, ungrouped, counts)
        group, seed = frequent.size, -1
        while counts[ungrouped].sum() >= 2 * self.k:
            if seed < 0:
                medoid = ungrouped[int(sums[ungrouped].argmin())]
                seed = int(ungrouped[int(comparison.rows([medoid], ungrouped)[0].argmax())])
                away = comparison.rows([seed], ungrouped)[0]
                next_seed_from: FloatArray | None = away
            else:
                away, next_seed_from = comparison.rows([seed], ungrouped)[0], None
            order = np.argsort(away, kind="stable")
            # The seed itself comes first, whoever else is at distance 0.
            order = np.concatenate([[int(np.searchsorted(ungrouped, seed))], order[ungrouped[order] != seed]])
            members = order[: int(np.searchsorted(np.cumsum(counts[ungrouped[order]]), self.k)) + 1]
            labels[ungrouped[members]] = group
            group += 1
            rest = np.ones(ungrouped.size, dtype=np.bool_)
            rest[members] = False
            sums[ungrouped[rest]] -= _whole(away[rest]) * counts[seed]
            others = ungrouped[members[1:]]
            sums[ungrouped[rest]] -= _whole(comparison.rows(others, ungrouped[rest])).T @ counts[others]
            seed = -1
            if next_seed_from is not None and rest.any():
                seed = int(ungrouped[rest][int(next_seed_from[rest].argmax())])
            ungrouped = ungrouped[rest]
        if counts[ungrouped].sum() >= self.k or not group:
            labels[ungrouped] = group
        elif ungrouped.size:
            join_leftovers(comparison.rows(ungrouped), ungrouped, labels, counts, None)
        return labels


def _whole(distances: FloatArray) -> IntArray:
    return np.rint(distances * 2.0**40).astype(np.int64)


def _weighted_sums(comparison: Comparison | MeanComparison, items: IntArray, counts: IntArray) -> IntArray:
    """Return for every item of `items` the sum of its dissimilarities to them all, weighted by their records."""
    sums = np.zeros(counts.size, dtype=np.int64)
    for start in range(0, items.size, _ROWS):
        chunk, later = items[start : start + _ROWS], items[start + _ROWS :]
        others = items[start:] if comparison.mirrored else items
        far = _whole(comparison.rows(chunk, others))
        sums[chunk] += far @ counts[others]
        if comparison.mirrored:
            sums[later] += far[:, chunk.size :].T @ counts[chunk]
    return sums
