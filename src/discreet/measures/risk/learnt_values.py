"""What is read off the nearest released records: questions that may pass in blocks.

Half of the records play the release, by a draw at their position, and some of all are looked for among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.data.block import Block
from discreet.data.keyed_draws import Draws
from discreet.data.levels import JoinedLevels
from discreet.data.microdata import Microdata
from discreet.linkage.nearest_so_far import NearestSoFar
from discreet.linkage.shared.coordinates import Spread
from discreet.linkage.shared.term_search import DistanceSearch
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["GuessedValue", "HalfSpread", "LearningSearch", "LearntSoFar", "values_within", "within_release"]


def within_release(seed: int, rows: IntArray) -> BoolArray:
    """Say by position who is in the half that plays the release."""
    return np.asarray(Draws.of(seed, None, "half").uniform(np.asarray(rows)) < 0.5)


def values_within(
    values: FloatArray, label: IntArray, groups: IntArray, middle: FloatArray, reach: float
) -> FloatArray:
    """Return how many members of a group have a value within reach of the one that is asked for, pair by pair.

    Parameters
    ----------
    values, label : (n,)
        Of every record its value, NaN for none, and its group.
    groups, middle : (pairs,)
        The group that is looked at, and the value that is asked for, NaN for none.
    """
    # Values group after group, each in order: those near a value are two searches apart.
    order = np.lexsort([values, label])
    ordered, starts = values[order], np.searchsorted(label[order], np.arange(label.max(initial=0) + 2))
    hits = np.zeros(groups.size)
    for pair in np.flatnonzero(~np.isnan(middle)):
        mine = ordered[starts[groups[pair]] : starts[groups[pair] + 1]]
        low, high = middle[pair] - reach, middle[pair] + reach
        hits[pair] = np.searchsorted(mine, high, "right") - np.searchsorted(mine, low)
    return hits


@dataclass(frozen=True)
class HalfSpread:
    """How numbers of the released half spread, gaps read as the values in `middle`."""

    names: tuple[str, ...]
    middle: tuple[float, ...]
    seed: int

    original: tuple[str, ...] = ()

    @property
    def released(self) -> tuple[str, ...]:
        return self.names

    def summarise(self, block: Block, /) -> Spread:
        numbers = block.release.numeric(self.names)[within_release(self.seed, block.rows)]
        return Spread.of(np.where(np.isnan(numbers), np.array(self.middle), numbers))


@dataclass(frozen=True, repr=False)
class GuessedValue:
    """A confidential attribute, and what is true of the people who are looked for.

    Attributes
    ----------
    levels : JoinedLevels, optional
        Of categories; None for a number.
    truth : (people,) float64
        The number or the level, NaN where it is missing: nobody guesses that.
    reach : float
        A guess is right that is no farther.
    """

    name: str
    levels: JoinedLevels | None
    truth: FloatArray
    reach: float

    def published(self, table: Microdata) -> FloatArray:
        """Return the values of some released records."""
        codes = table.encoded(self.name)
        return np.asarray(codes if self.levels is None else self.levels.after(codes), dtype=np.float64)


@dataclass(frozen=True, repr=False)
class LearntSoFar:
    """What is read off the nearest among the records that have passed.

    Attributes
    ----------
    nearest : NearestSoFar
    owner : (k,) int64
        Who is looked for.
    sums : (k,) float64
        How far records are that may still be the nearest.
    hits : (k, attributes) float64
        How many of them have the right value.
    """

    nearest: NearestSoFar
    owner: IntArray
    sums: FloatArray
    hits: FloatArray

    def merge(self, later: LearntSoFar, /) -> LearntSoFar:
        nearest = self.nearest.merge(later.nearest)
        owner, sums = np.concatenate([self.owner, later.owner]), np.concatenate([self.sums, later.sums])
        hits = np.concatenate([self.hits, later.hits])
        tied = np.flatnonzero(sums <= nearest.tolerance.tied_up_to(nearest.sums)[owner])
        order = tied[np.lexsort((sums[tied], owner[tied]))]
        owner, sums = owner[order], sums[order]
        starts = np.flatnonzero((np.diff(owner, prepend=-1) != 0) | (np.diff(sums, prepend=np.nan) != 0))
        return LearntSoFar(nearest, owner[starts], sums[starts], np.add.reduceat(hits[order], starts, axis=0))

    def shares(self) -> FloatArray:
        """Return by person and attribute the share of the nearest records with the right value."""
        total = np.zeros((self.nearest.runner_up.size, self.hits.shape[1]))
        np.add.at(total, self.owner, self.hits)
        return np.asarray(total / np.maximum(self.nearest.ties, 1)[:, None])


@dataclass(frozen=True, repr=False, eq=False)
class LearningSearch:
    """Look for people in the half that plays the release, and read confidential values off whoever is nearest."""

    search: DistanceSearch
    values: tuple[GuessedValue, ...]
    seed: int

    original: tuple[str, ...] = ()

    @property
    def released(self) -> tuple[str, ...]:
        return (*self.search.yardstick.names, *(one.name for one in self.values))

    def summarise(self, block: Block, /) -> LearntSoFar:
        inside = np.flatnonzero(within_release(self.seed, block.rows))
        half: Any = block.release.select(self.released).take(inside)
        nearest, tied = self.search.tied_among(half, np.asarray(block.rows)[inside])
        hits = [
            values_within(one.published(half), tied.label, tied.group, one.truth[tied.owner], one.reach)
            for one in self.values
        ]
        return LearntSoFar(nearest, tied.owner, tied.sums, np.stack(hits, axis=1))
