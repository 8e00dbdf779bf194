"""Log-linear models of a table of keys, its empty cells included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.errors import DataError
from discreet.progress import report
from discreet.statistics.counts import Combinations
from discreet.typing import FloatArray, IntArray

__all__ = ["MOST_CELLS", "KeyCells", "KeyTable", "fit_main_effects", "fit_margins"]

MOST_CELLS = 1 << 24
"""Cells of a table, empty ones included, over which a model with interactions is fitted."""

_TURNS = 5000
_EXACT = 1e-12


@dataclass(frozen=True, repr=False)
class KeyCells:
    """The cells of a table of keys that hold records.

    Attributes
    ----------
    columns : tuple of (m,) int64
        By key, the level of each cell, 0 … size − 1.
    sizes : tuple of int
    counts : (m,) int64
    totals : (m,) float64
        The sums of weights.
    """

    columns: tuple[IntArray, ...]
    sizes: tuple[int, ...]
    counts: IntArray
    totals: FloatArray
    gaps: int = 0


@dataclass(frozen=True)
class KeyTable:
    """Ask for all cells that hold records; a digest of :class:`~discreet.statistics.counts.Counts`."""

    @property
    def whole(self) -> bool:
        return True

    def summarise(self, combinations: Combinations, /) -> KeyCells:
        levels = [np.unique(column, return_inverse=True) for column in combinations.codes.T]
        columns = tuple(place.ravel().astype(np.int64) for _, place in levels)
        gaps = int(combinations.absent.any(axis=1).sum())
        return KeyCells(columns, tuple(v.size for v, _ in levels), combinations.counts, combinations.totals, gaps)


def fit_main_effects(
    cells: KeyCells,
    response: FloatArray,
    *,
    start: FloatArray | None = None,
    empty: float = 1.0,
    slopes: Mapping[int, FloatArray] | None = None,
    covariate: FloatArray | None = None,
) -> FloatArray:
    """Return the fitted means of the cells that hold records, under main effects of all keys.

    Parameters
    ----------
    cells : KeyCells
    response : (m,) float64
        What is modelled; 0 in every cell that is not listed.
    start : (m,) float64, optional
        The factor by which a mean is known to differ (exp of an offset); `empty` in cells that are not listed.
    empty : float
    slopes : dict of int to (levels,) float64, optional
        Keys that enter as a number with one slope, and the number of each level; others have an effect a level.
    covariate : (m,) float64, optional
        A further number with a slope, 0 in cells that are not listed.

    Notes
    -----
    The Poisson model's likelihood is raised key by key to its maximum: by level, to the observed margins (iterative
    proportional fitting); with a slope, by Newton's steps. Empty cells are a product of the keys' factors, so that
    their sums need no table: O(m · keys) a turn, whatever the number of cells. One turn is enough without offset.

    References
    ----------
    Bishop, Fienberg and Holland (1975), Discrete multivariate analysis; Skinner and Shlomo (2008).
    """
    slopes = {} if slopes is None else slopes
    start = np.full(response.size, empty) if start is None else start
    factors = [np.full(size, 1.0 / size) for size in cells.sizes]
    observed = [
        np.bincount(column, weights=response, minlength=size).astype(np.float64)
        for column, size in zip(cells.columns, cells.sizes, strict=True)
    ]
    scale, slope = float(response.sum()) / empty, 0.0
    goal = max(float(response.sum()), 1e-300)
    tilt = np.zeros(response.size) if covariate is None else covariate
    for turn in range(_TURNS):
        worst = 0.0
        for j, column in enumerate(cells.columns):
            own = start * np.exp(slope * tilt) - empty
            inside = scale * own * np.prod([f[c] for f, c in zip(factors, cells.columns, strict=True)], axis=0)
            margin = scale * empty * factors[j] + np.bincount(column, weights=inside, minlength=cells.sizes[j])
            worst = max(worst, _gap(margin, observed[j], slopes.get(j)) / goal)
            factors[j] = factors[j] * (
                np.divide(observed[j], margin, out=np.zeros_like(margin), where=margin > 0)
                if j not in slopes
                else _tilted(margin, observed[j], slopes[j])
            )
            scale, factors[j] = scale * float(factors[j].sum()), factors[j] / factors[j].sum()
        product = scale * np.prod([f[c] for f, c in zip(factors, cells.columns, strict=True)], axis=0)
        if covariate is not None:
            means = product * start * np.exp(slope * tilt)
            worst = max(worst, abs(float((tilt * (response - means)).sum())) / (goal * float(np.abs(tilt).max() or 1)))
            slope += _newton(means, response, tilt)
        if worst <= _EXACT:
            return np.asarray(product * start * np.exp(slope * tilt))
        report("fitting the log-linear model", min(turn, _TURNS - 1), _TURNS)
    raise DataError("The log-linear model has no finite fit for this table of keys.", hint="Leave out a rare key.")


def _gap(margin: FloatArray, observed: FloatArray, numbers: FloatArray | None) -> float:
    if numbers is None:
        return float(np.abs(margin - observed).max())
    reach = float(np.abs(numbers).max()) or 1.0
    return max(abs(float((margin - observed).sum())), abs(float((numbers * (margin - observed)).sum())) / reach)


def _tilted(margin: FloatArray, observed: FloatArray, numbers: FloatArray) -> FloatArray:
    """Return exp(a + b x) by level, with which a margin has the observed total and the observed mean of x."""
    middle, spread = float(numbers.mean()), float(np.ptp(numbers)) or 1.0
    x = (numbers - middle) / spread
    a, b = 0.0, 0.0
    for _ in range(100):
        means = margin * np.exp(a + b * x)
        score = np.array([(observed - means).sum(), (x * (observed - means)).sum()])
        information = np.array([[means.sum(), (x * means).sum()], [(x * means).sum(), (x * x * means).sum()]])
        step = np.linalg.lstsq(information, score, rcond=None)[0]
        step *= min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-300))
        a, b = a + float(step[0]), b + float(step[1])
        if np.abs(step).max() < 1e-15:
            break
    return np.asarray(np.exp(a + b * x))


def _newton(means: FloatArray, response: FloatArray, tilt: FloatArray) -> float:
    """Return how far the slope of a covariate moves, all else left as it is."""
    moved, reach = 0.0, float(np.abs(tilt).max()) or 1.0
    for _ in range(100):
        tilted = means * np.exp(moved * tilt)
        information = float((tilt * tilt * tilted).sum())
        step = float((tilt * (response - tilted)).sum()) / information if information else 0.0
        step = float(np.clip(step, -1.0 / reach, 1.0 / reach))
        moved += step
        if abs(step) * reach < 1e-15:
            break
    return moved


def fit_margins(
    cells: KeyCells,
    response: FloatArray,
    terms: Sequence[Sequence[int]],
    *,
    start: FloatArray | None = None,
    empty: float = 1.0,
    covariate: FloatArray | None = None,
) -> FloatArray:
    """Return the fitted means of the cells that hold records, under interactions.

    Parameters
    ----------
    terms : sequence of sequences of int
        Keys whose joint margin the model has; every key in one of them at least.

    Notes
    -----
    Iterative proportional fitting over the whole table, at most :data:`MOST_CELLS`: O(cells · terms) a turn. The other
    parameters are those of :func:`fit_main_effects`.
    """
    shape = cells.sizes
    if np.prod([float(size) for size in shape]) > MOST_CELLS:
        raise DataError(
            f"A log-linear model with interactions is fitted over every cell: {len(shape)} keys have more than "
            f"{MOST_CELLS:,} of them.",
            hint="Name fewer keys, recode those with many levels, or leave the interactions out.",
        )
    table, factor, tilt = np.zeros(shape), np.full(shape, empty), np.zeros(shape)
    table[cells.columns] = response
    if start is not None:
        factor[cells.columns] = start
    if covariate is not None:
        tilt[cells.columns] = covariate
    means = factor * float(response.sum()) / float(factor.sum())
    goal, slope_goal = max(float(response.sum()), 1e-300), float(np.abs(tilt).max()) or 1.0
    for turn in range(_TURNS):
        worst = 0.0
        for term in terms:
            others = tuple(axis for axis in range(len(shape)) if axis not in term)
            margin, observed = means.sum(axis=others, keepdims=True), table.sum(axis=others, keepdims=True)
            worst = max(worst, float(np.abs(margin - observed).max()) / goal)
            means *= np.divide(observed, margin, out=np.zeros_like(margin), where=margin > 0)
        if covariate is not None:
            at = means[cells.columns]
            worst = max(worst, abs(float((covariate * (response - at)).sum())) / (goal * slope_goal))
            means[cells.columns] = at * np.exp(_newton(at, response, covariate) * covariate)
        if worst <= _EXACT:
            return np.asarray(means[cells.columns])
        report("fitting the log-linear model", min(turn, _TURNS - 1), _TURNS)
    raise DataError("The log-linear model has no finite fit for this table of keys.", hint="Leave an interaction out.")
