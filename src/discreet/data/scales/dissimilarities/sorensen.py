"""Sørensen distance: Hamming distance of sets by their sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from discreet.data.scales.dissimilarities.dissimilarity import Dissimilarity, register_dissimilarity
from discreet.data.scales.item_set import as_sets
from discreet.data.scales.sequence import EncodedSequences
from discreet.kernels.sequences.shared_items import SORENSEN, unshared_items
from discreet.typing import FloatArray, IntArray

__all__ = ["Sorensen"]


@register_dissimilarity("sorensen")
@dataclass(frozen=True)
class Sorensen(Dissimilarity):
    """Items that only one of two sets has (their Hamming distance), by the number of items of both together.

    Lighter on sets of different sizes than ``"jaccard"``; the order of distances is the same.

    Notes
    -----
    ``|A △ B| / (|A| + |B|)``, 0 for two empty sets. The triangle inequality does not hold. O(items) a pair.

    References
    ----------
    Sørensen (1948), A method of establishing groups of equal amplitude in plant sociology.

    Examples
    --------
    >>> round(Sorensen()([0, 1, 2], [1, 2, 3]), 3)  # 0 and 3, by six
    0.333
    """

    contents: ClassVar[frozenset[str]] = frozenset({"events", "items"})
    properties: ClassVar[frozenset[str]] = frozenset()

    def prepare(self, a: EncodedSequences, b: EncodedSequences) -> Any:
        first, second = as_sets(a), as_sets(b)
        return first.codes, first.offsets, second.codes, second.offsets

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        a_codes, a_offsets, b_codes, b_offsets = prepared
        return unshared_items(a_codes, a_offsets, b_codes, b_offsets, which, among, paired, SORENSEN)
