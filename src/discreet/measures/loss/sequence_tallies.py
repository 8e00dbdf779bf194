"""Losses of sequences in counts: events, lengths, transitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.errors import MissingValueError
from discreet.measures.number_pairs import weight_asked
from discreet.measures.sequence_pairs import in_percent, total_variation
from discreet.parameters import Flag, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need
from discreet.statistics.sequence_counts import EventTally, SequenceCounts, SequenceParts

__all__ = ["EventFrequencies", "SequenceLengths", "Transitions"]


class SequenceTally(Measure):
    """A loss of what sequences are made of, whichever records they belong to."""

    kind: ClassVar[str] = "loss"
    scales: ClassVar[frozenset[str]] = frozenset({"events", "items"})
    need: ClassVar[Need] = Need.RECORD
    sees_shuffling: ClassVar[bool] = False
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    weighted: bool = parameter(Flag(), default=False)

    def question(self, scope: PairScope) -> SequenceCounts:
        weight = weight_asked(type(self).__name__, scope, self.weighted)
        return SequenceCounts.asked(scope.names, (scope.before, scope.after), weight)

    def _check(self, parts: SequenceParts) -> None:
        for name, records in parts.records.items():
            if not records:
                owner = type(self).__name__
                raise MissingValueError(f"{owner}: column {name!r} has no record with a sequence in both files.")


@register("sequence-events")
class EventFrequencies(SequenceTally):
    """Share of events that would have to be another event for the frequencies to be the original ones, in percent.

    Zero if every event makes up the same share of all events as before, 100 if no event of the release happened before.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every sequence that is released.
    weighted : bool
        Count records by their survey weights.

    Notes
    -----
    ``100 · ½ Σ_x |p(x) − p'(x)|``, the total variation distance, over attributes the mean. The detail has the share of
    events that are gone altogether. A record whose sequence is missing in either file is left out.
    Exchanging sequences between records changes nothing. O(events).

    References
    ----------
    Levin and Peres (2017), Markov chains and mixing times, for the total variation distance.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet import Attribute, Schema
    >>> import discreet as dc
    >>> schema = Schema([Attribute("visits", dc.Sequence("abc"), "key")])
    >>> a, b = pl.DataFrame({"visits": ["a b", "a c"]}), pl.DataFrame({"visits": ["a b", "a b"]})
    >>> EventFrequencies().measure(a, b, schema).value  # c, one event of four, is gone
    25.0
    """

    title: ClassVar[str] = "Change of event frequencies"
    formula: ClassVar[str] = "100 · ½ Σ |p(x) − p′(x)|"
    reference: ClassVar[str] = "Levin and Peres 2017"

    def conclude(self, statistics: SequenceParts, scope: PairScope) -> Measurement:  # noqa: ARG002
        self._check(statistics)
        value, per_attribute = in_percent({name: _moved(*sides) for name, sides in statistics.events.items()})
        vanished = {
            name: int(np.setdiff1d(before.codes, after.codes).size)
            for name, (before, after) in statistics.events.items()
        }
        sentence = f"{value:.1f} % of the events would have to be others for the frequencies to be the original ones."
        return self.result(value, sentence, per_attribute, {"events_gone": vanished})


def _moved(before: EventTally, after: EventTally) -> float:
    return total_variation(before.codes, after.codes, before.weights, after.weights)


@register("sequence-lengths")
class SequenceLengths(SequenceTally):
    """Largest difference of the shares of sequences up to a length, before and after, in percent.

    Zero if as many sequences have each length as before. Microaggregation shortens what is long and lengthens what
    is short: the mean may stay where the distribution does not.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every sequence that is released.
    weighted : bool
        Count records by their survey weights.

    Notes
    -----
    ``100 · max_l |F(l) − F'(l)|`` (Kolmogorov and Smirnov), over attributes the mean. The detail has the mean lengths.
    A record whose sequence is missing in either file is left out. O(n).

    References
    ----------
    Smirnov (1948), Table for estimating the goodness of fit of empirical distributions.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet import Attribute, Schema
    >>> import discreet as dc
    >>> schema = Schema([Attribute("visits", dc.Sequence("ab"), "key")])
    >>> a, b = pl.DataFrame({"visits": ["a", "a b a"]}), pl.DataFrame({"visits": ["a b", "a b"]})
    >>> SequenceLengths().measure(a, b, schema).value  # up to length 1: one of two before, none after
    50.0
    """

    title: ClassVar[str] = "Change of sequence lengths"
    formula: ClassVar[str] = "100 · max |F(l) − F′(l)|"
    reference: ClassVar[str] = "Smirnov 1948"

    def conclude(self, statistics: SequenceParts, scope: PairScope) -> Measurement:
        self._check(statistics)
        value, per_attribute = in_percent({name: _gap(*sides) for name, sides in statistics.lengths.items()})
        before, after = ({name: _mean(sides[place]) for name, sides in statistics.lengths.items()} for place in (0, 1))
        first = scope.names[0]
        sentence = (
            f"Up to some length there are {value:.1f} % more, or fewer, of all sequences than before; the mean length "
            f"of {first} was {before[first]:.2f} and is {after[first]:.2f}."
        )
        return self.result(value, sentence, per_attribute, {"mean_before": before, "mean_after": after})


def _mean(lengths: EventTally) -> float:
    return float(np.average(lengths.codes.astype(np.float64), weights=lengths.weights))


def _gap(before: EventTally, after: EventTally) -> float:
    longest = int(max(before.codes.max(), after.codes.max()))
    first, second = (
        np.cumsum(np.bincount(side.codes, weights=side.weights / side.weights.sum(), minlength=longest + 1))
        for side in (before, after)
    )
    return float(np.abs(first - second).max())


@register("sequence-transitions")
class Transitions(SequenceTally):
    """Share of transitions that would have to be another one for their frequencies to be the original ones, in percent.

    A transition is two events that follow each other. Zero if the flow from place to place is what it was; 100 if no
    transition of the release happened before.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every sequence that is released.
    weighted : bool
        Count records by their survey weights.

    Notes
    -----
    ``100 · ½ Σ_xy |p(xy) − p'(xy)|`` over bigrams, over attributes the mean. The detail has the difference of the
    transition matrices, ``Σ_x p(x) · ½ Σ_y |p(y | x) − p'(y | x)|``, in percent; an event that nothing follows any more
    counts 1. A record whose sequence is missing in either file is left out. O(events · log).

    References
    ----------
    Levin and Peres (2017), Markov chains and mixing times, for the total variation distance.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet import Attribute, Schema
    >>> import discreet as dc
    >>> schema = Schema([Attribute("visits", dc.Sequence("abc"), "key")])
    >>> a, b = pl.DataFrame({"visits": ["a b c", "a b"]}), pl.DataFrame({"visits": ["a b c", "b a"]})
    >>> round(Transitions().measure(a, b, schema).value, 2)  # a→b twice and b→c became a→b, b→c and b→a
    33.33
    """

    title: ClassVar[str] = "Change of transitions"
    scales: ClassVar[frozenset[str]] = frozenset({"events"})
    formula: ClassVar[str] = "100 · ½ Σ |p(xy) − p′(xy)|"
    reference: ClassVar[str] = "Levin and Peres 2017"

    def conclude(self, statistics: SequenceParts, scope: PairScope) -> Measurement:  # noqa: ARG002
        self._check(statistics)
        bigrams, sizes = statistics.bigrams, statistics.sizes
        value, per_attribute = in_percent({name: _moved(*sides) for name, sides in bigrams.items()})
        matrix, by_attribute = in_percent({name: _conditional(*sides, sizes[name]) for name, sides in bigrams.items()})
        sentence = (
            f"{value:.1f} % of the steps from one event to the next would have to be others for the flow to be the "
            "original one."
        )
        details = {"transition_matrix_percent": matrix, "transition_matrix_by_attribute": by_attribute}
        return self.result(value, sentence, per_attribute, details)


def _conditional(before: EventTally, after: EventTally, size: int) -> float:
    """Return the mean distance of the rows of the two transition matrices, weighted by the original rows."""
    if not before.codes.size or not after.codes.size:
        return float(before.codes.size != after.codes.size)
    cells = np.unique(np.concatenate([before.codes, after.codes]))
    row = cells // size
    rows, rates = [], []
    for side in (before, after):
        rows.append(np.bincount(side.codes // size, weights=side.weights, minlength=size))
        sums = np.bincount(np.searchsorted(cells, side.codes), weights=side.weights, minlength=cells.size)
        rates.append(sums / np.where(rows[-1][row] > 0, rows[-1][row], 1.0))
    distance = 0.5 * np.bincount(row, weights=np.abs(rates[0] - rates[1]), minlength=size)
    # A row that the release lacks has nothing to be compared with: half its own sum is there, and it counts 1.
    distance[rows[1] == 0] *= 2.0
    return float((rows[0] / rows[0].sum()) @ distance)
