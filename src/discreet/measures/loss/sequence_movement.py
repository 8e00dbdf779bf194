"""How far sequences moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.measure import Measure, PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.block import Block
from discreet.data.scales.dissimilarities import Dissimilarity
from discreet.errors import MissingValueError
from discreet.measures.number_pairs import weight_asked
from discreet.measures.sequence_pairs import sequence_pair
from discreet.operators.numbers.quantifiers import Quantifier
from discreet.operators.operator_text import DISTANCE, QUANTIFIER, as_dissimilarity
from discreet.parameters import Flag, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Need, OfBothFiles
from discreet.typing import FloatArray, IntArray

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
        How far apart two sequences are; ``discreet.data.scales.dissimilarities`` holds them, and ``"own"`` is the one
        of the scale.
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
    need: ClassVar[Need] = Need.RECORD
    title: ClassVar[str] = "Movement of sequences"
    scales: ClassVar[frozenset[str]] = frozenset({"sequence"})
    formula: ClassVar[str] = "100 · mean d(s, s′)²"
    reference: ClassVar[str] = "Valls, Nin and Torra 2009"
    in_score: ClassVar[bool] = True
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    distance: str | Dissimilarity = parameter(DISTANCE, default="own")
    quantifier: str | Quantifier | None = parameter(QUANTIFIER, default=None)
    weighted: bool = parameter(Flag(), default=False)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(quantifier="power:2"), cls(distance="lcs")]

    def question(self, scope: PairScope) -> SequenceMovements:
        owner = type(self).__name__
        return SequenceMovements(scope.names, self._distances(scope), weight_asked(owner, scope, self.weighted))

    def _distances(self, scope: PairScope) -> tuple[Dissimilarity, ...]:
        owner = type(self).__name__
        scales = [scope.before[name].scale for name in scope.names]
        return tuple(as_dissimilarity(owner, self.distance, self.quantifier, scale) for scale in scales)

    def conclude(self, statistics: MovedSequences, scope: PairScope) -> Measurement:
        for name, records in zip(scope.names, statistics.records, strict=True):
            if not records:
                owner = type(self).__name__
                raise MissingValueError(f"{owner}: column {name!r} has no record with a sequence in both files.")
        # A quantifier that overshoots by a rounding must not leave the range.
        means = np.minimum(100.0 * statistics.squared / statistics.weight, 100.0)
        per_attribute = dict(zip(scope.names, means.tolist(), strict=True))
        value = float(np.mean(list(per_attribute.values())))
        sentence = (
            f"Released sequences lie at a mean squared dissimilarity of {value / 100:.3f} from the originals; "
            f"1 would be nothing in common."
            if value > 0
            else "Every sequence is released as it was."
        )
        details = {
            "sse": statistics.plain_squares,
            "mean_dissimilarity": float(np.mean(statistics.moved / statistics.weight)),
            "distance": ", ".join(dict.fromkeys(map(repr, self._distances(scope)))),
        }
        return self.result(value, sentence, per_attribute, details)


@dataclass(frozen=True, repr=False)
class MovedSequences:
    """How far sequences moved, attribute by attribute, over the records that have one in both files.

    Attributes
    ----------
    records : (p,) int64
    weight, moved, squared : (p,) float64
        Σ w, Σ w d and Σ w d².
    plain_squares : float
        Σ d² of all attributes.
    """

    records: IntArray
    weight: FloatArray
    moved: FloatArray
    squared: FloatArray
    plain_squares: float

    def merge(self, later: MovedSequences, /) -> MovedSequences:
        return MovedSequences(
            self.records + later.records,
            self.weight + later.weight,
            self.moved + later.moved,
            self.squared + later.squared,
            self.plain_squares + later.plain_squares,
        )


@dataclass(frozen=True)
class SequenceMovements(OfBothFiles):
    """Ask how far sequences moved."""

    names: tuple[str, ...]
    distances: tuple[Dissimilarity, ...]
    weight: str | None = None

    def summarise(self, block: Block, /) -> MovedSequences:
        weights = None if self.weight is None else block.original.weights()
        columns = [
            self._column(block, name, distance, weights)
            for name, distance in zip(self.names, self.distances, strict=True)
        ]
        records, weight, moved, squared, plain = (np.array(part) for part in zip(*columns, strict=True))
        return MovedSequences(records, weight, moved, squared, float(plain.sum()))

    def _column(
        self, block: Block, name: str, distance: Dissimilarity, weights: FloatArray | None
    ) -> tuple[int, float, float, float, float]:
        both = sequence_pair("", block.original, block.release, name, weights)
        if not len(both.before):
            return 0, 0.0, 0.0, 0.0, 0.0
        far = distance.compare(both.before, both.after).pairs()
        counted = np.ones(far.size) if both.weights is None else both.weights
        return far.size, float(counted.sum()), float(far @ counted), float(far**2 @ counted), float((far**2).sum())
