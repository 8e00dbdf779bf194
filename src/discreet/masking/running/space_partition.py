"""Balanced partitions of space: cuts at medians of a sample, blocks of bounded size."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.data.keyed_draws import Draws
from discreet.typing import FloatArray, IntArray

__all__ = ["Partition", "build_partition", "cut_at_medians", "cut_groups"]

# Blocks are aimed at this share of the largest size, so that sampling error seldom makes one too large.
_AIM = 0.85
# A cut needs so many records of the sample to be near the median.
_FEWEST = 40
# A block this many times too large (equal records, that no cut parts) is dealt out by position.
_CROWDED = 20
# Blocks of so many records are dealt so evenly that none comes near the smallest size.
_LARGE = 1000


@dataclass(frozen=True)
class Partition:
    """A binary tree of cuts ``direction · x ≤ cut``.

    Attributes
    ----------
    directions : (nodes, d) float64
    cuts : (nodes,) float64
    children : (nodes, 2) int64
        The node on either side, or −1 − leaf.
    deals : (leaves,) int64
        Into how many blocks the records of a leaf are dealt by their position; 1 but for crowds of equal records.
    """

    directions: FloatArray
    cuts: FloatArray
    children: IntArray
    deals: IntArray

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return int(self.deals.sum())

    def leaves_of(self, points: FloatArray) -> IntArray:
        """Return the leaf of every point."""
        if not self.cuts.size:
            return np.zeros(len(points), dtype=np.int64)
        place = np.zeros(len(points), dtype=np.int64)
        going = np.arange(len(points))
        while going.size:
            node = place[going]
            side = (points[going] * self.directions[node]).sum(axis=1) > self.cuts[node]
            place[going] = self.children[node, side.astype(np.int64)]
            going = going[place[going] >= 0]
        return -1 - place

    def blocks_of(self, points: FloatArray, rows: IntArray) -> IntArray:
        """Return the block of every point; `rows` are the positions of the records."""
        leaves = self.leaves_of(points)
        first = np.cumsum(self.deals) - self.deals
        dealt = (Draws.of(len(self.deals), None, "deal").uniform(rows) * self.deals[leaves]).astype(np.int64)
        return np.asarray(first[leaves] + dealt)

    def fitted(self, counts: IntArray, least: int, most: int) -> Partition:
        """Return the partition without leaves of fewer than `least` records, crowded ones dealt out.

        A cut beside a leaf that is too small is taken away: its records go down the other side.
        """
        children, deals = self.children.copy(), np.ones(counts.size, dtype=np.int64)
        top = _pruned(children, counts, least)
        occupied = np.zeros(counts.size, dtype=np.bool_)
        order: list[int] = []
        waiting = [top]
        while waiting:
            place = waiting.pop()
            if place < 0:
                occupied[-1 - place] = True
            else:
                order.append(place)
                waiting += children[place][::-1].tolist()
        if most >= _LARGE:
            crowded = counts > _CROWDED * most
            deals[crowded] = counts[crowded] // int(_AIM * most) + 1
        numbers = np.cumsum(occupied) - 1
        places = {old: new for new, old in enumerate(order)}
        tree = np.array(
            [[places[c] if c >= 0 else -1 - numbers[-1 - c] for c in children[node]] for node in order], dtype=np.int64
        ).reshape(len(order), 2)
        return Partition(self.directions[order], self.cuts[order], tree, deals[occupied])


def _pruned(children: IntArray, counts: IntArray, least: int) -> int:
    """Take small leaves away, deepest first, and return the place of the top: a node, or −1 − leaf."""
    if not len(children):
        return -1
    # Children are numbered after their parents, so that going backwards meets them first.
    stands_for = np.arange(len(children))
    totals = counts.copy()

    def place_of(child: int) -> int:
        return int(stands_for[child]) if child >= 0 else int(child)

    for node in range(len(children) - 1, -1, -1):
        left, right = place_of(children[node, 0]), place_of(children[node, 1])
        children[node] = left, right
        for small, other in ((left, right), (right, left)):
            if small < 0 and totals[-1 - small] < least:
                stands_for[node] = other
                if other < 0:
                    totals[-1 - other] += totals[-1 - small]
                break
    return int(stands_for[0])


def build_partition(points: FloatArray, of: int, size: int, rng: np.random.Generator | None = None) -> Partition:
    """Cut space at medians of a sample until every block holds at most about `size` of the `of` records.

    Parameters
    ----------
    points : (m, d) float64
        The sample, nothing missing.
    rng : Generator, optional
        Cut across random directions, so that two partitions have no border in common; without it, across the column
        with the largest spread.
    """
    directions: list[FloatArray] = []
    cuts: list[float] = []
    children: list[list[int]] = []
    leaves = 0
    share = of / max(len(points), 1)
    waiting: list[tuple[IntArray, int, int]] = [(np.arange(len(points)), -1, 0)]
    while waiting:
        inside, parent, side = waiting.pop(0)
        # So many blocks are to be made of these records; an odd number is not halved, so that all come out alike.
        n_blocks = 1 if of <= size else math.ceil(inside.size * share / (_AIM * size))
        cut = None
        if n_blocks > 1 and inside.size >= min(_FEWEST, len(points)):
            cut = _cut(points[inside], (n_blocks // 2) / n_blocks, rng)
        if cut is None:
            place = -1 - leaves
            leaves += 1
        else:
            direction, value = cut
            place = len(cuts)
            directions.append(direction)
            cuts.append(value)
            children.append([0, 0])
            beyond = (points[inside] * direction).sum(axis=1) > value
            waiting += [(inside[~beyond], place, 0), (inside[beyond], place, 1)]
        if parent >= 0:
            children[parent][side] = place
    return Partition(
        np.array(directions).reshape(len(cuts), points.shape[1]),
        np.array(cuts),
        np.array(children, dtype=np.int64).reshape(len(cuts), 2),
        np.ones(leaves, dtype=np.int64),
    )


def _cut(points: FloatArray, part: float, rng: np.random.Generator | None) -> tuple[FloatArray, float] | None:
    """Return a direction and the value below which a part of the points lies; None where they are all equal."""
    spread = points.std(axis=0)
    if not spread.max() > 0:
        return None
    if rng is None:
        direction: FloatArray = np.asarray(np.arange(points.shape[1]) == int(np.argmax(spread)), dtype=np.float64)
    else:
        direction = np.asarray(rng.standard_normal(points.shape[1]))
    along = np.sort((points * direction).sum(axis=1))
    value = float(along[max(int(part * along.size), 1) - 1])
    if value == along[-1]:
        # Too many are the largest: cut below them.
        below = along[along < value]
        if not below.size:
            return None
        value = float(below[-1])
    return direction, value


def cut_at_medians(points: FloatArray, size: int) -> list[IntArray]:
    """Cut records in memory into blocks of at most `size` and, if there are more, at least size // 2.

    Exact halves along the widest column, ties to the lower position.
    """
    return cut_groups(points, np.ones(len(points), dtype=np.int64), size)


def cut_groups(centres: FloatArray, sizes: IntArray, size: int) -> list[IntArray]:
    """Cut groups, each of so many records, into blocks of at most `size` records; a larger group stays alone."""
    blocks: list[IntArray] = []
    waiting = [np.arange(len(centres))]
    while waiting:
        inside = waiting.pop()
        total = int(sizes[inside].sum())
        if total <= size or inside.size < 2:
            blocks.append(np.sort(inside))
            continue
        widest = int(np.argmax(np.ptp(centres[inside], axis=0)))
        order = inside[np.argsort(centres[inside, widest], kind="stable")]
        middle = int(np.searchsorted(np.cumsum(sizes[order]), total // 2, side="right"))
        middle = min(max(middle, 1), inside.size - 1)
        waiting += [order[middle:], order[:middle]]
    return blocks
