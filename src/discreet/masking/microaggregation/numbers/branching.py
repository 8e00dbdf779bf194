"""Branching: bounds above the linear programme, by settling in which group a costly record is.

The linear programme may put a third of a record into each of three groups. No partition can, and where the record lies
far from all others the difference is most of the gap. So the groups that it can be in are gone through: with prices
that no group exceeds, a partition that uses a group costs at least the bound plus what the group costs beyond its
prices, and only groups that stay below the ceiling, the cost of a known partition, are of interest. Each of them leaves
a smaller file with prices of its own, which are raised in turn.
"""

from __future__ import annotations

import heapq
import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from discreet.kernels.groups.pricing import group_costs, negative_groups
from discreet.masking.microaggregation.numbers.set_partition import raise_prices
from discreet.typing import FloatArray, IntArray

__all__ = ["Branching", "Node"]

# Records looked at for the next branching, the dearest first, and the groups that are listed for each of them at once.
_RECORDS = 8
_LISTED = 4_000
_MOST_LISTED = 16_000
# The part of the gap up to which a group counts as one that the linear programme may use.
_USED = 0.02
# The part of the gap that raising the prices of a node may leave.
_LEFT = 0.02
# Rounding, relative to the sums of prices; and how far groups are searched beyond those that are listed, relative to
# the ceiling, so that no group is missed that rounding puts on either side.
_ROUNDING = 1e-10
_MARGIN = 1e-11


@dataclass(frozen=True, repr=False)
class Node:
    """A part of all partitions: those that have some groups in common.

    Attributes
    ----------
    fixed : tuple of (s,) int64
        The groups in common.
    uncovered : (m,) int64
        The records outside of them.
    prices : (m,) float64
        What they cost at least.
    columns : (p, k) int64
        Groups that the linear programme had, as records of the whole file.
    bound : float
        No partition of this part costs less.
    """

    fixed: tuple[IntArray, ...]
    uncovered: IntArray
    prices: FloatArray
    columns: IntArray
    bound: float


@dataclass(frozen=True, repr=False)
class _Rest:
    """The partitions of a node in which a record is in one of the groups not yet gone through.

    Groups come in the order of what they cost beyond their prices. All below ``reach`` are listed.
    """

    node: Node
    record: int
    groups: list[IntArray]
    excess: FloatArray
    reach: float
    room: int

    @property
    def bound(self) -> float:
        return self.node.bound + (float(self.excess[0]) if self.groups else self.reach)


Part = TypeVar("Part", Node, _Rest)


