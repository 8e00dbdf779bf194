"""The nearest of all records while they come block by block.

Some records are asked for, and the others pass in blocks. The least distance wins, and equal ones add ties. What
rounding alone makes different is equal, and that is said of the nearest of all: so the distances of those that are
still tied are kept, until the last block has shown how near the nearest is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.contracts.links import Linked
from discreet.kernels.linking.nearest_list import SUMMING
from discreet.linkage.nearest import gather
from discreet.linkage.record_classes import NOBODY
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["NearestSoFar", "TiedLevels", "Tolerance"]


@dataclass(frozen=True, repr=False)
class Tolerance:
    """What counts as equally far.

    Attributes
    ----------
    slack : (m,) float64, optional
        By asked record, what rounding of coordinates explains of a distance; None where equal is equal to the last bit.
    squared : bool
        Whether sums of terms are squared distances.
    """

    slack: FloatArray | None = None
    squared: bool = False

    def tied_up_to(self, nearest: FloatArray) -> FloatArray:
        """Return by asked record the largest sum of terms that counts as equal to the nearest one.

        The rule of :func:`discreet.kernels.linking.nearest_list.tied_up_to`, to the last bit.
        """
        if self.slack is None:
            return nearest
        rounded = (nearest > 0.0) & (nearest < np.inf)
        limit = np.where(rounded, nearest, 1.0) * (1.0 + SUMMING)
        if self.squared:
            root = np.sqrt(limit) + self.slack
            limit = np.where(self.slack == 0.0, limit, root * root)
        else:
            limit = limit + self.slack
        return np.where(rounded, limit, nearest)

    def of(self, label: IntArray) -> Tolerance:
        """Return the same for records, given the class of each."""
        return Tolerance(None if self.slack is None else self.slack[label], self.squared)


@dataclass(frozen=True, repr=False)
class TiedLevels:
    """Equal distances of records that are near: of each, how many records have it, and the first two.

    Attributes
    ----------
    owner : (k,) int64
        Whose they are, rising.
    sums : (k,) float64
        The sum of terms.
    counts : (k,) int64
    lowest, following : (k,) int64
        The first and the second position.
    """

    owner: IntArray
    sums: FloatArray
    counts: IntArray
    lowest: IntArray
    following: IntArray

    def where(self, which: BoolArray) -> TiedLevels:
        """Return some of them."""
        return TiedLevels(
            self.owner[which], self.sums[which], self.counts[which], self.lowest[which], self.following[which]
        )

    def and_of(self, other: TiedLevels) -> TiedLevels:
        """Return both, equal distances of the same owner as one."""
        owner, sums = np.concatenate([self.owner, other.owner]), np.concatenate([self.sums, other.sums])
        order = np.lexsort((sums, owner))
        owner, sums = owner[order], sums[order]
        starts = np.flatnonzero((np.diff(owner, prepend=-1) != 0) | (np.diff(sums, prepend=np.nan) != 0))
        if not starts.size:
            return self
        lengths = np.diff(np.append(starts, owner.size))
        level = np.repeat(np.arange(starts.size), lengths)
        both = [np.concatenate(pair)[order] for pair in (
            (self.counts, other.counts), (self.lowest, other.lowest), (self.following, other.following)
        )]  # fmt: skip
        # The first two positions of a level are the first two of all that it is made of.
        position = np.concatenate(both[1:])
        ranked = position[np.lexsort((position, np.concatenate([level, level])))]
        return TiedLevels(
            owner[starts], sums[starts], np.add.reduceat(both[0], starts), ranked[2 * starts], ranked[2 * starts + 1]
        )

    def of(self, label: IntArray, m: int) -> TiedLevels:
        """Return the same for records, given the class of each, of `m`."""
        starts = np.searchsorted(self.owner, np.arange(m))
        lengths = np.bincount(self.owner, minlength=m)[label]
        at = gather(starts[label], lengths)
        owner = np.repeat(np.arange(label.size), lengths)
        return TiedLevels(owner, self.sums[at], self.counts[at], self.lowest[at], self.following[at])


@dataclass(frozen=True, repr=False)
class NearestSoFar:
    """Of every asked record, the nearest among the records that have passed.

    Attributes
    ----------
    records : int
        How many have passed.
    tolerance : Tolerance
    levels : TiedLevels
        The distances that are tied for the first place.
    runner_up, runner_up_sum : (m,) int64, float64
        The nearest that is not tied, and its sum of terms; −1 where it does not matter, or there is none.
    """

    records: int
    tolerance: Tolerance
    levels: TiedLevels
    runner_up: IntArray
    runner_up_sum: FloatArray

    def merge(self, later: NearestSoFar) -> NearestSoFar:
        """Return the nearest among the records of both."""
        m = self.runner_up.size
        levels = self.levels.and_of(later.levels)
        nearest = np.full(m, np.inf)
        np.minimum.at(nearest, levels.owner, levels.sums)
        tied = levels.sums <= self.tolerance.tied_up_to(nearest)[levels.owner]
        beyond = levels.where(~tied)
        queries = np.arange(m)
        owner = np.concatenate([queries, queries, beyond.owner])
        sums = np.concatenate([self.runner_up_sum, later.runner_up_sum, beyond.sums])
        position = np.concatenate([self.runner_up, later.runner_up, beyond.lowest])
        # The nearest of those that lost, the lowest position of equals; everybody has two entries at least.
        order = np.lexsort((np.where(position < 0, NOBODY, position), sums, owner))
        first = order[np.searchsorted(owner[order], queries)]
        return NearestSoFar(
            self.records + later.records, self.tolerance, levels.where(tied), position[first], sums[first]
        )

    def of(self, label: IntArray) -> NearestSoFar:
        """Return the same for records, given the class of each."""
        levels = self.levels.of(label, self.runner_up.size)
        return NearestSoFar(
            self.records, self.tolerance.of(label), levels, self.runner_up[label], self.runner_up_sum[label]
        )

    @property
    def ties(self) -> IntArray:
        """How many records share the least distance."""
        ties = np.zeros(self.runner_up.size, dtype=np.int64)
        np.add.at(ties, self.levels.owner, self.levels.counts)
        return ties

    @property
    def best(self) -> IntArray:
        """The first position at the least distance, −1 for nobody."""
        best = np.full(self.runner_up.size, NOBODY)
        np.minimum.at(best, self.levels.owner, self.levels.lowest)
        return np.where(best == NOBODY, -1, best)

    @property
    def second(self) -> IntArray:
        """The second position at the least distance, or whoever is nearest beyond it; −1 for nobody."""
        levels = self.levels
        owner, position = np.tile(levels.owner, 2), np.concatenate([levels.lowest, levels.following])
        order = np.lexsort((position, owner))
        starts = np.searchsorted(owner[order], np.arange(self.runner_up.size))
        crowded = self.ties > 1
        second = self.runner_up.copy()
        second[crowded] = position[order][starts[crowded] + 1]
        return second

    @property
    def sums(self) -> FloatArray:
        """The least sum of terms, infinite for nobody."""
        nearest = np.full(self.runner_up.size, np.inf)
        np.minimum.at(nearest, self.levels.owner, self.levels.sums)
        return nearest

    @property
    def score(self) -> FloatArray:
        """The least distance."""
        return np.sqrt(self.sums) if self.tolerance.squared else self.sums

    @property
    def second_score(self) -> FloatArray:
        """The distance of the second."""
        sums = np.where(self.ties > 1, self.sums, self.runner_up_sum)
        return np.sqrt(sums) if self.tolerance.squared else sums

    def evaluate(self, own: FloatArray) -> Linked:
        """Compare with the truth.

        Parameters
        ----------
        own : (m,) float64
            The sum of terms of every asked record and the one that it is.
        """
        right = own <= self.tolerance.tied_up_to(self.sums)
        right &= np.isfinite(own)
        ties = self.ties
        chance = np.where(right, 1.0 / np.maximum(ties, 1), 0.0)
        return Linked(
            expected=float(chance.sum()),
            optimistic=int(right.sum()),
            pessimistic=int((right & (ties == 1)).sum()),
            n=right.size,
            chance=right.size / max(self.records, 1),
            probability=chance,
        )
