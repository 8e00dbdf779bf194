"""Prototypes: many sequences of events become one.

A prototype is never empty unless every sequence of the group is, and is never longer than the longest or shorter than
the shortest of the group (an empty one aside). A group of equal sequences has that sequence as its prototype.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discreet.data.scales.dissimilarities import OSSOWA, Dissimilarity
from discreet.data.scales.scale import Scale
from discreet.data.scales.sequence import EncodedSequences
from discreet.errors import DataError, ParameterError
from discreet.kernels.sequences.sequence_prototypes import score_elements
from discreet.parameters import Integer, check_parameters
from discreet.registry import Registry
from discreet.typing import FloatArray, IntArray

__all__ = [
    "SEQUENCE_OPERATORS",
    "MajorityByPosition",
    "Medoid",
    "OrderedElementScoring",
    "SequenceOperator",
    "prototype_length",
    "register_sequence_operator",
    "sequence_operator_named",
    "sequence_operator_names",
]

SEQUENCE_OPERATORS: Registry[SequenceOperator] = Registry("operator on sequences")

register_sequence_operator = SEQUENCE_OPERATORS.register
sequence_operator_names = SEQUENCE_OPERATORS.names
sequence_operator_named = SEQUENCE_OPERATORS.named

_PAIRS = 1_000_000
"""Pairs of sequences that a medoid compares at a time."""

_MEAN = OSSOWA()

CONTENTS = frozenset({"sequence"})
"""What every scale of sequences answers to, whatever it is made of."""


class SequenceOperator(ABC):
    """Many sequences to one. Subclasses write ``_prototypes``."""

    name: ClassVar[str]
    scales: ClassVar[frozenset[str]] = frozenset({"sequence"})
    contents: ClassVar[frozenset[str]] = frozenset({"events"})
    """What the sequences may be made of that it joins: ``"events"``, ``"items"``, ``"series"`` and their like."""

    def bound_to(self, scale: Scale) -> SequenceOperator:  # noqa: ARG002 - a subclass reads it
        """Return the operator on what a scale encodes, where codes alone do not say what they stand for."""
        return self

    def dominated(self, sequences: EncodedSequences, labels: IntArray, weights: IntArray) -> int:  # noqa: ARG002
        """Return how many released things are medians, because one record would show through a mean."""
        return 0

    def __call__(self, sequences: Iterable[Any], weights: Any = None) -> list[int]:
        """Return the prototype of one group, sequences of codes in and out."""
        group = EncodedSequences.of(sequences)
        prototype = self.by_label(group, np.zeros(len(group), dtype=np.int64), weights)
        return [int(code) for code in prototype.codes]

    def by_label(self, sequences: EncodedSequences, labels: Any, weights: Any = None) -> EncodedSequences:
        """Return one prototype for each label ``0 … g − 1``.

        Parameters
        ----------
        sequences : EncodedSequences
            None of them missing.
        labels : (n,) int
            Every label is used.
        weights : (n,) int, optional
            How many records each sequence stands for.
        """
        owner = type(self).__name__
        groups = np.asarray(labels, dtype=np.int64)
        counts = np.ones(len(sequences), dtype=np.int64) if weights is None else np.asarray(weights)
        if groups.shape != (len(sequences),) or counts.shape != groups.shape:
            raise DataError(f"{owner}: labels and weights must have one entry for each of {len(sequences)} sequences.")
        if counts.dtype.kind not in "iu" or (counts < 1).any():
            raise ParameterError(f"{owner}: weights must be counts of at least 1.")
        if sequences.missing.any():
            raise DataError(f"{owner}: {int(sequences.missing.sum())} of {len(sequences)} sequences are missing.")
        if not groups.size or groups.min() < 0 or (np.bincount(groups) == 0).any():
            raise DataError(f"{owner}: labels must run from 0 to the number of groups less one, each of them used.")
        order = np.argsort(groups, kind="stable")
        bounds = np.concatenate([[0], np.cumsum(np.bincount(groups))]).astype(np.int64)
        return self._prototypes(sequences.take(order), counts[order].astype(np.int64), bounds)

    @abstractmethod
    def _prototypes(self, sequences: EncodedSequences, weights: IntArray, groups: IntArray) -> EncodedSequences:
        """Return the prototype of each group ``sequences[groups[g]:groups[g + 1]]``."""


def prototype_length(lengths: IntArray, weights: IntArray, groups: IntArray) -> IntArray:
    """Return the mean length of each group, halves rounded up; 1 in place of 0 unless all sequences are empty."""
    total = np.add.reduceat(lengths * weights, groups[:-1])
    size = np.add.reduceat(weights, groups[:-1])
    mean = (2 * total + size) // (2 * size)
    return np.asarray(np.maximum(mean, np.minimum(np.maximum.reduceat(lengths, groups[:-1]), 1)), dtype=np.int64)


@register_sequence_operator("oesp")
@dataclass(frozen=True)
class OrderedElementScoring(SequenceOperator):
    """Append, position by position, the event that scores highest there, until the mean length is reached.

    Keeps events that most of the group shares near where they happen, and runs of events that go together; what few
    sequences hold is lost. The prototype need not be a sequence that anybody has.

    Parameters
    ----------
    longest : int
        The most consecutive events that count as one element; 1 looks at single events only.

    Notes
    -----
    P3 describes ordered element scoring without defining it; this is our reading. At position t, an occurrence of an
    event at position p scores ``(1 + m) / (1 + |p − t|)``, m being how many of the events before it (at most
    ``longest − 1``) are those with which the prototype ends so far. Each sequence supports an event by its best
    occurrence that has not supported the prototype yet. Ties go to the event that comes first in the alphabet.
    O(length of the prototype × events of the group × longest).

    References
    ----------
    Valls, Gómez-Alonso and Torra (2009), Generation of prototypes for masking sequences of events; P3, section 2.3.

    Examples
    --------
    >>> OrderedElementScoring()([[0, 1, 2], [0, 1, 2, 3], [0, 2, 1]])  # mean length 10/3: three events
    [0, 1, 2]
    """

    longest: int = 3

    def __post_init__(self) -> None:
        check_parameters("OrderedElementScoring", {"longest": self.longest}, {"longest": Integer(1)})

    def _prototypes(self, sequences: EncodedSequences, weights: IntArray, groups: IntArray) -> EncodedSequences:
        lengths = prototype_length(sequences.lengths, weights, groups)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        codes = np.empty(int(starts[-1]), dtype=np.int32)
        n_events = int(sequences.codes.max(initial=-1)) + 1
        score_elements(sequences.codes, sequences.offsets, weights, groups, n_events, self.longest, starts, codes)
        return EncodedSequences(codes, starts, np.zeros(lengths.size, dtype=np.bool_))


@register_sequence_operator("majority")
@dataclass(frozen=True)
class MajorityByPosition(SequenceOperator):
    """The most frequent event of every position, up to the mean length.

    Right for states at fixed times; on itineraries it loses what happens at shifted positions.

    Notes
    -----
    Sequences that have ended have no say. Ties go to the event that comes first in the alphabet. O(events · log).

    References
    ----------
    Gabadinho et al. (2011), Analyzing and visualizing state sequences: the modal state sequence of life courses.

    Examples
    --------
    >>> MajorityByPosition()([[0, 1, 2], [0, 3, 2], [4, 1]])  # mean length 8/3: three events
    [0, 1, 2]
    """

    def _prototypes(self, sequences: EncodedSequences, weights: IntArray, groups: IntArray) -> EncodedSequences:
        lengths = prototype_length(sequences.lengths, weights, groups)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        owner = np.repeat(np.arange(len(sequences)), sequences.lengths)
        group = np.repeat(np.arange(lengths.size), np.diff(groups))[owner]
        position = np.arange(owner.size) - sequences.offsets[owner]
        inside = position < lengths[group]
        place = (starts[group] + position)[inside]
        n_events = int(sequences.codes.max(initial=-1)) + 1
        cell, inverse = np.unique(place * n_events + sequences.codes[inside], return_inverse=True)
        votes = np.bincount(inverse, weights=weights[owner][inside], minlength=cell.size)
        # The last one written is the winner: fewest votes first, and among equals the highest code first.
        order = np.lexsort((-cell, votes))
        codes = np.empty(int(starts[-1]), dtype=np.int32)
        codes[cell[order] // max(n_events, 1)] = (cell[order] % max(n_events, 1)).astype(np.int32)
        return EncodedSequences(codes, starts, np.zeros(lengths.size, dtype=np.bool_))


@register_sequence_operator("medoid")
@dataclass(frozen=True)
class Medoid(SequenceOperator):
    """The sequence of the group with the least sum of dissimilarities to all others.

    A sequence that somebody has: always possible, and always true of someone.

    Parameters
    ----------
    distance : Dissimilarity
        How far apart sequences are.

    Notes
    -----
    Ties go to the sequence that comes first. An empty sequence is chosen only where all are empty. O(Σ size²) pairs.

    References
    ----------
    Kaufman and Rousseeuw (1990), Finding groups in data.

    Examples
    --------
    >>> Medoid()([[0, 1, 2], [0, 1, 2, 3], [5, 1, 2, 3]])
    [0, 1, 2, 3]
    """

    distance: Dissimilarity = _MEAN
    contents: ClassVar[frozenset[str]] = CONTENTS

    def __post_init__(self) -> None:
        if not isinstance(self.distance, Dissimilarity):
            raise ParameterError(f"Medoid: distance must be a Dissimilarity; got {type(self.distance).__name__}.")

    def bound_to(self, scale: Scale) -> SequenceOperator:
        return Medoid(self.distance.comparing("Medoid", scale))

    def _prototypes(self, sequences: EncodedSequences, weights: IntArray, groups: IntArray) -> EncodedSequences:
        sums = self._sums(sequences, weights, groups)
        lengths = sequences.lengths
        filled = np.repeat(np.maximum.reduceat(lengths, groups[:-1]) > 0, np.diff(groups))
        sums[filled & (lengths == 0)] = np.inf
        group = np.repeat(np.arange(groups.size - 1), np.diff(groups))
        order = np.lexsort((np.arange(len(sequences)), sums, group))
        return sequences.take(order[groups[:-1]])

    def _sums(self, sequences: EncodedSequences, weights: IntArray, groups: IntArray) -> FloatArray:
        """Return for every sequence the weighted sum of its dissimilarities within its group."""
        comparison = self.distance.compare(sequences)
        sizes = np.diff(groups)
        sums = np.zeros(len(sequences))
        for start, stop in _batches(sizes):
            repeats = np.repeat(sizes[start:stop], sizes[start:stop])
            rows = np.repeat(np.arange(groups[start], groups[stop]), repeats)
            first = np.repeat(np.repeat(groups[start:stop], sizes[start:stop]), repeats)
            place = np.arange(rows.size) - np.repeat(np.cumsum(repeats) - repeats, repeats)
            distances = comparison.pairs(rows, first + place) * weights[first + place]
            sums += np.bincount(rows, weights=distances, minlength=sums.size)
        return sums


def _batches(sizes: IntArray) -> Iterable[tuple[int, int]]:
    """Yield runs of groups that have about `_PAIRS` pairs together, at least one group each."""
    ends = np.cumsum(sizes.astype(np.int64) ** 2)
    start = 0
    while start < sizes.size:
        before = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, before + _PAIRS, side="right")), start + 1)
        yield start, stop
        start = stop
