"""Every record's best links when a pair's weight depends on its agreement pattern alone.

Patterns are tried from the heaviest down. Each is a hash join of A with the records of B that still look for somebody,
so a record is done with the first pattern that somebody meets, and the second best soon after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.contracts.engine import Engine, InProcess
from discreet.kernels.linking.all_pairs import best_both_ways
from discreet.kernels.linking.hashjoin import best_by_comparing, join
from discreet.linkage.nearest import Nearest, gather, joined, nearest_records
from discreet.linkage.record_classes import NOBODY, Classes, Words
from discreet.linkage.shared.agreement import Agreement
from discreet.linkage.shared.packed_records import Layout, PackedFiles, class_table, rows_of_classes
from discreet.linkage.shared.plain_pairs import are_few, heaviest, patterns_between
from discreet.progress import report
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray, LevelArray

__all__ = ["best_by_pattern", "best_in_both_directions"]

_BLOCK = 1 << 19  # distinct records of B to a block: the blocks, not the threads, decide how the work is cut
_SMALL_BLOCK = 256  # where everybody is compared with everybody
_FEW_PAIRS = 1 << 24  # that are looked at in less time than threads take to pay
_DIGITS = 9  # sums of logarithms that differ beyond this digit are a tie that rounding broke


def best_by_pattern(
    files: PackedFiles,
    weights: FloatArray,
    engine: Engine,
    *,
    occurring: BoolArray | None = None,
    second: bool = True,
) -> Nearest:
    """Return the heaviest and second-heaviest pairs of every distinct record of B.

    Parameters
    ----------
    weights : tensor
        The weight of every pattern, one axis an attribute.
    occurring : bool tensor, optional
        The patterns of which there is a pair; by default any may be one.
    second : bool
        Whether the second-heaviest are looked for; most records have their heaviest after a few patterns.
    """
    plan = _Plan.of(files.agreements, weights, files.layout, occurring, second=second)
    return _compared_plainly(files, [plan])[0][0] if are_few(files, 2) else _best(files, plan, engine)


def best_in_both_directions(
    files: PackedFiles,
    weights: Sequence[FloatArray],
    engine: Engine,
    *,
    occurring: BoolArray | None = None,
    second: bool = True,
) -> list[tuple[Nearest, Nearest]]:
    """Return by model the same for the distinct records of B, and for those of A, asked about B.

    Small files are compared pair by pair, once for all models and both directions.
    """
    plans = [_Plan.of(files.agreements, each, files.layout, occurring, second=second) for each in weights]
    n_a, n_b, patterns = files.first.first.size, files.second.first.size, plans[0].sorted_patterns.size
    if are_few(files, 1 + len(plans)):
        return _compared_plainly(files, plans)
    few = n_a * n_b <= _FEW_PAIRS
    if few and _comparing_is_cheaper(n_b, n_a, patterns) and _comparing_is_cheaper(n_a, n_b, patterns):
        return _compared_once(files, plans)
    files.by_level, files.codes  # noqa: B018  packed before they are swapped, so once for both directions
    searches = [(side, plan) for plan in plans for side in (files, files.swapped())]
    if all(len(_edges(side, plan)) == 2 for side, plan in searches):
        # Each is one block, so that nothing else would keep a second core busy.
        nearest = engine.map(lambda search: _best(*search, InProcess()), searches)
    else:
        nearest = [_best(side, plan, engine) for side, plan in searches]
    return list(zip(nearest[::2], nearest[1::2], strict=True))


def _compared_once(files: PackedFiles, plans: Sequence[_Plan]) -> list[tuple[Nearest, Nearest]]:
    first, second = files.classes
    steps = np.stack([plan.step_of for plan in plans])

    def answers(n: int) -> tuple[IntArray, CodeArray, IntArray, CodeArray, IntArray]:
        places, ranks = ([np.empty((len(plans), n), dtype=kind) for _ in range(3)] for kind in (np.int64, np.int32))
        return places[0], ranks[0], places[1], ranks[1], places[2]

    of_release, of_original = answers(second.shape[1]), answers(first.shape[1])
    tied, asking, answering = best_both_ways(
        first, rows_of_classes(second), files.strides, steps, *of_release, *of_original
    )
    # The ties of B come record by record, model after model; those of A as they were met.
    owners = np.arange(len(plans) * second.shape[1]).reshape(len(plans), -1)
    model_of = np.repeat((owners // second.shape[1]).T.ravel(), of_release[4].T.ravel())
    order = np.argsort(asking, kind="stable")
    asking, answering = asking[order], answering[order]
    nearest = []
    for model, plan in enumerate(plans):
        low, high = np.searchsorted(asking, [model * first.shape[1], (model + 1) * first.shape[1]])
        nearest.append(
            (
                _named(plan, [each[model] for each in of_release], tied[model_of == model], files.first),
                _named(plan, [each[model] for each in of_original], answering[low:high], files.second),
            )
        )
    return nearest


def _compared_plainly(files: PackedFiles, plans: Sequence[_Plan]) -> list[tuple[Nearest, Nearest]]:
    positions = patterns_between(*files.classes, files.strides)
    nearest = []
    for plan in plans:
        steps = plan.step_of[positions]
        both = (steps, files.first), (np.ascontiguousarray(steps.T), files.second)
        of_release, of_original = (_named(plan, *heaviest(table), others) for table, others in both)
        nearest.append((of_release, of_original))
    return nearest


def _named(plan: _Plan, answers: Sequence[Any], tied: IntArray, others: Classes) -> Nearest:
    """Turn classes into records, and ranks into weights."""
    best, best_step, second, second_step, counts = answers
    score = plan.weight_of_step[best_step]
    second_score = np.where(second < 0, -np.inf, plan.weight_of_step[np.where(second < 0, 0, second_step)])
    several = counts > 1
    starts = np.cumsum(counts) - counts
    second[several], second_score[several] = tied[starts[several] + 1], score[several]
    every = np.arange(best.size, dtype=np.int64)
    arrays = (best.copy(), score, second.copy(), second_score, counts)
    return nearest_records(arrays, [tied], every, others)


def _edges(files: PackedFiles, plan: _Plan) -> list[int]:
    """Return where the blocks of B begin and end."""
    n_a, n_b = files.first.first.size, files.second.first.size
    small = plan.second and n_a * n_b > _FEW_PAIRS and _comparing_is_cheaper(n_b, n_a, plan.sorted_patterns.size)
    return [*range(0, n_b, _SMALL_BLOCK if small else _BLOCK), n_b]


def _best(files: PackedFiles, plan: _Plan, engine: Engine) -> Nearest:
    agreements, a = files.agreements, files.first
    a_words, b_words = files.by_level
    following = a.following
    a_fields = class_table(agreements, files.codes[0])

    def search(block: tuple[int, int]) -> Nearest:
        mine = slice(*block)
        codes = [column[mine] for column in files.codes[1]]
        return _search(plan, _JoinedFiles(a_words, a_fields, a, following, b_words[mine], agreements, codes))

    return joined(engine.map(search, list(pairwise(_edges(files, plan)))))


@dataclass(frozen=True, repr=False)
class _JoinedFiles:
    """Both files, packed for joining and as classes for comparing."""

    a_words: Words
    a_fields: LevelArray
    a: Classes
    following: IntArray
    b_words: Words
    agreements: tuple[Agreement, ...]
    b_codes: Sequence[LevelArray]

    def b_fields(self, rows: IntArray) -> LevelArray:
        """Return the classes of some records of B, a row a record."""
        return rows_of_classes(class_table(self.agreements, [column[rows] for column in self.b_codes]))


@dataclass(frozen=True, repr=False)
class _Plan:
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
    ) -> _Plan:
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
        at, ones, _ = self.fields
        result = np.zeros(self.layout.levels * self.layout.words, dtype=np.uint64)
        for j, state in enumerate(np.unravel_index(pattern, self.weights.shape)):
            if state:
                result[at[j, state - 1]] |= ones[j, state - 1]
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


def _search(plan: _Plan, sides: _JoinedFiles) -> Nearest:
    a, n_b = sides.a, len(sides.b_words)
    best_step, second_step = np.full(n_b, -1, dtype=np.int64), np.full(n_b, -1, dtype=np.int64)
    lowest = np.full((n_b, 2), NOBODY, dtype=np.int64)
    lowest_second, best_class = np.full(n_b, NOBODY, dtype=np.int64), np.full(n_b, -1, dtype=np.int64)
    ties = np.zeros(n_b, dtype=np.int64)
    state = (best_step, second_step, lowest, lowest_second, best_class, ties)
    pair = (*plan.fields, plan.stride)
    files = (sides.a_words, a.first, sides.following, a.size, sides.b_words)
    active = np.arange(n_b, dtype=np.int64)
    rows = _Rows()
    steps = plan.step_of[plan.sorted_patterns]
    total = steps.size
    if plan.second and _comparing_is_cheaper(n_b, a.first.size, total):
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
            active = active[(second_step if plan.second else best_step)[active] < 0]
            report("linking", place + 1, total)
            if not active.size:
                break
            # Who wants the heaviest alone has nearly all of them soon: the rest are compared once joining them has
            # taken as long, so that neither way costs more than twice the better one.
            patterns = total - place - 1 if plan.second else place + 1
            if _comparing_is_cheaper(active.size, a.first.size, patterns):
                _compare_the_rest(plan, sides, active, state, rows)
                break
    row, offsets, tied = rows.settled(n_b)
    return Nearest(
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


def _compare_the_rest(plan: _Plan, sides: _JoinedFiles, active: IntArray, state: tuple[Any, ...], rows: _Rows) -> None:
    best_step, second_step, lowest, lowest_second, _, ties = state
    a = sides.a
    levels = [agreement.states - 1 for agreement in plan.agreements]
    stride = np.repeat(plan.stride, levels).astype(np.int32)
    classes = np.zeros(active.size, dtype=np.int64)
    linked_before = best_step[active] >= 0
    files = (sides.a_fields, a.first, sides.following, a.size, sides.b_fields(active))
    arguments: tuple[Any, ...] = (*files, stride, active, plan.step_of, *state, classes)
    tied = best_by_comparing(*arguments)
    crowded = active[ties[active] > 1]
    second_step[crowded], lowest_second[crowded] = best_step[crowded], lowest[crowded, 1]
    fresh, ends = active[~linked_before], np.cumsum(classes[~linked_before])
    rows.add(fresh, np.arange(fresh.size, dtype=np.int64), ends, tied)


class _Rows:
    """Rows of tied classes, and which record of B has which; one with patterns of equal weight has several."""

    def __init__(self) -> None:
        self.owners: list[IntArray] = []
        self.owner_rows: list[IntArray] = []
        self.ends: list[IntArray] = []
        self.tied: list[IntArray] = []
        self.rows = 0
        self.entries = 0

    def add(self, owners: IntArray, owner_rows: IntArray, ends: IntArray, tied: IntArray) -> None:
        if not ends.size:
            return
        self.owners.append(owners.copy())
        self.owner_rows.append(owner_rows + self.rows)
        self.ends.append(ends + self.entries)
        self.tied.append(tied.copy())
        self.rows += ends.size
        self.entries += int(ends[-1])

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
