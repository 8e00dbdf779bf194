"""Levenshtein's edit distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.data.scales.dissimilarities.dissimilarity import Dissimilarity, longest, n_events, register_dissimilarity
from discreet.data.scales.sequence import EncodedSequences
from discreet.kernels.sequences.levenshtein import edit_distances
from discreet.typing import FloatArray, IntArray

__all__ = ["Levenshtein"]


@register_dissimilarity("levenshtein")
@dataclass(frozen=True)
class Levenshtein(Dissimilarity):
    """Least number of insertions, deletions and substitutions, divided by the longer length.

    Notes
    -----
    O(length) a pair while the first sequence has at most 64 events (bit-parallel), O(length²) beyond. Divided by a
    length it need not fulfil the triangle inequality.

    References
    ----------
    Levenshtein (1966); Myers (1999) and Hyyrö (2003) for the bit-parallel form.

    Examples
    --------
    >>> Levenshtein()([0, 1, 2, 3], [1, 2, 3, 0])  # delete the first, append it again
    0.5
    """

    properties: ClassVar[frozenset[str]] = frozenset({"definite"})

    def prepare(self, a: EncodedSequences, b: EncodedSequences) -> Any:
        # Codes that a table lends out cannot be written to, and a loop is compiled once for these and once for others.
        a_codes, b_codes = (np.require(one.codes, requirements="W") for one in (a, b))
        return a_codes, a.offsets, b_codes, b.offsets, n_events(a, b), longest(b)

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        a_codes, a_offsets, b_codes, b_offsets, events, most = prepared
        return edit_distances(a_codes, a_offsets, b_codes, b_offsets, events, which, among, paired, most)
