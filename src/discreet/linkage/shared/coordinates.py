"""Numbers as coordinates: in standard deviations of the first file, perhaps along its uncorrelated directions.

What has to be known of a file for that, its means and deviations, adds up over blocks of records, so that coordinates
are the same whether the file is held at once or comes block by block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.typing import FloatArray, IntArray

__all__ = ["BothSpreads", "Coordinates", "Spread", "SpreadOf", "doubt", "grain_of"]

_ROWS = 512
_UNIT = 2.0**-52


@dataclass(frozen=True, repr=False)
class Spread:
    """Means, deviations and extremes of some columns of numbers, over some records; missing values are left out.

    Attributes
    ----------
    records : int
    absent : (columns,) int64
        Records without a value.
    mean, deviation : (columns,) float64
    together : (columns, columns) float64
        Mean products of what columns differ from their means; of no use where values are missing.
    low, high : (columns,) float64
        Not finite where there is no value.
    """

    records: int
    absent: IntArray
    mean: FloatArray
    deviation: FloatArray
    together: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, numbers: FloatArray) -> Spread:
        """Return the statistics of a block, a row a record."""
        n, width = numbers.shape
        gaps = np.isnan(numbers)
        has_gaps = gaps.any()
        absent = gaps.sum(axis=0) if has_gaps else np.zeros(width, dtype=np.int64)
        present = np.maximum(n - absent, 1)
        if has_gaps:
            mean = np.where(gaps, 0.0, numbers).sum(axis=0) / present
            centred = np.where(gaps, 0.0, numbers - mean)
            deviation = np.sqrt((centred * centred).sum(axis=0) / present)
        else:
            mean = numbers.mean(axis=0) if n else np.zeros(width)
            centred = numbers - mean
            deviation = centred.std(axis=0) if n else np.zeros(width)
        low = _by_column(np.minimum, np.where(gaps, np.inf, numbers) if has_gaps else numbers, np.inf)
        high = _by_column(np.maximum, np.where(gaps, -np.inf, numbers) if has_gaps else numbers, -np.inf)
        return cls(n, absent.astype(np.int64), mean, deviation, centred.T @ centred / max(n, 1), low, high)

    def merge(self, later: Spread) -> Spread:
        """Return the statistics of the records of both blocks."""
        first, second = self.records - self.absent, later.records - later.absent
        present = np.maximum(first + second, 1)
        share = second / present
        apart = np.where((first > 0) & (second > 0), later.mean - self.mean, 0.0)
        mean = np.where(first > 0, self.mean + share * apart, later.mean)
        squares = (first * self.deviation**2 + second * later.deviation**2) / present + share * (1 - share) * apart**2
        part = later.records / max(self.records + later.records, 1)
        together = (1 - part) * self.together + part * later.together + part * (1 - part) * np.outer(apart, apart)
        return Spread(
            self.records + later.records,
            self.absent + later.absent,
            mean,
            np.sqrt(squares),
            together,
            np.minimum(self.low, later.low),
            np.maximum(self.high, later.high),
        )

    def of_columns(self, columns: Sequence[int]) -> Spread:
        """Return the statistics of some of the columns."""
        at = list(columns)
        return Spread(
            self.records,
            self.absent[at],
            self.mean[at],
            self.deviation[at],
            self.together[np.ix_(at, at)],
            self.low[at],
            self.high[at],
        )

    def filled(self) -> Spread:
        """Return the statistics of the same records with every gap filled by the mean of its column."""
        share = (self.records - self.absent) / max(self.records, 1)
        mean = np.where(share > 0, self.mean, 0.0)
        low, high = np.where(share > 0, self.low, 0.0), np.where(share > 0, self.high, 0.0)
        none = np.zeros_like(self.absent)
        return Spread(self.records, none, mean, self.deviation * np.sqrt(share), self.together, low, high)


def _by_column(extreme: np.ufunc, numbers: FloatArray, nothing: float) -> FloatArray:
    """Return the extreme of every column; of some rows at a time first, which is three times as fast."""
    if len(numbers):
        numbers = extreme.reduceat(numbers, np.arange(0, len(numbers), _ROWS), axis=0)
    return np.asarray(extreme.reduce(numbers, axis=0, initial=nothing))


@dataclass(frozen=True, repr=False)
class BothSpreads:
    """The spread of the same records in two files."""

    first: Spread
    second: Spread

    def merge(self, later: BothSpreads) -> BothSpreads:
        """Return the spreads of the records of both blocks."""
        return BothSpreads(self.first.merge(later.first), self.second.merge(later.second))


@dataclass(frozen=True)
class SpreadOf:
    """A question: how some columns of numbers spread, in the original and in the release."""

    names: tuple[str, ...]

    @property
    def original(self) -> tuple[str, ...]:
        """The columns of the original that are looked at."""
        return self.names

    @property
    def released(self) -> tuple[str, ...]:
        """The columns of the release that are looked at."""
        return self.names

    def summarise(self, block: Any, /) -> BothSpreads:
        """Return the spreads of a block of both files."""
        return BothSpreads(Spread.of(block.original.numeric(self.names)), Spread.of(block.release.numeric(self.names)))


@dataclass(frozen=True, repr=False)
class Coordinates:
    """How numbers become coordinates.

    Attributes
    ----------
    middle, spread : (numbers,) float64
        What is taken off, and the unit.
    axes : (numbers, numbers) float64, optional
        The directions along which the first file is uncorrelated, in units of its deviation there.
    factor : (numbers,) float64
        What a coordinate is multiplied by.
    grain : (numbers,) float64
        How exactly a coordinate can be told, after rounding of the values that it comes from.
    """

    middle: FloatArray
    spread: FloatArray
    axes: FloatArray | None
    factor: FloatArray
    grain: FloatArray

    @classmethod
    def after(cls, first: Spread, second: Spread, factor: FloatArray, *, whiten: bool) -> Coordinates:
        """Return the coordinates of an intruder who standardises with what he holds, the first file."""
        # His middle is taken off both files, which changes no difference.
        middle = first.mean
        spread = np.where(first.deviation > 0, first.deviation, 1.0)
        grain = grain_of(middle, spread)
        if not whiten or not middle.size:
            return cls(middle, spread, None, factor, grain * factor)
        values, vectors = np.linalg.eigh(np.atleast_2d(first.together / np.outer(spread, spread)))
        # A direction in which the file does not vary has no distance.
        axes = vectors * np.where(values > 1e-12 * values.max(), 1.0 / np.sqrt(np.maximum(values, 1e-300)), 0.0)
        # A direction mixes the columns, and what rounding did to the largest of each.
        extremes = np.stack([side for one in (first, second) for side in (one.low, one.high)])
        largest = np.abs((extremes - middle) / spread).max(axis=0)
        return cls(middle, spread, axes, factor, (doubt(largest, grain) @ np.abs(axes)) * factor)

    def of(self, numbers: FloatArray) -> FloatArray:
        """Return the coordinates of records, each for itself: they do not depend on who is in the same block."""
        standard = (numbers - self.middle) / self.spread
        if self.axes is not None:
            # Column by column, for a product of matrices rounds a row by where it stands.
            turned = np.zeros_like(standard)
            for column, axis in zip(standard.T, self.axes, strict=True):
                turned += column[:, None] * axis
            standard = turned
        return np.ascontiguousarray(standard * self.factor)


def grain_of(middle: FloatArray, spread: FloatArray) -> FloatArray:
    """Return by column what rounding of the numbers themselves, which lie about `middle`, does to coordinates.

    A released mean is off by half a unit in the last place: nearer to one original by it, and farther from another.
    """
    return np.asarray(2.0 * _UNIT * np.abs(middle) / spread)


def doubt(coordinates: FloatArray, grain: FloatArray) -> FloatArray:
    """Return by coordinate how far two differences from it may be apart by rounding alone.

    Centring, scaling and weighing round three coordinates, which lie within the distance of each other; what grows
    with the distance itself is in the rounding of the sum.
    """
    return np.asarray(grain + 9.0 * _UNIT * np.abs(coordinates))
