"""A synthetic housing survey, after the attributes of the American Housing Survey 1993 that the papers mask.

Six hidden traits of a household (wealth, urbanity, age of its head, climate, modernity of the building, motive for
moving) and its stratum drive everything that is recorded. Ordered attributes are a hidden normal score cut at fixed
points; unordered ones are drawn with weights ``share · exp(Σ loading · trait)``, one row of a table a level.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.parameters import Integer, Seed, check_parameters
from discreet.typing import CodeArray, FloatArray, IntArray, RandomState

__all__ = ["BUILT_YEARS", "LEVELS", "NUMERIC", "ORDINAL", "STRATA", "housing_columns"]

# A level's share where every trait is at its mean, then its loadings on wealth, urbanity, age, cold, modernity, motive.
Loadings: TypeAlias = dict[str, tuple[float, ...]]

_NO_MOVE = "no move"
_BLOCK = 1 << 14  # records scored at a time: the weights of one block stay in the processor's cache

BUILT_YEARS: dict[str, tuple[int, int]] = {
    "10": (1850, 1900),
    "09": (1900, 1920),
    "08": (1920, 1930),
    "07": (1930, 1940),
    "06": (1940, 1950),
    "05": (1950, 1960),
    "04": (1960, 1970),
    "03": (1970, 1975),
    "02": (1975, 1979),
    "01": (1979, 1980),
    **{str(year - 1900): (year, year + 1) for year in range(1980, 1995)},
}
"""The years ``[first, last)`` that each level of BUILT stands for, oldest first.

