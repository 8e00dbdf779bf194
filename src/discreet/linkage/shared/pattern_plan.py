"""Agreement patterns in order of weight, and both files as searches by pattern read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from discreet.linkage.record_classes import Classes, Words
from discreet.linkage.shared.agreement import Agreement
from discreet.linkage.shared.packed_records import Layout, PackedFiles, class_table, rows_of_classes
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray, LevelArray

__all__ = ["JoinedFiles", "PatternPlan"]

_DIGITS = 9  # sums of logarithms that differ beyond this digit are a tie that rounding broke
_MOST_FINER = 6  # attributes on which more may be agreed, whose sets are counted: 64 of them


@dataclass(frozen=True, repr=False)
class JoinedFiles:
    """Both files, packed for joining and as classes for comparing."""

    a_words: Words
    a_columns: Words
    a: Classes
    following: IntArray
    b_words: Words
    agreements: tuple[Agreement, ...]
    a_codes: Sequence[LevelArray]
    b_codes: Sequence[LevelArray]

    @classmethod
    def of(cls, files: PackedFiles) -> JoinedFiles:
        """Return what every search for the records of B reads."""
        agreements, a = files.agreements, files.first
        a_words, b_words = files.by_level
        columns = np.ascontiguousarray(a_words.T)
        return cls(a_words, columns, a, a.following, b_words, agreements, *files.codes)

    @property
    def a_fields(self) -> LevelArray:
        """The classes of all records of A, a row a level; made when it is asked for, for a search does so once."""
        return class_table(self.agreements, self.a_codes)

    def block(self, low: int, high: int) -> JoinedFiles:
        """Return the same with some records of B, one after the other."""
        return replace(self, b_words=self.b_words[low:high], b_codes=[column[low:high] for column in self.b_codes])

    def b_fields(self, rows: IntArray) -> LevelArray:
        """Return the classes of some records of B, a row a record."""
        return rows_of_classes(class_table(self.agreements, [column[rows] for column in self.b_codes]))


@dataclass(frozen=True, repr=False)
class PatternPlan:
    """The patterns in order of weight, and how records are packed for them."""

    agreements: tuple[Agreement, ...]
    layout: Layout
    weights: FloatArray
    sorted_patterns: IntArray
    step_of: CodeArray
    weight_of_step: FloatArray
    second: bool = True

    @classmethod
    def of(
        cls,
        agreements: Sequence[Agreement],
        weights: FloatArray,
        layout: Layout,
        occurring: BoolArray | None = None,
        *,
        second: bool = True,
    ) -> PatternPlan:
        rounded = np.round(weights, _DIGITS)
        patterns = np.arange(weights.size) if occurring is None else np.flatnonzero(occurring)
        values, rising = np.unique(rounded.ravel()[patterns], return_inverse=True)
        steps = (values.size - 1 - rising).astype(np.int32)
        step_of = np.zeros(weights.size, dtype=np.int32)
        step_of[patterns] = steps
        order = np.argsort(steps, kind="stable")
        return cls(tuple(agreements), layout, rounded, patterns[order], step_of, values[::-1].copy(), second)

    @cached_property
    def verify(self) -> BoolArray:
        """By pattern, whether one that agrees on more may not have come before."""
        return ~_finer_are_heavier(self.weights).ravel()

    @cached_property
    def stride(self) -> IntArray:
        """By attribute, what a state more adds to the position of a pattern."""
        return np.cumprod([1, *self.weights.shape[:0:-1]])[::-1].astype(np.int64)

    @cached_property
    def strides(self) -> CodeArray:
        """The same by level of an attribute."""
        return np.repeat(self.stride, [agreement.states - 1 for agreement in self.agreements]).astype(np.int32)

    @cached_property
    def fields(self) -> tuple[IntArray, Words, Words]:
        """By attribute and level, the word of the field (−1 for none), ones all over it, and its flag."""
        layout = self.layout
        at = np.full((len(self.agreements), layout.levels), -1, dtype=np.int64)
        ones, flag = np.zeros(at.shape, dtype=np.uint64), np.zeros(at.shape, dtype=np.uint64)
        for j, agreement in enumerate(self.agreements):
            for level in range(agreement.states - 1):
                at[j, level] = level * layout.words + layout.word[j]
                ones[j, level] = ((1 << layout.width[j]) - 1) << layout.shift[j]
                flag[j, level] = 1 << (layout.width[j] - 1 + layout.shift[j])
        return at, ones, flag

    def mask(self, pattern: int) -> Words:
        """Return the fields on which records with a pattern agree at least."""
        at, ones, _ = self.fields
        result = np.zeros(self.layout.levels * self.layout.words, dtype=np.uint64)
        for j, state in enumerate(np.unravel_index(pattern, self.weights.shape)):
            if state:
                result[at[j, state - 1]] |= ones[j, state - 1]
        return result

    def finer_sets(self, pattern: int) -> tuple[bool, list[int]]:
        """Say whether somebody may agree on more than a pattern who is met by it, and on which finer ones.

        Who still looks when a pattern is tried has met nobody on a heavier one. So among those who agree at least on
        it, only attributes count of which a pattern that occurs and is not heavier agrees on more. Every set of these
        is a finer pattern, one level more of each; those are left out that nobody can agree on. None is given where
        there would be too many.
        """
        if not self.verify[pattern]:
            return False, []
        states = np.unravel_index(pattern, self.weights.shape)
        ranks = self._ranks_that_occur[tuple(slice(int(state), None) for state in states)]
        rank = int(self.step_of[pattern])

        def may_be_met(attributes: Sequence[int]) -> bool:
            finer = ranks[tuple(slice(1 if j in attributes else 0, None) for j in range(ranks.ndim))]
            return int(finer.max(initial=-1)) >= rank

        able = [j for j in range(ranks.ndim) if may_be_met((j,))]
        if len(able) > _MOST_FINER:
            return True, []
        sets = [one for size in range(1, len(able) + 1) for one in combinations(able, size)]
        return bool(able), [pattern + int(self.stride[list(one)].sum()) for one in sets if may_be_met(one)]

    @cached_property
    def _ranks_that_occur(self) -> CodeArray:
        ranks = np.full(self.step_of.size, -1, dtype=np.int32)
        ranks[self.sorted_patterns] = self.step_of[self.sorted_patterns]
        return ranks.reshape(self.weights.shape)


def _finer_are_heavier(weights: FloatArray) -> BoolArray:
    """Say of every pattern whether all patterns that agree on more weigh strictly more."""
    lightest = np.full(weights.shape, np.inf)  # of the patterns that agree on more
    inclusive = weights.copy()
    for axis in range(weights.ndim):
        along = np.moveaxis(inclusive, axis, 0)
        for level in range(along.shape[0] - 2, -1, -1):
            along[level] = np.minimum(along[level], along[level + 1])
    for axis in range(weights.ndim):
        into, finer = np.moveaxis(lightest, axis, 0), np.moveaxis(inclusive, axis, 0)
        into[:-1] = np.minimum(into[:-1], finer[1:])
    return np.asarray(lightest > weights, dtype=np.bool_)
