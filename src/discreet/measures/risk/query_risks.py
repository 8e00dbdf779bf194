"""Risks of query logs: terms that few people asked for, and intruders who know some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.scales.query_log import terms_of
from discreet.measures.risk.sequence_knowledge import KnownEvents, PieceAttack
from discreet.measures.sequence_pairs import SequencePair
from discreet.parameters import Flag, Integer, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need
from discreet.statistics.term_counts import AskedTerms, TermCounts
from discreet.typing import FloatArray

__all__ = ["KnownTerms", "RareTerms"]


@register("known-terms")
class KnownTerms(KnownEvents):
    """Share of records that a few known terms single out in the release, in percent.

    An intruder knows some words that a person searched for, and looks for released logs that hold them. A record counts
    if there is a set of so many of its own terms that exactly one released record holds, and that record is its own.

    Parameters
    ----------
    attributes : list of str, optional
        What the intruder has glimpses of; by default every key that is a query log. The largest share counts.
    known : int
        How many terms the intruder knows; of a log with fewer, all of them.
    ordered : bool
        Whether terms are told in the order of the alphabet; it changes nothing.
    draws : int
        How many sets of terms are tried for each log: all of them where there are no more, a sample otherwise.
    random_state : int
        Where the samples come from. A log's sample depends on the log and this number alone.

    Notes
    -----
    As for ``sequence-knowledge``, of the different terms of a log. Records with a missing log are left out.

    References
    ----------
    Barbaro and Zeller (2006), A face is exposed for AOL searcher no. 4417749; De Montjoye et al. (2013), Unique in the
    crowd.

    Examples
    --------
    >>> import polars as pl
    >>> import discreet as dc
    >>> schema = dc.Schema([dc.Attribute("asked", dc.QueryLog(["rome", "rain", "lilburn"]), "key")])
    >>> a = pl.DataFrame({"asked": ["rome | rain", "rain rome", "lilburn | rome"]})
    >>> round(KnownTerms(known=1).measure(a, a, schema).value, 1)  # lilburn
    33.3
    """

    title: ClassVar[str] = "Singled out by a few known terms"
    scales: ClassVar[frozenset[str]] = frozenset({"queries"})
    formula: ClassVar[str] = "100 · records with known terms that only they hold / n"
    reference: ClassVar[str] = "Barbaro and Zeller 2006; De Montjoye et al. 2013"
    pieces: ClassVar[str] = "terms"
    ordered: bool = parameter(Flag(), default=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(known=1), cls(known=2, draws=3)]

    def _attack(self, both: SequencePair, records: FloatArray) -> PieceAttack:
        return super()._attack(SequencePair(terms_of(both.before), terms_of(both.after), both.n_events), records)


@register("rare-terms")
class RareTerms(Measure):
    """Share of the released terms that fewer than so many people of the original asked for, in percent.

    A name, a street, an illness: what one person typed tells who it was, whoever else is in the file. Zero where every
    term of the release was asked for by enough people.

    Parameters
    ----------
    attributes : list of str, optional
        What to look at; by default every key that is a query log. The largest share counts.
    least : int
        The people who must have asked for a term.

    Notes
    -----
    ``100 · |{t released : people(t) < least}| / |released terms|``, people counted in the original, among the records
    that have a log in both files; 0 where no term is released. O(terms).

    References
    ----------
    Barbaro and Zeller (2006), A face is exposed for AOL searcher no. 4417749; Adar (2007), User 4XXXXX9: anonymizing
    query logs.

    Examples
    --------
    >>> import polars as pl
    >>> import discreet as dc
    >>> schema = dc.Schema([dc.Attribute("asked", dc.QueryLog(["rome", "lilburn"]), "key")])
    >>> a = pl.DataFrame({"asked": ["rome", "rome", "lilburn | rome"]})
    >>> RareTerms(least=2).measure(a, a, schema).value
    50.0
    """

    kind: ClassVar[str] = "risk"
    need: ClassVar[Need] = Need.RECORD
    title: ClassVar[str] = "Terms of few people"
    scales: ClassVar[frozenset[str]] = frozenset({"queries"})
    keys_only: ClassVar[bool] = True
    formula: ClassVar[str] = "100 · released terms of fewer than so many people / released terms"
    reference: ClassVar[str] = "Barbaro and Zeller 2006; Adar 2007"
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    least: int = parameter(Integer(2), default=3)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(least=10)]

    def question(self, scope: PairScope) -> TermCounts:
        return TermCounts.asked(scope.names, (scope.before, scope.after), None)

    def conclude(self, statistics: AskedTerms, scope: PairScope) -> Measurement:  # noqa: ARG002
        rare = {
            name: [sum(statistics.records[name][term] < self.least for term in side) for side in sides]
            for name, sides in statistics.terms.items()
        }
        shares = {
            name: 100.0 * rare[name][1] / len(after) if after else 0.0 for name, (_, after) in statistics.terms.items()
        }
        worst = max(shares, key=lambda name: shares[name])
        before, after = statistics.terms[worst]
        sentence = (
            f"Of {len(after)} released terms of {worst}, {rare[worst][1]} were asked for by fewer than {self.least} "
            f"people; before masking it was {rare[worst][0]} of {len(before)}."
        )
        details = {name: {"before": counts[0], "after": counts[1]} for name, counts in rare.items()}
        return self.result(shares[worst], sentence, shares, {"rare": details})
