"""How fine a column of numbers is: the step between its numbers, and numbers rounded to no less than that.

A mean of whole numbers with fifteen digits is an equation that its members solve, and so is a mean in units of numbers
that go in five hundreds. What is released of a column goes in the steps of the column. The step is what nearly all
numbers share, so that one odd number gives no digit to all the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.values.decimals import count_decimals, round_by_size
from discreet.typing import BoolArray, FloatArray

__all__ = [
    "MOST_DECIMALS",
    "N_COUNTS",
    "SIGNIFICANT",
    "Fineness",
    "clock_fineness",
    "fineness",
    "joined_fineness",
    "rounded",
]

MOST_DECIMALS = 15
SIGNIFICANT = 6
"""Digits of what is released of a column whose numbers have all the digits that binary numbers can have."""

_NEARLY_ALL = 0.95
"""The share of the numbers other than zero that must be multiples of a step."""
_FRACTIONS = (2, 4, 20)  # steps of 0.5, 0.25 and 0.05
_WHOLES = tuple(m * 10.0**e for e in range(6) for m in (1, 2, 2.5, 5) if m * 10.0**e == int(m * 10**e))[1:]
_FEWEST_NUMBERS, _FEWEST_STEPS = 20, 20
"""A step that is no power of ten below one is believed of so many numbers, and where so many fit into the range."""
_BINS = MOST_DECIMALS + 2
N_COUNTS = 2 * _BINS + len(_FRACTIONS) + len(_WHOLES)
"""How many counts a fineness has."""

_CLOCK = (60.0, 3600.0, 86400.0)
"""Minutes, hours and days, in seconds: the steps of a column of times."""
_MICROSECONDS = 6

_DOUBLE_DIGITS, _SINGLE_DIGITS = 1e15, 1e7
_EXACT_POWERS = 22  # ten to this is the largest power of ten that a binary number holds exactly
_POWERS = np.array([float(10**d) for d in range(_EXACT_POWERS + 1)])
_MANTISSA = 52
_ROOM = np.array(
    [int((_POWERS[: MOST_DECIMALS + 1] <= _DOUBLE_DIGITS / 2.0**e).sum()) - 1 for e in range(-1022, 1024)] + [-1, -1]
)
"""By the exponent of a binary number, with how many decimals numbers below the next one have at most 15 digits."""

_DECADES = np.floor(np.log10(2.0) * (np.arange(2048) - 1023))
"""By the exponent of a binary number, the power of ten that no number of this exponent is below."""
with np.errstate(over="ignore"):
    _NEXT_TENS = 10.0 ** (_DECADES + 1)
"""And the next one, which some of them reach."""


@dataclass(frozen=True)
class Fineness:
    """What is to be known of a whole column before anything of it is rounded.

    Attributes
    ----------
    double : int or None
        The least number of decimals that writes every number of the column; None where none up to 15 does.
    low, high : float
        The smallest and the largest number; infinite the wrong way round where the column has none.
    single : int or None
        The same where all numbers were held in single precision, which keeps 12.35 as 12.350000381…: digits that are
        no measurement, and tell the members of a sum apart.
    counts : tuple of int
        Of the numbers other than zero: how many need 0, 1, … 15 or more decimals, the same in single precision (zeros
        where a number has more), and how many are multiples of every step of a fixed list. Counts of parts add up.
    clock : tuple of int
        Of times in seconds alone: how many there are, and how many are whole minutes, hours and days.
    """

    double: int | None
    low: float
    high: float
    single: int | None = None
    counts: tuple[int, ...] = field(default=(), repr=False)
    clock: tuple[int, ...] = field(default=(), repr=False)

    @property
    def decimals(self) -> int | None:
        """The decimals that write every number of the column, or None where some have all binary digits."""
        return self.single if self.double is None else self.double

    @cached_property
    def unit(self) -> float | None:
        """The step that nearly all numbers of the column are multiples of, or None where they have all digits.

        Zero is a multiple of everything and has no say. A step other than one, a tenth, a hundredth … is believed of
        at least 20 numbers, and where at least 20 steps lie between the smallest and the largest.

        Examples
        --------
        >>> fineness(np.append(np.arange(1.0, 90.0), 0.5)).unit
        1.0
        >>> fineness(500.0 * np.arange(40)).unit
        500.0
        """
        if self.clock:
            whole = [
                step for step, count in zip(_CLOCK, self.clock[1:], strict=True) if count >= _NEARLY_ALL * self.clock[0]
            ]
            if whole and self.clock[0]:
                return max(whole)
        if not sum(self.counts[:_BINS]):
            return None if self.decimals is None else float(f"1e{-self.decimals}")
        total = sum(self.counts[:_BINS])
        enough = _NEARLY_ALL * total
        decimals = _shared(self.counts[:_BINS], enough)
        if decimals is None:
            decimals = _shared(self.counts[_BINS : 2 * _BINS], enough)
        if decimals is None:
            return None
        unit = float(f"1e{-decimals}")
        if total >= _FEWEST_NUMBERS:
            for step, count in zip(_steps(), self.counts[2 * _BINS :], strict=True):
                if step > unit and count >= enough and self.high - self.low >= _FEWEST_STEPS * step:
                    unit = step
        return unit


def _steps() -> list[float]:
    """Return the steps beside powers of ten up to one, from the finest to the coarsest."""
    return [*sorted(1.0 / parts for parts in _FRACTIONS), *_WHOLES]


def _shared(counts: tuple[int, ...], enough: float) -> int | None:
    """Return the least number of decimals that is enough for so many numbers."""
    reached = np.flatnonzero(np.cumsum(counts[:-1]) >= enough)
    return int(reached[0]) if reached.size else None


def fineness(values: FloatArray) -> Fineness:
    """Return how fine a column is; missing values have no say.

    Examples
    --------
    >>> fineness(np.array([31.0, 45.0, np.nan])).decimals
    0
    >>> fineness(np.array([0.5, 12.25])).decimals
    2
    >>> fineness(np.array([12.35, 9.47], dtype=np.float32).astype(np.float64)).decimals
    2
    >>> fineness(np.array([1 / 3, 2.0])).decimals is None
    True
    """
    present = _where(np.isfinite(values), values)
    if not present.size:
        return Fineness(0, np.inf, -np.inf, 0, (0,) * N_COUNTS)
    low, high = float(present.min()), float(present.max())
    present = _where(present != 0, present)
    if present.size < _MANY:
        doubles, multiples = _by_decimals(present, present, _DOUBLE_DIGITS), _multiples(present)
    else:
        doubles, multiples = _counted(present)
    singles, single = (0,) * _BINS, None
    if max(abs(low), abs(high)) < _SINGLE_DIGITS and _are_single(present):
        singles = _by_decimals(present, present.astype(np.float32), _SINGLE_DIGITS)
        single = _most(singles)
    return Fineness(_most(doubles), low, high, single, (*doubles, *singles, *multiples))


def _where(condition: BoolArray, values: FloatArray) -> FloatArray:
    """Return the values that fulfil a condition; where all do, those that came."""
    return values if condition.all() else values[condition]


def _are_single(numbers: FloatArray) -> bool:
    """Say whether single precision holds all of them; in most columns that it does not hold, a few numbers tell."""
    return all((numbers[part].astype(np.float32) == numbers[part]).all() for part in _runs(numbers.size))


def _counted(present: FloatArray) -> tuple[tuple[int, ...], list[int]]:
    """Return what :func:`_by_decimals` and :func:`_multiples` count of many numbers in double precision."""
    counts, multiples = np.zeros(_BINS, dtype=np.int64), np.zeros(len(_FRACTIONS) + len(_WHOLES), dtype=np.int64)
    numbers = np.ascontiguousarray(present)
    powers, parts = _POWERS[: MOST_DECIMALS + 1], np.array(sorted(_FRACTIONS, reverse=True), dtype=np.float64)
    count_decimals(
        numbers, numbers.view(np.int64), powers, _ROOM, _DOUBLE_DIGITS, parts, np.array(_WHOLES), counts, multiples
    )
    return tuple(counts.tolist()), multiples.tolist()


def clock_fineness(seconds: FloatArray) -> Fineness:
    """Return how fine a column of times is: whole days, hours, minutes or seconds, or decimals of a second.

    Examples
    --------
    >>> clock_fineness(np.array([60.0, 7200.0, 180.0])).unit
    60.0
    >>> clock_fineness(np.array([60.5, 7200.0])).unit
    0.1
    """
    column = fineness(seconds)
    present = seconds[np.isfinite(seconds) & (seconds != 0)]
    whole = tuple(int((present % step == 0).sum()) for step in _CLOCK)
    decimals = _MICROSECONDS if column.double is None else min(column.double, _MICROSECONDS)
    return Fineness(decimals, column.low, column.high, None, (), (present.size, *whole))


def joined_fineness(parts: Iterable[Fineness]) -> Fineness:
    """Return the fineness of a column from that of its parts.

    Examples
    --------
    >>> joined_fineness([Fineness(0, 1.0, 3.0), Fineness(2, -1.25, 2.0)])
    Fineness(double=2, low=-1.25, high=3.0, single=None)
    """
    finenesses = list(parts)
    low = min((part.low for part in finenesses), default=np.inf)
    high = max((part.high for part in finenesses), default=-np.inf)
    double, single = _finest(part.double for part in finenesses), _finest(part.single for part in finenesses)
    counts: tuple[int, ...] = ()
    if finenesses and all(part.counts for part in finenesses):
        counts = tuple(int(count) for count in np.sum([part.counts for part in finenesses], axis=0))
        if sum(counts[:_BINS]) != sum(counts[_BINS : 2 * _BINS]):  # some part has numbers in double precision
            counts = (*counts[:_BINS], *(0,) * _BINS, *counts[2 * _BINS :])
    clock = (
        tuple(int(count) for count in np.sum([part.clock for part in finenesses if part.clock], axis=0, dtype=int))
        if any(part.clock for part in finenesses)
        else ()
    )
    return Fineness(double, low, high, single, counts, clock)


def _finest(decimals: Iterable[int | None]) -> int | None:
    most = 0
    for one in decimals:
        if one is None:
            return None
        most = max(most, one)
    return most


_MANY = 100_000  # numbers that are counted by a compiled loop
_CACHED = 1 << 15  # numbers that are looked at together, as many as stay in the processor's cache


def _by_decimals(present: FloatArray, stored: NDArray[Any], digits: float) -> tuple[int, ...]:
    """Return how many numbers need 0, 1, … 15 decimals to be given back as they are stored, and how many need more.

    `digits` bounds what the kind of number tells apart; beyond it every decimal would seem to fit.
    """
    size = present.size
    counts = [0] * _BINS
    fractions = []
    for part in _runs(present.size):
        numbers, own = present[part], stored[part]
        whole = _fits(numbers, own, 0, digits) | (np.abs(numbers) >= 2.0**52)  # no such binary number has a fraction
        counts[0] += int(whole.sum())
        rest = np.flatnonzero(~whole)
        if digits == _DOUBLE_DIGITS:
            rest = rest[_may_be_written(numbers[rest])]
        fractions.append((numbers[rest], own[rest]))
    present, stored = (
        (np.concatenate(parts) for parts in zip(*fractions, strict=True)) if fractions else (present, stored)
    )
    for part in _runs(present.size):
        numbers, own = present[part], stored[part]
        for d in range(1, MOST_DECIMALS + 1):
            if not numbers.size:
                break
            fits = _fits(numbers, own, d, digits)
            counts[d] += int(fits.sum())
            numbers, own = numbers[~fits], own[~fits]
    counts[-1] = size - sum(counts)
    return tuple(counts)


def _runs(n: int) -> list[slice]:
    """Cut a column into as many numbers as stay in the processor's cache."""
    return [slice(low, low + _CACHED) for low in range(0, n, _CACHED)]


