"""Every record's best links when a pair's weight depends on its agreement pattern alone.

Patterns are tried from the heaviest down. Each is a hash join of A with the records of B that still look for somebody,
so a record is done with the first pattern that somebody meets, and the second best soon after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.base import Engine
from discreet.kernels.hashjoin import best_by_comparing, join
from discreet.linkage.patterns import Chain, Layout, Words
from discreet.progress import report
from discreet.typing import BoolArray, FloatArray, IntArray, LevelArray

__all__ = ["Classes", "Found", "best_by_pattern", "gather", "joined"]

_BLOCK = 1 << 19  # distinct records of B to a block: the blocks, not the threads, decide how the work is cut
_SMALL_BLOCK = 256  # where everybody is compared with everybody
_DIGITS = 9  # sums of logarithms that differ beyond this digit are a tie that rounding broke
_FAR = np.iinfo(np.int64).max


@dataclass(frozen=True, repr=False)
class Classes:
    """Distinct records of a file, in order of appearance."""

    label: IntArray
    first: IntArray
    size: IntArray

    @property
    def following(self) -> IntArray:
        """The position of the second record of every class, a huge number where there is none."""
        result = np.full(self.first.size, _FAR, dtype=np.int64)
        # Written from the back, so that the lowest position after the first stays.
        later = np.flatnonzero(self.first[self.label] != np.arange(self.label.size))[::-1]
        result[self.label[later]] = later
        return result


@dataclass(frozen=True, repr=False)
class Found:
    """What a search gives for the distinct records of B; positions are those of records of A, −1 for nobody."""

    best: IntArray
    second: IntArray
    score: FloatArray
    second_score: FloatArray
    ties: IntArray
    row: IntArray
    row_offsets: IntArray
    tied: IntArray

    def records(self, label: IntArray) -> Found:
        """Return the same for records, given the class of each."""
        return Found(
            self.best[label],
            self.second[label],
            self.score[label],
            self.second_score[label],
            self.ties[label],
            self.row[label],
            self.row_offsets,
            self.tied,
        )


def best_by_pattern(
    chains: Sequence[Chain], weights: FloatArray, a: Classes, b: Classes, layout: Layout, engine: Engine
) -> Found:
    """Return the heaviest and second-heaviest pairs of every distinct record of B.

    Parameters
    ----------
    chains : sequence of Chain
    weights : tensor
        The weight of every pattern, one axis an attribute.
    a, b : Classes
        The distinct records of the two files.
    layout : Layout
        Of the chains.
    """
    plan = _Plan.of(chains, weights, layout)
    a_words = plan.packed([chain.a[a.first] for chain in chains])
    packed = plan.packed([chain.b[b.first] for chain in chains])
    small = _comparing_is_cheaper(b.first.size, a.first.size, weights.size)
    edges = [*range(0, b.first.size, _SMALL_BLOCK if small else _BLOCK), b.first.size]
    following = a.following
    a_fields = _fields(chains, [chain.a for chain in chains], a.first, -1)

    def search(block: tuple[int, int]) -> Found:
        mine = slice(*block)
        sides = _Sides(a_words, a_fields, a, following, packed[mine], tuple(chains), b.first[mine])
        return _search(plan, sides)

    return joined(engine.map(search, list(pairwise(edges))))


def _fields(chains: Sequence[Chain], codes: Sequence[LevelArray], rows: IntArray, nobody: int) -> LevelArray:
    """Return the classes of some records, a row a level of an attribute; who agrees with nobody gets `nobody`."""
    few = all(classes.max(initial=0) < 128 for chain in chains for classes in chain.classes)
    result = np.empty((sum(len(chain.classes) for chain in chains), rows.size), dtype=np.int8 if few else np.int32)
    levels = ((code, classes) for chain, code in zip(chains, codes, strict=True) for classes in chain.classes)
    for row, (code, classes) in zip(result, levels, strict=True):
        row[:] = np.where(classes < 0, nobody, classes)[code[rows]]
    return result


@dataclass(frozen=True, repr=False)
class _Sides:
    """Both files, packed for joining and as classes for comparing."""

    a_words: Words
    a_fields: LevelArray
    a: Classes
    following: IntArray
    b_words: Words
    chains: tuple[Chain, ...]
    b_first: IntArray

    def b_fields(self, rows: IntArray) -> LevelArray:
        """Return the classes of some records of B, a row a record."""
        codes = [chain.b for chain in self.chains]
        return np.ascontiguousarray(_fields(self.chains, codes, self.b_first[rows], -2).T)


def joined(parts: Sequence[Found]) -> Found:
    """Put the blocks of a search together."""
    row_shift = np.cumsum([0, *(part.row_offsets.size - 1 for part in parts)])
    tied_shift = np.cumsum([0, *(part.tied.size for part in parts)])
    offsets = [part.row_offsets[:-1] + shift for part, shift in zip(parts, tied_shift, strict=False)]

    def along(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    return Found(
        along("best"),
        along("second"),
        along("score"),
        along("second_score"),
        along("ties"),
        np.concatenate([np.where(p.row < 0, -1, p.row + s) for p, s in zip(parts, row_shift, strict=False)]),
        np.concatenate([*offsets, tied_shift[-1:]]),
        along("tied"),
    )


@dataclass(frozen=True, repr=False)
class _Plan:
    """The patterns in order of weight, and how records are packed for them."""

    layout: Layout
    levels: int
    sorted_patterns: IntArray
    step_of: IntArray
    verify: BoolArray
    states: IntArray
    at: IntArray
    ones: Words
    flag: Words
    stride: IntArray
    weight_of_step: FloatArray

    @classmethod
    def of(cls, chains: Sequence[Chain], weights: FloatArray, layout: Layout) -> _Plan:
        shape = tuple(chain.states for chain in chains)
        rounded = np.round(weights, _DIGITS)
        values, rising = np.unique(rounded.ravel(), return_inverse=True)
        step_of = (values.size - 1 - rising).astype(np.int64)
        order = np.argsort(step_of, kind="stable").astype(np.int64)
        levels = max(shape) - 1
        at = np.full((len(chains), levels), -1, dtype=np.int64)
        ones, flag = np.zeros(at.shape, dtype=np.uint64), np.zeros(at.shape, dtype=np.uint64)
        for j, chain in enumerate(chains):
            for level in range(chain.states - 1):
                at[j, level] = level * layout.words + layout.word[j]
                ones[j, level] = ((1 << layout.width[j]) - 1) << layout.shift[j]
                flag[j, level] = 1 << (layout.width[j] - 1 + layout.shift[j])
        strides = np.cumprod([1, *shape[:0:-1]])[::-1].astype(np.int64)
        return cls(
            layout,
            levels,
            order,
            step_of,
            ~_finer_are_heavier(rounded).ravel(),
            np.stack(np.unravel_index(np.arange(rounded.size), shape), axis=1).astype(np.int64),
            at,
            ones,
            flag,
            strides,
            values[::-1].copy(),
        )

    def packed(self, codes: Sequence[LevelArray]) -> Words:
        """Return records packed at level 1, at level 2, … side by side; an attribute without the level stays empty."""
        parts = []
        for level in range(1, self.levels + 1):
            have = [level if level < len(self.layout.fields[j]) else 0 for j in range(len(codes))]
            parts.append(self.layout.packed(codes, have))
        return np.ascontiguousarray(np.concatenate(parts, axis=1))

    def mask(self, pattern: int) -> Words:
        result = np.zeros(self.levels * self.layout.words, dtype=np.uint64)
        for j, state in enumerate(self.states[pattern]):
            if state:
                result[self.at[j, state - 1]] |= self.ones[j, state - 1]
        return result


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


def _search(plan: _Plan, sides: _Sides) -> Found:
    a, n_b = sides.a, len(sides.b_words)
    best_step, second_step = np.full(n_b, -1, dtype=np.int64), np.full(n_b, -1, dtype=np.int64)
    lowest = np.full((n_b, 2), _FAR, dtype=np.int64)
    lowest_second, best_class = np.full(n_b, _FAR, dtype=np.int64), np.full(n_b, -1, dtype=np.int64)
    ties = np.zeros(n_b, dtype=np.int64)
    state = (best_step, second_step, lowest, lowest_second, best_class, ties)
    pair = (plan.at, plan.ones, plan.flag, plan.stride)
    files = (sides.a_words, a.first, sides.following, a.size, sides.b_words)
    active = np.arange(n_b, dtype=np.int64)
    rows = _Rows()
    steps = plan.step_of[plan.sorted_patterns]
    total = steps.size
    if _comparing_is_cheaper(n_b, a.first.size, total):
        _compare_the_rest(plan, sides, active, state, rows)
        total = 0
    for place, pattern in enumerate(plan.sorted_patterns[:total]):
        step = int(steps[place])
        verify = bool(plan.verify[pattern])
        mask = plan.mask(int(pattern))
        rows.add(*join(*files, active, mask, plan.layout.flags, int(pattern), step, verify, *pair, *state))
        if place + 1 == total or steps[place + 1] != step:
            # All patterns of this weight are through: a tie gives the second best, anybody else keeps looking.
            crowded = active[(best_step[active] == step) & (ties[active] > 1)]
            second_step[crowded], lowest_second[crowded] = step, lowest[crowded, 1]
            active = active[second_step[active] < 0]
            report("linking", place + 1, total)
            if not active.size:
                break
            if _comparing_is_cheaper(active.size, a.first.size, total - place - 1):
                _compare_the_rest(plan, sides, active, state, rows)
                break
    row, offsets, tied = rows.settled(n_b)
    return Found(
        best=np.where(best_step < 0, -1, lowest[:, 0]),
        second=np.where(second_step < 0, -1, lowest_second),
        score=np.where(best_step < 0, -np.inf, plan.weight_of_step[best_step]),
        second_score=np.where(second_step < 0, -np.inf, plan.weight_of_step[second_step]),
        ties=ties,
        row=row,
        row_offsets=offsets,
        tied=tied,
    )


def _comparing_is_cheaper(active: int, n_a: int, patterns: int) -> bool:
    # Measured: a pair takes about as long as a record of A in a join, and every join as 20,000 pairs besides.
    return active * n_a < patterns * (n_a + 20_000)


def _compare_the_rest(plan: _Plan, sides: _Sides, active: IntArray, state: tuple[Any, ...], rows: _Rows) -> None:
    best_step, second_step, lowest, lowest_second, _, ties = state
    a = sides.a
    levels = (plan.at >= 0).sum(axis=1)
    stride = np.repeat(plan.stride, levels).astype(np.int32)
    classes = np.zeros(active.size, dtype=np.int64)
    found_before = best_step[active] >= 0
    files = (sides.a_fields, a.first, sides.following, a.size, sides.b_fields(active))
    arguments: tuple[Any, ...] = (*files, stride, active, plan.step_of, *state, classes)
    tied = best_by_comparing(*arguments)
    crowded = active[ties[active] > 1]
    second_step[crowded], lowest_second[crowded] = best_step[crowded], lowest[crowded, 1]
    fresh, ends = active[~found_before], np.cumsum(classes[~found_before])
    rows.add(fresh, np.arange(fresh.size, dtype=np.int64), ends, tied)


class _Rows:
    """Rows of tied classes, and which record of B has which; one with patterns of equal weight has several."""

    def __init__(self) -> None:
        self.owners: list[IntArray] = []
        self.owner_rows: list[IntArray] = []
        self.ends: list[IntArray] = []
        self.tied: list[IntArray] = []
        self.made = 0
        self.used = 0

    def add(self, owners: IntArray, owner_rows: IntArray, ends: IntArray, tied: IntArray) -> None:
        if not ends.size:
            return
        self.owners.append(owners.copy())
        self.owner_rows.append(owner_rows + self.made)
        self.ends.append(ends + self.used)
        self.tied.append(tied.copy())
        self.made += ends.size
        self.used += int(ends[-1])

    def settled(self, n_b: int) -> tuple[IntArray, IntArray, IntArray]:
        """Return the row of every record of B (−1 for none), the rows' offsets and the tied classes."""
        none = np.empty(0, dtype=np.int64)
        owners = np.concatenate([none, *self.owners])
        owner_rows = np.concatenate([none, *self.owner_rows])
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), *self.ends])
        tied = np.concatenate([none, *self.tied])
        row = np.full(n_b, -1, dtype=np.int64)
        row[owners] = owner_rows
        several = np.bincount(owners, minlength=n_b) > 1
        if several.any():
            mine = np.flatnonzero(several[owners])
            mine = mine[np.argsort(owners[mine], kind="stable")]
            lengths = np.diff(offsets)[owner_rows[mine]]
            entries = gather(offsets[owner_rows[mine]], lengths)
            of = np.repeat(owners[mine], lengths)
            members = tied[entries]
            order = np.lexsort([members, of])
            ends = np.cumsum(np.bincount(of, minlength=n_b)[several])
            row[several] = offsets.size - 1 + np.arange(int(several.sum()))
            offsets = np.concatenate([offsets, offsets[-1] + ends])
            tied = np.concatenate([tied, members[order]])
        return row, offsets, tied


def gather(starts: IntArray, lengths: IntArray) -> IntArray:
    """Return the positions ``start … start + length − 1`` of every run, one run after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if ends.size else 0
    return np.asarray(np.arange(total) + np.repeat(starts - (ends - lengths), lengths), dtype=np.int64)