The papers print 23 codes (09 … 01, 80 … 93) and count 25. Here the two others stand at the ends, where they leave the
rank differences of the printed ones alone: 10, before 1900, and 94, not finished when the survey ended.
"""

_BUILT_SHARES = (25, 55, 50, 55, 75, 120, 150, 95, 85, 30, 28, 22, 16, 22, 30, 30, 28, 24, 20, 16, 12, 9, 7, 5, 2)

# By rising number of heating degree days. The papers name six levels (hot … coldest) and count eight: the two others
# come before the first, so that the six stay next to each other.
_DEGREE: dict[str, float] = {
    "tropical": 12,
    "very hot": 38,
    "hot": 150,
    "mixed": 170,
    "mild": 120,
    "cool": 240,
    "cold": 210,
    "coldest": 60,
}

_GRADE1: dict[str, float] = {
    "none": 5,
    **dict(zip([f"grade {year}" for year in range(1, 13)], (2, 3, 5, 6, 9, 14, 14, 44, 32, 46, 42, 350), strict=True)),
    **dict(zip([f"college {year}" for year in range(1, 5)], (72, 96, 36, 145), strict=True)),
    **dict(zip([f"graduate {year}" for year in range(1, 5)], (26, 38, 9, 6), strict=True)),
}

_METRO: Loadings = {
    "large city": (0.16, 0.1, 1.6, -0.3, 0.0, -0.4, 0.0),
    "central city": (0.16, -0.3, 1.0, -0.1, 0.1, -0.3, 0.0),
    "inner suburb": (0.40, 0.4, 0.4, 0.0, 0.0, 0.0, 0.0),
    "outer suburb": (0.18, 0.7, -0.2, -0.1, -0.1, 0.6, 0.0),
    "rural suburb": (0.07, 0.2, -1.0, 0.0, 0.0, 0.4, 0.0),
    "satellite town": (0.06, -0.1, -0.4, 0.1, 0.2, 0.0, 0.0),
    "small town": (0.06, -0.3, -1.2, 0.3, 0.1, -0.2, 0.0),
    "village": (0.03, -0.4, -1.7, 0.4, 0.3, -0.3, 0.0),
    "open country": (0.03, -0.4, -2.2, 0.2, -0.1, 0.1, 0.0),
}

_SCH: Loadings = {
    "adequate": (0.42, 0.4, -0.2, -0.6, 0.0, 0.2, 0.1),
    "inadequate": (0.07, -0.7, 0.8, -0.5, 0.0, -0.3, -0.2),
    "too far": (0.03, -0.2, -1.2, -0.4, 0.0, 0.3, 0.0),
    "private school": (0.05, 1.1, 0.5, -0.3, 0.0, 0.0, 0.2),
    "no children": (0.40, 0.0, 0.2, 1.1, 0.0, 0.0, 0.0),
    "no opinion": (0.03, -0.4, 0.0, 0.2, 0.0, 0.0, -0.1),
}

_SHP: Loadings = {
    "adequate": (0.90, 0.2, 0.6, 0.0, 0.0, 0.0, 0.0),
    "few shops": (0.11, -0.2, -0.6, 0.1, 0.0, 0.1, 0.0),
    "too far": (0.08, -0.1, -1.5, 0.1, 0.0, 0.3, 0.0),
    "too costly": (0.05, -1.0, 0.8, 0.1, 0.0, -0.2, -0.5),
    "unsafe": (0.02, -1.1, 1.3, 0.3, 0.0, -0.5, 0.0),
    "not used": (0.02, 0.0, -0.2, 0.7, 0.0, 0.0, 0.0),
}

_TRAN1: Loadings = {
    "car": (0.50, 0.3, -0.3, -0.2, 0.0, 0.2, 0.0),
    "carpool": (0.08, -0.3, -0.2, -0.4, 0.0, 0.1, 0.0),
    "truck": (0.09, -0.2, -1.1, -0.3, -0.2, 0.1, 0.0),
    "bus": (0.030, -0.7, 1.5, -0.2, 0.0, -0.3, 0.0),
    "subway": (0.012, 0.1, 2.0, -0.3, 0.3, -0.4, 0.0),
    "train": (0.007, 0.8, 0.8, -0.1, 0.2, 0.0, 0.0),
    "taxi": (0.003, 0.3, 1.2, 0.1, 0.0, -0.2, 0.0),
    "motorcycle": (0.004, -0.2, -0.2, -0.8, -0.4, 0.0, 0.0),
    "bicycle": (0.006, -0.1, 0.5, -0.8, -0.3, 0.0, 0.0),
    "walk": (0.030, -0.5, 0.8, -0.4, 0.1, -0.3, 0.0),
    "works at home": (0.022, 0.5, -0.4, 0.2, 0.0, 0.2, 0.0),
    "not employed": (0.20, -0.7, 0.0, 1.7, 0.0, -0.1, 0.0),
}

_WFUEL: Loadings = {
    "electricity": (0.36, -0.1, -0.4, 0.0, -0.6, 0.8, 0.0),
    "piped gas": (0.46, 0.1, 0.7, 0.0, 0.1, -0.1, 0.0),
    "bottled gas": (0.05, -0.3, -1.4, 0.1, -0.1, 0.1, 0.0),
    "fuel oil": (0.07, 0.1, 0.1, 0.2, 1.4, -0.6, 0.0),
    "kerosene": (0.005, -0.7, -0.7, 0.2, 0.3, -0.5, 0.0),
    "coal": (0.004, -0.6, -0.8, 0.4, 0.8, -0.8, 0.0),
    "wood": (0.008, -0.4, -1.6, 0.0, 0.4, -0.2, 0.0),
    "solar": (0.006, 0.6, -0.3, 0.0, -0.9, 0.5, 0.0),
    "none": (0.008, -1.3, -0.5, 0.2, -0.4, -0.7, 0.0),
}

# A low motive is need (cost, work, displacement), a high one is choice (space, quality, surroundings).
_WHYMOVE: Loadings = {
    "displaced": (0.03, -0.4, 0.4, 0.2, 0.0, -0.2, -1.1),
    "disaster": (0.008, -0.2, 0.0, 0.1, 0.0, -0.2, -0.9),
    "new job": (0.12, 0.3, 0.1, -0.6, 0.0, 0.1, -0.9),
    "near work": (0.09, 0.0, 0.4, -0.5, 0.0, 0.0, -1.0),
    "transferred": (0.04, 0.6, 0.0, -0.3, 0.0, 0.2, -0.8),
    "own household": (0.12, -0.3, 0.2, -1.0, 0.0, -0.1, -0.2),
    "married": (0.06, 0.1, 0.0, -0.5, 0.0, 0.0, 0.1),
    "separated": (0.06, -0.2, 0.1, 0.2, 0.0, 0.0, -0.4),
    "other family": (0.05, -0.2, 0.0, 0.3, 0.0, 0.0, -0.1),
    "larger home": (0.15, 0.3, 0.0, -0.3, 0.0, 0.3, 1.0),
    "smaller home": (0.02, 0.0, 0.1, 1.2, 0.0, 0.0, 0.3),
    "better home": (0.07, 0.2, 0.1, 0.1, 0.0, 0.3, 1.2),
    "to own": (0.09, 0.6, -0.3, -0.1, 0.0, 0.6, 1.1),
    "to rent": (0.015, -0.5, 0.4, 0.3, 0.0, -0.2, -0.4),
    "lower cost": (0.08, -0.8, 0.1, 0.1, 0.0, -0.2, -1.2),
    "retirement": (0.015, 0.3, -0.4, 2.0, -0.6, 0.3, 0.6),
    "other": (0.05, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0),
}

_WHYTOH: Loadings = {
    "price": (0.34, -0.7, 0.0, -0.1, 0.0, -0.2, -1.3),
    "size": (0.15, 0.2, 0.0, -0.2, 0.0, 0.2, 0.9),
    "layout": (0.14, 0.4, 0.1, 0.2, 0.0, 0.3, 1.1),
    "kitchen": (0.01, 0.3, 0.0, 0.1, 0.0, 0.3, 1.0),
    "yard": (0.05, 0.2, -0.8, 0.0, -0.1, 0.0, 0.9),
    "exterior": (0.04, 0.4, 0.0, 0.2, 0.0, 0.1, 0.8),
    "well built": (0.06, 0.3, -0.1, 0.3, 0.1, 0.0, 1.0),
    "new building": (0.03, 0.6, -0.2, 0.0, 0.0, 1.2, 1.0),
    "view": (0.02, 0.8, -0.1, 0.3, -0.1, 0.1, 0.9),
    "only one found": (0.09, -0.4, 0.3, 0.0, 0.0, -0.2, -1.0),
    "near work": (0.04, 0.0, 0.5, -0.4, 0.0, 0.0, -1.1),
    "other": (0.06, 0.0, 0.0, 0.1, 0.0, 0.0, -0.1),
}

_WHYTON: Loadings = {
    "near work": (0.25, 0.0, 0.3, -0.6, 0.0, 0.0, -1.4),
    "near family": (0.14, -0.3, -0.1, 0.4, 0.0, 0.0, -0.3),
    "near leisure": (0.02, 0.3, 0.1, 0.1, -0.1, 0.1, 0.4),
    "near transit": (0.02, -0.5, 1.3, 0.0, 0.1, -0.2, -0.8),
    "schools": (0.09, 0.5, -0.3, -0.7, 0.0, 0.2, 0.8),
    "services": (0.02, 0.0, 0.4, 0.7, 0.0, 0.0, 0.0),
    "looks": (0.13, 0.6, -0.1, 0.1, 0.0, 0.2, 1.2),
    "house first": (0.12, 0.2, -0.2, 0.0, 0.0, 0.1, 1.3),
    "safety": (0.05, 0.2, 0.5, 0.4, 0.0, 0.0, 0.6),
    "quiet": (0.03, 0.2, -1.2, 0.3, 0.0, 0.1, 0.7),
    "cost": (0.08, -0.8, 0.1, 0.0, 0.0, -0.2, -1.3),
    "other": (0.07, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0),
}

LEVELS: dict[str, tuple[str, ...]] = {
    "BUILT": tuple(BUILT_YEARS),
    "DEGREE": tuple(_DEGREE),
    "GRADE1": tuple(_GRADE1),
    "METRO": tuple(_METRO),
    "SCH": tuple(_SCH),
    "SHP": tuple(_SHP),
    "TRAN1": tuple(_TRAN1),
    "WFUEL": tuple(_WFUEL),
    "WHYMOVE": (*_WHYMOVE, _NO_MOVE),
    "WHYTOH": (*_WHYTOH, _NO_MOVE),
    "WHYTON": (*_WHYTON, _NO_MOVE),
}
"""The levels of each categorical attribute, in the papers' order of attributes; from low to high where ordered."""

