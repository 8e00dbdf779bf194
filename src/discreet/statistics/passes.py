"""How questions are answered block by block: what engines share, and what travels to their workers."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from discreet.data.block import Block
from discreet.errors import DiscreetError, door
from discreet.statistics.counts import Counts
from discreet.statistics.question import Question

__all__ = ["DigestedRows", "EncodedKeys", "columns_asked", "merged", "or_error", "summarised"]


def or_error(work: Callable[[], Any], name: str = "") -> Any:
    """Return what some work gives, or the error it ends with: what one method cannot do is no other's affair."""

    def step() -> Any:
        return work()

    step.__qualname__ = name or getattr(work, "__qualname__", "A question")
    try:
        return door(step)()
    except DiscreetError as error:
        return error


def summarised(questions: Sequence[Question[Any]], block: Block) -> list[Any]:
    """Return the statistics of a block for every question, or its error."""
    return [_summary(question, block) for question in questions]


def _summary(question: Question[Any], block: Block) -> Any:
    summarise = partial(or_error, partial(question.summarise, block), type(question).__name__)
    # What is asked of an original alone is kept with it: a study compares it with many releases.
    return summarise() if question.released else block.original.once(("asked", question), summarise)


def merged(parts: Iterable[Sequence[Any]]) -> list[Any]:
    """Return the statistics of all records from those of blocks, question by question; an error stays one."""
    result: list[Any] = []
    for part in parts:
        result = [_both(*two) for two in zip(result, part, strict=True)] if result else list(part)
    return result


def _both(earlier: Any, later: Any) -> Any:
    if isinstance(earlier, DiscreetError):
        return earlier
    return later if isinstance(later, DiscreetError) else earlier.merge(later)


def columns_asked(questions: Iterable[Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns of the original and of the release that questions look at, each once."""
    each = list(questions)
    before = dict.fromkeys(name for question in each for name in question.original)
    after = dict.fromkeys(name for question in each for name in question.released)
    return tuple(before), tuple(after)


@dataclass(frozen=True)
class EncodedKeys:
    """Keys as numbers, for an engine that counts by itself."""

    counts: Counts

    @property
    def original(self) -> tuple[str, ...]:
        return self.counts.original

    @property
    def released(self) -> tuple[str, ...]:
        return self.counts.released

    def summarise(self, block: Block, /) -> dict[str, Any]:
        return self.counts.encoded(block)


@dataclass(frozen=True)
class DigestedRows:
    """What digests say of some counted combinations: one row of bytes."""

    questions: tuple[Counts, ...]

    def __call__(self, rows: Mapping[str, Any]) -> dict[str, Any]:
        combinations = self.questions[0].decoded(rows, rows["#count"], rows["#total"])
        result = np.empty(1, dtype=object)
        result[0] = pickle.dumps([question.digest.summarise(combinations) for question in self.questions])
        return {"digests": result}
