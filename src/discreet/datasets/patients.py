"""Synthetic stays in hospital: names, record numbers, telephone numbers, dates, ZIP codes, ages, diagnoses, costs.

All that a safe harbour has rules for. People stay once or several times; their ages run up to a hundred and beyond, and
some live in areas with few people. Areas and the numbers of people in them are invented.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.parameters import Integer, Seed, check_parameters
from discreet.typing import RandomState

__all__ = ["AREAS", "DIAGNOSES", "patients_columns"]

AREAS: dict[str, int] = {
    "012": 441_000,
    "018": 612_300,
    "036": 14_200,
    "059": 8_900,
    "107": 903_500,
    "331": 275_000,
    "556": 19_999,
    "692": 20_000,
    "753": 1_204_000,
    "893": 5_400,
}
"""By the first three digits of a ZIP code, how many people live there: a table to bring along."""

DIAGNOSES: tuple[str, ...] = ("heart", "lung", "bone", "nerves", "injury", "birth", "other")
_FIRST = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ida", "Jon", "Kira", "Leo", "Mia", "Ned", "Olga")
_LAST = (
    "Abbot",
    "Baker",
    "Carter",
    "Dyer",
    "Fisher",
    "Glover",
    "Hunter",
    "Mason",
    "Potter",
    "Smith",
    "Tyler",
    "Weaver",
)
_SHARES = (0.2, 0.22, 0.02, 0.01, 0.25, 0.1, 0.02, 0.02, 0.15, 0.01)
_DAY = np.timedelta64(1, "D")


def patients_columns(n: int, random_state: RandomState = 0) -> dict[str, NDArray[Any]]:
    """Generate the columns of a synthetic file of stays in hospital.

    Parameters
    ----------
    n : int
        The number of stays, at least 1.
    random_state : int or numpy.random.Generator
        The seed.

    Returns
    -------
    dict of str to array
        RECORD, NAME and PHONE (text, one a person), SEX, BORN, ADMITTED and DISCHARGED (days), AGE in whole years when
        admitted, ZIP (text of five digits), DIAGNOSIS and COST, each of length `n`.

    Notes
    -----
    No value is missing. About one person in fifty is 90 or older, and one in twelve lives in an area with at most
    20 000 people. Stays of a person may overlap. Time is linear in `n`.

    Examples
    --------
    >>> columns = patients_columns(4, random_state=0)
    >>> len(columns), columns["ZIP"].dtype.kind, bool((columns["ADMITTED"] <= columns["DISCHARGED"]).all())
    (11, 'U', True)
    """
    check_parameters("patients", {"n": n, "random_state": random_state}, {"n": Integer(1), "random_state": Seed()})
    rng = np.random.default_rng(random_state)
    people = max(1, (2 * n) // 3)
    born = np.datetime64("2021-01-01") - (365.25 * np.clip(rng.normal(56, 21, people), 0.5, 104)).astype(int) * _DAY
    area = rng.choice(len(AREAS), people, p=_SHARES)
    suffix = rng.integers(1, 80, people)
    prefixes = list(AREAS)
    zips = np.array([f"{prefixes[a]}{s:02d}" for a, s in zip(area.tolist(), suffix.tolist(), strict=True)])
    names = np.array([f"{_FIRST[i]} {_LAST[j]}" for i, j in zip(*_pairs(rng, people), strict=True)])
    numbers = np.array([f"MRN{number:07d}" for number in rng.permutation(people * 7)[:people].tolist()])
    phones = np.array([f"555-{number:07d}" for number in rng.integers(0, 10**7, people).tolist()])
    sex = np.array(["f", "m"])[rng.integers(0, 2, people)]

    person = np.concatenate([np.arange(people), rng.integers(0, people, n - people)])[:n]
    person = person[rng.permutation(person.size)]
    admitted = np.datetime64("2021-01-01") + rng.integers(0, 3 * 365, n) * _DAY
    stay = 1 + np.floor(rng.lognormal(1.2, 0.8, n)).astype(int)
    age = np.floor((admitted - born[person]) / _DAY / 365.25).astype(np.int64)
    return {
        "RECORD": numbers[person],
        "NAME": names[person],
        "PHONE": phones[person],
        "SEX": sex[person],
        "BORN": born[person],
        "AGE": age,
        "ZIP": zips[person],
        "ADMITTED": admitted,
        "DISCHARGED": admitted + stay * _DAY,
        "DIAGNOSIS": np.array(DIAGNOSES)[rng.integers(0, len(DIAGNOSES), n)],
        "COST": np.round(800 * stay * rng.lognormal(0, 0.3, n)),
    }


def _pairs(rng: np.random.Generator, people: int) -> tuple[list[int], list[int]]:
    return rng.integers(0, len(_FIRST), people).tolist(), rng.integers(0, len(_LAST), people).tolist()
