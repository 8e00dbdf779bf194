"""Longest common subsequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from discreet.data.scales.dissimilarities.dissimilarity import Dissimilarity, longest, register_dissimilarity
from discreet.data.scales.sequence import EncodedSequences
from discreet.kernels.sequences.sequence_distances import common_subsequences
from discreet.typing import FloatArray, IntArray

__all__ = ["LongestCommonSubsequence"]


@register_dissimilarity("lcs")
@dataclass(frozen=True)
class LongestCommonSubsequence(Dissimilarity):
    """Share of events outside the longest common subsequence: ``1 − 2·lcs / (|s| + |r|)``.

    Looks at the order of events and never at their positions: a subsequence may have gaps.

    Notes
    -----
    O(length²) a pair. Divided by the lengths it need not fulfil the triangle inequality.

    References
    ----------
    Elzinga (2008), Sequence analysis: metric representations of categorical time series.

    Examples
    --------
    >>> LongestCommonSubsequence()([0, 1, 2, 3], [1, 3, 4, 4])  # 1, 3 in common
    0.5
    """

    properties: ClassVar[frozenset[str]] = frozenset({"definite"})

    def prepare(self, a: EncodedSequences, b: EncodedSequences) -> Any:
        return a.codes, a.offsets, b.codes, b.offsets, longest(b)

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        a_codes, a_offsets, b_codes, b_offsets, most = prepared
        return common_subsequences(a_codes, a_offsets, b_codes, b_offsets, which, among, paired, most)
