"""What became of the frequencies of events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from discreet.base import Measure, Pair, register
from discreet.measures.sequences import SequencePair, in_percent, sequence_pair, total_variation
from discreet.parameters import Constraint, Flag, Names, Optional
from discreet.results import Measurement

__all__ = ["EventFrequencies"]


@register("sequence-events")
class EventFrequencies(Measure):
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

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Change of event frequencies"
    scales: ClassVar[frozenset[str]] = frozenset({"sequence"})
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · ½ Σ |p(x) − p′(x)|"
    reference: ClassVar[str] = "Levin and Peres 2017"

    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names()), "weighted": Flag()}

    def __init__(self, *, attributes: Sequence[str] | None = None, weighted: bool = False) -> None:
        self.attributes = attributes
        self.weighted = weighted

    def _measure(self, pair: Pair) -> Measurement:
        owner = type(self).__name__
        both = {name: sequence_pair(owner, pair, name, weighted=self.weighted) for name in pair.names}
        shares = {name: _moved(b) for name, b in both.items()}
        value, per_attribute = in_percent(shares)
        gone = {name: _gone(b) for name, b in both.items()}
        sentence = f"{value:.1f} % of the events would have to be others for the frequencies to be the original ones."
        return self.result(value, sentence, per_attribute, {"events_gone": gone})


def _moved(both: SequencePair) -> float:
    before, after = both.before.codes.astype(np.int64), both.after.codes.astype(np.int64)
    return total_variation(before, after, both.of_events(before=True), both.of_events(before=False))


def _gone(both: SequencePair) -> int:
    return int(np.setdiff1d(both.before.codes, both.after.codes).size)
