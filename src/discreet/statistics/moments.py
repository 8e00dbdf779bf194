"""Means, spreads and covariances of numbers before and after, in sums that merge.

Sums are taken from an origin near the numbers and central moments are put together by the rule of Chan, Golub and
LeVeque, so that an offset of the numbers costs no digits and blocks of any size give the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.data.block import Block
from discreet.statistics.question import OfBothFiles
from discreet.typing import BoolArray, FloatArray

__all__ = ["ColumnMoments", "Comoments", "MovedNumbers", "Movements", "PairMoments", "RelatedNumbers", "first_values"]


def _weights(block: Block, weight: str | None) -> FloatArray:
    if weight is None:
        return np.ones(len(block))
    weights: Any = block.original.weights()
    return np.asarray(weights, dtype=np.float64)


@dataclass(frozen=True, repr=False)
class ColumnMoments:
    """Weight, mean (from `origin`) and sum of squared deviations of columns, each over the values that it has."""

    weight: FloatArray
    origin: FloatArray
    mean: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, columns: FloatArray, weights: FloatArray, origin: FloatArray) -> ColumnMoments:
        """Return the moments of (n, p) numbers, NaN where there is none."""
        present = ~np.isnan(columns)
        w = np.where(present, weights[:, None], 0.0)
        total = w.sum(axis=0)
        x = columns - origin
        x[~present] = 0.0
        mean = (x * w).sum(axis=0) / np.where(total > 0, total, 1.0)
        # In place: a copy for every step would be most of what is held.
        x -= mean
        x[~present] = 0.0
        np.square(x, out=x)
        x *= w
        return cls(total, origin, mean, x.sum(axis=0))

    def merge(self, later: ColumnMoments, /) -> ColumnMoments:
        weight = self.weight + later.weight
        some = np.where(weight > 0, weight, 1.0)
        # A block without a value has no origin of its own, and nothing to add.
        apart = np.where(later.weight > 0, _apart(self.mean, later.origin - self.origin, later.mean), 0.0)
        mean = self.mean + apart * later.weight / some
        squares = self.squares + later.squares + apart**2 * self.weight * later.weight / some
        return ColumnMoments(weight, self.origin, mean, squares)

    @property
    def variance(self) -> FloatArray:
        """The variance, divisor Σ w; 0 where there is no value."""
        return np.asarray(self.squares / np.where(self.weight > 0, self.weight, 1.0))

    @property
    def spread(self) -> FloatArray:
        """The standard deviation."""
        return np.sqrt(self.variance)


def _apart(mean: FloatArray, step: FloatArray, later: FloatArray) -> FloatArray:
    """Return how far two means lie apart, one from an origin a step away; what rounding alone makes of it is 0."""
    apart = later + step - mean
    rounding = 4.0 * np.finfo(np.float64).eps * (np.abs(mean) + np.abs(step) + np.abs(later))
    return np.where(np.abs(apart) <= rounding, 0.0, apart)


def _deviations(columns: FloatArray, present: BoolArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the deviations from the mean of the cells that are present (0 elsewhere), and those means.

    Taken from the first cell that is present, so that equal numbers deviate by nothing at all.
    """
    first = np.where(present.any(axis=0), columns[present.argmax(axis=0), np.arange(columns.shape[1])], 0.0)
    total = weights.sum(axis=0)
    x = np.where(present, columns - first, 0.0)
    mean = (x * weights).sum(axis=0) / np.where(total > 0, total, 1.0)
    return np.where(present, x - mean, 0.0), first + mean


def first_values(columns: FloatArray) -> FloatArray:
    """Return the first value that every column has, and 0 where it has none."""
    present = ~np.isnan(columns)
    first = columns[present.argmax(axis=0), np.arange(columns.shape[1])]
    return np.where(present.any(axis=0), first, 0.0)


@dataclass(frozen=True, repr=False)
class MovedNumbers:
    """What numbers were, what they became, and how far they moved.

    Attributes
    ----------
    before, after : ColumnMoments
        Of each file's own values, from one origin.
    both : ColumnMoments
        Of the original's values of the records that have one in both files.
    moved, squared : (p,) float64
        Σ w |x − x′| and Σ w (x − x′)² over those records.
    """

    before: ColumnMoments
    after: ColumnMoments
    both: ColumnMoments
    moved: FloatArray
    squared: FloatArray

    def merge(self, later: MovedNumbers, /) -> MovedNumbers:
        mine, theirs = self._from(later), later
        return MovedNumbers(
            mine.before.merge(theirs.before),
            mine.after.merge(theirs.after),
            mine.both.merge(theirs.both),
            self.moved + later.moved,
            self.squared + later.squared,
        )

    def _from(self, later: MovedNumbers) -> MovedNumbers:
        """Take the origin of the later records for columns in which these have no value."""
        empty = (self.before.weight == 0) & (self.after.weight == 0)
        if not empty.any():
            return self
        origin = np.where(empty, later.before.origin, self.before.origin)
        before, after, both = (replace(moments, origin=origin) for moments in (self.before, self.after, self.both))
        return MovedNumbers(before, after, both, self.moved, self.squared)


