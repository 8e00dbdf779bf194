"""Chains of a study whose beginnings are the same, masked so that every beginning is computed once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from discreet.contracts.engine import Engine
from discreet.contracts.masked import Masked
from discreet.contracts.masker import Masker
from discreet.contracts.stepwise import MaskingStage, StepwiseMasking
from discreet.data.microdata import Microdata
from discreet.errors import DiscreetError

__all__ = ["Prefixes", "cut_along_prefixes", "in_prefix_order"]

T = TypeVar("T")
Path = tuple[Hashable, ...]

_MOST_STAGES = 16
_MOST_CELLS = 50_000_000


@dataclass(frozen=True)
class _Branch:
    """A step that was taken, and the stage it led to, or why it could not be taken.

    The masker is held as long as what it is known by: nothing else can come to be known by the same.
    """

    masker: Masker
    stage: MaskingStage | DiscreetError


class Prefixes:
    """The steps that were taken last, kept for chains that begin with them.

    Notes
    -----
    Chains are a tree, a step a branch. Asked in the order of :func:`in_prefix_order`, every branch is taken once,
    however few are held: never more stages than 16, fewer of a large table, and always those of the chain at work. Of
    two chains that share a step the seeds are the same, so that what is shared is the very release that each would have
    made alone.
    """

    def __init__(self) -> None:
        self._original: Microdata | None = None
        self._branches: OrderedDict[Path, _Branch] = OrderedDict()
        self.steps_taken = 0

    def mask(self, chain: StepwiseMasking, original: Microdata, engine: Engine) -> Masked:
        """Mask a table with a chain that has a seed, from the last stage that it shares with chains before it."""
        maskers, keys = chain.prepare(original), chain.step_keys()
        if original is not self._original:
            self._original = original
            self._branches.clear()
        cells = max(1, len(original) * len(original.schema))
        held = max(len(keys), min(_MOST_STAGES, _MOST_CELLS // cells))
        stage = MaskingStage(original, original)
        for place, masker in enumerate(maskers):
            path = keys[: place + 1]
            if path not in self._branches:
                self.steps_taken += 1
                reached: MaskingStage | DiscreetError
                try:
                    reached = chain.advance(stage, place, masker, engine)
                except DiscreetError as error:
                    reached = error
                self._branches[path] = _Branch(masker, reached)
            self._branches.move_to_end(path)
            while len(self._branches) > held:
                self._branches.popitem(last=False)
            branch = self._branches[path].stage
            if isinstance(branch, DiscreetError):
                raise branch
            stage = branch
        return chain.finish(stage)


def in_prefix_order(items: Sequence[tuple[T, Path]]) -> list[tuple[T, Path]]:
    """Return items so that those whose paths begin alike stand together, in the order in which each was first seen.

    Examples
    --------
    >>> [name for name, _ in in_prefix_order([("a", (1, 2)), ("b", (3,)), ("c", (1, 4)), ("d", (1, 2, 5))])]
    ['a', 'd', 'c', 'b']
    """
    ranks: dict[Path, int] = {}

    def rank(path: Path) -> tuple[int, ...]:
        return tuple(ranks[path[: depth + 1]] for depth in range(len(path)))

    for _, path in items:
        for depth in range(len(path)):
            ranks.setdefault(path[: depth + 1], len(ranks))
    return sorted(items, key=lambda item: rank(item[1]))


def cut_along_prefixes(items: Sequence[tuple[T, Path]], most: int) -> list[list[tuple[T, Path]]]:
    """Cut items into parts of at most so many, where paths part rather than within a beginning that is shared.

    A part that is cut all the same computes what it shares with its neighbour once more.

    Examples
    --------
    >>> items = [("a", (1, 2)), ("b", (1, 3)), ("c", (4,)), ("d", (5,))]
    >>> [[name for name, _ in part] for part in cut_along_prefixes(items, 2)]
    [['a', 'b'], ['c', 'd']]
    """
    parts: list[list[tuple[T, Path]]] = []

    def add(group: list[tuple[T, Path]]) -> None:
        if parts and len(parts[-1]) + len(group) <= most:
            parts[-1].extend(group)
        else:
            parts.append(list(group))

    def split(group: list[tuple[T, Path]], depth: int) -> None:
        if len(group) <= most:
            add(group)
            return
        branches: dict[Path, list[tuple[T, Path]]] = {}
        for item in group:
            branches.setdefault(item[1][: depth + 1], []).append(item)
        for path, branch in branches.items():
            if len(path) <= depth:  # nothing is left to part by
                parts.extend(branch[start : start + most] for start in range(0, len(branch), most))
            else:
                split(branch, depth + 1)

    split(in_prefix_order(items), 0)
    return parts
