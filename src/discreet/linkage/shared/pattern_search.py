"""Every record's best links when a pair's weight depends on its agreement pattern alone.

Patterns are tried from the heaviest down. Each is a hash join of A with the records of B that still look for somebody,
so a record is done with the first pattern that somebody meets, and the second best soon after.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.contracts.engine import Engine
from discreet.kernels.linking.all_pairs import best_both_ways
from discreet.kernels.linking.hashjoin import best_by_comparing, join
from discreet.linkage.nearest import Nearest, gather, joined, nearest_records
from discreet.linkage.record_classes import NOBODY, Classes
from discreet.linkage.shared.counted_ties import CountedTies, CountingSearch
from discreet.linkage.shared.packed_records import PackedFiles, rows_of_classes
from discreet.linkage.shared.pattern_plan import JoinedFiles, PatternPlan
from discreet.linkage.shared.plain_pairs import are_few, heaviest, patterns_between
from discreet.progress import report
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray

__all__ = ["best_by_pattern", "best_in_both_directions"]

_BLOCK = 1 << 19  # distinct records of B to a block: the blocks, not the threads, decide how the work is cut
_SMALL_BLOCK = 256  # where everybody is compared with everybody
_FEW_PAIRS = 1 << 24  # that are looked at in less time than threads take to pay


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
    plan = PatternPlan.of(files.agreements, weights, files.layout, occurring, second=second)
    return _compared_plainly(files, [plan])[0][0] if are_few(files, 2) else _best(files, plan, engine)


def best_in_both_directions(
    files: PackedFiles,
    weights: Sequence[FloatArray],
    engine: Engine,
    *,
    occurring: BoolArray | None = None,
    second: bool = True,
    listed: bool = True,
) -> Sequence[tuple[Nearest | CountedTies, Nearest | CountedTies]]:
    """Return by model the same for the distinct records of B, and for those of A, asked about B.

    Small files are compared pair by pair, once for all models and both directions. Where nobody reads who ties
    (`listed`), and no second-heaviest pair, ties of larger files are counted: they may be as many as there are pairs.
    """
    listed = listed or second
    plans = [PatternPlan.of(files.agreements, each, files.layout, occurring, second=second) for each in weights]
    n_a, n_b, patterns = files.first.first.size, files.second.first.size, plans[0].sorted_patterns.size
    if are_few(files, 1 + len(plans)):
        return _compared_plainly(files, plans)
    few = n_a * n_b <= _FEW_PAIRS
    if few and _comparing_is_cheaper(n_b, n_a, patterns) and _comparing_is_cheaper(n_a, n_b, patterns):
        return _compared_once(files, plans)
    files.by_level, files.codes  # noqa: B018  packed before they are swapped, so once for both directions
    sides = (files, files.swapped())
    joining = [JoinedFiles.of(side) for side in sides]
    searches = [(plan, place, block) for plan in plans for place in (0, 1) for block in _blocks(sides[place], plan)]
    # All blocks of all searches together, so that there is always one more for the next core.
    parts = engine.map(lambda search: _search(search[0], joining[search[1]].block(*search[2]), listed=listed), searches)
    answers: list[Any] = []
    for plan in plans:
        for place in (0, 1):
            own = [part for part, one in zip(parts, searches, strict=True) if one[0] is plan and one[1] == place]
            answers.append(joined(own) if listed else CountedTies.joined(own))
    return list(zip(answers[::2], answers[1::2], strict=True))


def _compared_once(files: PackedFiles, plans: Sequence[PatternPlan]) -> list[tuple[Nearest, Nearest]]:
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


def _compared_plainly(files: PackedFiles, plans: Sequence[PatternPlan]) -> list[tuple[Nearest, Nearest]]:
    positions = patterns_between(*files.classes, files.strides)
    nearest = []
    for plan in plans:
        steps = plan.step_of[positions]
        both = (steps, files.first), (np.ascontiguousarray(steps.T), files.second)
        of_release, of_original = (_named(plan, *heaviest(table), others) for table, others in both)
        nearest.append((of_release, of_original))
    return nearest


def _named(plan: PatternPlan, answers: Sequence[Any], tied: IntArray, others: Classes) -> Nearest:
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


def _blocks(files: PackedFiles, plan: PatternPlan) -> list[tuple[int, int]]:
    """Return where the blocks of B begin and end."""
    n_a, n_b = files.first.first.size, files.second.first.size
    small = plan.second and n_a * n_b > _FEW_PAIRS and _comparing_is_cheaper(n_b, n_a, plan.sorted_patterns.size)
    return list(pairwise([*range(0, n_b, _SMALL_BLOCK if small else _BLOCK), n_b]))


def _best(files: PackedFiles, plan: PatternPlan, engine: Engine) -> Nearest:
    sides = JoinedFiles.of(files)
    return joined(engine.map(lambda block: _search(plan, sides.block(*block)), _blocks(files, plan)))


def _search(plan: PatternPlan, sides: JoinedFiles, *, listed: bool = True) -> Any:
    n_a, n_b = sides.a.first.size, len(sides.b_words)
    search: _Listing | CountingSearch = _Listing(plan, sides) if listed else CountingSearch(plan, sides)
    active = np.arange(n_b, dtype=np.int64)
    steps = plan.step_of[plan.sorted_patterns]
    total = steps.size
    if plan.second and _comparing_is_cheaper(n_b, n_a, total):
        search.compare(active)
        total = 0
    for place, pattern in enumerate(plan.sorted_patterns[:total]):
        step = int(steps[place])
        search.join(int(pattern), step, active)
        if place + 1 == total or steps[place + 1] != step:
            # All patterns of this weight are through.
            active = search.still_looking(active, step)
            report("linking", place + 1, total)
            if not active.size:
                break
            # Who wants the heaviest alone has nearly all of them soon: the rest are compared once joining them has
            # taken as long, so that neither way costs more than twice the better one.
            patterns = total - place - 1 if plan.second else place + 1
            if _comparing_is_cheaper(active.size, n_a, patterns):
                search.compare(active)
                break
    return search.answer()


def _comparing_is_cheaper(active: int, n_a: int, patterns: int) -> bool:
    # Measured: a pair takes about as long as a record of A in a join, and every join as 20,000 pairs besides.
    return active * n_a < patterns * (n_a + 20_000)


class _Listing:
    """What is known so far of the heaviest pairs of every record of B, and of who ties."""

    def __init__(self, plan: PatternPlan, sides: JoinedFiles) -> None:
        n_b = len(sides.b_words)
        self.plan, self.sides, self.rows = plan, sides, _Rows()
        self.best_step, self.second_step = np.full(n_b, -1, dtype=np.int64), np.full(n_b, -1, dtype=np.int64)
        self.lowest, self.lowest_second = (
            np.full((n_b, 2), NOBODY, dtype=np.int64),
            np.full(n_b, NOBODY, dtype=np.int64),
        )
        self.best_class, self.ties = np.full(n_b, -1, dtype=np.int64), np.zeros(n_b, dtype=np.int64)
        self.state: tuple[Any, ...] = (
            self.best_step, self.second_step, self.lowest, self.lowest_second, self.best_class, self.ties,
        )  # fmt: skip

    def join(self, pattern: int, step: int, active: IntArray) -> None:
        """Look for somebody who agrees on a pattern."""
        plan, sides, a = self.plan, self.sides, self.sides.a
        arguments: tuple[Any, ...] = (
            sides.a_words, sides.a_columns, a.first, sides.following, a.size, sides.b_words, active, plan.mask(pattern),
            plan.layout.flags, pattern, step, bool(plan.verify[pattern]), *plan.fields, plan.stride, *self.state,
        )  # fmt: skip
        self.rows.add(*join(*arguments))

    def still_looking(self, active: IntArray, step: int) -> IntArray:
        """Return who goes on: a tie gives the second best."""
        crowded = active[(self.best_step[active] == step) & (self.ties[active] > 1)]
        self.second_step[crowded], self.lowest_second[crowded] = step, self.lowest[crowded, 1]
        return active[(self.second_step if self.plan.second else self.best_step)[active] < 0]

    def compare(self, active: IntArray) -> None:
        """Compare some with everybody."""
        sides, a = self.sides, self.sides.a
        classes = np.zeros(active.size, dtype=np.int64)
        linked_before = self.best_step[active] >= 0
        arguments: tuple[Any, ...] = (
            sides.a_fields, a.first, sides.following, a.size, sides.b_fields(active), self.plan.strides, active,
            self.plan.step_of, *self.state, classes, True,
        )  # fmt: skip
        tied = best_by_comparing(*arguments)
        crowded = active[self.ties[active] > 1]
        self.second_step[crowded], self.lowest_second[crowded] = self.best_step[crowded], self.lowest[crowded, 1]
        fresh, ends = active[~linked_before], np.cumsum(classes[~linked_before])
        self.rows.add(fresh, np.arange(fresh.size, dtype=np.int64), ends, tied)

    def answer(self) -> Nearest:
        """Return the heaviest pairs."""
        row, offsets, tied = self.rows.settled(self.best_step.size)
        weights = self.plan.weight_of_step
        return Nearest(
            best=np.where(self.best_step < 0, -1, self.lowest[:, 0]),
            second=np.where(self.second_step < 0, -1, self.lowest_second),
            score=np.where(self.best_step < 0, -np.inf, weights[self.best_step]),
            second_score=np.where(self.second_step < 0, -np.inf, weights[self.second_step]),
            ties=self.ties,
            row=row,
            row_offsets=offsets,
            tied=tied,
        )


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
