"""Prototypes of sets: many sets of items become one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.data.scales.item_set import as_sets
from discreet.data.scales.sequence import EncodedSequences
from discreet.operators.prototypes import SequenceOperator, prototype_length, register_sequence_operator
from discreet.typing import IntArray

__all__ = ["FrequentItems"]


@register_sequence_operator("frequent-items")
@dataclass(frozen=True)
class FrequentItems(SequenceOperator):
    """The items that most members of a group have, as many as a member has on average.

    Keeps what is common and the size of sets; what few have is lost. Where every member has as many items, no other set
    of that size shares more with the members. The set need not be one that anybody has.

    Notes
    -----
    The mean size is rounded, halves up, and is at least 1 unless all sets are empty. Ties go to the item that comes
    first in the alphabet. O(items · log).

    References
    ----------
    Barthélemy and Monjardet (1981), The median procedure in cluster analysis and social choice theory, for the majority
    set.

    Examples
    --------
    >>> FrequentItems()([[0, 1], [1, 2], [1, 2, 3]])  # 1 three times, 2 twice; mean size 7/3
    [1, 2]
    """

    contents: ClassVar[frozenset[str]] = frozenset({"events", "items"})

    def _prototypes(self, sequences: EncodedSequences, weights: IntArray, groups: IntArray) -> EncodedSequences:
        sets = as_sets(sequences)
        sizes = prototype_length(sets.lengths, weights, groups)
        owner = np.repeat(np.arange(len(sets)), sets.lengths)
        group = np.repeat(np.arange(sizes.size), np.diff(groups))[owner]
        n_items = int(sets.codes.max(initial=-1)) + 1
        cell, place = np.unique(group * max(n_items, 1) + sets.codes, return_inverse=True)
        holders = np.bincount(place, weights=weights[owner], minlength=cell.size)
        of_group, item = cell // max(n_items, 1), cell % max(n_items, 1)
        order = np.lexsort((item, -holders, of_group))
        first = np.searchsorted(of_group[order], np.arange(sizes.size))
        rank = np.arange(order.size) - first[of_group[order]]
        taken = order[rank < sizes[of_group[order]]]
        codes = np.sort(cell[taken])  # by group, then by the alphabet
        lengths = np.bincount(codes // max(n_items, 1), minlength=sizes.size)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        items = (codes % max(n_items, 1)).astype(np.int32)
        return EncodedSequences(items, offsets, np.zeros(sizes.size, dtype=np.bool_))
