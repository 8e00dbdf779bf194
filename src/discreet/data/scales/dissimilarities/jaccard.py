"""Jaccard distance: items that two sets do not share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from discreet.data.scales.dissimilarities.dissimilarity import Dissimilarity, register_dissimilarity
from discreet.data.scales.item_set import as_sets
from discreet.data.scales.sequence import EncodedSequences
from discreet.kernels.sequences.shared_items import JACCARD, unshared_items
from discreet.typing import FloatArray, IntArray

__all__ = ["Jaccard"]


@register_dissimilarity("jaccard")
@dataclass(frozen=True)
class Jaccard(Dissimilarity):
    """Share of the items of either set that only one of them has.

    Of sequences of events, what happened counts, and neither when nor how often.

    Notes
    -----
    ``1 − |A ∩ B| / |A ∪ B|``, 0 for two empty sets. A metric on sets. O(items) a pair.

    References
    ----------
    Jaccard (1912), The distribution of the flora in the alpine zone; Levandowsky and Winter (1971), Distance between
    sets.

    Examples
    --------
    >>> Jaccard()([0, 1, 2], [1, 2, 3])  # 0 and 3 of four
    0.5
    """

    contents: ClassVar[frozenset[str]] = frozenset({"events", "items"})
    properties: ClassVar[frozenset[str]] = frozenset({"triangle"})

    def prepare(self, a: EncodedSequences, b: EncodedSequences) -> Any:
        first, second = as_sets(a), as_sets(b)
        return first.codes, first.offsets, second.codes, second.offsets

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        a_codes, a_offsets, b_codes, b_offsets = prepared
        return unshared_items(a_codes, a_offsets, b_codes, b_offsets, which, among, paired, JACCARD)
