"""What trajectories are made of: how far they moved, cells they pass through, how long they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from discreet.data.block import Block
from discreet.data.scales.sequence import EncodedSequences
from discreet.data.scales.trajectory import EARTH, Trajectory, Waypoints, on_map
from discreet.data.schema import Schema
from discreet.kernels.sequences.paths import places_at
from discreet.statistics.question import OfBothFiles
from discreet.statistics.sequence_counts import EventTally
from discreet.typing import FloatArray, IntArray

__all__ = ["PathParts", "PathSums"]

_ROWS = np.int64(2**31)
_FINEST = 0.01
"""The share of the span in which lengths are told apart."""


@dataclass(frozen=True, repr=False)
class PathSums:
    """By attribute, over the records that have a trajectory in both files.

    Attributes
    ----------
    moved : dict of str to (3,) float64
        Over the points of the original, what they weigh, and the sums of d / (d + span) and of d, the distance to where
        the release is at that time; a record whose release has no point counts 1 and no distance.
    cells, lengths : dict of str to pair of EventTally
        Before, after: the points in each cell of the grid; the lengths of ways, in hundredths of the span.
    """

    moved: dict[str, FloatArray]
    cells: dict[str, tuple[EventTally, EventTally]]
    lengths: dict[str, tuple[EventTally, EventTally]]

    def merge(self, later: PathSums, /) -> PathSums:
        cells, lengths = (
            {name: (one[0].merge(theirs[name][0]), one[1].merge(theirs[name][1])) for name, one in mine.items()}
            for mine, theirs in ((self.cells, later.cells), (self.lengths, later.lengths))
        )
        return PathSums({n: sums + later.moved[n] for n, sums in self.moved.items()}, cells, lengths)


@dataclass(frozen=True)
class PathParts(OfBothFiles):
    """Ask what trajectories are made of; three losses conclude from it.

    Parameters
    ----------
    names : tuple of str
    scales : tuple of Trajectory
        Those of the original.
    size : float
        The side of a cell: metres on the globe, else in the unit of coordinates; 0 for a tenth of the span.
    weight : str, optional
        The survey weight, a column of the original.
    """

    names: tuple[str, ...]
    scales: tuple[tuple[Trajectory, Trajectory], ...]
    size: float = 0.0
    weight: str | None = None

    @classmethod
    def asked(
        cls, names: tuple[str, ...], schemas: tuple[Schema, Schema], size: float | None, weight: str | None
    ) -> PathParts:
        """Ask of two files with these declarations."""
        scales = tuple((schemas[0][name].scale, schemas[1][name].scale) for name in names)
        # Whoever asks looks at trajectories alone.
        return cls(names, cast("tuple[tuple[Trajectory, Trajectory], ...]", scales), size or 0.0, weight)

    def summarise(self, block: Block, /) -> PathSums:
        survey_weights = None if self.weight is None else block.original.weights()
        weights: FloatArray = np.ones(len(block)) if survey_weights is None else survey_weights
        sums = PathSums({}, {}, {})
        for name, (scale, released) in zip(self.names, self.scales, strict=True):
            before, after = block.original.encoded(name), scale.translated(released, block.release.encoded(name))
            there = np.flatnonzero(~(before.missing | after.missing))
            sides = [_side(one.take(there), scale) for one in (before, after)]
            span = scale.span or 1.0
            sums.moved[name] = _moved(sides[0], sides[1], scale, weights[there], span)
            counted = weights[there]
            size = self.size or span / 10.0
            sums.cells[name] = (_cells(sides[0], scale, size, counted), _cells(sides[1], scale, size, counted))
            sums.lengths[name] = (_lengths(sides[0], scale, span, counted), _lengths(sides[1], scale, span, counted))
        return sums


def _side(encoded: EncodedSequences, scale: Trajectory) -> Waypoints:
    return scale.places(encoded)


def _moved(before: Waypoints, after: Waypoints, scale: Trajectory, weights: FloatArray, span: float) -> FloatArray:
    owner = np.repeat(np.arange(weights.size), np.diff(before.offsets))
    places = places_at(*after, owner, before.times)
    several, meets = _met(before, after, owner)
    places[several] = after.points[meets]
    far = scale.apart(places, before.points)
    nowhere = np.isnan(far)
    share = np.where(nowhere, 1.0, np.nan_to_num(far) / (np.nan_to_num(far) + span))
    counted = weights[owner]
    return np.array([counted.sum(), counted @ share, counted @ np.nan_to_num(far)])


def _met(before: Waypoints, after: Waypoints, owner: IntArray) -> tuple[IntArray, IntArray]:
    """Return which points meet a time at which the other file has several, and which: the first meets the first."""
    others = np.repeat(np.arange(after.offsets.size - 1), np.diff(after.offsets))
    who, when = np.concatenate([others, owner]), np.concatenate([after.times, before.times])
    order = np.lexsort((when, who))
    new = np.ones(order.size, dtype=np.bool_)
    new[1:] = (np.diff(who[order]) != 0) | (np.diff(when[order]) != 0)
    moment = np.empty(order.size, dtype=np.int64)
    moment[order] = np.cumsum(new) - 1
    there, here = moment[: others.size], moment[others.size :]
    counts = np.bincount(there, minlength=int(new.sum()))
    first = np.zeros(counts.size, dtype=np.int64)
    first[there[::-1]] = np.arange(there.size)[::-1]
    begins = np.flatnonzero(np.diff(here, prepend=-1))
    rank = np.arange(here.size) - np.repeat(begins, np.diff(np.append(begins, here.size)))
    several = np.flatnonzero(counts[here] > 1)
    return several, first[here[several]] + np.minimum(rank[several], counts[here[several]] - 1)


def _cells(side: Waypoints, scale: Trajectory, size: float, weights: FloatArray) -> EventTally:
    coordinates = on_map(side.points, bool(scale.geographic))
    owner = np.repeat(np.arange(weights.size), np.diff(side.offsets))
    degree = np.radians(1.0) * EARTH if scale.geographic else 1.0
    row = np.floor(coordinates[:, 0] * degree / size)
    width = np.cos(np.radians((row + 0.5) * size / degree)).clip(1e-3) if scale.geographic else 1.0
    column = np.floor(coordinates[:, 1] * degree * width / size)
    codes: IntArray = row.astype(np.int64) * _ROWS + column.astype(np.int64)
    return EventTally.of(codes, weights[owner])


def _lengths(side: Waypoints, scale: Trajectory, span: float, weights: FloatArray) -> EventTally:
    counts = np.diff(side.offsets)
    owner = np.repeat(np.arange(weights.size), counts)
    total: FloatArray = np.zeros(weights.size)
    if owner.size > 1:
        inner = owner[1:] == owner[:-1]
        legs = scale.apart(side.points[1:], side.points[:-1])
        total = np.asarray(np.bincount(owner[1:][inner], weights=legs[inner], minlength=weights.size), dtype=np.float64)
    return EventTally.of(np.rint(total / (span * _FINEST)).astype(np.int64), weights)