def _fits(numbers: FloatArray, stored: NDArray[Any], decimals: int, digits: float) -> BoolArray:
    """Say which numbers are given back by so many decimals, and by fewer digits than their kind tells apart."""
    power = _POWERS[decimals]
    with np.errstate(over="ignore"):
        steps = numbers * power
        same = (np.rint(steps) / power).astype(stored.dtype) == stored
    return np.asarray(same & (np.abs(steps) < digits))


def _may_be_written(present: FloatArray) -> BoolArray:
    """Say which numbers may be written with 15 decimals and fewer than 16 digits; the others cannot be.

    Who is written with d decimals, x = r / 10^d rounded, is so with one more as long as there are fewer than 16 digits:
    x · 10^(d + 1) is then within 0.25 of the whole number 10 r, and 10 r / 10^(d + 1) is the same quotient, rounded the
    same. So the most decimals that there is room for decide, one look instead of sixteen.
    """
    size = np.abs(present)
    # What all numbers of a binary exponent have room for, and one more where this one has.
    room = _ROOM[size.view(np.int64) >> _MANTISSA]
    room += (room < MOST_DECIMALS) & (size * _POWERS[np.minimum(room + 1, MOST_DECIMALS)] < _DOUBLE_DIGITS)
    power = _POWERS[np.maximum(room, 0)]
    written = np.rint(present * power) / power == present
    return np.asarray(written | (room < 0))


