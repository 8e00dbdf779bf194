"""Prototypes of series: many series of readings become one.

What is released goes in the steps of the scale, as the data do: a mean of `k` readings has no digit that theirs have
not.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from discreet.data.scales.measured import GAP
from discreet.data.scales.sequence import EncodedSequences
from discreet.kernels.sequences.barycentre import warped_means
from discreet.operators.prototypes import SequenceOperator, prototype_length, register_sequence_operator
from discreet.parameters import Number, check_parameters
from discreet.typing import BoolArray, CodeArray, IntArray

__all__ = ["PointwiseMean", "PointwiseMedian", "WarpedMean"]

_FEW = 3
"""Readings that a released one must come from, where a group has so many members."""

_ROUNDS = 10

_DOMINANT = 0.8
"""The share of a sum that the reading of one record may have: beyond it, the mean times the count is that reading."""
_BLURRED = 10
"""Steps a record, up to which rounding a mean hides the reading that dominates it."""


class _Readings(NamedTuple):
    """The readings of groups, sorted by place (a group and a position in it) and by size."""

    place: IntArray
    codes: IntArray
    weights: IntArray


class Pointwise(SequenceOperator):
    """A prototype whose readings are each made of the group's readings at the same time."""

    contents: ClassVar[frozenset[str]] = frozenset({"series"})

    def _prototypes(self, sequences: EncodedSequences, weights: IntArray, groups: IntArray) -> EncodedSequences:
        n_groups = groups.size - 1
        members = np.add.reduceat(weights, groups[:-1])
        # More than half of the records, and three of them where there are three: one reading is nobody's alone.
        needed = np.minimum(members, np.maximum(members // 2 + 1, _FEW))
        owner = np.repeat(np.arange(len(sequences)), sequences.lengths)
        group = np.repeat(np.arange(n_groups), np.diff(groups))[owner]
        position = np.arange(owner.size) - sequences.offsets[owner]
        width = int(sequences.lengths.max(initial=0)) or 1
        place = group * width + position
        size = n_groups * width
        reached = np.bincount(place, weights=weights[owner], minlength=size).reshape(n_groups, width)
        lengths = (reached >= needed[:, None]).sum(axis=1)
        there = sequences.codes != GAP
        order = np.lexsort((sequences.codes[there], place[there]))
        readings = _Readings(
            place[there][order], sequences.codes[there][order].astype(np.int64), weights[owner][there][order]
        )
        held = np.bincount(readings.place, weights=readings.weights, minlength=size)
        codes = np.where(held >= np.repeat(needed, width), self._joined(readings, size), GAP)
        inside = (np.arange(width)[None, :] < lengths[:, None]).ravel()
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return EncodedSequences(codes[inside].astype(np.int32), offsets, np.zeros(n_groups, dtype=np.bool_))

    @abstractmethod
    def _joined(self, readings: _Readings, size: int) -> IntArray:
        """Return one reading for each of `size` places; anything where there is none."""


def _dominated(readings: _Readings, starts: IntArray) -> BoolArray:
    """Say at which places one record has nearly all of the sum of sizes."""
    sizes = np.abs(readings.codes)
    total = np.add.reduceat(sizes * readings.weights, starts)
    count = np.add.reduceat(readings.weights, starts)
    largest = np.maximum.reduceat(sizes, starts)
    return np.asarray((count > 1) & (largest > _DOMINANT * total) & (largest > _BLURRED * count))


def _dominated_by_group(sequences: EncodedSequences, labels: IntArray, weights: IntArray) -> IntArray:
    """Return by group at how many times one record has nearly all of the sum of sizes."""
    labels = np.asarray(labels, dtype=np.int64)
    n_groups = int(labels.max(initial=-1)) + 1
    owner = np.repeat(np.arange(len(sequences)), sequences.lengths)
    width = int(sequences.lengths.max(initial=0)) or 1
    place = labels[owner] * width + np.arange(owner.size) - sequences.offsets[owner]
    there = np.flatnonzero(sequences.codes != GAP)
    there = there[np.argsort(place[there], kind="stable")]
    if not there.size:
        return np.zeros(n_groups, dtype=np.int64)
    readings = _Readings(place[there], sequences.codes[there].astype(np.int64), np.asarray(weights)[owner[there]])
    starts = np.flatnonzero(np.diff(readings.place, prepend=-1))
    found = readings.place[starts][_dominated(readings, starts)]
    return np.bincount(found // width, minlength=n_groups)


@register_sequence_operator("pointwise-mean")
@dataclass(frozen=True)
class PointwiseMean(Pointwise):
    """The mean reading of the group at every time.

    Keeps means by time and sums; peaks that come at different times are flattened.

    Notes
    -----
    Rounded to whole steps, halves up. A reading is released where more than half of the records have one, and at least
    three where the group has three; else there is a gap, and after the last such time the series has ended. Where one
    record has more than 80 % of the sum of sizes, more than ten steps for every record, its reading would be the mean
    times the count: the median is released instead, and a gap where there are two readings. O(readings · log).

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation; Nin and Torra (2006), Extending
    microaggregation procedures for time series protection.

    Examples
    --------
    >>> PointwiseMean()([[10, 20], [11, 20], [15, 26]])  # 12 and 22
    [12, 22]
    """

    def dominated(self, sequences: EncodedSequences, labels: IntArray, weights: IntArray) -> int:
        return int(_dominated_by_group(sequences, labels, weights).sum())

    def _joined(self, readings: _Readings, size: int) -> IntArray:
        starts = np.flatnonzero(np.diff(readings.place, prepend=-1))
        means = np.full(size, GAP, dtype=np.int64)
        if starts.size:
            total = np.add.reduceat(readings.codes * readings.weights, starts)
            count = np.add.reduceat(readings.weights, starts)
            means[readings.place[starts]] = (2 * total + count) // (2 * count)
            dominated = np.zeros(size, dtype=np.bool_)
            dominated[readings.place[starts]] = _dominated(readings, starts)
            if dominated.any():
                few = np.zeros(size, dtype=np.bool_)
                few[readings.place[starts]] = count < _FEW  # the median of two is their mean
                instead = np.where(few, GAP, PointwiseMedian()._joined(readings, size))  # noqa: SLF001 - of this module
                means = np.where(dominated, instead, means)
        return means


@register_sequence_operator("pointwise-median")
@dataclass(frozen=True)
class PointwiseMedian(Pointwise):
    """The median reading of the group at every time.

    A single odd member moves nothing, and who knows all members but one learns little of the last; sums are not kept.

    Notes
    -----
    Of an even number the mean of the middle two, in whole steps, halves up. Gaps and ends as in ``pointwise-mean``.
    O(readings · log).

    References
    ----------
    Torra (2004), Microaggregation for categorical variables: a median based approach.

    Examples
    --------
    >>> PointwiseMedian()([[10, 20], [11, 20], [15, 26]])
    [11, 20]
    """

    def _joined(self, readings: _Readings, size: int) -> IntArray:
        medians = np.full(size, GAP, dtype=np.int64)
        starts = np.flatnonzero(np.diff(readings.place, prepend=-1))
        if not starts.size:
            return medians
        run = np.repeat(np.arange(starts.size), np.diff(np.append(starts, readings.place.size)))
        cumulated = np.cumsum(readings.weights)
        before = cumulated - readings.weights
        base = before[starts][run]
        total = np.add.reduceat(readings.weights, starts)[run]
        middle = (2 * (cumulated - base) >= total) & (2 * (before - base) <= total)
        # One or two readings of every run are in the middle: the first and the last of them.
        places = np.flatnonzero(middle)
        first = places[np.searchsorted(run[places], np.arange(starts.size))]
        last = places[np.searchsorted(run[places], np.arange(starts.size), side="right") - 1]
        medians[readings.place[starts]] = (readings.codes[first] + readings.codes[last] + 1) // 2
        return medians


@register_sequence_operator("dtw-barycentre")
@dataclass(frozen=True)
class WarpedMean(SequenceOperator):
    """The series whose readings are the means of what dynamic time warping aligns with them.

    Keeps the shape of the group's curves where they are shifted against each other; times are those of nobody.

    Parameters
    ----------
    window : float
        How far readings may be shifted, as a share of the longer series.

    Notes
    -----
    Begins with the pointwise mean and improves it up to ten times (DBA). Where many have gaps, use ``pointwise-mean``:
    a prototype with a gap in its first guess is released as that, and so is one of a group in which a record dominates
    a mean. As long as a series is on average. Rounded to whole
    steps, halves up. O(length² · window) a member and round.

    References
    ----------
    Petitjean, Ketterlin and Gançarski (2011), A global averaging method for dynamic time warping.

    Examples
    --------
    >>> WarpedMean(window=0.5)([[0, 9, 0, 0], [0, 9, 0, 0], [0, 0, 9, 0]])
    [0, 9, 0, 0]
    """

    window: float = 0.1
    contents: ClassVar[frozenset[str]] = frozenset({"series"})

    def __post_init__(self) -> None:
        check_parameters("WarpedMean", {"window": self.window}, {"window": Number(0, 1)})

    def dominated(self, sequences: EncodedSequences, labels: IntArray, weights: IntArray) -> int:
        return PointwiseMean().dominated(sequences, labels, weights)

    def _prototypes(self, sequences: EncodedSequences, weights: IntArray, groups: IntArray) -> EncodedSequences:
        labels = np.repeat(np.arange(groups.size - 1), np.diff(groups))
        first = PointwiseMean().by_label(sequences, labels, weights)
        lengths = np.minimum(first.lengths, prototype_length(sequences.lengths, weights, groups))
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        codes = first.codes[_inside(first, lengths)].copy()
        longest = int(max(sequences.lengths.max(initial=0), lengths.max(initial=0)))
        guess = codes.copy()
        warped_means(
            sequences.codes, sequences.offsets, weights, groups, starts, float(self.window), _ROUNDS, longest, codes
        )
        codes = _without_gaps(guess, codes, starts)
        kept = np.repeat(_dominated_by_group(sequences, labels, weights) > 0, lengths)
        codes = np.where(kept, guess, codes).astype(np.int32)
        return EncodedSequences(codes, starts, np.zeros(lengths.size, dtype=np.bool_))


def _inside(sequences: EncodedSequences, lengths: IntArray) -> BoolArray:
    owner = np.repeat(np.arange(len(sequences)), sequences.lengths)
    return np.asarray(np.arange(owner.size) - sequences.offsets[owner] < lengths[owner])


def _without_gaps(guess: CodeArray, improved: CodeArray, starts: IntArray) -> CodeArray:
    """Return improved prototypes but for those whose first guess has a gap: too few have a reading there."""
    owner = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    gaps = np.bincount(owner, weights=guess == GAP, minlength=starts.size - 1) > 0
    return np.where(gaps[owner], guess, improved).astype(np.int32)
