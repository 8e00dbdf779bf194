"""Polish: a release of local suppression improved by integer programmes over some of its records at a time.

The records that stand out in the original, all of them or a block of neighbours, are decided about anew, with whoever
can help them, while all others show what they show. The best of a programme is taken if it costs less, so that every
step is a release that keeps its promise.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from math import comb

import numpy as np

from discreet.masking.running.quiet_solver import Programme
from discreet.masking.withholding.category_programme import programme_of
from discreet.masking.withholding.hiding_classes import (
    DistinctKeys,
    HidingClasses,
    distinct_rows,
    hiding_classes,
    patterns_up_to,
)
from discreet.masking.withholding.key_classes import KeyCoder, classes_of, wildcard_counts
from discreet.masking.withholding.wildcard_programme import MOST_KEYS, RecordStates, record_states, wildcard_programme
from discreet.progress import report
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["polished_hiding"]

# Pairs of a different record and a combination, or states, in the programme of a block.
_PAIRS, _LEAST_PAIRS, _MOST_PAIRS = 30_000, 3_000, 240_000
# Hidden keys of a record that a programme tries, beside those it hides now.
_SIZE = 3
# Records that share their keys with enough others and are tried as company in every combination.
_COMPANY = 2
# Nodes of a programme where the same result is wanted every time.
_NODES = 50
# How far above the bound of a linear programme a solution is looked for first, as a part of it.
_NEAR = 0.02
# Blocks grow so much after a round without success; after so many it ends.
_GROWTH, _VAIN = 2.0, 5
# Part of the time that is left for one round: where its programmes are too large, smaller ones get the rest.
_ROUND = 0.5


class _Budget:
    """A number of programmes, or a time."""

    def __init__(self, programmes: int | None, seconds: float | None) -> None:
        self._programmes, self._seconds = programmes, seconds
        self._done, self._begin = 0, time.monotonic()

    @property
    def ends(self) -> bool:
        if self._seconds is not None:
            return time.monotonic() - self._begin >= self._seconds
        return self._done >= (self._programmes or 0)

    def solve(self, programme: Programme, ceiling: float, blocks: int) -> tuple[FloatArray | None, bool]:
        """Return the best below the ceiling that is found, None if nothing is; and whether nothing better is left."""
        self._done += 1
        if self._seconds is None:
            report("polishing", self._done, max(self._programmes or 0, self._done))
        else:
            spent = (time.monotonic() - self._begin) / self._seconds
            report("polishing", min(int(1000 * spent), 1000), 1000)
        relaxation = programme.relaxed(self._left(blocks))
        if relaxation is None:
            return None, False
        if relaxation.bound >= ceiling - 1e-6:
            return None, True
        nodes = _NODES if self._seconds is None else None
        best: FloatArray | None = None
        # The optimum is near the bound, and little can be part of what is near: so little is tried first.
        for share in (_NEAR, 4.0 * _NEAR, 1.0):
            low = relaxation.bound
            limit = min(ceiling, low + max(share * abs(low), 2.0)) if share < 1.0 else ceiling
            left = self._left(blocks)
            values, _, finished = programme.narrowed(relaxation, limit).solved(left, nodes)
            paid = np.inf if values is None else float(programme.cost @ values)
            if paid < ceiling - 1e-9:
                best, ceiling = values, paid
            if finished and ceiling <= limit + 1e-9:
                return best, True
            if not finished or limit >= ceiling or self.ends:
                break
        return best, False

    def _left(self, blocks: int) -> float | None:
        """Return the time for one of so many blocks."""
        if self._seconds is None:
            return None
        left = self._seconds - (time.monotonic() - self._begin)
        return max(_ROUND * left / blocks, min(0.5, left))


def polished_hiding(
    original: IntArray,
    released: IntArray,
    k: int,
    costs: FloatArray,
    *,
    wildcard: bool = False,
    programmes: int | None = None,
    seconds: float | None = None,
) -> IntArray:
    """Return keys that cost no more than `released` and match as many others.

    Parameters
    ----------
    original, released : (n, d) int64
        Keys before and after, positive numbers with 0 for a missing value.
    k : int
        How many records every released record matches, itself included.
    costs : (d,) float64
        Of a hidden value of each key.
    wildcard : bool
        Whether a missing value matches everything; otherwise it is a value of its own.
    programmes : int, optional
        How many programmes to solve: the same result every time.
    seconds : float, optional
        How long, instead.

    Notes
    -----
    A block has as many different records as give some thousand unknowns. A round goes through all records that stand
    out, sorted by their keys, in another order of keys every time; after a round without success blocks become twice as
    large, and smaller where programmes took too long. The optimum of a programme that has all of them ends it. A linear
    programme first tells what cannot be part of anything better.
    """
    if wildcard and original.shape[1] > MOST_KEYS:
        return released
    distinct = distinct_rows(original)
    search = (_WildcardSearch if wildcard else _CategorySearch)(distinct, released.copy(), k, costs)
    budget, pairs, turn, vain = _Budget(programmes, seconds), float(_PAIRS), 0, 0
    while not budget.ends and search.open.size and vain < _VAIN:
        blocks = search.blocks(turn, pairs)
        before, settled = search.cost, True
        for number, block in enumerate(blocks):
            if budget.ends:
                return search.released
            settled &= search.improve(block, partial(budget.solve, blocks=len(blocks) - number))
        if len(blocks) == 1 and settled:
            break
        vain = vain + 1 if search.cost > before - 1e-9 else 0
        # Programmes that do not come to their end are too large, and those that find nothing are too small.
        if not settled:
            pairs = max(pairs / _GROWTH**2, _LEAST_PAIRS)
        elif vain:
            pairs = min(pairs * _GROWTH, _MOST_PAIRS)
        turn += 1
    return search.released


Solve = Callable[[Programme, float], tuple[FloatArray | None, bool]]


class _Search:
    """A release, and the different records that it is made of."""

    def __init__(self, distinct: DistinctKeys, released: IntArray, k: int, costs: FloatArray) -> None:
        self.distinct, self.released, self.k, self.costs = distinct, released, k, costs
        order = np.argsort(distinct.of_record, kind="stable")
        ends = np.cumsum(distinct.counts)
        self._records = [order[end - count : end] for end, count in zip(ends, distinct.counts, strict=True)]
        self.open = self._standing_out()

    @property
    def cost(self) -> float:
        before = self.distinct.rows[self.distinct.of_record]
        return float((((before > 0) & (self.released == 0)) @ self.costs).sum())

    def _standing_out(self) -> IntArray:
        raise NotImplementedError

    def _width(self) -> float:
        """Return how many unknowns a different record brings."""
        raise NotImplementedError

    def _keeps(self, released: IntArray) -> bool:
        raise NotImplementedError

    def improve(self, block: IntArray, solve: Solve) -> bool:
        """Decide anew about these different records; say whether nothing better is left."""
        raise NotImplementedError

    def blocks(self, turn: int, pairs: float) -> list[IntArray]:
        """Return the different records that stand out, neighbours in one order of the keys together."""
        size = max(20, int(pairs / self._width()))
        keys = self.distinct.rows[self.open][:, np.roll(np.arange(self.distinct.rows.shape[1]), turn)]
        order = self.open[np.lexsort(keys.T)]
        number = max(1, -(-self.open.size // size))
        if number > 1:
            order = np.roll(order, turn * size // 3)
        return np.array_split(order, number)

    def _paid(self, members: IntArray) -> float:
        """Return what these different records cost now."""
        own = self._records_of(members)
        before = self.distinct.rows[self.distinct.of_record[own]]
        return float((((before > 0) & (self.released[own] == 0)) @ self.costs).sum())

    def _records_of(self, members: IntArray) -> IntArray:
        return np.concatenate([self._records[r] for r in members]) if members.size else np.zeros(0, np.int64)

    def _others(self, members: IntArray) -> tuple[IntArray, IntArray]:
        """Return what all other records show."""
        inside = np.zeros(len(self.released), dtype=np.bool_)
        inside[self._records_of(members)] = True
        rows = distinct_rows(self.released[~inside])
        return rows.rows, rows.counts

    def _take(self, members: IntArray, shown: IntArray, numbers: IntArray, prices: FloatArray) -> None:
        """Let records show these rows, the first of each different record the least costly, if that is better."""
        trial = self.released.copy()
        for r in np.unique(members):
            own = np.flatnonzero(members == r)
            own = own[np.argsort(prices[own], kind="stable")]
            rows = np.repeat(shown[own], numbers[own], axis=0)
            if len(rows) != self.distinct.counts[r]:
                return
            trial[self._records[r]] = rows
        before, was = self.cost, self.released
        self.released = trial
        # The solver's word is checked: every record, and every promise.
        if not (self.cost < before - 1e-9 and self._keeps(trial)):
            self.released = was


class _CategorySearch(_Search):
    def _standing_out(self) -> IntArray:
        return np.flatnonzero(self.distinct.counts < self.k)

    def _width(self) -> float:
        d = self.distinct.rows.shape[1]
        return sum(comb(d, s) for s in range(min(_SIZE, d) + 1)) * 1.5

    def _keeps(self, released: IntArray) -> bool:
        nothing = np.zeros(released.shape[1], dtype=np.bool_)
        return int(classes_of(KeyCoder(released).numbers(slice(None), nothing))[1].min()) >= self.k

    def improve(self, block: IntArray, solve: Solve) -> bool:
        rows, counts, _ = self.distinct
        absent = rows == 0
        patterns = patterns_up_to(absent[block], _SIZE)
        wanted = np.zeros(len(rows), dtype=np.bool_)
        wanted[block] = True
        able = hiding_classes(rows, counts, self.k, self.costs, patterns, wanted=wanted)
        company = self._company(able, wanted)
        # Who hides something in company with the block may be let go.
        hiding = self._now_together(block)
        members = np.union1d(np.union1d(block, hiding), np.unique(company[:, 0]))
        shown = self.released[self._records_of(members)]
        patterns = np.unique(np.concatenate([patterns, shown == 0, absent[members]]), axis=0)
        classes = hiding_classes(
            rows[members], counts[members], self.k, self.costs, patterns, fixed=self._others(members), closed=False
        )
        classes = self._listed(classes, members, block, company, shown)
        model = programme_of(classes, counts[members], self.k)
        values, finished = solve(model.programme, self._paid(members))
        if values is None:
            return finished
        numbers = np.rint(values[: classes.members.size]).astype(np.int64)
        used = np.flatnonzero(numbers > 0)
        self._take(
            members[classes.members[used]], classes.released[classes.places[used]], numbers[used], classes.prices[used]
        )
        return finished

    def _company(self, able: HidingClasses, wanted: BoolArray) -> IntArray:
        """Return pairs of a record with many equals and a pattern's combination that it may help, a few for each."""
        spare = self.distinct.counts[able.members] > self.k
        pairs = np.flatnonzero(~wanted[able.members] & (spare | (self.distinct.counts[able.members] == self.k)))
        order = pairs[
            np.lexsort(
                (
                    able.members[pairs],
                    -self.distinct.counts[able.members[pairs]],
                    able.prices[pairs],
                    able.places[pairs],
                )
            )
        ]
        places = able.places[order]
        begin = np.concatenate([[0], np.flatnonzero(np.diff(places)) + 1]) if places.size else np.zeros(0, np.int64)
        rank = np.arange(places.size) - np.repeat(begin, np.diff(np.append(begin, places.size)))
        some = order[rank < _COMPANY]
        released = able.released[able.places[some]]
        return (
            np.column_stack([able.members[some], released])
            if some.size
            else np.zeros((0, 1 + released.shape[1]), np.int64)
        )

    def _now_together(self, block: IntArray) -> IntArray:
        rows = distinct_rows(self.released)
        theirs = np.unique(rows.of_record[self._records_of(block)])
        return np.unique(self.distinct.of_record[np.isin(rows.of_record, theirs)])

    def _listed(
        self, classes: HidingClasses, members: IntArray, block: IntArray, company: IntArray, shown: IntArray
    ) -> HidingClasses:
        """Return the pairs that are tried: all of the block, company that was chosen, and what everybody shows now."""
        own = self._records_of(members)
        now = np.column_stack([self.distinct.of_record[own], shown])
        home = np.column_stack([members, self.distinct.rows[members]])
        pairs = np.column_stack([members[classes.members], classes.released[classes.places]])
        stacked = distinct_rows(np.concatenate([pairs, company, now, home]) + 1).of_record
        known = np.unique(stacked[len(pairs) :])
        keep = np.isin(members[classes.members], block) | np.isin(stacked[: len(pairs)], known)
        return HidingClasses(
            classes.released, classes.fixed, classes.members[keep], classes.places[keep], classes.prices[keep]
        )


class _WildcardSearch(_Search):
    def _standing_out(self) -> IntArray:
        self.states = record_states(self.distinct.rows, self.distinct.counts, self.k, self.costs)
        return np.unique(self.states.owners)

    def _width(self) -> float:
        return self.states.owners.size / self.open.size

    def _keeps(self, released: IntArray) -> bool:
        return int(wildcard_counts(released).min()) >= self.k

    def improve(self, block: IntArray, solve: Solve) -> bool:
        rows, counts, _ = self.distinct
        inside = np.isin(self.states.owners, block)
        states = RecordStates(
            self.states.needs, self.states.owners[inside], self.states.rows[inside], self.states.prices[inside]
        )
        model = wildcard_programme(rows, counts, self.k, states, fixed=self._others(block))
        if model is None:
            return False
        values, finished = solve(model.programme, self._paid(block))
        if values is None:
            return finished
        numbers = np.rint(values[: states.owners.size]).astype(np.int64)
        used = np.flatnonzero(numbers > 0)
        self._take(states.owners[used], states.rows[used], numbers[used], states.prices[used])
        return finished
