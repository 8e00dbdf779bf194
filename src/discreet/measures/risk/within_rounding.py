"""Formulas that hold but for rounding: a weighted sum of up to three columns, or a product of their powers.

Pay is hours times rate, an index is weight over height squared, a tax is a share of the income in whole units. On
logarithms products are sums, so that both are found by the same regression; the digits of the columns say how far off
a formula may be that holds.
"""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np

from discreet.data.scales.precision import Fineness, rounded
from discreet.typing import BoolArray, FloatArray, IntArray

__all__ = ["MOST_COLUMNS", "MOST_TERMS", "formula_within_rounding"]

MOST_COLUMNS = 12
"""Columns of which combinations are tried: those with the largest part in the regression on all of them."""
MOST_TERMS = 3
_SPARE = 20
_HOLDS = 0.95
"""The share of the records for which a formula must hold within rounding."""
_TRIVIAL = 0.5
"""Where one number is within rounding of this share of the records, nothing is found that a guess does not find."""
_MACHINE = 1e-9


def formula_within_rounding(
    target: FloatArray, grain: Fineness, block: FloatArray, grains: list[Fineness]
) -> tuple[tuple[int, ...], FloatArray] | None:
    """Return which columns of `block` give the target, and what they give in its steps; None where no formula holds.

    Sums are tried on the numbers, products, ratios and powers on the logarithms of positive ones. At most 12 columns
    are tried, alone, in pairs and in triples: 298 regressions on crossproducts, for sums and for products each.
    Time is O(records × columns²), and O(records) for every combination that may hold.

    Examples
    --------
    >>> from discreet.data.scales.precision import fineness
    >>> rng = np.random.default_rng(0)
    >>> hours, rate = rng.integers(10, 60, 200).astype(float), rng.uniform(10, 60, 200).round(2)
    >>> block = np.stack([hours, (hours * rate).round(1)], axis=1)
    >>> used, values = formula_within_rounding(rate, fineness(rate), block, [fineness(c) for c in block.T])
    >>> used, float((values == rate).mean()) > 0.9
    ((0, 1), True)
    """
    complete = ~(np.isnan(block).any(axis=1) | np.isnan(target))
    if complete.sum() < _SPARE + MOST_TERMS + 1:
        return None
    halves = np.array([0.5 * (one.unit or 0.0) for one in grains])
    half = 0.5 * (grain.unit or 0.0)
    positive = (np.nan_to_num(block, nan=1.0) > 0).all(axis=0)
    formula = _formula(target, half, block, halves, complete, np.arange(block.shape[1]))
    values = None
    if formula is not None:
        predictors, slopes, level = formula
        values = block[:, list(predictors)] @ slopes + level
    elif positive.any() and (target[complete] > 0).all():
        with np.errstate(divide="ignore", invalid="ignore"):
            logs, log_target = np.log(block[:, positive]), np.log(np.where(target > 0, target, np.nan))
            blurs, blur = halves[positive] / block[:, positive], half / target
        formula = _formula(log_target, blur, logs, blurs, complete, np.flatnonzero(positive), powers=True)
        if formula is not None:
            predictors, slopes, level = formula
            values = np.exp(np.log(block[:, list(predictors)]) @ slopes + level)
    return None if formula is None or values is None else (formula[0], rounded(values, grain))


def _formula(
    target: FloatArray,
    blur: FloatArray | float,
    block: FloatArray,
    blurs: FloatArray,
    complete: BoolArray,
    places: IntArray,
    *,
    powers: bool = False,
) -> tuple[tuple[int, ...], FloatArray, float] | None:
    """Return the columns, slopes and level of a linear formula that is off by no more than the blur of its terms."""
    regressors, response = block[complete], target[complete]
    own = np.broadcast_to(blur, target.shape)[complete] + _MACHINE * max(1.0, float(np.abs(response).max()))
    blurred = np.broadcast_to(blurs, block.shape)[complete]
    if (np.abs(response - np.median(response)) <= own).mean() > _TRIVIAL:
        return None
    middle, spread = regressors.mean(axis=0), regressors.std(axis=0)
    varies = np.flatnonzero(spread > 0)
    level, width = response.mean(), response.std()
    if not varies.size or not width > 0:
        return None
    design, aim = (regressors[:, varies] - middle[varies]) / spread[varies], (response - level) / width
    gram, cross = design.T @ design / aim.size, design.T @ aim / aim.size
    parts = np.abs(np.linalg.lstsq(gram, cross, rcond=None)[0])
    best = sorted(np.argsort(-parts, kind="stable")[:MOST_COLUMNS].tolist())
    for terms in chain.from_iterable(combinations(best, size) for size in range(1, MOST_TERMS + 1)):
        of = list(terms)
        slopes = np.linalg.lstsq(gram[np.ix_(of, of)], cross[of], rcond=None)[0]
        rest = width * np.sqrt(max(0.0, 1.0 - float(cross[of] @ slopes)))
        slopes = slopes * width / spread[varies[of]]
        if powers:  # powers are whole or half ones, as far as rounding lets one see
            near = np.rint(2 * slopes) / 2
            slopes = np.where((np.abs(slopes - near) < 0.05) & (near != 0), near, slopes)
        slack = own + blurred[:, varies[of]] @ np.abs(slopes)
        if rest > 2 * np.sqrt(np.mean(slack**2)) + 1e-7 * width:
            continue
        off = response - regressors[:, varies[of]] @ slopes
        sharp = np.argsort(slack, kind="stable")[: max(_SPARE, off.size // 4)]
        constant = float(np.median(off[sharp]))
        alone = (np.abs(response - np.median(response)) <= slack).mean()
        if alone <= _TRIVIAL and (np.abs(off - constant) <= 1.1 * slack).mean() >= _HOLDS:
            return tuple(int(places[varies[j]]) for j in of), slopes, constant
    return None
