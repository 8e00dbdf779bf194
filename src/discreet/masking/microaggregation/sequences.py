"""What every microaggregation of sequences shares: distinct sequences, blocks, groups of k records, prototypes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.base import Masker, Masking, MaskingJob
from discreet.errors import ParameterError
from discreet.operators.quantifiers import Quantifier
from discreet.operators.sequence_reading import (
    DISTANCE,
    PROTOTYPE,
    QUANTIFIER,
    as_dissimilarity,
    as_sequence_operator,
)
from discreet.operators.sequences import SequenceOperator
from discreet.parameters import Constraint, Integer, Names, Optional
from discreet.progress import report
from discreet.scales import EncodedSequences
from discreet.scales.dissimilarities import Comparison, Dissimilarity, MeanComparison, compare_all
from discreet.scales.sequence import distinct
from discreet.typing import FloatArray, IntArray

__all__ = ["Items", "SequenceMicroaggregation", "join_leftovers", "split_into_blocks"]


@dataclass(frozen=True)
class Items:
    """Distinct sequences (on one or several attributes) and how many records each stands for."""

    columns: list[EncodedSequences]
    counts: IntArray
    distance: Dissimilarity

    def compare(self) -> Comparison | MeanComparison:
        """Prepare the comparison of every two."""
        return compare_all(self.distance, self.columns)

    def take(self, which: IntArray) -> Items:
        """Return these items only."""
        return Items([column.take(which) for column in self.columns], self.counts[which], self.distance)


class SequenceMicroaggregation(Masker):
    """Groups of at least `k` records with similar sequences, each released as its group's prototype.

    Equal sequences stay together: groups are formed of distinct sequences, each standing for its records, so that a
    sequence of `k` or more records is released as it is. Subclasses write ``_partition`` for one block.
    """

    scales: ClassVar[frozenset[str]] = frozenset({"sequence"})
    groups: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Constraint]] = {
        "k": Integer(2),
        "attributes": Optional(Names()),
        "distance": DISTANCE,
        "quantifier": QUANTIFIER,
        "prototype": PROTOTYPE,
        "block_size": Integer(4),
    }

    k: int
    distance: str | Dissimilarity
    quantifier: str | Quantifier | None
    prototype: str | SequenceOperator
    block_size: int

    @abstractmethod
    def _partition(self, items: Items) -> IntArray:
        """Return the group of every item of a block: labels 0 … g − 1, none with fewer than `k` records."""

    def _mask(self, job: MaskingJob) -> Masking:
        owner = type(self).__name__
        if self.block_size < 2 * self.k:
            raise ParameterError(f"{owner}: block_size must be at least 2k = {2 * self.k}; got {self.block_size}.")
        distance = as_dissimilarity(owner, self.distance, self.quantifier)
        operator = as_sequence_operator(self.prototype, distance)
        columns = [job.microdata.encoded(name) for name in job.names]
        classes, first, counts = distinct(columns)
        items = Items([column.take(first) for column in columns], counts, distance)
        blocks = split_into_blocks(items, self.block_size)
        groups = self._groups(items, blocks, job)
        released = [operator.by_label(column, groups, counts) for column in items.columns]
        far = compare_all(distance, items.columns, released).pairs(np.arange(groups.size), groups)
        squares = float((counts * far**2).sum())
        return Masking(
            {name: column.take(groups[classes]) for name, column in zip(job.names, released, strict=True)},
            labels=groups[classes],
            details={
                "distinct_sequences": int(counts.size),
                "blocks": len(blocks),
                "distance": repr(distance),
                "prototype": repr(operator),
                "sse": squares,
                "mean_squared_dissimilarity": squares / len(job.microdata),
            },
        )

    def _groups(self, items: Items, blocks: list[IntArray], job: MaskingJob) -> IntArray:
        """Return the group of every item, numbered by first appearance."""
        done = [0]

        def work(block: IntArray) -> IntArray:
            labels = self._partition(items.take(block))
            done[0] += 1
            report("grouping", done[0], len(blocks))
            return labels

        report("grouping", 0, len(blocks))
        groups = np.empty(items.counts.size, dtype=np.int64)
        used = 0
        for block, labels in zip(blocks, job.engine.map(work, blocks), strict=True):
            groups[block] = labels + used
            used += int(labels.max()) + 1
        _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
        rank = np.empty(first.size, dtype=np.int64)
        rank[np.argsort(first)] = np.arange(first.size)
        return rank[inverse]


def split_into_blocks(items: Items, block_size: int) -> list[IntArray]:
    """Cut the items into blocks of at most `block_size`, similar ones together.

    A block that is too large is halved by the difference of the dissimilarities to two of its items that are far apart:
    the one farthest from its first item, and the one farthest from that. O(n · log(n / block_size)) comparisons,
    memory O(n). Blocks are returned in the order of their first items, and items in theirs.
    """
    n = items.counts.size
    everyone = np.arange(n, dtype=np.int64)
    if n <= block_size:
        return [everyone]
    comparison = items.compare()
    waiting, blocks = [everyone], []
    while waiting:
        block = waiting.pop()
        if block.size <= block_size:
            blocks.append(block)
            continue
        start = comparison.rows(block[:1], block)[0]
        one = comparison.rows(block[[int(start.argmax())]], block)[0]
        other = comparison.rows(block[[int(one.argmax())]], block)[0]
        order = np.argsort(one - other, kind="stable")
        half = block.size // 2
        waiting += [np.sort(block[order[:half]]), np.sort(block[order[half:]])]
    return sorted(blocks, key=lambda block: int(block[0]))


def join_leftovers(
    distances: FloatArray, leftovers: IntArray, labels: IntArray, counts: IntArray, most: int | None
) -> None:
    """Put leftovers into the groups of their nearest items (single linkage), the closest pair first.

    Parameters
    ----------
    distances : (leftovers, n) float64
    labels : (n,) int64
        Changed in place; −1 for a leftover.
    most : int, optional
        A group with this many records or more takes no other, unless every group is so.
    """
    sizes = np.bincount(labels[labels >= 0], weights=counts[labels >= 0])
    best = np.full((leftovers.size, sizes.size), np.inf)
    settled = np.flatnonzero(labels >= 0)
    for row in range(leftovers.size):
        np.minimum.at(best[row], labels[settled], distances[row, settled])
    for _ in range(leftovers.size):
        allowed = best.copy()
        full = sizes >= most if most is not None else np.zeros(sizes.size, dtype=np.bool_)
        if not full.all():
            allowed[:, full] = np.inf
        row, group = divmod(int(allowed.argmin()), sizes.size)
        labels[leftovers[row]] = group
        sizes[group] += counts[leftovers[row]]
        best[row] = np.inf
