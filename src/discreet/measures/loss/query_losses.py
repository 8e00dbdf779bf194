"""Losses of query logs: terms and frequent queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.errors import MissingValueError
from discreet.measures.number_pairs import weight_asked
from discreet.measures.sequence_pairs import in_percent
from discreet.parameters import Flag, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need
from discreet.statistics.term_counts import AskedTerms, TermCounts

__all__ = ["FrequentQueries", "TermFrequencies"]


class QueryLoss(Measure):
    """A loss of query logs, whichever records they belong to."""

    kind: ClassVar[str] = "loss"
    scales: ClassVar[frozenset[str]] = frozenset({"queries"})
    need: ClassVar[Need] = Need.RECORD
    sees_shuffling: ClassVar[bool] = False
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    weighted: bool = parameter(Flag(), default=False)

    def question(self, scope: PairScope) -> TermCounts:
        weight = weight_asked(type(self).__name__, scope, self.weighted)
        return TermCounts.asked(scope.names, (scope.before, scope.after), weight)

    def _check(self, asked: AskedTerms) -> None:
        for name, people in asked.people.items():
            if not people:
                owner = type(self).__name__
                raise MissingValueError(f"{owner}: column {name!r} has no record with a log in both files.")


@register("term-frequencies")
class TermFrequencies(QueryLoss):
    """Share of terms that would have to be others for their frequencies to be the original ones, in percent.

    Zero if every term makes up the same share of what people ask for as before, 100 if no released term was asked for.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every query log that is released.
    weighted : bool
        Count records by their survey weights.

    Notes
    -----
    ``100 · ½ Σ_t |p(t) − p'(t)|``, p the share of a term in all pairs of a person and a term; over attributes the mean.
    The detail has how many terms are kept. Exchanging logs between records changes nothing. O(terms).

    References
    ----------
    Levin and Peres (2017), Markov chains and mixing times, for the total variation distance.

    Examples
    --------
    >>> import polars as pl
    >>> import discreet as dc
    >>> schema = dc.Schema([dc.Attribute("asked", dc.QueryLog(["rome", "rain"]), "key")])
    >>> a, b = pl.DataFrame({"asked": ["rome | rain", "rome"]}), pl.DataFrame({"asked": ["rome", "rome"]})
    >>> round(TermFrequencies().measure(a, b, schema).value, 2)  # rain, one of three
    33.33
    """

    title: ClassVar[str] = "Change of term frequencies"
    formula: ClassVar[str] = "100 · ½ Σ |p(t) − p′(t)|"
    reference: ClassVar[str] = "Levin and Peres 2017"

    def conclude(self, statistics: AskedTerms, scope: PairScope) -> Measurement:  # noqa: ARG002
        self._check(statistics)
        shares: dict[str, float] = {}
        for name, (before, after) in statistics.terms.items():
            sums = [max(float(side.total()), 0.0) for side in (before, after)]
            if not all(sums):
                shares[name] = float(sums[0] != sums[1])
                continue
            terms = sorted(before.keys() | after.keys())
            apart = [abs(before[term] / sums[0] - after[term] / sums[1]) for term in terms]
            shares[name] = 0.5 * float(np.sum(apart))
        value, per_attribute = in_percent(shares)
        kept = {name: len(before.keys() & after.keys()) for name, (before, after) in statistics.terms.items()}
        were = sum(len(before) for before, _ in statistics.terms.values())
        sentence = (
            f"{value:.1f} % of the terms would have to be others for their frequencies to be the original ones; of "
            f"{were} different terms {sum(kept.values())} are released."
        )
        return self.result(value, sentence, per_attribute, {"terms_kept": kept})


@register("frequent-queries")
class FrequentQueries(QueryLoss):
    """Share of frequent queries that are frequent in only one of the two files, in percent.

    What somebody would miss who looks for what people ask, or find where nobody asks it.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every query log that is released.
    weighted : bool
        Count records by their survey weights.
    support : float
        The share of people who must have asked a query for it to be frequent.

    Notes
    -----
    ``100 · (1 − |F ∩ F'| / |F ∪ F'|)`` with F and F' the frequent queries before and after, 0 where both are empty;
    over attributes the mean. A query is its terms in their order. O(queries).

    References
    ----------
    Silverstein et al. (1999), Analysis of a very large web search engine query log.

    Examples
    --------
    >>> import polars as pl
    >>> import discreet as dc
    >>> schema = dc.Schema([dc.Attribute("asked", dc.QueryLog(["rome", "rain"]), "key")])
    >>> a, b = pl.DataFrame({"asked": ["rome | rain", "rome"]}), pl.DataFrame({"asked": ["rome", "rome"]})
    >>> FrequentQueries(support=0.5).measure(a, b, schema).value
    50.0
    """

    title: ClassVar[str] = "Change of frequent queries"
    formula: ClassVar[str] = "100 · (1 − |F ∩ F′| / |F ∪ F′|)"
    reference: ClassVar[str] = "Silverstein et al. 1999"
    support: float = parameter(Number(0, 1, open_low=True), default=0.05)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(support=0.2)]

    def conclude(self, statistics: AskedTerms, scope: PairScope) -> Measurement:  # noqa: ARG002
        self._check(statistics)
        shares: dict[str, float] = {}
        details: dict[str, dict[str, int]] = {}
        for name, sides in statistics.queries.items():
            least = self.support * statistics.people[name] - 1e-9
            before, after = ({query for query, people in side.items() if people >= least} for side in sides)
            either = len(before | after)
            shares[name] = 1.0 - len(before & after) / either if either else 0.0
            details[name] = {"before": len(before), "kept": len(before & after), "added": len(after - before)}
        value, per_attribute = in_percent(shares)
        were, kept, added = (sum(one[key] for one in details.values()) for key in ("before", "kept", "added"))
        sentence = f"Of {were} frequent queries {kept} still are, and {added} others have become frequent."
        return self.result(value, sentence, per_attribute, {"by_attribute": details})
