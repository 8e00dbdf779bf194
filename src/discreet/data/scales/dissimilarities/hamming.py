"""Hamming distance: position by position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from discreet.data.scales.dissimilarities.dissimilarity import Dissimilarity, register_dissimilarity
from discreet.data.scales.sequence import EncodedSequences
from discreet.kernels.sequences.sequence_distances import differing_positions
from discreet.typing import FloatArray, IntArray

__all__ = ["Hamming"]


@register_dissimilarity("hamming")
@dataclass(frozen=True)
class Hamming(Dissimilarity):
    """Share of positions that hold different events; a position that only one sequence has is different.

    Right for states at fixed times (a column a month); a single event inserted at the start makes everything after it
    different.

    Notes
    -----
    Divided by the longer length. O(shorter length) a pair.

    References
    ----------
    Hamming (1950), Error detecting and error correcting codes.

    Examples
    --------
    >>> Hamming()([0, 1, 2, 3], [0, 2, 2])  # the second and the fourth position of four
    0.5
    """

    properties: ClassVar[frozenset[str]] = frozenset({"definite", "triangle"})

    def prepare(self, a: EncodedSequences, b: EncodedSequences) -> Any:
        return a.codes, a.offsets, b.codes, b.offsets

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        a_codes, a_offsets, b_codes, b_offsets = prepared
        return differing_positions(a_codes, a_offsets, b_codes, b_offsets, which, among, paired)
