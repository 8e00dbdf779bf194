"""A logistic model before and after, by Newton's method: every turn asks for sums that merge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.data.block import Block
from discreet.statistics.linear_model import LinearModel, SideMoments
from discreet.typing import FloatArray, IntArray

__all__ = ["LogisticFit", "LogisticSums", "LogisticTurn", "begun"]

_RIDGE = 1e-8
"""Keeps a coefficient finite where the outcome is told by a column without exception, or columns depend."""


@dataclass(frozen=True, repr=False, eq=False)
class LogisticFit:
    """Coefficients so far, the intercept first, on columns from their means in standard deviations."""

    used: IntArray
    middle: FloatArray
    scale: FloatArray
    solution: FloatArray

    def stepped(self, gradient: FloatArray, curvature: FloatArray) -> tuple[LogisticFit, float]:
        """Return the fit after a turn of Newton's method, and the largest change of a coefficient."""
        size = self.solution.size
        step = np.linalg.solve(curvature + _RIDGE * np.eye(size), gradient - _RIDGE * self.solution)
        return LogisticFit(self.used, self.middle, self.scale, self.solution + step), float(np.abs(step).max())

    def told(self, columns: int, curvature: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return coefficients and standard errors of all columns, the intercept first; NaN where one is constant."""
        coefficients, errors = np.full(columns + 1, np.nan), np.full(columns + 1, np.nan)
        variances = np.diagonal(np.linalg.inv(curvature + _RIDGE * np.eye(self.solution.size)))
        places, scale = np.append(0, 1 + self.used), np.append(1.0, self.scale)
        coefficients[places] = self.solution / scale
        errors[places] = np.sqrt(np.maximum(variances, 0.0)) / scale
        return coefficients, errors


def begun(side: SideMoments) -> LogisticFit | None:
    """Return where the search begins, from the moments of the columns; None where there is no record."""
    if side.plain is None or side.weighted is None:
        return None
    spread = side.plain.spread[:-1]
    used = np.flatnonzero(spread > 0)
    middle = (side.plain.origin + side.plain.mean)[used]
    return LogisticFit(used, middle, spread[used], np.zeros(used.size + 1))


@dataclass(frozen=True, repr=False)
class LogisticSums:
    """Gradient and curvature of the log-likelihood, before and after; an empty array where there is no model."""

    gradients: tuple[FloatArray, ...]
    curvatures: tuple[FloatArray, ...]

    def merge(self, later: LogisticSums, /) -> LogisticSums:
        gradients, curvatures = (
            tuple(mine + theirs for mine, theirs in zip(*two, strict=True))
            for two in ((self.gradients, later.gradients), (self.curvatures, later.curvatures))
        )
        return LogisticSums(gradients, curvatures)


@dataclass(frozen=True, eq=False)
class LogisticTurn:
    """Ask for the sums of one turn; weights are taken in a unit."""

    model: LinearModel
    fits: tuple[LogisticFit | None, LogisticFit | None]
    unit: float

    @property
    def original(self) -> tuple[str, ...]:
        return self.model.original

    @property
    def released(self) -> tuple[str, ...]:
        return self.model.names

    def summarise(self, block: Block, /) -> LogisticSums:
        gradients, curvatures = [], []
        for fit, (columns, weights) in zip(self.fits, self.model.sides(block), strict=True):
            if fit is None:
                gradients.append(np.zeros(0))
                curvatures.append(np.zeros((0, 0)))
                continue
            standard = (columns[:, fit.used] - fit.middle) / fit.scale
            terms = np.concatenate([np.ones((len(columns), 1)), standard], axis=1)
            chance = 1.0 / (1.0 + np.exp(-np.clip(terms @ fit.solution, -30.0, 30.0)))
            held = weights / self.unit
            gradients.append(terms.T @ (held * (columns[:, -1] - chance)))
            curvatures.append((terms * (held * chance * (1.0 - chance))[:, None]).T @ terms)
        return LogisticSums(tuple(gradients), tuple(curvatures))
