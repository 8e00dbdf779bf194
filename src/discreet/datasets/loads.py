"""Made-up electricity meters: a day of 24 readings a household, a few ways to live, and odd ones out."""

from __future__ import annotations

import numpy as np

from discreet.parameters import Integer, Seed, check_parameters
from discreet.typing import FloatArray, IntArray, RandomState

__all__ = ["HOURS", "loads_readings"]

HOURS = 24

_PEAKS = (
    ((7.0, 1.2, 0.7), (19.0, 2.0, 1.3)),  # out at work
    ((12.0, 2.5, 0.9), (18.0, 2.0, 0.9)),  # at home
    ((13.0, 4.0, 1.8),),  # an office or a shop
    ((22.5, 1.5, 1.2), (3.0, 1.5, 0.9)),  # works at night
)
"""By way to live, when loads are high: the hour, for how long, and by how many kilowatts."""
_OFTEN = (0.45, 0.35, 0.15, 0.05)


def loads_readings(n: int, random_state: RandomState = 0) -> tuple[FloatArray, IntArray]:
    """Return the mean load of every hour in kilowatts, (n, 24) with one decimal, and how many people live there.

    A household follows one way to live, larger ones with higher peaks, everybody a little earlier or later than others;
    one in a hundred charges a car at night, which no other does.
    """
    check_parameters("loads", {"n": n, "random_state": random_state}, {"n": Integer(1), "random_state": Seed()})
    rng = np.random.default_rng(random_state)
    people = 1 + rng.binomial(4, 0.3, n)
    kind = rng.choice(len(_PEAKS), n, p=_OFTEN)
    hours = np.arange(HOURS)
    shift = rng.normal(0.0, 0.7, n)
    size = 0.5 + 0.25 * people * rng.gamma(20.0, 1 / 20.0, n)
    base = rng.uniform(0.1, 0.3, n)
    loads = np.repeat(base[:, None], HOURS, axis=1)
    for way, peaks in enumerate(_PEAKS):
        rows = np.flatnonzero(kind == way)
        for centre, width, height in peaks:
            away = (hours[None, :] - centre - shift[rows, None] + 12.0) % 24.0 - 12.0
            loads[rows] += size[rows, None] * height * np.exp(-((away / width) ** 2))
    loads *= rng.gamma(40.0, 1 / 40.0, (n, HOURS))
    charging = np.flatnonzero(rng.random(n) < 0.01)
    loads[charging, 1:5] += 7.4
    return np.round(loads, 1), people.astype(np.int64)