def _most(counts: tuple[int, ...]) -> int | None:
    """Return the decimals that are enough for all numbers, or None."""
    return None if counts[-1] else max((d for d, count in enumerate(counts) if count), default=0)


def _multiples(present: FloatArray) -> list[int]:
    """Return how many numbers are multiples of every step that is no power of ten below one."""
    # A multiple of any of the steps is one of the finest, or too large for it to be told.
    finest = max(_FRACTIONS)
    candidates = [np.empty(0)]
    for part in _runs(present.size):
        numbers = present[part]
        with np.errstate(over="ignore"):
            steps = numbers * finest
            candidates.append(numbers[(np.rint(steps) / finest == numbers) | (np.abs(steps) >= _DOUBLE_DIGITS)])
    present = np.concatenate(candidates)
    if present.size > _CACHED:
        return [int(count) for count in np.sum([_multiples(present[part]) for part in _runs(present.size)], axis=0)]
    counts = []
    for parts in sorted(_FRACTIONS, reverse=True):
        with np.errstate(over="ignore"):
            steps = present * parts
        counts.append(int(((np.rint(steps) / parts == present) & (np.abs(steps) < _DOUBLE_DIGITS)).sum()))
    counts.extend(int((np.rint(present / step) * step == present).sum()) for step in _WHOLES)
    return counts


