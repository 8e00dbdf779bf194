"""The values at given ranks of a column, exactly, without sorting it: four passes that each settle sixteen bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.data.block import Block
from discreet.statistics.question import Inquiry
from discreet.typing import IntArray

__all__ = ["Leading", "LeadingBits", "values_at_ranks"]

_STEP, _BITS = 16, 64
_SIGN = np.uint64(1 << 63)


@dataclass(frozen=True)
class LeadingBits:
    """By (column, leading bits that are known), how many values go on with which sixteen bits."""

    counts: Mapping[tuple[str, int], tuple[IntArray, IntArray]]

    def merge(self, later: LeadingBits, /) -> LeadingBits:
        return LeadingBits({key: _added(mine, later.counts[key]) for key, mine in self.counts.items()})


def _added(mine: tuple[IntArray, IntArray], theirs: tuple[IntArray, IntArray]) -> tuple[IntArray, IntArray]:
    bits, places = np.unique(np.concatenate([mine[0], theirs[0]]), return_inverse=True)
    sums = np.bincount(places.ravel(), weights=np.concatenate([mine[1], theirs[1]]), minlength=bits.size)
    return bits, sums.astype(np.int64)


@dataclass(frozen=True)
class Leading:
    """How the numbers go on that begin with some bits: `begins` holds (column, bits), `depth` says how many bits."""

    begins: tuple[tuple[str, int], ...]
    depth: int

    @property
    def original(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for name, _ in self.begins))

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> LeadingBits:
        counts = {}
        for name in self.original:
            bits = _ordered_bits(block.original.encoded(name))
            for start in (start for other, start in self.begins if other == name):
                inside = bits if not self.depth else bits[bits >> np.uint64(_BITS - self.depth) == np.uint64(start)]
                following = (inside >> np.uint64(_BITS - self.depth - _STEP)) & np.uint64((1 << _STEP) - 1)
                times = np.bincount(following.astype(np.int64), minlength=1 << _STEP)
                values = np.flatnonzero(times)
                counts[name, start] = values, times[values]
        return LeadingBits(counts)


def _ordered_bits(numbers: Any) -> NDArray[np.uint64]:
    """Return the numbers that are present as integers in the same order; both zeros are one."""
    bits = (numbers[~np.isnan(numbers)] + 0.0).view(np.uint64)
    return np.asarray(np.where(bits & _SIGN, ~bits, bits | _SIGN), dtype=np.uint64)


def _number(bits: int) -> float:
    raw = np.uint64(bits)
    return float(np.array([raw & ~_SIGN if raw & _SIGN else ~raw], dtype=np.uint64).view(np.float64)[0])


def values_at_ranks(ranks: Mapping[str, Sequence[int]]) -> Inquiry[dict[str, list[float]]]:
    """Ask for the values at ranks, 1 being the smallest of those that are present.

    Parameters
    ----------
    ranks : mapping of str to sequence of int
        By numeric column, ranks between 1 and the number of values present.
    """
    waiting = [(name, rank) for name, those in ranks.items() for rank in those]
    begins, ranks_left = [0] * len(waiting), [rank for _, rank in waiting]
    for depth in range(0, _BITS if waiting else 0, _STEP):
        prefixes = tuple(dict.fromkeys((name, begins[i]) for i, (name, _) in enumerate(waiting)))
        leading: LeadingBits = yield Leading(prefixes, depth)
        for i, (name, _) in enumerate(waiting):
            bits, times = leading.counts[name, begins[i]]
            below = np.cumsum(times)
            place = int(np.searchsorted(below, ranks_left[i]))
            ranks_left[i] -= int(below[place - 1]) if place else 0
            begins[i] = (begins[i] << _STEP) | int(bits[place])
    result: dict[str, list[float]] = {name: [] for name in ranks}
    for i, (name, _) in enumerate(waiting):
        result[name].append(_number(begins[i]))
    return result
