"""What became of the lengths of sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from discreet.base import Measure, Pair, register
from discreet.measures.sequences import SequencePair, in_percent, mean_length, sequence_pair
from discreet.parameters import Constraint, Flag, Names, Optional
from discreet.results import Measurement

__all__ = ["SequenceLengths"]


@register("sequence-lengths")
class SequenceLengths(Measure):
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

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Change of sequence lengths"
    scales: ClassVar[frozenset[str]] = frozenset({"sequence"})
    sees_shuffling: ClassVar[bool] = False
    formula: ClassVar[str] = "100 · max |F(l) − F′(l)|"
    reference: ClassVar[str] = "Smirnov 1948"

    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names()), "weighted": Flag()}

    def __init__(self, *, attributes: Sequence[str] | None = None, weighted: bool = False) -> None:
        self.attributes = attributes
        self.weighted = weighted

    def _measure(self, pair: Pair) -> Measurement:
        owner = type(self).__name__
        both = {name: sequence_pair(owner, pair, name, weighted=self.weighted) for name in pair.names}
        value, per_attribute = in_percent({name: _gap(b) for name, b in both.items()})
        before = {name: mean_length(b.before, b.weights) for name, b in both.items()}
        after = {name: mean_length(b.after, b.weights) for name, b in both.items()}
        first = pair.names[0]
        sentence = (
            f"Up to some length there are {value:.1f} % more, or fewer, of all sequences than before; the mean length "
            f"of {first} was {before[first]:.2f} and is {after[first]:.2f}."
        )
        return self.result(value, sentence, per_attribute, {"mean_before": before, "mean_after": after})


def _gap(both: SequencePair) -> float:
    longest = int(max(both.before.lengths.max(initial=0), both.after.lengths.max(initial=0)))
    before, after = (
        np.cumsum(np.bincount(side.lengths, weights=both.shares, minlength=longest + 1))
        for side in (both.before, both.after)
    )
    return float(np.abs(before - after).max())
