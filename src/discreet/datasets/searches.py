"""Made-up searches: queries of a few words about a few interests, and the words that name somebody."""

from __future__ import annotations

import numpy as np

from discreet.parameters import Integer, Seed, check_parameters
from discreet.typing import RandomState

__all__ = ["searches_queries"]

_INTERESTS = (
    (
        "cheap flights",
        "flights rome",
        "weather rome",
        "hotel rome centre",
        "train timetable",
        "city map",
        "travel insurance",
    ),
    ("football results", "league table", "match tonight", "stadium tickets", "transfer news"),
    ("back pain", "doctor near me", "pharmacy open sunday", "headache causes", "sleep badly", "flu symptoms"),
    ("pasta recipe", "bread recipe", "apple cake", "dinner ideas", "restaurant near me"),
    ("used car", "car insurance", "winter tyres", "fuel prices", "repair shop near me"),
    ("job offers", "write application", "salary calculator", "evening courses", "tax return"),
)
_OFTEN = (0.25, 0.2, 0.2, 0.15, 0.1, 0.1)
_COMMON = ("weather tomorrow", "news", "train timetable", "online bank", "translate english")
_FIRST = (
    "arn",
    "bel",
    "cor",
    "dal",
    "ern",
    "fal",
    "gar",
    "hol",
    "ing",
    "jos",
    "kal",
    "lor",
    "mar",
    "nor",
    "oss",
    "pel",
)
_LAST = ("ach", "berg", "dorf", "egg", "feld", "hof", "ingen", "kirch", "lach", "moos", "stein", "tal", "wald", "zell")


def searches_queries(n: int, random_state: RandomState = 0) -> list[list[str]]:
    """Return the queries of every person in their order: 3 to 13 of them, each of one to three words.

    A person follows one or two interests, and asks what everybody asks. Six in ten also search for a place or a name
    that few others do, one of some hundred words; one in five of these asks for it together with something else.
    """
    check_parameters("searches", {"n": n, "random_state": random_state}, {"n": Integer(1), "random_state": Seed()})
    rng = np.random.default_rng(random_state)
    logs = []
    for _ in range(n):
        first, second = rng.choice(len(_INTERESTS), 2, p=_OFTEN)
        pool = [*_INTERESTS[first], *_INTERESTS[first], *(_INTERESTS[second] if rng.random() < 0.4 else ()), *_COMMON]
        log = [pool[i] for i in rng.integers(len(pool), size=rng.integers(3, 13))]
        if rng.random() < 0.6:
            name = f"{rng.choice(_FIRST)}{rng.choice(_LAST)}{rng.choice(('', 'er', 'au'))}"
            own = (
                f"{pool[0].split()[-1]} {name}" if rng.random() < 0.2 else f"{rng.choice(('street', 'family'))} {name}"
            )
            log.insert(int(rng.integers(len(log) + 1)), own)
        logs.append(log)
    return logs
