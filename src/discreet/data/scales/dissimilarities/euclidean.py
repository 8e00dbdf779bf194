"""Euclidean distance of series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from discreet.data.scales.dissimilarities.dissimilarity import register_dissimilarity
from discreet.data.scales.dissimilarities.series_distance import SeriesDistance
from discreet.data.scales.sequence import EncodedSequences
from discreet.kernels.sequences.series_distances import differing_readings
from discreet.typing import FloatArray, IntArray

__all__ = ["Euclidean"]


@register_dissimilarity("euclidean")
@dataclass(frozen=True)
class Euclidean(SeriesDistance):
    """Root of the mean squared difference of readings at the same time, in the span of the scale.

    Right for readings at fixed times; the same curve an hour later is far away.

    Parameters
    ----------
    span : float, optional
        The difference, in steps, that counts as nothing in common. A scale tells it; without one it is the range of
        what is compared.

    Notes
    -----
    ``√(Σ min(|x − y| / span, 1)² / n)``, n the longer length. A reading against a gap, or after the end of the other
    series, counts 1. O(length) a pair.

    References
    ----------
    Agrawal, Faloutsos and Swami (1993), Efficient similarity search in sequence databases.

    Examples
    --------
    >>> Euclidean(span=10)([0, 5], [6, 13])  # 0.6 and 0.8
    0.7071067811865476
    """

    properties: ClassVar[frozenset[str]] = frozenset({"definite"})

    def prepare(self, a: EncodedSequences, b: EncodedSequences) -> Any:
        return a.codes, a.offsets, b.codes, b.offsets, self.scale_of(a, b)

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        a_codes, a_offsets, b_codes, b_offsets, scale = prepared
        return differing_readings(a_codes, a_offsets, b_codes, b_offsets, which, among, paired, scale)
