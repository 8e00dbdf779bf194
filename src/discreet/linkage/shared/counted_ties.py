"""The heaviest pairs of every record where nobody reads who ties: how many do, and whether somebody is among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.contracts.links import Links
from discreet.kernels.linking.counted_join import count_join, find_steps
from discreet.kernels.linking.hashjoin import best_by_comparing, meet_by_key
from discreet.linkage.nearest import nobody_second
from discreet.linkage.record_classes import NOBODY, Classes, Words
from discreet.linkage.shared.pattern_plan import JoinedFiles, PatternPlan
from discreet.typing import BoolArray, CodeArray, FloatArray, IntArray

__all__ = ["CountedLinks", "CountedTies", "CountingSearch", "PairRanks", "counted_links"]

_SELDOM = 3  # patterns with the same finest agreements, before who has these is looked up
_FAR_FEWER = 8  # times


@dataclass(frozen=True, repr=False)
class PairRanks:
    """The rank by weight of any pair of distinct records, looked up when it is asked for.

    Attributes
    ----------
    a_words, b_words : uint64
        The distinct records of both files, packed at every level.
    plan : PatternPlan
    """

    a_words: Words
    b_words: Words
    plan: PatternPlan

    def of(self, of_a: IntArray, of_b: IntArray) -> CodeArray:
        """Return the ranks of some pairs, 0 the heaviest."""
        steps = np.empty(of_a.size, dtype=np.int32)
        plan = self.plan
        find_steps(self.a_words, self.b_words, of_a, of_b, *plan.fields, plan.stride, plan.step_of, steps)
        return steps


@dataclass(frozen=True, repr=False)
class CountedTies:
    """Of every distinct record of B, the heaviest pair and how many weigh as much.

    Attributes
    ----------
    best : (n_b,) int64
        The lowest position in A of the heaviest, −1 for nobody.
    rank : (n_b,) int64
        Of its weight, −1 for nobody.
    ties, classes : (n_b,) int64
        Records of A, and distinct ones, of the same weight.
    pairs : PairRanks
    """

    best: IntArray
    rank: IntArray
    ties: IntArray
    classes: IntArray
    pairs: PairRanks

    @classmethod
    def joined(cls, parts: Sequence[CountedTies]) -> CountedTies:
        """Put what was searched for one block of B after another together."""
        names = ("best", "rank", "ties", "classes")
        best, rank, ties, classes = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
        words = [part.pairs.b_words for part in parts]
        first = parts[0].pairs
        pairs = first if len(parts) == 1 else PairRanks(first.a_words, np.concatenate(words), first.plan)
        return cls(best, rank, ties, classes, pairs)


@dataclass(frozen=True, repr=False)
class _Nearby:
    """Some distinct records of A, in their order, as joins read them."""

    words: Words
    columns: Words
    first: IntArray
    size: IntArray
    meets: BoolArray
    """By record of B, whether it may agree with one of them."""
    asking: int
    """How many records of B looked for them."""

    def meeting(self, b_words: Words, active: IntArray, mask: Words, flags: Words) -> _Nearby:
        """Return those who agree with one of the active records of B on the fields of a mask."""
        group, groups, near, who = meet_by_key(self.words, self.columns, b_words, active, mask, flags)
        is_met = np.zeros(groups + 1, dtype=np.bool_)  # the last is that of those who agree with nobody
        is_met[who] = True
        meets = np.zeros(len(b_words), dtype=np.bool_)
        meets[active] = is_met[group]
        if 2 * near.size > self.first.size:
            return replace(self, meets=meets, asking=active.size)
        columns = np.ascontiguousarray(self.columns[:, near])
        return _Nearby(self.words[near], columns, self.first[near], self.size[near], meets, active.size)


class CountingSearch:
    """What is known so far of the heaviest pair of every record of B, and of how many weigh as much."""

    def __init__(self, plan: PatternPlan, sides: JoinedFiles) -> None:
        n_b = len(sides.b_words)
        self.plan, self.sides = plan, sides
        self.best_step, self.lowest = np.full(n_b, -1, dtype=np.int64), np.full(n_b, NOBODY, dtype=np.int64)
        self.ties, self.classes = np.zeros(n_b, dtype=np.int64), np.zeros(n_b, dtype=np.int64)
        every = np.ones(n_b, dtype=np.bool_)
        self.everybody = _Nearby(sides.a_words, sides.a_columns, sides.a.first, sides.a.size, every, n_b)
        self.tried: Counter[tuple[int, ...]] = Counter()
        self.nearby: dict[tuple[int, ...], _Nearby] = {}

    def join(self, pattern: int, step: int, active: IntArray) -> None:
        """Look for somebody who agrees on a pattern."""
        plan, sides = self.plan, self.sides
        a, active = self._who_may_agree(pattern, active)
        if not active.size:
            return
        verify, finer = plan.finer_sets(pattern)
        masks = np.stack([plan.mask(one) for one in (pattern, *finer)])
        levels = np.array([_levels(one, plan) for one in (pattern, *finer)])
        signs = np.where((levels - levels[0]) % 2 == 0, 1, -1)
        arguments: tuple[Any, ...] = (
            a.words, a.columns, a.first, a.size, sides.b_words, active, masks, signs, plan.layout.flags,
            pattern, step, verify, *plan.fields, plan.stride, self.best_step, self.lowest, self.ties, self.classes,
        )  # fmt: skip
        count_join(*arguments)

    def _who_may_agree(self, pattern: int, active: IntArray) -> tuple[_Nearby, IntArray]:
        """Return the records of A, and those who look, between whom there may be a pair of the pattern.

        Few agree to the last digit on several numbers, or on one with the few who still look, and many patterns ask
        that of the same numbers: who does so with anybody is found once, when the third of them is tried, and again
        when far fewer look; for the other patterns only these are looked at.
        """
        plan = self.plan
        states = np.unravel_index(pattern, plan.weights.shape)
        most = [agreement.states - 1 for agreement in plan.agreements]
        finest = tuple(j for j, (own, last) in enumerate(zip(states, most, strict=True)) if own == last > 1)
        self.tried[finest] += 1
        are_few = len(finest) > 1 or (finest and _FAR_FEWER * active.size < self.best_step.size)
        if not are_few or self.tried[finest] < _SELDOM:
            return self.everybody, active
        if finest not in self.nearby or _FAR_FEWER * active.size < self.nearby[finest].asking:
            at_least = int(sum(plan.stride[j] * most[j] for j in finest))
            self.nearby[finest] = self.everybody.meeting(
                self.sides.b_words, active, plan.mask(at_least), plan.layout.flags
            )
        near = self.nearby[finest]
        return near, active[near.meets[active]]

    def still_looking(self, active: IntArray, step: int) -> IntArray:  # noqa: ARG002 - who lists ties needs it
        """Return who has nobody yet."""
        return active[self.best_step[active] < 0]

    def compare(self, active: IntArray) -> None:
        """Compare some with everybody."""
        sides, a, n = self.sides, self.sides.a, active.size
        best_step, second_step, lowest_second, best_class, ties, classes = np.full((6, n), -1, dtype=np.int64)
        lowest = np.full((n, 2), NOBODY, dtype=np.int64)
        arguments: tuple[Any, ...] = (
            sides.a_fields, a.first, sides.following, a.size, sides.b_fields(active), self.plan.strides,
            np.arange(n, dtype=np.int64), self.plan.step_of, best_step, second_step, lowest, lowest_second, best_class,
            ties, classes, False,
        )  # fmt: skip
        best_by_comparing(*arguments)
        self.best_step[active], self.lowest[active] = best_step, lowest[:, 0]
        self.ties[active], self.classes[active] = ties, classes

    def answer(self) -> CountedTies:
        """Return the heaviest pairs."""
        best = np.where(self.best_step < 0, -1, self.lowest)
        pairs = PairRanks(self.sides.a_words, self.sides.b_words, self.plan)
        return CountedTies(best, self.best_step, self.ties, self.classes, pairs)


def _levels(pattern: int, plan: PatternPlan) -> int:
    return int(sum(np.unravel_index(pattern, plan.weights.shape)))


@dataclass(frozen=True, repr=False)
class CountedLinks(Links):
    """Links whose ties were counted: who they are is not listed, but any record can be looked up among them.

    Attributes
    ----------
    ranks : (n_b,) int64
        Of the weight of the best pair, −1 where there is none.
    counts : (n_b,) int64
        How many classes of A share it.
    asking : (n_b,) int64
        The class of every record of B.
    pairs : PairRanks
    """

    ranks: IntArray = None  # type: ignore[assignment]  # fields after those with defaults need one
    counts: IntArray = None  # type: ignore[assignment]
    asking: IntArray = None  # type: ignore[assignment]
    pairs: PairRanks = None  # type: ignore[assignment]

    @property
    def tied_classes(self) -> IntArray:
        return self.counts

    def holds(self, candidates: IntArray, records: IntArray | None = None) -> BoolArray:
        every = np.arange(self.n_b, dtype=np.int64) if records is None else records
        hits = np.zeros(candidates.size, dtype=np.bool_)
        answerable = np.flatnonzero((candidates >= 0) & (every >= 0))
        of_b = every[answerable]
        ranks = self.pairs.of(self.classes[candidates[answerable]], self.asking[of_b])
        hits[answerable] = ranks == self.ranks[of_b]
        return hits


def counted_links(nearest: CountedTies, a: Classes, b: Classes, names: tuple[str, ...], method: str) -> CountedLinks:
    """Return links of all records, given those of distinct ones; the second best were not looked for."""
    n_b, label = b.label.size, b.label
    ranks = nearest.rank[label]
    second, second_score = nobody_second(n_b, higher_is_better=True)
    score: FloatArray = np.append(nearest.pairs.plan.weight_of_step, -np.inf)[ranks]
    return CountedLinks(
        n_a=a.label.size,
        n_b=n_b,
        best=nearest.best[label],
        second=second,
        score=score,
        second_score=second_score,
        ties=nearest.ties[label],
        tied_offsets=np.zeros(1, dtype=np.int64),
        tied=np.empty(0, dtype=np.int64),
        classes=a.label,
        attributes=names,
        method=method,
        higher_is_better=True,
        rows=second,
        has_second=False,
        ranks=ranks,
        counts=nearest.classes[label],
        asking=label,
        pairs=nearest.pairs,
    )
