"""What query logs are made of: how many people have each term and each query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np

from discreet.data.block import Block
from discreet.data.scales.query_log import OTHER, QueryLog, queries_of
from discreet.data.scales.sequence import EncodedSequences
from discreet.data.schema import Schema
from discreet.statistics.question import OfBothFiles
from discreet.typing import FloatArray

__all__ = ["AskedTerms", "TermCounts"]

_Counts = dict[str, tuple[Counter[str], Counter[str]]]


@dataclass(frozen=True, repr=False)
class AskedTerms:
    """By attribute, over the records that have a log in both files: before, after, what the people with each weigh.

    Attributes
    ----------
    people : dict of str to float
        What all of them weigh.
    records : dict of str to Counter
        By term, how many people of the original have it, whatever they weigh.
    terms, queries : dict of str to pair of Counter
    """

    people: dict[str, float]
    records: dict[str, Counter[str]]
    terms: _Counts
    queries: _Counts

    def merge(self, later: AskedTerms, /) -> AskedTerms:
        terms, queries = (
            {name: (one[0] + theirs[name][0], one[1] + theirs[name][1]) for name, one in mine.items()}
            for mine, theirs in ((self.terms, later.terms), (self.queries, later.queries))
        )
        return AskedTerms(
            {name: people + later.people[name] for name, people in self.people.items()},
            {name: counts + later.records[name] for name, counts in self.records.items()},
            terms,
            queries,
        )


@dataclass(frozen=True)
class TermCounts(OfBothFiles):
    """Ask how many people have each term and each query; three measures conclude from it.

    Parameters
    ----------
    names : tuple of str
    scales : tuple of pair of QueryLog
        Of each attribute, the scale of the original and of the release.
    weight : str, optional
        The survey weight, a column of the original.
    """

    names: tuple[str, ...]
    scales: tuple[tuple[QueryLog, QueryLog], ...]
    weight: str | None = None

    @classmethod
    def asked(cls, names: tuple[str, ...], schemas: tuple[Schema, Schema], weight: str | None) -> TermCounts:
        """Ask of two files with these declarations."""
        scales = tuple((schemas[0][name].scale, schemas[1][name].scale) for name in names)
        return cls(names, cast("tuple[tuple[QueryLog, QueryLog], ...]", scales), weight)

    def summarise(self, block: Block, /) -> AskedTerms:
        held = None if self.weight is None else block.original.weights()
        weights: FloatArray = np.ones(len(block)) if held is None else held
        asked = AskedTerms({}, {}, {}, {})
        for name, scales in zip(self.names, self.scales, strict=True):
            sides = (block.original.encoded(name), block.release.encoded(name))
            there = np.flatnonzero(~(sides[0].missing | sides[1].missing))
            counted = weights[there]
            logs = [_queries(side.take(there), scale) for side, scale in zip(sides, scales, strict=True)]
            words = [[{term for query in one for term in query.split()} for one in log] for log in logs]
            asked.people[name] = float(counted.sum())
            asked.records[name] = _people(words[0], np.ones(there.size))
            asked.terms[name] = (_people(words[0], counted), _people(words[1], counted))
            asked.queries[name] = (_people(logs[0], counted), _people(logs[1], counted))
        return asked


def _queries(log: EncodedSequences, scale: QueryLog) -> list[set[str]]:
    """Return the different queries of every record, without what is not told."""
    owner, query = queries_of(log)
    result: list[set[str]] = [set() for _ in range(len(log))]
    terms = query >= 0
    ends = np.cumsum(np.bincount(query[terms])) if terms.any() else np.empty(0, dtype=np.int64)
    parts = np.split(log.codes[terms], ends[:-1]) if ends.size else []
    for record, one in zip(owner.tolist(), parts, strict=True):
        if (one > OTHER).all():
            result[record].add(" ".join(str(scale.alphabet[code]) for code in one))
    return result


def _people(holdings: Iterable[set[str]], weights: FloatArray) -> Counter[str]:
    counts: Counter[str] = Counter()
    for held, weight in zip(holdings, weights.tolist(), strict=True):
        for one in held:
            counts[one] += weight
    return counts
