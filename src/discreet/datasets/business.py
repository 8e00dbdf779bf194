"""Synthetic company accounts: thirteen amounts over several orders of magnitude, with outliers and zeros.

A company has a size, three habits that move its ratios (use of labour, use of capital, margin) and a sector. Amounts
follow the relations of an income statement and a balance sheet, each with an error of its own, so that no amount is
a linear combination of the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.parameters import Integer, Seed, check_parameters
from discreet.typing import FloatArray, IntArray, RandomState

__all__ = ["AMOUNTS", "business_columns"]

AMOUNTS: tuple[str, ...] = (
    "EMPLOYEES",
    "TURNOVER",
    "PURCHASES",
    "WAGES",
    "CHARGES",
    "TAXES",
    "ASSETS",
    "STOCKS",
    "EQUITY",
    "DEBT",
    "INVESTMENT",
    "EXPORTS",
    "RESEARCH",
)
"""EMPLOYEES is a count of people; the twelve others are thousands of a currency, to one decimal."""

# Per sector (industry, trade, services, construction): its share, and what it adds to the logs of three ratios.
_SECTOR_SHARES = (0.22, 0.30, 0.36, 0.12)
_SECTOR_PURCHASES = np.array([0.15, 0.45, -0.75, 0.05])
_SECTOR_LABOUR = np.array([0.10, -0.40, 0.25, 0.15])
_SECTOR_CAPITAL = np.array([0.40, -0.10, -0.20, 0.05])

# Share of companies of middling size that report nothing, per sector, and how fast it falls with size.
_ZEROS: dict[str, tuple[tuple[float, ...], float]] = {
    "STOCKS": ((0.06, 0.04, 0.55, 0.15), 0.5),
    "DEBT": ((0.15, 0.18, 0.28, 0.18), 0.8),
    "INVESTMENT": ((0.14, 0.22, 0.30, 0.20), 0.9),
    "EXPORTS": ((0.45, 0.65, 0.80, 0.92), 0.9),
    "RESEARCH": ((0.70, 0.94, 0.85, 0.96), 0.8),
}


def business_columns(n: int, random_state: RandomState = 0) -> dict[str, NDArray[Any]]:
    """Generate the columns of a synthetic file of company accounts.

    The largest of a thousand companies is some hundred times the median one or more, so that its size alone names it,
    and one company in a hundred has amounts far from what its size suggests: the two things that make business data
    hard to protect.

    Parameters
    ----------
    n : int
        The number of companies, at least 1.
    random_state : int or numpy.random.Generator
        The seed; the same seed and `n` give the same records, whatever the number of threads.

    Returns
    -------
    dict of str to array
        COMPANY (``int64``, unique) and the thirteen `AMOUNTS` (``float64``, none negative), each of length `n`.

    Raises
    ------
    ParameterError
        If `n` or `random_state` is not as described.

    Notes
    -----
    No value is missing. Zeros are common in STOCKS, DEBT, INVESTMENT, EXPORTS and RESEARCH, commoner among small
    companies, and occur in TAXES (a year of losses), and in EMPLOYEES, WAGES and CHARGES together (the owner works
    alone). ASSETS exceeds EQUITY plus DEBT for most companies, the rest being owed to
    suppliers, and EXPORTS never exceeds TURNOVER. Time is linear in `n`.

    Examples
    --------
    >>> columns = business_columns(4, random_state=0)
    >>> len(columns), columns["COMPANY"].tolist()
    (14, [1, 2, 3, 4])
    >>> all((columns[name] >= 0).all() for name in AMOUNTS)
    True
    """
    check_parameters("business", {"n": n, "random_state": random_state}, {"n": Integer(1), "random_state": Seed()})
    rng = np.random.default_rng(random_state)
    sector = rng.choice(len(_SECTOR_SHARES), size=n, p=_SECTOR_SHARES)
    habits = rng.standard_normal((3, n))
    # Lognormal in the body; one company in twenty belongs to a group, whose sizes fall off as a power law.
    size = 1.5 * rng.standard_normal(n) + np.where(rng.random(n) < 0.05, rng.exponential(0.9, n), 0.0)

    logs = _log_amounts(rng, size, habits, sector)
    odd = rng.random(n) < 0.01
    for name in ("TURNOVER", "ASSETS", "DEBT", "INVESTMENT", "RESEARCH"):
        logs[name] += np.where(odd & (rng.random(n) < 0.5), rng.uniform(1.5, 3.5, n), 0.0)
    amounts = {name: np.round(np.exp(logs[name]), 1) for name in AMOUNTS}
    amounts["EMPLOYEES"] = np.floor(np.exp(logs["EMPLOYEES"]))

    for name, (shares, fall) in _ZEROS.items():
        odds = np.array(shares) / (1.0 - np.array(shares))
        nothing = rng.random(n) < 1.0 / (1.0 + np.exp(fall * size) / odds[sector])
        amounts[name] = np.where(nothing, 0.0, amounts[name])
    amounts["TAXES"] = np.where(habits[2] + 0.5 * rng.standard_normal(n) < -1.3, 0.0, amounts["TAXES"])
    for name in ("WAGES", "CHARGES"):
        amounts[name] = np.where(amounts["EMPLOYEES"] == 0, 0.0, amounts[name])
    return {"COMPANY": np.arange(1, n + 1, dtype=np.int64), **amounts}


def _log_amounts(
    rng: np.random.Generator,
    size: FloatArray,
    habits: FloatArray,
    sector: IntArray,
) -> dict[str, FloatArray]:
    """Draw the logs of the amounts: each from those before it, with an error of its own."""
    labour, capital, margin = habits
    error = dict(zip(AMOUNTS, rng.standard_normal((len(AMOUNTS), size.size)), strict=True))
    more_labour = 0.35 * labour + _SECTOR_LABOUR[sector]
    more_capital = 0.50 * capital + _SECTOR_CAPITAL[sector]

    turnover = 6.6 + size + 0.20 * error["TURNOVER"]
    purchases = turnover - 0.75 + _SECTOR_PURCHASES[sector] - 0.12 * margin + 0.15 * error["PURCHASES"]
    employees = 1.75 + 0.90 * size + more_labour + 0.25 * error["EMPLOYEES"]
    wages = employees + 3.1 + 0.08 * size + 0.10 * margin + 0.22 * error["WAGES"]
    assets = turnover - 0.25 + more_capital + 0.05 * size + 0.25 * error["ASSETS"]
    equity = assets - 1.15 + 0.30 * margin + 0.35 * error["EQUITY"]
    return {
        "EMPLOYEES": employees,
        "TURNOVER": turnover,
        "PURCHASES": purchases,
        "WAGES": wages,
        "CHARGES": wages - 1.15 + 0.18 * error["CHARGES"],
        "TAXES": turnover - 4.0 + 0.60 * margin + 0.50 * error["TAXES"],
        "ASSETS": assets,
        "STOCKS": purchases - 1.9 + 0.60 * error["STOCKS"],
        "EQUITY": equity,
        "DEBT": assets - 1.45 + 0.20 * capital - 0.25 * margin + 0.45 * error["DEBT"],
        "INVESTMENT": assets - 3.1 + 0.30 * capital + 0.80 * error["INVESTMENT"],
        # A logistic share, so that exports stay below turnover.
        "EXPORTS": turnover - np.logaddexp(0.0, 1.7 - 0.25 * size - 1.20 * error["EXPORTS"]),
        "RESEARCH": wages - 2.2 + 0.20 * capital + 0.80 * error["RESEARCH"],
    }
