"""A linear model before and after, from moments that merge: its columns, its normal equations, its residuals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.data.block import Block
from discreet.data.levels import JoinedLevels
from discreet.statistics.moments import ColumnMoments, PairMoments, first_values
from discreet.typing import FloatArray

__all__ = ["Fit", "LinearModel", "ModelMoments", "ModelResiduals", "Predictor", "SideMoments"]

_SAME = 1e-12
"""Of the longest direction of the columns: what is shorter is rounding, and the columns are dependent."""


@dataclass(frozen=True)
class Predictor:
    """An attribute that explains: a number, or the levels of a category that have a column of their own."""

    name: str
    levels: JoinedLevels | None = None
    places: tuple[int, ...] = ()


@dataclass(frozen=True)
class LinearModel:
    """What is explained by what, and the survey weight where it counts.

    Where `usual` is given, the outcome is 0 or 1: whether a level is another than that, or a number above 0.
    """

    outcome: str
    predictors: tuple[Predictor, ...]
    weight: str | None = None
    usual: tuple[JoinedLevels | None, int] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes of the model."""
        return (self.outcome, *(one.name for one in self.predictors))

    @property
    def original(self) -> tuple[str, ...]:
        """The columns of the original that the model looks at."""
        return self.names if self.weight is None else (*self.names, self.weight)

    def sides(self, block: Block) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
        """Return the records that lack nothing, before and after: columns with the outcome as the last, and weights."""
        held: Any = np.ones(len(block)) if self.weight is None else block.original.weights()
        before, after = self._columns(block)
        whole = [~np.isnan(side).any(axis=1) for side in (before, after)]
        return (before[whole[0]], held[whole[0]]), (after[whole[1]], held[whole[1]])

    def _columns(self, block: Block) -> tuple[FloatArray, FloatArray]:
        sides: tuple[list[FloatArray], list[FloatArray]] = ([], [])
        for one in self.predictors:
            if one.levels is None:
                for table, columns in zip((block.original, block.release), sides, strict=True):
                    columns.append(table.encoded(one.name))
                continue
            for codes, columns in zip(block.levels(one.name, one.levels), sides, strict=True):
                absent = codes == one.levels.size - 1
                columns += [np.where(absent, np.nan, codes == place) for place in one.places]
        for side, (table, columns) in enumerate(zip((block.original, block.release), sides, strict=True)):
            columns.append(table.encoded(self.outcome) if self.usual is None else self._event(block, side))
        before, after = (np.stack(columns, axis=1).astype(np.float64) for columns in sides)
        return before, after

    def _event(self, block: Block, side: int) -> FloatArray:
        levels, place = self.usual or (None, 0)
        if levels is None:
            numbers = (block.original, block.release)[side].encoded(self.outcome)
            return np.where(np.isnan(numbers), np.nan, numbers > 0)
        codes = block.levels(self.outcome, levels)[side]
        return np.where(codes == levels.size - 1, np.nan, codes != place)


