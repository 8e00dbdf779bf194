"""What every microaggregation of sequences shares: distinct sequences, blocks, groups of k records, prototypes."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.contracts.engine import Engine, InProcess
from discreet.contracts.masker import Masker, Masking, MaskingJob
from discreet.contracts.plan import Plan, Scope
from discreet.data.block import Block
from discreet.data.scales import EncodedSequences
from discreet.data.scales.dissimilarities import Comparison, Dissimilarity, MeanComparison, compare_all
from discreet.data.scales.query_log import QueryLog, terms_of
from discreet.data.scales.scale import is_text
from discreet.data.scales.sequence import distinct
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.masking.running.condensed import different
from discreet.operators.numbers.quantifiers import Quantifier
from discreet.operators.operator_text import DISTANCE, PROTOTYPE, QUANTIFIER, as_dissimilarity, as_sequence_operator
from discreet.operators.prototypes import SequenceOperator
from discreet.parameters import Integer, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.progress import report
from discreet.statistics.different import COUNT
from discreet.statistics.question import Inquiry, Need
from discreet.typing import FloatArray, IntArray, Json

__all__ = ["Items", "SequenceMicroaggregation", "join_leftovers", "split_into_blocks"]

_WORDS = re.compile(r"\w+")


@dataclass(frozen=True)
class Items:
    """Distinct sequences (on one or several attributes) and how many records each stands for."""

    columns: list[EncodedSequences]
    counts: IntArray
    distances: list[Dissimilarity]

    def compare(self) -> Comparison | MeanComparison:
        """Prepare the comparison of every two."""
        return compare_all(self.distances, self.columns)

    def take(self, which: IntArray) -> Items:
        """Return these items only."""
        return Items([column.take(which) for column in self.columns], self.counts[which], self.distances)


@dataclass(frozen=True, kw_only=True)
class _SequencePlan(Plan):
    """The prototype of every combination of sequences that occurs."""

    names: tuple[str, ...]
    places: Mapping[tuple[bytes, ...], int]
    prototypes: tuple[EncodedSequences, ...]


class SequenceMicroaggregation(Masker):
    """Groups of at least `k` records with similar sequences, each released as its group's prototype.

    Equal sequences stay together: groups are formed of distinct sequences, each standing for its records, so that a
    sequence of `k` or more records is released as it is. Subclasses write ``_partition`` for one block.
    """

    iso_20889: ClassVar[str] = "randomisation: microaggregation"
    need: ClassVar[Need] = Need.DISTINCT
    scales: ClassVar[frozenset[str]] = frozenset({"sequence"})
    groups: ClassVar[bool] = True
    k: int = parameter(Integer(2), default=3, kw_only=False)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    distance: str | Dissimilarity = parameter(DISTANCE, default="own")
    quantifier: str | Quantifier | None = parameter(QUANTIFIER, default=None)
    prototype: str | SequenceOperator = parameter(PROTOTYPE, default="own")
    block_size: int | None = parameter(Optional(Integer(4)), default=None)

    @abstractmethod
    def _partition(self, items: Items) -> IntArray:
        """Return the group of every item of a block: labels 0 … g − 1, none with fewer than `k` records."""

    def inquire(self, scope: Scope) -> Inquiry[_SequencePlan]:
        distances, operators = self._tools(scope.schema, scope.names)
        counted = yield from different(self, scope.names, None)
        columns = [
            EncodedSequences.of([None if key == b"?" else np.frombuffer(key, dtype=np.int32) for key in counted[name]])
            for name in scope.names
        ]
        counts = counted[COUNT].astype(np.int64)
        items = Items(columns, counts, distances)
        blocks = split_into_blocks(items, self._most(distances))
        groups = self._groups(items, blocks, InProcess())
        released = _joined(operators, columns, groups, counts)
        notes = _dominance(scope.names, operators, items, groups)
        elsewhere = _rare_elsewhere(scope.schema, scope.names, items, self.k)
        if elsewhere is not None:
            notes += _say_words(scope.schema, scope.names, (yield elsewhere), self.k)
        keys = zip(*(counted[name] for name in scope.names), strict=True)
        return _SequencePlan(
            names=scope.names,
            places=dict(zip(keys, groups.tolist(), strict=True)),
            prototypes=tuple(released),
            details=self._details(items, blocks, groups, released, operators),
            notes=notes,
        )

    def apply(self, plan: _SequencePlan, block: Block) -> dict[str, EncodedSequences]:
        keys = zip(*(block.original.encoded(name).keys() for name in plan.names), strict=True)
        groups = np.array([plan.places[key] for key in keys], dtype=np.int64)
        return {name: column.take(groups) for name, column in zip(plan.names, plan.prototypes, strict=True)}

    def _tools(self, schema: Schema, names: Iterable[str]) -> tuple[list[Dissimilarity], list[SequenceOperator]]:
        """Return by attribute how far apart its sequences are, and what a group of them is released as."""
        owner = type(self).__name__
        if self.block_size is not None and self.block_size < 2 * self.k:
            raise ParameterError(f"{owner}: block_size must be at least 2k = {2 * self.k}; got {self.block_size}.")
        scales = [schema[name].scale for name in names]
        distances = [as_dissimilarity(owner, self.distance, self.quantifier, scale) for scale in scales]
        pairs = zip(distances, scales, strict=True)
        return distances, [as_sequence_operator(self.prototype, distance, scale) for distance, scale in pairs]

    def _most(self, distances: list[Dissimilarity]) -> int:
        """Return how many distinct sequences are treated together at most."""
        if self.block_size is not None:
            return self.block_size
        return max(2 * self.k, min(distance.together for distance in distances))

    def _details(
        self,
        items: Items,
        blocks: list[IntArray],
        groups: IntArray,
        released: list[EncodedSequences],
        operators: list[SequenceOperator],
    ) -> Json:
        far = compare_all(items.distances, items.columns, released).pairs(np.arange(groups.size), groups)
        squares = float((items.counts * far**2).sum())
        return {
            "distinct_sequences": int(items.counts.size),
            "blocks": len(blocks),
            "distance": ", ".join(dict.fromkeys(map(repr, items.distances))),
            "prototype": ", ".join(dict.fromkeys(map(repr, operators))),
            "sse": squares,
            "mean_squared_dissimilarity": squares / int(items.counts.sum()),
        }

    def _mask_part(self, job: MaskingJob) -> Masking:
        distances, operators = self._tools(job.microdata.schema, job.names)
        columns = [job.microdata.encoded(name) for name in job.names]
        classes, first, counts = distinct(columns)
        items = Items([column.take(first) for column in columns], counts, distances)
        blocks = split_into_blocks(items, self._most(distances))
        groups = self._groups(items, blocks, job.engine)
        released = _joined(operators, items.columns, groups, counts)
        notes = _dominance(job.names, operators, items, groups)
        elsewhere = _rare_elsewhere(job.schema, job.names, items, self.k)
        if elsewhere is not None:
            words = {name: elsewhere.count(job.microdata.column(name)) for name in elsewhere.names}
            notes += _say_words(job.schema, job.names, _WordCounts(words), self.k)
        return Masking(
            {name: column.take(groups[classes]) for name, column in zip(job.names, released, strict=True)},
            labels=groups[classes],
            details=self._details(items, blocks, groups, released, operators),
            notes=notes,
        )

    def _groups(self, items: Items, blocks: list[IntArray], engine: Engine) -> IntArray:
        """Return the group of every item, numbered by first appearance."""
        finished = [0]

        def work(block: IntArray) -> IntArray:
            labels = self._partition(items.take(block))
            finished[0] += 1
            report("grouping", finished[0], len(blocks))
            return labels

        report("grouping", 0, len(blocks))
        groups = np.empty(items.counts.size, dtype=np.int64)
        offset = 0
        for block, labels in zip(blocks, engine.map(work, blocks), strict=True):
            groups[block] = labels + offset
            offset += int(labels.max()) + 1
        _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
        rank = np.empty(first.size, dtype=np.int64)
        rank[np.argsort(first)] = np.arange(first.size)
        return rank[inverse]


def _joined(
    operators: list[SequenceOperator], columns: list[EncodedSequences], groups: IntArray, counts: IntArray
) -> list[EncodedSequences]:
    """Return what each group is released as, attribute by attribute."""
    return [operator.by_label(column, groups, counts) for operator, column in zip(operators, columns, strict=True)]


def _dominance(
    names: Iterable[str], operators: list[SequenceOperator], items: Items, groups: IntArray
) -> tuple[str, ...]:
    """Say of how many means one record would have been told, by attribute."""
    counts = [
        operator.dominated(column, groups, items.counts)
        for operator, column in zip(operators, items.columns, strict=True)
    ]
    return tuple(
        f"{name}: at {count} times of groups one record has more than 80 % of the sum; the median, or a gap, stands "
        "there instead of the mean."
        for name, count in zip(names, counts, strict=True)
        if count
    )


@dataclass(frozen=True)
class _WordCounts:
    """How many records hold each of some words, column by column."""

    counts: Mapping[str, Counter[str]]

    def merge(self, later: _WordCounts, /) -> _WordCounts:
        return _WordCounts({name: count + later.counts[name] for name, count in self.counts.items()})


@dataclass(frozen=True)
class _WordsElsewhere:
    """How many records hold each of some words in columns of text."""

    names: tuple[str, ...]
    words: frozenset[str]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> _WordCounts:
        return _WordCounts({name: self.count(block.original.column(name)) for name in self.names})

    def count(self, column: Any) -> Counter[str]:
        """Count the records of a column that hold each word."""
        texts = column.to_pylist() if is_text(column) else ()
        return Counter(word for text in texts if text for word in self.words.intersection(_words(text)))


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())


def _rare_elsewhere(schema: Schema, names: Sequence[str], items: Items, k: int) -> _WordsElsewhere | None:
    """Ask other columns that are released for terms of fewer than k logs; None where there is nothing to ask."""
    rare: set[str] = set()
    for name, column in zip(names, items.columns, strict=True):
        scale = schema[name].scale
        if isinstance(scale, QueryLog):
            terms = terms_of(column)
            people = np.bincount(
                terms.codes, weights=np.repeat(items.counts, terms.lengths), minlength=len(scale.alphabet)
            )
            rare |= {str(scale.alphabet[code]) for code in np.flatnonzero((people > 0) & (people < k))}
    others = tuple(one.name for one in schema if one.name not in names and one.role != "identifier")
    return _WordsElsewhere(others, frozenset(rare)) if rare and others else None


def _say_words(schema: Schema, names: Sequence[str], counted: _WordCounts, k: int) -> tuple[str, ...]:
    """Say which other columns of text that are released hold terms of fewer than k logs, on fewer than k records."""
    logs = ", ".join(name for name in names if isinstance(schema[name].scale, QueryLog))
    counts = {name: sum(count < k for count in words.values()) for name, words in counted.counts.items()}
    return tuple(
        f"{name}: {count} words that fewer than {k} people have in {logs} stand in this column, which is released; "
        "mask it too, or leave it out."
        for name, count in counts.items()
        if count
    )


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
