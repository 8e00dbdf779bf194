"""Records that stay in the file fully generalised, after others of them got steps of their own.

What is left of them is a class like any other. Where it does not keep what is promised, classes that had got steps of
their own join it, the smallest first. With all of them it is the class that was judged before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet.data.guarantees import Guarantee, all_hold
from discreet.masking.recoding.key_ladders import NamedLadder
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["JoinedClasses", "record_costs"]


class JoinedClasses:
    """A release whose records have steps of their own, and some of which are fully generalised.

    Parameters
    ----------
    ladders : dict of str to NamedLadder
    columns : dict of str to (n,) int64
        The leaf of every record; −1 where it is missing.
    others : dict of str to list
        The columns that promises speak of besides the keys.
    promises : sequence of Guarantee

    Notes
    -----
    O(records × promises) for every class that joins.
    """

    def __init__(
        self,
        ladders: Mapping[str, NamedLadder],
        columns: Mapping[str, IntArray],
        others: Mapping[str, list[Any]],
        promises: Sequence[Guarantee],
    ) -> None:
        self.columns, self.others, self.promises = columns, others, promises
        # A cell says what the file says behind a mark, so that no name is taken for a missing code.
        self.texts = {
            name: np.array([[f"={row[step]}" for row in one.rows] for step in range(one.height + 1)], dtype=object)
            for name, one in ladders.items()
        }
        self.tops = {name: f"={one.top}" for name, one in ladders.items()}

    def cells(self, steps: IntArray, lost: BoolArray) -> dict[str, list[str | None]]:
        """Return the keys as they would be written."""
        shown = {}
        for a, (name, codes) in enumerate(self.columns.items()):
            texts = self.texts[name][steps[:, a], np.maximum(codes, 0)]
            texts[codes < 0] = None
            texts[lost] = self.tops[name]
            shown[name] = texts.tolist()
        return shown

    def kept(self, steps: IntArray, lost: BoolArray) -> bool:
        """Say whether every promise holds."""
        return all_hold(self.promises, {**self.cells(steps, lost), **self.others})

    def settle(self, steps: IntArray, lost: BoolArray, first: BoolArray) -> BoolArray:
        """Return which records are fully generalised so that every promise holds.

        Parameters
        ----------
        steps : (n, m) int64
            Of records that are not `lost`.
        lost : (n,) bool
        first : (n,) bool
            Those that were lost before some got steps of their own, with whom every promise held.
        """
        lost = lost.copy()
        if self.kept(steps, lost):
            return lost
        own = np.flatnonzero(first & ~lost)
        shown = list(zip(*self.cells(steps, lost).values(), strict=True))
        numbers: dict[tuple[str | None, ...], int] = {}
        labels = np.array([numbers.setdefault(shown[row], len(numbers)) for row in own.tolist()], dtype=np.int64)
        for joins in np.argsort(np.bincount(labels), kind="stable").tolist():
            lost[own[labels == joins]] = True
            if self.kept(steps, lost):
                break
        return lost


def record_costs(
    ladders: Mapping[str, NamedLadder],
    columns: Mapping[str, IntArray],
    steps: IntArray,
    objective: str,
    importance: Mapping[str, float],
) -> FloatArray:
    """Return what every record costs at its steps, between 0 and 1, by "loss" or "precision"."""
    total = np.zeros(len(steps))
    weights = {name: float(importance.get(name, 1.0)) for name in ladders}
    for a, (name, ladder) in enumerate(ladders.items()):
        leaves = ladder.groups.shape[1]
        covered = np.stack([np.bincount(groups, minlength=leaves)[groups] for groups in ladder.groups])
        by_leaf = (covered - 1) / max(leaves - 1, 1)
        if objective == "precision":
            by_leaf = np.repeat(np.arange(ladder.height + 1)[:, None] / max(ladder.height, 1), leaves, axis=1)
        codes = columns[name]
        cells = np.where(codes < 0, 0.0, by_leaf[steps[:, a], np.maximum(codes, 0)])
        total += weights[name] / sum(weights.values()) * cells
    return total
