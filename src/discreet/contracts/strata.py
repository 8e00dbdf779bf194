"""Strata: a question asked of each, and what becomes of each put together again.

A masker plans for one table; the runner hands it every stratum as a table of its own, and asks the questions of all of
them in the same passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from discreet.contracts.masker import Masking
from discreet.data.block import Block
from discreet.data.microdata import Microdata
from discreet.errors import DataError
from discreet.typing import BoolArray, CodeArray, IntArray, Json

__all__ = ["ByStratum", "Strata", "StratumSizes", "joined", "joined_transitions", "scattered"]


@dataclass(frozen=True)
class Sizes:
    """How many records every combination of levels has."""

    counts: Mapping[tuple[int, ...], int]

    def merge(self, later: Sizes, /) -> Sizes:
        both = {*self.counts, *later.counts}
        return Sizes({levels: self.counts.get(levels, 0) + later.counts.get(levels, 0) for levels in both})


@dataclass(frozen=True)
class StratumSizes:
    """How many records every combination of some categorical attributes has; a missing value is a level of its own."""

    names: tuple[str, ...]

    @property
    def original(self) -> tuple[str, ...]:
        return self.names

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> Sizes:
        levels, counts = np.unique(block.original.codes(self.names), axis=0, return_counts=True)
        return Sizes(dict(zip(map(tuple, levels.tolist()), counts.tolist(), strict=True)))


@dataclass(frozen=True)
class Strata:
    """The strata of a table, in the order of their levels, a missing value first."""

    names: tuple[str, ...]
    levels: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, names: tuple[str, ...], found: Sizes) -> Strata:
        """Return the strata that were counted."""
        levels = tuple(sorted(found.counts))
        return cls(names, levels, tuple(found.counts[each] for each in levels))

    def numbers(self, codes: CodeArray) -> IntArray:
        """Return the stratum of every row of codes."""
        listed = np.array(self.levels, dtype=np.int64).reshape(len(self.levels), len(self.names))
        both = np.concatenate([listed, codes.astype(np.int64)])
        places = np.unique(both, axis=0, return_inverse=True)[1].ravel()
        if places.size and places.max() >= len(self.levels):
            raise DataError("Records came up in strata that were not there when the table was counted.")
        return np.asarray(places[len(self.levels) :], dtype=np.int64)

    def rows(self, table: Microdata) -> list[IntArray]:
        """Return the records of every stratum, ascending."""
        return _by_number(self.numbers(table.codes(self.names)), len(self.levels))

    def parts(self, block: Block) -> Iterator[tuple[int, IntArray, Block]]:
        """Yield the strata of a block: the stratum, its places in the block, its records."""
        split = block.once(("strata", self.names), lambda: self._split(block))
        yield from split

    def _split(self, block: Block) -> list[tuple[int, IntArray, Block]]:
        places = self.rows(block.original)
        return [
            (number, inside, Block(block.rows[inside], block.original.take(inside)))
            for number, inside in enumerate(places)
            if inside.size
        ]


def _by_number(numbers: IntArray, size: int) -> list[IntArray]:
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=size))[:-1]
    return [np.asarray(part, dtype=np.int64) for part in np.split(order, ends)]


@dataclass(frozen=True)
class StratumStatistics:
    """The statistics of every stratum that a question was asked of."""

    by_number: Mapping[int, Any]

    def merge(self, later: StratumStatistics, /) -> StratumStatistics:
        result = dict(self.by_number)
        for number, statistics in later.by_number.items():
            result[number] = result[number].merge(statistics) if number in result else statistics
        return StratumStatistics(result)


@dataclass(frozen=True)
class ByStratum:
    """A question asked of some strata."""

    question: Any
    strata: Strata
    which: tuple[int, ...]

    @property
    def original(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.strata.names, *self.question.original)))

    released: ClassVar[tuple[str, ...]] = ()

    def summarise(self, block: Block, /) -> StratumStatistics:
        numbers = set(self.which)
        return StratumStatistics(
            {n: self.question.summarise(part) for n, _, part in self.strata.parts(block) if n in numbers}
        )


def scattered(parts: Sequence[IntArray], arrays: Sequence[Any], n: int) -> Any:
    """Return what belongs to the records of parts as one array."""
    result = np.empty((n, *arrays[0].shape[1:]), dtype=arrays[0].dtype)
    for rows, array in zip(parts, arrays, strict=True):
        result[rows] = array
    return result


def joined_transitions(strata: Sequence[Mapping[str, BoolArray]]) -> dict[str, BoolArray]:
    """Return what is possible in some stratum, given what is in each; never are the matrices of all held together."""
    return {name: reduce(np.logical_or, (one[name] for one in strata)) for name in strata[0]}


def joined(strata: Strata, parts: Sequence[IntArray], outcomes: Sequence[Masking]) -> Masking:
    """Return what became of all strata; `parts` holds the records of each."""
    n = sum(part.size for part in parts)
    values = {name: scattered(parts, [o.values[name] for o in outcomes], n) for name in outcomes[0].values}
    transitions = joined_transitions([o.transitions for o in outcomes])
    released = [part[o.rows] for part, o in zip(parts, outcomes, strict=True) if o.rows is not None]
    return Masking(
        values,
        labels=_all_labels(parts, outcomes, n),
        transitions=transitions,
        removed=outcomes[0].removed,
        rows=np.sort(np.concatenate(released)) if released else None,
        attributes=outcomes[0].attributes,  # a scale is one for the whole column; masks that change it do so alike
        details=joined_details(strata, [o.details for o in outcomes]),
        notes=tuple(dict.fromkeys(note for o in outcomes for note in o.notes)),
        shared=joined_shared([o.shared for o in outcomes], tuple(values)),
    )


def joined_details(strata: Strata, each: Sequence[Json]) -> Json:
    """Return the figures of every stratum, and beside them what is one number for the table."""
    details: Json = {"strata": list(strata.names), "n_strata": len(each), "by_stratum": list(each)}
    if "joint" in each[0]:
        details["joint"] = each[0]["joint"]
    if "records_dropped" in each[0]:
        details["records_dropped"] = sum(one["records_dropped"] for one in each)
    return details


def joined_shared(each: Sequence[tuple[tuple[str, ...], ...]], names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the combinations that are shared in every stratum; single attributes where strata have other blocks."""
    if all(set(shared) == set(each[0]) for shared in each):
        return each[0]
    return tuple((name,) for name in names)


def _all_labels(parts: Sequence[IntArray], outcomes: Sequence[Masking], n: int) -> IntArray | None:
    if outcomes[0].labels is None:
        return None
    shifted, offset = [], np.zeros(outcomes[0].labels.shape[1:], dtype=np.int64)
    for outcome in outcomes:
        labels = np.asarray(outcome.labels)
        shifted.append(labels + offset)
        offset = offset + labels.max(axis=0) + 1
    return np.asarray(scattered(parts, shifted, n), dtype=np.int64)