ORDINAL: tuple[str, ...] = ("BUILT", "DEGREE", "GRADE1")
NUMERIC: tuple[str, ...] = ("VALUE", "RENT", "INCOME")

STRATA: tuple[str, ...] = ("Northeast", "Midwest", "South", "Mountain", "Pacific")
# Per stratum: its share of the sample; what it adds to cold, urbanity and log price; the mean weight of its records.
_STRATUM_SHARES = (0.20, 0.25, 0.33, 0.08, 0.14)
_STRATUM_COLD = np.array([0.9, 0.8, -1.0, 0.3, -0.6])
_STRATUM_URBAN = np.array([0.3, -0.1, -0.2, -0.4, 0.5])
_STRATUM_PRICE = np.array([0.25, -0.15, -0.20, 0.00, 0.45])
_STRATUM_WEIGHT = np.array([420.0, 510.0, 640.0, 230.0, 560.0])
_METRO_PRICE = np.array([0.20, -0.05, 0.20, 0.22, 0.05, -0.10, -0.30, -0.35, -0.25])


def housing_columns(n: int, random_state: RandomState = 0) -> dict[str, NDArray[Any]]:
    """Generate the columns of a synthetic housing survey.

    It has what masking methods stumble on: long and skewed lists of levels, rare combinations beside frequent ones,
    structural zeros, heavy tails, rounded amounts. It is made up: no record or table of a real survey went into it.

    Parameters
    ----------
    n : int
        The number of records, at least 1.
    random_state : int or numpy.random.Generator
        The seed; the same seed and `n` give the same records, whatever the number of threads.

    Returns
    -------
    dict of str to array
        HOUSEHOLD (``int64``, unique), STRATUM, the eleven attributes of `LEVELS` (strings), VALUE (of the dwelling),
        RENT (monthly; for owners what they would pay), INCOME (yearly) and WEIGHT (``float64``), each of length `n`.

    Raises
    ------
    ParameterError
        If `n` or `random_state` is not as described.

    Notes
    -----
    No value is missing. A household that has not moved lately says ``"no move"`` in all of WHYMOVE, WHYTOH and WHYTON,
    and one that has in none. Strings are Python objects that records share, so a column takes eight bytes a record.
    Time is linear in `n`: some 150 weights a record.

    Examples
    --------
    >>> columns = housing_columns(5, random_state=0)
    >>> len(columns), {len(values) for values in columns.values()}
    (17, {5})
    >>> columns["HOUSEHOLD"].tolist()
    [100001, 100002, 100003, 100004, 100005]
    >>> set(columns["METRO"]) <= set(LEVELS["METRO"])
    True
    """
    check_parameters("housing", {"n": n, "random_state": random_state}, {"n": Integer(1), "random_state": Seed()})
    rng = np.random.default_rng(random_state)
    stratum = rng.choice(len(STRATA), size=n, p=_STRATUM_SHARES)
    wealth, urban, age, cold, modern, schooling, motive = rng.standard_normal((7, n))
    # Squared loadings sum to one, so that every trait keeps mean 0 and deviation 1, as cut points and tables expect.
    urban = 0.96 * urban + _STRATUM_URBAN[stratum]
    cold = 0.54 * cold + _STRATUM_COLD[stratum]
    modern = 0.84 * modern - 0.34 * urban + 0.25 * wealth - 0.29 * cold - 0.17 * age
    schooling = 0.67 * schooling + 0.68 * wealth - 0.26 * age + 0.13 * urban
    motive = 0.93 * motive + 0.33 * wealth - 0.14 * urban
    traits = [wealth, urban, age, cold, modern, motive]

    codes: dict[str, CodeArray] = {
        "BUILT": _cut(modern, _BUILT_SHARES),
        "DEGREE": _cut(cold, tuple(_DEGREE.values())),
        "GRADE1": _cut(schooling, tuple(_GRADE1.values())),
        "METRO": _draw(rng, traits, _METRO),
        "SCH": _draw(rng, traits, _SCH),
        "SHP": _draw(rng, traits, _SHP),
        "TRAN1": _draw(rng, traits, _TRAN1),
        "WFUEL": _draw(rng, traits, _WFUEL),
    }
    stayed = rng.random(n) > 1.0 / (1.0 + np.exp(0.9 * age + 0.3 * wealth - 0.3 * urban - 0.25))
    for name, table in (("WHYMOVE", _WHYMOVE), ("WHYTOH", _WHYTOH), ("WHYTON", _WHYTON)):
        codes[name] = _draw(rng, traits, table)
        codes[name][stayed] = len(table)

    columns: dict[str, NDArray[Any]] = {
        "HOUSEHOLD": np.arange(100_001, 100_001 + n, dtype=np.int64),
        "STRATUM": np.array(STRATA, dtype=object)[stratum],
    }
    for name, levels in LEVELS.items():
        columns[name] = np.array(levels, dtype=object)[codes[name]]
    columns |= _amounts(rng, stratum, traits, codes)
    columns["WEIGHT"] = np.round(_STRATUM_WEIGHT[stratum] * rng.gamma(12.0, 1 / 12.0, n) + 40.0 + 10.0 * urban**2, 1)
    return columns


