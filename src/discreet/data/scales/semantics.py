"""What the levels of an ordered scale stand for: intervals of a number line, given or read off antonyms.

An ordered scale alone knows which level comes first. With a semantics it also knows how far apart two levels are:
every level is an interval, and the distance of two levels is the squared distance of their centres. The intervals are
declared (a level *is* the years 1920 to 1929), or induced by a negation function, which asks a user only for the
antonyms of each level.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.errors import DataError, DiscreetWarning, ParameterError
from discreet.typing import CodeArray, FloatArray, Level

__all__ = ["IntervalSemantics", "Negation"]

# A number this close to a boundary, as a share of the whole range, lies on it: the mean of 1/6 and 3/6 is the boundary
# 1/3 whatever the last bit of the sum says.
_ON_BOUNDARY = 1e-12


@dataclass(frozen=True)
class IntervalSemantics:
    """One interval per level, in the order of the levels.

    The levels of the partition cut the range into left-closed pieces ``[low, high)``, the last one closed, so that
    every number of the range belongs to exactly one of them. A level outside the partition overlaps others: it has a
    centre and distances like any level, wherever it stands in the order, but no number is ever located in it.

    Parameters
    ----------
    low, high : sequence of float
        The bounds of each level's interval.
    partition : sequence of bool, optional
        Whether each level takes part in the partition; by default all do.

    Raises
    ------
    ParameterError
        An empty interval, or a gap or an overlap in the partition. Levels are named by position.

    Notes
    -----
    A number within 1e-12 of the range from a boundary counts as the boundary itself.

    References
    ----------
    Domingo-Ferrer and Torra (2002), Aggregation techniques for statistical confidentiality, Definition 2.

    Examples
    --------
    >>> decades = IntervalSemantics(low=(1920, 1930, 1940), high=(1930, 1940, 1950))
    >>> decades.centers.tolist()
    [1925.0, 1935.0, 1945.0]
    >>> decades.locate([1929.5, 1930, 1950]).tolist()
    [0, 1, 2]
    >>> float(decades.distances()[0, 2])
    400.0
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    partition: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        low = tuple(float(bound) for bound in self.low)
        high = tuple(float(bound) for bound in self.high)
        partition = tuple(bool(part) for part in self.partition) or (True,) * len(low)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "partition", partition)
        self._check_intervals()
        self._check_partition()

    def _check_intervals(self) -> None:
        if not self.low or not len(self.low) == len(self.high) == len(self.partition):
            raise ParameterError(
                "IntervalSemantics: low, high and partition must have one entry per level; "
                f"got {len(self.low)}, {len(self.high)} and {len(self.partition)}."
            )
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all()):
            raise ParameterError(
                "IntervalSemantics: every bound must be finite.",
                hint="Close an open end, such as '1919 or earlier', at a number that stands for it.",
            )
        for level, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            if not low < high:
                raise ParameterError(f"IntervalSemantics: the interval of level {level} must have low below high.")

    def _check_partition(self) -> None:
        members = self.members.tolist()
        if not members:
            raise ParameterError("IntervalSemantics: at least one level must be part of the partition.")
        slack = _ON_BOUNDARY * (max(self.high) - min(self.low))
        for left, right in pairwise(members):
            if abs(self.high[left] - self.low[right]) > slack:
                fault = "overlap or are out of order" if self.high[left] > self.low[right] else "leave a gap"
                raise ParameterError(
                    f"IntervalSemantics: the intervals of levels {left} and {right} {fault}.",
                    hint="Give them in the order of the levels, and mark one that overlaps others as outside.",
                )
        low, high = self.low[members[0]] - slack, self.high[members[-1]] + slack
        for level, center in enumerate(self.centers.tolist()):
            if not low <= center <= high:
                raise ParameterError(f"IntervalSemantics: the centre of level {level} lies outside the partition.")

    @property
    def size(self) -> int:
        """Number of levels."""
        return len(self.low)

    @property
    def centers(self) -> FloatArray:
        """Middle of each level's interval."""
        return (np.asarray(self.low, dtype=np.float64) + np.asarray(self.high, dtype=np.float64)) / 2.0

    @property
    def members(self) -> CodeArray:
        """Codes of the levels that make up the partition, ascending."""
        return np.flatnonzero(self.partition).astype(np.int32)

    def distances(self) -> FloatArray:
        """Return the matrix of squared distances between centres."""
        centers = self.centers
        return np.asarray((centers[:, None] - centers[None, :]) ** 2)

    def locate(self, numbers: Any) -> CodeArray:
        """Return for each number the code of the level of the partition that it lies in.

        Raises
        ------
        DataError
            Numbers outside the partition's range, or missing.
        """
        values = np.asarray(numbers, dtype=np.float64)
        members = self.members
        lows = np.asarray(self.low, dtype=np.float64)[members]
        top = self.high[members[-1]]
        slack = _ON_BOUNDARY * (top - lows[0])
        outside = ~((values >= lows[0] - slack) & (values <= top + slack))
        if outside.any():
            raise DataError(
                f"IntervalSemantics: {int(outside.sum())} of {values.size} numbers lie outside the range of the levels."
            )
        places = np.searchsorted(lows, values + slack, side="right") - 1
        return np.asarray(members[np.maximum(places, 0)], dtype=np.int32)

    def to_dict(self) -> dict[str, list[float] | list[bool]]:
        """Return plain lists, as they stand in a TOML file; the partition only where it leaves levels out."""
        entries: dict[str, list[float] | list[bool]] = {"low": list(self.low), "high": list(self.high)}
        if not all(self.partition):
            entries["partition"] = list(self.partition)
        return entries

    @classmethod
    def from_dict(cls, entries: Mapping[str, Sequence[Any]]) -> IntervalSemantics:
        """Build from what `to_dict` wrote."""
        unknown = sorted(set(entries) - {"low", "high", "partition"})
        if unknown or not {"low", "high"} <= set(entries):
            raise ParameterError(
                f"IntervalSemantics: expected low, high and optionally partition; got {', '.join(sorted(entries))}."
            )
        return cls(tuple(entries["low"]), tuple(entries["high"]), tuple(entries.get("partition", ())))


