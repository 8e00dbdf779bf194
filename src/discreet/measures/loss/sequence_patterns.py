"""What became of frequent subsequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.scales import EncodedSequences
from discreet.data.scales.sequence import distinct
from discreet.kernels.sequences.subsequences import extend_prefix
from discreet.measures.sequence_pairs import different_sequences, sequence_pair
from discreet.parameters import Flag, Integer, Names, Number, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Answers, Need, Together
from discreet.typing import FloatArray, IntArray

__all__ = ["FrequentSubsequences"]


@register("sequence-patterns")
class FrequentSubsequences(Measure):
    """Share of frequent subsequences that are frequent in only one of the two files, in percent.

    What somebody who mines the release for patterns would miss, or find where it is not. A subsequence is events in
    this order, with others between them or not.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every sequence that is released.
    weighted : bool
        Count records by their survey weights.
    support : float
        The share of records that must hold a subsequence for it to be frequent.
    longest : int
        The most events of a subsequence.

    Notes
    -----
    ``100 · (1 − |F ∩ F'| / |F ∪ F'|)`` with F and F' the frequent subsequences before and after, 0 where both are
    empty; over attributes the mean. The detail has how many were kept, lost and added, and the mean change of support
    of those kept. Frequent prefixes are extended event by event: O(events) for each. A record whose sequence is
    missing in either file is left out.

    References
    ----------
    Agrawal and Srikant (1995), Mining sequential patterns; Pei et al. (2001), PrefixSpan.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet import Attribute, Schema
    >>> import discreet as dc
    >>> schema = Schema([Attribute("visits", dc.Sequence("abc"), "key")])
    >>> a, b = pl.DataFrame({"visits": ["a b", "a c b"]}), pl.DataFrame({"visits": ["a b", "b a"]})
    >>> round(FrequentSubsequences(support=0.6).measure(a, b, schema).value, 2)  # a, b and a…b before; a and b after
    33.33
    """

    kind: ClassVar[str] = "loss"
    need: ClassVar[Need] = Need.DISTINCT
    title: ClassVar[str] = "Change of frequent subsequences"
    scales: ClassVar[frozenset[str]] = frozenset({"events", "items"})
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · (1 − |F ∩ F′| / |F ∪ F′|)"
    reference: ClassVar[str] = "Agrawal and Srikant 1995; Pei et al. 2001"
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    support: float = parameter(Number(0, 1, open_low=True), default=0.05)
    longest: int = parameter(Integer(1), default=3)
    weighted: bool = parameter(Flag(), default=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(support=0.2, longest=2)]

    def question(self, scope: PairScope) -> Together:
        return different_sequences(type(self).__name__, scope, weighted=self.weighted)

    def conclude(self, statistics: Answers, scope: PairScope) -> Measurement:
        per_attribute: dict[str, float] = {}
        details: dict[str, dict[str, float]] = {}
        for name, rows in zip(scope.names, statistics.statistics, strict=True):
            both = sequence_pair(type(self).__name__, rows.original, rows.release, name, rows.weights)
            weights = both.weights
            n = len(both.before) if weights is None else float(weights.sum())
            least = self.support * n - 1e-9
            before, after = (
                frequent_subsequences(side, both.n_events, least, self.longest, weights)
                for side in (both.before, both.after)
            )
            common = before.keys() & after.keys()
            either = len(before.keys() | after.keys())
            per_attribute[name] = 100.0 * (1.0 - len(common) / either) if either else 0.0
            moved = sum(abs(before[part] - after[part]) for part in common) / n / max(len(common), 1)
            details[name] = {
                "before": len(before),
                "kept": len(common),
                "lost": len(before) - len(common),
                "added": len(after) - len(common),
                "mean_change_of_support_percent": 100.0 * moved,
            }
        value = float(np.mean(list(per_attribute.values())))
        common_all, before_all = (int(sum(d[key] for d in details.values())) for key in ("kept", "before"))
        added = int(sum(d["added"] for d in details.values()))
        sentence = (
            f"Of {before_all} frequent subsequences {common_all} still are, and {added} others have become frequent."
        )
        return self.result(value, sentence, per_attribute, {"by_attribute": details})


def frequent_subsequences(
    sequences: EncodedSequences, n_events: int, least: float, longest: int, weights: FloatArray | None = None
) -> dict[tuple[int, ...], float]:
    """Return the subsequences of up to `longest` events that at least `least` records hold, with their numbers.

    With weights, those whose records weigh at least `least`, and what they weigh.
    """
    classes, first, records = distinct([sequences])
    counts = np.asarray(records if weights is None else np.bincount(classes, weights=weights), dtype=np.float64)
    items = sequences.take(first)
    supports: dict[tuple[int, ...], float] = {}
    support = np.empty(n_events)
    waiting: list[tuple[tuple[int, ...], IntArray, IntArray]] = [((), np.arange(len(items)), items.offsets[:-1].copy())]
    while waiting:
        prefix, which, after = waiting.pop()
        extend_prefix(items.codes, items.offsets, counts, which, after, support)
        for event in np.flatnonzero((support >= least) & (support > 0)).tolist():
            longer = (*prefix, int(event))
            supports[longer] = float(support[event])
            if len(longer) < longest:
                waiting.append((longer, *_project(items, which, after, int(event))))
    return supports


def _project(items: EncodedSequences, which: IntArray, after: IntArray, event: int) -> tuple[IntArray, IntArray]:
    """Return the sequences whose rest holds the event, and where the rest after its first occurrence begins."""
    places = np.flatnonzero(items.codes == event)
    at = np.searchsorted(places, after)
    inside = at < places.size
    position = places[np.minimum(at, max(places.size - 1, 0))] if places.size else np.zeros_like(after)
    inside &= position < items.offsets[which + 1]
    return which[inside], position[inside] + 1
