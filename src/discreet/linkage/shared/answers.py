"""The answers of a search while it goes on: arrays that kernels write into, block by block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.contracts.engine import Engine
from discreet.linkage.nearest import Nearest, nearest_records
from discreet.linkage.record_classes import Classes
from discreet.linkage.shared.terms import Terms
from discreet.progress import report
from discreet.typing import FloatArray, IntArray, LevelArray

__all__ = ["SearchAnswers", "in_blocks"]

_BLOCK = 4096


class SearchAnswers:
    """The nearest and second-nearest class of A of every class of B."""

    def __init__(self, n: int) -> None:
        self.best, self.second, self.counts = (np.empty(n, dtype=np.int64) for _ in range(3))
        self.score, self.second_score = np.empty(n), np.empty(n)

    @property
    def arrays(self) -> tuple[IntArray, FloatArray, IntArray, FloatArray, IntArray]:
        """What kernels write into, in the sequence that they want."""
        return self.best, self.score, self.second, self.second_score, self.counts

    def enter(self, which: IntArray, some: SearchAnswers) -> None:
        """Take over what was found for some of the questions."""
        for own, theirs in zip(self.arrays, some.arrays, strict=True):
            own[which] = theirs

    def nearest(self, tied: list[IntArray], order: IntArray, a: Classes, terms: Terms) -> Nearest:
        """Turn classes of A into records, and sums of terms into distances."""
        nearest = nearest_records(self.arrays, tied, order, a)
        return replace(nearest, score=terms.scores(nearest.score), second_score=terms.scores(nearest.second_score))


def in_blocks(order: LevelArray, answer: Callable[[Any], IntArray], engine: Engine) -> list[IntArray]:
    """Answer the questions in this order, so many at a time, and return the tied classes block by block."""
    blocks = [order[low : low + _BLOCK] for low in range(0, order.size, _BLOCK)]
    answered = [0]

    def run(which: LevelArray) -> IntArray:
        tied = answer(which)
        answered[0] += 1
        report("linking", answered[0], len(blocks))
        return tied

    return engine.map(run, blocks)
