"""Pairs counted by whether attributes agree at all, and no finer than a model of independent attributes asks.

A number agrees in its class or to the last digit. With three such numbers there are three times as many patterns as
sets of attributes that agree, and as much more to count; an estimator that is anchored, or that knows the truth, reads
the sets alone, and of finer agreement how often it comes with agreement on everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.contracts.engine import Engine
from discreet.linkage.record_classes import distinct_rows
from discreet.linkage.shared.agreement import Agreement
from discreet.linkage.shared.packed_records import PackedFiles
from discreet.linkage.shared.pattern_counts import PatternCounts, count_patterns
from discreet.typing import BoolArray, FloatArray, IntArray, LevelArray

__all__ = ["CoarseCounts", "count_coarsely"]


@dataclass(frozen=True, repr=False)
class CoarseCounts:
    """Exact numbers of pairs by the set of attributes that agree, and by the state of each attribute alone.

    Attributes
    ----------
    sets : PatternCounts
        Of two states an attribute: it agrees, or does not.
    states : tuple of (states,) int64
        By attribute, the pairs between the files by its state.
    own_states : tuple of (states,) int64
        By attribute, records of A by the state in which they agree with themselves.
    agreeing : tuple of (2, states) int64
        By attribute, pairs between the files, and of different records of A, that agree on everything else, by its
        state.
    """

    sets: PatternCounts
    states: tuple[IntArray, ...]
    own_states: tuple[IntArray, ...]
    agreeing: tuple[IntArray, ...]

    @property
    def n_a(self) -> int:
        """The records of A."""
        return self.sets.n_a

    @property
    def n_b(self) -> int:
        """The records of B."""
        return self.sets.n_b

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return self.sets.names

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of states of every attribute."""
        return tuple(pairs.size for pairs in self.states)

    @property
    def occurring(self) -> BoolArray:
        """By pattern, whether there may be a pair: the attributes that agree are a set that occurs, each state too."""
        agreeing = np.ix_(*(np.minimum(np.arange(size), 1) for size in self.shape))
        result = np.asarray(self.sets.between[agreeing] > 0, dtype=np.bool_)
        for j, pairs in enumerate(self.states):
            np.moveaxis(result, j, 0)[pairs == 0] = False
        return result

    def by_state(self, j: int) -> FloatArray:
        """Return the pairs between the files by the state of attribute `j`."""
        return self.states[j].astype(np.float64)

    def own_by_state(self, j: int) -> FloatArray:
        """Return the records of A by the state in which attribute `j` agrees with itself."""
        return self.own_states[j].astype(np.float64)

    def by_set(self, from_state: Sequence[int]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return pairs between the files, within the first, and of its records with themselves, by set of attributes.

        An attribute of the set has at least the given state, which is 1 here.
        """
        numbers = (self.sets.between, self.sets.within, self.sets.own)
        between, within, own = (self.sets.collapsed(each.astype(np.float64), from_state) for each in numbers)
        return between, within, own

    def agreeing_by_state(self, j: int, from_state: Sequence[int]) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002
        """Return the pairs between the files and within the first that agree on all else, by the state of `j`."""
        between, within = self.agreeing[j].astype(np.float64)
        return between, within

    def __repr__(self) -> str:
        return f"CoarseCounts({self.sets.between.size} sets of {self.n_a} × {self.n_b} pairs)"


def count_coarsely(files: PackedFiles, engine: Engine) -> CoarseCounts:
    """Count pairs by the set of attributes that agree, exactly; no attribute may ignore missing values.

    Notes
    -----
    Cost of :func:`~discreet.linkage.shared.pattern_counts.count_patterns` with two states an attribute, and O(n) for
    each attribute with more.
    """
    sizes = files.first.size, files.second.size
    rows = [
        replace(agreement, a=a, b=b, classes=agreement.classes[:1])
        for agreement, a, b in zip(files.agreements, *files.codes, strict=True)
    ]
    coarse = PackedFiles.of(rows, sizes)
    sets = count_patterns(coarse, engine)
    states, own_states, agreeing = [], [], []
    everything = sets.between[(-1,) * len(rows)], sets.within[(-1,) * len(rows)]
    together = _meeting(files, coarse)
    for j, agreement in enumerate(files.agreements):
        records = [_records_of(codes[j], agreement.size, own) for codes, own in zip(files.codes, sizes, strict=True)]
        states.append(_exactly([sets.n_a * sets.n_b, *_pairs_by_level(agreement, *records)]))
        every = np.arange(agreement.size)
        own_states.append(_records_of(agreement.state(every, every), agreement.states, records[0]))
        all_else = _all_else(sets, j)
        finer = [together.pairs(agreement, j, level) for level in range(1, agreement.states - 1)]
        both = [_exactly([one, *rest]) for one, *rest in zip(all_else, everything, *finer, strict=True)]
        agreeing.append(np.stack(both))
    return CoarseCounts(sets, tuple(states), tuple(own_states), tuple(agreeing))


def _exactly(at_least: Sequence[int]) -> IntArray:
    """Turn pairs that agree at least so far into pairs that agree exactly so far."""
    return -np.diff(np.append(np.asarray(at_least, dtype=np.int64), 0))


def _all_else(sets: PatternCounts, j: int) -> tuple[int, int]:
    """Return the pairs between the files and within the first that agree on all attributes but perhaps `j`."""
    place = tuple(slice(None) if i == j else -1 for i in range(sets.between.ndim))
    return int(sets.between[place].sum()), int(sets.within[place].sum())


def _records_of(place: LevelArray, size: int, records: IntArray) -> IntArray:
    """Add up records by the place of each; sums far below 2^53 are exact."""
    return np.bincount(place, weights=records, minlength=size).astype(np.int64)


def _pairs_by_level(agreement: Agreement, first: IntArray, second: IntArray) -> list[int]:
    """Return by level of an attribute how many pairs agree at least so far, given the records of every code."""
    pairs = []
    for classes in agreement.classes:
        agrees, size = classes >= 0, int(classes.max(initial=0)) + 1
        both = (_records_of(classes[agrees], size, records[agrees]) for records in (first, second))
        pairs.append(int(np.dot(*both)))
    return pairs


@dataclass(frozen=True, repr=False)
class _Meeting:
    """The distinct records of both files that agree with another on every attribute, group by group.

    Attributes
    ----------
    group : (m,) int64
    codes : tuple of (m,) int
        By attribute.
    counts : (m, 2) int64
        Records of A and of B.
    """

    group: IntArray
    codes: tuple[LevelArray, ...]
    counts: IntArray

    def pairs(self, agreement: Agreement, j: int, level: int) -> tuple[int, int]:
        """Return pairs between the files and within the first that also agree on attribute `j` at a finer level."""
        classes = agreement.classes[level][self.codes[j]]
        agrees = classes >= 0
        words = np.stack([self.group[agrees], classes[agrees]], axis=1).astype(np.uint64)
        counts = self.counts[agrees]
        label = distinct_rows(np.ascontiguousarray(words)).label
        size = int(label.max(initial=-1)) + 1
        first, second = (_records_of(label, size, counts[:, side]) for side in (0, 1))
        return int(first @ second), int(first @ first) - int(counts[:, 0].sum())


def _meeting(files: PackedFiles, coarse: PackedFiles) -> _Meeting:
    # What agrees on everything has equal words, and no flag, which marks a value that agrees with nobody.
    words = np.concatenate(coarse.finest)
    groups = distinct_rows(words).label
    labels = (
        groups[: coarse.first.first.size][coarse.first.label],
        groups[coarse.first.first.size :][coarse.second.label],
    )
    group = np.concatenate(labels)
    free = ~(words & coarse.layout.flags).any(axis=1)
    agrees = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.bool_)
    agrees[groups[free]] = True
    counts = np.zeros((group.size, 2), dtype=np.int64)
    counts[: labels[0].size, 0], counts[labels[0].size :, 1] = files.first.size, files.second.size
    records = _records_of(group, agrees.size, counts.sum(axis=1))
    rows = np.flatnonzero(agrees[group] & (records[group] > 1))
    codes = tuple(np.concatenate([a, b])[rows] for a, b in zip(*files.codes, strict=True))
    return _Meeting(group[rows], codes, counts[rows])