@dataclass(frozen=True)
class Negation:
    """One-to-many negation: the antonyms of every level, from which intervals follow.

    A level with many antonyms is a vague one and gets a wide interval. The user states no number at all.

    Parameters
    ----------
    levels : sequence
        All levels in ascending order.
    antonyms : mapping
        Each level's antonyms, N(l).
    overlapping : sequence, optional
        Levels that overlap others. They are left out when the intervals are built, and are not antonyms of anything;
        their interval is one minus the union of their antonyms' intervals.

    Raises
    ------
    ParameterError
        A level without antonyms, an unknown level, or a broken axiom; the message names the levels.
        C0: N(l) is a non-empty interval. C1: l < l' implies max N(l) ≥ min N(l'). C2: l ∈ N(l') implies l' ∈ N(l).

    Notes
    -----
    C1, as printed, also lets pass negations whose intervals are not consistent with 1 − x (an antonym that no point of
    the interval has). `semantics` warns of those and names the levels.

    References
    ----------
    Torra (1996), Negation functions based semantics for ordered linguistic labels; Domingo-Ferrer and Torra (2002),
    Definition 1 and Proposition 2.

    Examples
    --------
    >>> taste = Negation(
    ...     ("awful", "fair", "good"),
    ...     {"awful": ["fair", "good"], "fair": ["awful"], "good": ["awful"]},
    ... ).semantics()
    >>> taste.high
    (0.5, 0.75, 1.0)
    >>> taste.centers.tolist()
    [0.25, 0.625, 0.875]
    """

    levels: tuple[Level, ...]
    antonyms: Mapping[Any, Iterable[Level]]
    overlapping: tuple[Level, ...] = ()
    _sets: dict[Level, list[int]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        object.__setattr__(self, "overlapping", tuple(self.overlapping))
        self._check_names()
        order = {level: place for place, level in enumerate(self.base)}
        sets: dict[Level, list[int]] = {}
        for level in self.levels:
            antonyms = tuple(self.antonyms[level])
            strangers = [antonym for antonym in antonyms if antonym not in order]
            if strangers:
                raise ParameterError(
                    f"Negation: the antonyms of {level!r} must be levels that do not overlap; got {strangers[0]!r}."
                )
            sets[level] = sorted({order[antonym] for antonym in antonyms})
        object.__setattr__(self, "_sets", sets)
        object.__setattr__(
            self, "antonyms", {level: tuple(self.base[p] for p in places) for level, places in sets.items()}
        )
        self._check_axioms()

    @property
    def base(self) -> tuple[Level, ...]:
        """The levels that do not overlap, ascending."""
        return tuple(level for level in self.levels if level not in self.overlapping)

    def semantics(self) -> IntervalSemantics:
        """Return the intervals that the negation induces on [0, 1], by Proposition 2.

        Warns
        -----
        DiscreetWarning
            The intervals are not consistent with 1 − x for some levels.
        """
        sizes = [len(self._sets[level]) for level in self.base]
        # Integers until the one division, so that equal bounds are equal floats.
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        total = int(bounds[-1])
        inconsistent = [
            level for place, level in enumerate(self.base) if not _consistent(bounds.tolist(), place, self._sets[level])
        ]
        if inconsistent:
            warnings.warn(
                f"Negation: the intervals of {_names(inconsistent)} are not consistent with the negation 1 − x.",
                DiscreetWarning,
                stacklevel=2,
            )
        low, high = [], []
        place = 0
        for level in self.levels:
            if level in self.overlapping:
                first, last = self._sets[level][0], self._sets[level][-1]
                low.append((total - int(bounds[last + 1])) / total)
                high.append((total - int(bounds[first])) / total)
            else:
                low.append(int(bounds[place]) / total)
                high.append(int(bounds[place + 1]) / total)
                place += 1
        partition = tuple(level not in self.overlapping for level in self.levels)
        return IntervalSemantics(tuple(low), tuple(high), partition)

    def _check_names(self) -> None:
        if not self.levels or len(set(self.levels)) != len(self.levels):
            raise ParameterError("Negation: levels must be a list of different levels.")
        unknown = [level for level in (*self.overlapping, *self.antonyms) if level not in self.levels]
        if unknown:
            raise ParameterError(f"Negation: {unknown[0]!r} is not one of the {len(self.levels)} levels.")
        absent = [level for level in self.levels if level not in self.antonyms]
        if absent:
            raise ParameterError(f"Negation: {_names(absent)} must have antonyms.")
        if not self.base:
            raise ParameterError("Negation: at least one level must not overlap.")

    def _check_axioms(self) -> None:
        for level, places in self._sets.items():
            if not places or places[-1] - places[0] + 1 != len(places):
                raise ParameterError(f"Negation: C0 fails: the antonyms of {level!r} are not a non-empty interval.")
        for place, level in enumerate(self.base):
            for higher in self.base[place + 1 :]:
                if self._sets[level][-1] < self._sets[higher][0]:
                    raise ParameterError(
                        f"Negation: C1 fails: every antonym of {higher!r} lies above every antonym of {level!r}."
                    )
            for antonym in self._sets[level]:
                if place not in self._sets[self.base[antonym]]:
                    raise ParameterError(
                        f"Negation: C2 fails: {self.base[antonym]!r} is an antonym of {level!r}, but not the reverse."
                    )


def _consistent(bounds: list[int], place: int, antonyms: list[int]) -> bool:
    """Say whether 1 − I(l) fills the antonyms' intervals, touching the inside of the first and of the last."""
    total = bounds[-1]
    low, high = total - bounds[place + 1], total - bounds[place]
    first, last = antonyms[0], antonyms[-1]
    covered = bounds[first] <= low and high <= bounds[last + 1]
    return covered and low < bounds[first + 1] and high > bounds[last]


def _names(levels: Iterable[Level]) -> str:
    return ", ".join(repr(level) for level in levels)
