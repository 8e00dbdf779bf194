"""How far sequences moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, Pair
from discreet.contracts.measurement import Measurement
from discreet.data.scales.dissimilarities import Dissimilarity
from discreet.measures.sequence_pairs import sequence_pair
from discreet.operators.numbers.quantifiers import Quantifier
from discreet.operators.operator_text import DISTANCE, QUANTIFIER, as_dissimilarity
from discreet.parameters import Flag, Names, Optional
from discreet.parameters.declaration import parameter

__all__ = ["SequenceDissimilarity"]


@register("sequence-dissimilarity")
class SequenceDissimilarity(Measure):
    """Mean squared dissimilarity of every sequence to its release, in percent.

    Zero for an unmasked file; 100 if no released sequence shared an event with its original. The sum of squares, the
    papers' SSE, is in the detail.

    Parameters
    ----------
    attributes : list of str, optional
        What to compare; by default every sequence that is released.
    weighted : bool
        Count records by their survey weights.
    distance : str or Dissimilarity
        How far apart two sequences are; ``discreet.data.scales.dissimilarities`` holds them.
    quantifier : str or Quantifier, optional
        The policy of ``"oss-owa"``, such as ``"power:2"``; None is the plain mean of event distances.

    Notes
    -----
    ``100 · mean_i d(s_i, s'_i)²``, over attributes the mean. Figures under different policies are not comparable: a
    large α makes every distance small. A record whose sequence is missing in either file is left out. O(events).

    References
    ----------
    Valls, Nin and Torra (P3), equation 3, with a dissimilarity for the difference.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet import Attribute, Schema
    >>> import discreet as dc
    >>> schema = Schema([Attribute("visits", dc.Sequence("abcd"), "key")])
    >>> a, b = pl.DataFrame({"visits": ["a b", "c d"]}), pl.DataFrame({"visits": ["a b", "a b"]})
    >>> SequenceDissimilarity().measure(a, b, schema).value  # 0 and 1
    50.0
    """

    kind: ClassVar[str] = "loss"
    title: ClassVar[str] = "Movement of sequences"
    scales: ClassVar[frozenset[str]] = frozenset({"sequence"})
    formula: ClassVar[str] = "100 · mean d(s, s′)²"
    reference: ClassVar[str] = "Valls, Nin and Torra 2009"
    in_score: ClassVar[bool] = True
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    distance: str | Dissimilarity = parameter(DISTANCE, default="oss-owa")
    quantifier: str | Quantifier | None = parameter(QUANTIFIER, default=None)
    weighted: bool = parameter(Flag(), default=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(quantifier="power:2"), cls(distance="lcs")]

    def _measure(self, pair: Pair) -> Measurement:
        owner = type(self).__name__
        distance = as_dissimilarity(owner, self.distance, self.quantifier)
        squares, per_attribute, plain = 0.0, {}, []
        for name in pair.names:
            both = sequence_pair(owner, pair, name, weighted=self.weighted)
            far = distance.compare(both.before, both.after).pairs()
            squares += float((far**2).sum())
            plain.append(float(np.average(far, weights=both.weights)))
            # A quantifier that overshoots by a rounding must not leave the range.
            per_attribute[name] = min(100.0 * float(np.average(far**2, weights=both.weights)), 100.0)
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Released sequences lie at a mean squared dissimilarity of {value / 100:.3f} from the originals; "
            f"1 would be nothing in common."
            if value > 0
            else "Every sequence is released as it was."
        )
        details = {"sse": squares, "mean_dissimilarity": float(np.mean(plain)), "distance": repr(distance)}
        return self.result(value, sentence, per_attribute, details)
