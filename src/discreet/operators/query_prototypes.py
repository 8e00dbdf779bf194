"""Prototypes of query logs: many logs become one, of what the group shares."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.data.scales.query_log import BREAK, OTHER, queries_of, terms_of
from discreet.data.scales.sequence import EncodedSequences
from discreet.operators.prototypes import SequenceOperator, register_sequence_operator
from discreet.progress import track
from discreet.typing import IntArray

__all__ = ["SharedTerms"]

_FEW = 3


@register_sequence_operator("shared-terms")
@dataclass(frozen=True)
class SharedTerms(SequenceOperator):
    """The queries, and beside them the single terms, that more than half of a group asked for.

    What few asked for is never released, however often they did: it is what names people. A query that is not told is
    ``*``.

    Notes
    -----
    A query or a term is released where more than half of the group's records have it, and at least three where there
    are three, and where as many records of the whole file have it as the smallest group has: at least `k`. Terms that
    no released query holds are queries of their own. Where nothing is shared, the commonest term of the group that so
    many have in the file; where there is none, ``*`` alone. The commonest come first, ties in the order of the
    alphabet; when somebody asked is lost. O(terms · log terms).

    References
    ----------
    Barbaro and Zeller (2006), A face is exposed for AOL searcher no. 4417749; Navarro-Arribas, Torra, Erola and
    Castellà-Roca (2012), User k-anonymity for privacy preserving data mining of query logs.

    Examples
    --------
    >>> SharedTerms()([[2, 3, 0, 4], [2, 3], [2, 3, 0, 5]])  # the query 2 3, which all asked
    [2, 3]
    """

    contents: ClassVar[frozenset[str]] = frozenset({"queries"})

    def _prototypes(self, sequences: EncodedSequences, weights: IntArray, groups: IntArray) -> EncodedSequences:
        members = np.add.reduceat(weights, groups[:-1])
        needed = np.minimum(members, np.maximum(members // 2 + 1, _FEW))
        common = _Supported(sequences, weights, int(members.min()))
        logs = [
            common.shared(groups[g], groups[g + 1], int(needed[g]))
            for g in track(range(groups.size - 1), "shared terms", groups.size - 1)
        ]
        empty = np.maximum.reduceat(sequences.lengths, groups[:-1]) == 0
        return EncodedSequences.of([[] if nothing else log for log, nothing in zip(logs, empty, strict=True)])


class _Supported:
    """The queries and terms of logs, and how many records of the whole file have each."""

    def __init__(self, sequences: EncodedSequences, weights: IntArray, least: int) -> None:
        owner, query = queries_of(sequences)
        ends = np.cumsum(np.bincount(query[query >= 0])) if (query >= 0).any() else np.empty(0, dtype=np.int64)
        codes = np.split(sequences.codes[query >= 0], ends[:-1]) if ends.size else []
        self._queries: list[set[tuple[int, ...]]] = [set() for _ in range(len(sequences))]
        for record, one in zip(owner.tolist(), codes, strict=True):
            if (one > OTHER).all():
                self._queries[record].add(tuple(one.tolist()))
        terms = terms_of(sequences)
        parts = np.split(terms.codes, terms.offsets[1:-1])
        self._terms = [set(one.tolist()) for one in parts]
        self._weights = weights.tolist()
        everyone = range(len(sequences))
        self._known_queries = {one for one, count in self._count(self._queries, everyone).items() if count >= least}
        self._known_terms = {one for one, count in self._count(self._terms, everyone).items() if count >= least}

    def _count(self, holdings: list[set], records: range) -> Counter:  # type: ignore[type-arg]
        counts: Counter = Counter()  # type: ignore[type-arg]
        for record in records:
            for one in holdings[record]:
                counts[one] += self._weights[record]
        return counts

    def shared(self, start: int, stop: int, needed: int) -> list[int]:
        """Return the log of what the records of a group share."""
        records = range(int(start), int(stop))
        queries = self._count(self._queries, records)
        terms = self._count(self._terms, records)
        group_queries = {one: n for one, n in queries.items() if n >= needed and one in self._known_queries}
        inside = {term for query in group_queries for term in query}
        alone = {(t,): n for t, n in terms.items() if n >= needed and t in self._known_terms and t not in inside}
        told = group_queries | alone
        if not told:
            common = [(-n, t) for t, n in terms.items() if t in self._known_terms]
            told = {(min(common)[1],): 1} if common else {(OTHER,): 1}
        log: list[int] = []
        for query in sorted(told, key=lambda one: (-told[one], one)):
            log += [BREAK, *query] if log else query
        return log