@dataclass(frozen=True)
class Movements(OfBothFiles):
    """Ask how far numbers moved: four losses conclude from it."""

    names: tuple[str, ...]
    weight: str | None = None

    def summarise(self, block: Block, /) -> MovedNumbers:
        weights = _weights(block, self.weight)
        x, y = block.original.numeric(self.names), block.release.numeric(self.names)
        first, second = first_values(x), first_values(y)
        origin = np.where(np.isnan(x).all(axis=0), second, first)
        before, after = ColumnMoments.of(x, weights, origin), ColumnMoments.of(y, weights, origin)
        both = ~(np.isnan(x) | np.isnan(y))
        np.subtract(x, y, out=y)
        moved = np.where(both, np.abs(y, out=y), 0.0)
        del y
        x[~both] = np.nan
        moments = ColumnMoments.of(x, weights, origin)
        del x
        w = np.where(both, weights[:, None], 0.0)
        return MovedNumbers(before, after, moments, (moved * w).sum(axis=0), (moved**2 * w).sum(axis=0))


@dataclass(frozen=True, repr=False)
class PairMoments:
    """Moments of every two columns, over the records that have both values; all are (p, p).

    Attributes
    ----------
    weight : Σ w
    mean : of the row's column, from `origin` (p,)
    squares : sums of squared deviations of the row's column
    products : sums of products of deviations
    """

    origin: FloatArray
    weight: FloatArray
    mean: FloatArray
    squares: FloatArray
    products: FloatArray

    @classmethod
    def of(cls, columns: FloatArray, weights: FloatArray) -> PairMoments:
        """Return the moments of (n, p) numbers, NaN where there is none."""
        origin = first_values(columns)
        x = columns - origin
        present = ~np.isnan(x)
        if present.all():
            total = float(weights.sum())
            mean = (x * weights[:, None]).sum(axis=0) / total
            x = x - mean
            products = (x * weights[:, None]).T @ x
            size = (x.shape[1], x.shape[1])
            squares = np.broadcast_to(np.diagonal(products)[:, None], size)
            return cls(origin, np.full(size, total), np.broadcast_to(mean[:, None], size), squares, products)
        size = x.shape[1]
        weight, means, squares, products = (np.zeros((size, size)) for _ in range(4))
        for j in range(size):
            both = present & present[:, j : j + 1]
            w = np.where(both, weights[:, None], 0.0)
            weight[:, j] = w.sum(axis=0)
            own, first = _deviations(x, both, w)
            other, _ = _deviations(np.broadcast_to(x[:, j : j + 1], x.shape), both, w)
            means[:, j] = first
            squares[:, j] = (own**2 * w).sum(axis=0)
            products[:, j] = (own * other * w).sum(axis=0)
        return cls(origin, weight, means, squares, products)

    def merge(self, later: PairMoments, /) -> PairMoments:
        # Where these records have no value of a column, its origin is that of the later ones.
        empty = np.diagonal(self.weight) == 0
        origin = np.where(empty, later.origin, self.origin)
        weight = self.weight + later.weight
        some = np.where(weight > 0, weight, 1.0)
        apart = np.where(later.weight > 0, _apart(self.mean, (later.origin - origin)[:, None], later.mean), 0.0)
        heft = self.weight * later.weight / some
        return PairMoments(
            origin,
            weight,
            self.mean + apart * later.weight / some,
            self.squares + later.squares + apart**2 * heft,
            self.products + later.products + apart * apart.T * heft,
        )

    @property
    def covariances(self) -> FloatArray:
        """The covariances, divisor Σ w; 0 where no record has both values."""
        return np.asarray(self.products / np.where(self.weight > 0, self.weight, 1.0))

    @property
    def correlations(self) -> FloatArray:
        """The correlations, pair by pair; an attribute without spread is related to none (0)."""
        unit = np.sqrt(self.squares) * np.sqrt(self.squares.T)
        scaled = np.where(unit > 0, self.products / np.where(unit > 0, unit, 1.0), 0.0)
        np.fill_diagonal(scaled, 1.0)
        return np.clip(scaled, -1.0, 1.0)


@dataclass(frozen=True, repr=False)
class RelatedNumbers:
    """The moments of every two columns before and after."""

    before: PairMoments
    after: PairMoments

    def merge(self, later: RelatedNumbers, /) -> RelatedNumbers:
        return RelatedNumbers(self.before.merge(later.before), self.after.merge(later.after))


@dataclass(frozen=True)
class Comoments(OfBothFiles):
    """Ask how columns of numbers hang together, before and after."""

    names: tuple[str, ...]
    weight: str | None = None

    def summarise(self, block: Block, /) -> RelatedNumbers:
        weights = _weights(block, self.weight)
        return RelatedNumbers(
            PairMoments.of(block.original.numeric(self.names), weights),
            PairMoments.of(block.release.numeric(self.names), weights),
        )
