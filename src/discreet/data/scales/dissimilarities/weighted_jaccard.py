"""Weighted Jaccard distance of the terms of query logs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.data.scales.dissimilarities.dissimilarity import Dissimilarity, n_events, register_dissimilarity
from discreet.data.scales.query_log import OTHER, terms_of
from discreet.data.scales.sequence import EncodedSequences
from discreet.kernels.sequences.shared_items import unshared_weight
from discreet.typing import FloatArray, IntArray

__all__ = ["WeightedJaccard"]


@register_dissimilarity("weighted-jaccard")
@dataclass(frozen=True)
class WeightedJaccard(Dissimilarity):
    """Weight of the terms that only one of two logs has, by the weight of all terms of either; rare terms weigh more.

    That two people both looked for "the" says little; that both looked for a small town says much. How often, in which
    order and in which query does not matter.

    Notes
    -----
    ``1 − Σ_{A ∩ B} w / Σ_{A ∪ B} w`` with ``w = ln(r + 1)`` for the term of rank r in the alphabet, the commonest being
    the first: in natural text, the frequency of a term falls as 1 / r (Zipf), so that this is the inverse document
    frequency but for a constant, and it does not depend on which logs are compared. 0 for two logs without terms. A
    metric on sets. O(terms) a pair.

    References
    ----------
    Spärck Jones (1972), A statistical interpretation of term specificity; Ioffe (2010), Improved consistent sampling,
    weighted minhash and L1 sketching; Navarro-Arribas, Torra, Erola and Castellà-Roca (2012), User k-anonymity for
    privacy preserving data mining of query logs.

    Examples
    --------
    >>> round(WeightedJaccard()([2, 3], [2, 0, 4]), 3)  # ln 3 + ln 4 of ln 2 + ln 3 + ln 4
    0.782
    """

    contents: ClassVar[frozenset[str]] = frozenset({"queries"})
    properties: ClassVar[frozenset[str]] = frozenset({"triangle"})

    def prepare(self, a: EncodedSequences, b: EncodedSequences) -> Any:
        first = terms_of(a)
        second = first if a is b else terms_of(b)
        # Codes 2, 3, … are ranks 1, 2, …
        weights = np.log(np.maximum(np.arange(n_events(first, second), dtype=np.float64) - OTHER + 1.0, 2.0))
        return first.codes, first.offsets, second.codes, second.offsets, weights

    def run(self, prepared: Any, which: IntArray, among: IntArray, paired: bool) -> FloatArray:
        a_codes, a_offsets, b_codes, b_offsets, weights = prepared
        return unshared_weight(a_codes, a_offsets, b_codes, b_offsets, which, among, paired, weights)