class Branching:
    """Parts of all partitions, the one with the lowest bound first.

    Parameters
    ----------
    D : ndarray of shape (n, n), float64
        Squared distances.
    k : int
        At least 2.
    prices : ndarray of shape (n,), float64
        Prices that no group of at least k records exceeds.
    columns : ndarray of shape (m, k), int64
        Groups of the linear programme that they come from.
    ceiling : float
        The cost of a known partition; it may be lowered at any time.
    workers : ThreadPoolExecutor, optional

    Notes
    -----
    :attr:`bound` is valid whenever one looks. Every step raises the prices of one node, at the cost of a few linear
    programmes of n rows; memory is that of the nodes, 8 n (1 + 9 k) bytes each.
    """

    def __init__(
        self,
        D: FloatArray,
        k: int,
        prices: FloatArray,
        columns: IntArray,
        ceiling: float,
        workers: ThreadPoolExecutor | None = None,
    ) -> None:
        self._D = D
        self._k = k
        self._workers = workers
        self._order = itertools.count()
        self._stuck = False  # the lowest part has too many groups of equal cost to list them
        self._share = 1.0  # of the gap, for which there was room at the last listing
        self._queue: list[tuple[float, int, Node | _Rest]] = []
        self.ceiling = ceiling
        self.best: tuple[IntArray, ...] | None = None
        total = max(float(prices.sum() - _ROUNDING * np.abs(prices).sum()), 0.0)
        self._push(0.0, Node((), np.arange(len(D)), prices, columns, total))

    @property
    def bound(self) -> float:
        """A squared error that no partition stays below; the ceiling if that has been reached."""
        return min(self._queue[0][0], self.ceiling) if self._queue else self.ceiling

    @property
    def lowest(self) -> Node | None:
        """The node that holds the bound down; None if it is being branched, or there is none."""
        part = self._queue[0][2] if self._queue else None
        return part if isinstance(part, Node) else None

    @property
    def finished(self) -> bool:
        """Whether no part is left that could hold a partition cheaper than the ceiling, or that can be branched."""
        return self._stuck or not self._queue or self._queue[0][0] >= self.ceiling

    def _push(self, above: float, part: Node | _Rest) -> None:
        """Put a part in the queue, unless the ceiling rules it out; it lies within one whose bound is ``above``."""
        bound = max(above, part.bound)
        if bound < self.ceiling:
            heapq.heappush(self._queue, (bound, next(self._order), part))

    def step(self, seconds: float | None = None) -> None:
        """Branch, or raise the prices of one more node, where the bound is lowest; for some seconds at the most."""
        bound, _, part = heapq.heappop(self._queue)
        if isinstance(part, Node):
            if part.uncovered.size < 2 * self._k:  # a partition
                self.ceiling = bound
                self.best = (*part.fixed, *([part.uncovered] if part.uncovered.size else []))
            else:
                self._push(bound, self._branched(part, seconds) or self._left_alone(part))
        elif part.groups:
            rest = replace(part, groups=part.groups[1:], excess=part.excess[1:])
            child = self._child(part.node, part.groups[0], seconds)
            self._push(bound, rest)
            if child is not None:
                self._push(bound, child)
        else:  # more groups than there was room for
            more = self._containing(part.node, part.record, 4 * part.room)
            if more is None:
                self._push(bound, self._left_alone(part))
            else:
                new = int(np.searchsorted(more.excess, part.reach))
                self._push(bound, replace(more, groups=more.groups[new:], excess=more.excess[new:]))

    def _left_alone(self, part: Part) -> Part:
        self._stuck = True
        return part

    def _branched(self, node: Node, seconds: float | None) -> _Rest | None:
        """Return what becomes of a node if it is branched on a dear record that the linear programme divides."""
        wide = _USED * (self.ceiling - node.bound)
        begin = time.monotonic()
        rests: list[_Rest] = []
        for h in np.argsort(-node.prices, kind="stable")[:_RECORDS].tolist():
            if rests and seconds is not None and time.monotonic() - begin > seconds:
                break
            rest = self._containing(node, h, _LISTED)
            if rest is None:  # a cheaper record has even more
                break
            if int((rest.excess < wide).sum()) > 1 and rest.reach > wide:
                return rest
            rests.append(rest)
        return max(rests, key=lambda rest: rest.reach, default=None)

    def _containing(self, node: Node, record: int, room: int) -> _Rest | None:
        """Return the groups with a record of a node that the ceiling allows, or the cheapest; None if too many are."""
        D = self._D[np.ix_(node.uncovered, node.uncovered)]
        gap = self.ceiling - node.bound
        reach = gap * min(1.0, 4.0 * self._share)
        margin = _MARGIN * self.ceiling
        while True:
            raised = node.prices.copy()
            raised[record] += reach + margin
            parts = []
            for s in range(self._k, 2 * self._k):
                listed = negative_groups(D, raised, s, room=room)
                if listed is None:
                    break
                parts.append(listed[0][(listed[0] == record).any(axis=1)])
            else:
                break
            if reach > 100.0 * margin:
                reach *= 0.25
            elif room < _MOST_LISTED:  # many equals
                room *= 4
            else:
                return None
        self._share = max(reach / gap, 1e-6)
        groups = [node.uncovered[group] for part in parts for group in part]
        excess = np.concatenate([group_costs(D, part) - node.prices[part].sum(axis=1) for part in parts])
        order = np.argsort(excess, kind="stable")
        order = order[excess[order] < reach]
        return _Rest(node, record, [groups[q] for q in order], np.maximum(excess[order], 0.0), reach, room)

    def _child(self, node: Node, group: IntArray, seconds: float | None) -> Node | None:
        """Return the part of a node that uses one group more, its prices raised; None if there is none."""
        keep = ~np.isin(node.uncovered, group)
        uncovered, prices = node.uncovered[keep], node.prices[keep]
        fixed = (*node.fixed, group)
        cost = float(sum(group_costs(self._D, g[None, :])[0] for g in fixed))
        if 0 < uncovered.size < self._k:
            return None
        if uncovered.size < 2 * self._k:
            rest = float(group_costs(self._D, uncovered[None, :])[0]) if uncovered.size else 0.0
            return Node(fixed, uncovered, prices, node.columns[:0], cost + rest)
        within = node.columns[np.isin(node.columns, uncovered).all(axis=1)]
        allowance = self.ceiling - cost
        tolerance = _LEFT * (self.ceiling - node.bound) / max(allowance, 1e-300)
        value, columns = 0.0, within
        for raised in raise_prices(
            np.ascontiguousarray(self._D[np.ix_(uncovered, uncovered)]),
            self._k,
            np.searchsorted(uncovered, within),
            prices=prices,
            seconds=seconds,
            tolerance=min(max(tolerance, 1e-7), 1e-3),
            enough=allowance,
            workers=self._workers,
        ):
            prices, value, columns = raised.values, raised.bound, uncovered[raised.columns]
        return Node(fixed, uncovered, prices, columns, cost + value)