def _amounts(
    rng: np.random.Generator,
    stratum: IntArray,
    traits: list[FloatArray],
    codes: dict[str, CodeArray],
) -> dict[str, NDArray[Any]]:
    """Draw VALUE, RENT and INCOME: log-linear in the traits and in what was recorded, rounded as people round."""
    n = stratum.size
    wealth, urban, age, *_ = traits
    noise = rng.standard_normal((3, n))
    # One household in forty has a fortune of its own, which makes the tail heavier than that of a lognormal.
    fortune = np.where(rng.random(n) < 0.025, rng.exponential(0.7, n), 0.0)
    years_at_school = codes["GRADE1"] - 12.0
    newness = codes["BUILT"] / (len(LEVELS["BUILT"]) - 1) - 0.4
    income = 10.3 + 0.45 * wealth + 0.045 * years_at_school + 0.08 * urban - 0.14 * age**2 + 0.40 * noise[0] + fortune
    place = _STRATUM_PRICE[stratum] + _METRO_PRICE[codes["METRO"]]
    value = 11.25 + 0.35 * (income - 10.2) + 0.25 * wealth + 0.35 * newness + place + 0.35 * noise[1] + 0.3 * fortune
    rent = 6.15 + 0.55 * (value - 11.2) + 0.15 * newness + 0.25 * noise[2]
    return {
        "VALUE": _heaped(rng, np.exp(value), fine=500.0, coarse=5_000.0, share=0.6),
        "RENT": _heaped(rng, np.exp(rent), fine=1.0, coarse=25.0, share=0.6),
        "INCOME": _heaped(rng, np.exp(income), fine=10.0, coarse=1_000.0, share=0.4),
    }