@dataclass(frozen=True, repr=False)
class SideMoments:
    """The moments of the model's columns in one file, over the records that lack nothing; the outcome is the last.

    Attributes
    ----------
    plain : ColumnMoments, optional
        Every record counted once; None where there is no record.
    weighted : PairMoments, optional
        By weight; None where nobody weighs anything.
    """

    plain: ColumnMoments | None
    weighted: PairMoments | None

    @classmethod
    def of(cls, columns: FloatArray, weights: FloatArray) -> SideMoments:
        """Return the moments of some records."""
        heavy = weights > 0
        plain = ColumnMoments.of(columns, np.ones(len(columns)), first_values(columns)) if len(columns) else None
        return cls(plain, PairMoments.of(columns[heavy], weights[heavy]) if heavy.any() else None)

    def merge(self, later: SideMoments, /) -> SideMoments:
        plain, weighted = later.plain, later.weighted
        if self.plain is not None:
            plain = self.plain if plain is None else self.plain.merge(plain)
        if self.weighted is not None:
            weighted = self.weighted if weighted is None else self.weighted.merge(weighted)
        return SideMoments(plain, weighted)

    @property
    def records(self) -> int:
        """How many lack nothing."""
        return 0 if self.plain is None else round(float(self.plain.weight[0]))

    def solved(self, unit: float) -> Fit | None:
        """Return the least-squares fit, weights in a unit; None where there is nothing to fit."""
        if self.plain is None or self.weighted is None:
            return None
        # Centred and scaled columns keep the normal equations well conditioned.
        spread = self.plain.spread[:-1]
        used = np.flatnonzero(spread > 0)
        total = float(self.weighted.weight[0, 0]) / unit
        apart = (self.weighted.origin - self.plain.origin) + self.weighted.mean[:, 0] - self.plain.mean
        products = self.weighted.products / unit + total * np.outer(apart, apart)
        scale = spread[used]
        size = used.size + 1
        table, right = np.empty((size, size)), np.empty(size)
        table[0, 0], right[0] = total, total * apart[-1]
        table[0, 1:] = table[1:, 0] = total * apart[used] / scale
        table[1:, 1:] = products[np.ix_(used, used)] / np.outer(scale, scale)
        right[1:] = products[used, -1] / scale
        inverse = np.linalg.pinv(table, rcond=_SAME, hermitian=True)
        middle = self.plain.origin + self.plain.mean
        return Fit(used, middle, scale, inverse @ right, np.diagonal(inverse).copy())


@dataclass(frozen=True, repr=False, eq=False)
class Fit:
    """A fitted model, on columns from their means in standard deviations.

    Attributes
    ----------
    used : (u,) int64
        The columns that vary.
    middle : (p + 1,) float64
        The means of all columns, the outcome's last.
    scale : (u,) float64
    solution, leverage : (u + 1,) float64
        Coefficients, the intercept first, and what their variances are in residual variances.
    """

    used: Any
    middle: FloatArray
    scale: FloatArray
    solution: FloatArray
    leverage: FloatArray

    def residuals(self, columns: FloatArray) -> FloatArray:
        """Return what the model leaves unexplained of some records."""
        standard = (columns[:, self.used] - self.middle[self.used]) / self.scale
        return np.asarray(columns[:, -1] - self.middle[-1] - self.solution[0] - standard @ self.solution[1:])


@dataclass(frozen=True, repr=False)
class BothModels:
    """The moments of a model before and after, what all records weigh, and how many there are."""

    before: SideMoments
    after: SideMoments
    weight: float
    records: int

    def merge(self, later: BothModels, /) -> BothModels:
        return BothModels(
            self.before.merge(later.before),
            self.after.merge(later.after),
            self.weight + later.weight,
            self.records + later.records,
        )


@dataclass(frozen=True)
class ModelMoments:
    """Ask for the moments of a model before and after."""

    model: LinearModel

    @property
    def original(self) -> tuple[str, ...]:
        return self.model.original

    @property
    def released(self) -> tuple[str, ...]:
        return self.model.names

    def summarise(self, block: Block, /) -> BothModels:
        before, after = (SideMoments.of(*side) for side in self.model.sides(block))
        held: Any = None if self.model.weight is None else block.original.weights()
        return BothModels(before, after, float(len(block) if held is None else held.sum()), len(block))


@dataclass(frozen=True)
class SquaredResiduals:
    """Σ w r² before and after."""

    before: float
    after: float

    def merge(self, later: SquaredResiduals, /) -> SquaredResiduals:
        return SquaredResiduals(self.before + later.before, self.after + later.after)


@dataclass(frozen=True, eq=False)
class ModelResiduals:
    """Ask what fitted models leave unexplained: differences of large moments would not tell where that is little."""

    model: LinearModel
    fits: tuple[Fit | None, Fit | None]

    @property
    def original(self) -> tuple[str, ...]:
        return self.model.original

    @property
    def released(self) -> tuple[str, ...]:
        return self.model.names

    def summarise(self, block: Block, /) -> SquaredResiduals:
        sums = []
        for fit, (columns, weights) in zip(self.fits, self.model.sides(block), strict=True):
            sums.append(0.0 if fit is None else float((fit.residuals(columns) ** 2 * weights).sum()))
        return SquaredResiduals(*sums)
