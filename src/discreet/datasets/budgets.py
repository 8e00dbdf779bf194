"""A synthetic household budget survey: persons in households, where they live, what they own, earn and spend.

It has the shape of the file in the case studies of the practice guide on statistical disclosure control (Benschop,
Machingauta and Welch): the same kinds of variables at two levels, two weights, households of very different size, a few
very large plots of land. Every value is drawn by the code below; a household's wealth, farming and region drive it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.parameters import Integer, Seed, check_parameters
from discreet.typing import FloatArray, IntArray, RandomState

__all__ = ["BUDGET_LEVELS", "EXPENDITURES", "HOUSEHOLD_COLUMNS", "INCOMES", "budgets_columns"]

# A category's share in an average household, and how much wealth and farming add to its logarithm.
_DWELLING: dict[str, dict[str, tuple[float, float, float]]] = {
    "OWNAGLAND": {"owner": (0.50, 0.1, 1.6), "tenant": (0.12, -0.3, 1.0), "none": (0.38, 0.1, -1.2)},
    "RELIG": {"first": (0.80, 0.0, 0.0), "second": (0.14, 0.0, 0.2), "third": (0.04, 0.1, -0.2), "other": (0.02, 0, 0)},
    "ROOF": {
        "thatch": (0.34, -1.2, 0.6), "iron": (0.46, 0.2, 0.1), "tile": (0.12, 0.9, -0.4), "concrete": (0.07, 1.1, -0.8),
        "other": (0.01, 0.0, 0.0),
    },
    "TOILET": {
        "none": (0.24, -1.2, 0.6), "pit": (0.50, -0.2, 0.3), "latrine": (0.18, 0.4, -0.2), "flush": (0.08, 1.5, -1.0),
    },
    "WATER": {
        "piped": (0.18, 1.2, -0.9), "public tap": (0.22, 0.2, -0.6), "borehole": (0.24, 0.0, 0.2),
        "well": (0.23, -0.4, 0.5), "river": (0.10, -0.9, 0.8), "other": (0.03, 0.0, 0.0),
    },
    "ELECTCON": {"no": (0.74, -1.0, 0.5), "shared": (0.10, 0.4, -0.4), "own": (0.16, 1.2, -0.6)},
    "FUELCOOK": {
        "firewood": (0.64, -0.6, 0.8), "charcoal": (0.22, 0.4, -0.6), "paraffin": (0.04, 0.2, -0.6),
        "gas": (0.05, 1.4, -1.0), "electricity": (0.05, 1.5, -1.0),
    },
    "OWNMOTORCYCLE": {"no": (0.95, 0.0, 0.0), "yes": (0.05, 0.6, 0.2)},
    "CAR": {"no": (0.96, 0.0, 0.0), "yes": (0.04, 1.8, 0.0)},
    "TV": {"no": (0.80, -0.3, 0.0), "yes": (0.20, 1.3, -0.4)},
}  # fmt: skip
BUDGET_LEVELS: dict[str, tuple[str, ...]] = {
    "REGION": ("north", "east", "south", "west", "lake", "capital"),
    "URBRUR": ("rural", "urban"),
    **{name: tuple(levels) for name, levels in _DWELLING.items()},
    "GENDER": ("female", "male"),
    "REL": (
        "head", "spouse", "child", "parent", "grandchild", "child-in-law", "other relative", "domestic help",
        "no relative",
    ),
    "MARITAL": ("never married", "monogamous", "polygamous", "living together", "separated", "widowed"),
    "ATSCHOOL": ("no", "yes"),
    "EDUCY": ("none", "some primary", "primary", "lower secondary", "upper secondary", "technical", "university"),
    "INDUSTRY1": (
        "none", "farming", "mining", "manufacturing", "utilities", "construction", "trade", "transport", "finance",
        "administration", "services",
    ),
}  # fmt: skip
"""The levels of every category, in order where there is one."""

_SPENT: dict[str, tuple[float, float]] = {
    "TFOODEXP": (0.58, -0.25), "TALCHEXP": (0.015, 0.2), "TCLTHEXP": (0.03, 0.1), "THOUSEXP": (0.09, 0.2),
    "TFURNEXP": (0.02, 0.2), "THLTHEXP": (0.03, 0.1), "TTRANSEXP": (0.04, 0.5), "TCOMMEXP": (0.02, 0.5),
    "TRECEXP": (0.005, 0.6), "TEDUEXP": (0.08, 0.3), "TRESTHOTEXP": (0.03, 0.3), "TMISCEXP": (0.05, 0.1),
}  # fmt: skip
# How many have any, on a logistic scale, and how much wealth and farming turn them to it.
_EARNED: dict[str, tuple[float, float, float]] = {
    "INCRMT": (-1.6, 0.1, 0.1), "INCWAGE": (0.0, 0.5, -0.9), "INCFARMBSN": (-0.1, -0.1, 1.8),
    "INCNFARMBSN": (-0.6, 0.2, -0.4), "INCRENT": (-3.2, 0.9, 0.0), "INCFIN": (-4.0, 1.1, -0.2),
    "INCPENSN": (-2.2, 0.1, 0.0), "INCOTHER": (-2.4, 0.0, 0.0),
}  # fmt: skip
EXPENDITURES: tuple[str, ...] = tuple(_SPENT)
INCOMES: tuple[str, ...] = tuple(_EARNED)
HOUSEHOLD_COLUMNS: tuple[str, ...] = (
    "REGION", "URBRUR", "WGTPOP", "WGTHH", "HHSIZE", *_DWELLING, "LANDSIZEHA", "LIVESTOCK",
    *EXPENDITURES, "TANHHEXP", *INCOMES, "INCTOTGROSSHH",
)  # fmt: skip
"""What all members of a household share."""
_ACRES = 0.4047  # plots are told in acres and kept in hectares, so that sizes repeat


def budgets_columns(n: int, random_state: RandomState = 0) -> dict[str, NDArray[Any]]:
    """Generate the columns of a synthetic household budget survey.

    Parameters
    ----------
    n : int
        The number of persons, at least 1; they live about five together.
    random_state : int or numpy.random.Generator
        The seed.

    Returns
    -------
    dict of str to array
        A household's number (IDH) and a person's in it (IDP), `HOUSEHOLD_COLUMNS`, then GENDER, REL, MARITAL, AGEYRS,
        ATSCHOOL, EDUCY and INDUSTRY1, each of length `n`.

    Notes
    -----
    No value is missing. Totals are the sums of their parts; WGTPOP is WGTHH times HHSIZE, and HHSIZE counts the members
    that are there (the last household is cut where `n` is reached). Time is linear in `n`.

    Examples
    --------
    >>> columns = budgets_columns(50, random_state=0)
    >>> len(columns), bool((columns["TANHHEXP"] == sum(columns[name] for name in EXPENDITURES)).all())
    (48, True)
    """
    check_parameters("budgets", {"n": n, "random_state": random_state}, {"n": Integer(1), "random_state": Seed()})
    rng = np.random.default_rng(random_state)
    sizes = 1 + rng.negative_binomial(3.2, 3.2 / (3.2 + 4.25), n)
    count = int(np.searchsorted(np.cumsum(sizes), n) + 1)
    sizes = sizes[:count]
    sizes[-1] -= int(sizes.sum()) - n
    shared = _households(rng, sizes)
    home = np.repeat(np.arange(count), sizes)
    place = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    columns: dict[str, NDArray[Any]] = {"IDH": home + 1, "IDP": place + 1}
    columns |= {name: shared[name][home] for name in HOUSEHOLD_COLUMNS}
    return columns | _members(rng, home, place, sizes, shared["_wealth"], shared["_farming"])


def _households(rng: np.random.Generator, sizes: IntArray) -> dict[str, NDArray[Any]]:
    count = sizes.size
    region = rng.choice(6, count, p=[0.2, 0.18, 0.22, 0.17, 0.12, 0.11])
    urban = rng.random(count) < np.array([0.12, 0.15, 0.2, 0.18, 0.25, 0.9])[region]
    wealth = rng.normal(0, 0.8, count) + 0.7 * urban
    farming = rng.normal(0, 0.7, count) + np.where(urban, -1.0, 0.6)
    weight = np.round(np.array([300, 420, 510, 360, 250, 700])[region] * rng.lognormal(-0.15, 0.55, count), 1)
    result: dict[str, NDArray[Any]] = {"_wealth": wealth, "_farming": farming}
    result["REGION"] = np.array(BUDGET_LEVELS["REGION"])[region]
    result["URBRUR"] = np.array(BUDGET_LEVELS["URBRUR"])[urban.astype(int)]
    result["WGTHH"], result["HHSIZE"] = weight, sizes
    result["WGTPOP"] = np.round(weight * sizes, 1)
    for name, levels in _DWELLING.items():
        result[name] = np.array(list(levels))[_drawn(rng, np.array(list(levels.values()), float), wealth, farming)]
    acres = np.ceil(rng.lognormal(0.6 + 0.5 * farming + 0.2 * wealth, 0.95, count) * 4) / 4
    estate = rng.random(count) < 0.012
    acres = np.where(
        estate, np.round(rng.lognormal(5.2, 0.9, count), -1) + 50, np.where(acres > 12, np.round(acres), acres)
    )
    result["LANDSIZEHA"] = np.where(result["OWNAGLAND"] == "none", 0.0, np.round(acres * _ACRES, 2))
    result["LIVESTOCK"] = np.minimum(rng.poisson(np.exp(-0.4 + 0.7 * farming)), 25)
    spent = np.exp(9.2 + 0.55 * wealth + rng.normal(0, 0.35, count)) * sizes**0.55
    result |= _parts(rng, spent, wealth)
    result |= _incomes(rng, spent, wealth, farming)
    return result


# Categories drawn with weights share · exp(wealth · a + farming · b), by the position of the level.
def _drawn(rng: np.random.Generator, levels: FloatArray, wealth: FloatArray, farming: FloatArray) -> IntArray:
    scores = np.log(levels[:, 0]) + np.outer(wealth, levels[:, 1]) + np.outer(farming, levels[:, 2])
    return np.asarray(np.argmax(scores + rng.gumbel(size=scores.shape), axis=1), dtype=np.int64)


def _parts(rng: np.random.Generator, spent: FloatArray, wealth: FloatArray) -> dict[str, FloatArray]:
    table = np.array(list(_SPENT.values()))
    scores = np.log(table[:, 0]) + np.outer(wealth, table[:, 1]) + rng.normal(0, 0.45, (spent.size, len(table)))
    shares = np.exp(scores)
    amounts = np.round(spent[:, None] * shares / shares.sum(axis=1, keepdims=True))
    return {**dict(zip(_SPENT, amounts.T, strict=True)), "TANHHEXP": amounts.sum(axis=1)}


def _incomes(
    rng: np.random.Generator, spent: FloatArray, wealth: FloatArray, farming: FloatArray
) -> dict[str, FloatArray]:
    table = np.array(list(_EARNED.values()))
    scores = table[:, 0] + np.outer(wealth, table[:, 1]) + np.outer(farming, table[:, 2])
    has = rng.random(scores.shape) < 1 / (1 + np.exp(-scores))
    has[~has.any(axis=1), len(table) - 1] = True
    parts = has * rng.lognormal(0, 0.7, scores.shape)
    earned = spent * rng.lognormal(0.1, 0.6, spent.size)
    amounts = np.round(earned[:, None] * parts / parts.sum(axis=1, keepdims=True))
    return {**dict(zip(_EARNED, amounts.T, strict=True)), "INCTOTGROSSHH": amounts.sum(axis=1)}


def _members(
    rng: np.random.Generator, home: IntArray, place: IntArray, sizes: IntArray, wealth: FloatArray, farming: FloatArray
) -> dict[str, NDArray[Any]]:
    n, names = home.size, BUDGET_LEVELS["REL"]
    couple = (rng.random(sizes.size) < 0.78) & (sizes > 1)
    relation = rng.choice(np.arange(2, 9), n, p=[0.71, 0.01, 0.12, 0.01, 0.135, 0.006, 0.009])
    relation[place == 0] = 0
    relation[(place == 1) & couple[home]] = 1
    head = np.clip(rng.gamma(7, 4.6, sizes.size) + 14, 17, 95)[home]
    gap = rng.gamma(9, 3.0, n)
    age = np.select(
        [relation == 0, relation == 1, relation == 2, relation == 3, relation == 4, relation == 5],
        [
            head,
            head - rng.normal(4, 4, n),
            head - 15 - gap * 0.8,
            head + 15 + gap * 0.6,
            head - 34 - gap,
            head - 16 - gap * 0.5,
        ],
        rng.gamma(2.2, 11, n),
    )
    lowest = np.where(np.isin(relation, [1, 5]), 16, np.where(relation >= 7, 12, 0))
    wrapped = np.where(age < 0, rng.integers(0, 15, n), age)
    age = np.clip(np.floor(wrapped), lowest, 95).astype(np.int64)
    male = np.where(relation == 0, rng.random(n) < np.where(couple, 0.93, 0.42)[home], rng.random(n) < 0.49)
    male = np.where(relation == 1, rng.random(n) < 0.04, male)
    married = np.isin(relation, [0, 1, 3, 5]) & np.where(relation == 0, couple[home], rng.random(n) < 0.9)
    kind = np.where(rng.random(sizes.size) < 0.14, 2, np.where(rng.random(sizes.size) < 0.12, 3, 1))[home]
    alone = np.where(rng.random(n) < np.clip((age - 30) / 60, 0, 1), 5, 4)
    single = np.where((age >= 22) & (rng.random(n) < np.clip((age - 20) / 45, 0, 0.9)), alone, 0)
    marital = np.where(married, kind, single)
    school = (age >= 6) & (age <= 19) & (rng.random(n) < np.clip(1.5 - age / 18 + 0.15 * wealth[home], 0.05, 0.95))
    years = np.where(school, np.clip(age - 5 - rng.poisson(0.8, n), 1, 18), 0)
    reached = np.clip(np.round(2 + 0.9 * wealth[home] + rng.normal(0, 1.3, n) - age / 60), 0, 6).astype(int)
    possible = np.searchsorted([6, 12, 15, 18, 20, 22], age, side="right")
    education = np.where(
        school,
        np.minimum(np.searchsorted([1, 8, 11, 14], years, side="right"), possible),
        np.minimum(reached, possible),
    )
    trades = np.array([0.5, 0.01, 0.07, 0.01, 0.05, 0.15, 0.05, 0.02, 0.05, 0.09])
    scores = (
        np.log(trades)
        + np.outer(farming[home], [1.2, 0, *([-0.2] * 8)])
        + np.outer(education - 2.0, [-0.5, 0, 0, 0.4, 0, 0.1, 0.1, 0.9, 0.7, 0.2])
    )
    trade = 1 + np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)
    works = (age >= 14) & ~school & (rng.random(n) < np.where(age < 66, 0.72, 0.35))
    return {
        "GENDER": np.array(BUDGET_LEVELS["GENDER"])[male.astype(int)],
        "REL": np.array(names)[relation],
        "MARITAL": np.array(BUDGET_LEVELS["MARITAL"])[marital],
        "AGEYRS": age,
        "ATSCHOOL": np.array(["no", "yes"])[school.astype(int)],
        "EDUCY": np.array(BUDGET_LEVELS["EDUCY"])[education],
        "INDUSTRY1": np.array(BUDGET_LEVELS["INDUSTRY1"])[np.where(works, trade, 0)],
    }
