"""Ordering-based sequence similarity (OSS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discreet.data.scales.dissimilarities.dissimilarity import Dissimilarity, n_events, register_dissimilarity
from discreet.data.scales.sequence import EncodedSequences
from discreet.kernels.sequences.oss_owa import oss
from discreet.typing import FloatArray, IntArray

__all__ = ["OSS"]


@register_dissimilarity("oss")
@dataclass(frozen=True)
class OSS(Dissimilarity):
    """Events that the sequences do not share, plus how far the shared ones are apart, over all events.

    The ancestor of d_OSS-OWA, without a policy: the n-th occurrence of an event is paired with its n-th occurrence in
    the other sequence, a pair costs |i − j| divided by the longer length, an unpaired event costs 1.

    Notes
    -----
    O(events of the second sequence) a pair once events are sorted. Zero for equal sequences only.

    References
    ----------
    Gómez-Alonso and Valls (2008), A similarity measure for sequences of categorical data based on the ordering of
    common elements; [12] of P3.

    Examples
    --------
    >>> OSS()([0, 1, 2, 3], [1, 0, 2, 4])  # shifts 1 + 1 + 0 of 4; two of eight events unpaired: (0.5 + 2) / 8
    0.3125
    """

    properties = frozenset({"definite"})

    def prepare(self, a: EncodedSequences, b: EncodedSequences) -> Any:
        return *a.runs(), *b.runs(), n_events(a, b)

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        arguments = (*prepared, which, among, paired)
        return oss(*arguments)