def rounded(values: FloatArray, column: Fineness, decimals: int | None = None) -> FloatArray:
    """Return numbers in the steps of a column, or with no more digits than `decimals` where that is coarser.

    Of a column with all binary digits, six significant ones are kept: of the number, or of the column's range where
    that is the smaller (a number far from zero keeps what tells it from its neighbours). Missing stays missing; halves
    go to the even neighbour.

    Examples
    --------
    >>> rounded(np.array([11.4, np.nan]), Fineness(0, 1.0, 90.0)).tolist()
    [11.0, nan]
    >>> rounded(np.array([1234.5]), Fineness(2, 0.0, 5000.0), -2).tolist()
    [1200.0]
    >>> rounded(np.array([1000 / 3]), Fineness(None, 0.0, 900.0)).tolist()
    [333.333]
    """
    if values.size >= _MANY and values.ndim == 1 and column.unit is None:
        return _rounded_by_size(values, column, decimals)
    if values.size > _CACHED and values.ndim == 1:
        return np.concatenate([rounded(values[part], column, decimals) for part in _runs(values.size)])
    unit = column.unit
    if unit is not None and (unit in _steps() or unit in _CLOCK):
        parts = round(1 / unit)
        result = np.rint(values * parts) / parts if unit < 1 else np.rint(values / unit) * unit
        if decimals is None or (10.0**-decimals <= unit and unit >= 1):
            return np.asarray(np.where(np.isfinite(result), result, values) + 0.0)
        # Fewer decimals than a quarter has, or coarser than the step.
        values = result if 10.0**-decimals <= unit else values
        places = np.full(values.shape, MOST_DECIMALS, dtype=np.int64)
    elif unit is not None:
        places = np.full(values.shape, round(-np.log10(unit)), dtype=np.int64)
    else:
        spread = column.high - column.low
        with np.errstate(divide="ignore"):
            own = np.floor(np.log10(np.abs(values)))
        top = np.floor(np.log10(spread)) if spread > 0 else np.inf
        exponent = np.minimum(own, top)
        places = np.where(np.isfinite(exponent), SIGNIFICANT - 1 - exponent, _EXACT_POWERS + 1).astype(np.int64)
    if decimals is not None:
        places = np.minimum(places, decimals)
    factor = _POWERS[np.minimum(np.abs(places), _EXACT_POWERS)]
    with np.errstate(over="ignore"):
        finer = np.rint(values * factor) / factor
    coarser = np.rint(values / factor) * factor
    result = np.where(places >= 0, finer, coarser)
    # What is beyond exact powers of ten, or would overflow, has no such digits.
    safe = (np.abs(places) <= _EXACT_POWERS) & np.isfinite(result)
    return np.asarray(np.where(safe, result, values) + 0.0)  # no negative zero: it would be told apart


def _rounded_by_size(values: FloatArray, column: Fineness, decimals: int | None) -> FloatArray:
    """Do so with many numbers of a column with all binary digits, whose size their exponents tell."""
    spread = column.high - column.low
    top = np.floor(np.log10(spread)) if spread > 0 else np.inf
    numbers = np.ascontiguousarray(values)
    own = _DECADES[:, None] + [0, 1]
    places = SIGNIFICANT - 1 - np.minimum(own, top)
    places[[0, -1]] = _EXACT_POWERS + 1  # zero and its neighbours, and what is no number
    if decimals is not None:
        places[:-1] = np.minimum(places[:-1], decimals)
    result, close = np.empty(values.size), np.empty(values.size, dtype=np.int64)
    n_close = round_by_size(
        numbers, numbers.view(np.int64), _NEXT_TENS, places.astype(np.int64), _POWERS, result, close
    )
    rest = close[:n_close]
    result += 0.0  # no negative zero
    for part in _runs(n_close):
        result[rest[part]] = rounded(numbers[rest[part]], column, decimals)
    return result
