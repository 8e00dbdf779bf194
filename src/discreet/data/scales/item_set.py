"""Sets of items: what somebody has, without an order and without counting twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.data.scales.sequence import EncodedSequences, Sequence
from discreet.typing import Level

__all__ = ["ItemSet", "as_sets"]


@dataclass(frozen=True, init=False)
class ItemSet(Sequence):
    """A set of items: diagnoses of a patient, goods in a basket, films that somebody has seen.

    Parameters
    ----------
    alphabet : sequence of str or int
        The items that there are.
    delimiter : str
        What stands between two items where a set is written as text. A list column needs none.

    Notes
    -----
    An item that is listed twice counts once, and the order in which items are written means nothing: sets are encoded
    in the order of the alphabet, and released so. An empty set is a set, a null is a missing one.

    Examples
    --------
    >>> baskets = ItemSet(["bread", "milk", "tea"])
    >>> baskets.decode(baskets.encode(["tea bread", "milk milk"])).to_pylist()
    [['bread', 'tea'], ['milk']]
    """

    name: ClassVar[str] = "items"
    answers: ClassVar[frozenset[str]] = frozenset({"sequence", "items"})
    own_distance: ClassVar[str] = "jaccard"
    own_prototype: ClassVar[str] = "frequent-items"

    def encode(self, values: Any, missing: tuple[Level, ...] = ()) -> EncodedSequences:
        """Return flat codes and offsets, every set in the order of the alphabet; a null is a missing one."""
        return as_sets(super().encode(values, missing))


def as_sets(sequences: EncodedSequences) -> EncodedSequences:
    """Return sequences of codes as sets: sorted, each code once.

    Examples
    --------
    >>> as_sets(EncodedSequences.of([[2, 0, 2], []])).codes.tolist()
    [0, 2]
    """
    owner = np.repeat(np.arange(len(sequences)), sequences.lengths)
    order = np.lexsort((sequences.codes, owner))
    codes, owner = sequences.codes[order], owner[order]
    new = np.ones(codes.size, dtype=np.bool_)
    new[1:] = (codes[1:] != codes[:-1]) | (owner[1:] != owner[:-1])
    lengths = np.bincount(owner[new], minlength=len(sequences))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return EncodedSequences(np.ascontiguousarray(codes[new]), offsets, sequences.missing)