def _heaped(rng: np.random.Generator, amounts: FloatArray, *, fine: float, coarse: float, share: float) -> FloatArray:
    """Round a `share` of the amounts coarsely and the others finely, never to zero."""
    unit = np.where((rng.random(amounts.size) < share) & (amounts > 2.0 * coarse), coarse, fine)
    return np.maximum(np.round(amounts / unit), 1.0) * unit


def _cut(score: FloatArray, shares: tuple[float, ...]) -> CodeArray:
    """Cut a standard normal score so that the levels have the given shares."""
    cumulated = np.cumsum(shares) / np.sum(shares)
    points = [NormalDist().inv_cdf(float(share)) for share in cumulated[:-1]]
    return np.searchsorted(np.array(points), score).astype(np.int32)


def _draw(rng: np.random.Generator, traits: list[FloatArray], table: Loadings) -> CodeArray:
    """Draw a level per record with weight ``share · exp(Σ loading · trait)``."""
    shares, *loadings = np.array(list(table.values())).T
    n = traits[0].size
    uniform = rng.random(n)
    codes = np.empty(n, dtype=np.int32)
    for start in range(0, n, _BLOCK):
        rows = slice(start, start + _BLOCK)
        # Sums of products level by level, not a matrix product: a threaded one may round a record differently.
        scores = np.log(shares)[:, None] + np.zeros(uniform[rows].size)
        for trait, loading in zip(traits, loadings, strict=True):
            levels = np.flatnonzero(loading)
            scores[levels] += loading[levels, None] * trait[rows]
        cumulated = np.exp(scores).cumsum(axis=0)
        codes[rows] = (cumulated[:-1] <= uniform[rows] * cumulated[-1]).sum(axis=0)
    return codes
