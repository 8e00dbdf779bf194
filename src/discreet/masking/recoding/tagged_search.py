"""The search where generalising can only help and costs add up: a node that fails rules out all finer ones.

Nodes are marked in an array of the lattice's shape. What a node costs with nothing suppressed is known beforehand, and
those that cannot be better than the best are closed; a node that suppresses too much closes everything below it. What
is still open is looked at from the coarsest on.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discreet.kernels.generalising.judged import judge
from discreet.kernels.generalising.node_walk import ADDITIVE, node_value
from discreet.kernels.generalising.rolled import ClassTables, leap
from discreet.progress import report
from discreet.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from discreet.masking.recoding.lattice_search import LatticeSearch

__all__ = ["MOST_NODES", "TaggedSearch"]

MOST_NODES = 1 << 22
"""Of a lattice that is marked node by node."""
_AHEAD = 3
"""How many attributes' levels a kept table has, at most; the others are as in the data."""
_BETTER = 1.0 - 1e-13


@dataclass(eq=False)
class TaggedSearch:
    """The open nodes of a lattice, and the best one so far.

    Notes
    -----
    Classes of a node are rolled up from those of a node that shares the levels of its first attributes; of these as
    many are kept as make four times the different records.
    """

    lattice: LatticeSearch
    best: float = np.inf
    best_levels: IntArray | None = None
    visited: int = 0
    feasible: int = 0
    bounded: int = 0
    hopeless: int = 0
    kept: OrderedDict[tuple[int, ...], ClassTables] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        heights = self.lattice.steps.heights
        self.shape = tuple(int(height) + 1 for height in heights)
        self.open: BoolArray = np.ones(self.shape, dtype=np.bool_)
        self.least: FloatArray = np.zeros([1] * len(self.shape))
        for a, height in enumerate(heights.tolist()):
            column = self.lattice.steps.margins[a, : height + 1]
            self.least = self.least + column.reshape([-1 if b == a else 1 for b in range(len(self.shape))])
        self.room = 4 * int(self.lattice.tables.filled[0])

    # ------------------------------------------------------------------------------------------------------- nodes

    def _source(self, levels: tuple[int, ...]) -> tuple[ClassTables, IntArray]:
        """Return a table to roll up from, and the levels it is at."""
        tables, now = self.lattice.tables, np.zeros(len(levels), dtype=np.int64)
        for ahead in range(1, min(_AHEAD, len(levels) - 1) + 1):
            prefix = levels[:ahead]
            if not prefix[-1]:
                continue
            if prefix in self.kept:
                self.kept.move_to_end(prefix)
                tables = self.kept[prefix]
                now[:ahead] = prefix
                continue
            further = now.copy()
            further[:ahead] = prefix
            scratch = len(levels) + 1
            leap(self.lattice.steps, tables, 0, self.lattice.tables, scratch, now, further, self.lattice.work)
            tables, now = self._keep(prefix, _copied(self.lattice.tables, scratch)), further
        return tables, now

    def _keep(self, prefix: tuple[int, ...], tables: ClassTables) -> ClassTables:
        self.kept[prefix] = tables
        while len(self.kept) > 1 and sum(int(one.filled[0]) for one in self.kept.values()) > self.room:
            self.kept.popitem(last=False)
        return tables

    def look(self, levels: tuple[int, ...]) -> tuple[float, int]:
        """Look at a node, close what it rules out, and return its value and what it suppresses (−1: too much)."""
        one, scratch = self.lattice, len(levels) + 1
        tables, now = self._source(levels)
        at = np.array(levels, dtype=np.int64)
        leap(one.steps, tables, 0, one.tables, scratch, now, at, one.work)
        self.visited += 1
        self.open[levels] = False
        lost = judge(one.steps, one.rules, one.tables, scratch, at, one.limit, one.stays, one.work)
        if lost < 0:
            self.hopeless += self._close(tuple(slice(0, level + 1) for level in levels))
            return np.inf, -1
        self.feasible += 1
        value = self._value(scratch, at, suppressing=lost > 0)
        before = self.best_levels
        if value < self.best * _BETTER or (before is not None and value <= self.best and _is_finer(at, before)):
            self.best, self.best_levels = value, at
            dear = self.open & (self.least >= self.best * _BETTER)
            self.bounded += int(dear.sum())
            self.open[dear] = False
        return value, lost

    def _value(self, table: int, levels: IntArray, *, suppressing: bool) -> float:
        one = self.lattice
        return float(
            node_value(ADDITIVE, one.steps, one.tables, table, levels, one.n, one.dearest, suppressing, one.work)
        )

    def _close(self, part: tuple[slice, ...]) -> int:
        closed = int(self.open[part].sum())
        self.open[part] = False
        return closed

    # ------------------------------------------------------------------------------------------------------ search

    def run(self, visits: int, seconds: float | None, label: str) -> bool:
        """Search; say whether nothing is open any more."""
        started = time.monotonic()

        def over() -> bool:
            late = seconds is not None and time.monotonic() - started > seconds
            return self.visited >= visits or late

        self._descend(over)
        return self._sweep(over, label)

    def _descend(self, over: Callable[[], bool]) -> None:
        """Find a first node to beat: down from the coarsest, to whichever finer node is cheapest and still fine."""
        levels = tuple(size - 1 for size in self.shape)
        value, lost = self.look(levels)
        while lost >= 0 and not over():
            finer = [
                tuple(level - (b == a) for b, level in enumerate(levels)) for a in range(len(levels)) if levels[a] > 0
            ]
            # The first that is no dearer: the others begin at a higher bound.
            for node in sorted(finer, key=lambda node: float(self.least[node])):
                if self.open[node]:
                    trial, more = self.look(node)
                    if more >= 0 and trial <= value:
                        value, lost, levels = trial, more, node
                        break
            else:
                return

    def _sweep(self, over: Callable[[], bool], label: str) -> bool:
        """Look at open nodes from the coarsest on, dearer ones first: each that fails closes most of what is below."""
        depth = np.zeros([1] * len(self.shape))
        for a, size in enumerate(self.shape):
            depth = depth + np.arange(size).reshape([-1 if b == a else 1 for b in range(len(self.shape))])
        order = np.flatnonzero(self.open)
        return self._in_order(order[np.lexsort((-self.least.ravel()[order], -depth.ravel()[order]))], over, label)

    def _in_order(self, order: IntArray, over: Callable[[], bool], label: str) -> bool:
        flat = self.open.reshape(-1)
        for place in order.tolist():
            if not flat[place]:
                continue
            if over():
                return False
            self.look(tuple(int(level) for level in np.unravel_index(place, self.shape)))
            if label and self.visited % 64 == 0:
                report(label, self.visited + self.bounded + self.hopeless, flat.size)
        return True

    def bound(self) -> float:
        """Return what no open node can be below."""
        if not self.open.any():
            return self.best
        return float(min(self.best, self.least[self.open].min()))


def _is_finer(levels: IntArray, other: IntArray) -> bool:
    return bool((levels <= other).all() and (levels < other).any())


def _copied(tables: ClassTables, place: int) -> ClassTables:
    count = int(tables.filled[place])
    entries = [int(starts[count]) for starts in tables.starts[place]]
    most = max(entries, default=0)
    return ClassTables(
        keys=tables.keys[place : place + 1, :count].copy(),
        sizes=tables.sizes[place : place + 1, :count].copy(),
        people=tables.people[place : place + 1, :count].copy(),
        starts=tables.starts[place : place + 1, :, : count + 1].copy(),
        values=tables.values[place : place + 1, :, :most].copy(),
        counts=tables.counts[place : place + 1, :, :most].copy(),
        filled=np.array([count], dtype=np.int64),
    )
